"""Runs the command: `python -m tollgate_cli`, and `tollgate-cli` for pipx and uvx."""

import os
import sys

from tollgate_cli import find_tollgate


def main() -> None:
    try:
        command = find_tollgate()
    except FileNotFoundError as error:
        sys.exit(f"tollgate-cli: {error}")
    os.execv(command, ["tollgate", *sys.argv[1:]])


if __name__ == "__main__":
    main()
