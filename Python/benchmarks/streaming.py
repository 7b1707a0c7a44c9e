"""How much memory a stream of users takes: run by ``reach.py`` in a process of its own.

usage: python streaming.py BATCHES

Prints by how many bytes the process has grown at its largest since before the first batch.
"""

from __future__ import annotations

import resource
import sys
from typing import Any

import pyarrow
from workloads import Workload, flat_users, nested

import tollgate

ROWS = 8_192


def most_bytes() -> int:
    if sys.platform == "linux":
        # What the system says of resources begins with the size of the process that started this.
        with open("/proc/self/status", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["VmHWM"].split()[0]) * 1_024
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes if sys.platform == "darwin" else kilobytes * 1_024


def main() -> None:
    batches = int(sys.argv[1])
    plan = tollgate.Config.loads(Workload("rotated", 10).config()).plan(now="2026-03-01T12:00:00Z")
    batch: Any = nested(flat_users(ROWS)).to_arrow().combine_chunks().to_batches()[0]
    begin = most_bytes()
    users = pyarrow.RecordBatchReader.from_batches(
        batch.schema, (batch for _ in range(batches)))
    assert sum(found.num_rows for found in plan.stream(users)) == batches * ROWS
    print(most_bytes() - begin)


if __name__ == "__main__":
    main()
