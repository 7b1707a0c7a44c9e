"""Tests failing, interrupted and long streams, and tables without rows."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from conftest import NOW

import tollgate

pa = pytest.importorskip("pyarrow")


def broken(rows: int, at: int) -> Any:
    """A table in parts, with a text that is no UTF-8 in one row."""
    texts = [b"free"] * rows
    texts[at] = b"\xff"
    plans = pa.array(texts).view(pa.string())
    whole = pa.table({
        "userId": [f"u{row}" for row in range(rows)], "user.plan": plans,
        "user.visits": [5] * rows, "device.locale": ["de"] * rows})
    return pa.concat_tables([whole.slice(0, 100), whole.slice(100)])


def reads(plan: tollgate.Plan, table: Any) -> dict[str, Any]:
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    found = {
        "decide": lambda: plan.decide(table), "count": lambda: plan.count(table),
        "batch": lambda: plan.decide(table.combine_chunks().to_batches()[0]),
        "reader": lambda: plan.decide(reader).read_all(),
        "reader, part by part": lambda: list(plan.decide(reader)),
        "stream": lambda: list(plan.stream(table)),
        "pandas": lambda: plan.outcomes(table).to_pandas(),
    }
    try:
        import polars  # noqa: F401

        found["polars"] = lambda: plan.outcomes(table).to_polars()
    except ImportError:
        pass
    return found


@pytest.mark.parametrize("name", [
    "decide", "count", "batch", "reader", "reader, part by part", "stream", "pandas", "polars"])
def test_errors_of_streams_name_the_column(config: tollgate.Config, name: str) -> None:
    found = reads(config.plan(["export"], now=NOW), broken(20_000, 17_000))
    if name not in found:
        pytest.skip("polars is not there")
    with pytest.raises(tollgate.TableError) as problem:
        found[name]()
    assert problem.value.code == "bad_array"
    assert (problem.value.column, problem.value.row) == ("user.plan", 17_000)
    assert str(problem.value).startswith("column 'user.plan', row 17000: ")


def test_errors_of_producers_have_no_column(config: tollgate.Config) -> None:
    def batches() -> Any:
        yield table.to_batches()[0]
        raise OSError("the disk is full")

    table = pa.table({"userId": ["u"], "user": [{"tags": ["beta"]}]})
    for read in (lambda outcomes: outcomes.to_arrow(), lambda outcomes: list(outcomes.batches())):
        outcomes = config.plan(["open"], now=NOW).outcomes(
            pa.RecordBatchReader.from_batches(table.schema, batches()))
        with pytest.raises(tollgate.TableError, match="the disk is full") as problem:
            read(outcomes)
        assert (problem.value.column, problem.value.row) == (None, None)
        # What was decided before it is counted.
        assert outcomes.report.users == 1
        assert "failure" not in outcomes.report.to_dict()


class Stop(Exception):
    pass


def long_table(rows: int) -> Any:
    """A table of so many rows, which takes the memory of a few."""
    part = pa.table({"userId": [f"u{row}" for row in range(100_000)]})
    part = part.append_column("user.tags", pa.array([["beta", "x"]] * 100_000))
    return pa.concat_tables([part] * (rows // 100_000))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs signals")
@pytest.mark.parametrize("name", ["decide", "count", "reader", "stream"])
def test_interrupts(config: tollgate.Config, name: str) -> None:
    """Ctrl-C, or any other signal that Python has a handler for, ends what would take long."""
    def stop(*_: Any) -> None:
        raise Stop

    table = long_table(500_000_000)
    plan = config.plan(["open"], now=NOW)
    plan.count(table.slice(0, 10))

    def stream() -> None:
        for _ in plan.stream(table):
            pass

    work = {
        "decide": lambda: plan.decide(table), "count": lambda: plan.count(table),
        "reader": lambda: plan.decide(
            pa.RecordBatchReader.from_batches(table.schema, table.to_batches())).read_all(),
        "stream": stream,
    }[name]
    before = signal.signal(signal.SIGALRM, stop)
    start = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Stop):
            work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 5
    assert plan.count(table.slice(0, 10)).users == 10


MEMORY = """
import resource, sys, pyarrow as pa, tollgate
from conftest import CONFIG
plan = tollgate.Config.loads(CONFIG).plan()
part = pa.record_batch({
    "userId": [f"u{row}" for row in range(8_192)], "user.plan": ["a plan of many words"] * 8_192,
    "user.visits": [5] * 8_192, "user.tags": [["beta", "x"]] * 8_192,
    "device.locale": ["de_DE"] * 8_192})

