"""Measuring, and a table of what was measured."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any


def least(works: Sequence[Callable[[], object]], runs: int, patience: float = 25) -> list[float]:
    """The least CPU time of several runs of each, in seconds; the first does not count.

    CPU time, of all threads, because what else the machine does counts less there. They take turns,
    so that they have the same of it. After ``patience`` seconds there are no further runs.
    """
    begin = time.perf_counter()
    for work in works:
        work()
    found: list[list[float]] = []
    while not found or (len(found) < runs and time.perf_counter() - begin < patience):
        found.append([_once(work) for work in works])
    return [min(times) for times in zip(*found, strict=True)]


def _once(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def least_of_processes(commands: Sequence[list[str]], runs: int, folder: str) -> list[float]:
    """The least CPU time of each of several commands, which take turns, in seconds."""

    def once(command: list[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    for command in commands:
        once(command)
    return [min(found) for found in zip(*(map(once, commands) for _ in range(runs)), strict=True)]


@dataclass
class Peer:
    """The figure of somebody else, or why there is none."""

    name: str
    value: float | None = None
    # How many times as much time as ours theirs takes.
    ratio: float | None = None
    # Users that another audience took, of how many that were compared.
    differing: int | None = None
    compared: int | None = None
    # Placements whose variants have other shares.
    crooked: list[str] = field(default_factory=list)
    note: str | None = None


@dataclass
class Line:
    """One figure of ours with what is aimed at, and those of others beside it."""

    what: str
    unit: str
    value: float = 0
    at_most: float | None = None
    at_least: float | None = None
    peers: list[Peer] = field(default_factory=list)

    @property
    def target(self) -> str:
        if self.at_most is not None:
            return f"<= {self.at_most:g}"
        return f">= {self.at_least:g}" if self.at_least is not None else ""

    def add(self, peer: Peer) -> None:
        """Puts a peer's figure beside ours; they are rates where their unit is one of seconds."""
        if peer.value is not None:
            is_rate = self.unit.endswith("/s")
            peer.ratio = self.value / peer.value if is_rate else peer.value / self.value
        self.peers.append(peer)


def machine() -> dict[str, Any]:
    """What a figure depends on beside the code."""
    versions = {"python": platform.python_version()}
    for name in (
        "tollgate-rules", "duckdb", "polars", "pyarrow", "common-expression-language", "growthbook"
    ):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {"cores": os.cpu_count(), "load": os.getloadavg()[0], "versions": versions}


def document(lines: Sequence[Line], begin: dict[str, Any]) -> dict[str, Any]:
    """The whole for programs."""
    return {
        **begin, "loadAfter": os.getloadavg()[0],
        "lines": [{**asdict(line), "target": line.target} for line in lines],
    }


def table(lines: Sequence[Line], begin: dict[str, Any]) -> str:
    """The whole for people."""
    rows = [("line", "ours", "unit", "target", "peer", "theirs", "ratio")]
    notes: list[str] = []
    for line in lines:
        mine = (line.what, _number(line.value), line.unit, line.target)
        for peer in line.peers or [None]:
            theirs = ("", "", "")
            if peer:
                ratio = f"{_number(peer.ratio)}x" if peer.ratio else "-"
                theirs = (peer.name, _number(peer.value), ratio)
                if peer.note and f"{peer.name}: {peer.note}" not in notes:
                    notes.append(f"{peer.name}: {peer.note}")
            rows.append((*mine, *theirs))
            mine = ("", "", "", "")
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    right = {1, 5, 6}
    text = [
        "  ".join(
            part.rjust(width) if place in right else part.ljust(width)
            for place, (part, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    compared = [peer for line in lines for peer in line.peers if peer.differing is not None]
    most = max((peer.differing or 0 for peer in compared), default=0)
    versions = ", ".join(f"{name} {version}" for name, version in begin["versions"].items())
    return "\n".join([
        *text, "", *notes,
        f"{len(compared)} figures of peers, whose outcomes were compared first: for at most {most} "
        "users another audience; variants are drawn by hashes of their own",
        "ratio: how many times the time of ours theirs takes",
        f"{begin['cores']} cores, load {begin['load']:.1f} before and {os.getloadavg()[0]:.1f} "
        "after; least CPU time of several runs, one thread",
        versions,
    ])


def ranges(documents: Sequence[dict[str, Any]]) -> str:
    """The least and the largest figure of several runs, as a table of Markdown."""
    rows = ["| line | ours | target | peer | theirs | ratio |", "|---|---|---|---|---|---|"]
    for number, line in enumerate(documents[0]["lines"]):
        same = [document["lines"][number] for document in documents]
        ours = f"{_range([each['value'] for each in same])} {line['unit']}"
        first = f"| {line['what']} | {ours} | {line['target']} |"
        if not line["peers"]:
            rows.append(f"{first} | | |")
        for place, peer in enumerate(line["peers"]):
            theirs = [each["peers"][place] for each in same]
            rows.append(
                f"{first} {peer['name']} | {_range([each['value'] for each in theirs])} | "
                f"{_range([each['ratio'] for each in theirs])} |"
            )
            first = "| | | |"
    loads = [document[name] for document in documents for name in ("load", "loadAfter")]
    return "\n".join([
        *rows, "", f"{len(documents)} runs on {documents[0]['cores']} cores, load "
        f"{min(loads):.1f} to {max(loads):.1f}",
    ])


def _range(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    least, most = _number(min(known)), _number(max(known))
    return least if least == most else f"{least} to {most}"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
