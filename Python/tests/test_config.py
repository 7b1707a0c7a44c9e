from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFIG, NOW

import tollgate
from tollgate import _json


def test_what_a_config_has(config: tollgate.Config) -> None:
    assert config.placements == ["export", "open"]
    assert set(config.requirements) == {
        "user.plan", "user.visits", "device.locale", "user.tags"}
    assert config.paywalls == ["annual", "monthly", "a paywall with a long name"]
    assert config.format == "superwall" and config.events == []
    assert repr(config) == "<Config with 2 placements>"


def test_load(tmp_path: object) -> None:
    path = f"{tmp_path}/config.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(CONFIG, file)
    assert tollgate.Config.load(path).placements == ["export", "open"]
    with pytest.raises(FileNotFoundError):
        tollgate.Config.load(path + "x")


def test_one_user(config: tollgate.Config) -> None:
    found = config.decide("open", {"userId": "u", "user": {"tags": ["beta"]}}, now=NOW)
    assert (found.result, found.paywall, found.variant, found.experiment, found.audience) == (
        "paywall", "annual", "v5", "tags", 0)
    nothing = config.decide("open", {"userId": "u"})
    assert nothing.result == "noAudienceMatch" and nothing.paywall is None
    with pytest.raises(AttributeError):
        nothing.paywall = "x"  # type: ignore[misc]


def test_decisions_are_values(config: tollgate.Config) -> None:
    import pickle

    user = {"userId": "u", "user": {"tags": ["beta"]}}
    one, other = (config.decide("open", user, now=NOW) for _ in range(2))
    assert one == other and one != config.decide("export", user, now=NOW) and one != "open"
    assert eval(repr(one), {"Decision": tollgate.Decision}) == one
    assert pickle.loads(pickle.dumps(one)) == one
    assert len({one, other, config.decide("export", user, now=NOW)}) == 2
    assert len(set(config.check() * 2)) == len(config.check())
    match one:
        case tollgate.Decision(paywall="annual", variant=variant):
            assert variant == "v5"
        case _:
            raise AssertionError
    with pytest.raises(AttributeError, match="does not change"):
        del one.paywall


def test_importing_is_light() -> None:
    """Nothing that takes long to import comes along, nor what only tables need."""
    code = "import sys, tollgate; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(tollgate.__file__))})
    assert "tollgate.config" in loaded.stdout.split(), loaded.stderr
    heavy = {
        "collections", "contextlib", "dataclasses", "datetime", "inspect", "json", "math",
        "pathlib", "re", "typing", "tollgate.outcomes", "tollgate.plan",
        "pyarrow", "numpy", "polars", "pandas", "duckdb",
    }
    assert heavy & set(loaded.stdout.split()) == set()


def test_what_is_imported_later() -> None:
    """Names of tables are there for whoever asks, whatever is asked first."""
    for name in ("Plan", "Tally", "Outcomes", "ArrowStreamExportable"):
        code = f"import tollgate; print(tollgate.{name}.__name__, '{name}' in dir(tollgate))"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        assert done.stdout.split() == [name, "True"], done.stderr
    code = "from tollgate import *; print(sorted(n for n in globals() if n[0].isupper()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == str(sorted(tollgate.__all__)), done.stderr
    with pytest.raises(AttributeError, match="no attribute 'Plans'"):
        tollgate.Plans  # noqa: B018


def test_json_without_the_fast_parts() -> None:
    """Another Python has no ``_json``: then ``json`` is asked."""
    code = '''
import sys
sys.modules["_json"] = None
from tollgate._json import encoder, loads
text = "".join(encoder(sorted)({"a": [1, None, {2, 1}], "b": "é\\n"}, 0))
print(text == '{"a":[1,null,[1,2]],"b":"é\\\\n"}')
print(loads(text) == loads(text.encode()) == {"a": [1, None, [1, 2]], "b": "é\\n"})
print("json" in sys.modules)
'''
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["True", "True", "True"], done.stderr
    assert _json.loads(b' {"a": [1.5, -2e3, "\\u00e9"]} ') == {"a": [1.5, -2000.0, "é"]}
    for text in ("", "{", "[1] 2", b"\xff"):
        with pytest.raises(ValueError):
            _json.loads(text)


