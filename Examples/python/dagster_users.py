"""Decides users as assets of Dagster, with counts as metadata and a check that no user moves.

usage: dagster dev -f dagster_users.py
       python dagster_users.py             materializes the assets once; fails if a user moves

It reads users.parquet, config.json and approved.json, the config that decided so far, in the folder
that TOLLGATE_DATA names (default: the current one), and writes outcomes.parquet there.
"""

import os
import sys
from pathlib import Path

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as parquet

import tollgate

SEED = os.environ.get("TOLLGATE_SEED", "")
# A run and its check use the same time for decisions.
NOW = os.environ.get("TOLLGATE_NOW")


def data(name: str) -> Path:
    return Path(os.environ.get("TOLLGATE_DATA", ".")) / name


@dg.asset
def users() -> pa.Table:
    """Returns the user IDs and the columns that rules read."""
    return parquet.read_table(data("users.parquet"))


@dg.asset
def outcomes(context: dg.AssetExecutionContext, users: pa.Table) -> dg.MaterializeResult:
    """Returns a row for each user, with a struct for each placement."""
    config = tollgate.Config.load(data("config.json"), seed=SEED)
    table, tally = config.plan(now=NOW).decide(users, keep=["userId"], report=True)
    parquet.write_table(table, data("outcomes.parquet"))
    for row in tally.rejects:
        context.log.warning(f"row {row['row']}: {row['reason']}")
    metadata = {"users": tally.users, "rejected": tally.rejected}
    for name in config.placements:
        metadata[f"{name}: paywalls"] = tally.outcomes(name)["paywall"]
    return dg.MaterializeResult(metadata=metadata)


@dg.asset_check(asset=outcomes)
def no_user_moves() -> dg.AssetCheckResult:
    """Proves that no user's outcome differs from the approved config, or finds a user."""
    approved, config = (
        tollgate.Config.load(data(name), seed=SEED) for name in ("approved.json", "config.json")
    )
    found = approved.diff(config, now=NOW)
    moving = {
        name: proof["witnesses"][0]["text"] if proof["witnesses"] else proof["verdict"]
        for name, proof in found["placements"].items() if proof["verdict"] != "same"
    }
    return dg.AssetCheckResult(passed=not moving, metadata=moving)


ASSETS, CHECKS = [users, outcomes], [no_user_moves]
defs = dg.Definitions(assets=ASSETS, asset_checks=CHECKS)

if __name__ == "__main__":
    result = dg.materialize([*ASSETS, *CHECKS])
    passed = all(check.passed for check in result.get_asset_check_evaluations())
    sys.exit(0 if result.success and passed else 1)
