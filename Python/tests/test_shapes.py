"""Tests flat names and converted types: tables are decided like records with the same values."""

from __future__ import annotations

import datetime
import pickle
import random
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from conftest import NOW, expected, rows, rule, users, variant

import tollgate

pa = pytest.importorskip("pyarrow")


def made(condition: str, **options: Any) -> tollgate.Config:
    return tollgate.Config.loads({"build_id": "b", "trigger_options": [
        {"event_name": "p", "rules": [rule("e", condition, variant("v", 100, "pw"))]}]},
        dialect="cel", **options)


def decided(config: tollgate.Config, table: Any, **options: Any) -> list[Any]:
    plan = config.plan(now=NOW, fields=["paywall"], **options)
    found = [row["p"] and row["p"]["paywall"] for row in rows(plan.decide(table))]
    fitted = config.plan(now=NOW, fields=["paywall"], **options, schema=table.schema)
    copied = pickle.loads(pickle.dumps(plan))
    for other in (fitted, copied):
        assert [row["p"] and row["p"]["paywall"] for row in rows(other.decide(table))] == found
        assert other.count(table).users == sum(row is not None for row in found) or None in found
    return found


def flat(separator: str = "_", root: str | None = None) -> Any:
    """A table with a column for each attribute."""
    return pa.table({
        f"{first}{separator}{last}" if first != root else last: pa.array(
            [(record.get(first) or {}).get(last) for record in users()],
            pa.list_(pa.string()) if last == "tags" else None)
        for first, last in [
            ("user", "plan"), ("user", "visits"), ("user", "tags"), ("device", "locale")]
    }).append_column("userId", pa.array([record["userId"] for record in users()]))


def records() -> list[dict[str, Any]]:
    return [
        {"userId": record["userId"], "user": record.get("user") or {},
         "device": record.get("device") or {}}
        for record in users()
    ]


@pytest.mark.parametrize("separator", ["_", "__", "-", ".", "/", "ä", " "])
def test_flat_names(config: tollgate.Config, separator: str) -> None:
    table = flat(separator)
    plan = config.plan(now=NOW, separator=separator)
    wanted = [expected(config, record) for record in records()]
    assert rows(plan.decide(table)) == wanted
    assert rows(plan.with_options(schema=table.schema).decide(table)) == wanted
    assert rows(pickle.loads(pickle.dumps(plan)).decide(table)) == wanted
    assert rows(pa.table(plan.outcomes(table))) == wanted
    # Other columns, and the first again.
    fewer = table.drop_columns([f"user{separator}tags"])
    with pytest.raises(tollgate.ColumnError, match="user.tags"):
        plan.decide(fewer)
    assert plan.with_options(missing_columns="ignore").count(fewer).users == 500
    assert rows(plan.decide(table.to_reader()).read_all()) == wanted


def test_flat_names_in_frames(config: tollgate.Config) -> None:
    polars = pytest.importorskip("polars")
    wanted = [expected(config, record) for record in records()]
    plan = config.plan(now=NOW, separator="_")
    frame = polars.from_arrow(flat())
    assert plan.decide(frame).rows(named=True) == wanted
    assert plan.decide(frame.lazy()).collect().rows(named=True) == wanted


def test_flat_names_beside_others(config: tollgate.Config) -> None:
    wanted = [expected(config, record) for record in records()]
    table = flat()
    plan = config.plan(now=NOW, separator="_", columns={"user.plan": "tier_of_user"})
    renamed = [
        "tier_of_user" if name == "user_plan" else name for name in table.column_names]
    assert rows(plan.decide(table.rename_columns(renamed))) == wanted
    structs = table.drop_columns(["device_locale"]).append_column(
        "device", pa.StructArray.from_arrays(
            [table["device_locale"].combine_chunks()], names=["locale"]))
    assert rows(config.plan(now=NOW, separator="_").decide(structs)) == wanted
    bare = flat(root="user")
    assert rows(config.plan(now=NOW, separator="_", root="user").decide(bare)) == wanted
    identity = table.rename_columns(
        ["user_id" if name == "userId" else name for name in table.column_names])
    assert rows(config.plan(now=NOW, separator="_", subject="user_id").decide(identity)) == wanted


def test_flat_names_of_many_tables_in_many_threads(config: tollgate.Config) -> None:
    from concurrent.futures import ThreadPoolExecutor

    plan = config.plan(now=NOW, separator="_")
    wanted = [expected(config, record) for record in records()]
    tables = [
        flat().append_column(f"user_more{number}", pa.nulls(500)) for number in range(30)]

    def decide(table: Any) -> Any:
        return rows(plan.decide(table))

    with ThreadPoolExecutor(8) as pool:
        assert all(found == wanted for found in pool.map(decide, tables * 3))


