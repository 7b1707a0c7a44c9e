#!/usr/bin/env bash
# What CI runs. Every step has to pass. Those at the end, which look for faults that the steps before
# have looked for in other ways, begin only within the first MINUTES, 55 by default, so that a slow
# machine ends in time; what was left out is told at the end.
#
# usage: Tools/test-all.sh
#
# JOBS limits the compilers that run at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift=${SWIFT:-swift}
minutes=${MINUTES:-55}
parallel=(${JOBS:+-j "$JOBS"})
# As on a lesser machine: without libpcre2, and without AVX-512.
lesser=(--scratch-path .build-nopcre2 -Xcc -DTOLLGATE_NO_WIDE)
corpus=(conformance corpus --counts corpus/counts.json)
skipped=()

step() {
  local name=$1
  shift
  printf '\n== %s (%d min)\n' "$name" $((SECONDS / 60))
  "$@"
}

within_time() {
  if [ $((SECONDS / 60)) -lt "$minutes" ]; then step "$@"; else skipped+=("$1"); fi
}

# All of what is random, long or large.
lesser_machine() {
  TOLLGATE_TESTS=all TOLLGATE_NO_PCRE2=1 Tools/run-tests.sh "${lesser[@]}" ${parallel[@]+"${parallel[@]}"}
  TOLLGATE_NO_PCRE2=1 "$swift" run --skip-build "${lesser[@]}" "${corpus[@]}"
}

# What is shipped is linked otherwise than what the tests use.
shipped_command() {
  make test-archive
  TOLLGATE_TOOL=$PWD/out/dist/checked/tollgate Tools/run-tests.sh --skip-build \
    --filter "MessageTests|VocabularyTests|GuideCommandsTests"
}

release_files() {
  make dist
  Tools/Dist/check-packages.sh
}

nested_packages() {
  local manifest
  for manifest in */Package.swift; do
    # The fuzz targets are built to run.
    if [ "$manifest" = Fuzz/Package.swift ]; then continue; fi
    # A nested package finds files that were added to this one only when its manifest is new.
    touch "$manifest"
    if [ -d "${manifest%/*}/Tests" ]; then
      "$swift" test --package-path "${manifest%/*}" --disable-xctest ${parallel[@]+"${parallel[@]}"}
    else
      "$swift" build --package-path "${manifest%/*}" ${parallel[@]+"${parallel[@]}"}
    fi
  done
  # The app of the examples does what its README shows.
  if command -v python3 >/dev/null; then
    python3 Examples/TerminalApp/test.py "$("$swift" build --package-path Examples --show-bin-path)/TerminalApp"
  else
    skipped+=('the example app against its README: there is no python3')
  fi
}

step 'style and structure' make lint
step 'tests and corpus' make test
step 'what an app fetches' Tools/test-traits.sh
step 'public names' Tools/api.sh check
step 'reference' Tools/docc.sh
step 'a lesser machine' lesser_machine
step 'an optimised build' make release-tests
step 'the command as it is shipped' shipped_command
within_time 'address sanitizer, in short' Tools/sanitize.sh address quick
within_time 'fuzz targets, in short' env RUNS="${RUNS:-5000}" Tools/fuzz.sh
within_time 'thread sanitizer, in short' Tools/sanitize.sh thread quick
within_time 'nested packages' nested_packages
within_time 'the server against its description' Tools/contract-tests.sh
within_time 'the playground in a browser' Tools/browser-tests.sh
within_time 'the C library' make test-library
within_time 'the Python package' make test-python
within_time 'all that a release has' release_files

printf '\ntest-all: everything passed, in %d min\n' $((SECONDS / 60))
for name in ${skipped[@]+"${skipped[@]}"}; do
  echo "test-all: left out, as $minutes min were over: $name"
done
