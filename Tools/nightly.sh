#!/usr/bin/env bash
# Runs what takes longer than CI may: all random, long and large cases, both sanitizers, fuzzing, kills, and
# Python with Spark and Ray, WebAssembly. docs/building.md gives the reason for each.
#
# usage: Tools/nightly.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

TOLLGATE_TESTS=all Tools/test.sh
Tools/sanitize.sh address
Tools/sanitize.sh thread
Tools/property-tests.sh
Tools/kill-tests.sh
Tools/fleet-tests.sh
Tools/fuzz.sh
ENGINES=all Tools/python-tests.sh
CORPUS=all Tools/wasm-tests.sh
