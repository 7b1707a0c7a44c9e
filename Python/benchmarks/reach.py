"""Figures of the Python package, with what is aimed at, and peers on the same users and audiences.

usage: python reach.py [--users 1000000] [--quick] [--json FILE]

It needs polars, duckdb, pyarrow and numpy. cel-rust and GrowthBook's SDK are measured where they
are installed (``pip install -r Python/requirements-peers.txt``). What a peer comes to is compared
with ours before it is timed: where another audience takes a user, it has no figure, and the status
is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peers
from conditions import Compare, Some
from measuring import Line, Peer, document, least, least_of_processes, machine, table
from workloads import ROOTS, Workload, flat_users, nested, records

import tollgate
import tollgate.duckdb
from tollgate._library import library

NOW = "2026-03-01T12:00:00Z"
# A user of whom little is told, and whom the first audience takes: what deciding itself costs.
SMALL = {
    "userId": "u-1", "user": {"seed": 40},
    "device": {"country": "US", "subscriptionStatus": "UNKNOWN"},
}


@dataclass
class Settings:
    users: int = 1_000_000
    # Users whom those get who take them one at a time.
    sample: int = 2_000
    runs: int = 5
    starts: int = 15
    # How often the small user is decided in a run.
    repeated: int = 5_000
    # Of 8,192 users each, for the memory that a stream takes.
    batches: int = 1_000


def compiled(workload: Workload) -> tollgate.Config:
    return tollgate.Config.loads(workload.config(), seed="s")


class Reach:
    """All lines, one after the other."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lines: list[Line] = []
        self.flat = flat_users(settings.users)
        self.frame = nested(self.flat)
        self.table = self.frame.to_arrow()

    def run(self) -> list[Line]:
        self.one_decision()
        self.starting()
        self.reading()
        self.streaming()
        for name in ("rotated", "distinct"):
            for placements in (1, 10):
                self.tables(Workload(name, placements), aimed=name == "rotated")
        for placements in (1, 10):
            self.rows(Workload("distinct", placements))
        return self.lines

    # One user

    def one_decision(self) -> None:
        workload = Workload("rotated", 1)
        config = compiled(workload)
        times = self.settings.repeated

        def seconds(decide: Callable[[], object]) -> float:
            def many() -> None:
                for _ in range(times):
                    decide()

            return least(many, self.settings.runs) / times

        line = Line(
            "one decision, small record", "us",
            seconds(lambda: config.decide("p0", SMALL, now=NOW)) * 1e6, at_most=6)
        ours = config.decide("p0", SMALL, now=NOW).experiment
        for kind in (peers.CEL, peers.GrowthBook):
            with Tried(line, kind.name) as tried:
                peer = kind(workload, self.flat.head(1))
                theirs = peer.one(SMALL, ["p0"])[0]["experiment"]
                if tried.agrees(int(ours != theirs), 1):
                    one = peer.one
                    tried.value = seconds(lambda one=one: one(SMALL, ["p0"])) * 1e6
        self.lines.append(line)

    def starting(self) -> None:
        """Importing, and compiling 100 audiences, over what Python itself takes."""
        workload = Workload("distinct", 10)
        ours = "import sys, tollgate; tollgate.Config.load(sys.argv[1])"
        theirs = {
            "cel":
                "import sys, json, cel; "
                "[cel.compile(text) for text in json.load(open(sys.argv[2]))]",
            "GrowthBook":
                "import sys, json; from growthbook import GrowthBook as G; "
                "G(features=json.load(open(sys.argv[3])))",
        }
        with tempfile.TemporaryDirectory() as folder:
            documents = {
                "config.json": workload.config(),
                "cel.json": json.dumps([
                    condition.cel() for found in workload.audiences.values() for condition in found
                    if condition
                ]),
                "growthbook.json": json.dumps(peers.growthbook_features(workload)),
            }
            for name, text in documents.items():
                (Path(folder) / name).write_text(text, encoding="utf-8")

            def seconds(code: str) -> float:
                # In a folder without packages, so that the installed ones are measured.
                commands = [[sys.executable, "-c", it, *documents] for it in ("pass", code)]
                nothing, all_of_it = least_of_processes(commands, self.settings.starts, folder)
                return all_of_it - nothing

            line = Line(
                "import, and compile 100 audiences", "ms", seconds(ours) * 1e3, at_most=20)
            for name, code in theirs.items():
                with Tried(line, name) as tried:
                    __import__(name.lower())
                    tried.value = seconds(code) * 1e3
        self.lines.append(line)
        size = Path(library._name).stat().st_size
        self.lines.append(Line("size of the library", "MB", size / 1e6, at_most=13))

    # Tables

    def rate(self, work: Callable[[], object]) -> float:
        """Millions of users a second."""
        return self.settings.users / least(work, self.settings.runs) / 1e6

    def reading(self) -> None:
        """One audience that reads all attributes."""
        workload = Workload("rotated", 1)
        workload.audiences["p0"] = [Some(*(
            Compare(f"{root}.{name}", "==", _nobody(self.flat.schema[f"{root}_{name}"]))
            for root, names in ROOTS.items() for name in names
        ))]
        plan = compiled(workload).plan(now=NOW)
        assert len(plan.requirements) == 17, plan.requirements
        self.lines.append(Line(
            "reading 17 columns", "M users/s", self.rate(lambda: plan.count(self.table)),
            at_least=20))

    def streaming(self) -> None:
        command = [
            sys.executable, str(Path(__file__).with_name("streaming.py")),
            str(self.settings.batches),
        ]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        users = self.settings.batches * 8_192 / 1e6
        self.lines.append(Line(
            f"memory of a stream of {users:.1f} M users", "MB", int(done.stdout) / 1e6, at_most=64))

    def tables(self, workload: Workload, *, aimed: bool) -> None:
        count = len(workload.placements)
        label = f"{workload.name}, {count} placement{'s' if count > 1 else ''}"
        plan = compiled(workload).plan(now=NOW)
        ours = plan.decide(self.frame)
        duck, polars = (kind(workload, self.flat) for kind in (peers.DuckDB, peers.Polars))
        alike = {
            peer.name: (peers.differing(ours, found), peers.crooked_shares(found))
            for peer in (duck, polars) for found in [peer.outcomes()]
        }

        def add(
            what: str, aims: tuple[float | None, float | None], work: Callable[[], object],
            **theirs: Callable[[], object],
        ) -> None:
            aim = aims[0] if count == 1 else aims[1]
            line = Line(
                f"{what}: {label}", "M users/s", self.rate(work), at_least=aim if aimed else None)
            for name, their_work in theirs.items():
                with Tried(line, name) as tried:
                    if tried.agrees(alike[name][0], self.settings.users, alike[name][1]):
                        tried.value = self.rate(their_work)
            self.lines.append(line)

        def streamed() -> None:
            for _ in plan.stream(self.table):
                pass

        def in_duckdb() -> None:
            users = duck.connection.table("users")
            tollgate.duckdb.decide(duck.connection, users, plan).create("outcomes")
            duck.connection.execute("drop table outcomes")

        add("counting", (None, 8), lambda: plan.count(self.table),
            DuckDB=duck.count, Polars=polars.count)
        add("Arrow to Arrow, batches", (None, 5), streamed)
        add("Polars to Polars", (10, 3.9), lambda: plan.decide(self.frame), Polars=polars.decide)
        add("DuckDB to DuckDB", (2.2, 1.4), in_duckdb, DuckDB=duck.decide)

    # A user at a time

    def rows(self, workload: Workload) -> None:
        sample = self.flat.head(self.settings.sample)
        config, placements = compiled(workload), workload.placements
        users = records(sample)
        label = f"{len(placements)} placement{'s' if len(placements) > 1 else ''}"
        plan = config.plan(now=NOW)
        outcomes = plan.decide(nested(sample))

        def decide() -> None:
            for user in users:
                config.decide_all(user, now=NOW)

        def microseconds(work: Callable[[], object]) -> float:
            return least(work, self.settings.runs) / len(users) * 1e6

        line = Line(f"a user at a time: distinct, {label}", "us", microseconds(decide))
        for kind in (peers.CEL, peers.GrowthBook):
            with Tried(line, kind.name) as tried:
                peer = kind(workload, sample)
                found = peer.outcomes()
                if tried.agrees(
                    peers.differing(outcomes, found), len(users), peers.crooked_shares(found)
                ):
                    tried.value = microseconds(peer.decide)
        self.lines.append(line)


