# shellcheck shell=bash
# To be sourced from the root of the repository.

# Writes the symbol graphs of modules that were built for debugging.
#
# usage: extract_symbol_graphs FOLDER MODULE...
extract_symbol_graphs() {
  local folder=$1 swift=${SWIFT:-swift} module modules target sdk=()
  shift
  if [ "$(uname)" = Darwin ]; then sdk=(-sdk "$(xcrun --show-sdk-path)"); fi
  modules=$("$swift" build --show-bin-path)/Modules
  target=$("${swift}c" -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -n 1)
  for module in "$@"; do
    if [ ! -e "$modules/$module.swiftmodule" ]; then
      echo "symbol graphs: the module $module is not built; run \`make build\` first" >&2
      return 1
    fi
    "$swift" symbolgraph-extract -module-name "$module" -target "$target" -I "$modules" \
      -I Sources/CArrow -I Sources/CShims -I Sources/CPCRE2 \
      -I .build/checkouts/GRDB.swift/Sources/GRDBSQLite -minimum-access-level public -skip-synthesized-members \
      ${sdk[@]+"${sdk[@]}"} -output-dir "$folder" || return 1
  done
}
