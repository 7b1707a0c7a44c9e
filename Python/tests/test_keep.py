"""Tests columns that are returned beside outcomes."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import NOW, users
from test_frames import table

import tollgate

pa = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def frame() -> Any:
    """More rows than one part of outcomes has, in chunks of several sizes, and empty ones."""
    people = table(users(500))
    number = pa.array(range(500))
    people = people.append_column("number", number).append_column(
        "kind", pa.array(["a", "b", None, "d"] * 125).dictionary_encode())
    return pa.concat_tables(
        [people.slice(0, 0), *[people] * 20, people.slice(3, 7), people.slice(0, 0), people])


KEEP = ["kind", "userId", "number"]


def test_tables(config: tollgate.Config, frame: Any) -> None:
    plan = config.plan(now=NOW)
    outcomes = plan.decide(frame)
    assert plan.decide(frame, keep=[]) == outcomes
    for found in (
        plan.decide(frame, keep=KEEP), plan.decide(frame.to_reader(), keep=KEEP).read_all(),
        plan.decide(pa.RecordBatchReader.from_batches(
            frame.schema, frame.combine_chunks().to_batches()), keep=KEEP).read_all(),
    ):
        assert found.column_names == [*KEEP, "export", "open"]
        assert found.select(["export", "open"]).to_pylist() == outcomes.to_pylist()
        assert found.select(KEEP).to_pylist() == frame.select(KEEP).to_pylist()
        assert found.schema.field("number") == frame.schema.field("number")
    batch = frame.combine_chunks().to_batches()[0]
    one = plan.decide(batch, keep=KEEP)
    assert type(one) is type(batch) and one.select(KEEP).equals(batch.select(KEEP))
    none = plan.decide(frame.slice(0, 0), keep=KEEP)
    assert none.column_names == [*KEEP, "export", "open"] and none.num_rows == 0
    codes = plan.with_options(codes=True).decide(frame, keep=["userId"])
    assert codes.column_names == ["userId", "export", "open"]


def test_other_exporters(config: tollgate.Config, frame: Any) -> None:
    class Exporter:
        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            return frame.__arrow_c_stream__()

    found = config.plan(now=NOW).decide(Exporter(), keep=KEEP)
    assert found.read_all().equals(config.plan(now=NOW).decide(frame.to_reader(), keep=KEEP)
                                   .read_all())


def test_polars(config: tollgate.Config, frame: Any) -> None:
    polars = pytest.importorskip("polars")
    data = polars.from_arrow(frame)
    plan = config.plan(now=NOW)
    found = plan.decide(data, keep=KEEP)
    assert found.columns == [*KEEP, "export", "open"]
    assert found.drop(KEEP).equals(plan.decide(data)) and found.select(KEEP).equals(
        data.select(KEEP))
    lazy = plan.decide(data.lazy(), keep=KEEP)
    assert lazy.collect_schema().names() == found.columns
    assert lazy.collect().equals(found)
    assert lazy.collect(engine="streaming").equals(found)


def test_pandas(config: tollgate.Config, frame: Any) -> None:
    pytest.importorskip("pandas")
    data = frame.to_pandas()
    data.index = range(7, 7 + len(data))
    found = config.plan(now=NOW).decide(data, keep=KEEP)
    assert list(found.columns[:4]) == [*KEEP, "export.result"]
    assert found[KEEP].equals(data[KEEP])
    assert found.drop(columns=KEEP).equals(config.plan(now=NOW).decide(data))


def test_duckdb(config: tollgate.Config, frame: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    import tollgate.duckdb

    connection = duckdb.connect()
    plan = config.plan(now=NOW)
    relation = connection.from_arrow(frame)
    found = tollgate.duckdb.decide(connection, relation, plan, keep=["userId", "number"])
    assert found.columns == ["userId", "number", "export", "open"]
    # In the order of the rows of both.
    assert found.project("number, export.paywall").fetchall() == [
        (row["number"], row["export"]["paywall"])
        for row in plan.decide(frame, keep=["number"]).to_pylist()]
    assert plan.decide(duckdb.from_arrow(frame), keep=["number"]).columns == [
        "number", "export", "open"]


def test_failures_on_the_way(config: tollgate.Config, frame: Any) -> None:
    def batches() -> Any:
        yield frame.to_batches()[1]
        raise ValueError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(frame.schema, batches())
    found = config.plan(now=NOW).decide(reader, keep=KEEP)
    with pytest.raises(Exception, match="the disk is gone"):
        found.read_all()


@pytest.mark.parametrize(("keep", "kind", "words"), [
    (["usrId"], tollgate.ColumnError, "did you mean 'userId'"),
    (["nothing like it"], tollgate.ColumnError, "is not in the table$"),
    (["userId", "userId"], ValueError, "'userId' twice"), ("userId", TypeError, "give a list"),
    (["export"], ValueError, "outcomes have the name 'export'"),
    (["open.x"], ValueError, "outcomes have the name 'open.x'"),
])
def test_wrong_names(
    config: tollgate.Config, frame: Any, keep: Any, kind: Any, words: str
) -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    duckdb = pytest.importorskip("duckdb")
    assert pandas
    named = frame.append_column("export", frame["number"]).append_column("open.x", frame["number"])
    plan = config.plan(now=NOW, missing_columns="ignore")
    data = polars.from_arrow(named)
    for each in (named, named.to_reader(), data, data.lazy(), named.to_pandas(),
                 duckdb.from_arrow(named)):
        with pytest.raises(kind, match=words):
            plan.decide(each, keep=keep)
