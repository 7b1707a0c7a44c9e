#!/usr/bin/env bash
# Builds the JavaScript package and tests it in Node.js and Chromium: its functions, its memory, cases of the corpus, and
# the playground without a server.
#
# usage: Tools/wasm-tests.sh
#
# CORPUS=all runs all recorded programs, otherwise every eighth.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Tools/setup.sh node
Tools/make-wasm.sh

# The maximum size of a download, compressed with gzip. Proofs between SDK versions took 64 KB of the first module.
while read -r name most_bytes; do
  compressed=$(gzip -9c "out/wasm/$name" | wc -c)
  if [ "$compressed" -gt "$most_bytes" ]; then
    echo "wasm-tests: $name has $compressed bytes compressed, more than $most_bytes" >&2
    exit 1
  fi
done <<'END'
tollgate.wasm 2800000
decide.wasm 1650000
superscript.wasm 600000
END
node --test JavaScript/test/*.test.mjs
Tools/browser-tests.sh static
