"""Tests that `config.sql` matches `tollgate sql`, and that DuckDB decides as plans do."""

from __future__ import annotations

import json
import pickle
import subprocess
from typing import Any

import pytest
from conftest import CONFIG, NOW, users
from test_frames import table
from test_sql import COMMAND

import tollgate

DATABASES = ["bigquery", "duckdb", "postgres", "snowflake", "spark"]


def test_duckdb_says_what_a_plan_decides(config: tollgate.Config) -> None:
    duckdb = pytest.importorskip("duckdb")
    given = table(users(500))
    con = duckdb.connect()
    con.register("given", given)
    con.execute("create table app_users as from given")
    text = config.sql(database="duckdb", table="app_users", names="structs", now=NOW)
    assert isinstance(text, tollgate.Query) and text.audiences == {"total": 3, "covered": 3}
    assert {column["path"] for column in text.columns} == set(config.requirements)
    assert [one["covered"] for one in text.placements] == [True, True]
    assert "3 of 3 audiences" in text.summary
    found = con.sql(text).to_arrow_table().to_pylist()
    plan = config.plan(now=NOW)
    for row, outcome in zip(found, plan.decide(given).to_pylist(), strict=True):
        for name in plan.placements:
            assert {field: row[f"{name}_{field}"] for field in plan.fields} == outcome[name]
    # Other seeds and placements are other queries.
    assert config.sql(database="duckdb", seed="t") != config.sql(database="duckdb")
    one = config.sql(database="duckdb", placements=["open"])
    assert [each["name"] for each in one.placements] == ["open"]
    again = pickle.loads(pickle.dumps(text))
    assert again == text and again.columns == text.columns and again.summary == text.summary


@pytest.mark.skipif(COMMAND is None, reason="the command is not built")
@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("options", [
    {}, {"names": "underscores"}, {"types": {"user.visits": "integer"}}, {"no_history": True},
    {"table": "a.b", "placements": ["open"], "seed": "t"}], ids=range(5))
def test_the_command_says_the_same(tmp_path: Any, database: Any, options: dict[str, Any]) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    arguments = []
    for name, value in options.items():
        option = {"no_history": "--no-history", "placements": "--placement", "types": "--type"}.get(
            name, f"--{name}")
        if isinstance(value, dict):
            value = [f"{key}={kind}" for key, kind in value.items()]
        for each in [None] if value is True else value if isinstance(value, list) else [value]:
            arguments += [option, *([] if each is None else [each])]
    said = subprocess.run(
        [str(COMMAND), "sql", str(path), "--database", database, "--json", "--now", NOW,
         *arguments], capture_output=True, text=True)
    wanted = json.loads(said.stdout)
    made = tollgate.Config.loads(CONFIG)
    try:
        text = made.sql(database=database, now=NOW, **options)
    except tollgate.TollgateError as problem:
        assert wanted["sql"] is None and problem.code == "not_in_sql"
        assert problem.details["placements"] == wanted["placements"]
        return
    assert text == wanted["sql"]
    assert (text.columns, text.placements) == (wanted["columns"], wanted["placements"])


def test_what_sql_cannot_say() -> None:
    demo = tollgate.Config.loads({"build_id": "b", "trigger_options": [{
        "event_name": "p", "rules": [{
            "experiment_id": "e", "experiment_group_id": "g", "expression_cel": "true",
            "occurrence": {"key": "k", "max_count": 1, "interval": "INFINITY"},
            "variants": [{"variant_id": "v", "variant_type": "TREATMENT", "percentage": 100,
                          "paywall_identifier": "a"}]}]}]})
    with pytest.raises(tollgate.TollgateError, match="for duckdb\n") as problem:
        demo.sql(database="duckdb")
    assert "with no_history=True, there are none" in str(problem.value)
    assert problem.value.details["audiences"] == {"total": 1, "covered": 0}
    assert "no_history" not in demo.sql(database="duckdb", no_history=True).summary


@pytest.mark.parametrize(("options", "words"), [
    ({"database": "oracle"}, "'database' must be one of duckdb"),
    ({"names": "dashes"}, "'names' must be one of"),
    ({"names": "structs", "database": "snowflake"}, "'names' must be one of"),
    ({"types": {"user.visits": "float"}}, "the type of 'user.visits' must be one of"),
    ({"types": {"user.age": "double"}}, "user.age"),
    ({"placements": ["opened"]}, "opened"), ({"now": "yesterday"}, "now"),
    ({"sdk_version": "record"}, "sdkVersion"),
])
def test_errors(config: tollgate.Config, options: dict[str, Any], words: str) -> None:
    with pytest.raises(tollgate.RecordError) as problem:
        config.sql(**{"database": "duckdb", **options})
    assert words in str(problem.value)
