"""Figures of the Python package, with what is aimed at, and peers on the same users and audiences.

usage: python reach.py [--users 1000000] [--quick] [--json FILE] [--times 5]

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
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import peers
from conditions import Compare, Every
from measuring import Line, Peer, document, least, least_of_processes, machine, ranges, table
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
    runs: int = 7
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
        config, times = compiled(workload), self.settings.repeated

        def many(decide: Callable[[], object]) -> Callable[[], object]:
            def work() -> None:
                for _ in range(times):
                    decide()

            return work

        contest = Contest(
            Line("one decision, small record", "us", at_most=6),
            many(lambda: config.decide("p0", SMALL, now=NOW)),
            lambda seconds: seconds / times * 1e6)
        ours = config.decide("p0", SMALL, now=NOW).experiment
        for kind in (peers.CEL, peers.GrowthBook):
            with contest.against(kind.name) as tried:
                one = kind(workload, self.flat.head(1)).one
                if tried.agrees(int(ours != one(SMALL, ["p0"])[0]["experiment"]), 1):
                    tried.work = many(lambda one=one: one(SMALL, ["p0"]))
        self.lines.append(contest.run(self.settings.runs))

    def starting(self) -> None:
        """Importing, and compiling 100 audiences, over what Python itself takes."""
        workload = Workload("distinct", 10)
        codes = {
            "nothing": "pass",
            "tollgate": "import sys, tollgate; tollgate.Config.load(sys.argv[1])",
            "cel":
                "import sys, json, cel; "
                "[cel.compile(text) for text in json.load(open(sys.argv[2]))]",
            "GrowthBook":
                "import sys, json; from growthbook import GrowthBook as G; "
                "G(features=json.load(open(sys.argv[3])))",
        }
        absent = {name for name in ("cel", "GrowthBook") if not find_spec(name.lower())}
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

            # In a folder without packages, so that the installed ones are measured.
            commands = {
                name: [sys.executable, "-c", code, *documents]
                for name, code in codes.items() if name not in absent
            }
            times = least_of_processes(list(commands.values()), self.settings.starts, folder)
            figures = dict(zip(commands, times, strict=True))
        line = Line("import, and compile 100 audiences", "ms", at_most=20)
        line.value = (figures["tollgate"] - figures["nothing"]) * 1e3
        for name in ("cel", "GrowthBook"):
            peer = Peer(name, note="not installed") if name in absent else Peer(
                name, (figures[name] - figures["nothing"]) * 1e3)
            line.add(peer)
        self.lines.append(line)
        size = Path(library._name).stat().st_size
        self.lines.append(Line("size of the library", "MB", size / 1e6, at_most=13))

    # Tables

    def rate(self, seconds: float) -> float:
        """Millions of users a second."""
        return self.settings.users / seconds / 1e6

    def reading(self) -> None:
        """One audience that reads all attributes, and is decided by the first of them."""
        workload = Workload("rotated", 1)
        workload.audiences["p0"] = [Every(*(
            Compare(f"{root}.{name}", "==", _nobody(self.flat.schema[f"{root}_{name}"]))
            for root, names in ROOTS.items() for name in names
        ))]
        plan = compiled(workload).plan(now=NOW)
        assert len(plan.requirements) == 17, plan.requirements
        line = Line("reading 17 columns", "M users/s", at_least=20)
        contest = Contest(line, lambda: plan.count(self.table), self.rate)
        self.lines.append(contest.run(self.settings.runs))

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
            line = Line(f"{what}: {label}", "M users/s", at_least=aim if aimed else None)
            contest = Contest(line, work, self.rate)
            for name, their_work in theirs.items():
                with contest.against(name) as tried:
                    if tried.agrees(alike[name][0], self.settings.users, alike[name][1]):
                        tried.work = their_work
            self.lines.append(contest.run(self.settings.runs))

        def streamed() -> None:
            for _ in plan.stream(self.table):
                pass

        def in_duckdb(plan: tollgate.Plan) -> None:
            users = duck.connection.table("users")
            tollgate.duckdb.decide(duck.connection, users, plan).create("outcomes")
            duck.connection.execute("drop table outcomes")

        alone = plan.with_options(fields=["paywall"])

        add("counting", (None, 8), lambda: plan.count(self.table),
            DuckDB=duck.count, Polars=polars.count)
        add("counting, Polars in", (None, None), lambda: plan.count(self.frame),
            Polars=polars.count)
        add("counting, DuckDB in", (None, None),
            lambda: plan.count(duck.connection.table("users")), DuckDB=duck.count)
        add("Arrow to Arrow, batches", (None, 5), streamed)
        add("Polars to Polars", (10, 3.9), lambda: plan.decide(self.frame), Polars=polars.decide)
        # A text of each placement is what the target of ten was set with.
        add("DuckDB to DuckDB", (2.2, None), lambda: in_duckdb(plan), DuckDB=duck.decide)
        add("DuckDB to DuckDB, paywalls", (None, 1.4), lambda: in_duckdb(alone),
            DuckDB=lambda: duck.decide(["paywall"]))

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

        contest = Contest(
            Line(f"a user at a time: distinct, {label}", "us"), decide,
            lambda seconds: seconds / len(users) * 1e6)
        for kind in (peers.CEL, peers.GrowthBook):
            with contest.against(kind.name) as tried:
                peer = kind(workload, sample)
                found = peer.outcomes()
                if tried.agrees(
                    peers.differing(outcomes, found), len(users), peers.crooked_shares(found)
                ):
                    tried.work = peer.decide
        self.lines.append(contest.run(self.settings.runs))


def _nobody(kind: Any) -> Any:
    """A value of a type that few users have, or none."""
    import polars as pl

    return "nobody" if kind == pl.String else kind == pl.Boolean or -1


class Contest:
    """A line of ours, and peers who do the same."""

    def __init__(
        self, line: Line, work: Callable[[], object], figure: Callable[[float], float]
    ) -> None:
        self._line = line
        self._work = work
        self._figure = figure
        self._tried: list[Tried] = []

    def against(self, name: str) -> Tried:
        self._tried.append(Tried(name))
        return self._tried[-1]

    def run(self, runs: int) -> Line:
        """Measures all who came to the same."""
        those = [tried for tried in self._tried if tried.work]
        works = [self._work, *(tried.work for tried in those if tried.work)]
        ours, *theirs = map(self._figure, least(works, runs))
        self._line.value = ours
        for tried, value in zip(those, theirs, strict=True):
            tried.peer.value = value
        for tried in self._tried:
            self._line.add(tried.peer)
        return self._line


class Tried:
    """A peer that may not be installed, and may not agree."""

    def __init__(self, name: str) -> None:
        self.peer = Peer(name)
        self.work: Callable[[], object] | None = None

    def agrees(self, differing: int, compared: int, crooked: list[str] | None = None) -> bool:
        self.peer.differing, self.peer.compared = differing, compared
        self.peer.crooked = crooked or []
        if differing:
            self.peer.note = f"{differing} of {compared} users are taken by other audiences"
        elif crooked:
            self.peer.note = f"variants have other shares at {', '.join(crooked)}"
        return not differing and not crooked

    def __enter__(self) -> Tried:
        return self

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> bool:
        missing = isinstance(problem, ImportError)
        if missing:
            self.peer.note = "not installed"
        return missing


def status(lines: list[Line]) -> int:
    """What the program ends with: 1 where a peer decides otherwise."""
    return int(any(peer.differing or peer.crooked for line in lines for peer in line.peers))


def several(options: argparse.Namespace) -> int:
    """Runs the program several times, and prints the ranges of its figures."""
    given = ["--quick"] * options.quick
    if options.users:
        given += ["--users", str(options.users)]
    documents, worst = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.times):
            path = Path(folder, f"{number}.json")
            command = [sys.executable, __file__, *given, "--json", str(path)]
            done = subprocess.run(command, stdout=subprocess.DEVNULL)
            worst = max(worst, done.returncode)
            if path.exists():
                documents.append(json.loads(path.read_text(encoding="utf-8")))
    if not documents:
        return worst
    print(ranges(documents))
    if options.json:
        options.json.write_text(json.dumps(documents, indent=1), encoding="utf-8")
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--users", type=int)
    parser.add_argument("--quick", action="store_true", help="few users, once: to see that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="for programs")
    parser.add_argument("--times", type=int, default=1, help="print ranges of several runs")
    options = parser.parse_args()
    # Before Polars is imported.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    settings = Settings()
    if options.quick:
        settings = Settings(users=3_000, sample=100, runs=1, starts=1, repeated=50, batches=20)
    if options.users:
        settings.users = options.users
    if options.times > 1:
        return several(options)
    begin = machine()
    lines = Reach(settings).run()
    print(table(lines, begin))
    if options.json:
        options.json.write_text(json.dumps(document(lines, begin), indent=1), encoding="utf-8")
    return status(lines)


if __name__ == "__main__":
    sys.exit(main())
