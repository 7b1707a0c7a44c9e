"""Writes user records and times as JSON for the library."""

from __future__ import annotations

import os

from ._json import encoder
from .errors import RecordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from typing import Any


def kind_of(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def names_of(placements: Iterable[str]) -> list[str]:
    """Returns names of placements. Rejects a string, which is also a sequence of strings."""
    if isinstance(placements, str):
        raise TypeError(f"placements={placements!r} is a string; give a list: [{placements!r}]")
    return list(placements)


def record_of(user: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a user record as a dictionary. An integer ID becomes its digits, as in tables."""
    from collections.abc import Mapping
    from numbers import Integral

    if not isinstance(user, Mapping):
        raise TypeError(
            f"a user record is a mapping such as {{'userId': 'u-1'}}, not {kind_of(user)}"
        )
    record = user if type(user) is dict else dict(user)
    subject = record.get("userId")
    if isinstance(subject, Integral) and not isinstance(subject, bool):
        return {**record, "userId": str(int(subject))}
    return record


def embedded(value: object) -> object:
    """Returns an option that is a document, or the text of the file that it names."""
    if value is None:
        return None
    if isinstance(value, os.PathLike):
        with open(value, encoding="utf-8") as file:
            return file.read()
    if isinstance(value, bytes):
        return value.decode()
    return value


def time_text(now: datetime | str | None) -> str | None:
    """Returns a time in the form that the library reads. A ``datetime`` needs a time zone."""
    if now is None or isinstance(now, str):
        return now
    from datetime import datetime

    if not isinstance(now, datetime):
        raise TypeError(
            f"now must be a datetime with a time zone, or a string such as '2026-03-01T12:00:00Z', "
            f"not {kind_of(now)}"
        )
    if now.tzinfo is None:
        raise ValueError(f"now={now!r} has no time zone; {_ZONED}")
    return _utc(now)


_ZONED = (
    "use datetime(..., tzinfo=timezone.utc), or a string such as '2026-03-01T12:00:00Z'"
)


def _utc(time: datetime) -> str:
    from datetime import timezone

    # The same form as for columns of timestamps.
    try:
        text = time.astimezone(timezone.utc).isoformat().removesuffix("+00:00")
    except OverflowError:
        raise ValueError(f"{time} is not between the years 1 and 9999 in UTC") from None
    return (text.rstrip("0").removesuffix(".") if "." in text else text) + "Z"


def json_bytes(value: object) -> bytes:
    """Returns a document as JSON.

    :raises RecordError: if it has values that JSON cannot represent.
    """
    try:
        return "".join(_encode(value, 0)).encode()
    except RecursionError:
        fault = "a record is nested too deep, or contains itself"
    except UnicodeEncodeError as problem:
        fault = f"a record has half of a character, {problem.object[problem.start]!r}, in a string"
    except (ValueError, OverflowError) as problem:
        path = _odd_number(value, "")
        fault = str(problem)
        if path is not None:
            fault = (
                f"'{path}' is not a finite number, as records require; omit the attribute"
            )
    raise RecordError(fault, "not_json", {}) from None


def _odd_number(value: object, path: str) -> str | None:
    """Returns the path of a number that JSON cannot represent."""
    import math
    from collections.abc import Mapping, Set
    from numbers import Real

    if isinstance(value, Real):
        try:
            return None if math.isfinite(value) else path
        except OverflowError:
            # The value is a whole number of many digits.
            return None
    parts: Iterable[tuple[object, object]] = ()
    if isinstance(value, Mapping):
        parts = value.items()
    elif isinstance(value, (list, tuple, Set)):
        parts = enumerate(value)
    elif _dimensions(value):
        parts = enumerate(value.tolist())  # type: ignore[attr-defined]
    for name, part in parts:
        found = _odd_number(part, f"{path}.{name}" if path else f"{name}")
        if found is not None:
            return found
    return None


def _dimensions(value: object) -> int:
    """Returns the number of dimensions of an array; 0 for other values."""
    found = getattr(value, "ndim", 0)
    return found if isinstance(found, int) and hasattr(value, "tolist") else 0


def _plain(value: object) -> object:
    """Converts a value that has no form in JSON but can be used by rules."""
    from collections.abc import Mapping
    from datetime import datetime

    if isinstance(value, datetime):
        if value != value:
            raise ValueError(f"{value} is not a time; omit the attribute")
        if value.tzinfo is None:
            raise ValueError(f"{value!r} in a record has no time zone; {_ZONED}")
        return _utc(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    # numpy's times are numbers without a time zone.
    if getattr(getattr(value, "dtype", None), "kind", "") not in ("m", "M"):
        if _dimensions(value):
            return value.tolist()  # type: ignore[attr-defined]
        item = getattr(value, "item", None)
        if callable(item):
            return item()
    raise TypeError(
        f"{type(value).__name__} is not a value that rules know: {value!r}; "
        "use a number, a string, a bool, a list or a dictionary"
    )


_encode = encoder(_plain)
