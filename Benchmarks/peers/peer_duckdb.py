#!/usr/bin/env python3
"""Answer the question of `bench batch` with DuckDB, from the same file.

usage: peer_duckdb.py USERS.ndjson [--config CONFIG.json] [--threads N] [--compare FILE]
needs: pip install duckdb

USERS.ndjson and CONFIG.json are what `bench generate` writes; the config is looked for beside the
users. Every user is decided at every placement: the first audience that matches, and a variant by
hash. "count" counts them; "write" makes a file of them, which is removed again. As in `bench`, nine
passes are measured after one, CPU time over all threads is counted, and the fastest pass is taken.
Prints one line of JSON. "matched_audience" must equal that of `bench batch --json`: with --compare
FILE, a file that ends with such a line, a difference makes the exit code 1.
"""

import argparse
import json
import os
import sys
import tempfile
import time

import duckdb

PASSES = 9

# What each condition of the config asks, over the columns below. A missing attribute is NULL, and
# WHEN takes NULL for "does not match", as the engine takes the error of reading it.
SQL = {
    'device.subscriptionStatus == "UNKNOWN"': "status = 'UNKNOWN'",
    "user.is_tester == true": "is_tester",
    'device.country in ["US", "CA"] && device.appVersionPadded >= "002.003.000"'
    " && device.totalSessions >= 5":
        "country IN ('US', 'CA') AND version >= '002.003.000' AND sessions >= 5",
    'device.platform == "Android" && device.daysSinceInstall >= 7 && user.seed < 30':
        "platform = 'Android' AND install_days >= 7 AND seed < 30",
    'user.goal == "lose_weight" && device.totalPaywallViews < 3'
    ' && device.subscriptionStatus != "ACTIVE"':
        "goal = 'lose_weight' AND views < 3 AND status <> 'ACTIVE'",
    'device.language in ["de", "fr", "es"] && device.totalSessions >= 3'
    " && device.totalSessions <= 40 && user.has_trial == false":
        "language IN ('de', 'fr', 'es') AND sessions BETWEEN 3 AND 40 AND NOT has_trial",
    'has(user.email_domain) ? (user.email_domain.endsWith(".edu")'
    ' || user.email_domain.contains("acme")) : false':
        "suffix(email_domain, '.edu') OR contains(email_domain, 'acme')",
    "has(device.daysSinceLastPaywallView) ? device.daysSinceLastPaywallView > 30 : true":
        "coalesce(paywall_days > 30, TRUE)",
    "device.minutesSinceLast > 1440 && device.totalPaywallViews < 10 && device.osMajor >= 16":
        "last_minutes > 1440 AND views < 10 AND os >= 16",
    None: "TRUE",
}

# Types are told, and only what the conditions read: finding them out would be a second pass.
USER = {"seed": "BIGINT", "has_trial": "BOOLEAN", "is_tester": "BOOLEAN", "goal": "VARCHAR",
        "email_domain": "VARCHAR"}
DEVICE = {"country": "VARCHAR", "language": "VARCHAR", "platform": "VARCHAR",
          "appVersionPadded": "VARCHAR", "osMajor": "BIGINT", "daysSinceInstall": "BIGINT",
          "totalSessions": "BIGINT", "totalPaywallViews": "BIGINT", "minutesSinceLast": "BIGINT",
          "subscriptionStatus": "VARCHAR", "daysSinceLastPaywallView": "BIGINT"}
SHORT = {"appVersionPadded": "version", "osMajor": "os", "daysSinceInstall": "install_days",
         "totalSessions": "sessions", "totalPaywallViews": "views",
         "minutesSinceLast": "last_minutes", "subscriptionStatus": "status",
         "daysSinceLastPaywallView": "paywall_days"}


