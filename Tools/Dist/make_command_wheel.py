#!/usr/bin/env python3
"""Packs the command of a release archive as a wheel, so that pip, pipx and uvx install it without Swift.

usage: Tools/Dist/make_command_wheel.py ARCHIVE [FOLDER]

ARCHIVE is tollgate-VERSION-linux-MACHINE.tar.gz, which archive.sh packs. The wheel is written beside it, or into
FOLDER. The same archive gives the same wheel. Its platform tag names the oldest glibc that the command runs with.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import tarfile
import time
import zipfile
from pathlib import Path

PACKAGE = Path(__file__).parent / "tollgate_cli"
MOST_BYTES = 15_000_000
ABOUT = """\
# tollgate-cli

The command `tollgate`: which paywall a user sees, and why.

```sh
pipx run tollgate-cli check config.json
uvx --from tollgate-cli tollgate check config.json
pip install tollgate-cli && tollgate check config.json
```

The package has the command, its manual pages, and completions for bash, zsh and fish. It needs neither Swift nor other
packages. `tollgate-rules` is the package to import in Python.
"""


class Failure(Exception):
    """The archive is not one that a wheel can be made of."""


def oldest_glibc(command: bytes) -> str:
    """The newest version that the command's symbols name, such as 2.34: older libraries do not have them."""
    names = re.findall(rb"\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)", command)
    versions = {(int(major), int(minor)) for major, minor in names}
    if not command.startswith(b"\x7fELF") or not versions:
        raise Failure("bin/tollgate is not a command for Linux with glibc")
    return ".".join(map(str, max(versions)))


def metadata(version: str) -> str:
    fields = {
        "Metadata-Version": "2.4",
        "Name": "tollgate-cli",
        "Version": version,
        "Summary": "Which paywall a user sees, and why: the command tollgate.",
        "License-Expression": "Apache-2.0",
        "License-File": ["LICENSE", "NOTICES"],
        "Requires-Python": ">=3.9",
        "Description-Content-Type": "text/markdown",
    }
    lines = [f"{key}: {value}" for key, values in fields.items()
             for value in (values if isinstance(values, list) else [values])]
    return "\n".join(lines) + "\n\n" + ABOUT


def contents(archive: Path) -> tuple[str, str, int, dict[str, bytes]]:
    """The version, the platform, the time and the files of the wheel."""
    name = re.fullmatch(r"tollgate-(\d[\d.]*)-linux-(x86_64|aarch64)\.tar\.gz", archive.name)
    if not name:
        raise Failure("expected a file named tollgate-VERSION-linux-MACHINE.tar.gz")
    version, machine = name.groups()
    root = archive.name.removesuffix(".tar.gz")
    packed: dict[str, bytes] = {}
    when = 0
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile():
                stream = tar.extractfile(member)
                packed[member.name.removeprefix(root + "/")] = stream.read() if stream else b""
                when = max(when, int(member.mtime))
    needed = ("bin/tollgate", "share/man/man1/tollgate.1", "LICENSE", "NOTICES")
    missing = [file for file in needed if not packed.get(file)]
    if missing:
        raise Failure(f"the archive has no {', '.join(missing)}")
    glibc = oldest_glibc(packed["bin/tollgate"]).replace(".", "_")
    platform = f"manylinux_{glibc}_{machine}"

    info, data = f"tollgate_cli-{version}.dist-info", f"tollgate_cli-{version}.data"
    files = {f"tollgate_cli/{file.name}": file.read_bytes() for file in sorted(PACKAGE.glob("*.py"))}
    files[f"{data}/scripts/tollgate"] = packed["bin/tollgate"]
    for file, content in sorted(packed.items()):
        if file.startswith("share/"):
            files[f"{data}/data/{file}"] = content
    for file in ("LICENSE", "NOTICES"):
        files[f"{info}/licenses/{file}"] = packed[file]
    files[f"{info}/METADATA"] = metadata(version).encode()
    files[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: make_command_wheel\nRoot-Is-Purelib: false\n"
        f"Tag: py3-none-{platform}\n").encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\ntollgate-cli = tollgate_cli.__main__:main\n"
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD")
    return version, platform, when, files


def record(files: dict[str, bytes], own: str) -> bytes:
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    return ("\n".join([*lines, f"{own},,"]) + "\n").encode()


def write(archive: Path, folder: Path) -> Path:
    version, platform, when, files = contents(archive)
    wheel = folder / f"tollgate_cli-{version}-py3-none-{platform}.whl"
    # Zip files begin in 1980.
    moment = time.gmtime(max(when, 315_532_800))[:6]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if name.endswith("/scripts/tollgate") else 0o100644) << 16
            packed.writestr(entry, content)
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        with zipfile.ZipFile(wheel) as packed:
            largest = sorted(packed.infolist(), key=lambda entry: -entry.compress_size)[:3]
        wheel.unlink()
        parts = ", ".join(f"{entry.filename} {entry.compress_size:,}" for entry in largest)
        raise Failure(f"the wheel has {size:,} bytes, more than {MOST_BYTES:,}: {parts}")
    return wheel


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: Tools/Dist/make_command_wheel.py ARCHIVE [FOLDER]")
    archive = Path(sys.argv[1])
    try:
        wheel = write(archive, Path(sys.argv[2]) if len(sys.argv) == 3 else archive.parent)
    except (Failure, OSError, tarfile.TarError) as error:
        sys.exit(f"make_command_wheel: {archive}: {error}")
    print(wheel)


if __name__ == "__main__":
    main()
