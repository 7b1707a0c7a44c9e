"""Compares decisions with the library's answers, read as JSON."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from conftest import CONFIG, NOW, users

import tollgate
from tollgate._library import Text, checked, library

# Identities with what answers are taken apart by.
ODD = ["u", 'a","placement":"x', "a\\", '\\"', '{"userId":"', "ä\n\u2028🙂", "]}", "\x00", " "]


def answered(config: tollgate.Config, record: dict[str, Any]) -> list[dict[str, Any]]:
    """What the library says, as JSON."""
    body = json.dumps({**record, "now": NOW}).encode()
    text = Text()
    answer = checked(library.tg_decide(config._pointer, body, len(body), text), text)
    found: list[dict[str, Any]] = json.loads(answer)["decisions"]
    return found


def as_json(found: tollgate.Decision) -> dict[str, Any]:
    """The members of an answer that a decision has."""
    members: dict[str, Any] = {
        "userId": found.user_id, "placement": found.placement, "result": found.result,
        "audience": found.audience, "experiment": found.experiment, "variant": found.variant,
        "paywall": found.paywall, "errors": list(found.errors),
    }
    return {name: value for name, value in members.items() if value not in (None, [])}


def flat(answer: dict[str, Any]) -> dict[str, Any]:
    members = {**answer, "result": answer["result"]["result"]}
    experiment = answer["result"].get("experiment")
    if experiment:
        members["experiment"] = experiment["id"]
        members["variant"] = experiment["variant"]["id"]
    return {name: value for name, value in members.items() if value is not None}


@pytest.mark.parametrize("subject", ODD)
def test_odd_identities(config: tollgate.Config, subject: str) -> None:
    record = {"userId": subject, "user": {"plan": "free", "visits": 9, "tags": ["beta"]}}
    for _ in range(2):
        found = config.decide_all(record, now=NOW)
        assert [as_json(one) for one in found] == [flat(one) for one in answered(config, record)]
        assert [one.user_id for one in found] == [subject, subject]


def test_every_user_as_the_library_says(config: tollgate.Config) -> None:
    records = users(300)
    assert any("errors" in one for record in records for one in answered(config, record))
    for record in [*records, *records]:
        found = [as_json(one) for one in config.decide_all(record, now=NOW)]
        assert found == [flat(one) for one in answered(config, record)]


def test_few_placements(config: tollgate.Config) -> None:
    user = {"userId": "u", "user": {"tags": ["beta"]}}
    assert config.decide_all(user, placements=[]) == []
    names = [one.placement for one in config.decide_all(user, placements=["open", "export"])]
    assert names == ["open", "export"]


def test_decisions_share_nothing_that_changes(config: tollgate.Config) -> None:
    # Without tags the condition of "open" fails.
    user = {"userId": "u", "user": {"plan": "free"}}
    first = config.decide("open", user, now=NOW)
    assert first.errors
    kept = copy.deepcopy(first)
    first.errors[0]["audience"] = "changed"
    first.texts["title"] = "changed"  # type: ignore[index]
    assert config.decide("open", user, now=NOW) == kept == pickle.loads(pickle.dumps(kept))
    with pytest.raises(AttributeError, match="does not change"):
        kept.paywall = "x"  # type: ignore[misc]
    assert type(kept) is tollgate.Decision


def test_names_that_texts_have() -> None:
    """Texts of paywalls have any names, also those of the answer's members."""
    texts = {"userId": "one", "placement": "two", "decisions": "three"}
    made = tollgate.Config.loads(CONFIG, texts={"paywalls": {"annual": texts}})
    user = {"userId": "u", "user": {"tags": ["beta"]}}
    assert made.decide("open", user, texts=True).texts == texts
    assert made.decide("open", user).texts == {}


@pytest.mark.parametrize("make", [None, lambda *parts: lambda value, _: ["null"], "as it is"])
def test_writing_where_python_has_no_encoder(
    make: Any, config: tollgate.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    import _json

    from tollgate import _records as module
    from tollgate._json import encoder

    record = {"userId": "ä", "user": {"x": (1, 0.5, None, True), "y": {"z": "a\n\u2028"}}}
    wanted = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()
    if make != "as it is":
        monkeypatch.setattr(_json, "make_encoder", make)
    monkeypatch.setattr(module, "_encode", encoder(module._plain))
    assert module.json_bytes(record) == wanted
    with pytest.raises(ValueError, match="'user.x' is not a finite number"):
        config.decide("open", {"userId": "u", "user": {"x": float("nan")}})


def test_records_that_cannot_be_written(config: tollgate.Config) -> None:
    record: dict[str, Any] = {"userId": "u"}
    record["user"] = record
    with pytest.raises(ValueError, match="or contains itself"):
        config.decide("open", record)
    for odd, words in ((float("nan"), "'user.x' is not a finite number"),
                       ("a\ud800", "half of a character, '.ud800', in a string")):
        with pytest.raises(tollgate.RecordError, match=words) as problem:
            config.decide("open", {"userId": "u", "user": {"x": odd}})
        assert problem.value.code == "not_json" and problem.value.__cause__ is None
    with pytest.raises(tollgate.RecordError, match="'user.y' is not a finite number"):
        config.decide("open", {"userId": "u", "user": {"x": 10**400, "y": float("inf")}})
    last = datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-2)))
    with pytest.raises(tollgate.RecordError, match="not between the years 1 and 9999"):
        config.decide("open", {"userId": "u", "user": {"x": last}})