def _nobody(kind: Any) -> Any:
    """A value of a type that few users have, or none."""
    import polars as pl

    return "nobody" if kind == pl.String else kind == pl.Boolean or -1


class Tried:
    """A peer that may not be installed, and may not agree."""

    def __init__(self, line: Line, name: str) -> None:
        self._line = line
        self._peer = Peer(name)
        self.value: float | None = None

    def agrees(self, differing: int, compared: int, crooked: list[str] | None = None) -> bool:
        self._peer.differing, self._peer.compared = differing, compared
        self._peer.crooked = crooked or []
        if differing:
            self._peer.note = f"{differing} of {compared} users are taken by other audiences"
        elif crooked:
            self._peer.note = f"variants have other shares at {', '.join(crooked)}"
        return not differing and not crooked

    def __enter__(self) -> Tried:
        return self

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> bool:
        missing = isinstance(problem, ImportError)
        if missing:
            self._peer.note = f"not installed: {problem}"
        if problem is None or missing:
            self._peer.value = self.value
            self._line.add(self._peer)
        return missing


def status(lines: list[Line]) -> int:
    """What the program ends with: 1 where a peer decides otherwise."""
    return int(any(peer.differing or peer.crooked for line in lines for peer in line.peers))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--users", type=int)
    parser.add_argument("--quick", action="store_true", help="few users, once: to see that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="for programs")
    options = parser.parse_args()
    # Before Polars is imported.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    settings = Settings()
    if options.quick:
        settings = Settings(users=3_000, sample=100, runs=1, starts=1, repeated=50, batches=20)
    if options.users:
        settings.users = options.users
    begin = machine()
    lines = Reach(settings).run()
    print(table(lines, begin))
    if options.json:
        options.json.write_text(json.dumps(document(lines, begin), indent=1), encoding="utf-8")
    return status(lines)


if __name__ == "__main__":
    sys.exit(main())
