#!/usr/bin/env bash
# Checks what an app fetches that takes the libraries: nothing of the command, and GRDB only when it
# asks for SQLite. Nothing is built.
#
# usage: Tools/test-traits.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift=${SWIFT:-swift}
root=$PWD
app=$(mktemp -d "${TMPDIR:-/tmp}/tollgate-app.XXXXXX")
trap 'rm -rf "$app"' EXIT

# Makes an app with some traits and prints what it fetches, a word each.
fetched() {
  local traits=$1 product=$2
  rm -rf "$app/app"
  mkdir -p "$app/app/Sources/App"
  echo "import $product" >"$app/app/Sources/App/App.swift"
  cat >"$app/app/Package.swift" <<TEXT
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "app", platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "tollgate", path: "$root"$traits)],
  targets: [.target(name: "App", dependencies: [.product(name: "$product", package: "tollgate")])])
TEXT
  "$swift" package --package-path "$app/app" resolve >"$app/log" 2>&1 || {
    cat "$app/log" >&2
    return 1
  }
  ls "$app/app/.build/checkouts" 2>/dev/null | sort | tr '\n' ' '
}

expect() {
  local name=$1 traits=$2 product=$3 wanted=$4 found
  found=$(fetched "$traits" "$product")
  if [ "$found" != "$wanted" ]; then
    echo "traits: with $name an app fetches '$found', not '$wanted'" >&2
    exit 1
  fi
  echo "traits: with $name an app fetches: ${found:-nothing}"
}

expect 'no traits' ', traits: []' SDKLive ''
expect 'SQLite' ', traits: ["SQLite"]' SDKSQLite 'GRDB.swift '
expect 'the default' '' SDK 'GRDB.swift swift-argument-parser '
