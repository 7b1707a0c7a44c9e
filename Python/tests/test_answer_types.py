"""Compares the types of answers with the schemas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not (ROOT / "Tools").exists(), reason="only in the repository")
def test_types_are_those_of_the_schemas() -> None:
    script = ROOT / "Tools" / "make_answer_types.py"
    result = subprocess.run(
        [sys.executable, str(script), "check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
