#!/usr/bin/env bash
# Kills precompute, an app that stores, and the server at random moments, and checks that nothing is lost.
#
# usage: [KILLS=50] Tools/kill-tests.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export TOLLGATE_KILLS=${KILLS:-50}
"${SWIFT:-swift}" build --build-tests ${JOBS:+-j "$JOBS"}
Tools/run-tests.sh --skip-build --filter KillTests
Tools/nested.sh Server test --disable-xctest --filter KillTests
