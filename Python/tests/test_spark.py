"""Tests Spark with two workers. Each user must get the same outcome as alone.

The test takes half a minute and needs Java, so `Tools/nightly.sh` runs it.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import CONFIG, NOW, expected, rule, users, variant

import tollgate

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

SCHEMA = """userId string, user struct<plan: string, visits: bigint, tags: array<string>>,
    device struct<locale: string>"""
TEXT = json.dumps(CONFIG)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    import os

    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]").appName("tollgate")
        .config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        # Several batches for each partition, one of them with a few rows.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "300")
        .getOrCreate())
    yield session
    session.stop()


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    rows = [
        (record["userId"],
         None if "user" not in record else tuple(
             record["user"].get(name) for name in ("plan", "visits", "tags")),
         None if "device" not in record else (record["device"]["locale"],))
        for record in users(2_000)
    ]
    return spark.createDataFrame(rows, SCHEMA).repartition(3)


@pytest.fixture(scope="module")
def wanted(config: tollgate.Config) -> dict[str, Any]:
    return {record["userId"]: expected(config, record) for record in users(2_000)}


def by_user(frame: Any, *placements: str) -> dict[str, Any]:
    found = {
        row["userId"]: {name: row[name].asDict() for name in placements} for row in frame.collect()}
    assert len(found) == frame.count()
    return found


def test_structs(frame: Any, wanted: Any) -> None:
    import tollgate.spark

    found = tollgate.spark.decide(frame, TEXT, seed="s", now=NOW)
    assert found.columns == ["userId", "export", "open"]
    assert by_user(found, "export", "open") == wanted


def test_flat_columns(frame: Any, wanted: Any) -> None:
    from pyspark.sql import functions as f

    import tollgate.spark

    flat = frame.select(
        f.col("userId").alias("id"), f.col("user.plan").alias("tier"),
        f.col("user.visits").cast("int").alias("visits"), f.col("device.locale").alias("locale"))
    found = tollgate.spark.decide(
        flat, TEXT, seed="s", now=NOW, placements=["export"], subject="id", root="user",
        columns={"user.plan": "tier", "device.locale": "locale"})
    assert found.columns == ["id", "export"]
    renamed = found.withColumnRenamed("id", "userId")
    assert by_user(renamed, "export") == {
        user: {"export": row["export"]} for user, row in wanted.items()}


def test_queries_over_outcomes(frame: Any, wanted: Any) -> None:
    import tollgate.spark

    found = tollgate.spark.decide(frame, TEXT, seed="s", now=NOW)
    counts = {
        row["paywall"]: row["count"]
        for row in found.groupBy("export.paywall").count().collect()}
    names = [row["export"]["paywall"] for row in wanted.values()]
    assert counts == {name: names.count(name) for name in set(names)}
    joined = frame.join(found, "userId").where("export.result = 'paywall'").count()
    assert joined == sum(row["export"]["result"] == "paywall" for row in wanted.values())


def test_numbers_instead_of_texts(frame: Any, config: tollgate.Config, wanted: Any) -> None:
    import tollgate.spark

    found = tollgate.spark.decide(
        frame, TEXT, seed="s", now=NOW, placements=["open"], codes=True).collect()
    choices = config.plan(["open"], now=NOW).choices
    assert {row["userId"]: choices[row["open"]]["result"] for row in found} == {
        user: row["open"]["result"] for user, row in wanted.items()}


def test_columns_beside_outcomes(frame: Any, wanted: Any) -> None:
    from pyspark.sql import functions as f

    import tollgate.spark

    more = frame.select(
        "*", f.struct(f.lit(1).alias("a name"), f.current_timestamp().alias("t")).alias("odd name"))
    found = tollgate.spark.decide(more, TEXT, seed="s", now=NOW, keep=["user", "odd name"])
    assert found.columns == ["userId", "user", "odd name", "export", "open"]
    assert found.schema["odd name"].dataType == more.schema["odd name"].dataType
    users = {row["userId"]: row["user"] for row in more.collect()}
    for row in found.collect():
        assert row["user"] == users[row["userId"]] and row["odd name"]["a name"] == 1
        assert row["export"].asDict() == wanted[row["userId"]]["export"]


def test_no_rows(frame: Any) -> None:
    import tollgate.spark

    found = tollgate.spark.decide(frame.where("userId is null"), TEXT, seed="s", now=NOW)
    assert found.collect() == [] and found.columns == ["userId", "export", "open"]


def test_mistakes(frame: Any) -> None:
    import tollgate.spark

    with pytest.raises(tollgate.RecordError, match="did you mean 'open'"):
        tollgate.spark.decide(frame, TEXT, seed="s", now=NOW, placements=["opne"])
    # Found before the job starts, and not by each of its workers.
    lacking = frame.select("userId", "device")
    with pytest.raises(tollgate.ColumnError, match="user.plan"):
        tollgate.spark.decide(lacking, TEXT, seed="s", now=NOW)
    with pytest.raises(tollgate.ColumnError, match="userId"):
        tollgate.spark.decide(frame.drop("userId"), TEXT, seed="s", now=NOW)
    with pytest.raises(ValueError, match="no dictionaries"):
        tollgate.spark.decide(frame, TEXT, seed="s", now=NOW, texts="dictionary")
    dotted = frame.selectExpr("userId", "user.plan as `user.plan`")
    with pytest.raises(tollgate.ColumnError, match="dot"):
        tollgate.spark.decide(dotted, TEXT, seed="s", now=NOW, missing_columns="ignore")
    ignored = tollgate.spark.decide(
        lacking, TEXT, seed="s", now=NOW, placements=["open"], missing_columns="ignore")
    assert {row["open"]["result"] for row in ignored.collect()} == {"noAudienceMatch"}


def test_flat_names_and_conversions(spark: Any) -> None:
    import tollgate.spark

    condition = (
        "user.paid == 9.99 && user.born == '2026-03-01' && user.seen == '2026-01-02T02:00:00Z'")
    text = json.dumps({"build_id": "b", "trigger_options": [
        {"event_name": "p", "rules": [rule("e", condition, variant("v", 100, "pw"))]}]})
    frame = spark.sql("""
        select cast(7 as decimal(38, 0)) userId, cast(9.99 as decimal(9, 2)) user_paid,
            date'2026-03-01' user_born, timestamp_ntz'2026-01-02 03:00:00' user_seen""")
    found = tollgate.spark.decide(
        frame, text, now=NOW, dialect="cel", separator="_", decimals="double", dates="text",
        naive_times="Europe/Berlin", keep=["user_born"])
    assert [(str(row["userId"]), str(row["user_born"]), row["p"]["paywall"])
            for row in found.collect()] == [("7", "2026-03-01", "pw")]


TIME = "timestamp'2026-02-03 04:05:06.25'"
READ = "'2026-02-03T09:05:06.25Z'"


@pytest.mark.parametrize(("column", "condition"), [
    (TIME, f"user.x == {READ}"),
    (f"array({TIME})", f"{READ} in user.x"),
    (f"named_struct('t', {TIME})", f"user.x.t == {READ}"),
    (f"map('t', {TIME})", "size(user.x) == 1"),
    ("'ab' collate utf8_lcase", "user.x == 'ab'"),
    ("cast('ab' as varchar(5))", "user.x == 'ab'"),
    ("cast(7 as tinyint)", "user.x == 7"),
    ("null", "!has(user.x)"),
    # These have no value for rules, or Spark cannot pass them.
    ("timestamp_ntz'2026-02-03 04:05:06'", "without a time zone"),
    ("date'2026-02-03'", "is a date"),
    ("cast(1.5 as decimal(10, 2))", "is a decimal"),
    ("cast('ab' as binary)", "is binary data"),
    ("parse_json('{}')", "is binary data"),
    ("interval '1' day", "is a duration"),
    ("interval '1' year", "cannot pass interval year to Python"),
    ("array(interval '1' year)", "cannot pass array<interval year> to Python"),
])
def test_types(spark: Any, column: str, condition: str) -> None:
    import tollgate.spark

    def decide(condition: str) -> list[Any]:
        text = json.dumps({"build_id": "b", "trigger_options": [
            {"event_name": "p", "rules": [rule("e", condition, variant("v", 100, "pw"))]}]})
        found = tollgate.spark.decide(frame, text, now=NOW, root="user", dialect="cel")
        return [row["p"]["paywall"] for row in found.collect()]

    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        frame = spark.sql(f"select 'u' userId, 'free' plan, {column} x")
        if "user" in condition:
            assert decide(condition) == ["pw"] and decide(f"!({condition})") == [None]
        else:
            with pytest.raises(tollgate.ColumnError, match=condition):
                decide("has(user.x)")
        if "cannot pass" not in condition:
            assert decide("user.plan == 'free'") == ["pw"]
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_selected_columns(spark: Any) -> None:
    """The query for the columns that rules read, with names and types of a warehouse."""
    from decimal import Decimal

    import test_select

    import tollgate.spark

    rows = test_select.users(60)
    values = [
        tuple(Decimal(value) if name == "total spent" and value else value
              for name, value in row.items()) for row in rows]
    spark.createDataFrame(
        values,
        "id bigint, visits bigint, `total spent` decimal(10, 2), `order` string, "
        "tags array<string>, created_at string, tester boolean, platform string, note string, "
        "unused string").createOrReplaceTempView("app_users")
    selected = spark.sql(test_select.query("spark"))
    assert selected.columns == ["userId", "user", "device"]
    outcomes = tollgate.spark.decide(selected, test_select.CONFIG, now=NOW).collect()
    found = {
        row["userId"]: {name: row[name]["result"] for name in test_select.RULES}
        for row in outcomes}
    assert [found[str(row["id"])] for row in rows] == test_select.wanted(rows)
