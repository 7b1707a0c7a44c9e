#!/usr/bin/env bash
# Packs the command, checks the archive, and runs the tests of its messages and guides with the packed command.
#
# usage: Tools/Dist/archive-tests.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

Tools/Dist/archive.sh
Tools/Dist/check.sh
"${SWIFT:-swift}" build --build-tests ${JOBS:+-j "$JOBS"}
TOLLGATE_TOOL=$PWD/out/dist/checked/tollgate Tools/run-tests.sh --skip-build \
  --filter 'MessageTests|VocabularyTests|GuideCommandsTests'
