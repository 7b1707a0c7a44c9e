"""Decides Spark data frames with ``mapInArrow``. Each worker process compiles the config once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import signature
from typing import Any

from ._keep import keep_names
from ._records import time_text
from .config import Config
from .errors import ColumnError
from .plan import Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .option_types import JSON, Dialect, Names, TableOptions, Time
    from .table_types import SparkFrameT

_compiled: dict[str, Plan] = {}


class Decider:
    """Decides the batches of a partition in a worker. The object is small, and can be pickled."""

    def __init__(
        self, config: Config, plan: Mapping[str, Any], keeps: Sequence[str]
    ) -> None:
        # A config is pickled as its source, which each worker compiles once.
        self._text, self._options = config._given
        self._keeps = list(keeps)
        self._plan = dict(plan)

    def plan(self) -> Plan:
        key = json.dumps(
            [self._text.decode("utf-8", "surrogateescape"), self._options, self._plan],
            sort_keys=True, default=str,
        )
        if key not in _compiled:
            _compiled[key] = Config(self._text, **self._options).plan(**self._plan)
        return _compiled[key]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow

        plan = self.plan()
        for batch in batches:
            outcomes = plan.outcomes(batch).to_arrow().combine_chunks()
            columns = [batch.column(name) for name in self._keeps]
            names = list(self._keeps)
            for name, column in zip(outcomes.column_names, outcomes.columns, strict=True):
                columns.append(
                    column.chunk(0) if column.num_chunks else pyarrow.array([], column.type)
                )
                names.append(name)
            yield pyarrow.RecordBatch.from_arrays(columns, names=names)


def decide(
    frame: SparkFrameT,
    config: Config | JSON | os.PathLike[str],
    *,
    dialect: Dialect | None = None,
    seed: str | None = None,
    placements: Names | None = None,
    now: Time,
    keep: Names = (),
    **options: Unpack[TableOptions],
) -> SparkFrameT:
    """Decides a data frame. The result has the user IDs and a struct for each placement.

    ``mapInArrow`` rejects column names with dots: use nested structs, or
    ``columns={"user.plan": "plan"}``. ``now`` is required, because each worker would have its own
    time. All workers need this package. Invalid columns and options raise errors here, not in the
    workers. Select only :attr:`Config.requirements`, because Spark copies all columns.

    :param config: a config, its source, or the path of its file. The source is sent to the workers.
    :param dialect: as for :meth:`tollgate.Config.load`; not allowed if ``config`` is a ``Config``.
    :param keep: columns to return beside the user IDs, so that outcomes need no join.
    :param options: as for :class:`tollgate.Plan`.
    :raises ColumnError: if a column that rules read is missing or has the wrong type.
    """
    if options.get("texts", "utf8") == "dictionary":
        raise ValueError("texts='dictionary': Spark reads no dictionaries; omit texts")
    for name in frame.columns:
        if "." in name:
            raise ColumnError(
                f"column '{name}': Spark's mapInArrow takes no column with a dot in its name; "
                f"rename it, and pass columns={{'user.{name.rpartition('.')[2]}': 'its new name'}}",
                "bad_column", {"column": name},
            )
    made = _config(config, dialect)
    given: dict[str, Any] = {**options}
    if seed is not None:
        given["seed"] = seed
    plan = made.plan(placements, now=now, schema=_arrow_schema(frame.schema), **given)
    plan._require_columns("Spark")
    subject = options.get("subject", "userId")
    keeps = [subject, *(name for name in keep_names(frame.columns, plan, keep) if name != subject)]
    decider = Decider(
        made, {"placements": plan.placements, "now": time_text(now), **given}, keeps
    )
    decided: SparkFrameT = frame.mapInArrow(decider, _schema(plan, frame.schema, keeps))
    return decided


def _config(config: Any, dialect: str | None) -> Config:
    if isinstance(config, Config):
        if dialect is not None:
            raise ValueError(f"dialect={dialect!r}: the config has a dialect; leave this out")
        return config
    options: dict[str, Any] = {} if dialect is None else {"dialect": dialect}
    if isinstance(config, os.PathLike):
        return Config.load(config, **options)
    return Config.loads(config, **options)


def _arrow_schema(schema: Any) -> Any:
    """Returns the Arrow schema that workers get for a Spark schema.

    :raises ColumnError: if Spark has no Arrow type for a column.
    """
    import pyarrow
    from pyspark.sql.pandas.types import to_arrow_schema

    # Workers get times in the zone of the session, which does not change what rules read. Before
    # Spark 4.1, the function has another parameter, with a default.
    zone = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}
    fields: list[Any] = []
    for field in schema:
        try:
            fields += to_arrow_schema(type(schema)([field]), **zone)
        except Exception as problem:
            raise ColumnError(
                f"column '{field.name}': Spark cannot pass {field.dataType.simpleString()} to "
                "Python; cast the column to a string, or drop it",
                "bad_column", {"column": field.name},
            ) from problem
    return pyarrow.schema(fields)


def _schema(plan: Plan, schema: Any, keeps: Sequence[str]) -> Any:
    """Returns the schema of the result: columns of the frame, then outcomes."""
    struct = type(schema)
    each: Any = "integer"
    if plan.fields:
        each = struct()
        for field in plan.fields:
            each.add(field, "integer" if field == "audience" else "string")
    found = struct()
    for name in keeps:
        found.add(schema[name])
    for name in plan.placements:
        found.add(name, each)
    return found
