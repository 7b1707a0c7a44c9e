#!/usr/bin/env bash
# Builds the reference of the libraries from docstrings and catalogues (Sources/*/*.docc) with the
# toolchain's docc, into out/docs. Every warning is an error.
#
# usage: Tools/docc.sh [MODULE...]        Expressions, RuleEngine, RuleBatch and SDK when none is named
#
# The modules have to be built already (`make build`). `docc preview` and `docc process-archive
# transform-for-static-hosting` take what comes out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. Tools/symbol-graphs.sh

docc=$(dirname "$(command -v "${SWIFT:-swift}")")/docc
if [ ! -x "$docc" ]; then docc=$(command -v docc || xcrun --find docc); fi
modules=("$@")
if [ ${#modules[@]} -eq 0 ]; then modules=(Expressions RuleEngine RuleBatch SDK); fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/tollgate-docs.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir -p out/docs
for module in "${modules[@]}"; do
  mkdir "$folder/$module"
  extract_symbol_graphs "$folder/$module" "$module"
  "$docc" convert "Sources/$module/$module.docc" \
    --additional-symbol-graph-dir "$folder/$module" --fallback-display-name "$module" \
    --fallback-bundle-identifier "tollgate.$module" --warnings-as-errors \
    --output-path "out/docs/$module.doccarchive"
  echo "out/docs/$module.doccarchive"
done
