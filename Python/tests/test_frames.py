"""Decides tables of every kind. Each user must get the same outcome as alone."""

from __future__ import annotations

import gc
import threading
import weakref
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
    return users()


@pytest.fixture(scope="module")
def wanted(config: tollgate.Config, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [expected(config, record) for record in records]


def table(records: list[dict[str, Any]]) -> Any:
    return pa.Table.from_pylist(
        records,
        schema=pa.schema([
            ("userId", pa.string()),
            ("user", pa.struct([
                ("plan", pa.string()), ("visits", pa.int64()), ("tags", pa.list_(pa.string()))])),
            ("device", pa.struct([("locale", pa.string())])),
        ]))


def test_tables(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    found = plan.decide(table(records))
    assert isinstance(found, pa.Table) and found.column_names == ["export", "open"]
    found.validate(full=True)
    assert rows(found) == wanted


@pytest.mark.parametrize("texts", ["utf8", "string_view", "dictionary"])
def test_forms_of_texts(config: tollgate.Config, records: Any, wanted: Any, texts: Any) -> None:
    found = config.plan(now=NOW, texts=texts).decide(table(records))
    found.validate(full=True)
    assert rows(found) == wanted


def test_other_kinds_of_pyarrow(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    whole = table(records)
    batch = whole.combine_chunks().to_batches()[0]
    found = plan.decide(batch)
    assert isinstance(found, pa.RecordBatch) and found.to_pylist() == wanted
    reader = plan.decide(pa.RecordBatchReader.from_batches(whole.schema, whole.to_batches(70)))
    assert isinstance(reader, pa.RecordBatchReader) and rows(reader.read_all()) == wanted
    parts = list(plan.stream(pa.concat_tables([whole.slice(0, 123), whole.slice(123)])))
    assert [part.num_rows for part in parts] == [123, 377]
    assert [row for part in parts for row in part.to_pylist()] == wanted


def test_parts_of_tables(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    whole = table(records)
    for first, count in [(1, 7), (99, 300), (499, 1), (0, 0), (500, 0)]:
        assert rows(plan.decide(whole.slice(first, count))) == wanted[first:first + count]
    batch = whole.combine_chunks().to_batches()[0].slice(33, 100)
    assert plan.decide(batch).to_pylist() == wanted[33:133]


@pytest.mark.parametrize("kind", [
    pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.uint64(),
    pa.float32(), pa.float64()])
def test_numbers(plan: tollgate.Plan, records: Any, wanted: Any, kind: Any) -> None:
    whole = table(records)
    user = whole["user"].combine_chunks()
    visits = user.field("visits").cast(kind)
    made = pa.StructArray.from_arrays(
        [user.field("plan"), visits, user.field("tags")], names=["plan", "visits", "tags"],
        mask=user.is_null())
    assert rows(plan.decide(whole.set_column(1, "user", made))) == wanted


@pytest.mark.parametrize("kind", [
    pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.large_string())])
def test_texts(plan: tollgate.Plan, records: Any, wanted: Any, kind: Any) -> None:
    whole = table(records)
    user = whole["user"].combine_chunks()
    plans = user.field("plan")
    plans = plans.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else (
        pa.array(plans.to_pylist(), kind))
    made = pa.StructArray.from_arrays(
        [plans, user.field("visits"), user.field("tags")], names=["plan", "visits", "tags"],
        mask=user.is_null())
    ids = whole["userId"].combine_chunks()
    ids = ids if pa.types.is_dictionary(kind) else pa.array(ids.to_pylist(), kind)
    changed = whole.set_column(1, "user", made).set_column(0, "userId", ids)
    assert rows(plan.decide(changed)) == wanted


def test_lists(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    whole = table(records)
    user = whole["user"].combine_chunks()
    for kind in (pa.large_list(pa.string()), pa.list_(pa.large_string())):
        made = pa.StructArray.from_arrays(
            [user.field("plan"), user.field("visits"), user.field("tags").cast(kind)],
            names=["plan", "visits", "tags"], mask=user.is_null())
        assert rows(plan.decide(whole.set_column(1, "user", made))) == wanted


def test_flat_columns(config: tollgate.Config, records: Any, wanted: Any) -> None:
    flat = table(records).flatten()
    assert flat.column_names[1] == "user.plan"
    assert rows(config.plan(now=NOW).decide(flat)) == wanted
    renamed = flat.rename_columns(["id", "tier", "visits", "tags", "locale"])
    plan = config.plan(
        now=NOW, subject="id", root="user",
        columns={"user.plan": "tier", "device.locale": "locale"})
    assert rows(plan.decide(renamed)) == wanted


def test_columns_that_nobody_reads(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    import decimal

    whole = table(records)
    price = pa.array([decimal.Decimal("9.99")] * whole.num_rows)
    assert rows(plan.decide(whole.append_column("price", price))) == wanted


def test_columns_of_the_wrong_kind(plan: tollgate.Plan, records: Any) -> None:
    import decimal

    whole = table(records)
    user = whole["user"].combine_chunks()
    visits = pa.array([decimal.Decimal("1.5")] * len(user))
    made = pa.StructArray.from_arrays(
        [user.field("plan"), visits, user.field("tags")], names=["plan", "visits", "tags"])
    with pytest.raises(tollgate.ColumnError, match="user.visits") as problem:
        plan.decide(whole.set_column(1, "user", made))
    assert problem.value.column == "user.visits"
    with pytest.raises(tollgate.ColumnError, match="userId"):
        plan.decide(whole.drop_columns(["userId"]))
    with pytest.raises(tollgate.ColumnError, match="device.locale"):
        plan.decide(whole.drop_columns(["device"]))
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        plan.decide([{"userId": "u"}])


def test_missing_columns_may_be_ignored(config: tollgate.Config, records: Any) -> None:
    plan = config.plan(now=NOW, missing_columns="ignore")
    found = rows(plan.decide(table(records).drop_columns(["device"])))
    stripped = [{k: v for k, v in record.items() if k != "device"} for record in records]
    assert found == [expected(config, record) for record in stripped]


def test_rows_without_a_user(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    changed = [dict(record) for record in records]
    for row in (0, 250, 499):
        changed[row]["userId"] = None
    outcomes = plan.outcomes(table(changed))
    found = rows(outcomes.to_arrow())
    for row, record in enumerate(found):
        assert record == ({"export": None, "open": None} if row in (0, 250, 499) else wanted[row])
    report = outcomes.report
    assert report.rejected == 3 and report.users == 497
    assert [reject["row"] for reject in report.rejects] == [0, 250, 499]
    assert report.rejects[0]["reason"] == "'userId' is NULL; it is required"
    with pytest.raises(tollgate.TableError, match="read already"):
        outcomes.to_arrow()


def test_assignments_and_entitlements(config: tollgate.Config) -> None:
    records = [
        {"userId": f"u{number}", "user": {"plan": "free", "visits": 5},
         "assignments": [{"experimentId": "free", "variantId": f"v{number % 3 + 1}"}]
         if number % 2 else None}
        for number in range(60)
    ]
    plan = config.plan(now=NOW, missing_columns="ignore")
    found = rows(plan.decide(pa.Table.from_pylist(records)))
    for record, outcome in zip(records, found, strict=True):
        known = {k: v for k, v in record.items() if v is not None}
        assert outcome == expected(config, known)


def test_counts(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    tally = plan.count(table(records))
    assert (tally.users, tally.rejected) == (500, 0)
    for placement in ("export", "open"):
        for outcome, count in tally.outcomes(placement).items():
            assert count == sum(row[placement]["result"] == outcome for row in wanted)
    assert len(tally.audiences("export")) == 2 and repr(tally).startswith("<Tally of 500")


def test_codes(config: tollgate.Config, records: Any, wanted: Any) -> None:
    plan = config.plan(["export"], now=NOW, codes=True)
    found = plan.decide(table(records))
    assert found.schema.field("export").type == pa.int32()
    for code, row in zip(found["export"].to_pylist(), wanted, strict=True):
        choice = plan.choices[code]
        assert {name: choice[name] for name in row["export"]} == row["export"]


def test_what_a_plan_is(config: tollgate.Config, records: Any) -> None:
    plan = config.plan(["open"], now=NOW, fields=["paywall", "audience"])
    assert plan.placements == ["open"] and plan.now == NOW and plan.config is config
    assert plan.fields == ["paywall", "audience"] and repr(plan) == "<Plan of open>"
    assert pa.schema(plan.schema) == plan.decide(table(records)).schema
    tied = config.plan(now=NOW, schema=table(records).schema)
    tied.decide(table(records))
    with pytest.raises(tollgate.ColumnError, match="differ from the schema"):
        tied.decide(table(records).append_column("x", pa.array([1] * 500)))
    with pytest.raises(tollgate.RecordError, match="did you mean 'open'"):
        config.plan(["opne"])
    with pytest.raises(tollgate.RecordError, match="paywall"):
        config.plan(fields=["paywal"])  # type: ignore[list-item]


class OnlyArrays:
    """A producer that exports arrays, and no streams."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self.batch.__arrow_c_array__(requested_schema)


def test_producers_of_arrays(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    batch = table(records).combine_chunks().to_batches()[0]
    found = plan.decide(OnlyArrays(batch))
    assert isinstance(found, tollgate.Outcomes)
    assert rows(pa.table(found)) == wanted


def test_producers_that_fail(plan: tollgate.Plan, records: Any) -> None:
    whole = table(records)

    def batches() -> Any:
        yield whole.to_batches()[0]
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(whole.schema, batches())
    with pytest.raises(tollgate.TableError, match="the disk is gone"):
        plan.outcomes(reader).to_arrow()
    with pytest.raises(tollgate.TableError, match="the disk is gone"):
        plan.count(pa.RecordBatchReader.from_batches(whole.schema, batches()))
    assert plan.count(whole).users == 500


def test_streams_are_let_go(plan: tollgate.Plan, records: Any) -> None:
    class Source:
        pass

    whole, source = table(records), Source()
    gone = weakref.ref(source)

    def batches(held: Any) -> Any:
        for batch in whole.to_batches(50):
            assert held
            yield batch

    reader = pa.RecordBatchReader.from_batches(whole.schema, batches(source))
    outcomes = plan.outcomes(reader)
    del reader, source
    stream = pa.RecordBatchReader.from_stream(outcomes)
    stream.read_next_batch()
    del stream, outcomes
    gc.collect()
    assert gone() is None


def test_threads(plan: tollgate.Plan, records: Any, wanted: Any) -> None:
    whole, wrong = table(records), []

    def work() -> None:
        for _ in range(5):
            if rows(plan.decide(whole)) != wanted:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_readers_at_once_get_different_parts(plan: tollgate.Plan, records: Any) -> None:
    whole = pa.concat_tables([table(records)] * 200)
    reader = pa.RecordBatchReader.from_stream(plan.outcomes(whole))
    counts: list[int] = []

    def read() -> None:
        while True:
            try:
                counts.append(reader.read_next_batch().num_rows)
            except StopIteration:
                return

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == whole.num_rows


def test_plans_outlive_configs(records: Any, wanted: Any) -> None:
    from conftest import CONFIG

    plan = tollgate.Config.loads(CONFIG, seed="s").plan(now=NOW)
    gc.collect()
    assert rows(plan.decide(table(records))) == wanted


def test_rows_alone(config: tollgate.Config, plan: tollgate.Plan, records: Any) -> None:
    """Without fields tables have rows and no columns, and the report counts."""
    alone = config.plan(now=NOW, fields=[])
    assert (alone.fields, pa.schema(alone.schema).names) == ([], [])
    outcomes = alone.outcomes(table(records))
    assert sum(batch.num_rows for batch in outcomes.batches()) == len(records)
    whole = plan.outcomes(table(records))
    whole.to_arrow()
    assert outcomes.report.to_dict() == whole.report.to_dict() == plan.count(
        table(records)).to_dict() == config.plan(now=NOW, codes=True).count(
        table(records)).to_dict()


def test_rows_without_columns(config: tollgate.Config) -> None:
    """`fields=[]` gives as many rows as there are users, where rows can be without columns."""
    plan = config.plan(now=NOW, fields=[])
    given = table(users(10))
    assert plan.decide(given).num_rows == 10
    assert plan.decide(given.to_reader()).read_all().num_rows == 10
    assert plan.decide(given.to_batches()[0]).num_rows == 10
    assert len(plan.decide(given.to_pandas())) == 10
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    import tollgate.duckdb
    import tollgate.polars

    frame = polars.from_arrow(given)
    assert plan.decide(frame).height == plan.decide(frame.lazy()).collect().height == 10
    connection = duckdb.connect()
    for work in (
        lambda: frame.select(tollgate.polars.decide(polars.struct(polars.all()), plan)),
        lambda: tollgate.duckdb.register(connection, "f", plan, [("userId", "VARCHAR")]),
        lambda: tollgate.duckdb.decide(connection, connection.from_arrow(given), plan),
        lambda: plan.decide(duckdb.from_arrow(given)),
    ):
        with pytest.raises(ValueError, match="rows without columns, which .* cannot have"):
            work()
    numbered = config.plan(now=NOW, fields=[], codes=True)
    assert numbered.decide(frame.lazy()).collect().width == len(config.placements)
