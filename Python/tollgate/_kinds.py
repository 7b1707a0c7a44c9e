"""Returns outcomes as a table of the same kind as the input."""

from __future__ import annotations

from ._keep import keep_names, reader_beside
from .outcomes import library_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .option_types import Names
    from .outcomes import Outcomes
    from .plan import Plan


def to_kind_of(
    frame: Any, plan: Plan, keep: Names | None = None
) -> tuple[Any, Outcomes | None]:
    """Returns the columns of ``keep`` and the outcomes of a table, as a table of the same kind.

    The second value is the report, or None for input that is decided while it is read.
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


def _beside(frame: Any, outcomes: Any, keeps: list[str]) -> Any:
    """Returns a pyarrow table with columns of another table before the outcomes."""
    for place, name in enumerate(keeps):
        column = frame.column(name)
        outcomes = outcomes.add_column(place, frame.schema.field(name), column)
    return outcomes


def _one_batch(table: Any) -> Any:
    import pyarrow

    table = table.combine_chunks()
    batches = table.to_batches()
    if batches:
        return batches[0]
    return pyarrow.RecordBatch.from_arrays(
        [pyarrow.array([], field.type) for field in table.schema], schema=table.schema
    )
