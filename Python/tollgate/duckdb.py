"""Decides DuckDB relations, and registers SQL functions in DuckDB."""

from __future__ import annotations

import inspect

from ._keep import reader_beside
from ._tables import json_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import pyarrow
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

    from .option_types import Names
    from .outcomes import Outcomes
    from .plan import Plan


def register(
    connection: DuckDBPyConnection, name: str, plan: Plan, columns: Sequence[tuple[str, str]]
) -> None:
    """Registers a SQL function that decides: ``select decide(userId, user) from users``.

    The function's result is a struct with a struct for each placement. Its types are fixed, so the
    function belongs to one plan and one list of columns.

    :param columns: names and SQL types of the arguments, in order:
        ``[("userId", "VARCHAR"), ("user", "STRUCT(plan VARCHAR)")]``.
    """
    import pyarrow

    plan._require_columns("DuckDB")
    names = [column for column, _ in columns]
    kinds = [_type(kind) for _, kind in columns]
    result = _sql_type(plan)

    def decided(*arguments: Any) -> Any:
        arrays = [
            part.combine_chunks() if isinstance(part, pyarrow.ChunkedArray) else part
            for part in arguments
        ]
        fields = [
            json_field(pyarrow.field(name, part.type), kind)
            for name, kind, part in zip(names, kinds, arrays, strict=True)
        ]
        table = pyarrow.table(arrays, schema=pyarrow.schema(fields))
        found = plan.outcomes(table).to_arrow().combine_chunks()
        return pyarrow.StructArray.from_arrays(
            [
                column.chunk(0) if column.num_chunks else pyarrow.array([], column.type)
                for column in found.columns
            ],
            names=found.column_names,
        )

    # DuckDB counts the parameters of the function.
    decided.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(f"column{number}", inspect.Parameter.POSITIONAL_ONLY)
            for number in range(len(names))
        ]
    )
    connection.create_function(
        name, decided, [kind for _, kind in columns], result, type="arrow",
        null_handling="special",
    )


def _type(name: str) -> Any:
    """Returns a type by its name in SQL; the name itself for types of a connection."""
    import duckdb

    try:
        return duckdb.sqltype(name)
    except duckdb.Error:
        return name


def decide(
    connection: DuckDBPyConnection, relation: DuckDBPyRelation, plan: Plan, *,
    keep: Names | None = None,
) -> DuckDBPyRelation:
    """Decides a relation, and returns a relation of the same connection.

    The relation is read as a stream, so memory holds only the outcomes and the columns of ``keep``.
    """
    table, outcomes = _table(relation, plan, keep)
    outcomes.report._warn(2, plan._ignored)
    return connection.from_arrow(table)


def relation(
    frame: DuckDBPyRelation, plan: Plan, keep: Names | None = None
) -> tuple[DuckDBPyRelation, Outcomes]:
    """Decides a relation, and returns a relation of the same connection.

    Before DuckDB 2, the result belongs to the default connection, because finding the relation's
    connection would leave a view in it.
    """
    import duckdb

    table, outcomes = _table(frame, plan, keep)
    if int(duckdb.__version__.partition(".")[0]) < 2:
        return duckdb.from_arrow(table), outcomes
    # DuckDB finds the table by the name of this variable, which no other table has.
    name = f"_tollgate_outcomes_{id(table):x}"
    variables = {"frame": frame, name: table}
    try:
        found = eval(f"frame.query('_tollgate_users', 'from {name}')", variables)
    except duckdb.CatalogException:
        # The connection does not read Python variables.
        return duckdb.from_arrow(table), outcomes
    return found.set_alias(f"outcomes_{id(table):x}"), outcomes


def _table(
    relation: DuckDBPyRelation, plan: Plan, keep: Names | None
) -> tuple[pyarrow.Table, Outcomes]:
    """Returns the columns of ``keep`` and the outcomes of a relation, as a pyarrow table."""
    plan._require_columns("DuckDB")
    # DuckDB reads dictionaries as strings, and reads each string once.
    plan = plan.with_texts("dictionary")
    if keep:
        reader, outcomes = reader_beside(relation, plan, keep)
        return reader.read_all(), outcomes
    outcomes = plan.outcomes(relation)
    return outcomes.to_arrow(), outcomes


def _sql_type(plan: Plan) -> str:
    def quoted(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    if plan.fields:
        fields = ", ".join(
            f"{quoted(field)} {'INTEGER' if field == 'audience' else 'VARCHAR'}"
            for field in plan.fields
        )
        each = f"STRUCT({fields})"
    else:
        each = "INTEGER"
    return "STRUCT(" + ", ".join(f"{quoted(name)} {each}" for name in plan.placements) + ")"
