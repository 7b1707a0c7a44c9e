"""The package is `tollgate-rules`, because `tollgate` on PyPI belongs to another project."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "*.md", "*.py", "*.pyi", "*.swift", "*.yml", "*.yaml", "*.sh", "*.toml", "*.ipynb", "*.in",
    "*.html", "*.txt",
)
# The rest of a command that installs or runs packages, to the end of its code, line or comment.
COMMAND = re.compile(
    r"(?:pip3?(?:\.\d+)?|uv|pipx|conda)[\"']?,?\s+[\"']?(?:(?:pip|tool)\s+)?(?:install|run|add|download)"
    r"(?P<rest>[^`\n#;|&<]*)|\b(?:uvx|pipx)(?!\s+(?:install|run))(?P<run>[^`\n#;|&<]*)"
)
SNOWFLAKE = re.compile(r"PACKAGES\s*=\s*\((?P<rest>[^)]*)\)")
# The word after the package is a command of it.
FROM = re.compile(r"(--(?:from|spec)[ =]\S+)\s.*", re.DOTALL)
OURS = re.compile(r"tollgate-(?:rules|cli)(?![\w-])")


def installed(text: str) -> Iterator[tuple[str, str]]:
    """The names like ours that commands install, and each command."""
    # Commands and strings of code go over ends of lines.
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"\"\s*\n\s*f?\"", "", text)
    for match in [*COMMAND.finditer(text), *SNOWFLAKE.finditer(text)]:
        rest = FROM.sub(r"\1", next(filter(None, match.groups()), ""))
        for name in re.split(r"[\s\"',()=]+", rest):
            if name.startswith("tollgate") and "/" not in name:
                yield name, match[0]


def others(text: str) -> list[str]:
    """Commands that install another project's package."""
    return [command for name, command in installed(text) if not OURS.match(name)]


@pytest.mark.parametrize("command", [
    "pip install tollgate", "pip install 'tollgate[parquet]'", "pip3 install -U tollgate==0.2.0",
    "%pip install tollgate", "python -m pip install polars tollgate", "uv add tollgate",
    "pip install \\\n  tollgate", '"pip install "\n    "\'tollgate[mcp]\'"', "uvx tollgate check",
    "pipx run tollgate", "uv pip install tollgate>=0.2", "pip install tollgate-sdk",
    "PACKAGES = ('tollgate', 'pandas')", "pip install tollgate_rules_extra",
    "uv tool install tollgate", "uvx --from tollgate tollgate check", "pipx run --spec=tollgate x",
])
def test_other_packages_are_found(command: str) -> None:
    assert others(f"Run `{command}` first.\n") and others(command)


@pytest.mark.parametrize("command", [
    "pip install tollgate-rules", "pip install 'tollgate-rules[parquet]'", "uvx tollgate-cli check",
    "pip install out/wheels/tollgate_rules-*.whl", "pip install polars  # then import tollgate",
    "pip install pyarrow && tollgate check", "Run `pip install polars`, and tollgate takes it",
    "PACKAGES = ('tollgate-rules', 'pandas')", "pip install tollgate-rules==0.2.0", "uv run x.py",
    "uvx --from tollgate-cli tollgate check", "pipx run --spec 'tollgate-cli' tollgate check",
])
def test_our_own_are_not(command: str) -> None:
    assert others(command) == []


@pytest.mark.skipif(not (ROOT / "Tools").exists(), reason="only in the repository")
def test_pages_and_messages_name_this_package() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *FILES], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("these files are not in a repository of git")
    named, wrong = 0, []
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = ROOT / name
        if path.is_file() and path != Path(__file__).resolve():
            text = path.read_text(encoding="utf-8", errors="replace")
            named += sum(1 for _ in installed(text))
            wrong += [f"{name}: {command}" for command in others(text)]
    assert wrong == []
    assert named >= 4
    project = (ROOT / "Python" / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'^name = "(.*)"$', project, re.MULTILINE)[1] == "tollgate-rules"  # type: ignore[index]
