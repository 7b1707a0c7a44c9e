#!/usr/bin/env python3
"""Writes corpus/demo/users.ndjson: 4,000 lines about users of an invented fitness and sleep app.

usage: python3 Tools/make_demo.py [--out FILE]

The file is the same on every run and every machine: all chance comes from one seeded generator,
and only through `random()`, whose sequence Python promises to keep. Keys of occurrence limits,
experiments and variants are read from corpus/demo/config.json, so that records fit the config; run
it again when the config changes. Three lines are bad on purpose (BAD_LINES), so that the demo has
something to reject.
"""

import argparse
import datetime
import json
import pathlib
import random

LINES = 4000
NOW = datetime.datetime(2026, 3, 1, 12, 0, 0, tzinfo=datetime.timezone.utc)
BAD_LINES = {1207: "truncated", 2418: "array", 3333: "no userId"}
DEMO = pathlib.Path(__file__).resolve().parent.parent / "corpus" / "demo"

dice = random.Random("tollgate demo 1")


def chance(probability):
    return dice.random() < probability


def whole(low, high):
    """An integer in low...high."""
    return low + int(dice.random() * (high - low + 1))


def skewed(high, power):
    """An integer in 0...high, small ones more often: the higher the power, the more so."""
    return int(dice.random() ** power * (high + 1))


def pick(weighted):
    """A key of a dictionary of weights."""
    draw = dice.random() * sum(weighted.values())
    for value, weight in weighted.items():
        draw -= weight
        if draw < 0:
            return value
    return value


REGIONS = {
    "US": 34, "GB": 9, "DE": 10, "AT": 3, "CH": 3, "BR": 10, "PT": 2,
    "FR": 6, "ES": 5, "MX": 4, "JP": 5, "KR": 3, "IN": 4, "PL": 2,
}
LANGUAGES = {
    "US": "en", "GB": "en", "DE": "de", "AT": "de", "CH": "de", "BR": "pt", "PT": "pt",
    "FR": "fr", "ES": "es", "MX": "es", "JP": "ja", "KR": "ko", "IN": "en", "PL": "pl",
}
MODELS = {
    "iOS": {"iPhone15,3": 30, "iPhone16,1": 28, "iPhone17,2": 20, "iPad14,1": 14, "iPad16,3": 8},
    "Android": {"Pixel 8": 30, "SM-S918B": 40, "moto g84": 20, "SM-X710": 10},
}
VERSIONS = {
    "4.3.0": 34, "4.2.1": 26, "4.2.0": 12, "4.1.4": 10, "4.0.2": 8, "3.9.12": 6, "4.4.0-beta.2": 3,
}
STATUS_OF_PLAN = {"free": "INACTIVE", "lapsed": "INACTIVE", "basic": "ACTIVE", "coach": "ACTIVE"}
RIGHTS_OF_PLAN = {"free": [], "lapsed": [], "basic": ["pro"], "coach": ["pro", "coach"]}
NAMES = [
    "Sam", "Ana", "Zoë", "Łukasz", "Noor", "João", "Mia", "Jürgen", "陽子", "O'Neil", "Ravi", "Inès",
]
MAIL_HOSTS = {
    "mail.example": 55, "post.example": 25, "work.example": 5, "school.example": 9,
    "campus.example": 6,
}
PAYWALL_NAMES = {"Onboarding annual": 4, "Onboarding monthly": 3, "All plans": 3, "Export gate": 2}


def padded(version):
    """4.2.1 -> 004.002.001, 4.4.0-beta.2 -> 004.004.000-beta.002, as the SDKs send it."""
    main, _, suffix = version.partition("-")
    text = ".".join(f"{int(part):03d}" for part in main.split("."))
    if suffix:
        name, number = suffix.split(".")
        text += f"-{name}.{int(number):03d}"
    return text


def moment(minutes_ago):
    """An instant as text, in one of the spellings that real records have."""
    instant = NOW - datetime.timedelta(minutes=minutes_ago)
    spelling = pick({"Z": 86, "offset": 9, "fraction": 5})
    if spelling == "offset":
        zone = datetime.timezone(datetime.timedelta(hours=whole(-8, 9), minutes=30))
        return instant.astimezone(zone).isoformat()
    return instant.strftime("%Y-%m-%dT%H:%M:%S") + (".500Z" if spelling == "fraction" else "Z")


