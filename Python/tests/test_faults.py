"""Tests that one error has every fault of a table's columns, with a fix for each."""

from __future__ import annotations

import datetime
import pickle
import random
from decimal import Decimal
from typing import Any

import pytest
from conftest import NOW, rule, variant

import tollgate

pa = pytest.importorskip("pyarrow")

FITS = {
    "userId": ["a"], "user.plan": ["free"], "user.visits": [1], "user.tags": [["x"]],
    "device.locale": ["de"],
}
DECIMAL, DATE, TIME = [Decimal("1")], [datetime.date(2026, 1, 1)], [datetime.datetime(2026, 1, 1)]


def table(**columns: Any) -> Any:
    named = {name.replace("__", "."): values for name, values in columns.items()}
    return pa.table({k: v for k, v in {**FITS, **named}.items() if v is not None})


def error(config: tollgate.Config, table: Any, **options: Any) -> tollgate.ColumnError:
    """The same one from every way to decide, and every kind of table."""
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    plan = config.plan(now=NOW, **options)
    found = []
    for work in (
        lambda: plan.decide(table), lambda: plan.count(table), lambda: plan.outcomes(table),
        lambda: plan.decide(table.to_reader()), lambda: plan.decide(polars.from_arrow(table)),
        lambda: plan.decide(duckdb.from_arrow(table)),
        lambda: config.plan(now=NOW, **options, schema=table.schema),
    ):
        with pytest.raises(tollgate.ColumnError) as problem:
            work()
        found.append(problem.value)
    assert len({str(one) for one in found}) == 1
    assert str(pickle.loads(pickle.dumps(found[0]))) == str(found[0])
    assert found[0].details["faults"][0]["column"] == found[0].column
    return found[0]


FLAT = pa.table({name.replace(".", "_"): values for name, values in FITS.items()})
BARE = pa.table({name.rpartition(".")[2]: values for name, values in FITS.items()})


@pytest.mark.parametrize(("given", "columns", "words"), [
    (table(user__visits=DECIMAL), ["user.visits"], ["or give decimals='double'"]),
    (table(user__visits=DECIMAL, user__tags=DATE, user__plan=TIME),
     ["user.plan", "user.visits", "user.tags"],
     ["3 columns do not fit", "decimals='double'", "dates='text'", "naive_times='UTC'"]),
    (FLAT, ["user.plan", "user.visits", "device.locale", "user.tags"],
     ["did you mean 'user_plan'?", "did you mean 'device_locale'?", "give separator='_'"]),
    (BARE, ["user.plan", "user.visits", "device.locale", "user.tags"],
     ["columns={'user.plan': 'plan', 'user.visits': 'visits', 'device.locale': 'locale', "
      "'user.tags': 'tags'}"]),
    (BARE.rename_columns(["userId", "plan", "visits", "tags", "device.locale"]),
     ["user.plan", "user.visits", "user.tags"], ["did you mean 'plan'?", "give root='user'"]),
    (table(user__plan=None), ["user.plan"],
     ["columns={'user.plan': '...'}", "missing_columns='ignore'"]),
    (table(user__plan=None, user__paln=["x"]), ["user.plan"],
     ["did you mean 'user.paln'?", "columns={'user.plan': 'user.paln'}"]),
    (pa.table({"userId": ["a"], "device.locale": ["de"], "user": [
        {"plan": DECIMAL[0], "visits": DATE[0], "tgas": ["x"]}]}),
     ["user.plan", "user.visits", "user.tags"],
     ["decimals='double'", "dates='text'", "did you mean 'user.tgas'?"]),
    (table(userId=None, usrid=["a"]), ["userId"], ["give subject='usrid'"]),
    (table(userId=None, usrid=["a"], user__plan=DECIMAL), ["user.plan", "userId"],
     ["give subject='usrid'", "decimals='double'"]),
    (table(userId=[1.5], device__locale=None), ["userId", "device.locale"], ["must be a string"]),
    (table(events=[5], occurrences=["x"]), ["occurrences", "events"], ["not an integer"]),
    (pa.table({"userId": ["a"], "user": [5], "device.locale": ["de"]}), ["user"],
     ["must be a struct, a map or JSON, not an integer"]),
    (pa.table({"userId": ["a", "b"], "user": [[1], [2]], "device": [{"locale": "de"}] * 2}),
     ["user"], ["must be a struct"]),
], ids=range(14))
def test_faults(
    config: tollgate.Config, given: Any, columns: list[str], words: list[str]
) -> None:
    problem = error(config, given)
    assert [fault["column"] for fault in problem.details["faults"]] == columns
    for part in words:
        assert part in str(problem)
    assert ("do not fit" in str(problem)) == (len(columns) > 1)


