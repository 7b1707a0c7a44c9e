#!/usr/bin/env bash
# Prints the parts of the house that the changes since a commit can break, as a list of JSON: the names that
# Tools/test-part.sh takes. Without a usable commit it prints all of them.
#
# usage: Tools/changed-parts.sh [COMMIT]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

all=(docs engine sdk command server python)
base=${1:-}
if [ -z "$base" ] || ! files=$(git diff --name-only "$base" HEAD 2>/dev/null); then
  files=Package.swift
fi

parts=' '
add() { parts+="$* "; }
while IFS= read -r file; do
  case $file in
  '') ;;
  docs/api/*) add sdk ;;
  *.md | docs/*) add docs ;;
  Sources/SDK*/* | Tests/SDK*/* | Tests/StorageWriter/* | Examples/*) add sdk server command docs ;;
  Sources/tollgate/*) add command docs server ;;
  Tests/CommandTests/* | Tests/RequestsTests/*) add command docs ;;
  Sources/Requests/*) add server python command docs ;;
  Sources/TollgateC/*) add python server ;;
  Sources/CTollgate/* | Python/* | Tests/TollgateCTests/*) add python ;;
  Server/*) add server ;;
  Tests/RegexTests/* | Tests/CivilTimeTests/* | Tests/ExpressionsTests/* | Tests/PricingTests/* | Tests/RuleEngineTests/* | Tests/RuleBatchTests/* | Tests/RuleInsightTests/* | Tests/CorpusTests/*) add engine ;;
  Benchmarks/* | Fuzz/* | Tools/mutate/*) add engine ;;
  *) add "${all[@]}" ;;
  esac
done <<<"$files"

list=
for part in "${all[@]}"; do
  case $parts in *" $part "*) list+="${list:+,}\"$part\"" ;; esac
done
echo "[$list]"
