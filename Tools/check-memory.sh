#!/bin/sh
# Checks that docs/memory.md names every source file that handles memory by itself: each place that
# does needs a reason there why it is safe, and a test that would notice.
set -eu
cd "$(dirname "$0")/.."
page=docs/memory.md
status=0

# ByteView is what the sources call a buffer pointer of bytes.
for file in $(grep -lE '^[^/]*([Uu]nsafe|\bByteView\b)' -r Sources --include='*.swift' | LC_ALL=C sort); do
  name=$(basename "$file" .swift)
  # An extension in a file of its own is named by itself or with its type.
  if ! grep -qE '[`/]('"${name%%+*}|${name#*+}|$name"')[`.]' "$page"; then
    echo "$file: handles memory by itself, but $page does not say why that is safe" >&2
    status=1
  fi
done

for suite in $(grep -oE '`[A-Za-z]+Tests`' "$page" | tr -d '`' | sort -u); do
  if ! grep -rqE "(struct|class|enum) $suite\b" Tests; then
    echo "$page: there are no tests '$suite'" >&2
    status=1
  fi
done
exit $status
