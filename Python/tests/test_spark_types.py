"""Tests types of Spark's columns, with a small replacement for Spark.

`test_spark.py` tests the same with Spark itself, if Spark and Java are installed.
"""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import NOW, rule, variant

import tollgate

pa = pytest.importorskip("pyarrow")

TIME = datetime.datetime(2026, 2, 3, 9, 5, 6, 250_000, tzinfo=datetime.timezone.utc)
TEXT = "2026-02-03T09:05:06.25Z"


class Kind:
    """A type of Spark's, and what it is in Arrow."""

    def __init__(self, name: str, arrow: Callable[[str | None], Any]) -> None:
        self.name, self.arrow = name, arrow

    def simpleString(self) -> str:
        return self.name


class Field:
    def __init__(self, name: str, kind: Kind) -> None:
        self.name, self.dataType = name, kind


class Schema(list[Any]):
    def add(self, *field: Any) -> None:
        self.append(field)

    def __getitem__(self, name: Any) -> Any:
        return next(field for field in self if field.name == name)


class Frame:
    """A frame that is decided in this process, in batches of two rows."""

    def __init__(self, table: Any, kinds: list[Kind]) -> None:
        self.table, self.columns = table, table.column_names
        self.schema = Schema(map(Field, table.column_names, kinds))

    def mapInArrow(self, function: Any, schema: str) -> Any:
        return pa.Table.from_batches(function(iter(self.table.to_batches(max_chunksize=2))))


def zoned(zone: str | None) -> Any:
    # As Spark does; without a text.
    assert zone is not None
    return pa.timestamp("us", tz=zone)


def unsupported(zone: str | None) -> Any:
    raise TypeError("[UNSUPPORTED_DATA_TYPE_FOR_ARROW_CONVERSION]")


STRING = Kind("string", lambda zone: pa.string())
TIMESTAMP = Kind("timestamp", zoned)
NAIVE = Kind("timestamp_ntz", lambda zone: pa.timestamp("us"))
KINDS = [
    (TIMESTAMP, TIME, f"user.x == '{TEXT}'"),
    (Kind("array<timestamp>", lambda zone: pa.list_(zoned(zone))), [TIME], f"'{TEXT}' in user.x"),
    (Kind("struct<t:timestamp>", lambda zone: pa.struct([("t", zoned(zone))])), {"t": TIME},
     f"user.x.t == '{TEXT}'"),
    (Kind("map<string,timestamp>", lambda zone: pa.map_(pa.string(), zoned(zone))), [("t", TIME)],
     "size(user.x) == 1"),
    (Kind("string collate UTF8_LCASE", lambda zone: pa.string()), "ab", "user.x == 'ab'"),
    (Kind("tinyint", lambda zone: pa.int8()), 7, "user.x == 7"),
    (Kind("void", lambda zone: pa.null()), None, "!has(user.x)"),
]


