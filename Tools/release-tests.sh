#!/usr/bin/env bash
# Runs the corpus and the tests of the command line with an optimized build: some code runs only there.
#
# usage: Tools/release-tests.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift=${SWIFT:-swift}
"$swift" build -c release --product tollgate ${JOBS:+-j "$JOBS"}
"$swift" build -c release --product conformance ${JOBS:+-j "$JOBS"}
"$swift" build --build-tests ${JOBS:+-j "$JOBS"}
"$swift" run -c release --skip-build conformance corpus --counts corpus/counts.json
TOLLGATE_TESTS=all TOLLGATE_TOOL=$PWD/.build/release/tollgate Tools/run-tests.sh --skip-build --filter \
  'CommandTests\..*(CommandTests|ProcessTests|RuleErrorsTests|InputFormsTests|DemoFormsTests|PrecomputeFilesTests)'
