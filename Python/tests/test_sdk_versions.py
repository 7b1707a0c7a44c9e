"""Tests decisions with versions of SDKs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, rule, variant

import tollgate

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "corpus" / "cases" / "sdk-version-cases.jsonl"
# Which SDKs before iOS 4.12.9 and Android 2.7.0 compare as numbers, and newer ones as strings.
RULE = 'device.appVersionPadded >= "009.000"'
DEVICE = {"appVersionPadded": "010.001.002"}


def config(condition: str, dialect: str = "superscript:ios") -> tollgate.Config:
    return tollgate.Config.loads({"build_id": "b", "trigger_options": [
        {"event_name": "p", "rules": [rule("e", condition, variant("v", 100, "pw"))]}]},
        dialect=dialect)


def user(**device: Any) -> dict[str, Any]:
    return {"userId": "u", "device": {**DEVICE, **device}}


def decided(config: tollgate.Config, record: dict[str, Any], version: str | None) -> str:
    one = config.decide("p", record, now=NOW, sdk_version=version)
    assert config.decide_all(record, now=NOW, sdk_version=version) == [one]
    assert config.decide_all(record, placements=["p"], now=NOW, sdk_version=version) == [one]
    why = config.explain("p", record, now=NOW, sdk_version=version).to_dict()
    assert why["result"]["result"] == one.result
    return one.result


@pytest.mark.parametrize(("version", "result"), [
    ("4.10.0", "noAudienceMatch"), ("4.12.9", "paywall"), (None, "paywall"), ("newest", "paywall"),
    ("4.0.0", "paywall"), ("4.12.9+pods", "noAudienceMatch"),
])
def test_versions(version: str | None, result: str) -> None:
    made = config(RULE)
    for _ in range(2):
        assert decided(made, user(), version) == result
        # The last question does not answer the next.
        assert decided(made, user(), "4.10.0") == "noAudienceMatch"


def test_versions_of_users() -> None:
    made = config(RULE)
    for version, result in [("4.10.0", "noAudienceMatch"), ("4.12.9", "paywall")]:
        assert decided(made, user(platform="iOS", sdkVersion=version), "record") == result
    both = "ios=4.10.0,android=2.7.0"
    assert decided(made, user(platform="iOS"), both) == "noAudienceMatch"
    assert decided(made, user(platform="Android"), both) == "paywall"


def test_records_do_not_choose() -> None:
    assert decided(config(RULE), {**user(), "sdkVersion": "4.10.0"}, None) == "paywall"


def test_versions_that_do_not_know() -> None:
    script = {**rule("e", RULE, variant("v", 100, "pw")), "expression_js": "user.a == 1"}
    made = tollgate.Config.loads(
        {"build_id": "b", "trigger_options": [{"event_name": "p", "rules": [script]}]})
    assert decided(made, user(), "3.5.0") == "undecidable"
    assert decided(made, user(), "4.12.9") == "paywall"


@pytest.mark.parametrize(
    "version", ["nope", "", "4.x", 4, 4.12, ["4.12.5"], "ios=", "windows=1.0.0"])
def test_wrong_versions(version: Any) -> None:
    made = config(RULE)
    for decide in (
        lambda: made.decide("p", user(), sdk_version=version),
        lambda: made.decide_all(user(), sdk_version=version),
        lambda: made.explain("p", user(), sdk_version=version),
    ):
        with pytest.raises(tollgate.RecordError, match="4.12.5"):
            decide()


def cases() -> list[dict[str, Any]]:
    if not CASES.exists():
        return []
    found = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [
        case for case in found
        if case["area"] == "expression" and list(case["config"]) == ["expression_cel"]
        and all("evaluator" in found for found in case["ranges"])
    ]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_cases(case: dict[str, Any]) -> None:
    """Both ends of each range of versions."""
    for found in case["ranges"]:
        made = config(case["config"]["expression_cel"], f"superscript:{found['sdk']}")
        first, _, last = found["versions"].partition("..")
        for version in filter(None, (first, last)):
            got = made.decide("p", case["user"], now=case.get("now", NOW), sdk_version=version)
            assert got.result == found["result"].partition(" ")[0], (version, found)


@pytest.mark.skipif(not CASES.exists(), reason="only in the repository")
def test_there_are_cases() -> None:
    assert len(cases()) >= 10
