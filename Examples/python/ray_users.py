"""Decides the users of Parquet files with Ray Data, on all cores of a cluster.

usage: python ray_users.py CONFIG 'users/*.parquet' OUT [--seed SEED] [--now TIME] [--workers 2]

Each worker compiles the config once, and receives batches as pyarrow tables. Outcomes are columns
such as `export_report.paywall` beside the user IDs.
"""

from __future__ import annotations

import argparse
import glob
import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import ray

import tollgate


class Decide:
    """Decides batches in a worker, which compiles the config once."""

    def __init__(self, config: str, seed: str, now: str) -> None:
        self._plan = tollgate.Config.loads(config, seed=seed).plan(now=now)

    def __call__(self, users: pa.Table) -> pa.Table:
        outcomes = self._plan.decide(users).flatten()
        return outcomes.add_column(0, "userId", users["userId"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", type=Path)
    parser.add_argument("users")
    parser.add_argument("out")
    parser.add_argument("--seed", default="")
    parser.add_argument("--now", default=datetime.now(timezone.utc).isoformat(timespec="seconds"))
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()

    if not glob.glob(options.users):
        parser.error(f"there is no file {options.users}")
    ray.init(include_dashboard=False, num_cpus=options.workers, log_to_driver=False)
    # Workers run in other folders, so the path must be absolute.
    files: Any = [os.path.abspath(path) for path in sorted(glob.glob(options.users))]
    users = ray.data.read_parquet(files)
    outcomes = users.map_batches(
        Decide,
        fn_constructor_args=(options.config.read_text(encoding="utf-8"), options.seed, options.now),
        batch_format="pyarrow", batch_size=8_192, concurrency=options.workers, num_cpus=0.5,
    )
    outcomes.write_parquet(os.path.abspath(options.out))
    ray.shutdown()


if __name__ == "__main__":
    main()
