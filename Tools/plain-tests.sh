#!/usr/bin/env bash
# Tests what differs on machines without libpcre2 and without AVX-512: the language, regular expressions,
# columns and the corpus.
#
# usage: Tools/plain-tests.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift=${SWIFT:-swift}
export TOLLGATE_NO_PCRE2=1 TOLLGATE_TEST_TARGETS='RegexTests ExpressionsTests RuleBatchTests'
options=(--scratch-path .build-plain -Xcc -DTOLLGATE_NO_WIDE)
"$swift" build --build-tests "${options[@]}" ${JOBS:+-j "$JOBS"}
Tools/run-tests.sh --skip-build "${options[@]}"
"$swift" run --skip-build "${options[@]}" conformance corpus --counts corpus/counts.json
