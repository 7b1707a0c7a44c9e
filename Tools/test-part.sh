#!/usr/bin/env bash
# Tests one part of the house: what a job for a pull request runs.
#
# usage: Tools/test-part.sh docs|engine|sdk|command|server|python
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

only() { TOLLGATE_TEST_TARGETS=$1 Tools/test.sh; }
case ${1:-} in
docs)
  make lint
  "${SWIFT:-swift}" build --build-tests ${JOBS:+-j "$JOBS"}
  Tools/run-tests.sh --skip-build --filter 'DocumentationTests|GuideCommandsTests|VocabularyTests'
  ;;
engine) only 'RegexTests CivilTimeTests ExpressionsTests PricingTests RuleEngineTests RuleBatchTests RuleInsightTests CorpusTests' ;;
sdk)
  only 'SDKTests SDKSQLiteTests'
  Tools/example-tests.sh
  ;;
command) only 'CommandTests RequestsTests' ;;
server) Tools/test-all.sh server contract browser ;;
python) Tools/test-all.sh library python ;;
*)
  echo 'usage: Tools/test-part.sh docs|engine|sdk|command|server|python' >&2
  exit 2
  ;;
esac
