"""Reads and writes JSON for the library.

If possible, only the C parts of Python's ``json`` are imported, because ``json`` itself imports
regular expressions, which takes longer than importing this package.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class _Reading:
    """The attributes that the fast reader needs."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _reader() -> Callable[[str, int], tuple[Any, int]] | None:
    try:
        from _json import make_scanner

        settings: Any = _Reading
        made: Callable[[str, int], tuple[Any, int]] = make_scanner(settings)
        text = '{"a":[1,null,{"b":0.5}]}'
        return made if made(text, 0) == ({"a": [1, None, {"b": 0.5}]}, len(text)) else None
    except Exception:
        # This Python has no such function, or one that behaves differently.
        return None


_scan = _reader()


def loads(text: str | bytes) -> Any:
    """Returns the value of a JSON string, as ``json.loads`` does."""
    if _scan is not None:
        try:
            known = text if isinstance(text, str) else text.decode()
            value, end = _scan(known, 0)
            if end == len(known):
                return value
        except (StopIteration, ValueError):
            # There is white space around the value, or an error, which json reports.
            pass
    import json

    return json.loads(text)


def encoder(default: Callable[[object], object]) -> Callable[[object, int], Iterable[str]]:
    """Returns a function that writes JSON in parts. ``JSONEncoder`` creates one for every value.

    Creating an encoder takes a third of the time of writing a small record.
    """
    try:
        from _json import encode_basestring, make_encoder

        made: Callable[[object, int], Iterable[str]] = make_encoder(
            None, default, encode_basestring, None, ":", ",", False, False, False
        )
        if "".join(made({"a": [1, None, {"b": 0.5}]}, 0)) == '{"a":[1,null,{"b":0.5}]}':
            return made
    except Exception:
        # This Python has no such function, or one that behaves differently.
        pass
    import json

    given = json.JSONEncoder(
        separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False,
        default=default,
    )
    return lambda value, _: given.iterencode(value)
