"""Copies objects and pickles them for other processes. Each library object is freed once."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
from typing import Any

import pytest
from conftest import CONFIG, NOW, expected, users

import tollgate


def same(one: tollgate.Config, other: tollgate.Config) -> bool:
    return all(expected(one, record) == expected(other, record) for record in users(60))


def test_configs_are_copied() -> None:
    made = tollgate.Config.loads(CONFIG, seed="s")
    copies: list[Any] = [copy.copy(made), copy.deepcopy(made), copy.deepcopy({"c": made})["c"]]
    assert all(same(made, each) for each in copies)
    del copies
    gc.collect()
    assert made.decide("open", {"userId": "u", "user": {"tags": ["beta"]}}).paywall == "annual"


@pytest.mark.parametrize("options", [
    {}, {"seed": "t"}, {"dialect": "cel", "assigner": "djb2", "time_zone": "Europe/Berlin"},
    {"texts": {"paywalls": {"annual": {"title": "Hello {{ user.name }}"}}}}])
def test_configs_travel(options: dict[str, Any]) -> None:
    made = tollgate.Config.loads(CONFIG, **options)
    there = pickle.loads(pickle.dumps(made))
    assert there is not made and same(made, there)
    assert there.diagnostics == made.diagnostics
    user = {"userId": "u", "user": {"name": "Ann", "tags": ["beta"]}}
    texts = [each.decide("open", user, now=NOW, texts=True).texts for each in (made, there)]
    assert texts[0] == texts[1] and bool(texts[0]) == ("texts" in options)
    del made
    gc.collect()
    assert there.placements == ["export", "open"]


def test_plans_travel(config: tollgate.Config) -> None:
    pa = pytest.importorskip("pyarrow")
    flat = {"id": ["a", "b"], "visits": [3, 5], "tier": ["free", "pro"]}
    made = config.plan(
        ["export"], subject="id", root="user", columns={"user.plan": "tier"}, seed="t",
        missing_columns="ignore", fields=["paywall", "audience"], texts="dictionary")
    plans = [made, copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))]
    found = [each.decide(pa.table(flat)).to_pylist() for each in plans]
    assert found[0] == found[1] == found[2] == found[3]
    # The time that it was made at travels, too.
    assert plans[3].now == made.now and plans[3].fields == ["paywall", "audience"]
    del made, plans[0:3]
    gc.collect()
    assert plans[0].decide(pa.table(flat)).to_pylist() == found[0]


def test_plans_go_to_other_processes(config: tollgate.Config) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"userId": ["u"], "user.tags": [["beta"]]})
    code = """
import pickle, sys
plan, table = pickle.load(sys.stdin.buffer)
print(plan.decide(table)["open"].to_pylist()[0]["paywall"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps((config.plan(["open"]), table)),
        capture_output=True, timeout=120)
    assert done.stdout == b"annual\n", done.stderr


def test_outcomes_are_not_copied(config: tollgate.Config) -> None:
    pa = pytest.importorskip("pyarrow")
    outcomes = config.plan(["open"], missing_columns="ignore").outcomes(pa.table({"userId": ["u"]}))
    pa.table(outcomes)
    for way in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="make a table of them first"):
            way(outcomes)
    assert outcomes.report.users == 1


def test_options_of_a_plan_change(config: tollgate.Config) -> None:
    made = config.plan(["open"], now=NOW, missing_columns="ignore", fields=["paywall"])
    other = made.with_options(fields=["result"], missing_columns="error")
    assert (other.placements, other.now, other.fields) == (["open"], NOW, ["result"])
    assert made.fields == ["paywall"]


def test_a_name_is_no_list_of_names(config: tollgate.Config) -> None:
    for work in (
        lambda: config.plan("open"),  # type: ignore[arg-type]
        lambda: config.decide_all({"userId": "u"}, placements="open"),
        lambda: config.diff(config, placements="open"),
    ):
        with pytest.raises(TypeError, match=r"give a list: \['open'\]"):
            work()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_none(config: tollgate.Config, number: float) -> None:
    with pytest.raises(ValueError, match=r"'user\.scores\.1' is not a finite number"):
        config.decide("open", {"userId": "u", "user": {"scores": [1.0, number]}})
