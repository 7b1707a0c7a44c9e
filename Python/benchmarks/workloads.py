"""What the benchmark decides: configs, and users with 17 attributes that may be missing.

Two configs of placements with ten audiences each:

- ``rotated``: ten conditions, of which each placement has all in another order, the one for
  everybody last. The targets come from measurements with configs of this kind.
- ``distinct``: ten conditions of its own for each placement, so that they share no work.

An audience draws one of two paywalls, or neither: 45, 45 and 10 of 100.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from conditions import Compare, Condition, Every, HasText, Known, OneOf, Remainder, Some

AUDIENCES = 10
COUNTRIES = [
    "US", "GB", "DE", "FR", "JP", "BR", "IN", "CA", "AU", "MX", "KR", "ES", "IT", "NL", "SE",
]
_WEIGHTS = [35, 8, 7, 6, 7, 6, 8, 4, 3, 4, 3, 3, 3, 2, 1]
LANGUAGES = ["en", "de", "fr", "ja", "pt", "es", "ko", "it", "nl", "sv"]
GOALS = ["lose_weight", "build_muscle", "sleep", "focus"]
DOMAINS = ["gmail.com", "icloud.com", "acme.com", "outlook.com", "uni.edu"]
ROOTS = {
    "user": ["seed", "has_trial", "is_tester", "goal", "email_domain"],
    "device": [
        "country", "language", "platform", "appVersion", "appVersionPadded", "osMajor",
        "daysSinceInstall", "totalSessions", "totalPaywallViews", "minutesSinceLast",
        "subscriptionStatus", "daysSinceLastPaywallView",
    ],
}
# The variants of an audience, and the first percent that is not theirs.
SHARES = (("a", 45), ("b", 90), ("c", 100))

# None is the audience for everybody.
Audiences = list[Condition | None]


def rotated(placement: int) -> Audiences:
    views, sessions = "device.totalPaywallViews", "device.totalSessions"
    status, domain = "device.subscriptionStatus", "user.email_domain"
    last = "device.daysSinceLastPaywallView"
    body: Audiences = [
        Compare(status, "==", "UNKNOWN"),
        Compare("user.is_tester", "==", True),
        Every(OneOf("device.country", ["US", "CA"]), Compare(sessions, ">=", 5),
              Compare("device.appVersionPadded", ">=", "002.003.000")),
        Every(Compare("device.platform", "==", "Android"), Compare("user.seed", "<", 30),
              Compare("device.daysSinceInstall", ">=", 7)),
        Every(Compare("user.goal", "==", "lose_weight"), Compare(views, "<", 3),
              Compare(status, "!=", "ACTIVE")),
        Every(OneOf("device.language", ["de", "fr", "es"]), Compare(sessions, ">=", 3),
              Compare(sessions, "<=", 40), Compare("user.has_trial", "==", False)),
        Known(domain, Some(HasText(domain, "ends_with", ".edu"),
                           HasText(domain, "contains", "acme"))),
        Known(last, Compare(last, ">", 30), otherwise=True),
        Every(Compare("device.minutesSinceLast", ">", 1440), Compare(views, "<", 10),
              Compare("device.osMajor", ">=", 16)),
    ]
    first = placement % len(body)
    return [*body[first:], *body[:first], None]


def distinct(placement: int) -> Audiences:
    views, sessions = "device.totalPaywallViews", "device.totalSessions"
    domain, last = "user.email_domain", "device.daysSinceLastPaywallView"
    country, language = COUNTRIES[placement], LANGUAGES[placement]
    return [
        Every(Compare("user.goal", "==", GOALS[placement % 4]),
              Compare(sessions, ">", 60 + placement)),
        Every(OneOf("device.country", [country, COUNTRIES[14 - placement // 3]]),
              Compare("device.osMajor", ">=", 17)),
        Every(Compare("device.daysSinceInstall", ">=", 90 - 7 * placement),
              Remainder("user.seed", 10, placement, 100)),
        Every(Compare("device.platform", "==", "Android"), Compare(views, ">", 6 + placement)),
        Known(domain, Every(HasText(domain, "ends_with", DOMAINS[placement % 5][-5:]),
                            Compare("user.seed", "<", 20 + 5 * placement))),
        Every(Compare("device.subscriptionStatus", "==", "INACTIVE"),
              Compare("device.appVersionPadded", ">=", f"003.01{5 + placement % 5}.00{placement}")),
        Every(OneOf("device.language", [language, "sv"]), Compare("user.has_trial", "==", False),
              Compare(sessions, "<=", 10 + 2 * placement)),
        Known(last, Every(Compare(last, ">", 15 + placement), Compare(last, "<=", 40 + placement))),
        Every(Compare("device.minutesSinceLast", ">", 1440 + 300 * placement),
              Compare(views, "<", 3 + placement)),
        Some(Compare("device.appVersion", "==", f"2.{placement}.3"),
             Every(Compare("device.subscriptionStatus", "==", "UNKNOWN"),
                   Compare("user.is_tester", "==", False))),
    ]


WORKLOADS: dict[str, Callable[[int], Audiences]] = {"rotated": rotated, "distinct": distinct}


class Workload:
    """A config, and its conditions for those who have none: ``Workload("distinct", 10)``."""

    def __init__(self, name: str, placements: int) -> None:
        self.name = name
        self.placements = [f"p{number}" for number in range(placements)]
        self.audiences: dict[str, Audiences] = {
            placement: WORKLOADS[name](number) for number, placement in enumerate(self.placements)
        }

    def experiment(self, placement: str, audience: int) -> str:
        return f"{placement}-e{audience}"

    def outcomes(self, placement: str) -> list[dict[str, str | None]]:
        """What a placement may come to: the variants of all audiences, and nothing at all."""
        found: list[dict[str, str | None]] = []
        for audience in range(AUDIENCES):
            experiment = self.experiment(placement, audience)
            found += [
                {
                    "result": "paywall" if paywall else "holdout", "experiment": experiment,
                    "variant": f"{experiment}-{variant}", "paywall": paywall,
                }
                for variant, paywall in (
                    ("a", f"annual-{audience}"), ("b", f"monthly-{audience}"), ("c", None))
            ]
        nothing = dict.fromkeys(("experiment", "variant", "paywall"))
        return [*found, {"result": "noAudienceMatch", **nothing}]

    def config(self) -> str:
        """The config of Superwall's format, as a text."""
        return json.dumps({
            "build_id": "bench",
            "trigger_options": [
                {"event_name": placement, "rules": self._rules(placement)}
                for placement in self.placements
            ],
        })

    def _rules(self, placement: str) -> list[dict[str, Any]]:
        outcomes, rules = self.outcomes(placement), []
        for number, condition in enumerate(self.audiences[placement]):
            variants = []
            before = 0
            for found, (_, end) in zip(outcomes[3 * number:], SHARES, strict=False):
                variants.append({
                    "variant_id": found["variant"], "percentage": end - before,
                    "variant_type": "TREATMENT" if found["paywall"] else "HOLDOUT",
                    "paywall_identifier": found["paywall"],
                })
                before = end
            rules.append({
                "experiment_id": self.experiment(placement, number),
                "experiment_group_id": placement,
                "expression_cel": condition.cel() if condition else None, "variants": variants,
            })
        return rules


