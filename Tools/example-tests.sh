#!/usr/bin/env bash
# Builds the examples and the benchmarks, and holds the example app to its README.
#
# usage: Tools/example-tests.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Tools/nested.sh Benchmarks build
Tools/nested.sh Examples build
python3 Examples/TerminalApp/test.py .build/debug/TerminalApp