def test_flat_names_of_more_levels() -> None:
    config = made("user.home.city_name == 'Bonn' && user.first_name == 'A'")
    table = pa.table({
        "userId": ["u"], "user_home_city_name": ["Bonn"], "user_first_name": ["A"],
        "home_city_name": [1], "user_": [1], "_x": [1], "user": [None]}).drop_columns(["user"])
    assert decided(config, table, separator="_") == ["pw"]
    bare = pa.table({"userId": ["u"], "home_city_name": ["Bonn"], "first_name": ["A"]})
    assert decided(config, bare, separator="_", root="user") == ["pw"]


def test_flat_names_of_several_attributes() -> None:
    config = made("user.first_name == 'A' || user.first.name == 'A'")
    table = pa.table({"userId": ["u"], "user_first_name": ["A"]})
    with pytest.raises(tollgate.ColumnError, match="could be 'user.*' or 'user.*columns=") as error:
        config.plan(separator="_").decide(table)
    assert error.value.column == "user_first_name"
    plan = config.plan(
        separator="_", columns={"user.first_name": "user_first_name"}, missing_columns="ignore")
    assert rows(plan.decide(table))[0]["p"]["paywall"] == "pw"


@pytest.mark.parametrize("options", [
    {"separator": ""}, {"separator": 5}, {"decimals": "float"}, {"dates": "double"},
    {"naive_times": "Nowhere"}, {"naive_times": "../UTC"}, {"naive_times": ""}, {"dates": True},
])
def test_wrong_options(config: tollgate.Config, options: dict[str, Any]) -> None:
    name, value = next(iter(options.items()))
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        config.plan(**options)


BERLIN = ZoneInfo("Europe/Berlin")
TIMES = [
    datetime.datetime(2026, 1, 2, 3, 4, 5), datetime.datetime(2026, 7, 2, 3, 4, 5, 250_000), None]


@pytest.mark.parametrize(("values", "condition", "options"), [
    (pa.array([Decimal("1.50"), None]), "user.x == 1.5", {"decimals": "double"}),
    (pa.array([Decimal("1.50"), None]), "user.x == '1.50'", {"decimals": "text"}),
    (pa.array([Decimal("-5403.69"), None]), "user.x == -5403.69", {"decimals": "double"}),
    (pa.array([Decimal("1e3"), None], pa.decimal128(5, -2)), "user.x == 1000.0",
     {"decimals": "double"}),
    (pa.array([Decimal("7"), None]), "user.x == 7.0", {"decimals": "double"}),
    (pa.array([Decimal("7"), None], pa.decimal256(60, 0)), "user.x == 7.0", {"decimals": "double"}),
    (pa.array([datetime.date(2026, 3, 1), None]), "user.x == '2026-03-01'", {"dates": "text"}),
    (pa.array([datetime.date(2026, 3, 1), None], pa.date64()), "user.x == '2026-03-01'",
     {"dates": "text"}),
    (pa.array([datetime.date(2026, 3, 1), None]), "user.x == '2026-03-01T00:00:00Z'",
     {"dates": "timestamp"}),
    (pa.array([TIMES[0], None]), "user.x == '2026-01-02T03:04:05Z'", {"naive_times": "UTC"}),
    (pa.array([TIMES[1], None]), "user.x == '2026-07-02T01:04:05.25Z'",
     {"naive_times": "Europe/Berlin"}),
    (pa.array([TIMES[0], None], pa.timestamp("ns")), "user.x == '2026-01-02T02:04:05Z'",
     {"naive_times": "Europe/Berlin"}),
    (pa.array([TIMES[0], None], pa.timestamp("s")), "user.x == '2026-01-01T18:04:05Z'",
     {"naive_times": "Asia/Tokyo"}),
    (pa.array([[Decimal("1.5")], None]), "user.x[0] == 1.5", {"decimals": "double"}),
    (pa.array([{"y": Decimal("1.5")}, None]), "user.x.y == 1.5", {"decimals": "double"}),
    (pa.array([Decimal("1.5"), None]).dictionary_encode(), "user.x == 1.5", {"decimals": "double"}),
    (pa.array([{"y": [datetime.date(2026, 3, 1)]}, None]), "'2026-03-01' in user.x.y",
     {"dates": "text", "decimals": "double"}),
], ids=range(17))
def test_types(values: Any, condition: str, options: dict[str, Any]) -> None:
    table = pa.table({"userId": ["a", "b"], "x": values, "unread": values})
    with pytest.raises(tollgate.ColumnError, match="rules have no value for"):
        made(condition).plan(root="user").decide(table)
    assert decided(made(condition), table, root="user", **options) == ["pw", None]
    assert decided(made(condition), table.slice(1), root="user", **options) == [None]


