"""Decisions as they are read from the library's answers, against the answers read as JSON."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

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
    from tollgate import config as module

    record = {"userId": "ä", "user": {"x": (1, 0.5, None, True), "y": {"z": "a\n\u2028"}}}
    wanted = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()
    if make != "as it is":
        monkeypatch.setattr(json.encoder, "c_make_encoder", make)
    monkeypatch.setattr(module, "_encode", module._encoder())
    assert module.json_bytes(record) == wanted
    with pytest.raises(ValueError, match="'user.x' is not a finite number"):
        config.decide("open", {"userId": "u", "user": {"x": float("nan")}})


def test_records_that_cannot_be_written(config: tollgate.Config) -> None:
    record: dict[str, Any] = {"userId": "u"}
    record["user"] = record
    with pytest.raises(ValueError, match="or contain itself"):
        config.decide("open", record)
    with pytest.raises(ValueError, match="'user.x' is not a finite number"):
        config.decide("open", {"userId": "u", "user": {"x": float("nan")}})
