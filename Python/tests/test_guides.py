"""Runs the Python code of guides and notebooks, and compares its output with the pages.

All blocks marked ``python`` in a guide run in one interpreter, except blocks under a line
``<!-- not run: why -->``. A block under ``<!-- printed -->`` is the exact output of the Python
block before it.
"""

from __future__ import annotations

import io
import shutil
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "corpus" / "demo"
NOTEBOOKS = sorted((ROOT / "Examples" / "notebooks").glob("*.ipynb"))

pytest.importorskip("pyarrow")
if not DEMO.is_dir():
    pytest.skip("the guides are in the repository", allow_module_level=True)


def blocks(text: str) -> list[tuple[int, str, str, str]]:
    """Line, what the line above says, language and text of each block."""
    found, above, start = [], "", 0
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("```"):
            if line and not start:
                above = line
        elif start:
            language = lines[start - 1][3:]
            found.append((start, above, language, "\n".join(lines[start:number - 1]) + "\n"))
            start, above = 0, ""
        else:
            start = number
    return found


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    for path in DEMO.iterdir():
        shutil.copy(path, tmp_path)
    # What the guides to warehouses unload: with structs, and with dots in names.
    users = pa.Table.from_pylist([
        {"userId": f"u-{number}", "user": {"plan": plan}, "device": {"regionCode": region}}
        for number, (plan, region) in enumerate([("lapsed", "DE"), ("basic", None), (None, "US")])
    ])
    for folder, table in [("users", users), ("unloaded", users.flatten())]:
        (tmp_path / folder).mkdir()
        parquet.write_table(table, tmp_path / folder / "0.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


GUIDES = {"python": 11, "pipelines": 3, "databricks": 1, "snowflake": 2, "bigquery": 2}
NEEDS = {"pipelines": ("deltalake", "pyiceberg", "sqlalchemy")}


@pytest.mark.parametrize("name", GUIDES)
def test_guides(name: str, demo: Path) -> None:
    for module in ("polars", "duckdb", "pandas", "openfeature", *NEEDS.get(name, ())):
        pytest.importorskip(module)
    guide = ROOT / "docs" / f"{name}.md"
    names: dict[str, Any] = {"__name__": "guide"}
    said, ran, compared = "", 0, 0
    for line, above, language, text in blocks(guide.read_text(encoding="utf-8")):
        if above == "<!-- printed -->":
            assert said == text, f"{guide.name}:{line}"
            said = ""
            compared += 1
        elif language == "python" and not above.startswith("<!-- not run: "):
            # So that an error has its line in the guide.
            code = compile("\n" * line + text, str(guide), "exec")
            with redirect_stdout(io.StringIO()) as out:
                exec(code, names)
            assert said == "", f"what the block before {guide.name}:{line} prints is not there"
            said = out.getvalue()
            ran += 1
    assert said == "" and ran >= GUIDES[name] and compared >= GUIDES[name]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks(path: Path, demo: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3",
        resources={"metadata": {"path": str(demo)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    charts = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(charts) >= 3


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS
