"""Tests the example for Ray, user by user. `Tools/nightly.sh` runs this test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CONFIG, NOW, expected, users

import tollgate

pytest.importorskip("ray")
parquet = pytest.importorskip("pyarrow.parquet")
EXAMPLE = Path(__file__).resolve().parents[2] / "Examples" / "python" / "ray_users.py"
if not EXAMPLE.exists():
    pytest.skip("the example is in the repository", allow_module_level=True)


def test_the_example(config: tollgate.Config, tmp_path: Path) -> None:
    from test_frames import table

    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "users").mkdir()
    records = users(2_000)
    for number in range(2):
        part = records[number * 1_000:(number + 1) * 1_000]
        parquet.write_table(table(part), tmp_path / "users" / f"{number}.parquet")
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), "config.json", "users/*.parquet", "out", "--seed", "s",
         "--now", NOW],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
        # Ray keeps files there.
        env={**os.environ, "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    rows = parquet.read_table(tmp_path / "out").to_pylist()
    assert len(rows) == 2_000
    found = {
        row["userId"]: {
            placement: {
                name: row[f"{placement}.{name}"]
                for name in ("result", "experiment", "variant", "paywall")}
            for placement in ("export", "open")}
        for row in rows}
    assert found == {record["userId"]: expected(config, record) for record in records}
