#!/usr/bin/env bash
# Rewrites the files that tests compare with, after a change that is meant. Read the difference before you
# commit it.
#
# usage: Tools/update.sh [messages|counts|schemas|functions|sdk-versions|pages|examples|api...]     everything if none is named
#
#   messages   Tests/CommandTests/Messages, corpus/diagnostics, corpus/decoding
#   counts     corpus/counts.json: how many cases of each suite pass and are skipped
#   schemas    corpus/schemas/suites: the shapes of case lines; Python/tollgate/answer_types.pyi: the types of
#              answers, from corpus/schemas/requests.schema.json
#   functions  the tables of docs/functions.md
#   sdk-versions  the tables of docs/sdk-versions.md
#   pages      docs/commands, docs/exit-codes.md, docs/diagnostics.md, docs/outcome-fields.md, from the command
#   examples   the tests of the examples in docstrings and guides
#   api        docs/api: the public declarations
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift=${SWIFT:-swift}
parts=("$@")
if [ ${#parts[@]} -eq 0 ]; then parts=(examples functions sdk-versions pages messages schemas counts api); fi

for part in "${parts[@]}"; do
  case $part in
  messages | schemas | counts | functions | sdk-versions | pages | examples | api) ;;
  *)
    echo "update: '$part' must be one of messages, counts, schemas, functions, sdk-versions, pages, examples, api" >&2
    exit 2
    ;;
  esac
done

for part in "${parts[@]}"; do
  case $part in
  messages)
    "$swift" build --build-tests ${JOBS:+-j "$JOBS"}
    TOLLGATE_UPDATE=messages Tools/run-tests.sh --skip-build \
      --filter 'MessageTests|RenderedTextTests|EditedConfigTests'
    ;;
  schemas)
    "$swift" build --build-tests ${JOBS:+-j "$JOBS"}
    TOLLGATE_UPDATE=schemas Tools/run-tests.sh --skip-build --filter CaseSchemaTests
    Tools/make_answer_types.py
    ;;
  functions)
    "$swift" build --build-tests ${JOBS:+-j "$JOBS"}
    TOLLGATE_UPDATE=functions Tools/run-tests.sh --skip-build --filter FunctionReferenceTests
    ;;
  sdk-versions)
    "$swift" build --build-tests ${JOBS:+-j "$JOBS"}
    TOLLGATE_UPDATE=sdk-versions Tools/run-tests.sh --skip-build --filter SDKVersionsPageTests
    ;;
  pages)
    "$swift" build --product tollgate ${JOBS:+-j "$JOBS"}
    Tools/make_pages.py
    ;;
  counts)
    "$swift" run ${JOBS:+-j "$JOBS"} conformance corpus --counts corpus/counts.json --update-counts --quiet
    ;;
  examples) Tools/make-examples.sh ;;
  api)
    "$swift" build ${JOBS:+-j "$JOBS"}
    Tools/api.sh
    ;;
  esac
done
