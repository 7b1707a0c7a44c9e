"""Outcomes as tables of the kind that was decided."""

from __future__ import annotations

from collections import deque

from ._tables import Exporter, stream_of
from .errors import ColumnError
from .outcomes import library_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .outcomes import Outcomes
    from .plan import Plan


def to_kind_of(
    frame: Any, plan: Plan, keep: Sequence[str] | None = None
) -> tuple[Any, Outcomes | None]:
    """Returns the outcomes of a table, behind columns of it, as a table of the same kind.

    The second value has the report; None for what is decided while it is read.
    """
    kind = type(frame)
    module = library_of(frame)
    if module == "polars" and hasattr(frame, "collect"):
        from .polars import lazy

        return lazy(frame, plan, keep), None
    if module == "duckdb" and hasattr(frame, "set_alias"):
        from .duckdb import relation

        return relation(frame, plan, keep)
    if module == "polars":
        keeps = keep_names(frame.columns, plan, keep)
        outcomes = plan.with_texts("string_view").outcomes(frame)
        found = outcomes.to_polars()
        return frame.select(keeps).hstack(found) if keeps else found, outcomes
    if module == "pandas":
        keeps = keep_names(list(frame.columns), plan, keep)
        outcomes = plan.outcomes(frame)
        table = outcomes.to_pandas()
        table.index = frame.index
        for place, name in enumerate(keeps):
            table.insert(place, name, frame[name])
        return table, outcomes
    if module == "pyarrow":
        if kind.__name__ not in ("RecordBatch", "Table"):
            # Readers, datasets, scanners and files.
            if keep:
                return reader_beside(frame, plan, keep)[0], None
            return plan.outcomes(frame).to_reader(), None
        keeps = keep_names(frame.schema.names, plan, keep)
        outcomes = plan.outcomes(frame)
        table = _beside(frame, outcomes.to_arrow(), keeps)
        return _one_batch(table) if kind.__name__ == "RecordBatch" else table, outcomes
    return reader_beside(frame, plan, keep)[0] if keep else plan.outcomes(frame), None


def keep_names(there: Sequence[Any], plan: Plan, keep: Sequence[str] | None) -> list[str]:
    """Checks the names of columns to return beside outcomes.

    :raises ColumnError: if the table does not have one of them.
    :raises ValueError: if one is named twice, or has the name of an outcome.
    """
    if keep is None:
        return []
    if isinstance(keep, str):
        raise TypeError(f"keep={keep!r} is a string; give a list: [{keep!r}]")
    keeps = list(keep)
    for name in keeps:
        if name not in there:
            from difflib import get_close_matches

            near = get_close_matches(str(name), map(str, there), 1)
            meant = f"; did you mean '{near[0]}'?" if near else ""
            raise ColumnError(
                f"column '{name}': keep={keeps} has it, and the table does not{meant}",
                "bad_column", {"column": str(name)},
            )
        if keeps.count(name) > 1:
            raise ValueError(f"keep={keeps} has '{name}' twice")
        if name in plan.placements or str(name).partition(".")[0] in plan.placements:
            raise ValueError(f"keep={keeps}: outcomes have the name '{name}'; rename the column")
    return keeps


def _beside(frame: Any, outcomes: Any, keeps: list[str]) -> Any:
    """Returns a table of pyarrow with columns of another one before outcomes."""
    for place, name in enumerate(keeps):
        column = frame.column(name)
        outcomes = outcomes.add_column(place, frame.schema.field(name), column)
    return outcomes


def reader_beside(frame: Any, plan: Plan, keep: Sequence[str]) -> tuple[Any, Outcomes]:
    """Returns a reader of pyarrow with columns before outcomes, which decides while it is read."""
    import pyarrow

    reader = pyarrow.RecordBatchReader.from_stream(Exporter(stream_of(frame)))
    keeps = keep_names(reader.schema.names, plan, keep)
    waiting: deque[Any] = deque()

    def batches() -> Iterator[Any]:
        for batch in reader:
            if batch.num_rows:
                waiting.append(batch.select(keeps))
                yield batch

    outcomes = plan.outcomes(pyarrow.RecordBatchReader.from_batches(reader.schema, batches()))
    fields = [reader.schema.field(name) for name in keeps]
    schema = pyarrow.schema([*fields, *pyarrow.schema(outcomes)])

    def joined() -> Iterator[Any]:
        for part in outcomes.batches():
            # Outcomes come in smaller parts than tables.
            batch = waiting.popleft()
            if batch.num_rows > part.num_rows:
                waiting.appendleft(batch.slice(part.num_rows))
                batch = batch.slice(0, part.num_rows)
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, *part.columns], schema=schema)

    return pyarrow.RecordBatchReader.from_batches(schema, joined()), outcomes


def _one_batch(table: Any) -> Any:
    import pyarrow

    table = table.combine_chunks()
    batches = table.to_batches()
    if batches:
        return batches[0]
    return pyarrow.RecordBatch.from_arrays(
        [pyarrow.array([], field.type) for field in table.schema], schema=table.schema
    )
