"""Tests the query of `config.select` in every database that can run or parse it."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import NOW, rule, variant
from postgres import Postgres

import tollgate

pa = pytest.importorskip("pyarrow")

DATABASES = ["bigquery", "duckdb", "postgres", "snowflake", "spark"]
RULES = {
    "numbers": "user.visits > 2 && user.spent >= 9.5",
    "strings": "user.plan == 'free' || user.plan.startsWith('pro')",
    "lists": "'beta' in user.tags",
    "times": "timestamp(user.since) < timestamp('2026-02-01T00:00:00Z')",
    "truths": "user.is_tester && device.platform == 'iOS'",
    "presence": "has(user.note)",
    "integers": "user.visits % 3 == 1",
}


def made(**rules: str) -> tollgate.Config:
    return tollgate.Config.loads({"build_id": "b", "trigger_options": [
        {"event_name": name, "rules": [rule(name, text, variant("v", 100, "a"))]}
        for name, text in rules.items()]}, dialect="cel")


CONFIG = made(**RULES)
# Columns as warehouses have them: other names, and types that rules have no value for.
COLUMNS = {
    "user.visits": "visits", "user.spent": "total spent", "user.plan": "order", "user.tags": "tags",
    "user.since": "created_at", "user.is_tester": "tester", "device.platform": "platform",
    "user.note": "note",
}
TYPES = {
    "id": "BIGINT", "visits": "NUMERIC(20, 0)", "total spent": "NUMERIC(10, 2)",
    "order": "VARCHAR(40)", "tags": "VARCHAR(9)[]", "created_at": "TIMESTAMP", "tester": "BOOLEAN",
    "platform": "VARCHAR", "note": "VARCHAR", "unused": "DATE",
}


def users(count: int) -> list[dict[str, Any]]:
    rng = random.Random(7)

    def some(*values: Any) -> Any:
        return rng.choice([None, *values])

    return [
        {
            "id": number, "visits": some(0, 1, 3, 4, 2**40),
            "total spent": some("9.49", "9.5", "12"),
            "order": some("free", "pro-1", "x's"), "tags": some([], ["beta"], ["x", "beta"]),
            "created_at": some("2026-01-31 23:59:59", "2026-02-01 00:00:00", "2026-03-01 12:00:00"),
            "tester": some(True, False), "platform": some("iOS", "Android"), "note": some("", "x"),
            "unused": some("2026-01-01"),
        }
        for number in range(count)
    ]


def record(row: dict[str, Any]) -> dict[str, Any]:
    """The same user as a record."""
    value = dict(row)
    value["total spent"] = value["total spent"] and float(value["total spent"])
    value["created_at"] = value["created_at"] and value["created_at"].replace(" ", "T") + "Z"
    found: dict[str, Any] = {"userId": str(row["id"])}
    for path, column in COLUMNS.items():
        if value[column] is not None:
            root, name = path.split(".")
            found.setdefault(root, {})[name] = value[column]
    return found


def literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, list):
        return "ARRAY[" + ", ".join(map(literal, value)) + "]::VARCHAR[]"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)


def statements(rows: list[dict[str, Any]]) -> list[str]:
    columns = ", ".join(f'"{name}" {kind}' for name, kind in TYPES.items())
    values = ",\n".join("(" + ", ".join(map(literal, row.values())) + ")" for row in rows)
    return [f"CREATE TABLE app_users ({columns})", f"INSERT INTO app_users VALUES {values}"]


def wanted(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [
        {found.placement: found.result for found in CONFIG.decide_all(record(row), now=NOW)}
        for row in rows]


def decided(table: Any) -> list[dict[str, str]]:
    outcomes = CONFIG.plan(now=NOW).decide(table).to_pylist()
    return [{name: row[name]["result"] for name in RULES} for row in outcomes]


def query(database: Any, **options: Any) -> str:
    return CONFIG.select(
        database=database, table="app_users", subject="id", columns=COLUMNS, **options)


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    con.execute("SET TimeZone = 'UTC'")
    rows = users(400)
    for statement in statements(rows):
        con.execute(statement)
    table = con.sql(query("duckdb"))
    assert table.columns == ["userId", *CONFIG.requirements]
    given = table.to_arrow_table()
    assert decided(given) == wanted(rows)
    kinds = dict(zip(given.column_names, given.schema.types, strict=True))
    assert kinds["user.spent"] == pa.float64() and kinds["user.is_tester"] == pa.bool_()
    assert kinds["user.since"] == pa.timestamp("us", "UTC") and kinds["userId"] == pa.string()
    assert kinds["user.tags"].value_type == pa.string()
    # Each placement reads only its own.
    for name, text in RULES.items():
        paths = [path for path in CONFIG.requirements if path in text]
        columns = {path: COLUMNS[path] for path in paths}
        one = CONFIG.select(
            database="duckdb", table="app_users", subject="id", placements=[name], columns=columns)
        assert con.sql(one).columns == ["userId", *paths]
        assert [row[name]["result"] for row in CONFIG.plan([name], now=NOW).decide(
            con.sql(one).to_arrow_table()).to_pylist()] == [each[name] for each in wanted(rows)]


def test_files_of_duckdb(tmp_path: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "users.parquet"
    duckdb.sql("select 'u' as \"userId\", 3 as user_visits").write_parquet(str(path))
    one = made(p="user.visits > 2")
    for table in (f"'{path}'", f"read_parquet('{tmp_path}/*.parquet')"):
        found = duckdb.sql(one.select(database="duckdb", table=table, separator="_"))
        assert one.plan().decide(found.to_arrow_table()).to_pylist()[0]["p"]["paywall"] == "a"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    server = Postgres()
    yield server
    server.stop()


def test_postgres(postgres: Postgres) -> None:
    rows = users(400)
    postgres.execute(*statements(rows))
    found = postgres.rows(query("postgres") + " ORDER BY app_users.id")
    assert list(found[0]) == ["userId", *CONFIG.requirements]
    kinds = {
        "user.spent": pa.float64(), "user.is_tester": pa.bool_(), "user.visits": pa.int64(),
        "user.tags": pa.list_(pa.string()),
    }
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in found[0]])
    assert decided(pa.Table.from_pylist(found, schema)) == wanted(rows)


ODD = made(
    p="user['a b'] == 1 && user['it\\'s `q` \"d\"'] == 'x' && params.x.y.z == true",
    q="user.a.b == 1 && has(user.a) && device.appVersionPadded > '1' && device.utcDate > '2'")


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("options", [
    {}, {"separator": "_"}, {"columns": {"user.a.b": "select"}, "subject": "the id"},
    {"placements": ["q"], "types": {"user.a.b": "any"}},
    {"columns": {"device.appVersion": "v", "params.x.y.z": "a.b"}}], ids=range(5))
def test_databases_parse_them(database: Any, options: dict[str, Any]) -> None:
    sqlglot = pytest.importorskip("sqlglot")
    for one in (CONFIG, ODD):
        known = {
            name: value for name, value in options.items()
            if one is ODD or name in ("separator", "subject")}
        text = one.select(database=database, table="a.b", **known)
        tree = sqlglot.parse_one(text, dialect=database)
        names = [each.alias_or_name for each in tree.expressions]
        chosen = one.plan(known.get("placements"), now=NOW).requirements
        paths = {str(each) for each in chosen if each.derived_from != ()} - {"user.a"}
        if "device.appVersion" in known.get("columns", {}):
            paths = paths - {"device.appVersionPadded"} | {"device.appVersion"}
        if database in ("bigquery", "spark"):
            assert set(names) == {"userId"} | {path.partition(".")[0] for path in paths}
        else:
            assert names == ["userId", *names[1:]] and set(names[1:]) == paths
        assert tree.find(sqlglot.exp.Table).sql() == "a.b"


def test_kinds() -> None:
    kinds = {str(one): one.kinds for one in CONFIG.requirements}
    assert kinds["user.plan"] == ("string",) and kinds["user.spent"] == ("number",)
    assert kinds["user.tags"] == ("list<string>",) and kinds["user.since"] == ("date",)
    assert kinds["user.is_tester"] == ("boolean",) and kinds["user.note"] == ()
    first = CONFIG.requirements[0]
    assert first == "user.visits" and isinstance(first, str) and repr(first) == "'user.visits'"
    assert first.placements == ("numbers", "integers") and first.derived_from is None
    again = pickle.loads(pickle.dumps(first))
    assert again == first and again.kinds == first.kinds
    found = {str(one): one for one in ODD.plan(["q"]).requirements}
    assert found["device.appVersionPadded"].derived_from == ("device.appVersion",)
    assert found["device.utcDate"].derived_from == ()
    assert "user.a b" not in found and "user.a.b" in found


def test_derived_attributes() -> None:
    text = ODD.select(database="duckdb")
    assert '"device.appVersionPadded"' in text and "utcDate" not in text
    assert "columns={'device.appVersion': '...'}" in text
    text = ODD.select(database="duckdb", columns={"device.appVersion": "version"})
    assert '"version" AS "device.appVersion"' in text and "Padded" not in text
    text = ODD.select(database="duckdb", columns={"device.utcDate": "day"})
    assert '"day" AS VARCHAR) AS "device.utcDate"' in text


@pytest.mark.parametrize(("options", "kind", "words"), [
    ({"database": "oracle"}, ValueError, "database='oracle': use bigquery, duckdb, postgres"),
    ({"columns": {"user.vists": "v"}}, tollgate.ColumnError,
     "columns= has 'user.vists', which no rule reads; did you mean 'user.visits'?"),
    ({"types": {"user.age": "number"}}, tollgate.ColumnError, "types= has 'user.age', which no"),
    ({"types": {"user.visits": "float"}}, ValueError, "use string, number, integer, boolean"),
    ({"table": "users; drop table x"}, ValueError, "is not the name of a table"),
    ({"table": "(select 1)"}, ValueError, "is not the name of a table"),
    ({"table": ""}, ValueError, "is not the name of a table"),
    ({"table": "'a.parquet'", "database": "postgres"}, ValueError, "is not the name of a table"),
    ({"table": 5}, TypeError, "give its name"),
    ({"placements": "numbers"}, TypeError, "is a string; give a list"),
    ({"placements": ["number"]}, tollgate.RecordError, "number"),
    ({"placements": ["lists"], "columns": {"user.visits": "v"}}, tollgate.ColumnError,
     "which no rule reads"),
])
def test_errors(options: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as problem:
        CONFIG.select(**{"database": "duckdb", **options})
    assert words in str(problem.value)


@pytest.mark.parametrize(("database", "name", "wanted"), [
    ("duckdb", 'a"b', '"a""b"'), ("postgres", "Order", '"Order"'), ("spark", "a`b", "`a``b`"),
    ("bigquery", "a`b\\", "`a\\`b\\\\`"), ("snowflake", "plan", "(plan "),
    ("snowflake", "order", '"ORDER"'), ("snowflake", "a b", '"a b"'),
    ("snowflake", "Plan", "(Plan "), ("snowflake", "1x", '"1x"'),
])
def test_names_are_quoted(database: Any, name: str, wanted: str) -> None:
    one = made(p="user.plan == 'x'")
    assert wanted in one.select(database=database, columns={"user.plan": name})


def test_tables_are_named() -> None:
    def source(table: str, database: Any = "duckdb") -> str:
        return CONFIG.select(database=database, table=table).rpartition("FROM ")[2].strip()

    assert source("app.users") == "app.users" and source('"my db".users') == '"my db".users'
    assert source("my-project.app.users", "bigquery") == "`my-project.app.users`"
    assert source("`my-project.app.users`", "bigquery") == "`my-project.app.users`"
