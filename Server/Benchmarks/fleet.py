#!/usr/bin/env python3
"""What deciding with state in PostgreSQL costs, beside pgbench with the same statements in the same run.

usage: fleet.py [writes] [reads] [half] [memory] [options]; everything but memory without a name

  writes  decisions a second that change the user, through nginx and three servers, and transactions a
          second of pgbench, in alternating pairs; WAL, round trips and CPU of each
  reads   decisions that only read what is stored, and their round trips
  half    latencies at half of the transactions that pgbench did
  memory  what the servers hold while they decide for --minutes

It needs PostgreSQL with pgbench, nginx and wrk, and a release build:

  Tools/nested.sh Server build -c release --product tollgate-server

Only ratios of one run mean something: whatever else runs on the machine takes from both.
"""

import argparse, os, re, signal, statistics, subprocess, sys, tempfile, threading, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Server" / "Tests" / "Fleet"))

import faults
from fleet import Fleet
from measure import figures

# The statements of PostgresStore.read and PostgresWriter.store for one user, as one transaction.
SCRIPT = r"""
\set user random(1, 20000)
SELECT coalesce(u.revision, 0) AS revision, u.state IS NULL AS new, a.question IS NULL AS open FROM (SELECT) AS one
LEFT JOIN tollgate.user_state AS u ON u.application = 'bench' AND u.user_id = 'u' || :user
LEFT JOIN tollgate.answer AS a ON a.application = 'bench' AND a.request = 'none' \gset
\set next random(1, 1000000000)
\startpipeline
BEGIN;
INSERT INTO tollgate.user_state (application, user_id, revision, state)
SELECT application, user_id, 0, '{}' FROM unnest(ARRAY['bench'], ARRAY['u' || :user]) AS new(application, user_id)
ORDER BY application COLLATE "C", user_id COLLATE "C" ON CONFLICT DO NOTHING;
WITH input AS MATERIALIZED (
  SELECT * FROM unnest(
    ARRAY['bench'], ARRAY['u' || :user], ARRAY[:revision::bigint], ARRAY[:next::bigint],
    ARRAY['{"variants":{"7":"70"},"occurrences":{"all":[1772366400000,1772366400001]}}'], ARRAY[NULL]::text[],
    ARRAY[NULL]::bytea[], ARRAY[NULL]::bytea[], ARRAY[NULL]::bigint[], ARRAY[NULL]::bigint[]) WITH ORDINALITY
  AS input(application, user_id, revision, next, state, request, question, answer, version, answered_at, number)),
locked AS MATERIALIZED (
  SELECT input.number FROM input JOIN tollgate.user_state AS u
  ON u.application = input.application AND u.user_id = input.user_id AND u.revision = input.revision
  WHERE input.state IS NOT NULL FOR UPDATE OF u SKIP LOCKED),
unchanged AS MATERIALIZED (
  SELECT * FROM input WHERE state IS NULL OR number IN (SELECT number FROM locked)),
answered AS (
  INSERT INTO tollgate.answer (application, request, answered_at, question, answer, version, user_id)
  SELECT application, request, answered_at, question, answer, version, user_id FROM unchanged
  WHERE request IS NOT NULL ORDER BY application COLLATE "C", request COLLATE "C"
  ON CONFLICT DO NOTHING RETURNING application, request),
stored AS MATERIALIZED (
  SELECT * FROM unchanged WHERE request IS NULL
  OR (application, request) IN (SELECT application, request FROM answered)),
updated AS (
  UPDATE tollgate.user_state AS u SET revision = stored.next, state = stored.state::json
  FROM stored WHERE stored.state IS NOT NULL
  AND u.application = stored.application AND u.user_id = stored.user_id)
SELECT number FROM stored;
COMMIT;
\endpipeline
"""
# The servers set these for their sessions, too.
PLANS = "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan"


def pgbench(fleet, clients, seconds):
    """Transactions a second."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(SCRIPT)
        script.flush()
        text = subprocess.run(
            ["pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", "1", "-T", str(seconds), "-f", script.name,
             "-h", fleet.database.address, "-p", str(fleet.database.port), "-U", "tollgate", "tollgate"],
            env=os.environ | {"PGPASSWORD": fleet.database.password, "PGOPTIONS": PLANS},
            check=True, capture_output=True, text=True).stdout
    return float(re.search(r"tps = ([\d.]+)", text)[1])


def load(fleet, seconds, connections, more="", rate=None, is_warming=False):
    """Runs wrk through nginx. Gives decisions a second and, in milliseconds, latencies by percentile."""
    delay = "" if rate is None else f"function delay() return -{1000 * connections / rate:.3f} * math.log(1 - math.random()) end\n"
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(f"""
wrk.method = 'POST'
wrk.headers['Authorization'] = 'Bearer {fleet.key}'
function request()
  return wrk.format(nil, nil, nil, '{{"userId":"u' .. math.random(20000)
    .. '","user":{{"ok":true}},"placements":["all"]{more}}}')
