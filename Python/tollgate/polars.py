"""Polars: expressions and lazy frames, decided in its streaming engine."""

from __future__ import annotations

from typing import Any

from .plan import Plan


def decide(columns: Any, plan: Plan) -> Any:
    """Returns an expression that decides a struct of columns: a struct with one for each placement.

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


def lazy(frame: Any, plan: Plan) -> Any:
    """Decides a lazy frame, batch by batch, and returns a lazy frame of outcomes.

    Only the columns that rules read are requested, if the frame's schema is known.
    """
    views = plan.with_texts("string_view")

    def outcomes(part: Any) -> Any:
        return views.outcomes(part).to_polars()

    return frame.map_batches(
        outcomes, schema=schema(views), streamable=True, projection_pushdown=False,
        predicate_pushdown=False, slice_pushdown=False,
    )


def schema(plan: Plan) -> Any:
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
