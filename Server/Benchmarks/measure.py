#!/usr/bin/env python3
"""What deciding over HTTP costs beside a hello world on the same framework and machine.

usage: measure.py [decide] [load] [state] [stream] [memory] [options]; everything but memory without a name

  decide  requests a second of json-hello and of POST /v1/decide, in alternating pairs
  load    latencies of POST /v1/decide at half of the rate that it can do
  state   decisions a second that --state sqlite stores, of 20,000 users, and latencies at half of that
  stream  decisions a second of POST /v1/decide/stream for users x ten placements, sent by curl
  memory  what the server holds while it decides for --minutes

It needs wrk (apt-get install wrk) and curl, and release builds:

  Tools/nested.sh Server build -c release --product tollgate-server
  Tools/nested.sh Server build -c release --product json-hello

Only ratios of one run mean something: whatever else runs on the machine takes from both.
"""

import argparse, json, os, re, signal, statistics, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "corpus" / "demo"
PLACEMENTS = 10


class Server:
    """A server of ours, which tells its port in the first line."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{command[0]} did not start")
        self.url = f"http://127.0.0.1:{json.loads(line)['port']}"

    def resident(self):
        """Megabytes in memory, now."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def load(url, body, seconds, connections, rate=None, more=""):
    """Runs wrk. Gives requests a second and, in milliseconds, latencies by percentile."""
    # wrk has no rate of its own: each connection waits before a request, for random times so that they do not stay together.
    delay = "" if rate is None else f"function delay() return -{1000 * connections / rate:.3f} * math.log(1 - math.random()) end\n"
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(
            f"wrk.method = 'POST'\nwrk.body = {json.dumps(body)}\n"
            f"wrk.headers['Content-Type'] = 'application/json'\n{more}{delay}")
        script.flush()
        text = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script.name, url],
            check=True, capture_output=True, text=True).stdout
    return figures(text)


def figures(text, allows_failures=False):
    """The requests a second and latencies in what wrk prints."""
    if not allows_failures and ("Non-2xx" in text or "Socket errors" in text):
        sys.exit(f"requests failed:\n{text}")
    units = {"us": 0.001, "ms": 1, "s": 1000}
    latencies = {
        found[1]: float(found[2]) * units[found[3]]
        for found in re.finditer(r"^\s+(\d+)%\s+([\d.]+)(us|ms|s)$", text, re.M)}
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), latencies


def body(placements):
    user = json.loads((DEMO / "user.json").read_text())
    return json.dumps(user | {"placements": placements})