def test_what_is_asked_is_not_the_records_to_say(config: tollgate.Config) -> None:
    """A record may have members with the names of a request's."""
    user = {"plan": "free", "visits": 9}
    plain = config.decide("open", {"userId": "u", "user": user}, now=NOW)
    for odd in ({"placements": ["export", 5]}, {"placements": None}):
        assert config.decide("open", {**odd, "userId": "u", "user": user}, now=NOW) == plain
    record = {"userId": "u", "user": user, "now": "1999-01-01T00:00:00Z", "seed": "other"}
    assert config.decide("open", record, now=NOW, seed="") == config.decide(
        "open", {"userId": "u", "user": user}, now=NOW, seed="")
    assert record["seed"] == "other", "the caller's record is as it was"
    # Nor where the call says nothing of it; a table's columns of these names say nothing, too.
    people = [{"userId": f"u{n}", "user": {"plan": "free", "visits": 9}} for n in range(20)]
    odd = {
        "now": "1999-01-01T00:00:00Z", "seed": "x", "placements": ["open"], "texts": 5,
        "explain": True, "reasons": True, "products": ["a"], "requestId": 7, "record": "r"}
    for person in people:
        for name in odd:
            assert config.decide("export", {**person, name: odd[name]}) == config.decide(
                "export", person)
        assert config.decide_all({**person, **odd}) == config.decide_all(person)
    assert len({config.decide("export", person, seed="x").variant for person in people}) > 1


def test_the_same_asked_again(config: tollgate.Config) -> None:
    """What is asked for is written once, and never for somebody who asks for something else."""
    record = {"userId": "u", "user": {"plan": "free", "visits": 9}}
    names = config.placements
    for _ in range(2):
        for name in names:
            assert config.decide(name, record, now=NOW).placement == name
        assert [one.placement for one in config.decide_all(record)] == names
        assert [one.placement for one in config.decide_all(record, placements=[])] == []
        for refused in (["nope"], [5], [[]], [{}]):
            with pytest.raises(tollgate.RecordError):
                config.decide_all(record, placements=refused, now=NOW)  # type: ignore[arg-type]
        with pytest.raises(tollgate.RecordError, match="userId"):
            config.decide(names[0], {}, now=NOW)
    for second in range(300):
        config.decide(names[0], record, now=f"2026-03-01T12:{second // 60:02}:{second % 60:02}Z")
    assert len(config._asked) <= 128


@pytest.mark.parametrize("wrong", [None, ("export", "open"), ["export"], 3])
def test_one_placement_is_a_name(config: tollgate.Config, wrong: object) -> None:
    user = {"userId": "u"}
    # A list of them that was asked for before is another request.
    config.decide_all(user, placements=config.placements)
    config.decide_all(user)
    for _ in range(2):
        with pytest.raises(tollgate.TollgateError):
            config.decide(wrong, user)  # type: ignore[arg-type]


def test_times_that_are_equal_and_not_the_same() -> None:
    """A clock that is put back shows an hour twice, and the two are equal for Python."""
    zone = ZoneInfo("Europe/Berlin")
    first, second = (datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=zone) for fold in (0, 1))
    assert first == second
    limited = {
        **CONFIG["trigger_options"][1]["rules"][0], "expression_cel": "true",
        "occurrence": {"key": "k", "max_count": 1, "interval": {"type": "MINUTES", "minutes": 45}},
    }
    made = tollgate.Config.loads(
        {**CONFIG, "trigger_options": [{"event_name": "p", "rules": [limited]}]})
    # Shown at half past two, the first time: an hour later it may be shown again.
    record = {"userId": "u", "occurrences": {"k": ["2026-10-25T00:20:00Z"]}}
    results = [made.decide("p", record, now=now).result for now in (first, second, first)]
    assert results == ["noAudienceMatch", "paywall", "noAudienceMatch"]


@pytest.mark.parametrize("subject", [5, -3, 2**63 - 1, 2**80])
def test_integers_as_ids(config: tollgate.Config, subject: int) -> None:
    found = config.decide("open", {"userId": subject}, now=NOW)
    assert found == config.decide("open", {"userId": str(subject)}, now=NOW)
    assert config.decide_all({"userId": subject}, now=NOW)[0].user_id == str(subject)
    assert str(config.explain("open", {"userId": subject}, now=NOW)) == str(
        config.explain("open", {"userId": str(subject)}, now=NOW))
    if abs(subject) < 2**63:
        pa = pytest.importorskip("pyarrow")
        ids = pa.table({"userId": [subject], "user.plan": ["free"]})
        plan = config.plan(["open"], now=NOW, missing_columns="ignore")
        wanted = config.decide("open", {"userId": subject, "user": {"plan": "free"}}, now=NOW)
        assert plan.decide(ids).to_pylist()[0]["open"]["variant"] == wanted.variant


@pytest.mark.parametrize("subject", [True, 5.0, None, ["u"], b"u"])
def test_what_is_no_id(config: tollgate.Config, subject: object) -> None:
    with pytest.raises((tollgate.RecordError, TypeError)):
        config.decide("open", {"userId": subject}, now=NOW)


def test_integers_of_numpy_as_ids(config: tollgate.Config) -> None:
    numpy = pytest.importorskip("numpy")
    found = config.decide("open", {"userId": numpy.uint64(2**64 - 1)}, now=NOW)
    assert found.user_id == str(2**64 - 1)
