#!/usr/bin/env python3
"""Starts PostgreSQL in a folder of its own, several servers and nginx, all on this machine, until Ctrl-C.

usage: fleet.py [--server PROGRAM] [--servers 3] [--port 8080] [--folder FOLDER]

Server/Deploy/nginx.conf is the balancer's file. It needs PostgreSQL's programs and nginx (Debian: postgresql,
nginx-light).
"""

import argparse, glob, http.client, json, os, secrets, shutil, signal, socket, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DEMO = ROOT / "corpus" / "demo"
PROGRAM = ROOT / ".build" / "debug" / "tollgate-server"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"{what} took longer than {seconds} seconds")
        time.sleep(0.05)


def ask(port, method, path, body=None, key=None, headers={}, host="127.0.0.1", timeout=30):
    """Sends one request. Gives status, headers and body."""
    connection = http.client.HTTPConnection(host, port, timeout=timeout)
    try:
        headers = dict(headers)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.headers), answer.read()
    finally:
        connection.close()


class Database:
    """A PostgreSQL server. `folder` has its data, `sockets` its socket, log and password."""

    def __init__(self, folder, data=None, address="127.0.0.1", settings=()):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
        found = shutil.which("initdb")
        self.programs = programs[0] if programs else os.path.dirname(found or "")
        if not self.programs:
            raise SystemExit("PostgreSQL is missing (Debian: postgresql)")
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.data = Path(data or self.folder / "data")
        self.port = free_port()
        self.address = address
        self.settings = settings
        self.process = None
        # PostgreSQL does not run as root.
        self.as_user = []
        if os.geteuid() == 0:
            self.as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            self.data.mkdir(parents=True, exist_ok=True)
            for each in (self.folder, self.data):
                os.chown(each, 65534, 65534)
        self.log = open(self.folder / "postgres.log", "ab")
        self.run("initdb", "-D", self.data, "-U", "admin", "--auth-local=trust",
                 "--auth-host=scram-sha-256", "-E", "UTF8", "--no-locale", "--wal-segsize=1")
        with open(self.data / "pg_hba.conf", "a") as file:
            file.write("host all all 0.0.0.0/0 scram-sha-256\n")
        self.start()
        self.password = secrets.token_hex(16)
        self.sql(f"CREATE ROLE tollgate LOGIN PASSWORD '{self.password}'")
        self.sql("CREATE DATABASE tollgate OWNER tollgate")

    @property
    def url(self):
        return f"postgresql://tollgate:{self.password}@{self.address}:{self.port}/tollgate"

    def run(self, name, *arguments):
        subprocess.run(
            self.as_user + [f"{self.programs}/{name}"] + [str(each) for each in arguments],
            check=True, stdout=self.log, stderr=self.log, cwd="/")

    def sql(self, text, database="postgres"):
        """Runs SQL as administrator. Gives the rows as text."""
        return subprocess.run(
            ["psql", "-XAtq", "-h", str(self.folder), "-p", str(self.port), "-U", "admin", database,
             "-v", "ON_ERROR_STOP=1", "-c", text],
            check=True, capture_output=True, text=True).stdout.strip()

    def is_ready(self):
        return subprocess.run(
            [f"{self.programs}/pg_isready", "-q", "-h", str(self.folder), "-p", str(self.port)]
        ).returncode == 0

    def start(self):
        settings = ["listen_addresses=*", "max_connections=200", *self.settings]
        options = [part for each in settings for part in ("-c", each)]
        self.process = subprocess.Popen(
            self.as_user + [f"{self.programs}/postgres", "-D", str(self.data), "-k", str(self.folder),
                            "-p", str(self.port)] + options,
            stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, cwd="/")
        wait_for(self.is_ready, "the start of PostgreSQL")

    def stop(self, how=signal.SIGINT):
        """SIGINT ends connections, SIGQUIT ends without writing anything."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait()


class Server:
    """A tollgate-server, which can be killed and started again at its port."""

    def __init__(self, name, folder, arguments, program=PROGRAM, prefix=(), host="127.0.0.1"):
        self.name, self.folder, self.arguments = name, Path(folder), list(arguments)
        self.program, self.prefix, self.host = program, list(prefix), host
        self.port = free_port()
        self.process = None
        self.start()

    def start(self):
        # As with systemd, it is started again while the database does not answer.
        for _ in range(5):
            with open(self.folder / f"{self.name}.log", "ab") as log:
                self.process = subprocess.Popen(
                    self.prefix + [str(self.program), "--port", str(self.port), "--host", self.host]
                    + self.arguments, stdout=subprocess.PIPE, stderr=log, cwd=self.folder)
            if self.process.stdout.readline():
                return
            self.process.wait()
        raise SystemExit(f"{self.name} did not start:\n{self.log()[-2000:]}")

    def log(self):
        return (self.folder / f"{self.name}.log").read_text()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()

    def ask(self, method, path, body=None, **rest):
        return ask(self.port, method, path, body, host=self.host, **rest)


class Balancer:
    """nginx with the file of Server/Deploy. One server has the sandbox."""

    def __init__(self, folder, servers, port=None):
        self.port = port or free_port()
        nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if not nginx:
            raise SystemExit("nginx is missing (Debian: nginx-light)")
        text = (ROOT / "Server" / "Deploy" / "nginx.conf").read_text()
        line = next(each for each in text.splitlines() if "server-1:8080" in each)
        other = next(each for each in text.splitlines() if "server-2:8080" in each)
        text = text.replace(other + "\n", "").replace(
            line, "\n".join(line.replace("server-1:8080", f"{s.host}:{s.port}") for s in servers))
        text = text.replace("listen 8080;", f"listen 127.0.0.1:{self.port};")
        sandbox = f"""
    location ~ ^/(api|config-api|subscriptions-api|v2|console)/ {{
      proxy_pass http://{servers[0].host}:{servers[0].port};
    }}
