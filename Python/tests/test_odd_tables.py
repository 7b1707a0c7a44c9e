"""Decides columns of every type like single values, and tests malformed tables."""

from __future__ import annotations

import datetime
import math
import subprocess
import sys
from typing import Any

import pytest
from conftest import NOW, rule, variant

import tollgate

pa = pytest.importorskip("pyarrow")


def config(expression: str) -> tollgate.Config:
    rules = [rule("e", expression, variant("v", 100, "a"))]
    triggers = [{"event_name": "p", "rules": rules}]
    return tollgate.Config.loads({"build_id": "b", "trigger_options": triggers}, dialect="cel")


def plan(expression: str = "user.x == 'a'", **options: Any) -> tollgate.Plan:
    return config(expression).plan(root="user", now="2026-01-01T00:00:00Z", **options)


def table(column: Any) -> Any:
    return pa.table({"userId": [f"u{row}" for row in range(len(column))], "x": column})


def results(expression: str, column: Any) -> list[str]:
    found = plan(expression).decide(table(column))
    return [row["p"]["result"] for row in found.to_pylist()]


VALUES = {
    "half": ("user.x == 1.5", pa.array([1.5, None, 2.0], pa.float32()).cast(pa.float16())),
    "infinite": ("user.x > 1e300", pa.array([1.5, None, 1e301])),
    "large": ("user.x > 9223372036854775807u", pa.array([2**64 - 1, 5, None], pa.uint64())),
    "small": ("user.x == -9223372036854775807 - 1", pa.array([-2**63, 1, None])),
    "bool": ("user.x", pa.array([True, False, None])),
    "null": ("has(user.x)", pa.array([None, None])),
    "dictionary": ("user.x == 'a'", pa.array(["a", "b", None]).dictionary_encode()),
    "null in a dictionary": ("user.x == 'a'", pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 1], pa.int8()), pa.array([None, "a"]))),
    "fixed lists": ("'a' in user.x", pa.array([["a", "b"], None], pa.list_(pa.string(), 2))),
    "lists of lists": ("user.x[0][0] == 1", pa.array([[[1]], [], None, [[]]])),
    "NULL in lists": ("user.x[1] == 'a' && null in user.x", pa.array(
        [[None, "a"], ["a"], [None], None, []])),
    "NULL in fixed lists": ("size(user.x) == 2 && user.x[0] == null", pa.array(
        [[None, "a"], ["b", None], None], pa.list_(pa.string(), 2))),
    "NULL in lists of lists": ("user.x[0] == null || user.x[0][0] == null", pa.array(
        [[None], [[None]], [[1]], None])),
    "lists of structs": ("user.x[0].y == 1", pa.array([[{"y": 1}], [], None, [{"y": None}]])),
    "structs": ("user.x.y.z == 1", pa.array([{"y": {"z": 1}}, {"y": None}, None])),
    "texts": ("user.x == 'é\U0001F600'", pa.array(["a", "é\U0001F600", "", None])),
    "views": ("user.x == 'é\U0001F600 and more'", pa.array(
        ["a", "é\U0001F600 and more", "", None], pa.string_view())),
    "parts": ("user.x == 1", pa.chunked_array(
        [pa.array([1]), pa.array([], pa.int64()), pa.array([2, None])])),
}


