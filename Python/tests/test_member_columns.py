"""Tests maps and JSON in columns, and reports about columns of the wrong type."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import NOW, rule, variant

import tollgate

pa = pytest.importorskip("pyarrow")

USERS: list[dict[str, Any] | None] = [
    {"plan": "free", "tags": ["a", None], "address": {"city": "x"}},
    {"plan": "pro", "visits": 7, "address": {}},
    {"plan": None, "tags": [], "address": None},
    {},
    None,
]
RULES = [
    "user.plan == 'free'", "has(user.plan)", "user.visits > 3", "size(user.tags) == 2",
    "user.tags[1] == null", "user.address.city == 'x'", "has(user.address.city)",
    "has(user.address)",
]


def made(expression: str, dialect: str = "cel") -> tollgate.Config:
    rules = [rule("e", expression, variant("v", 100, "a"))]
    return tollgate.Config.loads(
        {"build_id": "b", "trigger_options": [{"event_name": "p", "rules": rules}]},
        dialect=dialect)


def decided(config: tollgate.Config, table: Any) -> list[Any]:
    plan = config.plan(now=NOW, missing_columns="ignore")
    return [row["p"] and row["p"]["result"] for row in plan.decide(table).to_pylist()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dialect", ["superscript:ios", "superscript:android", "cel"])
@pytest.mark.parametrize("expression", RULES)
def test_json_is_the_record(expression: str, dialect: str) -> None:
    config = made(expression, dialect)
    wanted = [
        config.decide(
            "p", {"userId": "u", **({} if user is None else {"user": user})}, now=NOW).result
        for user in USERS
    ]
    texts = [None if user is None else json.dumps(user) for user in USERS]
    columns = [pa.array(texts), pa.array(texts).dictionary_encode()]
    if hasattr(pa, "json_"):
        columns.append(pa.array(texts, pa.json_()))
    for column in columns:
        table = pa.table({"userId": ["u"] * len(USERS), "user": column})
        assert decided(config, table) == wanted


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", ["user.plan == 'free'", "has(user.plan)", "user.x.y == 'z'"])
def test_maps(expression: str) -> None:
    config = made(expression)
    maps = [[("plan", "free")], [("plan", "x"), ("plan", "free")], [("other", "free")], [], None]
    kind = pa.map_(pa.string(), pa.string())
    table = pa.table({"userId": ["u"] * 5, "user": pa.array(maps, kind)})
    wanted = [
        config.decide("p", {"userId": "u", "user": dict(entries or [])}, now=NOW).result
        for entries in maps
    ]
    assert decided(config, table) == wanted
    nested = pa.array([{"x": [("y", "z")]}, {"x": None}], pa.struct([("x", kind)]))
    table = pa.table({"userId": ["u"] * 2, "user": nested})
    assert decided(made("user.x.y == 'z'"), table) == ["paywall", "noAudienceMatch"]


@pytest.mark.filterwarnings("ignore")
def test_strings_that_are_not_json() -> None:
    table = pa.table({
        "userId": ["a", "b", "c"], "user": ['{"plan": "free"}', "{", '{"a":1},"userId":"x"']})
    outcomes = made("user.plan == 'free'").plan(now=NOW).outcomes(table)
    found = [row and row["result"] for row in pa.table(outcomes).column("p").to_pylist()]
    assert found == ["paywall", None, None]
    rejects = outcomes.report.to_dict()["rejects"]
    assert [reject["row"] for reject in rejects] == [1, 2]
    assert all("is not JSON" in reject["reason"] for reject in rejects)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression, column, words", [
    ("user.x > 30", ["31"], "'user.x' is a string, and rules read it as a number"),
    ("user.x == 'a'", [5], "'user.x' is an integer, and rules read it as a string"),
    ("user.x % 2 == 0", [1.0],
     "'user.x' is a floating point number, and rules read it as an integer"),
    ("'a' in user.x", [[1]], "is a list of integers, and rules read it as a list of strings"),
    ("user.x == true", ["true"], "is a string, and rules read it as a bool"),
])
def test_columns_of_the_wrong_type(expression: str, column: Any, words: str) -> None:
    table = pa.table({"userId": ["u"], "user.x": column})
    plan = made(expression).plan(now=NOW)
    (warning,) = plan.count(table).to_dict()["warnings"]
    assert warning["code"] == "column-kind" and words in warning["message"]


@pytest.mark.filterwarnings("ignore")
def test_ids_with_white_space() -> None:
    table = pa.table({"userId": ["u-1 ", "u-2", " u-3"], "user.x": ["a"] * 3})
    (warning,) = made("user.x == 'a'").plan(now=NOW).count(table).to_dict()["warnings"]
    assert warning["code"] == "untrimmed-id" and warning["users"] == 2
    assert '"u-1 "' in warning["message"]


@pytest.mark.parametrize(("expression", "wanted"), [
    ("user.x.a == 1", "paywall"), ("user.x.l[1] == null", "paywall"),
    ("user.s.j[1] == 2", "paywall"), ("user.l[0].k == 1", "paywall"),
    ("size(user.x) == 2", "paywall"), ("user.x == '{}'", "noAudienceMatch")])
def test_json_of_duckdb(expression: str, wanted: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    from tollgate.duckdb import decide, register

    con = duckdb.connect()
    relation = con.sql("""
        select 'u' as "userId", '{"a": 1, "l": ["a", null]}'::JSON as "user.x",
            {'j': '[1, 2]'::JSON} as "user.s", ['{"k": 1}'::JSON] as "user.l" """)
    plan = made(expression).plan(now=NOW)
    assert plan.decide(relation).fetchall()[0][0]["result"] == wanted
    assert plan.decide(relation, keep=["userId"]).fetchall()[0][1]["result"] == wanted
    assert plan.count(relation).outcomes("p")["paywall"] == (wanted == "paywall")
    assert decide(con, relation, plan).fetchall()[0][0]["result"] == wanted
    types = list(zip(relation.columns, map(str, relation.types), strict=True))
    register(con, "decided", plan, types)
    names = ", ".join(f'"{name}"' for name in relation.columns)
    assert con.sql(f"select decided({names}) from relation").fetchall()[0][0]["p"][
        "result"] == wanted


def test_wide_integers_of_polars() -> None:
    pl = pytest.importorskip("polars")
    given = pl.DataFrame({
        "userId": ["u"], "user.x": pl.Series([5], dtype=pl.Int128), "user.y": [1.5]})
    assert made("user.y > 1.0").plan().decide(given)["p"][0]["result"] == "paywall"
    with pytest.raises(tollgate.ColumnError, match="'user.x': is a decimal, .*decimals='double'"):
        made("user.x > 1.0").plan().decide(given)
    for plan in (made("user.x > 1.0"), made("user.y > 1.0")):
        assert plan.plan(decimals="double").decide(given)["p"][0]["result"] == "paywall"
    large = given.with_columns(pl.lit(2**126, dtype=pl.Int128).alias("user.x"))
    assert made("user.x > 1.0").plan(decimals="double").decide(large)["p"][0]["result"] == "paywall"
    nested = given.with_columns(pl.struct(z="user.x").alias("user.x"))
    with pytest.raises(tollgate.ColumnError, match="unknown format"):
        made("user.x.z > 1.0").plan().decide(nested)
    with pytest.raises(tollgate.TableError, match="cast the column, or drop it"):
        made("user.y > 1.0").plan(decimals="double").decide(nested)
