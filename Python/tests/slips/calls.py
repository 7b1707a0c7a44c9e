"""Slips that type checkers must find: each marked line has one, and no other line has any."""

from __future__ import annotations

from typing import Any

import duckdb
import polars as pl

import tollgate
import tollgate.duckdb
import tollgate.polars

users: dict[str, Any] = {"userId": "u-1", "user": {"plan": "free"}}


def right(config: tollgate.Config, frame: pl.DataFrame, lazy: pl.LazyFrame) -> None:
    """Right calls, whose results have the right types."""
    now = "2026-03-01T12:00:00Z"
    decision: tollgate.Decision = config.decide("export", users, now=now)
    paywall: str | None = decision.paywall
    plan = config.plan(
        ["export"], now=now, fields=["paywall", "audience"], root="user", decimals="double")
    config.plan(("export",), columns={"user.plan": "plan"}).with_options(placements={"open"})
    config.plan(config.placements)
    frames: pl.DataFrame = plan.decide(frame)
    counted: tuple[pl.DataFrame, tollgate.Tally] = plan.decide(frame, report=True)
    later: pl.LazyFrame = plan.decide(lazy, keep=["userId"])
    expression: pl.Expr = tollgate.polars.decide(pl.struct(pl.all()), plan)
    relation: duckdb.DuckDBPyRelation = plan.decide(duckdb.table("users"))
    polars: pl.DataFrame = plan.outcomes(frame).to_polars()
    audiences = plan.count(frame).audiences("export")
    taken: int = audiences[0]["taken"]
    total: int = sum(plan.count(frame).outcomes("export").values())
    changes = config.explain("export", users, audience=0).to_dict()["changes"]
    clauses = config.explain("export", users).to_dict()["audiences"][0]["clauses"]
    moved: int = config.diff(config, users=[users])["moved"]
    verdict: str = config.diff(config)["placements"]["export"]["verdict"]
    text: str | None = config.render(template="x", dialect="shopify")["text"]
    kinds: tuple[str, ...] = config.requirements[0].kinds
    query: str = config.select(database="duckdb", table="app.users", placements=["export"])
    covered: int = config.sql(database="bigquery", names="structs").audiences["covered"]
    print(kinds, query, covered)
    print(paywall, frames, counted, later, expression, relation, polars, taken, total, changes)
    print(clauses, moved, verdict, text)


def misspelt_options(config: tollgate.Config, plan: tollgate.Plan) -> None:
    tollgate.Config.load("config.json", sed="prod")  # slip
    tollgate.Config.loads({}, dialekt="cel")  # slip
    config.plan(fileds=["paywall"])  # slip
    config.plan(missing_column="ignore")  # slip
    plan.with_options(field=["paywall"])  # slip
    config.decide("export", users, seeds="x")  # slip
    config.render(template="x", dialct="shopify")  # slip
    plan.decide(pl.DataFrame(), keeps=["userId"])  # slip
    config.select(db="duckdb")  # slip
    config.sql(database="duckdb", nohistory=True)  # slip


def wrong_values(config: tollgate.Config) -> None:
    config.plan(fields=["paywal"])  # slip
    config.plan(fields="paywall")  # slip
    config.plan("export")  # slip
    config.plan([1])  # slip
    config.plan(now=20260301)  # slip
    config.plan(missing_columns="ignored")  # slip
    config.plan(codes="yes")  # slip
    config.plan(root="params")  # slip
    config.plan(columns=["user.plan"])  # slip
    config.plan(schema={"userId": "string"})  # slip
    config.decide("export", [1, 2])  # slip
    config.decide(["export"], users)  # slip
    config.decide_all(users, placements="export")  # slip
    config.diff("config.json")  # slip
    tollgate.Config.load("config.json", dialect="ios")  # slip
    tollgate.Config.load("config.json", strict="yes")  # slip
    tollgate.Config.loads(1)  # slip
    config.select(database="bigqery")  # slip
    config.sql(database="duckdb", types={"user.plan": "texts"})  # slip


def wrong_attributes(config: tollgate.Config, plan: tollgate.Plan, frame: pl.DataFrame) -> None:
    print(config.decide("export", users).paywal)  # slip
    print(config.decide_all(users)[0].variant_id)  # slip
    print(config.placement)  # slip
    print(config.explain("export", users).change)  # slip
    print(config.explain("export", users).to_dict()["audience_index"])  # slip
    print(config.explain("export", users, audience=0).to_dict()["audiences"])  # slip
    print(config.diff(config)["moved"])  # slip
    print(config.diff(config, users=[users])["moves"])  # slip
    print(plan.count(frame).user)  # slip
    print(plan.count(frame).audiences("export")[0]["took"])  # slip
    print(plan.count(frame).outcomes("export")["paywal"])  # slip
    print(plan.choices[0]["paywal"])  # slip
    print(config.check()[0].sevrity)  # slip
    print(config.requirements[0].kind)  # slip
    print(config.sql(database="duckdb").audiences["cover"])  # slip
    if config.decide("export", users).result == "holdot":  # slip of mypy
        pass


def wrong_frames(plan: tollgate.Plan, frame: pl.DataFrame, lazy: pl.LazyFrame) -> None:
    plan.decide(frame).to_pylist()  # slip
    plan.decide(frame).to_pandas_dataframe()  # slip
    plan.decide(lazy).write_parquet("x")  # slip
    plan.decide(frame, report=True).head()  # slip
    plan.decide(lazy, report=True)  # slip
    plan.decide([1, 2])  # slip
    plan.decide("users.parquet")  # slip
    plan.decide({"userId": ["a"]})  # slip
    plan.count(users)  # slip
    plan.outcomes(frame).collect()  # slip
    plan.outcomes(frame).to_polars().to_pylist()  # slip
    tollgate.duckdb.decide(duckdb.connect(), frame, plan)  # slip
    tollgate.polars.decide(frame, plan)  # slip
    tollgate.polars.lazy(frame, plan)  # slip
