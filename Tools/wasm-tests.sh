#!/usr/bin/env bash
# Builds the JavaScript package and tests it in Node.js: its functions, its memory, and cases of the corpus.
#
# usage: Tools/wasm-tests.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The most that a page may download, compressed with gzip.
most_bytes=2700000

Tools/make-wasm.sh
compressed=$(gzip -9c out/wasm/tollgate.wasm | wc -c)
if [ "$compressed" -gt "$most_bytes" ]; then
  echo "wasm-tests: tollgate.wasm has $compressed bytes compressed, more than $most_bytes" >&2
  exit 1
fi
node --test JavaScript/test/
