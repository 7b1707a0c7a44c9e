"""Tests that the queries of `tollgate sql` give the library's outcomes in DuckDB."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, rule, variant

import tollgate

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

ROOT = Path(__file__).resolve().parents[2]
PLACES = [
    os.environ.get("TOLLGATE", ""),
    *(str(ROOT / f".build/{kind}/tollgate") for kind in ("debug", "release")),
]
COMMAND = next((place for place in PLACES if place and Path(place).is_file()), None)
pytestmark = pytest.mark.skipif(COMMAND is None, reason="the command is not built")

TYPES = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "double": "DOUBLE",
    "bool": "BOOLEAN",
    "list": "VARCHAR[]",
}
TEXTS = [
    "true",
    "false",
    "",
    "x",
    "é",
    "zz",
    "0",
    "1",
    "-1",
    "1.5",
    "free",
    'a"b',
    "it's",
    "en_US",
    "1.2.3-rc.4",
    "+5",
    "$x",
    "fr$ee",
    "1e3",
    ".5",
    "5.",
    "-inf",
    "NaN",
    "18446744073709551615",
    "1e19",
    " 1",
    "1_0",
]
INTEGERS = [0, 1, -1, 2, 3, 5, 7, 10, 30, 2**53 + 1, 2**63 - 1, -(2**63)]
INTEGERS += [2**31 - 1, 2**31, -(2**31), -(2**31) - 1]
DOUBLES = [0.0, -0.0, 0.1, 1.5, 1e300, float("inf"), float("-inf"), float("nan"), 2.0**53]
TIMES = [
    "2025-08-01T00:00:00Z",
    "2025-02-30T00:00:00Z",
    "2026-01-01t00:00:00.5+01:00",
    "0001-01-01T00:00:00+01:00",
    "x",
]


def config_of(expressions: list[str], *variants: dict[str, Any]) -> dict[str, Any]:
    return {
        "build_id": "b",
        "trigger_options": [
            {
                "event_name": f"p{number}",
                "rules": [rule(f"e{number}", text, *(variants or [variant("v", 100, "annual")]))],
            }
            for number, text in enumerate(expressions)
        ],
        "paywall_responses": [
            {"identifier": "annual", "name": "annual", "url": "https://example.com"}
        ],
    }


def translated(path: Path, config: dict[str, Any], *options: str) -> dict[str, Any] | None:
    """The answer of the command; nothing for a rule that does not compile."""
    path.write_text(json.dumps(config))
    command = [
        str(COMMAND),
        "sql",
        str(path),
        "--database",
        "duckdb",
        "--json",
        "--now",
        NOW,
        *options,
    ]
    result = subprocess.run(command, capture_output=True, text=True)
    return json.loads(result.stdout) if result.stdout else None


def table(
    answer: dict[str, Any], texts: list[str], variant: int, rng: random.Random, count: int
) -> Any:
    """A connection with random users, in which every attribute may be missing."""
    kinds = dict(TYPES)
    kinds |= {"number": ("BIGINT", "DOUBLE")[variant], "any": ("VARCHAR", "BOOLEAN")[variant]}
    kinds["time"] = ("VARCHAR", "TIMESTAMPTZ")[variant]
    constants = {float(text) for text in re.findall(r"-?\b\d+(?:\.\d+)?\b", " ".join(texts))}
    texts = texts + TEXTS

    def value(kind: str, type: str) -> Any:
        if rng.random() < 0.2:
            return None
        if kind == "time":
            return (
                rng.choice(TIMES)
                if type == "VARCHAR"
                else f"2025-{rng.randint(1, 12):02}-01 00:00:00+00"
            )
        if type == "BIGINT":
            return rng.choice(
                INTEGERS + [int(number) for number in constants if abs(number) < 2**60]
            )
        if type == "DOUBLE":
            return rng.choice(
                DOUBLES + [number + half for number in constants for half in (0, 0.5)]
            )
        if type == "BOOLEAN":
            return rng.random() < 0.5
        if type == "VARCHAR[]":
            return [
                None if rng.random() < 0.1 else rng.choice(texts) for _ in range(rng.randint(0, 4))
            ]
        return rng.choice(texts) + (rng.choice(texts) if rng.random() < 0.15 else "")

    columns = [
        (column["path"], column["kind"], kinds[column["kind"]]) for column in answer["columns"]
    ]
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    names = "".join(f', "{path}" {type}' for path, _, type in columns)
    connection.execute(f'create table users ("userId" VARCHAR{names})')
    rows = [
        [
            f"u{number}" * (1 + number % 9) if number % 29 else (None, "")[number % 2],
            *(value(kind, type) for _, kind, type in columns),
        ]
        for number in range(count)
    ]
    marks = ", ".join("?" * (len(columns) + 1))
    connection.executemany(f"insert into users values ({marks})", rows)
    return connection


def differences(
    answer: dict[str, Any],
    config: dict[str, Any],
    texts: list[str],
    count: int = 120,
    seed: str = "",
    version: str | None = None,
    **options: Any,
) -> list[Any]:
    """The users about whom the query and the library say something else."""
    placements = [placement["name"] for placement in answer["placements"] if placement["covered"]]
    if not placements:
        return []
    plan = tollgate.Config.loads(config, seed=seed, **options).plan(
        placements, now=NOW, missing_columns="ignore", sdk_version=version
    )
    found = []
    for kind in (0, 1):
        connection = table(answer, texts, kind, random.Random(kind), count)
        wanted = plan.decide(connection.sql("select * from users").to_arrow_table()).to_pylist()
        query = connection.execute(answer["sql"])
        names = [column[0] for column in query.description]
        for row, outcome in zip(query.fetchall(), wanted, strict=True):
            values = dict(zip(names, row, strict=True))
            for name in placements:
                got = {field: values[f"{name}.{field}"] for field in plan.fields}
                if got != (outcome[name] or dict.fromkeys(plan.fields)):
                    found.append((name, row[0], got, outcome[name]))
    return found


def rules() -> list[str]:
    """The rules of the corpus as Superwall's apps have them, and those of the demo."""
    found: dict[str, None] = {}

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for key, part in value.items():
                if (
                    key in ("expression", "expression_cel")
                    and isinstance(part, str)
                    and part.strip()
                ):
                    found[part] = None
                else:
                    walk(part)
        elif isinstance(value, list):
            for part in value:
                walk(part)

    for line in (ROOT / "corpus/cases/superwall-rules.jsonl").read_text().splitlines():
        walk(json.loads(line))
    walk(json.loads((ROOT / "corpus/demo/config.json").read_text()))
    return list(found)


