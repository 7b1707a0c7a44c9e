#!/usr/bin/env bash
# Sends random configs and users through every form of input, with an optimized command that poisons memory
# which is used again.
#
# usage: [RUNS=200] [SEED=1] Tools/property-tests.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift=${SWIFT:-swift}
"$swift" build -c release --product tollgate --scratch-path .build-poison -Xswiftc -DTOLLGATE_POISON \
  ${JOBS:+-j "$JOBS"}
"$swift" build --build-tests ${JOBS:+-j "$JOBS"}
TOLLGATE_TOOL=$PWD/.build-poison/release/tollgate TOLLGATE_RUNS=${RUNS:-200} TOLLGATE_SEED=${SEED:-1} \
  Tools/run-tests.sh --skip-build --filter InputFormsTests