def without_nulls(value: Any) -> Any:
    """A value as records have it: without members that are NULL. Elements of lists stay."""
    if isinstance(value, dict):
        return {name: without_nulls(part) for name, part in value.items() if part is not None}
    return [without_nulls(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    expression, column = VALUES[name]
    one = config(expression)
    wanted = [
        one.decide("p", {"userId": "u", "user": {} if value is None else {
            "x": without_nulls(value)}}).result
        for value in column.to_pylist()
    ]
    assert results(expression, column) == wanted
    assert results(expression, column.slice(1)) == wanted[1:]
    assert name == "null" or {"paywall", "noAudienceMatch"} == set(wanted)


def test_times() -> None:
    from datetime import datetime, timezone

    expression = "timestamp(user.x) < timestamp('2026-01-01T00:00:00Z')"
    times = [datetime(year, 1, 1, tzinfo=timezone.utc) for year in (2025, 2027)] + [None]
    for unit, zone in (("s", "UTC"), ("ns", "UTC"), ("ms", "Asia/Tokyo")):
        kind = pa.timestamp(unit, zone)
        assert results(expression, pa.array(times, kind)) == [
            "paywall", "noAudienceMatch", "noAudienceMatch"]
    assert results("user.x == user.x", pa.array([1.5, math.nan])) == ["paywall", "noAudienceMatch"]


@pytest.mark.parametrize("dialect", ["superscript:ios", "superscript:android", "cel"])
@pytest.mark.parametrize("expression", [
    "timestamp(user.x) < timestamp('2026-01-01T00:00:00Z')",
    "user.x < timestamp('2026-01-01T00:00:00Z')", "user.x == '2025-01-01T00:00:00Z'",
    "user.x == '2026-02-03T04:05:06.07Z'", "user.x.startsWith('2026-')", "size(user.x) > 22",
    "user.x < '2026'", "has(user.x)", "user.x == null", "user.x",
])
def test_times_are_what_a_record_has(dialect: str, expression: str) -> None:
    from datetime import datetime, timedelta, timezone

    times = [
        datetime(2025, 1, 1, tzinfo=timezone.utc), None,
        datetime(2026, 2, 3, 4, 5, 6, 70_000, tzinfo=timezone.utc),
        datetime(2026, 2, 3, 4, 5, 6, 123_456, tzinfo=timezone(timedelta(hours=9))),
        datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=timezone.utc),
        datetime(2026, 1, 1, tzinfo=timezone.utc),
    ]
    rules = [rule("e", expression, variant("v", 100, "a"))]
    made = tollgate.Config.loads(
        {"build_id": "b", "trigger_options": [{"event_name": "p", "rules": rules}]},
        dialect=dialect)
    wanted = [
        made.decide("p", {"userId": "u", "user": {"x": time} if time else {}}).result
        for time in times]
    for unit, zone in (("us", "UTC"), ("ns", "Asia/Tokyo"), ("us", "+09:00")):
        column = pa.array(times, pa.timestamp(unit, zone))
        for given in (column, column.dictionary_encode()):
            found = made.plan(root="user").decide(table(given)).to_pylist()
            assert [row["p"]["result"] for row in found] == wanted


@pytest.mark.parametrize(("column", "words"), [
    (pa.array([0], pa.timestamp("us")), "give it one, such as UTC"),
    (pa.array([0], pa.date32()), "cast it to a string"),
    (pa.array([b"a"]), "cast it to a string"),
    (pa.array([1], pa.duration("s")), "cast it to a number"),
    (pa.array([["a"]], pa.list_view(pa.string())), "cast it to a list"),
    (pa.RunEndEncodedArray.from_arrays([1], pa.array(["a"])), "decode it"),
])
def test_kinds_that_rules_do_not_know(column: Any, words: str) -> None:
    with pytest.raises(tollgate.ColumnError, match=words) as problem:
        plan().decide(table(column))
    assert problem.value.column == "x"
    # They do no harm where nobody reads them.
    other = table(pa.array(["a"])).append_column("y", column)
    assert plan().decide(other).to_pylist()[0]["p"]["paywall"] == "a"


@pytest.mark.parametrize(("names", "column"), [
    (["userId", "x", "x"], "user.x"), (["userId", "userId", "x"], "userId"),
    (["userId", "x", "user.x"], "user.x"), ([], "userId"), (["x"], "userId")])
def test_columns_that_are_not_clear(names: list[str], column: str) -> None:
    with pytest.raises(tollgate.ColumnError) as problem:
        plan().decide(pa.Table.from_arrays([pa.array(["a"])] * len(names), names=names))
    assert problem.value.column == column


def test_odd_names() -> None:
    names = ["", "..", "user.", ".".join("a" * 3_000), *(f"c{number}" for number in range(3_000))]
    one = pa.array(["a"])
    many = pa.Table.from_arrays([one] * (2 + len(names)), names=["userId", "x", *names])
    assert plan().decide(many).to_pylist()[0]["p"]["paywall"] == "a"


def test_identities() -> None:
    ids = pa.table({"userId": pa.array([None, "b", ""]), "x": ["a"] * 3})
    outcomes = plan().outcomes(ids)
    assert [row["p"] is None for row in outcomes.to_arrow().to_pylist()] == [True, False, True]
    assert [row["row"] for row in outcomes.report.rejects] == [0, 2]
    with pytest.raises(tollgate.ColumnError, match="a string or an integer"):
        plan().decide(pa.table({"userId": [1.5], "x": ["a"]}))


def test_texts_that_are_not_utf8() -> None:
    broken = pa.array([b"\xff", b"a"]).view(pa.string())
    for name in ("userId", "x"):
        columns = {"userId": pa.array(["u", "v"]), "x": pa.array(["a", "a"]), name: broken}
        with pytest.raises(tollgate.TollgateError, match=f"'{name}', row 0: .* not UTF-8"):
            plan().decide(pa.table(columns))


@pytest.mark.parametrize("frame", ["users.parquet", None, [{"userId": "u"}], 5])
def test_what_is_no_table(frame: Any) -> None:
    with pytest.raises(TypeError, match="not a table that exports Arrow"):
        plan().decide(frame)


def test_capsules_that_are_none() -> None:
    whole = table(pa.array(["a"]))
    capsule = whole.__arrow_c_stream__()

    class Producer:
        def __init__(self, capsule: object) -> None:
            self.capsule = capsule

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.capsule

    assert plan().count(Producer(capsule)).users == 1
    with pytest.raises(tollgate.TableError, match="released"):
        plan().count(Producer(capsule))
    with pytest.raises(TypeError, match="expected a capsule 'arrow_array_stream'"):
        plan().count(Producer(5))
    outcomes = plan().outcomes(whole)
    pa.table(outcomes)
    with pytest.raises(tollgate.TableError, match="read already"):
        outcomes.__arrow_c_stream__()


BEGIN = """
import os, sys, threading, pyarrow as pa, tollgate
plan = tollgate.Config.loads('{"build_id": "b", "trigger_options": []}').plan()
table = pa.table({"userId": ["u"] * 10_000})

def reader():
    def batches():
        for _ in range(5):
            yield from table.to_batches()
    return pa.RecordBatchReader.from_batches(table.schema, batches())
"""


@pytest.mark.parametrize("code", [
    "sys.kept = [plan.outcomes(reader()).__arrow_c_stream__() for _ in range(5)]",
    "sys.kept = pa.RecordBatchReader.from_stream(plan.outcomes(reader()))\n"
    "sys.kept.read_next_batch()",
    "sys.kept = plan.outcomes(reader())",
    "sys.kept = plan.decide(reader())",
    "sys.kept = plan.decide(reader())\nsys.kept.read_next_batch()",
    "kept = [plan.outcomes(reader())]\n"
    "thread = threading.Thread(target=kept.clear); thread.start(); thread.join()",
    "work = lambda: [plan.count(table) for _ in range(10**6)]\n"
    "threading.Thread(target=work, daemon=True).start()",
    "kept = plan.outcomes(reader())\nchild = os.fork()\n"
    "if child == 0:\n    plan.count(table); del kept; os._exit(0)\n"
    "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))",
])
def test_the_end_of_an_interpreter(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-W", "ignore", "-c", BEGIN + code],
        capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_lists_that_no_memory_holds(config: tollgate.Config) -> None:
    """A row whose list is larger than a user may be has no outcome; the others do."""
    plan = config.plan(["open"], now=NOW)
    many = pa.array(["an entitlement"] * 5_000_000)
    lists = pa.ListArray.from_arrays(pa.array([0, 0, len(many), len(many)], pa.int32()), many)
    users = pa.array([{"tags": ["beta"]}] * 3, pa.struct([("tags", pa.list_(pa.string()))]))
    starts = pa.array([None, "2026-03-01T12:00:00Z", None], pa.string())
    outcomes = plan.outcomes(
        pa.table({"userId": ["a", "b", "c"], "user": users, "entitlements": lists,
                  "sessionStart": starts}))
    found = outcomes.to_arrow().to_pylist()
    assert [row["open"] and row["open"]["paywall"] for row in found] == ["annual", None, "annual"]
    assert outcomes.report.rejects == [{
        "row": 1,
        "reason": "column 'entitlements': the value takes more memory than the limit allows"}]


def test_bools_in_eight_bits_are_named(config: tollgate.Config) -> None:
    if not hasattr(pa, "bool8"):
        pytest.skip("pyarrow knows no such type yet")
    odd = pa.table({"userId": ["a"], "user.visits": pa.array([1], pa.bool8())})
    plan = config.plan(["export"], missing_columns="ignore")
    with pytest.raises(tollgate.ColumnError, match="eight-bit bool.*cast it to a bool"):
        plan.decide(odd)


def test_names_with_many_dots(config: tollgate.Config) -> None:
    plan = config.plan(["open"], missing_columns="ignore")
    name = "user" + ".a" * 300_000
    assert plan.decide(pa.table({"userId": ["a"], name: [1]})).num_rows == 1


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(("values", "words"), [
    ([2**70], "an integer of more than 64 bits"), ([-(2**70)], "an integer of more than 64 bits"),
    ([2**63, 1], "an integer of more than 64 bits"),
    ([{"y": 2**64 - 1}], "an integer of more than 64 bits"),
    ([[1, 2**64]], "an integer of more than 64 bits"),
    ([{"a\ud800": 1}], r"half of a character, '\\ud800'"), ([nested(1_100)], "nested too deep"),
    ([1j], "values that Arrow has no type"),
    ([1, "a"], r"frame.astype\({'x': 'string'}\)"), ([object()], "values that Arrow has no type"),
    ([datetime.timedelta(days=999_999_999)], "values that Arrow has no type"),
], ids=range(11))
def test_values_that_pandas_cannot_export(
    config: tollgate.Config, values: list[Any], words: str
) -> None:
    pd = pytest.importorskip("pandas")
    plan = config.plan(now=NOW, missing_columns="ignore")
    frame = pd.DataFrame({
        "userId": ["u"] * len(values), "x": pd.Series(values, dtype=object),
        "y": [1] * len(values)})
    for decide in (plan.decide, plan.count, plan.outcomes):
        with pytest.raises(tollgate.TableError, match=f"^column 'x' has .*{words}") as error:
            decide(frame)
        assert error.value.column == "x"
    assert plan.count(frame.drop(columns="x")).users == len(values)


def test_faults_of_whole_frames(config: tollgate.Config) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([["u", 1, 2]], columns=["userId", "x", "x"])
    with pytest.raises(tollgate.TableError, match="rename duplicate columns") as error:
        config.plan(missing_columns="ignore").decide(frame)
    assert error.value.column is None


def test_other_exporters_with_large_integers(config: tollgate.Config) -> None:
    class Producer:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.array([2**70])

    with pytest.raises(tollgate.TableError, match="an integer of more than 64 bits"):
        config.plan().count(Producer())


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00"])
def test_times_beyond_years(config: tollgate.Config, text: str) -> None:
    time = datetime.datetime.fromisoformat(text)
    for decide in (
        lambda: config.plan(now=time), lambda: config.decide("open", {"userId": "u"}, now=time),
        lambda: config.decide("open", {"userId": "u", "user": {"since": time}}),
    ):
        with pytest.raises(ValueError, match="not between the years 1 and 9999"):
            decide()