def decide(options, hello, server, names):
    for count in (1, len(names)):
        question = body(names[:count])
        rates = []
        for _ in range(options.pairs):
            rates.append(tuple(
                load(url, question, options.seconds, options.connections)[0]
                for url in (hello.url + "/hello", server.url + "/v1/decide")))
        ratios = [ours / theirs for theirs, ours in rates]
        print(f"decide, {count} of {len(names)} placements: "
              f"hello {statistics.median(a for a, _ in rates):,.0f}/s, "
              f"decide {statistics.median(b for _, b in rates):,.0f}/s, ratio "
              f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def latency(options, server, names):
    question = body(names)
    url = server.url + "/v1/decide"
    most, _ = load(url, question, options.seconds, options.connections)
    rate, latencies = load(url, question, 2 * options.seconds, options.connections, rate=most / 2)
    told = ", ".join(f"p{name} {value:.2f} ms" for name, value in latencies.items())
    print(f"load: {rate:,.0f}/s, half of {most:,.0f}/s: {told}")


# Each decision is counted.
COUNTING = {
    "trigger_options": [{"event_name": "all", "rules": [{
        "experiment_id": "7", "experiment_group_id": "1", "expression_cel": "user.ok == true",
        "occurrence": {"key": "all", "max_count": 100_000, "interval": {"type": "INFINITY"}},
        "variants": [{"variant_id": "70", "variant_type": "TREATMENT", "percentage": 100, "paywall_identifier": "a"}],
        "preload": {"behavior": "ALWAYS"}}]}],
    "paywall_responses": [{"id": "1", "identifier": "a"}]}
USERS = """
function request()
  return wrk.format(nil, nil, nil, '{"userId":"u' .. math.random(20000) .. '","user":{"ok":true}}')
end
"""


def state(options, folder):
    (folder / "config.json").write_text(json.dumps(COUNTING))
    server = Server([
        options.build + "/tollgate-server", "--config", str(folder / "config.json"), "--state", "sqlite",
        "--data", str(folder / "data"), "--no-playground", "--no-sandbox", "--port", "0", "--log-level", "error"])
    url = server.url + "/v1/decide"
    most, _ = load(url, "", options.seconds, 2 * options.connections, more=USERS)
    rate, latencies = load(url, "", 2 * options.seconds, 2 * options.connections, rate=most / 2, more=USERS)
    print(f"state: {most:,.0f} stored decisions/s; at {rate:,.0f}/s p50 {latencies['50']:.2f} ms, "
          f"p99 {latencies['99']:.2f} ms, {server.resident():.0f} MB")
    server.stop()


def stream(options, folder):
    config, users = options.config, options.users
    if config is None:
        text = json.loads((DEMO / "config.json").read_text())
        triggers = text["trigger_options"]
        for number in range(PLACEMENTS - len(triggers)):
            triggers.append(triggers[number] | {"event_name": f"copy_{number}"})
        config = folder / "config.json"
        config.write_text(json.dumps(text))
    if users is None:
        lines = []
        for line in (DEMO / "users.ndjson").read_text().splitlines():
            try:
                user = json.loads(line)
            except ValueError:
                continue
            if isinstance(user, dict) and isinstance(user.get("userId"), str) and user["userId"]:
                lines.append(json.dumps(user, separators=(",", ":")))
        users = folder / "users.ndjson"
        with users.open("w") as file:
            for number in range(100_000):
                file.write(lines[number % len(lines)].replace("u-", f"u{number // len(lines)}-", 1) + "\n")
    with open(users, "rb") as file:
        count = sum(1 for line in file if line.strip())
    server = Server([options.build + "/tollgate-server", "--config", str(config), "--no-playground",
                     "--no-sandbox", "--port", "0", "--log-level", "error"])
    url = server.url + "/v1/decide/stream"
    send = ["curl", "-sf", "--data-binary", f"@{users}", url, "-o"]
    first = folder / "answers"
    subprocess.run(send + [str(first)], check=True)
    with first.open("rb") as file:
        lines = file.readlines()
    if len(lines) != count:
        sys.exit(f"{count} users, and {len(lines)} answers")
    decisions = sum(len(json.loads(line).get("decisions", [])) for line in lines)
    rates = []
    for _ in range(options.pairs + 1):
        start = time.monotonic()
        subprocess.run(send + ["/dev/null"], check=True)
        rates.append(decisions / (time.monotonic() - start))
    print(f"stream: {count:,} users, {decisions:,} decisions, "
          f"{statistics.median(rates):,.0f}/s (best {max(rates):,.0f}/s), "
          f"{server.resident():.0f} MB in memory afterwards")
    server.stop()


def memory(options, server, names):
    end = time.monotonic() + 60 * options.minutes
    while True:
        load(server.url + "/v1/decide", body(names), 10, options.connections)
        print(f"memory: {server.resident():.1f} MB", flush=True)
        if time.monotonic() > end:
            break


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=["decide", "load", "state", "stream", "memory", []])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="of each measurement")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--build", default=str(ROOT / ".build/release"))
    parser.add_argument("--config", help="for the stream; the demo's with ten placements without it")
    parser.add_argument("--users", help="for the stream; the demo's 25 times without it")
    options = parser.parse_args()
    what = options.what or ["decide", "load", "state", "stream"]
    print(f"load of the machine before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    hello = Server([options.build + "/json-hello"])
    server = Server([
        options.build + "/tollgate-server", "--config", str(DEMO / "config.json"),
        "--no-playground", "--no-sandbox", "--port", "0", "--log-level", "error"])
    config = json.loads((DEMO / "config.json").read_text())
    names = [trigger["event_name"] for trigger in config["trigger_options"]]
    try:
        if "decide" in what:
            decide(options, hello, server, names)
        if "load" in what:
            latency(options, server, names)
        if "memory" in what:
            memory(options, server, names)
        for name, part in (("state", state), ("stream", stream)):
            if name in what:
                with tempfile.TemporaryDirectory() as folder:
                    part(options, Path(folder))
    finally:
        hello.stop()
        server.stop()


if __name__ == "__main__":
    main()
