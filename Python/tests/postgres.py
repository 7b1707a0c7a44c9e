"""A PostgreSQL server for tests, in a folder of its own."""

from __future__ import annotations

import glob
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest


def programs() -> Path | None:
    """The folder with `initdb` and `postgres`."""
    places = sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    known = shutil.which("postgres")
    if known:
        places.append(str(Path(os.path.realpath(known)).parent))
    return next((Path(place) for place in places if Path(place, "initdb").exists()), None)


class Postgres:
    """A running server. Only this machine's sockets reach it."""

    def __init__(self) -> None:
        found = programs()
        if found is None or shutil.which("psql") is None:
            pytest.skip("PostgreSQL is not installed")
        # PostgreSQL runs as no administrator. Names of sockets are short.
        self._as: dict[str, Any] = {"user": "postgres"} if os.geteuid() == 0 else {}
        self._folder = Path(tempfile.mkdtemp(dir="/tmp", prefix="tollgate-pg-"))
        if self._as:
            try:
                shutil.chown(self._folder, "postgres")
            except LookupError:
                pytest.skip("there is no user 'postgres' to run PostgreSQL")
        run: dict[str, Any] = {"cwd": self._folder, "stdout": subprocess.DEVNULL, **self._as}
        subprocess.run(
            [found / "initdb", "-D", "data", "-U", "tollgate", "-A", "trust", "-E", "UTF8",
             "--locale=C", "-N"], check=True, **run)
        self._process = subprocess.Popen(
            [found / "postgres", "-D", "data", "-k", str(self._folder), "-c", "listen_addresses=",
             "-c", "fsync=off", "-c", "timezone=UTC"], stderr=subprocess.DEVNULL, **run)
        for _ in range(600):
            if subprocess.run(self._psql("select 1"), capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        self.stop()
        pytest.skip("PostgreSQL does not start")

    def _psql(self, *statements: str) -> list[str]:
        found = ["psql", "-h", str(self._folder), "-U", "tollgate", "-d", "postgres", "-XqAt",
                 "-v", "ON_ERROR_STOP=1"]
        return found + [part for each in statements for part in ("-c", each)]

    def execute(self, *statements: str) -> str:
        result = subprocess.run(self._psql(*statements), capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The rows of a query, as JSON has them."""
        said = self.execute(f"select row_to_json(q) from ({query.rstrip().rstrip(';')}\n) q")
        return [json.loads(line) for line in said.splitlines()]

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)
        shutil.rmtree(self._folder, ignore_errors=True)
