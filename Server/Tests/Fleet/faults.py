#!/usr/bin/env python3
"""Faults of a fleet behind nginx: nothing that was acknowledged is lost, and nothing is counted twice.

usage: faults.py [TEST]... [options]; all tests without a name

  kills      kills servers and restarts PostgreSQL under load
  bytes      the same requests, one at a time, to one server with SQLite and to the fleet
  versions   servers of two builds side by side, with the tables of both (--old PROGRAM)
  partition  cuts one server off the database, in a network namespace (as root)
  full       fills the disk of the database (as root)
  password   changes the password of the database's user

With openfeature-sdk and openfeature-provider-ofrep from PyPI, OpenFeature's client evaluates flags at the same time.
After each test, all logs, answers, metrics and command lines are searched for passwords, keys and tokens.
"""

import argparse, collections, hashlib, http.client, json, os, random, shutil, signal, subprocess, sys, tempfile
import threading, time
from pathlib import Path

try:
    from openfeature import api
    from openfeature.contrib.provider.ofrep import OFREPProvider
    from openfeature.evaluation_context import EvaluationContext
except ImportError:
    OFREPProvider = None

import fleet as fleets
from fleet import Database, Fleet, Server, ask, wait_for

# Each decision at `all` is counted, and `two` shows a paywall twice to each user.
CONFIG = {
    "trigger_options": [
        {"event_name": name, "rules": [{
            "experiment_id": number, "experiment_group_id": "1", "expression_cel": "user.ok == true",
            "occurrence": {"key": name, "max_count": most, "interval": {"type": "INFINITY"}},
            "variants": [
                {"variant_id": f"{number}0", "variant_type": "TREATMENT", "percentage": 50, "paywall_identifier": "a"},
                {"variant_id": f"{number}1", "variant_type": "TREATMENT", "percentage": 50, "paywall_identifier": "b"}],
            "preload": {"behavior": "ALWAYS"}}]}
        for name, number, most in [("all", "7", 100_000), ("two", "8", 2)]],
    "paywall_responses": [{"id": "1", "identifier": "a"}, {"id": "2", "identifier": "b"}],
}


def config(build=0):
    return json.dumps({"build_id": str(build), **CONFIG})