def flat_users(count: int, seed: int = 20250101) -> Any:
    """A Polars frame of users with a column for each attribute; always the same."""
    import numpy
    import polars as pl

    random = numpy.random.default_rng(seed)

    def pick(values: Sequence[str | None], weights: Sequence[int] | None = None) -> Any:
        shares = numpy.array(weights) / sum(weights) if weights else None
        chosen = random.choice(len(values), count, p=shares)
        return pl.Series(values, dtype=pl.String).gather(chosen)

    def waiting(mean: float) -> Any:
        return random.exponential(mean, count).astype(numpy.int64)

    versions = [(a, b, c) for a in range(1, 5) for b in range(20) for c in range(10)]
    version = random.integers(0, len(versions), count)
    views = waiting(4)
    frame = pl.DataFrame({
        "userId": pl.Series(numpy.arange(count)).cast(pl.String).str.zfill(7),
        "user_seed": random.integers(0, 100, count),
        "user_has_trial": random.random(count) < 0.5,
        "user_is_tester": random.random(count) < 0.002,
        "user_goal": pick([*GOALS, None]),
        "user_email_domain": pick([*DOMAINS, None], [12, 12, 12, 12, 12, 40]),
        "device_country": pick(COUNTRIES, _WEIGHTS),
        "device_language": pick(LANGUAGES),
        "device_platform": pick(["iOS", "Android"], [70, 30]),
        "device_appVersion": pl.Series([f"{a}.{b}.{c}" for a, b, c in versions]).gather(version),
        "device_appVersionPadded": pl.Series(
            [f"{a:03}.{b:03}.{c:03}" for a, b, c in versions]).gather(version),
        "device_osMajor": random.integers(14, 19, count),
        "device_daysSinceInstall": waiting(60),
        "device_totalSessions": waiting(30) + 1,
        "device_totalPaywallViews": views,
        "device_minutesSinceLast": waiting(2000),
        "device_subscriptionStatus": pick(["INACTIVE", "ACTIVE", "UNKNOWN"], [85, 12, 3]),
        "device_daysSinceLastPaywallView": waiting(10),
    })
    seen = pl.when(pl.col("device_totalPaywallViews") > 0)
    return frame.with_columns(
        pl.format("u_{}", "userId").alias("userId"), seen.then("device_daysSinceLastPaywallView"))


def nested(frame: Any) -> Any:
    """The same users with their attributes in two structs, ``user`` and ``device``."""
    import polars as pl

    return frame.select("userId", *(
        pl.struct(pl.col(f"{root}_{name}").alias(name) for name in names).alias(root)
        for root, names in ROOTS.items()
    ))


def records(frame: Any) -> list[dict[str, Any]]:
    """The same users as records, as apps send them: what is missing is not there."""
    return [
        {
            "userId": row["userId"],
            **{
                root: {name: row[root][name] for name in names if row[root][name] is not None}
                for root, names in ROOTS.items()
            },
        }
        for row in nested(frame).to_dicts()
    ]
