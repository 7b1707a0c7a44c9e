"""Tests that type checkers find mistakes, and that `help(tollgate)` starts with calls."""

from __future__ import annotations

import importlib.util
import json
import os
import pydoc
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tollgate

SLIPS = Path(__file__).with_name("slips") / "calls.py"
PACKAGE = Path(tollgate.__file__).parent


def marked(*words: str) -> set[int]:
    """The lines that have a slip."""
    lines = SLIPS.read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith(words)}


def environment() -> dict[str, str]:
    """The tests' own package is the one that is checked. mypy finds an installed one itself."""
    if PACKAGE.parent.name == "site-packages":
        return dict(os.environ)
    return {**os.environ, "MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)}


def needs(*modules: str) -> None:
    for module in modules:
        # Importing duckdb and polars is not needed to check against their types.
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")


def test_mypy_finds_slips(tmp_path: Path) -> None:
    needs("mypy", "polars", "duckdb")
    result = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file=",
            f"--cache-dir={tmp_path}", str(SLIPS),
        ],
        capture_output=True, text=True, env=environment(), cwd=tmp_path)
    errors = re.findall(r"calls\.py:(\d+): error: (.*)", result.stdout)
    assert {int(line) for line, _ in errors} == marked("# slip", "# slip of mypy"), result.stdout


def test_pyright_finds_slips(tmp_path: Path) -> None:
    needs("polars", "duckdb")
    pyright = shutil.which("pyright", path=str(Path(sys.executable).parent))
    if pyright is None:
        pytest.skip("pyright is not installed")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({
        "typeCheckingMode": "standard", "extraPaths": [str(PACKAGE.parent)]}))
    shutil.copy(SLIPS, tmp_path)
    result = subprocess.run(
        [pyright, "--outputjson", "--pythonpath", sys.executable, "-p", str(tmp_path)],
        capture_output=True, text=True, env=environment(), cwd=tmp_path)
    if not result.stdout.startswith("{"):
        pytest.skip(f"pyright does not start: {result.stderr}")
    found = json.loads(result.stdout)["generalDiagnostics"]
    assert {one["range"]["start"]["line"] + 1 for one in found} == marked("# slip"), found


@pytest.mark.parametrize("name", [
    "py.typed", "answer_types.pyi", "option_types.pyi", "table_types.pyi"])
def test_types_are_packed(name: str) -> None:
    assert (PACKAGE / name).is_file()


def test_option_types_are_the_options() -> None:
    """The options that checkers know are those that calls take."""
    from inspect import signature

    text = (PACKAGE / "option_types.pyi").read_text()

    def members(name: str) -> set[str]:
        found = re.search(rf"class {name}\((.*?)\):\n(.*?)(?=\nclass |\Z)", text, re.S)
        assert found is not None
        head, body = found.groups()
        names = set(re.findall(r"^    (\w+):", body, re.M))
        base = head.partition(",")[0]
        return names if base == "TypedDict" else names | members(base)

    def keywords(call: object, *positional: str) -> set[str]:
        return set(signature(call).parameters) - {"self", *positional}  # type: ignore[arg-type]

    assert members("ConfigOptions") == keywords(tollgate.Config.__init__, "text")
    assert members("PlanOptions") == keywords(tollgate.Plan.__init__, "config", "placements")
    assert members("PlanChanges") == keywords(tollgate.Plan.__init__, "config")
    assert members("TableOptions") == members("PlanOptions") - {"now", "seed", "schema"}


def test_help_starts_with_calls() -> None:
    text = pydoc.plain(pydoc.render_doc(tollgate))
    description = text[text.index("DESCRIPTION"):text.index("PACKAGE CONTENTS")]
    for call in (
        "Config.load(", "config.decide(", "config.explain(", "config.plan(", "plan.decide(",
        "plan.count(", "config.check(", "config.diff(", "tollgate.spark", "tollgate.duckdb",
        "tollgate.polars", "tollgate.openfeature",
    ):
        assert call in description, call
    assert text.index("Config.load(") < text.index("CLASSES")
    assert "ArrowArrayExportable" not in text
