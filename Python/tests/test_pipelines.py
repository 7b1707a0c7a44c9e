"""Tests the examples for dbt and Dagster, with an interpreter that has both.

dbt and mypy need different versions of another package, so these tests have an environment of their
own: `out/pipelines-venv`, or the environment of the interpreter in TOLLGATE_PIPELINES.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW

import tollgate

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "Examples"
DEMO = ROOT / "corpus" / "demo"
PACKAGE = Path(tollgate.__file__).parent
CANDIDATES = [
    os.environ.get("TOLLGATE_PIPELINES", ""), str(ROOT / "out/pipelines-venv/bin/python"),
    sys.executable,
]

pa = pytest.importorskip("pyarrow")
if not EXAMPLES.is_dir():
    pytest.skip("the examples are in the repository", allow_module_level=True)


def interpreter(module: str) -> str:
    for place in CANDIDATES:
        if place and Path(place).is_file():
            command = [place, "-c", f"import {module}, pyarrow"]
            if subprocess.run(command, capture_output=True).returncode == 0:
                return place
    pytest.skip(f"{module} is not installed")


DBT = "from dbt.cli.main import cli; cli()"


def environment(**more: str) -> dict[str, str]:
    return {
        **os.environ, "PYTHONPATH": str(PACKAGE.parent), "DO_NOT_TRACK": "1",
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DAGSTER_DISABLE_TELEMETRY": "yes", **more}


def config() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DEMO / "config.json").read_text())
    return found


def changed() -> dict[str, Any]:
    """The demo without lapsed users among those of an audience."""
    text = json.dumps(config())
    assert text.count('\\"free\\", \\"lapsed\\"') == 1
    found: dict[str, Any] = json.loads(text.replace('\\"free\\", \\"lapsed\\"', '\\"free\\"'))
    return found


def without_placement() -> dict[str, Any]:
    found = config()
    found["trigger_options"] = [
        one for one in found["trigger_options"] if one["event_name"] != "export_report"]
    return found


def users() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in (DEMO / "users.ndjson").read_bytes().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        # Whole records of one user each.
        if isinstance(record, dict) and record.get("userId"):
            found.append({name: record.get(name) for name in ("userId", "user", "device")})
    return list({record["userId"]: record for record in found}.values())[:1_500]


def table(records: list[dict[str, Any]]) -> Any:
    """The attributes that the demo's rules read, as columns."""
    made = tollgate.Config.loads(config())

    def value(record: dict[str, Any], path: str) -> Any:
        for part in path.split("."):
            record = (record or {}).get(part)  # type: ignore[assignment]
        return record

    columns: dict[str, Any] = {"userId": pa.array([each["userId"] for each in records])}
    for path in made.requirements:
        values = [value(record, path) for record in records]
        kinds = {type(each) for each in values if each is not None}
        if not kinds:
            columns[path] = pa.array([None] * len(values), pa.string())
            continue
        if kinds <= {int, float}:
            values = [None if each is None else float(each) for each in values]
        try:
            columns[path] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            # A value that is wrong on purpose.
            columns[path] = pa.array([each if isinstance(each, str) else None for each in values])
    return pa.table(columns)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    import pyarrow.parquet as parquet

    shutil.copytree(EXAMPLES / "dbt", tmp_path / "dbt")
    project = tmp_path / "dbt" / "project"
    parquet.write_table(table(users()), project / "users.parquet")
    for name in ("config", "approved"):
        (project / f"{name}.json").write_text(json.dumps(config()))
    return project


def dbt(folder: Path, *arguments: str, status: int = 0) -> str:
    result = subprocess.run(
        [interpreter("dbt.adapters.duckdb"), "-c", DBT, *arguments],
        cwd=folder, env=environment(DBT_PROFILES_DIR=str(folder)), capture_output=True, text=True)
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout


def rows(folder: Path, query: str) -> list[dict[str, Any]]:
    """The rows of the project's database, read by the interpreter that wrote it."""
    code = (
        "import duckdb, json; con = duckdb.connect('paywalls.duckdb', read_only=True); "
        f"print(json.dumps(con.execute({query!r}).to_arrow_table().to_pylist()))")
    result = subprocess.run(
        [interpreter("dbt.adapters.duckdb"), "-c", code], cwd=folder, capture_output=True,
        text=True, check=True)
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def test_dbt(data: Path) -> None:
    dbt(data, "deps")
    said = dbt(data, "build")
    assert "ERROR=0" in said and "tollgate_no_move_without_approval" in said
    outcomes = rows(data, "from tollgate_outcomes")
    made = tollgate.Config.loads(config(), seed="demo")
    import pyarrow.parquet as parquet

    given = parquet.read_table(data / "users.parquet")
    wanted = made.plan(now=NOW).decide(given, keep=["userId"]).to_pylist()
    assert outcomes == wanted and len(outcomes) > 1_000
    assert rows(data, "from tollgate_moves") == []

    # A change moves users, and the test fails until each of their moves is approved.
    (data / "config.json").write_text(json.dumps(changed()))
    said = dbt(data, "build", status=1)
    assert "FAIL" in said and "tollgate_no_move_without_approval" in said
    moves = rows(data, "from tollgate_moves")
    after = tollgate.Config.loads(changed(), seed="demo").plan(now=NOW).decide(given).to_pylist()
    moved = [
        (row["userId"], row["export_report"], other["export_report"])
        for row, other in zip(wanted, after, strict=True)
        if row["export_report"] != other["export_report"]]
    assert {move["placement"] for move in moves} == {"export_report"}
    assert sum(move["users"] for move in moves) == len(moved) > 10
    assert {move["example"] for move in moves} <= {user for user, _, _ in moved}
    assert all("audience 1 (export-free): condition" in move["change"] for move in moves)
    approvals = data / "seeds" / "tollgate_approvals.csv"

    def approve(less: int) -> None:
        with approvals.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["placement", "from_outcome", "to_outcome", "users"])
            for move in moves:
                writer.writerow([
                    move["placement"], move["from_outcome"], move["to_outcome"],
                    move["users"] - less])

    approve(1)
    said = dbt(data, "build", status=1)
    assert f"Got {len(moves)} results" in said
    approve(0)
    dbt(data, "build")

    # A placement that is gone moves its users, too.
    (data / "config.json").write_text(json.dumps(without_placement()))
    dbt(data, "build", status=1)
    gone = rows(data, "from tollgate_moves")
    assert {move["to_outcome"] for move in gone} == {"placementNotFound"}
    assert sum(move["users"] for move in gone) == len(wanted)

    dbt(data, "docs", "generate")
    manifest = json.loads((data / "target" / "manifest.json").read_text())
    nodes = {
        node["name"]: node["description"] for node in manifest["nodes"].values()
        if node["resource_type"] == "model" and node["package_name"] == "tollgate"}
    assert set(nodes) == {"tollgate_outcomes", "tollgate_moves"} and all(nodes.values())


def dagster(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [interpreter("dagster"), str(EXAMPLES / "python" / "dagster_users.py")], cwd=folder,
        env=environment(TOLLGATE_SEED="demo", TOLLGATE_NOW=NOW, DAGSTER_HOME=""),
        capture_output=True, text=True)


def test_dagster(data: Path) -> None:
    import pyarrow.parquet as parquet

    result = dagster(data)
    assert result.returncode == 0, result.stderr
    plan = tollgate.Config.loads(config(), seed="demo").plan(now=NOW)
    given = parquet.read_table(data / "users.parquet")
    assert parquet.read_table(data / "outcomes.parquet").to_pylist() == plan.decide(
        given, keep=["userId"]).to_pylist()
    (data / "config.json").write_text(json.dumps(changed()))
    result = dagster(data)
    assert result.returncode == 1
    assert "'no_user_moves' on 'outcomes' did not pass" in result.stderr, result.stderr