end
{delay}""")
        script.flush()
        text = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script.name,
             f"http://127.0.0.1:{fleet.balancer.port}/v1/decide"],
            check=True, capture_output=True, text=True).stdout
    return figures(text, allows_failures=is_warming)


def ticks(pid):
    """CPU seconds of a process with those of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return sum(int(each) for each in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def children(pid):
    return subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()


class Costs:
    """What the fleet uses between two moments."""

    def __init__(self, fleet):
        self.fleet = fleet
        self.start = self.now()

    def now(self):
        fleet = self.fleet
        metrics = {}
        for server in fleet.servers:
            for line in server.ask("GET", "/metrics")[2].decode().splitlines():
                name, _, value = line.rpartition(" ")
                if not line.startswith("#"):
                    metrics[name] = metrics.get(name, 0) + float(value)
        database = fleet.database.process.pid
        nginx = fleet.balancer.process.pid
        return {
            "decisions": sum(v for k, v in metrics.items() if k.startswith("tollgate_decisions_total")),
            "round trips": metrics["tollgate_database_round_trips_total"],
            "groups": metrics["tollgate_database_group_size_count"],
            "conflicts": metrics["tollgate_state_conflicts_total"],
            "WAL bytes": float(fleet.database.sql("SELECT pg_current_wal_lsn() - '0/0'")),
            "database": sum(map(ticks, [database] + children(database))),
            "servers": sum(ticks(server.process.pid) for server in fleet.servers),
            "nginx": sum(map(ticks, [nginx] + children(nginx)))}

    def text(self):
        used = {name: value - self.start[name] for name, value in self.now().items()}
        count = used["decisions"]
        return (
            f"for each decision {used['WAL bytes'] / count:.0f} bytes of WAL, {used['round trips'] / count:.2f} round trips, "
            f"{used['groups'] / count:.2f} transactions, {used['conflicts'] / count:.4f} conflicts, "
            f"{1e6 * used['database'] / count:.0f} µs of CPU of the database, {1e6 * used['servers'] / count:.0f} of the servers, "
            f"{1e6 * used['nginx'] / count:.0f} of nginx")


def writes(fleet, options):
    rates = []
    for _ in range(options.pairs):
        theirs = pgbench(fleet, options.clients, options.seconds)
        ours = load(fleet, options.seconds, options.connections)[0]
        rates.append((ours, theirs))
    ratios = [ours / theirs for ours, theirs in rates]
    print(f"writes: {statistics.median(o for o, _ in rates):.0f} decisions/s with {options.connections} connections, "
          f"pgbench {statistics.median(t for _, t in rates):.0f} transactions/s with {options.clients} clients: "
          f"{statistics.median(ratios):.2f} times (pairs from {min(ratios):.2f} to {max(ratios):.2f})", flush=True)
    more = pgbench(fleet, options.connections, options.seconds)
    print(f"        pgbench with {options.connections} clients: {more:.0f} transactions/s", flush=True)
    costs = Costs(fleet)
    load(fleet, options.seconds, options.connections)
    print(f"        {costs.text()}", flush=True)
    return statistics.median(t for _, t in rates)


def reads(fleet, options):
    costs = Costs(fleet)
    rate, _ = load(fleet, options.seconds, options.connections, ',"record":false')
    print(f"reads:  {rate:.0f} decisions/s; {costs.text()}", flush=True)


def half(fleet, options, rate):
    found, latencies = load(fleet, options.seconds * 2, options.connections, rate=rate / 2)
    print(f"half:   {found:.0f} decisions/s (asked: {rate / 2:.0f}): median {latencies['50']:.1f} ms, p99 {latencies['99']:.1f} ms",
          flush=True)


def resident(fleet):
    return [
        int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{server.process.pid}/status").read_text())[1]) / 1024
        for server in fleet.servers]


def memory(fleet, options):
    def run():
        load(fleet, int(options.minutes * 60), options.connections, rate=options.rate)

    running = threading.Thread(target=run)
    running.start()
    start = time.monotonic()
    while running.is_alive():
        print(f"memory: after {time.monotonic() - start:4.0f} s "
              + ", ".join(f"{each:.0f} MB" for each in resident(fleet)), flush=True)
        running.join(60)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="writes, reads, half, memory (default: the first three)")
    parser.add_argument("--server", type=Path, default=ROOT / ".build" / "release" / "tollgate-server")
    parser.add_argument("--servers", type=int, default=3, help="the number of servers (default: 3)")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--clients", type=int, default=8, help="clients of pgbench (default: 8)")
    parser.add_argument("--connections", type=int, default=64, help="connections of wrk (default: 64)")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=int, default=500, help="decisions a second of `memory` (default: 500)")
    options = parser.parse_args()
    # So that everything that was started ends.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parts = options.parts or ["writes", "reads", "half"]
    with tempfile.TemporaryDirectory(prefix="tollgate-bench-", dir="/tmp") as folder:
        # PostgreSQL has another user.
        os.chmod(folder, 0o755)
        fleet = Fleet(Path(folder) / "fleet", options.servers, options.server.resolve(), faults.config())
        try:
            load(fleet, 5, options.connections, is_warming=True)
            fleet.database.sql("VACUUM ANALYZE", "tollgate")
            rate = writes(fleet, options) if "writes" in parts else None
            if "reads" in parts:
                reads(fleet, options)
            if "half" in parts:
                half(fleet, options, rate or pgbench(fleet, options.clients, options.seconds))
            if "memory" in parts:
                memory(fleet, options)
        finally:
            fleet.stop()


if __name__ == "__main__":
    main()
