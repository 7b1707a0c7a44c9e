"""Tests that imports between modules have no cycles, also inside functions."""

from __future__ import annotations

import ast
from pathlib import Path

import tollgate

PACKAGE = Path(tollgate.__file__).parent


def imports(path: Path) -> set[str]:
    """The modules of the package that a module imports when it runs."""
    found: set[str] = set()

    def walk(node: ast.AST) -> None:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
            if node.test.id == "TYPE_CHECKING":
                for part in node.orelse:
                    walk(part)
                return
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names = [node.module] if node.module else [one.name for one in node.names]
            found.update(name for name in names if (PACKAGE / f"{name}.py").exists())
        for part in ast.iter_child_nodes(node):
            walk(part)

    walk(ast.parse(path.read_text(encoding="utf-8")))
    return found


def test_there_is_no_circle() -> None:
    # The package itself imports modules by their names, and nothing imports it but for its version.
    graph = {
        path.stem: imports(path) for path in PACKAGE.glob("*.py") if path.stem != "__init__"}
    assert {"config", "plan", "_kinds", "polars", "duckdb"} <= set(graph)
    assert "plan" in graph["config"] and "polars" in graph["_kinds"]
    while graph:
        free = [name for name, below in graph.items() if not below & set(graph)]
        assert free, f"these import each other: {graph}"
        for name in free:
            del graph[name]
