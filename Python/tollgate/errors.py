"""Errors: each is a :class:`TollgateError` that says what is wrong, where, and what to do."""

from __future__ import annotations

from ._json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "ColumnError", "ConfigError", "RecordError", "RuleWarning", "TableError", "TableWarning",
    "TollgateError",
]


class TollgateError(Exception):
    """An error of the library.

    ``code`` is for programs and does not change. The message is for people. ``details`` has
    everything else.
    """

    def __init__(self, message: str, code: str, details: dict[str, Any]) -> None:
        super().__init__(message)
        self.code = code
        self.details = details

    # Errors of worker processes are pickled.
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.code, self.details)


class RuleWarning(UserWarning):
    """A rule failed for every user, because an attribute is missing or has the wrong type."""


class TableWarning(UserWarning):
    """A column has a type that no rule expects, or IDs are unusual or missing."""


class ConfigError(TollgateError):
    """An invalid config. ``diagnostics`` has its errors with their places."""

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.details.get("diagnostics", [])
        return found


class RecordError(TollgateError, ValueError):
    """An invalid user record or request. ``offset`` is the faulty byte, if known."""

    @property
    def offset(self) -> int | None:
        return self.details.get("offset")


class ColumnError(TollgateError):
    """A missing column, or a column of the wrong type."""

    @property
    def column(self) -> str | None:
        return self.details.get("column")


class TableError(TollgateError):
    """An inconsistent table, or a failure of its producer."""

    @property
    def column(self) -> str | None:
        """The faulty column, if known."""
        return self.details.get("column")

    @property
    def row(self) -> int | None:
        """The number of the faulty row in the whole table, from 0, if known."""
        return self.details.get("row")


_KINDS: dict[int, type[TollgateError]] = {
    1: RecordError,
    2: ConfigError,
    3: RecordError,
    4: ColumnError,
    5: TableError,
    6: TollgateError,
}


def error(status: int, text: bytes | None) -> TollgateError:
    """Returns the error of a library function."""
    details: dict[str, Any] = {}
    if text:
        try:
            details = loads(text)
        except ValueError:
            details = {"message": text.decode("utf-8", "replace")}
    return told(status, details)


def told(status: int, details: dict[str, Any]) -> TollgateError:
    """Returns an error whose JSON has been read already."""
    details = dict(details)
    code = details.pop("code", "unknown")
    message = details.pop("message", f"the library returned {status}")
    faults = [
        "  " + ": ".join(part for part in (found.get("path"), found.get("message")) if part)
        for found in details.get("diagnostics", [])
        if found.get("severity") == "error"
    ]
    if faults:
        message = "\n".join([message, *faults[:5]])
    return _KINDS.get(status, TollgateError)(message, code, details)
