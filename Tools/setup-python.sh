#!/usr/bin/env bash
# Makes out/python-venv with what the Python package is built and tested with, unless it is there already.
#
# usage: Tools/setup-python.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Tools/setup.sh python
venv=out/python-venv
wanted=$(cksum <Python/requirements-test.txt)
if [ "$(cat "$venv/requirements" 2>/dev/null)" = "$wanted" ]; then exit; fi
rm -rf "$venv"
mkdir -p out
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r Python/requirements-test.txt
echo "$wanted" >"$venv/requirements"