def test_values_that_json_does_not_know(config: tollgate.Config) -> None:
    made = tollgate.Config.loads(
        {**CONFIG, "trigger_options": [{"event_name": "p", "rules": [{
            **CONFIG["trigger_options"][1]["rules"][0],
            "expression_cel": "timestamp(user.since) < timestamp('2026-01-01T00:00:00Z')"}]}]})
    since = datetime(2025, 12, 31, 23, tzinfo=timezone.utc)
    assert made.decide("p", {"userId": "u", "user": {"since": since}}).result == "paywall"
    later = since + timedelta(days=1)
    assert made.decide("p", {"userId": "u", "user": {"since": later}}).result != "paywall"
    with pytest.raises(TypeError, match="not a value that rules know"):
        config.decide("open", {"userId": "u", "user": {"x": object()}})


@pytest.mark.parametrize("values", [[], ["pro"], ["a", "b"], [["a"], ["b"]]])
def test_arrays_are_lists(values: list[Any]) -> None:
    """pandas has lists as arrays; one of a single element is no single element."""
    numpy = pytest.importorskip("numpy")
    made = tollgate.Config.loads(
        {**CONFIG, "trigger_options": [{"event_name": "p", "rules": [{
            **CONFIG["trigger_options"][1]["rules"][0],
            "expression_cel": f"user.x == {json.dumps(values)}"}]}]})
    for given in (numpy.array(values, dtype=object), numpy.array(values)):
        assert made.decide("p", {"userId": "u", "user": {"x": given}}).result == "paywall"
    assert made.decide("p", {"userId": "u", "user": {"x": "pro"}}).result != "paywall"


def test_values_of_other_libraries(config: tollgate.Config) -> None:
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")

    def decide(value: object) -> tollgate.Decision:
        return config.decide("export", {"userId": "u", "user": {"plan": "free", "visits": value}})

    assert decide(numpy.int64(3)) == decide(3)
    for odd in (numpy.datetime64("2026-01-01"), numpy.timedelta64(1, "s"), pandas.NA,
                numpy.array(["2026-01-01"], dtype="datetime64[ns]")):
        with pytest.raises(TypeError, match="not a value that rules know"):
            decide(odd)
    with pytest.raises(tollgate.RecordError, match="NaT is not a time; omit the attribute"):
        decide(pandas.NaT)
    for odd in (numpy.float32("nan"), {float("nan")}, numpy.array([1.0, float("inf")])):
        with pytest.raises(tollgate.RecordError, match=r"'user\.visits(\.[01])?' is not a finite"):
            decide(odd)


def test_seeds(config: tollgate.Config) -> None:
    def variants(seed: str | None) -> list[str | None]:
        return [
            config.decide(
                "export", {"userId": f"u{n}", "user": {"plan": "free", "visits": 3}}, seed=seed
            ).variant
            for n in range(60)
        ]

    assert variants(None) == variants("s") != variants("t")
    assert len(set(variants("t"))) == 3


def test_times_need_a_zone(config: tollgate.Config) -> None:
    with pytest.raises(ValueError, match="now=.* has no time zone"):
        config.decide("open", {"userId": "u"}, now=datetime(2026, 1, 1))
    with pytest.raises(tollgate.RecordError, match="^datetime.* in a record has no time zone"):
        config.decide("open", {"userId": "u", "user": {"since": datetime(2026, 1, 1)}})
    with pytest.raises(tollgate.RecordError, match="2026-03-01T12:00:00Z"):
        config.decide("open", {"userId": "u"}, now="soon")


def test_errors_say_what_and_where(config: tollgate.Config) -> None:
    with pytest.raises(tollgate.RecordError, match="did you mean 'export'") as problem:
        config.decide("exprt", {"userId": "u"})
    assert problem.value.code == "unknown_placement"
    with pytest.raises(tollgate.RecordError):
        config.decide("export", {"user": {}})
    with pytest.raises(tollgate.ConfigError):
        tollgate.Config.loads("[]")
    broken = json.loads(json.dumps(CONFIG))
    broken["trigger_options"][0]["rules"][0]["expression_cel"] = "user.plan =="
    with pytest.raises(tollgate.ConfigError) as wrong:
        tollgate.Config.loads(broken, strict=True)
    assert wrong.value.diagnostics[0]["code"] == "syntax-error"
    assert "trigger_options[0].rules[0]" in str(wrong.value)
    lenient = tollgate.Config.loads(broken)
    assert [found.code for found in lenient.diagnostics if found.severity == "error"] == [
        "syntax-error"]
    assert str(lenient.diagnostics[0]).startswith("error[syntax-error]: trigger_options[0]")
    with pytest.raises(ValueError, match="superscript:ios"):
        tollgate.Config.loads(CONFIG, dialect="sql")
    with pytest.raises(tollgate.RecordError, match="hash or djb2"):
        tollgate.Config.loads(CONFIG, assigner="dice")


