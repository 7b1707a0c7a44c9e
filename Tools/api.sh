#!/usr/bin/env bash
# Lists the public declarations of the libraries, as whoever imports them sees them.
#
# usage: Tools/api.sh          writes docs/api anew
#        Tools/api.sh check    fails when docs/api is not what the sources declare
#
# The modules have to be built already (`make build`, `make test`). Both ways fail when a library has
# more public types than PublicSurface.swift allows, or a name that an app cannot use beside SwiftUI,
# Combine or Foundation.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. Tools/symbol-graphs.sh

case ${1:-write} in
write | check) ;;
*)
  echo "usage: Tools/api.sh [check]" >&2
  exit 2
  ;;
esac
if [ "$(uname)" != Linux ]; then
  echo "api: docs/api lists what is there on Linux; make or check it there" >&2
  exit 0
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/tollgate-api.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/graphs" "$folder/lists"
extract_symbol_graphs "$folder/graphs" Expressions Pricing RuleEngine RuleBatch SDK SDKLive SDKTesting SDKHooks SDKSQLite
"${SWIFT:-swift}c" -parse-as-library -o "$folder/public-surface" Tools/PublicSurface.swift
"$folder/public-surface" "$folder/graphs" "$folder/lists" Tools/taken-names.txt

if [ "${1:-write}" = write ]; then
  cp "$folder"/lists/*.txt docs/api/
elif ! diff -ru docs/api "$folder/lists"; then
  cat >&2 <<'TEXT'
api: the public declarations are not those of docs/api ('-' is gone, '+' is new).
  Not meant to be public? Write `package`, or nothing, in front of it.
  Meant? Run `make update WHAT=api`, commit docs/api with the change, and add a line to CHANGELOG.md.
TEXT
  exit 1
fi