def user_attributes(plan):
    user = {"seed": whole(0, 99)}
    if chance(0.93):
        user["plan"] = plan
    if chance(0.88):
        user["goal"] = pick({"sleep": 30, "strength": 25, "run": 25, "weight": 15, "calm": 5})
    if chance(0.2):
        user["firstName"] = NAMES[whole(0, len(NAMES) - 1)]
    if chance(0.45):
        user["email"] = f"user.{whole(1, 99999)}@{pick(MAIL_HOSTS)}"
    if chance(0.95):
        user["totalSessions"] = skewed(240, 2.2)
    if chance(0.75):
        user["streakDays"] = skewed(60, 2.0)
    if chance(0.9):
        user["daysSinceLastSession"] = skewed(90, 3.0)
    if chance(0.5):
        # Whole hours are written as integers, as JSON writers of apps do.
        hours = whole(18, 36) / 4
        user["avgSleepHours"] = int(hours) if hours == int(hours) else hours
    if chance(0.05):
        user["roles"] = pick({("tester",): 3, ("tester", "trainer"): 1, ("trainer",): 3})
    return user


def device_attributes(plan):
    platform = pick({"iOS": 62, "Android": 38})
    region = pick(REGIONS)
    version = pick(VERSIONS)
    device = {
        "platform": platform,
        "deviceModel": pick(MODELS[platform]),
        "appVersion": version,
        "appVersionPadded": padded(version),
        "deviceLanguageCode": LANGUAGES[region] if chance(0.9) else "en",
    }
    if chance(0.97):
        device["regionCode"] = region
    device["daysSinceInstall"] = skewed(400, 2.5)
    device["totalPaywallViews"] = skewed(30, 2.5)
    device["subscriptionStatus"] = STATUS_OF_PLAN[plan]
    device["activeEntitlements"] = RIGHTS_OF_PLAN[plan]
    return device


def params():
    values = {}
    if chance(0.5):
        values["workoutMinutes"] = whole(5, 90)
    if chance(0.4):
        values["format"] = pick({"pdf": 65, "csv": 25, "gpx": 10})
        values["pages"] = whole(1, 40)
    if chance(0.4):
        values["paywallName"] = pick(PAYWALL_NAMES)
    return values


def assignments(experiments):
    """Stored variants: most still exist, some are gone, and some experiments are gone."""
    chosen = {}
    for _ in range(whole(1, 3)):
        experiment = pick({name: 1 for name in experiments})
        variant = pick({name: 1 for name in experiments[experiment]})
        chosen[experiment] = experiment + "-retired" if chance(0.12) else variant
    if chance(0.08):
        chosen["summer-2025"] = "summer-2025-annual"
    return [{"experimentId": e, "variantId": v} for e, v in chosen.items()]


def occurrences(limits):
    """Times at which limits were used up; a few lie exactly on the edge of their interval."""
    used = {}
    for _ in range(whole(1, 2)):
        key = pick({name: 1 for name in limits})
        most, minutes = limits[key]
        ages = [whole(1, 2 * (minutes or 40000)) for _ in range(whole(1, most + 1))]
        if minutes and chance(0.1):
            ages[0] = minutes
        used[key] = [moment(age) for age in sorted(ages, reverse=True)]
    return used


def record(number, experiments, limits):
    plan = pick({"free": 62, "lapsed": 14, "basic": 15, "coach": 9})
    line = {"userId": f"u-{number:05d}"}
    line["user"] = user_attributes(plan)
    line["device"] = device_attributes(plan)
    if chance(0.55):
        line["params"] = params()
    if chance(0.02):
        line["device"].update(subscriptionStatus="UNKNOWN", activeEntitlements=[])
    else:
        line["subscriptionStatus"] = line["device"]["subscriptionStatus"]
        if line["device"]["activeEntitlements"]:
            line["entitlements"] = line["device"]["activeEntitlements"]
    if chance(0.16):
        line["assignments"] = assignments(experiments)
    if chance(0.35):
        line["occurrences"] = occurrences(limits)
    return line


def spoiled(kind, line):
    if kind == "array":
        return json.dumps([line["userId"], line["user"]], separators=(",", ":"), ensure_ascii=False)
    if kind == "no userId":
        del line["userId"]
    text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
    return text[: text.index('"appVersion"') + 16] if kind == "truncated" else text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=DEMO / "users.ndjson")
    out = parser.parse_args().out

    config = json.loads((DEMO / "config.json").read_text(encoding="utf-8"))
    experiments, limits = {}, {}
    for trigger in config["trigger_options"]:
        for rule in trigger["rules"]:
            experiments[rule["experiment_id"]] = [v["variant_id"] for v in rule["variants"]]
            limit = rule["occurrence"]
            if limit:
                limits[limit["key"]] = (limit["max_count"], limit["interval"].get("minutes"))

    with open(out, "w", encoding="utf-8", newline="\n") as file:
        for number in range(1, LINES + 1):
            line = record(number, experiments, limits)
            if number in BAD_LINES:
                text = spoiled(BAD_LINES[number], line)
            else:
                # Some writers escape what is not ASCII, some do not: both must be read.
                text = json.dumps(line, separators=(",", ":"), ensure_ascii=chance(0.3))
            file.write(text + "\n")


if __name__ == "__main__":
    main()
