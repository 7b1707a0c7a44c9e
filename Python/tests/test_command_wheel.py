"""Tests the wheel of Tools/Dist/make_command_wheel.py, with `echo` as the command."""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.util
import io
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "Tools" / "Dist" / "make_command_wheel.py"
ECHO = shutil.which("echo")
pytestmark = pytest.mark.skipif(
    not SCRIPT.exists() or sys.platform != "linux" or not ECHO,
    reason="only in the repository, on Linux")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_command_wheel", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pack(folder: Path, command: bytes, machine: str = "x86_64", without: str = "") -> Path:
    """An archive as Tools/Dist/archive.sh packs it."""
    name = f"tollgate-9.8.7-linux-{machine}"
    files = {
        "bin/tollgate": command, "share/man/man1/tollgate.1": b".TH\n", "LICENSE": b"free\n",
        "NOTICES": b"libz\n", "share/bash-completion/completions/tollgate": b"complete\n",
    }
    folder.mkdir(exist_ok=True)
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as tar:
        for file, content in files.items():
            if file != without:
                entry = tarfile.TarInfo(f"{name}/{file}")
                entry.size, entry.mtime = len(content), 1_800_000_000
                tar.addfile(entry, io.BytesIO(content))
    return folder / f"{name}.tar.gz"


@pytest.fixture(scope="module")
def wheel(script: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    assert ECHO
    return script.write(pack(folder, Path(ECHO).read_bytes()), folder)  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True)
    return folder


def run(*command: str | Path, path: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PYTHONPATH": path})


def pip(environment: Path, *arguments: str | Path) -> None:
    command = [environment / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*command, "--quiet", *arguments], check=True)


def test_installs_and_leaves_nothing(wheel: Path, environment: Path) -> None:
    scripts = environment / "bin"
    pip(environment, "install", "--no-index", "--find-links", wheel.parent, "tollgate-cli")
    module: list[str | Path] = [scripts / "python", "-m", "tollgate_cli"]
    for command in ([scripts / "tollgate"], [scripts / "tollgate-cli"], module):
        assert run(*command, "check", "a b.json", "--", "-x").stdout == "check a b.json -- -x\n"
    assert (environment / "share/man/man1/tollgate.1").exists()
    assert (environment / "share/bash-completion/completions/tollgate").exists()
    (scripts / "tollgate").rename(scripts / "gone")
    failed = run(scripts / "tollgate-cli")
    assert failed.returncode == 1
    assert failed.stderr.startswith("tollgate-cli: the command tollgate is missing in ")
    (scripts / "gone").rename(scripts / "tollgate")
    pip(environment, "uninstall", "--yes", "tollgate-cli")
    left = [path for path in environment.rglob("*tollgate*") if path.is_file()]
    assert left == []


@pytest.mark.parametrize("option", ["--target", "--prefix"])
def test_other_folders(wheel: Path, environment: Path, tmp_path: Path, option: str) -> None:
    pip(environment, "install", "--no-index", option, tmp_path, wheel)
    found, = tmp_path.rglob("tollgate_cli")
    module = [environment / "bin" / "python", "-m", "tollgate_cli", "decide"]
    assert run(*module, path=str(found.parent)).stdout == "decide\n"


def test_records_every_file(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        recorded = {row[0]: row[1:] for row in csv.reader(
            packed.read("tollgate_cli-9.8.7.dist-info/RECORD").decode().splitlines())}
        assert set(recorded) == set(packed.namelist())
        for name, (digest, size) in recorded.items():
            if not name.endswith("/RECORD"):
                content = packed.read(name)
                hashed = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
                assert (digest, size) == (f"sha256={hashed.rstrip('=')}", str(len(content)))
        tag = packed.read("tollgate_cli-9.8.7.dist-info/WHEEL").decode().splitlines()[-1]
        assert wheel.name == f"tollgate_cli-9.8.7-{tag.removeprefix('Tag: ')}.whl"
        command = packed.getinfo("tollgate_cli-9.8.7.data/scripts/tollgate")
        assert command.external_attr >> 16 == 0o100755


def test_reproducible(script: ModuleType, wheel: Path, tmp_path: Path) -> None:
    again = script.write(next(wheel.parent.glob("*.tar.gz")), tmp_path)
    assert again.name == wheel.name and again.read_bytes() == wheel.read_bytes()


def test_platform_is_the_newest_symbol(script: ModuleType, tmp_path: Path) -> None:
    command = b"\x7fELF\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0GLIBC_2.33\0 GLIBC_2.99 \0"
    made = script.write(pack(tmp_path, command, machine="aarch64"), tmp_path)
    assert made.name == "tollgate_cli-9.8.7-py3-none-manylinux_2_34_aarch64.whl"


def test_refused(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reason(archive: Path) -> str:
        with pytest.raises(script.Failure) as failure:
            script.write(archive, tmp_path)
        return str(failure.value)

    elf = b"\x7fELF\0GLIBC_2.34\0"
    assert "not a command for Linux" in reason(pack(tmp_path, b"#!/bin/sh\n"))
    assert "not a command for Linux" in reason(pack(tmp_path, b"\x7fELF\0"))
    assert reason(pack(tmp_path, elf, without="bin/tollgate")) == "the archive has no bin/tollgate"
    other = pack(tmp_path, elf).rename(tmp_path / "tollgate-9.8.7-darwin-arm64.tar.gz")
    assert reason(other).startswith("expected a file named ")
    monkeypatch.setattr(script, "MOST_BYTES", 100)
    assert "more than 100: " in reason(pack(tmp_path, elf))
    assert list(tmp_path.glob("*.whl")) == []
    missing = run(sys.executable, SCRIPT, tmp_path / "no.tar.gz")
    assert missing.returncode == 1 and "Traceback" not in missing.stderr