class Failure(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Failure(message)


def results(text):
    """The paywalls that an answer shows, by placement."""
    return {
        each["placement"]: each["paywall"]
        for each in json.loads(text)["decisions"] if each["result"]["result"] == "paywall"}


class Ledger:
    """Requests and their answers, from all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.answers = {}
        self.users = {}
        self.without_id = collections.defaultdict(lambda: [0, 0])
        self.versions = {}
        self.flags = collections.Counter()
        self.statuses = collections.Counter()
        self.slowest_refusal = 0.0
        self.errors = set()

    def note(self, status, seconds, text):
        with self.lock:
            self.statuses[status] += 1
            if status == 503:
                self.slowest_refusal = max(self.slowest_refusal, seconds)
            if status >= 500 or status == 0:
                self.errors.add(text[:500])


class Load:
    """Clients that send requests with IDs until they are answered, and some without an ID once."""

    all = []

    def __init__(self, fleet, ledger, users=60, lanes=6, port=None, pause=0):
        self.fleet, self.ledger, self.users = fleet, ledger, users
        self.port = port or fleet.balancer.port
        self.pause = pause
        self.ended = threading.Event()
        self.problem = None
        self.threads = [
            threading.Thread(target=self.guarded, args=(self.run, lane), daemon=True) for lane in range(lanes)]
        if OFREPProvider:
            self.threads.append(threading.Thread(target=self.guarded, args=(self.flags, lanes), daemon=True))
        Load.all.append(self)
        for thread in self.threads:
            thread.start()

    def guarded(self, body, lane):
        try:
            body(lane)
        except BaseException as error:
            self.problem = error

    def send(self, connection, method, path, body, key):
        """Sends a request. Gives its status, 0 for a lost connection, and its body."""
        start = time.monotonic()
        try:
            connection.request(method, path, body, {"Authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            status, headers, text = answer.status, answer.headers, answer.read().decode()
            if status == 503:
                check(headers["Retry-After"], f"a 503 without Retry-After: {text}")
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            status, text = 0, type(error).__name__
        self.ledger.note(status, time.monotonic() - start, text)
        return status, text

    def flags(self, lane):
        """OpenFeature's client. A flag is the variant that the user has from the first answer on, or the default."""
        dice = random.Random(lane)
        key = self.fleet.key
        api.set_provider(OFREPProvider(
            f"http://127.0.0.1:{self.port}", headers_factory=lambda: {"Authorization": f"Bearer {key}"}))
        client = api.get_client()
        while not self.ended.is_set():
            with self.ledger.lock:
                known = list(self.ledger.users.items())[-50:]
            if not known:
                continue
            request, user = dice.choice(known)
            value = client.get_string_value("all", "none", EvaluationContext(user, {"ok": True}))
            with self.ledger.lock:
                self.ledger.flags[value != "none"] += 1
            if value != "none":
                check(value == results(self.ledger.answers[request])["all"], f"{user} has the flag {value}")
            time.sleep(0.01)

    def run(self, lane):
        dice = random.Random(lane)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        number = 0
        while not self.ended.is_set():
            number += 1
            if self.pause:
                time.sleep(self.pause)
            if lane == 0 and number % 40 == 0:
                status, text = self.send(
                    connection, "PUT", "/v1/config", config(number), self.fleet.secret)
                if status == 200:
                    answer = json.loads(text)
                    self.ledger.versions[answer["version"]] = answer["sha256"]
                continue
            user = f"u{dice.randrange(self.users)}"
            body = {"userId": user, "user": {"ok": True}, "placements": ["all", "two"]}
            if number % 7 == 0:
                user = body["userId"] = f"n{dice.randrange(self.users)}"
                status, text = self.send(
                    connection, "POST", "/v1/decide", json.dumps(body), self.fleet.key)
                with self.ledger.lock:
                    self.ledger.without_id[user][0 if status == 200 else 1] += 1
                continue
            request = body["requestId"] = f"{lane}-{number}-{id(self)}"
            while True:
                status, text = self.send(
                    connection, "POST", "/v1/decide", json.dumps(body), self.fleet.key)
                if status == 200:
                    break
                check(status in (0, 502, 503, 504), f"{status}: {text}")
                time.sleep(0.02)
            with self.ledger.lock:
                self.ledger.answers[request] = text
                self.ledger.users[request] = user

    def stop(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        if self.problem:
            raise self.problem


def settle(fleet, ledger, servers=None):
    """Compares what is stored with what was answered."""
    servers = servers or fleet.servers
    for server in servers:
        wait_for(lambda: server.ask("GET", "/readyz")[0] == 200, f"{server.name}")
    counts = collections.defaultdict(collections.Counter)
    variants = collections.defaultdict(set)
    for request, text in ledger.answers.items():
        shown = results(text)
        check("all" in shown, f"{request} was not shown 'all': {text}")
        counts[ledger.users[request]].update(shown.keys())
        for each in shown.items():
            variants[ledger.users[request], each[0]].add(each[1])
    check(all(len(each) == 1 for each in variants.values()), "a variant changed")

    def stored(user, number):
        status, _, text = servers[number % len(servers)].ask("GET", f"/v1/users/{user}", key=fleet.secret)
        check(status == 200, f"{status}: {text}")
        return {key: len(times) for key, times in json.loads(text)["occurrences"].items()}

    for number, (user, shown) in enumerate(sorted(counts.items())):
        found = stored(user, number)
        # Users of requests with IDs alone: every request was answered.
        check(found.get("all") == shown["all"], f"{user}: {shown['all']} answered, {found} stored")
        check(found.get("two", 0) == min(2, shown["all"]) == shown["two"], f"{user}: {shown}, {found}")
    for number, (user, (answered, lost)) in enumerate(sorted(ledger.without_id.items())):
        found = stored(user, number).get("all", 0)
        check(answered <= found <= answered + lost, f"{user}: {answered} answered, {lost} lost, {found} stored")
    again = random.Random(1).sample(sorted(ledger.answers), min(300, len(ledger.answers)))
    for number, request in enumerate(again):
        body = json.dumps({
            "userId": ledger.users[request], "user": {"ok": True}, "placements": ["all", "two"],
            "requestId": request})
        status, _, text = servers[number % len(servers)].ask("POST", "/v1/decide", body, key=fleet.key)
        check(status == 200 and text.decode() == ledger.answers[request], f"{request}: another answer")
    if ledger.versions:
        _, _, text = servers[-1].ask("GET", "/v1/config/history", key=fleet.secret)
        known = {each["version"]: each["sha256"] for each in json.loads(text)["versions"]}
        for version, digest in ledger.versions.items():
            check(version < min(known) or known.get(version) == digest, f"version {version} is lost")
    return (f"{len(ledger.answers)} requests of {len(counts)} users answered and counted once, "
            f"{len(ledger.versions)} configs, {ledger.flags[True]} flags of OpenFeature and {ledger.flags[False]} defaults, "
            f"statuses {dict(sorted(ledger.statuses.items()))}, "
            f"slowest 503 after {ledger.slowest_refusal:.2f} s")


def search(fleet, ledger=None, servers=None):
    """Looks for secrets in everything that the servers have shown."""
    secrets = [fleet.database.password, fleet.secret, fleet.token]
    places = {path.name: path.read_text(errors="replace") for path in fleet.folder.glob("*.log")}
    for server in servers or fleet.servers:
        if server.process.poll() is None:
            places[f"command line of {server.name}"] = Path(
                f"/proc/{server.process.pid}/cmdline").read_text()
            for path in ("/metrics", "/readyz", "/openapi.json", "/v1/config/history", "/v1/audit"):
                places[f"{path} of {server.name}"] = server.ask("GET", path, key=fleet.secret)[2].decode()
    for text in ledger.errors if ledger else ():
        places["answer " + text] = text
    for name, text in places.items():
        for secret in secrets:
            check(secret not in text, f"{name} has a secret")
        # The host and the port of the database are not in answers either.
        if not name.endswith(".log"):
            check(str(fleet.database.port) not in text or "nginx" in name, f"{name} has the port of the database")
    return len(places)


# MARK: Tests


def kills(options, folder):
    fleet = Fleet(folder, program=options.server, config=config(), options=["--log-level", "debug"])
    try:
        ledger = Ledger()
        load = Load(fleet, ledger)
        restarts = 0
        for number in range(options.kills):
            time.sleep(random.uniform(0.3, 1.2))
            server = fleet.servers[number % 3]
            server.kill()
            if number % 4 == 3 and restarts < options.restarts:
                restarts += 1
                fleet.database.stop(signal.SIGQUIT if restarts % 2 else signal.SIGINT)
                time.sleep(random.uniform(0, 1))
                fleet.database.start()
            # A server needs the database to start.
            server.start()
        time.sleep(1)
        load.stop()
        text = settle(fleet, ledger)
        return f"{options.kills} kills, {restarts} restarts: {text}, {search(fleet, ledger)} places without secrets"
    finally:
        fleet.stop()


def requests(count):
    """Requests whose answers depend on those before, with repeated IDs, errors and other routes."""
    dice = random.Random(7)
    for number in range(count):
        user = f"u{dice.randrange(200)}"
        body = {"userId": user, "user": {"ok": dice.random() < 0.8},
                "now": f"2026-03-{1 + dice.randrange(28):02}T{dice.randrange(24):02}:00:00Z"}
        if dice.random() < 0.3:
            body["requestId"] = f"{user}-{dice.randrange(20)}"
        kind = dice.randrange(20)
        if kind == 0:
            yield "POST", "/v1/explain", json.dumps({"user": body, "placement": "two", "now": body["now"]})
        elif kind == 1:
            yield "POST", "/ofrep/v1/evaluate/flags/two", json.dumps(
                {"context": {"targetingKey": user, "ok": True}})
        elif kind == 2:
            yield "POST", "/v1/decide/stream", "\n".join(
                json.dumps({**body, "userId": f"{user}-{line}", "record": True, "requestId": f"{number}-{line}"})
                for line in range(3))
        elif kind == 3:
            yield "POST", "/v1/decide", json.dumps({**body, "placement": "two"})
        elif kind == 4:
            yield "POST", "/v1/decide", json.dumps({**body, "record": False, "explain": True})
        elif kind == 5:
            yield "DELETE" if dice.random() < 0.1 else "GET", f"/v1/users/{user}", None
        else:
            yield "POST", "/v1/decide", json.dumps({**body, "reasons": dice.random() < 0.2})


def same_bytes(options, folder):
    fleet = Fleet(folder, program=options.server, config=config())
    one = Server("one", fleet.folder, fleet.arguments + ["--state", "sqlite", "--data", "one", "--no-sandbox"],
                 options.server)
    try:
        def answers(port, found):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            for method, path, body in requests(options.requests):
                key = fleet.secret if path.startswith("/v1/users") else fleet.key
                connection.request(method, path, body, {"Authorization": f"Bearer {key}"})
                answer = connection.getresponse()
                text = answer.read()
                if path.startswith("/v1/users"):
                    # Answers have the time at which they were given.
                    value = json.loads(text)
                    value.pop("answers", None)
                    text = json.dumps(value).encode()
                found.append((answer.status, answer.headers["tollgate-config-version"], text))

        found = [], []
        threads = [threading.Thread(target=answers, args=each)
                   for each in ((one.port, found[0]), (fleet.balancer.port, found[1]))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check(len(found[0]) == len(found[1]) == options.requests, f"{[len(each) for each in found]} answers")
        for number, (request, expected, actual) in enumerate(zip(requests(options.requests), *found)):
            check(expected == actual, f"request {number} {request}:\n{expected}\n{actual}")
        digest = hashlib.sha256(b"\n".join(text for _, _, text in found[1])).hexdigest()
        statuses = collections.Counter(status for status, _, _ in found[0])
        return f"{options.requests} answers have the same bytes ({digest[:16]}), statuses {dict(sorted(statuses.items()))}"
    finally:
        one.stop()
        fleet.stop()


def versions(options, folder):
    if not options.old:
        return "left out: --old PROGRAM is the program of the version before"
    fleet = Fleet(folder, program=options.old, config=config())
    try:
        def version():
            return fleet.database.sql("SELECT max(number) FROM tollgate.migration", "tollgate")

        before = version()
        ledger = Ledger()
        load = Load(fleet, ledger)
        time.sleep(1)
        # One after the other, as a rollout does.
        for server in fleet.servers[:2]:
            server.stop()
            server.program = options.server
            server.arguments += ["--no-migrate"]
            server.start()
            time.sleep(1)
        check(version() == before, "a server with --no-migrate migrated")
        subprocess.run(
            [options.server, "migrate", "--database-url-file", "database-url"],
            cwd=fleet.folder, check=True, stdout=subprocess.DEVNULL)
        after = version()
        check(after != before, f"both programs have version {after} of the tables")
        # The old server goes on with the new tables.
        time.sleep(2)
        refused = ledger.statuses[503]
        old = fleet.servers[2].ask("POST", "/v1/decide", '{"userId":"u0","user":{"ok":true},"record":false}', key=fleet.key)
        check(old[0] == 200, f"the old server answers {old}")
        load.stop()
        text = settle(fleet, ledger, fleet.servers[:2])
        fleet.servers[2].stop()
        return f"versions {before} and {after} of the tables side by side: {text}, {refused} refused"
    finally:
        fleet.stop()


def partition(options, folder):
    """Server 3 has a link to its clients and another one to the database."""
    def ip(text):
        subprocess.run(["ip"] + text.split(), check=True)

    name = f"tollgate{os.getpid()}"
    ip(f"netns add {name}")
    database = None
    fleet = None
    try:
        for number, link in enumerate(("c", "d")):
            ip(f"link add tg{link}0 type veth peer name tg{link}1 netns {name}")
            ip(f"addr add 10.213.{number}.1/24 dev tg{link}0")
            ip(f"link set tg{link}0 up")
            ip(f"-n {name} addr add 10.213.{number}.2/24 dev tg{link}1")
            ip(f"-n {name} link set tg{link}1 up")
        ip(f"-n {name} link set lo up")
        folder.mkdir(parents=True)
        folder.chmod(0o755)
        database = Database(folder / "postgres", address="10.213.1.1")
        fleet = Fleet(folder, 2, options.server, config(), database=database)
        prefix = ["ip", "netns", "exec", name]
        arguments = fleet.shared + ["--no-sandbox"]
        cut = [Server("server-3", folder, arguments, options.server, prefix, "10.213.0.2"),
               Server("server-4", folder, arguments + ["--without-state", "decide"], options.server, prefix,
                      "10.213.0.2")]
        fleet.balancer.stop()
        fleet.balancer = fleets.Balancer(folder, fleet.servers + cut[:1])
        fleet.servers += cut
        ledger, near = Ledger(), Ledger()
        loads = [Load(fleet, ledger), Load(fleet, near, users=20, lanes=2, port=fleet.servers[0].port)]
        time.sleep(1)
        # Packets vanish, and nobody is told.
        ip("link set tgd0 down")
        try:
            time.sleep(2)
            body = '{"userId":"cut","user":{"ok":true},"placements":["two"]}'
            for _ in range(4):
                start = time.monotonic()
                status, headers, text = cut[0].ask("POST", "/v1/decide", body, key=fleet.key)
                seconds = time.monotonic() - start
                check(status == 503 and headers.get("retry-after", headers.get("Retry-After")), f"{status}: {text}")
                check(seconds < 2, f"503 after {seconds:.2f} s")
            status, headers, text = cut[1].ask("POST", "/v1/decide", body, key=fleet.key)
            marks = {name.lower(): value for name, value in headers.items()}
            check(status == 200 and marks.get("tollgate-without-state") == "true", f"{status}: {text}")
            ready = cut[0].ask("GET", "/readyz")
            check(ready[0] == 503 and b"configAgeSeconds" in ready[2], f"{ready}")
            ready = cut[1].ask("GET", "/readyz")
            check(ready[0] == 200 and json.loads(ready[2])["withoutState"], f"{ready}")
            age = json.loads(ready[2])["configAgeSeconds"]
            for server in fleet.servers[:2]:
                check(server.ask("GET", "/readyz")[0] == 200, f"{server.name} is not ready")
            time.sleep(2)
        finally:
            ip("link set tgd0 up")
        start = time.monotonic()
        wait_for(lambda: all(server.ask("GET", "/readyz")[0] == 200 and b"withoutState" not in server.ask(
            "GET", "/readyz")[2] for server in cut), "recovering")
        recovered = time.monotonic() - start
        for load in loads:
            load.stop()
        check(set(near.statuses) == {200}, f"another server was hurt: {near.statuses}")
        ledger.answers |= near.answers
        ledger.users |= near.users
        for user, (answered, lost) in near.without_id.items():
            ledger.without_id[user][0] += answered
        text = settle(fleet, ledger)
        return (f"a server without its link: {text}; another server answered {near.statuses[200]} without an error; "
                f"the config was {age:.1f} s old; back after {recovered:.1f} s; {search(fleet, ledger)} places without secrets")
    finally:
        if fleet:
            fleet.stop()
        elif database:
            database.stop()
        subprocess.run(["ip", "link", "del", "tgc0"], check=False)
        subprocess.run(["ip", "link", "del", "tgd0"], check=False)
        ip(f"netns del {name}")


def full(options, folder):
    data = folder / "disk"
    data.mkdir(parents=True)
    folder.chmod(0o755)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", str(data)], check=True)
    fleet = None
    try:
        database = Database(folder / "postgres", data / "data", settings=["max_wal_size=16MB", "wal_recycle=off"])
        fleet = Fleet(folder, program=options.server, config=config(), database=database)
        ledger = Ledger()
        load = Load(fleet, ledger)
        time.sleep(1)
        with open(data / "filler", "wb") as filler:
            try:
                while True:
                    filler.write(b"x" * 65536)
                    filler.flush()
            except OSError:
                pass
        deadline = time.monotonic() + 60
        while not ledger.statuses[503] and time.monotonic() < deadline:
            time.sleep(0.2)
        time.sleep(3)
        free = shutil.disk_usage(data).free
        check(ledger.statuses[503], f"no request was refused with {free} bytes left")
        status = fleet.servers[0].ask("POST", "/v1/decide", '{"userId":"x","user":{"ok":true}}', key=fleet.key)
        (data / "filler").unlink()
        # PostgreSQL ends if it cannot write its log.
        if database.process.poll() is not None:
            database.start()
        wait_for(lambda: fleet.ask("GET", "/readyz")[0] == 200, "recovering")
        time.sleep(1)
        load.stop()
        text = settle(fleet, ledger)
        check(ledger.slowest_refusal < 2.5, f"a 503 took {ledger.slowest_refusal:.2f} s")
        return f"a full disk (then {status[0]}): {text}, {search(fleet, ledger)} places without secrets"
    finally:
        if fleet:
            fleet.stop()
        subprocess.run(["umount", "-l", str(data)], check=False)


def password(options, folder):
    fleet = Fleet(folder, program=options.server, config=config(), options=["--log-level", "debug"])
    try:
        ledger = Ledger()
        load = Load(fleet, ledger, pause=0.01)
        time.sleep(1)
        fleet.database.sql("ALTER ROLE tollgate PASSWORD 'another-one'")
        fleet.database.stop()
        fleet.database.start()
        time.sleep(2)
        status, _, text = fleet.servers[1].ask("POST", "/v1/decide", '{"userId":"x","user":{"ok":true}}', key=fleet.key)
        check(status == 503 and b"password" in text, f"{status}: {text}")
        wrong = subprocess.run(
            [str(options.server), "--port", "0"] + fleet.shared, cwd=fleet.folder, capture_output=True, text=True)
        output = wrong.stdout + wrong.stderr
        check(wrong.returncode != 0 and "password" in output, f"it started: {output}")
        check(fleet.database.password not in output and "another-one" not in output, "the output has the password")
        fleet.database.sql(f"ALTER ROLE tollgate PASSWORD '{fleet.database.password}'")
        time.sleep(1)
        load.stop()
        text = settle(fleet, ledger)
        return f"a wrong password: {text}, {search(fleet, ledger)} places without secrets"
    finally:
        fleet.stop()


TESTS = {"kills": kills, "bytes": same_bytes, "versions": versions, "partition": partition, "full": full,
         "password": password}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", metavar="TEST", help=f"{', '.join(TESTS)} (default: all)")
    parser.add_argument("--server", type=Path, default=fleets.PROGRAM, help="the program (default: .build/debug/tollgate-server)")
    parser.add_argument("--old", type=Path, help="the program of the version before, for `versions`")
    parser.add_argument("--kills", type=int, default=20, help="kills of servers (default: 20)")
    parser.add_argument("--restarts", type=int, default=5, help="restarts of PostgreSQL (default: 5)")
    parser.add_argument("--requests", type=int, default=20_000, help="requests of `bytes` (default: 20000)")
    options = parser.parse_args()
    for name in options.tests:
        if name not in TESTS:
            parser.error(f"'{name}' is not a test; expected {', '.join(TESTS)}")
    # So that everything that was started ends.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options.server = options.server.resolve()
    options.old = options.old and options.old.resolve()
    failed = False
    for name in options.tests or TESTS:
        if name in ("partition", "full") and os.geteuid() != 0:
            print(f"{name}: left out, because it needs root", flush=True)
            continue
        folder = Path(tempfile.mkdtemp(prefix="tollgate-faults-", dir="/tmp"))
        # PostgreSQL has another user.
        folder.chmod(0o755)
        start = time.monotonic()
        try:
            text = TESTS[name](options, folder / "fleet")
            print(f"{name}: {text} ({time.monotonic() - start:.0f} s)", flush=True)
            shutil.rmtree(folder, ignore_errors=True)
        except (Failure, SystemExit, OSError, subprocess.SubprocessError) as failure:
            failed = True
            print(f"{name}: FAILED: {failure}\n  its files are in {folder}", flush=True)
        finally:
            for one in Load.all:
                one.ended.set()
    sys.exit(failed)


if __name__ == "__main__":
    main()