def test_rules_of_the_corpus(tmp_path: Path) -> None:
    total = covered = 0
    different = []
    # One by one, as rules use the same attribute for different things.
    for number, text in enumerate(rules()):
        config = config_of([text])
        answer = translated(tmp_path / "config.json", config)
        if answer is None:
            continue
        total += 1
        covered += answer["audiences"]["covered"]
        if number % 3 and os.environ.get("TOLLGATE_TESTS") != "all":
            continue
        strings = [part for pair in re.findall(r'"([^"]*)"|\'([^\']*)\'', text) for part in pair]
        different += [(text, *found) for found in differences(answer, config, [*strings, text], 60)]
    assert different == []
    assert covered >= 0.85 * total, f"{covered} of {total}"


def test_corners(tmp_path: Path) -> None:
    config = config_of(
        [
            "user.n * 4 < user.m + 1",
            "user.n / user.m == 2 || user.n % user.m == 1",
            "-user.n > 3",
            "user.r * 2.5 > 3.0 && user.r > 1.5",
            "user.plan == '42' || user.plan == 'true'",
            "user.first + ' ' + user.last == 'x free'",
            "user.tags.exists(t, t == 'x')",
            "user.tags.exists_one(t, t == 'x') || user.tags.all(t, t != 'zz')",
            "'x' in user.tags && size(user.tags) > 1",
            "user.tags[1] == 'free'",
            "user.tags.exists(t, t.startsWith('x')) || user.tags.exists(t, t == null)",
            "user.tags.all(t, t.contains('e')) || user.tags.exists_one(t, t.startsWith('z'))",
            "size(user.tags.filter(t, t != 'x')) == 1 || user.tags == ['x', 'free']",
            "string(user.k) == '30' || double(user.r) >= user.r",
            "int(user.build) >= 5",
            "timestamp(user.since) < timestamp('2025-09-01T00:00:00Z')",
            "has(user.address) && user.address.city == 'x'",
            "device.appVersionPadded >= '001.002'",
            "device.appVersion.contains('rc')",
            "device.regionCode == 'US' && device.deviceLanguageCode == 'en'",
            "device.deviceLocale.startsWith('en')",
            "device.daysSinceInstall >= 2",
            "device.minutesSinceInstall > 30",
            "user.a == null || user.b != null",
            "user.email.matches('^[a-z0-9.]+[.]?[0-9]$')",
            "user.name > 'e' && user.name <= 'x'",
            "user.n in [1, 2.0, 30]",
            "device.utcDate == '2026-03-01' || device.localTime > '12'",
        ]
    )
    answer = translated(tmp_path / "config.json", config)
    assert answer is not None
    assert [(p["name"], p["audiences"]) for p in answer["placements"] if not p["covered"]] == []
    assert differences(answer, config, ["US", "en", "x free"], 600) == []