def test_cures_cure(config: tollgate.Config) -> None:
    wanted = config.plan(now=NOW).decide(table())
    assert config.plan(now=NOW, separator="_").decide(FLAT) == wanted
    assert config.plan(now=NOW, columns={
        "user.plan": "plan", "user.visits": "visits", "device.locale": "locale",
        "user.tags": "tags"}).decide(BARE) == wanted


def test_columns_that_are_named(config: tollgate.Config) -> None:
    problem = error(config, table(user__plan=None, plan=["x"]), columns={"user.plan": "plna"})
    assert problem.column == "plna" and "did you mean 'plan'?" in str(problem)
    problem = error(config, table(user__plan=None, tier=["x"]), columns={"user.paln": "tier"})
    assert "columns= has 'user.paln'" in str(problem)
    ignored = config.plan(now=NOW, missing_columns="ignore", columns={"user.plan": "a", "b": "c"})
    with pytest.raises(tollgate.ColumnError) as found:
        ignored.decide(table())
    assert [fault["column"] for fault in found.value.details["faults"]][:1] == ["c"]


def test_faults_after_conversions(config: tollgate.Config) -> None:
    given = table(user__visits=DECIMAL, user__plan=TIME, user__tags=None)
    problem = error(config, given, decimals="double")
    assert [fault["column"] for fault in problem.details["faults"]] == ["user.plan", "user.tags"]
    flat = FLAT.set_column(1, "user_plan", pa.array(DECIMAL)).drop_columns(["user_tags"])
    problem = error(config, flat, separator="_")
    assert {"user_plan", "user.tags"} <= {
        fault["column"] for fault in problem.details["faults"]}


def test_many(config: tollgate.Config) -> None:
    condition = " && ".join(f"user.a{number} == 1" for number in range(100))
    many = tollgate.Config.loads({"build_id": "b", "trigger_options": [
        {"event_name": "p", "rules": [rule("e", condition, variant("v", 100, "pw"))]}]})
    problem = error(many, pa.table({"userId": ["a"]}))
    assert len(problem.details["faults"]) == 40


KINDS = [
    pa.string(), pa.int64(), pa.decimal128(9, 2), pa.date32(), pa.timestamp("us"), pa.binary(),
    pa.struct([("y", pa.binary())]), pa.list_(pa.date32()), pa.duration("s"), pa.float32(),
]


@pytest.mark.parametrize("seed", range(30))
def test_faults_are_those_of_each_column(seed: int) -> None:
    chance = random.Random(seed)
    names = [f"a{number}" for number in range(6)]
    condition = " && ".join(f"has(user.{name}) && string(user.{name}) != 'x'" for name in names)
    config = tollgate.Config.loads({"build_id": "b", "trigger_options": [
        {"event_name": "p", "rules": [rule("e", condition, variant("v", 100, "pw"))]}]},
        dialect="cel")
    fields = {name: chance.choice(KINDS) for name in names if chance.random() < 0.8}

    def columns(some: dict[str, Any], **options: Any) -> list[str]:
        schema = pa.schema({"userId": pa.string(), **{f"user.{k}": v for k, v in some.items()}})
        try:
            config.plan(schema=schema, **options)
        except tollgate.ColumnError as problem:
            return [fault["column"] for fault in problem.details["faults"]]
        return []

    wanted = {f"user.{name}" for name in names if name not in fields}
    for name, kind in fields.items():
        wanted.update(columns({name: kind}, missing_columns="ignore"))
    found = columns(fields)
    assert set(found) == wanted and len(found) == len(wanted)


def test_decimals_of_ids(config: tollgate.Config) -> None:
    given = table(userId=[Decimal("1.5")])
    found = str(error(config, given))
    assert "give decimals='text'" in found and "'double'" not in found
    assert "decimals='text'" in str(error(config, given, decimals="double"))
    assert config.plan(now=NOW, decimals="text").decide(given).num_rows == 1


def test_members_that_a_struct_lacks() -> None:
    rules = [rule("e", "has(user.x.a) && user.y == 'z'", variant("v", 100, "a"))]
    config = tollgate.Config.loads(
        {"build_id": "b", "trigger_options": [{"event_name": "p", "rules": rules}]})
    given = pa.table({"userId": ["u"], "x": [{"b": 1}], "z": [{"b": 1}]})
    for options in ({"root": "user"}, {"columns": {"user.x": "z"}}):
        with pytest.raises(tollgate.ColumnError) as problem:
            config.plan(**options).decide(given)
        assert [fault["column"] for fault in problem.value.details["faults"]] == [
            "user.x.a", "user.y"]