@pytest.mark.parametrize("dialect", ["sql", "superscript:IOS", "cel:ios", "", None, 5, "ios"])
def test_dialects_are_named(dialect: Any) -> None:
    with pytest.raises(ValueError, match="use superscript:ios, superscript:android"):
        tollgate.Config.loads(CONFIG, dialect=dialect)


def test_errors_come_from_other_processes(config: tollgate.Config) -> None:
    """A pool whose worker fails gets its error as a pickle; one that cannot be read breaks it."""
    import copy
    import pickle

    broken = json.loads(json.dumps(CONFIG))
    broken["trigger_options"][0]["rules"][0]["expression_cel"] = "user.plan =="
    for work in (
        lambda: config.decide("exprt", {"userId": "u"}),
        lambda: tollgate.Config.loads(broken, strict=True),
        lambda: config.decide("open", {"userId": "\ud800"}),
    ):
        with pytest.raises(tollgate.TollgateError) as raised:
            work()
        problem = raised.value
        for found in (pickle.loads(pickle.dumps(problem)), copy.copy(problem)):
            assert type(found) is type(problem) and str(found) == str(problem)
            assert (found.code, found.details) == (problem.code, problem.details)


def test_explains(config: tollgate.Config) -> None:
    user = {"userId": "u", "user": {"plan": "pro", "visits": 9}}
    why = config.explain("export", user, now=NOW)
    assert str(why).startswith("export: ") and "user.plan == 'free'" in str(why)
    assert why.to_dict()["placement"] == "export" and why.changes is None
    one = config.explain("export", user, audience="free", now=NOW)
    assert one.changes == [{"path": "user.plan", "from": "pro", "to": "free"}]
    free = config.explain("export", user, set={"user.plan": "free"}, now=NOW)
    assert free.to_dict()["result"] != why.to_dict()["result"]


def test_renders() -> None:
    made = tollgate.Config.loads(
        CONFIG, texts={"paywalls": {"annual": {"title": "Hello {{ user.name }}"}}})
    user = {"userId": "u", "user": {"name": "Ann", "tags": ["beta"]}}
    assert made.render("annual", user=user)["texts"] == {"title": "Hello Ann"}
    assert made.decide("open", user, texts=True).texts == {"title": "Hello Ann"}
    assert made.render(template="Bye {{ user.name }}", user=user)["text"] == "Bye Ann"
    with pytest.raises(tollgate.RecordError, match="did you mean 'annual'"):
        made.render("anual")


def test_claims() -> None:
    products = {"products": [{
        "slot": "primary", "identifier": "year", "price": "59.99", "currency": "USD",
        "period": "P1Y",
        "intro": {"mode": "payUpFront", "unit": "month", "count": 3, "price": "4.99"}}]}
    config = json.loads(json.dumps(CONFIG))
    config["paywall_responses"] = [{
        "id": "1", "identifier": "annual", "name": "Annual", "url": "https://example.com",
        "products_v2": [{
            "reference_name": "primary", "sw_composite_product_id": "year", "entitlements": [],
            "store_product": {"store": "APP_STORE", "product_identifier": "year"}}]}]
    made = tollgate.Config.loads(
        config, texts={"paywalls": {"annual": {"title": "Start your free trial"}}})
    found = made.claims(products=products)
    assert [(each["claim"], each["verdict"], each.get("product")) for each in found] == [
        ("free", "false", "year")]
    assert found == made.claims(paywall="annual", products=products, locales=["en_US", "de_DE"])
    with pytest.raises(tollgate.RecordError, match="no paywall .* has texts"):
        made.claims(paywall="other", products=products)
    with pytest.raises(tollgate.RecordError, match="has no 'texts'"):
        tollgate.Config.loads(config).claims()


