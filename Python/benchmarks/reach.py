"""Figures of the Python package: one decision, starting, tables from Polars and DuckDB.

usage: python reach.py [--users 1000000] [--json]

Prints the minimum of several runs and what is aimed at. It needs polars, duckdb and pyarrow.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tollgate

NOW = "2026-03-01T12:00:00Z"
COUNTRIES = ["US", "DE", "BR", "JP", "FR", "GB", "IN", "ES"]
PLANS = ["free", "basic", "coach", "lapsed"]


def audience(placement: int, number: int) -> dict[str, Any]:
    """One of ten audiences, each of another kind."""
    conditions = [
        f"user.plan == '{PLANS[(placement + number) % 4]}' && user.sessions > {number * 40}",
        f"device.country in ['{COUNTRIES[(placement + number) % 8]}', 'XX']",
        f"device.daysSinceInstall >= {300 - number * 10} && user.streak % 7 == {placement % 7}",
        f"device.platform == 'iOS' && user.score > {0.9 - placement * 0.01}",
        f"user.email.startsWith('a{placement}') || user.paying",
    ]
    name = f"e{placement}-{number}"
    return {
        "experiment_id": name, "experiment_group_id": "g",
        "expression_cel": conditions[number % len(conditions)],
        "variants": [
            {"variant_id": f"{name}-a", "variant_type": "TREATMENT", "percentage": 45,
             "paywall_identifier": f"annual-{placement}"},
            {"variant_id": f"{name}-b", "variant_type": "TREATMENT", "percentage": 45,
             "paywall_identifier": f"monthly-{placement}"},
            {"variant_id": f"{name}-c", "variant_type": "HOLDOUT", "percentage": 10},
        ],
    }


def config_text(placements: int, audiences: int = 10) -> str:
    return json.dumps({
        "build_id": "bench",
        "trigger_options": [
            {"event_name": f"p{placement}",
             "rules": [audience(placement, number) for number in range(audiences)]}
            for placement in range(placements)
        ],
    })


def users(count: int) -> Any:
    """A frame with 17 attributes in two structs."""
    import polars as pl

    row = pl.int_range(count, eager=True)

    def pick(values: list[str], stride: int) -> Any:
        return (row * stride % len(values)).replace_strict(
            dict(enumerate(values)), return_dtype=pl.String)

    user = pl.DataFrame({
        "plan": pick(PLANS, 3), "sessions": row * 7919 % 400, "streak": row * 31 % 30,
        "score": row * 104_729 % 1_000 / 1_000, "paying": row * 13 % 10 == 0,
        "email": "a" + (row * 17 % 1_000).cast(pl.String) + "@mail.example",
        "goal": pick(["run", "sleep", "strength"], 5), "visits": row % 90, "seed": row * 11 % 100,
    })
    device = pl.DataFrame({
        "country": pick(COUNTRIES, 7), "platform": pick(["iOS", "Android"], 1),
        "daysSinceInstall": row * 37 % 400, "model": pick(["a", "b", "c", "d", "e"], 3),
        "version": pick(["4.1.0", "4.2.0", "4.3.0"], 1), "language": pick(["en", "de", "pt"], 2),
        "views": row * 5 % 20, "width": row * 3 % 2_000,
    })
    return pl.DataFrame({
        "userId": "u-" + row.cast(pl.String), "user": user.to_struct(), "device": device.to_struct()
    })


def least(work: Callable[[], object], runs: int) -> float:
    """The shortest of several runs, in seconds; the first does not count."""
    work()
    found = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        found.append(time.perf_counter() - begin)
    return min(found)


def one_decision() -> float:
    """Microseconds of ``Config.decide`` for a small record."""
    config = tollgate.Config.loads(config_text(1))
    user = {"userId": "u-1", "user": {"plan": "free", "sessions": 50}, "device": {"country": "US"}}

    def many() -> None:
        for _ in range(5_000):
            config.decide("p0", user, now=NOW)

    return least(many, 5) / 5_000 * 1e6


def starting() -> float:
    """Milliseconds to import and compile 100 audiences, over ``python -c pass``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.json"
        path.write_text(config_text(10), encoding="utf-8")
        work = "import sys, tollgate; tollgate.Config.load(sys.argv[1])"

        def run(code: str) -> Callable[[], object]:
            # In a folder without a package of that name, so that the installed one is measured.
            command = [sys.executable, "-c", code, str(path)]
            return lambda: subprocess.run(command, check=True, cwd=folder)

        return (least(run(work), 15) - least(run("pass"), 15)) * 1e3


def tables(count: int) -> list[tuple[str, float, float | None]]:
    """Millions of users a second, from tables to tables."""
    import duckdb

    import tollgate.duckdb

    frame = users(count)
    table = frame.to_arrow()
    connection = duckdb.connect()
    connection.execute("set threads = 1")
    connection.register("frame", table)
    connection.execute("create table users as select * from frame")
    found: list[tuple[str, float, float | None]] = []

    def add(name: str, aim: float | None, work: Callable[[], object]) -> None:
        found.append((name, count / least(work, 3) / 1e6, aim))

    for placements, polars_aim, duckdb_aim in ((1, 10.0, 2.2), (10, 3.9, 1.4)):
        plan = tollgate.Config.loads(config_text(placements), seed="s").plan(now=NOW)
        label = f"{placements} placement{'s' if placements > 1 else ''}"
        add(f"counting, {label}", 8.0 if placements == 10 else None,
            lambda plan=plan: plan.count(table))  # type: ignore[misc]
        add(f"Polars to Polars, {label}", polars_aim,
            lambda plan=plan: plan.decide(frame))  # type: ignore[misc]
        add(f"pyarrow to pyarrow, {label}", None,
            lambda plan=plan: plan.decide(table))  # type: ignore[misc]

        def in_duckdb(plan: tollgate.Plan = plan) -> None:
            # DuckDB finds it by its name.
            outcomes = tollgate.duckdb.decide(connection, connection.table("users"), plan)
            outcomes.create("outcomes")
            connection.execute("drop table outcomes")

        add(f"DuckDB to DuckDB, {label}", duckdb_aim, in_duckdb)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true", help="for programs")
    options = parser.parse_args()
    figures: list[dict[str, Any]] = [
        {"what": "one decision", "unit": "us", "value": one_decision(), "atMost": 6.0},
        {"what": "import, and compile 100 audiences", "unit": "ms", "value": starting(),
         "atMost": 20.0},
    ]
    for name, value, aim in tables(options.users):
        figures.append({"what": name, "unit": "M users/s", "value": value, "atLeast": aim})
    if options.json:
        print(json.dumps(figures))
        return
    for figure in figures:
        wanted = ""
        if figure.get("atMost") is not None:
            wanted = f"(at most {figure['atMost']:g})"
        elif figure.get("atLeast") is not None:
            wanted = f"(at least {figure['atLeast']:g})"
        print(f"{figure['what']:36} {figure['value']:8.2f} {figure['unit']:10} {wanted}")


if __name__ == "__main__":
    main()