def source(users):
    """The users as a flat table."""
    columns = ", ".join(
        f'"{root}".{name} AS {SHORT.get(name, name)}'
        for root, fields in (("user", USER), ("device", DEVICE)) for name in fields)
    types = {root: "STRUCT(" + ", ".join(f"{n} {t}" for n, t in fields.items()) + ")"
             for root, fields in (("user", USER), ("device", DEVICE))}
    path = users.replace("'", "''")
    return (f"SELECT userId, {columns} FROM read_json('{path}', format = 'newline_delimited',"
            f" columns = {{userId: 'VARCHAR', user: '{types['user']}',"
            f" device: '{types['device']}'}})")


def decisions(users, config):
    """For each user and placement p: the audience a{p} and the variant v{p}."""
    audiences, variants = [], []
    for p, placement in enumerate(config["trigger_options"]):
        cases = [f"WHEN {SQL[rule['expression_cel']]} THEN {i}"
                 for i, rule in enumerate(placement["rules"])]
        audiences.append(f"CASE {' '.join(cases)} END AS a{p}")
        draw = f"hash('exp_{p}_' || a{p} || userId) % 100"
        variants.append(f"a{p}, CASE WHEN {draw} < 45 THEN 'a' WHEN {draw} < 90 THEN 'b'"
                        f" ELSE 'holdout' END AS v{p}")
    inner = f"SELECT userId, {', '.join(audiences)} FROM ({source(users)})"
    return f"SELECT userId, {', '.join(variants)} FROM ({inner})"


def measure(connection, sql):
    """CPU and wall seconds of the fastest pass, and the last pass's first row."""
    cpu, wall = [], []
    for _ in range(PASSES + 1):
        start = time.process_time(), time.perf_counter()
        row = connection.execute(sql).fetchone()
        cpu.append(time.process_time() - start[0])
        wall.append(time.perf_counter() - start[1])
    return min(cpu[1:]), min(wall[1:]), row


def rates(count, cpu, wall):
    return {"decisions_per_cpu_s": round(count / cpu), "decisions_per_wall_s": round(count / wall),
            "cpu_s": round(cpu, 4)}


def matched_audiences(config, row):
    """Users by the number of the audience that decided, as `bench batch --json` has them."""
    matched = {}
    for placement, counts in zip(config["trigger_options"], row[1::2]):
        matched[placement["event_name"]] = {str(a): counts[a] for a in sorted(counts)}
    return matched


def compare(path, matched):
    """Whether the last line of a file has the same counts."""
    with open(path, encoding="utf-8") as file:
        other = json.loads(file.read().rstrip("\n").split("\n")[-1])
    return other.get("batch", other)["matched_audience"] == matched


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("users")
    parser.add_argument("--config")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--compare", metavar="FILE")
    options = parser.parse_args()
    beside = os.path.join(os.path.dirname(os.path.abspath(options.users)), "config.json")
    with open(options.config or beside, encoding="utf-8") as file:
        config = json.load(file)

    connection = duckdb.connect()
    connection.execute(f"SET threads = {options.threads}")
    table = decisions(options.users, config)
    sums = ", ".join(f"histogram(a{p}), histogram(v{p})"
                     for p in range(len(config["trigger_options"])))
    cpu, wall, row = measure(connection, f"SELECT count(*), {sums} FROM ({table})")
    count = row[0] * len(config["trigger_options"])
    result = {
        "peer": "duckdb " + duckdb.__version__, "threads": options.threads, "users": row[0],
        "placements": len(config["trigger_options"]), "count": rates(count, cpu, wall),
    }
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "outcomes.ndjson").replace("'", "''")
        cpu, wall, _ = measure(connection, f"COPY ({table}) TO '{file}' (FORMAT json)")
        result["write"] = rates(count, cpu, wall) | {"bytes": os.path.getsize(file)}
    result["matched_audience"] = matched_audiences(config, row)
    if options.compare:
        result["agrees"] = compare(options.compare, result["matched_audience"])
    print(json.dumps(result))
    sys.exit(0 if result.get("agrees", True) else 1)


if __name__ == "__main__":
    main()
