from __future__ import annotations

from typing import Any

import pytest

import tollgate

NOW = "2026-03-01T12:00:00Z"


def variant(name: str, share: int, paywall: str | None) -> dict[str, Any]:
    return {
        "variant_id": name, "percentage": share, "paywall_identifier": paywall,
        "variant_type": "TREATMENT" if paywall else "HOLDOUT",
    }


def rule(name: str, expression: str | None, *variants: dict[str, Any]) -> dict[str, Any]:
    return {
        "experiment_id": name, "experiment_group_id": "g", "expression_cel": expression,
        "variants": list(variants),
    }


CONFIG: dict[str, Any] = {
    "build_id": "b",
    "trigger_options": [
        {
            "event_name": "export",
            "rules": [
                rule(
                    "free", "user.plan == 'free' && user.visits > 2",
                    variant("v1", 40, "annual"), variant("v2", 40, "a paywall with a long name"),
                    variant("v3", 20, None),
                ),
                rule("german", "device.locale.startsWith('de')", variant("v4", 100, "monthly")),
            ],
        },
        {"event_name": "open", "rules": [
            rule("tags", "'beta' in user.tags", variant("v5", 100, "annual"))]},
    ],
    "paywall_responses": [
        {"identifier": name, "name": name, "url": "https://example.com"}
        for name in ("annual", "monthly", "a paywall with a long name")
    ],
}


@pytest.fixture(scope="session")
def config() -> tollgate.Config:
    return tollgate.Config.loads(CONFIG, seed="s")


def users(count: int = 500) -> list[dict[str, Any]]:
    """Records with everything that may be missing."""
    found = []
    for number in range(count):
        user: dict[str, Any] = {}
        if number % 5:
            user["plan"] = "free" if number % 2 else "a plan with a long name"
        if number % 7:
            user["visits"] = number % 9
        if number % 3 == 0:
            user["tags"] = ["beta", "x"] if number % 2 else []
        record: dict[str, Any] = {"userId": f"u{number}"}
        if number % 11:
            record["user"] = user
        if number % 4:
            record["device"] = {"locale": "de_DE" if number % 8 == 1 else "en_US"}
        found.append(record)
    return found


def expected(config: tollgate.Config, record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What the library says of one user by itself."""
    return {
        found.placement: {
            "result": found.result, "experiment": found.experiment, "variant": found.variant,
            "paywall": found.paywall,
        }
        for found in config.decide_all(record, now=NOW)
    }


def rows(outcomes: Any) -> list[dict[str, Any]]:
    """The rows of a table of pyarrow's."""
    return outcomes.to_pylist()