"""
        text = text.replace("    location / {", sandbox + "\n    location / {")
        paths = "".join(
            f"{kind}_temp_path {folder}/nginx-{kind}; "
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root; " if os.geteuid() == 0 else ""
        text = f"{user}daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;\n" + text
        text = text.replace("http {", "http {\n  " + paths, 1)
        path = Path(folder) / "nginx.conf"
        path.write_text(text)
        self.process = subprocess.Popen([nginx, "-c", str(path)], stderr=subprocess.DEVNULL)
        wait_for(self.answers, "the start of nginx")

    def answers(self):
        try:
            return ask(self.port, "GET", "/healthz")[0] == 200
        except OSError:
            return False

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Fleet:
    """A database, servers that share it, and a balancer."""

    def __init__(self, folder, count=3, program=PROGRAM, config=None, port=None, options=(),
                 database=None, settings=()):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        os.chmod(self.folder, 0o755)
        self.database = database or Database(self.folder / "postgres", settings=settings)
        self.key, self.secret = "pk_demo", "sk_" + secrets.token_hex(16)
        self.token = secrets.token_hex(16)
        self.write("database-url", self.database.url)
        self.write("admin-token", self.token)
        self.write("config.json", config or (DEMO / "config.json").read_text())
        shutil.copy(DEMO / "products.json", self.folder)
        self.write("applications.json", json.dumps({"applications": [
            {"id": "1", "publicKey": self.key, "secretKey": self.secret, "config": "config.json",
             "products": "products.json"}]}))
        self.arguments = [
            "--fixtures", "applications.json", "--admin-token-file", "admin-token", "--seed", "demo",
            "--rate-limit", "0", *options]
        self.shared = self.arguments + ["--state", "postgres", "--database-url-file", "database-url"]
        self.servers = []
        for number in range(1, count + 1):
            own = ["--data", "sandbox"] if number == 1 else ["--no-sandbox"]
            self.servers.append(
                Server(f"server-{number}", self.folder, self.shared + own, program))
        self.balancer = Balancer(self.folder, self.servers, port)

    def write(self, name, text):
        path = self.folder / name
        path.touch(mode=0o600)
        path.write_text(text)

    def ask(self, method, path, body=None, **rest):
        rest.setdefault("key", self.key)
        return ask(self.balancer.port, method, path, body, **rest)

    def stop(self):
        self.balancer.stop()
        for server in self.servers:
            server.stop()
        self.database.stop()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default=PROGRAM, help="the program (default: .build/debug/tollgate-server)")
    parser.add_argument("--servers", type=int, default=3, help="the number of servers (default: 3)")
    parser.add_argument("--port", type=int, default=8080, help="the port of nginx (default: 8080)")
    parser.add_argument("--folder", help="a new folder for all files (default: a temporary one)")
    options = parser.parse_args()
    if options.folder and Path(options.folder).exists():
        parser.error(f"--folder: '{options.folder}' exists")
    folder = options.folder or tempfile.mkdtemp(prefix="tollgate-fleet-", dir="/tmp")
    # PostgreSQL has another user.
    Path(folder).mkdir(parents=True, exist_ok=True)
    os.chmod(folder, 0o755)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    fleet = Fleet(Path(folder).resolve(), options.servers, options.server, port=options.port)
    try:
        url = f"http://127.0.0.1:{fleet.balancer.port}"
        print(f"""
Balancer     {url}/ (nginx; also the playground)
Servers      {' '.join(f'http://127.0.0.1:{server.port}' for server in fleet.servers)}
             each has /readyz and /metrics; the first one has the sandbox
Database     psql -h {fleet.database.folder} -p {fleet.database.port} -U admin tollgate
Keys         {fleet.key} decides, {fleet.secret} administers
Logs         {folder}/*.log {fleet.database.folder}/postgres.log

  curl -s {url}/v1/decide -H 'Authorization: Bearer {fleet.key}' -d @corpus/demo/user.json
  curl -s {url}/v1/config/history -H 'Authorization: Bearer {fleet.secret}'

Ctrl-C stops everything.""", flush=True)
        while True:
            time.sleep(3600)
    except (KeyboardInterrupt, SystemExit):
        pass
    finally:
        fleet.stop()
        if not options.folder:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
