"""Decides Polars expressions and lazy frames in Polars' streaming engine."""

from __future__ import annotations

from ._keep import keep_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import polars

    from .option_types import Names
    from .plan import Plan


def decide(columns: polars.Expr, plan: Plan) -> polars.Expr:
    """Returns an expression that decides a struct of columns.

    The expression's value is a struct with a struct for each placement.

    >>> import polars as pl
    >>> import tollgate.polars
    >>> users = pl.DataFrame({"userId": ["a"], "plan": ["free"]})
    >>> config = tollgate.Config.loads('{"build_id": "1", "trigger_options": []}')
    >>> plan = config.plan(root="user")
    >>> users.with_columns(got=tollgate.polars.decide(pl.struct(pl.all()), plan)).columns
    ['userId', 'plan', 'got']
    """
    import polars

    plan._require_columns("an expression")
    views = plan.with_texts("string_view")

    def outcomes(series: Any) -> Any:
        frame = series.struct.unnest()
        return views.outcomes(frame).to_polars().to_struct(series.name)

    return columns.map_batches(
        outcomes, return_dtype=polars.Struct(schema(views)), is_elementwise=True
    )


def lazy(
    frame: polars.LazyFrame, plan: Plan, keep: Names | None = None
) -> polars.LazyFrame:
    """Decides a lazy frame, batch by batch, and returns a lazy frame of outcomes.

    ``keep`` names columns to return before the outcomes.

    Only the columns that rules read are requested, if the frame's schema is known.
    """
    import polars

    views = plan.with_texts("string_view")
    columns = frame.collect_schema() if keep else {}
    keeps = keep_names(list(columns), plan, keep)

    def outcomes(part: Any) -> Any:
        decided = views.outcomes(part).to_polars()
        return part.select(keeps).hstack(decided) if keeps else decided

    before = {name: columns[name] for name in keeps}
    return frame.map_batches(
        outcomes, schema=polars.Schema({**before, **schema(views)}), streamable=True,
        projection_pushdown=False, predicate_pushdown=False, slice_pushdown=False,
    )


def schema(plan: Plan) -> polars.Schema:
    """The schema of outcomes in Polars."""
    import polars

    if not plan._has_columns:
        return polars.Schema()
    each: Any = polars.Int32()
    if plan.fields:
        each = polars.Struct(
            {
                field: polars.Int32() if field == "audience" else polars.String()
                for field in plan.fields
            }
        )
    return polars.Schema({name: each for name in plan.placements})
