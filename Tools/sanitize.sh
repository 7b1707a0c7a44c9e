#!/usr/bin/env bash
# Builds with a sanitizer and runs what shows faults of memory or races.
#
# usage: Tools/sanitize.sh address|thread [quick]
#
# Without `quick`: the whole test suite, the corpus, and precompute over the demo in every form of input,
# with the wide vectors of AVX-512 and without, optimised, but with assertions and poisoned memory as in
# a debug build: that takes half the time, and is the code that people run. With it: what fits into every
# run of CI, which is the corpus and all forms of input under the address sanitizer, storms and batches
# under the thread sanitizer, built for debugging. JOBS limits the compilers that run at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kind=${1:?usage: Tools/sanitize.sh address|thread [quick]}
scope=${2:-whole}
swift=${SWIFT:-swift}
# Swift's runtime keeps what the leak checker takes for lost. Where a test asks for more than there is,
# allocating fails as it does without a sanitizer.
export ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0"
# Without the last option each process sleeps for a second before it ends.
export TSAN_OPTIONS="halt_on_error=1 atexit_sleep_ms=0 suppressions=$PWD/Tools/tsan.suppressions"
# Users in all their forms take longer here: what is left out by default is asked for by name.
case $scope,$kind in
whole,*) export TOLLGATE_TESTS=all TOLLGATE_FORMS=${TOLLGATE_FORMS:-all} ;;
quick,thread) export TOLLGATE_FORMS=${TOLLGATE_FORMS:-few} ;;
esac

run() {
  local scratch=$1
  shift
  local options=(--scratch-path "$scratch" --sanitize="$kind" "$@")
  if [ "$scope" = whole ]; then
    options+=(-c release -Xswiftc -enable-testing -Xswiftc -DTOLLGATE_POISON
      -Xswiftc -assert-config -Xswiftc Debug)
  fi
  if [ -n "${JOBS:-}" ]; then options+=(-j "$JOBS"); fi
  echo "$swift build --build-tests ${options[*]}"
  "$swift" build --build-tests "${options[@]}"
  local filter=()
  if [ "$scope" = quick ]; then
    case $kind in
    address) filter=(--filter "Forms|Columns|Batch|Hostile|InputFile|RuleErrors") ;;
    thread) filter=(--filter "StressTests|Batch|DemoForms|Stopping") ;;
    esac
  fi
  Tools/run-tests.sh --skip-build "${options[@]}" ${filter[@]+"${filter[@]}"}
  if [ "$scope" = whole ] || [ "$kind" = address ]; then
    "$swift" run --skip-build "${options[@]}" conformance corpus --counts corpus/counts.json
  fi
}

run ".build-$kind"
if [ "$scope" = whole ]; then run ".build-$kind-narrow" -Xcc -DTOLLGATE_NO_WIDE; fi
