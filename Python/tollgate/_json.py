"""JSON as the library reads and writes it.

Python's ``json`` is not imported, where it has its fast parts apart: it brings regular expressions
along, which take longer to import than all of this package.
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
        # A Python without it, or with another one.
        return None


_scan = _reader()


def loads(text: str | bytes) -> Any:
    """The value of a text, as ``json.loads`` reads it."""
    if _scan is not None:
        try:
            known = text if isinstance(text, str) else text.decode()
            value, end = _scan(known, 0)
            if end == len(known):
                return value
        except (StopIteration, ValueError):
            # White space around the value, or an error, which json tells.
            pass
    import json

    return json.loads(text)


def encoder(default: Callable[[object], object]) -> Callable[[object, int], Iterable[str]]:
    """Returns a function that writes JSON in parts. ``JSONEncoder`` creates one for every value.

    Creating it takes a third of the time of writing a small record.
    """
    try:
        from _json import encode_basestring, make_encoder

        made: Callable[[object, int], Iterable[str]] = make_encoder(
            None, default, encode_basestring, None, ":", ",", False, False, False
        )
        if "".join(made({"a": [1, None, {"b": 0.5}]}, 0)) == '{"a":[1,null,{"b":0.5}]}':
            return made
    except Exception:
        # A Python without it, or with another one.
        pass
    import json

    given = json.JSONEncoder(
        separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False,
        default=default,
    )
    return lambda value, _: given.iterencode(value)