RULES_OF_PLATFORMS = [
    "user.n > 3 || user.m == 9223372036854775807",
    "user.n + 1 > 4 && user.n * 2 != 6",
    "user.n - user.m > 2 || user.n / user.m == 2",
    "user.n * user.m % 7 == 3",
    "-user.n < 0",
    "user.r > 1.5 && user.r * 2.0 < 9.0",
    "user.r + 1.0 == 3.0 || user.w == 2",
    "user.s == 'x' || user.s == '$x' || user.s == 'free'",
    "user.s.startsWith('fr') || user.s.contains('ee')",
    "user.s < user.t",
    "user.s > 'a' || user.t == '1'",
    "size(user.s) == 2",
    "user.s + user.t == 'xfree'",
    "user.s in ['x', 'true', 'free']",
    "user.s == null || !has(user.t)",
    "user.flag || user.n > user.r",
    "'x' in user.tags || 'free' in user.tags",
    "size(user.tags) == 2 && user.tags[0] == 'x'",
    "user.tags.exists(t, t == 'x') || user.tags.all(t, t != 'free')",
    "timestamp(user.since) < timestamp('2025-09-01T00:00:00Z')",
    "device.appVersionPadded >= '001.002'",
    "device.appVersion.contains('2')",
    "device.appVersionPadded < '002' || device.appVersion == '1.5'",
]


@pytest.mark.parametrize(
    ("platform", "version", "least"),
    [("android", None, 23), ("web", None, 22), ("ios", "4.10.0", 20), ("ios", "4.12.0", 18),
     ("ios", "4.0.0", 21)],
)
def test_platforms(tmp_path: Path, platform: str, version: str | None, least: int) -> None:
    # Early versions for iOS end the app at a division by zero, so nothing is translated.
    rules = [one for one in RULES_OF_PLATFORMS if not (version and ("/" in one or "%" in one))]
    config = config_of(rules)
    options = ["--platform", platform, *(["--sdk-version", version] if version else [])]
    for path, kind in (("user.n", "integer"), ("user.m", "integer"), ("user.r", "double")):
        options += ["--type", f"{path}={kind}"]
    answer = translated(tmp_path / "config.json", config, *options)
    assert answer is not None
    assert answer["audiences"]["covered"] >= least
    texts = ["x", "free", "1.2.3", "$"]
    assert differences(
        answer, config, texts, 120, version=version, dialect=f"superscript:{platform}") == []


