"""Checks the arguments of tools against their schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "object": (Mapping,), "array": (list, tuple), "integer": (int,),
    "boolean": (bool,), "null": (type(None),), "number": (int, float),
}
_WORDS = {"integer": "an integer", "object": "an object", "array": "a list"}


def meant(name: str, known: Sequence[str]) -> str:
    """Returns a suggestion for a name that does not exist, if a similar name exists."""
    near = get_close_matches(name, known, 1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def check_arguments(tool: str, arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Rejects unknown arguments, arguments of the wrong type, and missing arguments."""
    known = schema.get("properties", {})
    for name, value in arguments.items():
        if name not in known:
            raise ToolError(
                f"{tool} has no argument '{name}'{meant(name, list(known))}; it takes "
                f"{', '.join(known) or 'none'}"
            )
        _check_type(tool, name, value, known[name])
    for name in schema.get("required", ()):
        if name not in arguments:
            about = _about(known[name])
            raise ToolError(f"{tool} needs '{name}'" + (f": {about}" if about else ""))


def _check_type(tool: str, name: str, value: object, schema: Mapping[str, Any]) -> None:
    kinds = _alternatives(schema)
    if any(_fits(value, kind) for kind in kinds):
        return
    words = [
        " or ".join(map(repr, kind["enum"])) if "enum" in kind
        else _WORDS.get(kind["type"], f"a {kind['type']}")
        for kind in kinds if kind.get("type") != "null"
    ]
    about = _about(schema)
    raise ToolError(
        f"{tool}: '{name}' must be {' or '.join(words)}" + (f": {about}" if about else "")
    )


def _alternatives(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for one in schema.get("anyOf", ()):
        found += _alternatives(one)
    return found or [schema]


def _about(schema: Mapping[str, Any]) -> str:
    """Returns the description of an argument, or of one of its alternatives."""
    described = (one.get("description") for one in (schema, *schema.get("anyOf", ())))
    return next((str(words) for words in described if words), "")


def _fits(value: object, schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    if kind is None:
        return True
    if not isinstance(value, _TYPES[kind]) or isinstance(value, bool) and kind != "boolean":
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    items = schema.get("items")
    return not items or not isinstance(value, (list, tuple)) or all(
        any(_fits(one, each) for each in _alternatives(items)) for one in value
    )