@pytest.fixture(params=["timezone", "before Spark 4.1"])
def spark(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The module that Spark's conversion is in, as two versions have it."""

    def convert(schema: Any, zone: str | None) -> Any:
        return pa.schema([(field.name, field.dataType.arrow(zone)) for field in schema])

    def newer(schema: Any, *, timezone: str | None = None) -> Any:
        return convert(schema, timezone)

    def older(schema: Any, timestamp_utc: bool = True) -> Any:
        return convert(schema, "UTC")

    parts = "pyspark.sql.pandas.types".split(".")
    for depth in range(1, len(parts) + 1):
        name = ".".join(parts[:depth])
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    kind: str = request.param
    sys.modules[name].to_arrow_schema = (  # type: ignore[attr-defined]
        newer if kind == "timezone" else older)
    yield kind


def config(condition: str) -> str:
    return json.dumps({"build_id": "b", "trigger_options": [
        {"event_name": "p", "rules": [rule("e", condition, variant("v", 100, "pw"))]}]})


def frame(kind: Kind, value: Any, zone: str = "America/New_York") -> Frame:
    """Three users, with times in the zone of a session, as workers get them."""
    count = 3
    return Frame(
        pa.table({
            "userId": [f"u{number}" for number in range(count)],
            "x": pa.array([value] * count, kind.arrow(zone)), "plan": ["free"] * count}),
        [STRING, kind, STRING])


def decide(frame: Frame, condition: str) -> list[Any]:
    import tollgate.spark

    outcomes = tollgate.spark.decide(
        frame, config(condition), now=NOW, root="user", dialect="cel", fields=["paywall"])
    return [row["p"]["paywall"] for row in outcomes.to_pylist()]


@pytest.mark.parametrize(("kind", "value", "condition"), KINDS, ids=[k.name for k, *_ in KINDS])
def test_columns(spark: str, kind: Kind, value: Any, condition: str) -> None:
    users = frame(kind, value)
    assert decide(users, "user.plan == 'free'") == ["pw"] * 3
    assert decide(users, condition) == ["pw"] * 3
    assert decide(users, f"!({condition})") == [None] * 3


@pytest.mark.parametrize("kind", [
    Kind("interval year to month", unsupported), Kind("array<interval>", unsupported)])
def test_columns_that_spark_cannot_pass(spark: str, kind: Kind) -> None:
    users = frame(STRING, "a")
    users.schema["x"].dataType = kind
    with pytest.raises(tollgate.ColumnError, match="cast the column to a string, or drop") as found:
        decide(users, "user.plan == 'free'")
    assert found.value.column == "x" and kind.name in str(found.value)


def test_times_without_a_zone(spark: str) -> None:
    users = frame(NAIVE, datetime.datetime(2026, 2, 3))
    assert decide(users, "user.plan == 'free'") == ["pw"] * 3
    with pytest.raises(tollgate.ColumnError, match="without a time zone"):
        decide(users, "has(user.x)")


@pytest.mark.parametrize("keep", [[], ["plan"], ["userId", "x", "plan"], ("x",)])
def test_columns_beside_outcomes(spark: str, keep: Any) -> None:
    import tollgate.spark

    users = frame(TIMESTAMP, TIME)
    found = tollgate.spark.decide(
        users, config("user.plan == 'free'"), now=NOW, root="user", fields=["paywall"], keep=keep)
    names = ["userId", *(name for name in keep if name != "userId")]
    assert found.column_names == [*names, "p"]
    assert found.select(names) == users.table.select(names)


def test_columns_that_cannot_be_beside_outcomes(spark: str) -> None:
    import tollgate.spark

    for keep, kind, words in [
        (["plna"], tollgate.ColumnError, "did you mean 'plan'"), (["x", "x"], ValueError, "twice"),
        ("plan", TypeError, r"give a list: \['plan'\]"),
    ]:
        with pytest.raises(kind, match=words):
            tollgate.spark.decide(
                frame(STRING, "a"), config("true"), now=NOW, root="user", keep=keep)


def test_configs(spark: str, tmp_path: Path) -> None:
    import tollgate.spark

    users = frame(STRING, "a")
    text = config("user.plan == 'free'")
    (tmp_path / "config.json").write_text(text)
    given: list[Any] = [
        text, text.encode(), json.loads(text), tmp_path / "config.json",
        tollgate.Config.loads(text), tollgate.Config.loads(text, dialect="cel", seed="x")]
    for one in given:
        found = tollgate.spark.decide(users, one, now=NOW, root="user", fields=["paywall"])
        assert [row["p"]["paywall"] for row in found.to_pylist()] == ["pw"] * 3
    with pytest.raises(ValueError, match="dialect='cel': the config has a dialect"):
        tollgate.spark.decide(users, tollgate.Config.loads(text), dialect="cel", now=NOW)


def test_seeds(spark: str) -> None:
    import tollgate.spark

    text = json.dumps({"build_id": "b", "trigger_options": [{"event_name": "p", "rules": [
        rule("e", "true", variant("v", 50, "a"), variant("w", 50, "b"))]}]})
    users = Frame(pa.table({"userId": [f"u{number}" for number in range(99)]}), [STRING])

    def decide(config: Any, **options: Any) -> list[Any]:
        found = tollgate.spark.decide(users, config, now=NOW, fields=["paywall"], **options)
        return [row["p"]["paywall"] for row in found.to_pylist()]

    wanted = decide(text, seed="x")
    assert decide(tollgate.Config.loads(text, seed="x")) == wanted
    assert decide(tollgate.Config.loads(text, seed="y"), seed="x") == wanted
    assert decide(tollgate.Config.loads(text, seed="y")) != wanted
    assert wanted == [
        tollgate.Config.loads(text, seed="x").decide("p", {"userId": f"u{number}"}).paywall
        for number in range(99)]


def test_flat_names_and_conversions(spark: str) -> None:
    import tollgate.spark

    kinds = [
        STRING, Kind("decimal(9,2)", lambda zone: pa.decimal128(9, 2)),
        Kind("date", lambda zone: pa.date32()), NAIVE]
    table = pa.table({
        "userId": ["a", "b"], "user_paid": pa.array([Decimal("9.99"), None], pa.decimal128(9, 2)),
        "user_born": [datetime.date(2026, 3, 1), None],
        "user_seen": pa.array([datetime.datetime(2026, 1, 2, 3), None], pa.timestamp("us"))})
    users = Frame(table, kinds)
    condition = (
        "user.paid == 9.99 && user.born == '2026-03-01' && user.seen == '2026-01-02T02:00:00Z'")

    def decide(**options: Any) -> Any:
        return tollgate.spark.decide(
            users, config(condition), now=NOW, dialect="cel", fields=["paywall"], **options)

    with pytest.raises(tollgate.ColumnError, match="give separator='_'"):
        decide()
    with pytest.raises(tollgate.ColumnError, match="(?s)decimals='double'.*dates='text'.*naive"):
        decide(separator="_")
    found = decide(
        separator="_", decimals="double", dates="text", naive_times="Europe/Berlin",
        keep=["user_paid"])
    assert found.to_pylist() == [
        {"userId": "a", "user_paid": Decimal("9.99"), "p": {"paywall": "pw"}},
        {"userId": "b", "user_paid": None, "p": {"paywall": None}}]
