"""Decides tables of several engines. Each user must get the same outcome as alone."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import NOW, expected, rows, users

import tollgate

pa = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def plan(config: tollgate.Config) -> tollgate.Plan:
    return config.plan(now=NOW)


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    return users(3_000)


@pytest.fixture(scope="module")
def wanted(config: tollgate.Config, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [expected(config, record) for record in records]


def arrow(records: list[dict[str, Any]]) -> Any:
    from test_frames import table

    return table(records)


# Polars


def test_polars(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(arrow(records))
    found = plan.decide(frame)
    assert isinstance(found, pl.DataFrame) and found.to_dicts() == wanted
    categories = frame.with_columns(
        pl.col("user").struct.with_fields(pl.field("plan").cast(pl.Categorical)))
    assert plan.decide(categories).to_dicts() == wanted
    assert plan.decide(frame.slice(100, 50)).to_dicts() == wanted[100:150]
    assert plan.decide(frame.head(0)).height == 0


def test_polars_lazily(plan: tollgate.Plan, records: Any, wanted: Any, tmp_path: Any) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(arrow(records))
    lazy = plan.decide(frame.lazy())
    assert isinstance(lazy, pl.LazyFrame) and lazy.collect_schema().names() == ["export", "open"]
    assert lazy.collect().to_dicts() == wanted
    frame.write_parquet(tmp_path / "users.parquet")
    plan.decide(pl.scan_parquet(tmp_path / "users.parquet")).sink_parquet(tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").to_dicts() == wanted


def test_polars_expressions(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    pl = pytest.importorskip("polars")
    import tollgate.polars

    frame = pl.DataFrame(arrow(records))
    found = frame.with_columns(got=tollgate.polars.decide(pl.struct(pl.all()), plan))
    assert found["got"].to_list() == wanted
    few = found.lazy().select(tollgate.polars.decide(pl.struct("userId", "user", "device"), plan))
    assert few.collect().to_series().to_list() == wanted


# pandas


def test_pandas(config: tollgate.Config, records: Any, wanted: Any) -> None:
    pd = pytest.importorskip("pandas")
    flat = arrow(records).flatten().to_pandas()
    flat = flat.drop(columns=["user.tags"])
    flat.index = flat.index + 1_000
    plan = config.plan(["export"], now=NOW)
    found = plan.decide(flat)
    assert isinstance(found, pd.DataFrame) and list(found.index[:2]) == [1_000, 1_001]
    assert list(found.columns) == [
        "export.result", "export.experiment", "export.variant", "export.paywall"]
    for name in ("result", "experiment", "variant", "paywall"):
        column = found[f"export.{name}"]
        values = [None if pd.isna(value) else value for value in column]
        assert values == [row["export"][name] for row in wanted]


def test_pandas_with_values_of_several_types(config: tollgate.Config) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"userId": ["a", "b"], "user.tags": pd.Series(["x", 1], dtype=object)})
    with pytest.raises(tollgate.TableError, match=r"user\.tags.*frame\.astype"):
        config.plan(["open"]).decide(frame)


# DuckDB


def test_duckdb_relations(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    import tollgate.duckdb

    people = arrow(records)
    connection = duckdb.connect()
    connection.execute("create table users as select * from people")
    assert people.num_rows == 3_000
    found = tollgate.duckdb.decide(connection, connection.table("users"), plan)
    assert found.columns == ["export", "open"]
    assert rows(connection.sql("select * from found").to_arrow_table()) == wanted
    counted = connection.sql(
        "select count(*) from found where export.result = 'paywall'").fetchall()[0][0]
    assert counted == sum(row["export"]["result"] == "paywall" for row in wanted)
    assert rows(plan.decide(duckdb.from_arrow(people)).to_arrow_table()) == wanted


def test_duckdb_by_another_name(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    """Relations of 1.5 are of the module ``_duckdb``, those of 1.3 and 2.0 of ``duckdb``."""
    duckdb = pytest.importorskip("duckdb")
    people = duckdb.from_arrow(arrow(records))

    class Relation:
        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            return people.__arrow_c_stream__()

        def query(self, *given: str) -> Any:
            return people.query(*given)

        set_alias = None

    for module in ("duckdb.relation", "_duckdb"):
        Relation.__module__ = module
        found = plan.decide(Relation())
        assert type(found) is type(people) and rows(found.to_arrow_table()) == wanted


def test_duckdb_functions(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    import tollgate.duckdb

    people = arrow(records)
    connection = duckdb.connect()
    connection.execute("create table users as select * from people")
    assert people.num_rows == 3_000
    tollgate.duckdb.register(
        connection, "decide", plan,
        [("userId", "VARCHAR"),
         ("user", 'STRUCT("plan" VARCHAR, visits BIGINT, tags VARCHAR[])'),
         ("device", "STRUCT(locale VARCHAR)")])
    found = connection.sql(
        'select decide(userId, "user", device) as got from users').fetchall()
    assert [row[0] for row in found] == wanted


def test_duckdb_enums(config: tollgate.Config, records: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    people = arrow(records)
    assert people.num_rows == 3_000
    relation = connection.sql("""
        select userId, struct_pack("plan" := "user"."plan"::enum('free', 'a plan with a long name'),
          visits := "user".visits::utinyint) as "user", device from people
        where "user" is not null""")
    known = [record for record in records if "user" in record]
    plan = config.plan(["export"], now=NOW)
    found = rows(plan.outcomes(relation).to_arrow())
    assert found == [{"export": expected(config, record)["export"]} for record in known]


def test_relations_stay_in_their_connection(plan: tollgate.Plan, records: Any) -> None:
    """Also beside tables with names like those that finding the outcomes needs."""
    duckdb = pytest.importorskip("duckdb")
    if int(duckdb.__version__.partition(".")[0]) < 2:
        pytest.skip("DuckDB before 2 cannot do that")
    connection = duckdb.connect()
    connection.from_arrow(arrow(records)).create("users")
    for name in ("_tollgate_outcomes", "_tollgate_users", "found", "table", "outcomes"):
        connection.execute(f'create table "{name}" as select 42 as answer')
    before = connection.sql("show tables").fetchall()
    first, second = (
        plan.decide(given, keep=["userId"])
        for given in (connection.table("users"), connection.cursor().table("users")))
    assert first.columns == ["userId", *plan.placements] == second.columns
    assert connection.sql("from first join users using (userId)").fetchall()
    assert first.join(connection.table("users"), "userId").count("*").fetchall() == [
        (len(records),)]
    assert connection.sql("show tables").fetchall() == before
    # Uncommitted rows are those of the connection.
    connection.execute("begin")
    connection.execute("delete from users")
    assert plan.decide(connection.table("users")).count("*").fetchall() == [(0,)]
    connection.execute("rollback")
