#!/usr/bin/env bash
# Builds the tests, runs them, then runs the corpus. `make test` calls it.
#
# usage: Tools/test.sh [argument of `swift build`...]
#
# TOLLGATE_TEST_TARGETS="ExpressionsTests ..." builds and runs only these test targets, and the corpus only
# with CorpusTests among them. TOLLGATE_TESTS=all runs every random, long or large case. JOBS limits the
# compilers that run at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

"${SWIFT:-swift}" build --build-tests ${JOBS:+-j "$JOBS"} "$@"
Tools/run-tests.sh --skip-build "$@"
case " ${TOLLGATE_TEST_TARGETS:-CorpusTests} " in
*' CorpusTests '*)
  "${SWIFT:-swift}" run --skip-build "$@" conformance corpus --counts corpus/counts.json
  ;;
esac
