"""Adapts columns of warehouses: flat names, and types that rules cannot read."""

from __future__ import annotations

import ctypes

from ._capsules import Schema, Stream
from ._tables import Exporter
from .errors import ColumnError, TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

_get_schema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

# Roots of attributes. Flat columns of these roots are recognised even if no rule reads them.
_ROOTS = ("user", "device", "params")


def stream_names(address: int) -> list[str]:
    """Returns the names of a stream's columns, or nothing if the stream fails."""
    schema = Schema()
    get_schema = Stream.from_address(address).get_schema
    if not get_schema or _get_schema(get_schema)(address, ctypes.addressof(schema)):
        return []
    try:
        return schema_names(ctypes.addressof(schema))
    finally:
        if schema.release:
            _release(schema.release)(ctypes.addressof(schema))


def schema_names(address: int) -> list[str]:
    """The names of a table's columns."""
    schema = Schema.from_address(address)
    children = ctypes.cast(schema.children, ctypes.POINTER(ctypes.POINTER(Schema)))
    return [
        (children[number].contents.name or b"").decode("utf-8", "replace")
        for number in range(schema.n_children)
    ]


def flat_columns(
    names: Iterable[str], requirements: Sequence[str], separator: str, root: str | None,
    given: Mapping[str, str], subject: str,
) -> dict[str, str]:
    """Returns the flat column of each attribute: ``{"user.plan": "user_plan"}``.

    :raises ColumnError: if a column could be several attributes that rules read.
    """
    paths: dict[str, list[str]] = {}
    for path in requirements:
        flat = [path.replace(".", separator)]
        if root is not None and path.startswith(f"{root}."):
            flat.append(path[len(root) + 1:].replace(".", separator))
        for name in flat:
            paths.setdefault(name, []).append(path)
    taken = {subject, *given.values()}
    columns = dict(given)
    for name in names:
        if name in taken or separator not in name:
            continue
        found = [path for path in paths.get(name, ()) if path not in given]
        if len(found) > 1:
            raise ColumnError(
                f"column '{name}' could be {' or '.join(map(repr, found))}; say which one it is, "
                f"as columns={{{found[0]!r}: {name!r}}} does",
                "bad_column", {"column": name},
            )
        first, _, rest = name.partition(separator)
        if found:
            columns[found[0]] = name
        elif first in _ROOTS and rest and f"{first}.{rest}" not in given:
            columns[f"{first}.{rest}"] = name
    return columns


class Conversions:
    """Converts columns of types that rules cannot read. This needs pyarrow."""

    def __init__(
        self, decimals: str | None, dates: str | None, naive_times: str | None
    ) -> None:
        for name, value, known in (
            ("decimals", decimals, ("double", "text")), ("dates", dates, ("text", "timestamp")),
        ):
            if value is not None and value not in known:
                raise ValueError(f"{name}={value!r}: use {' or '.join(known)}")
        if naive_times is not None:
            _check_zone(naive_times)
        self._decimals, self._dates, self._zone = decimals, dates, naive_times
        if self:
            _require_pyarrow()

    def __bool__(self) -> bool:
        return any((self._decimals, self._dates, self._zone))

    def schema(self, schema: Any, subject: str) -> Any:
        """The schema of converted tables."""
        if not self:
            return schema
        import pyarrow as pa

        schema = pa.schema(schema)
        return pa.schema([
            field.with_type(self._type(field.type, field.name == subject)) for field in schema
        ])

    def stream(self, capsule: Any, subject: str) -> Any:
        """The stream of a capsule with converted batches."""
        import pyarrow as pa

        try:
            reader = pa.RecordBatchReader.from_stream(Exporter(capsule))
        except pa.ArrowInvalid as problem:
            raise TableError(
                f"the table has a type that pyarrow does not know: {problem}; cast the column, or "
                "drop it", "bad_array", {},
            ) from None
        schema = self.schema(reader.schema, subject)
        if schema.types == reader.schema.types:
            return reader.__arrow_c_stream__()

        def batches() -> Iterator[Any]:
            for batch in reader:
                yield pa.RecordBatch.from_arrays(
                    [
                        self._array(column, kind)
                        for column, kind in zip(batch.columns, schema.types, strict=True)
                    ],
                    schema=schema,
                )

        return pa.RecordBatchReader.from_batches(schema, batches()).__arrow_c_stream__()

    def _type(self, kind: Any, is_subject: bool = False) -> Any:
        import pyarrow as pa
        from pyarrow import types

        if types.is_decimal(kind) and self._decimals:
            # Warehouses export whole numbers as decimals, but an ID is an integer or a string.
            if self._decimals == "text" or is_subject and kind.scale == 0:
                return pa.string()
            return kind if is_subject else pa.float64()
        if types.is_date(kind) and self._dates:
            return pa.string() if self._dates == "text" else pa.timestamp("s", "UTC")
        if types.is_timestamp(kind) and kind.tz is None and self._zone:
            return pa.timestamp(kind.unit, self._zone)
        if types.is_dictionary(kind):
            value = self._type(kind.value_type)
            return kind if value == kind.value_type else value
        if types.is_struct(kind):
            fields = [field.with_type(self._type(field.type)) for field in kind]
            return pa.struct(fields)
        if types.is_fixed_size_list(kind):
            return pa.list_(self._field(kind.value_field), kind.list_size)
        if types.is_large_list(kind):
            return pa.large_list(self._field(kind.value_field))
        if types.is_list(kind):
            return pa.list_(self._field(kind.value_field))
        if types.is_map(kind):
            return pa.map_(kind.key_field, self._field(kind.item_field), kind.keys_sorted)
        return kind

    def _field(self, field: Any) -> Any:
        return field.with_type(self._type(field.type))

    def _array(self, array: Any, kind: Any) -> Any:
        import pyarrow as pa
        from pyarrow import compute, types

        if array.type == kind:
            return array
        if types.is_dictionary(array.type):
            return self._array(array.dictionary_decode(), kind)
        if types.is_struct(kind):
            parts = [
                self._array(array.field(number), field.type) for number, field in enumerate(kind)
            ]
            return pa.StructArray.from_arrays(parts, fields=list(kind), mask=array.is_null())
        if types.is_timestamp(array.type):
            return compute.assume_timezone(
                array, self._zone, ambiguous="earliest", nonexistent="latest"
            )
        if types.is_decimal(array.type) and types.is_float64(kind):
            # Converting through a string gives the nearest double, unlike a direct cast.
            return array.cast(pa.string()).cast(kind)
        if types.is_date(array.type) and types.is_timestamp(kind):
            return array.cast(pa.timestamp("s")).cast(kind)
        if not types.is_nested(kind):
            return array.cast(kind)
        # In lists and maps, the values are converted in place.
        values = array.items if types.is_map(kind) else array.values
        value = kind.item_type if types.is_map(kind) else kind.value_type
        children = self._array(values, value)
        if types.is_map(kind):
            keys = pa.field("key", kind.key_type, nullable=False)
            children = pa.StructArray.from_arrays(
                [array.keys, children], fields=[keys, kind.item_field])
        buffers = array.buffers()[:1 if types.is_fixed_size_list(kind) else 2]
        return pa.Array.from_buffers(
            kind, len(array), buffers, offset=array.offset, children=[children]
        )


def _require_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError(
            "decimals, dates and naive_times need pyarrow: pip install 'tollgate-rules[parquet]'"
        ) from None


def _check_zone(name: str) -> None:
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (OSError, TypeError, ValueError, KeyError):
        raise ValueError(
            f"naive_times={name!r} is not a time zone; use a name such as UTC or Europe/Berlin"
        ) from None
