"""Tests tables that are scanned or read in parts, and objects that are not tables."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, users
from test_frames import table

import tollgate

pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def people() -> Any:
    return table(users(3_000))


@pytest.fixture(scope="module")
def wanted(config: tollgate.Config, people: Any) -> Any:
    return config.plan(now=NOW).decide(people).to_pylist()


@pytest.fixture
def file(tmp_path: Path, people: Any) -> Path:
    parquet.write_table(people, tmp_path / "users.parquet", row_group_size=1_000)
    return tmp_path / "users.parquet"


def check(config: tollgate.Config, make: Any, people: Any, wanted: Any) -> None:
    """Every way to decide; ``make`` returns the source again."""
    plan = config.plan(now=NOW)
    assert pa.table(plan.outcomes(make())).to_pylist() == wanted
    assert plan.count(make()).to_dict() == plan.count(people).to_dict()
    beside = plan.decide(make(), keep=["userId"]).read_all()
    assert beside.column("userId").to_pylist() == people["userId"].to_pylist()
    assert beside.drop_columns(["userId"]).to_pylist() == wanted
    with pytest.raises(tollgate.ColumnError, match="give subject='userId'") as error:
        config.plan(now=NOW, subject="id").decide(make())
    assert error.value.column == "id"


def test_files(config: tollgate.Config, people: Any, wanted: Any, file: Path) -> None:
    check(config, lambda: parquet.ParquetFile(file), people, wanted)
    found = config.plan(now=NOW).decide(parquet.ParquetFile(file))
    assert isinstance(found, pa.RecordBatchReader) and found.read_all().to_pylist() == wanted


def test_datasets(config: tollgate.Config, people: Any, wanted: Any, file: Path) -> None:
    check(config, lambda: dataset.dataset(file), people, wanted)
    check(config, lambda: dataset.dataset(file).scanner(), people, wanted)
    found = config.plan(now=NOW).decide(dataset.dataset(file))
    assert isinstance(found, pa.RecordBatchReader) and found.read_all().to_pylist() == wanted
    some = dataset.dataset(file).scanner(filter=dataset.field("userId") == "u7")
    assert config.plan(now=NOW).count(some).users == 1
    fewer = dataset.dataset(file).scanner(columns=["userId", "device"])
    with pytest.raises(tollgate.ColumnError, match="2 columns|3 columns"):
        config.plan(now=NOW).decide(fewer)


def test_partitions(config: tollgate.Config, people: Any, tmp_path: Path) -> None:
    number = pa.array([row % 3 for row in range(people.num_rows)])
    dataset.write_dataset(
        people.append_column("part", number), tmp_path / "d", format="parquet",
        partitioning=["part"], partitioning_flavor="hive")
    whole = dataset.dataset(tmp_path / "d", partitioning="hive")
    tally = config.plan(now=NOW).count(whole)
    assert tally.outcomes("export") == config.plan(now=NOW).count(people).outcomes("export")
    beside = config.plan(now=NOW).decide(whole, keep=["part"]).read_all()
    assert sorted(beside["part"].to_pylist()) == sorted(number.to_pylist())


class Table:
    """A table of Delta or Iceberg, without these packages."""

    def __init__(self, **methods: Any) -> None:
        self.__dict__.update(methods)


def test_tables_of_lakes(
    config: tollgate.Config, people: Any, wanted: Any, file: Path
) -> None:
    delta = Table(to_pyarrow_dataset=lambda: dataset.dataset(file))
    check(config, lambda: delta, people, wanted)
    scan = Table(to_arrow_batch_reader=lambda: people.to_reader())
    check(config, lambda: scan, people, wanted)
    check(config, lambda: Table(scan=lambda: scan), people, wanted)


def test_delta(config: tollgate.Config, people: Any, wanted: Any, tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(tmp_path / "d", people)
    check(config, lambda: deltalake.DeltaTable(tmp_path / "d"), people, wanted)
    deltalake.write_deltalake(tmp_path / "o", config.plan(now=NOW).outcomes(people))
    outcomes = pa.table(deltalake.DeltaTable(tmp_path / "o").to_pyarrow_table())
    assert outcomes.to_pylist() == wanted


def test_iceberg(config: tollgate.Config, people: Any, wanted: Any, tmp_path: Path) -> None:
    catalogs = pytest.importorskip("pyiceberg.catalog")
    pytest.importorskip("sqlalchemy")
    catalog = catalogs.load_catalog(
        "default", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("n")
    made = catalog.create_table("n.users", schema=people.schema)
    made.append(people)
    check(config, lambda: made, people, wanted)
    check(config, lambda: made.scan(), people, wanted)


def test_relations_stay_in_their_connection(
    config: tollgate.Config, people: Any, wanted: Any
) -> None:
    duckdb = pytest.importorskip("duckdb", minversion="2.0")
    connection = duckdb.connect()
    connection.execute("create table users as from people")
    connection.execute("create view _tollgate_users as select 5 as five")
    connection.execute("create table outcomes as select 6 as six")
    plan = config.plan(now=NOW)
    found = [plan.decide(connection.sql("from users"), keep=["userId"]) for _ in range(2)]
    gc.collect()
    first, second = found
    assert [row[1] for row in first.fetchall()] == [row["export"] for row in wanted]
    assert first.alias != second.alias
    joined = connection.sql("select count(*) from users join first using (userId)")
    assert joined.fetchall() == [(3_000,)]
    assert connection.sql("from users").join(first, "userId").count("*").fetchall() == [(3_000,)]
    assert first.join(second, "userId").count("*").fetchall() == [(3_000,)]
    first.create("decided")
    assert connection.sql("select count(export.paywall) from decided").fetchall() == [
        (sum(row["export"]["paywall"] is not None for row in wanted),)]
    views = connection.sql("select view_name from duckdb_views() where not internal").fetchall()
    assert views == [("_tollgate_users",)]
    assert connection.sql("from _tollgate_users").fetchall() == [(5,)]


def test_relations_leave_nothing_behind(
    config: tollgate.Config, people: Any, wanted: Any, tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(tmp_path / "users.duckdb") as connection:
        connection.execute("create table users as from people")
    with duckdb.connect(tmp_path / "users.duckdb", read_only=True) as connection:
        found = config.plan(now=NOW).decide(connection.sql("from users"))
        assert [row[0] for row in found.fetchall()] == [row["export"] for row in wanted]
        assert connection.sql("from duckdb_views() where not internal").fetchall() == []


def test_connections_that_look_at_no_variables(
    config: tollgate.Config, people: Any, wanted: Any
) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect(config={"python_enable_replacements": False})
    found = config.plan(now=NOW).decide(connection.from_arrow(people))
    assert [row[0] for row in found.fetchall()] == [row["export"] for row in wanted]


def test_objects_that_are_no_tables(config: tollgate.Config, file: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()

    class Spark:
        __module__ = "pyspark.sql.dataframe"

    class Rays:
        __module__ = "ray.data"

    for given, words in [
        (connection.execute("select 1"), r"con.sql\("), (connection, r"con.sql\("),
        (Spark(), "tollgate.spark.decide"), (Rays(), "map_batches"), (str(file), "ParquetFile"),
        (file, "ParquetFile"), (Table(to_arrow=list), r"method to_arrow\(\)"),
        (Table(to_pandas=list), r"method to_pandas\(\)"), ([{"userId": "u"}], "from_pylist"),
        ({"userId": ["u"]}, "from_pylist"), (None, "from_pylist"), (5, "from_pylist"),
    ]:
        plan = config.plan(now=NOW)
        for work in (plan.decide, plan.count, plan.outcomes):
            with pytest.raises(TypeError, match=f"is not a table that exports Arrow.*{words}"):
                work(given)
        with pytest.raises(TypeError, match=words):
            plan.decide(given, keep=["userId"])
