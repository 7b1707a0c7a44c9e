"""The users that get a different outcome than with the approved config, counted by what changes."""

import pyarrow as pa
import pyarrow.compute as pc
import tollgate

SCHEMA = pa.schema([
    ("placement", pa.string()), ("from_outcome", pa.string()), ("to_outcome", pa.string()),
    ("users", pa.int64()), ("example", pa.string()), ("change", pa.string()),
])


def model(dbt, session):
    settings = dbt.config.get("meta")
    approved, config = (
        tollgate.Config.load(settings[name], seed=settings["seed"])
        for name in ("approved", "config")
    )
    now = config.plan(now=settings["now"]).now
    users = dbt.ref("tollgate_users").to_arrow_table()
    found = approved.diff(config, now=now)
    moves = [
        moves_at(name, approved, config, users, now, found["changes"])
        # A proof that no user moves spares the users.
        for name, proof in found["placements"].items() if proof["verdict"] != "same"
    ]
    return pa.concat_tables([*moves, SCHEMA.empty_table()])


def moves_at(name, approved, config, users, now, changes):
    """Counts the users whose outcome at a placement differs."""
    table = pa.table({
        "from_outcome": outcomes(name, approved, users, now),
        "to_outcome": outcomes(name, config, users, now),
        "example": pc.cast(users["userId"], pa.string()),
    })
    table = table.filter(pc.not_equal(table["from_outcome"], table["to_outcome"]))
    kinds = table.group_by(["from_outcome", "to_outcome"]).aggregate(
        [("example", "count"), ("example", "min")])
    change = "; ".join(each["text"] for each in changes if each["placement"] == name)
    return pa.table({
        "placement": [name] * len(kinds), "from_outcome": kinds["from_outcome"],
        "to_outcome": kinds["to_outcome"], "users": kinds["example_count"],
        "example": kinds["example_min"], "change": [change] * len(kinds),
    }, schema=SCHEMA)


def outcomes(name, config, users, now):
    """What each user gets: `annual (variant-a)`, or the result if there is no paywall."""
    if name not in config.placements:
        return pa.array(["placementNotFound"] * len(users))
    plan = config.plan([name], now=now, fields=["result", "variant", "paywall"])
    found = plan.decide(users)[name].combine_chunks()
    result, variant, paywall = found.flatten()
    named = pc.binary_join_element_wise(pc.coalesce(paywall, result), " (", variant, ")", "")
    return pc.coalesce(named, result, pa.scalar("invalid user"))
