"""What goes wrong: every error is a :class:`TollgateError`, and says what, where and what to do."""

from __future__ import annotations

from ._json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ColumnError", "ConfigError", "RecordError", "TableError", "TollgateError"]


class TollgateError(Exception):
    """An error of the library.

    ``code`` is for programs and does not change; the message is for people; ``details`` has what
    else is known.
    """

    def __init__(self, message: str, code: str, details: dict[str, Any]) -> None:
        super().__init__(message)
        self.code = code
        self.details = details

    # What comes from a worker process is pickled.
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.code, self.details)


class ConfigError(TollgateError):
    """A config cannot be used. ``diagnostics`` says what is wrong with it, and where."""

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.details.get("diagnostics", [])
        return found


class RecordError(TollgateError, ValueError):
    """A user record, or a request, cannot be read. ``offset`` is a byte of it, where known."""

    @property
    def offset(self) -> int | None:
        return self.details.get("offset")


class ColumnError(TollgateError):
    """A table lacks a column, or has one of the wrong kind."""

    @property
    def column(self) -> str | None:
        return self.details.get("column")


class TableError(TollgateError):
    """A table contradicts itself, or its producer failed."""

    @property
    def column(self) -> str | None:
        """The column at fault, where one is known."""
        return self.details.get("column")

    @property
    def row(self) -> int | None:
        """The row at fault, from 0 in the whole table, where one is known."""
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
    """The error that a function of the library has returned."""
    details: dict[str, Any] = {}
    if text:
        try:
            details = loads(text)
        except ValueError:
            details = {"message": text.decode("utf-8", "replace")}
    return told(status, details)


def told(status: int, details: dict[str, Any]) -> TollgateError:
    """The same of an error whose text has been read already."""
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
