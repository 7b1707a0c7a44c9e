"""The command `tollgate`, as a package that pip installs."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path


def find_tollgate() -> str:
    """The path of the command that this package installed.

    Raises FileNotFoundError if it was removed or moved.
    """
    package = Path(__file__).resolve().parent
    folders = [Path(sysconfig.get_path("scripts")), package.parent / "bin"]
    if len(package.parents) > 3:
        # PREFIX/lib/python3.12/site-packages/tollgate_cli: an environment, `pip install --user` or `--prefix`.
        folders.insert(0, package.parents[3] / "bin")
    for folder in folders:
        command = folder / "tollgate"
        if os.access(command, os.X_OK):
            return str(command)
    searched = ", ".join(map(str, folders))
    raise FileNotFoundError(f"the command tollgate is missing in {searched}; install tollgate-cli again")