def reader(rows):
    return pa.RecordBatchReader.from_batches(part.schema, (part for _ in range(rows // 8_192)))

def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024

for work in (plan.count, lambda users: sum(batch.num_rows for batch in plan.stream(users))):
    work(reader(200_000))
    before = used()
    work(reader(int(sys.argv[1])))
    print(used() - before)
"""


def test_memory_of_long_streams() -> None:
    """Memory does not grow with a stream, whose parts are decided and forgotten."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, "2000000"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert all(int(megabytes) < 16 for megabytes in done.stdout.split()), done.stdout


def test_pandas_frames_without_rows(config: tollgate.Config) -> None:
    pd = pytest.importorskip("pandas")

    plan = config.plan(["export"], now=NOW)
    names = ["userId", "user.plan", "user.visits", "device.locale"]
    for kind in ("float64", "object", "str"):
        frame = pd.DataFrame({name: pd.Series([], dtype=kind) for name in names})
        found = plan.decide(frame)
        assert list(found.columns) == [f"export.{field}" for field in plan.fields]
        assert len(found) == 0
        assert plan.count(frame).outcomes("export")["paywall"] == 0
    assert len(plan.decide(pd.DataFrame(columns=names))) == 0
    with pytest.raises(tollgate.ColumnError, match="userId") as problem:
        plan.decide(pd.DataFrame({name: [1.5] for name in names}))
    assert problem.value.column == "userId"
    # Names are looked at all the same.
    with pytest.raises(tollgate.ColumnError, match="user.visits"):
        plan.decide(pd.DataFrame(columns=["userId", "user.plan", "device.locale"]))


def test_tables_without_rows(config: tollgate.Config) -> None:
    plan = config.plan(["open"], now=NOW)
    for kind in (pa.null(), pa.float64(), pa.string()):
        table = pa.table({"userId": pa.array([], kind), "user.tags": pa.array([], pa.null())})
        found = plan.decide(table)
        assert found.num_rows == 0 and found.column_names == ["open"]
        assert plan.decide(table.schema.empty_table()).num_rows == 0
        batch = pa.RecordBatch.from_arrays(
            [pa.array([], kind), pa.array([], pa.null())], names=["userId", "user.tags"])
        assert plan.decide(batch).num_rows == 0
    with pytest.raises(tollgate.ColumnError, match="string or an integer"):
        plan.decide(pa.table({"userId": pa.array([1.5]), "user.tags": pa.nulls(1)}))


def test_flat_columns_of_nothing() -> None:
    from test_odd_tables import config as made

    names = {"userId": ["u"], "user.a": ["x"], "user.n": pa.nulls(1), "user.deep.m": pa.nulls(1)}
    for nulls, expression in (
        ("null", "user == {'a': 'x', 'n': null, 'deep': {'m': null}}"),
        ("missing", "user == {'a': 'x', 'deep': {}}"),
    ):
        plan = made(expression).plan(now=NOW, nulls=nulls)
        assert plan.decide(pa.table(names)).to_pylist()[0]["p"]["paywall"] == "a"


def test_arrays_that_have_been_released(config: tollgate.Config) -> None:
    class Producer:
        def __init__(self, batch: Any) -> None:
            self.capsules = batch.__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return self.capsules

    plan = config.plan(["open"], now=NOW)
    batch = pa.record_batch({"userId": ["u"], "user.tags": [["beta"]]})
    producer = Producer(batch)
    assert plan.count(producer).users == 1
    with pytest.raises(tollgate.TableError, match="released"):
        plan.count(producer)
