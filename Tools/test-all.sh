#!/usr/bin/env bash
# Runs everything that CI runs, in order of what it finds per minute, and stops at the first failure. At the
# end a table shows each step with its minutes, CPU seconds and tests. Nothing is left out; what takes longer
# than CI may is in Tools/nightly.sh, by name.
#
# usage: Tools/test-all.sh [STEP...]      all steps if none is named; `list` prints their names
#
# JOBS limits the compilers that run at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift=${SWIFT:-swift}

# name | what it runs
steps='
lint | make lint
test | make test
app | Tools/test-traits.sh
api | Tools/api.sh check
reference | Tools/site/build.sh
wasm | Tools/wasm-tests.sh
build | Tools/test-build.sh
server | Tools/nested.sh Server test --disable-xctest
contract | Tools/contract-tests.sh
browser | Tools/browser-tests.sh
examples | Tools/example-tests.sh
release | Tools/release-tests.sh
archive | Tools/Dist/archive-tests.sh
library | Tools/library-tests.sh
python | Tools/python-tests.sh
packages | Tools/Dist/packages-tests.sh
plain | Tools/plain-tests.sh
'

names() { awk -F' [|] ' 'NF == 2 { print $1 }' <<<"$steps"; }

# Leaves the user and system seconds of all commands that have ended in `cpu`. `times` speaks of the shell that
# calls it, so it must not run in a subshell.
read_cpu() {
  times >"$log.times"
  cpu=$(awk 'NR == 2 {
    for (i = 1; i <= 2; i++) { split($i, part, "[ms]"); sum += 60 * part[1] + part[2] }
    printf "%.0f", sum
  }' "$log.times")
}

# The tests that a log counts: Swift Testing, the corpus, pytest and the browser's.
tests_in() {
  grep -aoE 'Test run with [0-9]+ tests?|[0-9]+ passed' "$1" | grep -oE '[0-9]+' |
    awk '{ sum += $1 } END { print sum + 0 }'
}

wanted=("$@")
if [ "${1:-}" = list ]; then names; exit; fi
# shellcheck disable=SC2207 # the names have no spaces
if [ ${#wanted[@]} -eq 0 ]; then wanted=($(names)); fi

log=$(mktemp "${TMPDIR:-/tmp}/tollgate-step.XXXXXX")
table=$(mktemp "${TMPDIR:-/tmp}/tollgate-steps.XXXXXX")
trap 'rm -f "$log" "$log.times" "$table"' EXIT

print_table() {
  printf '\n%-12s %8s %8s %8s\n' step minutes 'CPU s' tests
  cat "$table"
  read_cpu
  printf '%-12s %8.1f %8d\n' all "$(awk "BEGIN { print $SECONDS / 60 }")" "$cpu"
}

for name in "${wanted[@]}"; do
  if ! names | grep -qx -- "$name"; then
    echo "test-all: '$name' must be one of $(names | tr '\n' ' ')" >&2
    exit 2
  fi
done

for name in "${wanted[@]}"; do
  command=$(awk -F' [|] ' -v name="$name" 'NF == 2 && $1 == name { print $2 }' <<<"$steps")
  printf '\n== %s: %s (%d min)\n' "$name" "$command" $((SECONDS / 60))
  read_cpu
  began=$SECONDS before=$cpu status=0
  # shellcheck disable=SC2086
  $command 2>&1 | tee "$log" || status=$?
  read_cpu
  printf '%-12s %8.1f %8d %8d\n' "$name" "$(awk "BEGIN { print ($SECONDS - $began) / 60 }")" \
    $((cpu - before)) "$(tests_in "$log")" >>"$table"
  if [ "$status" -ne 0 ]; then
    print_table
    echo "test-all: $name failed (exit $status)" >&2
    exit "$status"
  fi
done

print_table
echo 'test-all: everything passed'
