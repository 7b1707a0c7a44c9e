"""Protocols of the Arrow PyCapsule interface."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class ArrowStreamExportable(Protocol):
    """A table, or a stream of tables."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class ArrowArrayExportable(Protocol):
    """One array of structs."""

    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...


@runtime_checkable
class ArrowSchemaExportable(Protocol):
    """The schema of a table."""

    def __arrow_c_schema__(self) -> object: ...