def test_checks_compares_and_covers(config: tollgate.Config) -> None:
    assert all(found.severity != "error" for found in config.check())
    other = json.loads(json.dumps(CONFIG))
    other["trigger_options"][0]["rules"][0]["expression_cel"] = "user.plan == 'free'"
    new = tollgate.Config.loads(other, seed="s")
    proved = config.diff(new, now=NOW)
    assert set(proved["placements"]) == {"export", "open"} and proved["changes"]
    moved = config.diff(new, users=[{"userId": "u", "user": {"plan": "free", "visits": 0}}])
    assert "export" in json.dumps(moved)
    covered = config.cover([])
    assert covered != config.cover([{
        "userId": "u", "placement": "open", "user": {"tags": ["beta"]},
        "expect": {"result": "paywall"}}])


def test_threads_and_many_configs(config: tollgate.Config) -> None:
    wrong: list[str] = []

    def work(number: int) -> None:
        own = tollgate.Config.loads(CONFIG, seed=str(number))
        for turn in range(100):
            plan = "free" if (number + turn) % 2 else "pro"
            user = {"userId": "u", "user": {"plan": plan, "visits": 5}}
            for each in (config, own):
                found = each.decide("export", user)
                if (found.experiment == "free") != (plan == "free"):
                    wrong.append(f"{number} {turn}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_after_fork(config: tollgate.Config) -> None:
    code = """
import os, sys, tollgate, json
config = tollgate.Config.loads(json.loads(sys.argv[1]))
user = {"userId": "u", "user": {"tags": ["beta"]}}
assert config.decide("open", user).paywall == "annual"
child = os.fork()
if child == 0:
    os._exit(0 if config.decide("open", user).paywall == "annual" else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", code, json.dumps(CONFIG)], timeout=120)
    assert done.returncode == 0


def test_capsules_that_live_until_the_end() -> None:
    code = """
import sys, json, tollgate
config = tollgate.Config.loads(json.loads(sys.argv[1]))
plan = config.plan()
sys.kept = [plan.schema.__arrow_c_schema__() for _ in range(100)]
"""
    done = subprocess.run([sys.executable, "-c", code, json.dumps(CONFIG)], timeout=120)
    assert done.returncode == 0


def test_memory_does_not_grow(config: tollgate.Config) -> None:
    def used() -> int:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4_096

    def work() -> None:
        for _ in range(2_000):
            config.decide("open", {"userId": "u", "user": {"tags": ["beta"] * 20}})
        for number in range(20):
            tollgate.Config.loads(CONFIG, seed=str(number)).plan()

    if not sys.platform.startswith("linux"):
        pytest.skip("memory is read from /proc")
    for _ in range(3):
        work()
    before = used()
    for _ in range(10):
        work()
    assert used() - before < 4 << 20


def test_wrong_types_are_named(config: tollgate.Config) -> None:
    for user in (None, [1], "u"):
        with pytest.raises(TypeError, match="a user record is a mapping"):
            config.decide("open", user)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a tollgate.Config, not None"):
        config.diff(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Config.load"):
        tollgate.Config("{}")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no option 'timezone'; use dialect, mode, html"):
        config.render(template="x", timezone="Asia/Tokyo")
    with pytest.raises(TypeError, match="now must be a datetime"):
        config.decide("open", {"userId": "u"}, now=5)  # type: ignore[arg-type]
    with pytest.raises(tollgate.ConfigError, match=r"cannot be used\n  the JSON ends too early"):
        tollgate.Config.loads("")


def test_texts_and_paths(tmp_path: Path) -> None:
    text = json.dumps(CONFIG)
    (tmp_path / "config.json").write_text(text)
    for given in (text, "  " + text, text.encode()):
        with pytest.raises(ValueError, match="not the path of one; use Config.loads"):
            tollgate.Config.load(given)
    for path in ("config.json", str(tmp_path / "config.json"), "nothing.json"):
        with pytest.raises(ValueError, match="is a path, not a config; use Config.load"):
            tollgate.Config.loads(path)
    assert tollgate.Config.load(tmp_path / "config.json").placements == ["export", "open"]
