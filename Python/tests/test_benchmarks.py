"""Runs the benchmark, which compares outcomes with its peers. No test depends on time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import NOW

import tollgate

pl = pytest.importorskip("polars")
for needed in ("duckdb", "pyarrow", "numpy"):
    pytest.importorskip(needed)

FOLDER = Path(__file__).parent.parent / "benchmarks"
if not FOLDER.is_dir():
    pytest.skip("the benchmarks are not beside the tests", allow_module_level=True)


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    import peers

    return peers


@pytest.fixture
def workloads(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    import workloads

    return workloads


def test_quick_run(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, str(FOLDER / "reach.py"), "--quick", "--users", "1000", "--json", path],
        capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr + done.stdout
    found = json.loads(path.read_text(encoding="utf-8"))
    lines = {line["what"]: line for line in found["lines"]}
    assert len(lines) == len(found["lines"]) == 35
    assert lines["one decision, small record"]["target"] == "<= 6"
    assert lines["Polars to Polars: rotated, 10 placements"]["target"] == ">= 3.9"
    assert lines["Polars to Polars: distinct, 10 placements"]["target"] == ""
    assert lines["DuckDB to DuckDB, paywalls: rotated, 10 placements"]["target"] == ">= 1.4"
    for line in lines.values():
        assert line["value"] > 0 or line["what"].startswith("memory")
        assert line["what"] in done.stdout
        for peer in line["peers"]:
            if peer["note"]:
                assert peer["name"] in ("cel", "GrowthBook") and "not installed" in peer["note"]
            else:
                assert peer["value"] > 0 and peer["ratio"] > 0 and not peer["differing"]
    compared = [peer for line in lines.values() for peer in line["peers"] if peer["compared"]]
    assert {"DuckDB", "Polars"} <= {peer["name"] for peer in compared}
    assert f"{found['cores']} cores, load" in done.stdout


def test_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    import measuring

    documents = []
    for ours, theirs in ((2.0, 1.0), (3.0, 1.0), (2.5, None)):
        line = measuring.Line("counting", "M users/s", ours, at_least=2)
        line.add(measuring.Peer("DuckDB", theirs))
        begin = {"cores": 2, "load": ours}
        size = measuring.Line("size", "MB", 12)
        documents.append(json.loads(json.dumps(measuring.document([line, size], begin))))
    text = measuring.ranges(documents)
    assert "| counting | 2.00 to 3.00 M users/s | >= 2 | DuckDB | 1.00 | 2.00 to 3.00 |" in text
    assert "| size | 12.0 MB |  | | | |" in text and "3 runs on 2 cores" in text


def test_several_runs(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, str(FOLDER / "reach.py"), "--quick", "--users", "500", "--times", "2",
         "--json", path], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "2 runs on" in done.stdout and done.stdout.count("| counting, Polars in: ") == 4
    assert len(json.loads(path.read_text(encoding="utf-8"))) == 2


def conditions(workload: Any) -> set[str | None]:
    return {
        condition.cel() if condition else None
        for found in workload.audiences.values() for condition in found
    }


def test_how_many_conditions(workloads: ModuleType) -> None:
    rotated, distinct = (workloads.Workload(name, 10) for name in ("rotated", "distinct"))
    assert len(conditions(rotated)) == 10 and None in conditions(rotated)
    assert len(conditions(distinct)) == 100 and None not in conditions(distinct)


def test_every_audience_takes_somebody(workloads: ModuleType) -> None:
    """An audience that nobody gets into would be compared in vain."""
    frame = workloads.nested(workloads.flat_users(20_000))
    for name in ("rotated", "distinct"):
        workload = workloads.Workload(name, 10)
        plan = tollgate.Config.loads(workload.config(), strict=True).plan(now=NOW)
        tally = plan.count(frame)
        taken = [
            audience["taken"]
            for placement in plan.placements for audience in tally.audiences(placement)
        ]
        assert len(taken) == 100 and min(taken) > 0, taken


@pytest.mark.parametrize("name", ["DuckDB", "Polars", "CEL", "GrowthBook"])
def test_a_peer_that_differs_is_noticed(
    name: str, peers: ModuleType, workloads: ModuleType
) -> None:
    package = {"CEL": "cel", "GrowthBook": "growthbook"}.get(name)
    if package:
        pytest.importorskip(package)
    users = workloads.flat_users(600)
    workload = workloads.Workload("distinct", 2)
    plan = tollgate.Config.loads(workload.config()).plan(now=NOW)
    ours = plan.decide(workloads.nested(users))
    same = getattr(peers, name)(workload, users).outcomes()
    assert peers.differing(ours, same) == 0 and peers.crooked_shares(same) == []
    # Everything but which user draws which variant is the same.
    assert ours.columns == same.columns and ours.schema == same.schema
    workload.audiences["p1"] = workload.audiences["p1"][::-1]
    other = getattr(peers, name)(workload, users).outcomes()
    assert 0 < peers.differing(ours, other) <= 600


def test_other_shares_are_noticed(peers: ModuleType) -> None:
    kind = pl.Struct({field: pl.String for field in peers.FIELDS})

    def drawn(*counts: int) -> Any:
        variants = [f"e-{variant}" for variant, count in zip("abc", counts, strict=True)
                    for _ in range(count)]
        return pl.DataFrame({"p": [{"variant": one} for one in variants]}, schema={"p": kind})

    assert peers.crooked_shares(drawn(440, 460, 100)) == []
    assert peers.crooked_shares(drawn(400, 400, 200)) == ["p"]


def test_figures_of_those_who_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    import measuring
    import reach

    line = measuring.Line("deciding", "us", at_most=6)
    contest = reach.Contest(line, lambda: None, lambda _: 2.0)
    for name, differing, crooked in (("same", 0, []), ("other", 3, []), ("crooked", 0, ["p0"])):
        with contest.against(name) as tried:
            if tried.agrees(differing, 10, crooked):
                tried.work = print
    with contest.against("absent"):
        __import__("a package that is not there")
    contest.run(1)
    assert [(peer.name, peer.value, peer.ratio) for peer in line.peers] == [
        ("same", 2.0, 1.0), ("other", None, None), ("crooked", None, None), ("absent", None, None)]
    assert reach.status([line]) == 1 and reach.status([measuring.Line("x", "us", 1.0)]) == 0
    text = measuring.table([line], measuring.machine())
    assert "other: 3 of 10 users are taken by other audiences" in text
    assert "crooked: variants have other shares at p0" in text
    assert "absent: not installed" in text
    # A rate that is twice ours takes half the time.
    rate = measuring.Line("rate", "M users/s", 2.0)
    rate.add(measuring.Peer("faster", 4.0))
    assert rate.peers[0].ratio == 0.5
