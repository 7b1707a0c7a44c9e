"""Implements the option ``keep``, which returns columns of the table beside outcomes."""

from __future__ import annotations

from collections import deque

from ._tables import Exporter, stream_of
from .errors import ColumnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .option_types import Names
    from .outcomes import Outcomes
    from .plan import Plan


def keep_names(there: Sequence[Any], plan: Plan, keep: Names | None) -> list[str]:
    """Checks the names of columns to return beside outcomes.

    :raises ColumnError: if the table does not have one of the columns.
    :raises ValueError: if a column is named twice, or has the name of an outcome.
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
                f"column '{name}' of keep={keeps} is not in the table{meant}",
                "bad_column", {"column": str(name)},
            )
        if keeps.count(name) > 1:
            raise ValueError(f"keep={keeps} has '{name}' twice")
        if name in plan.placements or str(name).partition(".")[0] in plan.placements:
            raise ValueError(f"keep={keeps}: outcomes have the name '{name}'; rename the column")
    return keeps


def reader_beside(frame: Any, plan: Plan, keep: Names) -> tuple[Any, Outcomes]:
    """Returns a pyarrow reader of columns and outcomes, which decides rows as they are read."""
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
            # The parts of outcomes are smaller than the batches of a table.
            batch = waiting.popleft()
            if batch.num_rows > part.num_rows:
                waiting.appendleft(batch.slice(part.num_rows))
                batch = batch.slice(0, part.num_rows)
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, *part.columns], schema=schema)

    return pyarrow.RecordBatchReader.from_batches(schema, joined()), outcomes