def test_columns_that_others_follow_from(tmp_path: Path) -> None:
    config = config_of(
        ["device.appVersionPadded >= '001.010'", "device.regionCode == 'DE'",
         "device.daysSinceInstall == 2", "device.preferredLanguageCode == 'de'"])
    answer = translated(tmp_path / "config.json", config)
    assert answer is not None
    assert "device.appVersion" not in {column["path"] for column in answer["columns"]}
    users = """create table users as select 'u' || i as "userId",
        case when i % 3 = 0 then '2.0.0' end as "device.appVersionPadded",
        null::varchar as "device.regionCode", null::bigint as "device.daysSinceInstall",
        null::varchar as "device.preferredLanguageCode" {more} from range(50) users(i)"""
    others = {
        "": 17, """, ['1.9', '1.10.1', 'true', null][i % 4 + 1] as "device.appVersion" """: 0,
        """, ['de-DE', 'en_US', null][i % 3 + 1] as "device.deviceLocale",
           3000 * i as "device.minutesSinceInstall", 'de' as "device.preferredLocale" """: 0}
    for more, paywalls in others.items():
        connection = duckdb.connect()
        connection.execute(users.format(more=more))
        plan = tollgate.Config.loads(config).plan(now=NOW, missing_columns="ignore")
        given = connection.sql("select * from users").to_arrow_table()
        wanted = [
            [outcome["result"] for outcome in row.values()]
            for row in plan.decide(given).to_pylist()]
        columns = ", ".join(f'"{name}.result"' for name in plan.placements)
        found = connection.execute(f"select {columns} from ({answer['sql']})").fetchall()
        assert [list(row) for row in found] == wanted
        assert not paywalls or sum("paywall" in row for row in wanted) == paywalls


@pytest.mark.parametrize("shares", [(40, 40, 20), (0, 0, 0), (0, 33.3, 66.7)])
def test_draws(tmp_path: Path, shares: tuple[float, ...]) -> None:
    config = config_of(
        ["user.a != 'x'"] * 3,
        *(variant(f"v{number}", share, "annual") for number, share in enumerate(shares)),
    )
    for placement, length in zip(config["trigger_options"], (1, 13, 40), strict=True):
        placement["rules"][0]["experiment_id"] = "e" * length
    answer = translated(tmp_path / "config.json", config, "--seed", "salt")
    assert answer is not None and answer["audiences"] == {"total": 3, "covered": 3}
    assert differences(answer, config, [], 150, seed="salt") == []


def test_types_are_checked(tmp_path: Path) -> None:
    answer = translated(tmp_path / "config.json", config_of(["user.age > 'x'"]))
    assert answer is not None
    connection = duckdb.connect()
    connection.execute("""create table users as select 'u' as "userId", 5 as "user.age" """)
    with pytest.raises(duckdb.Error, match=r"the column user\.age must be VARCHAR"):
        connection.execute(answer["sql"]).fetchall()


def test_names_that_clash(tmp_path: Path) -> None:
    config = config_of(["user.plan == 'x'", "true", "true", "true", "user.Plan == 'y'", "true"])
    names = ["Open", "open", "", "userid", "other", "last"]
    for placement, name in zip(config["trigger_options"], names, strict=True):
        placement["event_name"] = name
    answer = translated(tmp_path / "config.json", config)
    assert answer is not None
    reasons = {one["name"]: one["audiences"][0]["reason"] for one in answer["placements"]}
    column = "DuckDB has one column for"
    assert reasons == {
        "Open": f"{column} 'user.plan' and 'user.Plan'",
        "open": "the placement has the same name as 'Open' in DuckDB",
        "": "the placement has an empty name",
        "userid": "the placement has the same name as 'userId' in DuckDB",
        "other": f"{column} 'user.Plan' and 'user.plan'", "last": None}
