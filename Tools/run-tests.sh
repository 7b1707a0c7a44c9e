#!/usr/bin/env bash
# Runs `swift test` and fails when it fails, or when not a single test was executed.
#
# usage: Tools/run-tests.sh [argument of `swift test`...]
#
# `swift test` exits 0 when nothing matched a filter or when no test was built; a run like that
# proves nothing, so the closing lines are read for the number of tests.
set -euo pipefail

output=$(mktemp "${TMPDIR:-/tmp}/tollgate-tests.XXXXXX")
trap 'rm -f "$output"' EXIT

set +e
${SWIFT:-swift} test "$@" 2>&1 | tee "$output"
status=${PIPESTATUS[0]}
set -e

if [ "$status" -ne 0 ]; then
  # What failed stands somewhere among thousands of lines; whoever reads a log reads its end.
  echo 'run-tests: what failed:' >&2
  grep -aE "^✘ Test .* recorded an issue|^✘ (Test|Suite) .* failed|error: .* : |Fatal error|Sanitizer:|exited with unexpected signal" \
    "$output" | grep -av '^✘ Test run with' | cut -c1-600 | head -n 40 >&2 || true
  echo "run-tests: swift test failed (exit $status)" >&2
  exit "$status"
fi

# Swift Testing: "Test run with 8 tests in 1 suite passed after 1.003 seconds."
# XCTest:        "Executed 8 tests, with 0 failures (0 unexpected) in 1.003 (1.004) seconds"
# XCTest repeats its line for each suite, so the numbers are added only to tell none from some.
counted=$(awk '
  match($0, /Test run with [0-9]+ tests?/) { split(substr($0, RSTART, RLENGTH), w, " "); n += w[4] }
  match($0, /Executed [0-9]+ tests?,/)     { split(substr($0, RSTART, RLENGTH), w, " "); n += w[2] }
  END { print n + 0 }' "$output")

if [ "$counted" -eq 0 ]; then
  echo 'run-tests: no test was executed' >&2
  exit 1
fi
