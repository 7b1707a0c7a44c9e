"""Tables of other libraries as streams of Arrow."""

from __future__ import annotations

import ctypes

from ._capsules import ARRAY, SCHEMA, STREAM
from ._library import Text, checked, library
from .errors import TableError
from .outcomes import library_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Raised by exporters for values that Arrow has no type for.
_FAULTS = (TypeError, ValueError, NotImplementedError, OverflowError, RecursionError)
_TOO_LARGE = "an integer of more than 64 bits; make it a float or a string, or drop the column"


class Exporter:
    """A stream of a capsule, for pyarrow."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return self._capsule


def stream_of(frame: Any) -> Any:
    """Returns a capsule with a table as a stream."""
    module = library_of(frame)
    if module == "polars" and hasattr(frame, "collect"):
        frame = frame.collect()
    if hasattr(frame, "__arrow_c_stream__"):
        try:
            return frame.__arrow_c_stream__()
        except _FAULTS as problem:
            if module == "pandas":
                raise _fault_of(frame, problem) from problem
            if isinstance(problem, OverflowError):
                raise TableError(f"the table has {_TOO_LARGE}", "bad_array", {}) from problem
            raise
    if hasattr(frame, "__arrow_c_array__"):
        return _array_stream(*frame.__arrow_c_array__())
    if module == "duckdb" and hasattr(frame, "fetch_arrow_reader"):
        return frame.fetch_arrow_reader().__arrow_c_stream__()
    raise TypeError(
        f"{type(frame).__module__}.{type(frame).__name__} is not a table that exports Arrow: "
        "it has no __arrow_c_stream__. Give a table of pyarrow, Polars, pandas 2.2 or DuckDB, or "
        "pyarrow.Table.from_pylist(rows)"
    )


def schema_of(frame: Any) -> Any:
    """Returns the schema of a table as pyarrow has it; None if only reading it tells."""
    try:
        import pyarrow
    except ImportError:
        return None
    module = library_of(frame)
    if module == "pyarrow":
        return frame.schema
    if module in ("pandas", "polars", "duckdb"):
        return pyarrow.RecordBatchReader.from_stream(Exporter(stream_of(frame))).schema
    exports = hasattr(frame, "__arrow_c_schema__")
    return pyarrow.schema(frame) if exports else None


def _fault_of(frame: Any, problem: Exception) -> TableError:
    """The error for a frame that pandas cannot export, with the column at fault."""
    for number, name in enumerate(frame.columns):
        try:
            frame.iloc[:, [number]].__arrow_c_stream__()
        except _FAULTS as fault:
            return TableError(
                f"column '{name}' has {_words(fault, name)}", "bad_array", {"column": str(name)}
            )
    return TableError(
        f"pandas cannot export this frame: {', '.join(map(str, problem.args))}; rename duplicate "
        "columns, and drop unused ones",
        "bad_array", {},
    )


def _words(problem: Exception, name: object) -> str:
    """Describes values that Arrow has no type for."""
    if isinstance(problem, OverflowError):
        return _TOO_LARGE
    if isinstance(problem, RecursionError):
        return "values that are nested too deep; drop the column"
    if isinstance(problem, UnicodeEncodeError):
        half = problem.object[problem.start]
        return f"half of a character, {half!r}, in a string; replace it, or drop the column"
    said = str(problem.args[0] if problem.args else problem).rstrip(".")
    return (
        f"values that Arrow has no type for: {said}; give the column values of one type, as "
        f"frame.astype({{{name!r}: 'string'}}) does, or drop it"
    )


def _array_stream(schema: object, array: object) -> Any:
    """A stream of one array, which is moved out of its capsule."""
    text = Text()

    def fill(address: int) -> None:
        status = library.tg_array_stream(
            SCHEMA.address(schema), ARRAY.address(array), address, ctypes.byref(text)
        )
        checked(status, text)

    return STREAM.make(fill)