def test_whole_numbers_as_identities() -> None:
    values = pa.array([Decimal("5"), Decimal("12345678901234567890"), None], pa.decimal128(38, 0))
    table = pa.table({"userId": values, "x": [1, 1, 1]})
    for decimals in ("double", "text"):
        assert decided(made("user.x == 1"), table, root="user", decimals=decimals) == [
            "pw", "pw", None]
    config = made("true")
    plan = config.plan(decimals="double", now=NOW, subject="id")
    same = plan.decide(pa.table({"id": values, "userId": [1, 2, 3]}))
    assert rows(same)[2]["p"] is None
    with pytest.raises(tollgate.ColumnError, match="userId"):
        config.plan(decimals="double").decide(pa.table({"userId": [Decimal("1.5")]}))


def test_hours_that_clocks_skip_and_repeat() -> None:
    hours = [datetime.datetime(2026, 3, 29, 2, 30), datetime.datetime(2026, 10, 25, 2, 30)]
    table = pa.table({"userId": ["a", "b"], "x": hours})
    condition = "user.x == '2026-03-29T01:00:00Z' || user.x == '2026-10-25T00:30:00Z'"
    assert decided(made(condition), table, root="user", naive_times="Europe/Berlin") == ["pw", "pw"]


LEAVES: list[Any] = [
    pa.decimal128(10, 2), pa.decimal256(40, 1), pa.date32(), pa.date64(), pa.timestamp("us"),
    pa.timestamp("ms", "Asia/Tokyo"), pa.int32(), pa.string(), pa.bool_(), pa.float64(), pa.null(),
]


def some_type(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(7) if depth else 6
    if kind == 0:
        return pa.struct([
            (f"f{number}", some_type(chance, depth - 1)) for number in range(chance.randint(1, 3))])
    if kind in (1, 2, 3):
        inner = some_type(chance, depth - 1)
        return (pa.list_(inner), pa.large_list(inner), pa.list_(inner, 2))[kind - 1]
    if kind == 4:
        return pa.map_(pa.string(), some_type(chance, depth - 1))
    if kind == 5:
        return pa.dictionary(pa.int32(), pa.string())
    return chance.choice(LEAVES)


def some_value(chance: random.Random, kind: Any) -> Any:
    types = pa.types
    if chance.random() < 0.25 or types.is_null(kind):
        return None
    if types.is_dictionary(kind):
        return some_value(chance, kind.value_type)
    if types.is_struct(kind):
        return {field.name: some_value(chance, field.type) for field in kind}
    if types.is_map(kind):
        return [(f"k{number}", some_value(chance, kind.item_type))
                for number in range(chance.randrange(3))]
    if types.is_nested(kind):
        count = 2 if types.is_fixed_size_list(kind) else chance.randrange(4)
        return [some_value(chance, kind.value_type) for _ in range(count)]
    if types.is_decimal(kind):
        return Decimal(chance.randrange(-1_000_000, 1_000_000)).scaleb(-kind.scale)
    if types.is_date(kind):
        return datetime.date.fromordinal(chance.randrange(700_000, 760_000))
    if types.is_timestamp(kind):
        zone = ZoneInfo(kind.tz) if kind.tz else None
        return datetime.datetime(2026, 1, 1, tzinfo=zone) + datetime.timedelta(
            seconds=chance.randrange(30_000_000))
    return {"int32": 5, "string": "s", "bool": True, "double": 0.5}[str(kind)]


def plain(value: Any, is_date: bool = False) -> Any:
    """The value that a converted one is, in the words of Python."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, datetime.datetime):
        zoned = value if value.tzinfo else value.replace(tzinfo=BERLIN)
        return zoned.astimezone(datetime.timezone.utc)
    if isinstance(value, datetime.date):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value


@pytest.mark.parametrize("seed", range(60))
def test_any_type(seed: int) -> None:
    from tollgate._shapes import Conversions
    from tollgate._tables import Exporter

    chance = random.Random(seed)
    kinds = [some_type(chance, 3) for _ in range(3)]
    count = chance.randrange(1, 40)
    table = pa.table({
        f"c{number}": pa.array([some_value(chance, kind) for _ in range(count)], kind)
        for number, kind in enumerate(kinds)})
    conversions = Conversions("double", "text", "Europe/Berlin")
    for part in (table, table.slice(chance.randrange(count)), table.slice(0, 0),
                 pa.concat_tables([table, table.slice(1)])):
        stream = conversions.stream(part.__arrow_c_stream__(), "id")
        found = pa.RecordBatchReader.from_stream(Exporter(stream)).read_all()
        found.validate(full=True)
        assert found.schema == conversions.schema(part.schema, "id")
        assert plain(found.to_pylist()) == plain(part.to_pylist())
