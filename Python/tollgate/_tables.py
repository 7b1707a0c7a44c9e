"""Reads tables of other libraries as Arrow streams."""

from __future__ import annotations

import ctypes
import os

from ._capsules import ARRAY, SCHEMA, STREAM
from ._library import Text, checked, library
from .errors import TableError
from .outcomes import library_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# Exporters raise these errors for values that Arrow has no type for.
_FAULTS = (TypeError, ValueError, NotImplementedError, OverflowError, RecursionError)
_TOO_LARGE = "an integer of more than 64 bits; make it a float or a string, or drop the column"


class Exporter:
    """Wraps the stream in a capsule for pyarrow."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return self._capsule


def stream_of(frame: Any) -> Any:
    """Returns a capsule with a table as a stream."""
    module = library_of(frame)
    if module == "polars" and hasattr(frame, "collect"):
        frame = frame.collect()
    if module == "polars":
        frame = _without_wide_integers(frame)
    if hasattr(frame, "__arrow_c_stream__"):
        try:
            capsule = frame.__arrow_c_stream__()
            if module != "duckdb":
                return capsule
            return _with_json(capsule, getattr(frame, "types", ()))
        except _FAULTS as problem:
            if module == "pandas":
                raise _fault_of(frame, problem) from problem
            if isinstance(problem, OverflowError):
                raise TableError(f"the table has {_TOO_LARGE}", "bad_array", {}) from problem
            raise
    if hasattr(frame, "__arrow_c_array__"):
        return _array_stream(*frame.__arrow_c_array__())
    reader = _reader_of(frame)
    if reader is not None:
        return reader.__arrow_c_stream__()
    raise TypeError(
        f"{type(frame).__module__}.{type(frame).__name__} is not a table that exports Arrow: "
        f"it has no __arrow_c_stream__. {_cure(frame, module)}"
    )


def _without_wide_integers(frame: Any) -> Any:
    """Returns a frame of Polars with decimals for 128-bit integers, which Arrow lacks."""
    import polars

    kinds = [kind for name in ("Int128", "UInt128") if (kind := getattr(polars, name, None))]
    names = [name for name, kind in frame.schema.items() if kind in kinds]
    if not names:
        return frame
    try:
        return frame.with_columns(polars.col(names).cast(polars.Decimal(38, 0)))
    except polars.exceptions.PolarsError as problem:
        raise TableError(
            f"column '{names[0]}' has 128-bit integers that are no decimals: {problem}",
            "bad_array", {"column": names[0]},
        ) from None


def _with_json(capsule: Any, kinds: Sequence[Any]) -> Any:
    """Returns a stream of DuckDB whose JSON is not exported as plain strings."""
    if not any("JSON" in str(kind) for kind in kinds):
        return capsule
    import pyarrow

    reader = pyarrow.RecordBatchReader.from_stream(Exporter(capsule))
    schema = pyarrow.schema(
        [json_field(field, kind) for field, kind in zip(reader.schema, kinds, strict=True)]
    )
    return pyarrow.RecordBatchReader.from_batches(schema, reader).__arrow_c_stream__()


def json_field(field: Any, kind: Any) -> Any:
    """Returns a pyarrow field with the type JSON wherever DuckDB's type is JSON."""
    from pyarrow import list_, struct, types

    if str(kind).upper() == "JSON":
        name = {b"ARROW:extension:name": b"arrow.json", b"ARROW:extension:metadata": b""}
        return field.with_metadata(name)
    if types.is_struct(field.type) and getattr(kind, "id", "") == "struct":
        parts = dict(kind.children)
        return field.with_type(struct([json_field(part, parts[part.name]) for part in field.type]))
    if types.is_list(field.type) and getattr(kind, "id", "") == "list":
        return field.with_type(list_(json_field(field.type.value_field, kind.children[0][1])))
    return field


def _reader_of(frame: Any) -> Any:
    """Returns a reader for tables that are scanned or read in parts, and None for other tables."""
    if hasattr(frame, "fetch_arrow_reader"):
        # Relations of DuckDB before 1.4.
        return frame.fetch_arrow_reader()
    if hasattr(frame, "iter_batches") and hasattr(frame, "schema_arrow"):
        import pyarrow

        return pyarrow.RecordBatchReader.from_batches(frame.schema_arrow, frame.iter_batches())
    if hasattr(frame, "to_pyarrow_dataset"):
        # Delta.
        frame = frame.to_pyarrow_dataset()
    if hasattr(frame, "scanner"):
        # Datasets of pyarrow.
        frame = frame.scanner()
    elif hasattr(frame, "scan"):
        # Iceberg.
        frame = frame.scan()
    if hasattr(frame, "to_arrow_batch_reader"):
        return frame.to_arrow_batch_reader()
    if hasattr(frame, "projected_schema") and hasattr(frame, "to_reader"):
        return frame.to_reader()
    return None


def _cure(frame: Any, module: str) -> str:
    """Returns advice for an object that is not a table."""
    if module == "duckdb":
        return "Give a relation, such as con.sql('from users')"
    if module == "pyspark":
        return "Use tollgate.spark.decide(frame, config)"
    if module == "ray":
        return "Use map_batches, as Examples/python/ray_users.py does"
    if isinstance(frame, (str, bytes, os.PathLike)):
        return "Read the file first, for example with pyarrow.parquet.ParquetFile(path)"
    for name in ("to_arrow", "to_arrow_table", "to_pandas"):
        if hasattr(frame, name):
            return f"Give the result of its method {name}()"
    return (
        "Give a table of pyarrow, Polars, pandas 2.2 or DuckDB, or "
        "pyarrow.Table.from_pylist(rows)"
    )


def schema_of(frame: Any) -> Any:
    """Returns the pyarrow schema of a table, or None if it is known only after reading."""
    try:
        import pyarrow
    except ImportError:
        return None
    module = library_of(frame)
    if module == "pyarrow":
        names = ("schema_arrow", "projected_schema", "schema")
        return next(getattr(frame, name) for name in names if hasattr(frame, name))
    if module in ("pandas", "polars", "duckdb"):
        try:
            return pyarrow.RecordBatchReader.from_stream(Exporter(stream_of(frame))).schema
        except pyarrow.ArrowInvalid:
            # The table has a type that pyarrow does not know.
            return None
    if hasattr(frame, "__arrow_c_schema__"):
        return pyarrow.schema(frame)
    reader = None if hasattr(frame, "__arrow_c_stream__") else _reader_of(frame)
    return reader.schema if reader is not None else None


def _fault_of(frame: Any, problem: Exception) -> TableError:
    """Returns the error for a frame that pandas cannot export, with the faulty column."""
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
