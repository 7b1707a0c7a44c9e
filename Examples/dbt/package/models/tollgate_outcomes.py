"""A row for each user of `tollgate_users`, with a struct for each placement."""

import tollgate


def model(dbt, session):
    settings = dbt.config.get("meta")
    config = tollgate.Config.load(settings["config"], seed=settings["seed"])
    plan = config.plan(now=settings["now"])
    outcomes, tally = plan.decide(dbt.ref("tollgate_users"), keep=["userId"], report=True)
    for row in tally.rejects:
        print(f"tollgate_users: row {row['row']}: {row['reason']}")
    return outcomes
