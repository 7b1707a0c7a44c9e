#!/usr/bin/env bash
# Measures; the figures are for this machine and this moment.
#
# usage: Tools/bench.sh [argument of `bench`...]     everything if none is given
#        Tools/bench.sh python                       the Python package, with its peers beside it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ "${1:-}" = python ]; then
  Tools/make-wheel.sh
  pip=(out/python-venv/bin/pip install --quiet --disable-pip-version-check)
  "${pip[@]}" -r Python/requirements-peers.txt
  "${pip[@]}" --no-index --no-deps --force-reinstall out/wheels/*.whl
  exec out/python-venv/bin/python Python/benchmarks/reach.py
fi
if [ $# -eq 0 ]; then set -- all; fi
Tools/nested.sh Benchmarks run -c release bench "$@"
