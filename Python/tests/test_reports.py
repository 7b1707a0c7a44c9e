"""Tests reports beside outcomes, and warnings about rules that fail for every user."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from conftest import NOW, rule, users, variant
from test_frames import table

import tollgate

pa = pytest.importorskip("pyarrow")


def made(*conditions: str) -> tollgate.Config:
    return tollgate.Config.loads({"build_id": "b", "trigger_options": [{
        "event_name": "p", "rules": [
            rule(f"e{number}", condition, variant(f"v{number}", 100, "pw"))
            for number, condition in enumerate(conditions)]}]}, dialect="cel")


def frames(given: Any) -> list[Any]:
    import duckdb
    import polars

    pytest.importorskip("pandas")
    return [
        given, given.combine_chunks().to_batches()[0], polars.from_arrow(given), given.to_pandas(),
        duckdb.from_arrow(given)]


def test_reports(config: tollgate.Config) -> None:
    given = table(users(300))
    plan = config.plan(now=NOW)
    counted = plan.count(given)
    assert counted.errors() == [
        {"placement": name, **error}
        for name, found in counted.to_dict()["placements"].items() for error in found["errors"]]
    assert counted.errors("open") == [
        error for error in counted.errors() if error["placement"] == "open"]
    assert {"clause", "code", "path", "users", "example", "audience"} <= set(counted.errors()[0])
    with pytest.raises(KeyError):
        counted.errors("nothing")
    for frame in frames(given):
        for keep in (None, ["userId"]):
            answer, tally = plan.decide(frame, report=True, keep=keep)
            assert type(answer) is type(plan.decide(frame, keep=keep))
            assert tally.to_dict() == counted.to_dict()
    for later in (given.to_reader(), frames(given)[2].lazy()):
        with pytest.raises(ValueError, match="report=True: this is decided while it is read"):
            plan.decide(later, report=True)


@pytest.mark.parametrize(("conditions", "columns", "words"), [
    (["user.age > 30"], {"user.age": ["31", "29"]},
     ["audience 0.*: user.age > 30 (no-such-overload of 'user.age')"]),
    (["user.age > 30"], {"user.age": pa.array([None, None], pa.int64())},
     ["no-such-attribute of 'user.age'"]),
    (["user.age > 30"], {"user.age": [31, None]}, []),
    (["user.age > 30"], {"user.age": [31, 29]}, []),
    (["user.plan == 'x'", "user.age > 30"], {"user.plan": ["x", "y"], "user.age": ["a", "b"]},
     ["audience 1"]),
    (["true", "user.age > 30"], {"user.age": ["a", "b"]}, []),
    (["user.age > 30", "user.age < 30"], {"user.age": ["a", "b"]}, ["audience 0", "audience 1"]),
    (["user.age > 30 && user.plan == 'x'"], {
        "user.age": pa.array([5, None]), "user.plan": ["x", "x"]}, []),
], ids=range(8))
def test_warnings(conditions: list[str], columns: dict[str, Any], words: list[str]) -> None:
    given = pa.table({"userId": ["a", "b"], **columns})
    plan = made(*conditions).plan(now=NOW)
    for work in (
        *(lambda frame=frame: plan.decide(frame) for frame in frames(given)),
        lambda: plan.decide(given, report=True), lambda: plan.count(given),
        lambda: plan.decide(given, keep=["userId"]),
    ):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            work()
        ours = [one for one in found if one.category is tollgate.RuleWarning]
        assert len(ours) == len(words)
        for one, part in zip(ours, words, strict=True):
            for piece in part.split(".*"):
                assert piece in str(one.message)
            assert one.filename == __file__
    none = given.slice(0, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan.decide(none)
        plan.count(none)


def test_missing_columns_that_are_ignored() -> None:
    given = pa.table({"userId": ["a"], "user.age": ["x"]})
    plan = made("user.plan == 'x'", "user.age > 30").plan(now=NOW, missing_columns="ignore")
    with pytest.warns(tollgate.RuleWarning, match="audience 1") as found:
        plan.count(given)
    assert len(found) == 1


def test_warnings_are_shown_once() -> None:
    plan = made("user.age > 30").plan(now=NOW)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for count in range(1, 20):
            plan.count(pa.table({"userId": ["a"] * count, "user.age": ["x"] * count}))
    assert len(found) == 1


def test_warnings_may_be_errors() -> None:
    plan = made("user.age > 30").plan(now=NOW)
    given = pa.table({"userId": ["a"], "user.age": ["x"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", tollgate.RuleWarning)
        with pytest.raises(tollgate.RuleWarning, match="placement 'p', audience 0"):
            plan.decide(given)
        warnings.simplefilter("ignore", tollgate.RuleWarning)
        assert plan.decide(given).num_rows == 1


def test_columns_of_another_type() -> None:
    plan = made("user.age > 30", "user.plan == 'x'").plan(now=NOW)
    given = pa.table({
        "userId": ["a", "b "], "user.age": ["31", None], "user.plan": pa.array([1, 2])})
    for frame in frames(given):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            plan.decide(frame)
        assert all(one.filename == __file__ for one in found)
        assert sorted((one.category.__name__, str(one.message)) for one in found) == [
            ("RuleWarning", "placement 'p', audience 0: the rule failed for every user that "
             "reached it: user.age > 30 (no-such-overload of 'user.age'); column 'user.age' is a "
             "string, and rules read it as a number; cast it"),
            ("TableWarning", '1 user ID begins or ends with white space: "b "; trim them, because '
             "SDKs do"),
            ("TableWarning", "column 'user.plan' is an integer, and rules read it as a string; "
             "cast it"),
        ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tally = plan.count(given)
    assert [one["code"] for one in tally.warnings] == ["column-kind", "column-kind", "untrimmed-id"]
    assert repr(tally) == "<Tally of 2 users, 0 rejected, 3 warnings>"
    assert "cast it</div>" in tally._repr_html_()
    with pytest.warns(tollgate.TableWarning, match="'user.age' is a string") as early:
        plan = plan.config.plan(schema=given.schema)
    assert {one.filename for one in early} == {__file__}


def test_tables_without_users() -> None:
    plan = made("user.plan == 'x'").plan(now=NOW, missing_columns="ignore")
    rejected = pa.table({"userId": pa.array([None, ""], pa.string()), "user.plan": ["x", "x"]})
    with pytest.warns(tollgate.TableWarning, match="no row has an outcome: ") as found:
        plan.decide(rejected)
    assert len(found) == 1
