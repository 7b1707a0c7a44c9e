#!/usr/bin/env bash
# Builds, tests or runs a nested package in the build folder of this one, so that every compiled module is
# used again.
#
# usage: Tools/nested.sh PACKAGE build|test|run [argument of `swift build`, `swift test` or `swift run`...]
#
# JOBS limits the compilers that run at once. The server is built with PostgreSQL if libpq is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

package=${1:-}
verb=${2:-}
if [ ! -e "$package/Package.swift" ] || [ -z "$package" ] || [ -z "$verb" ]; then
  echo 'usage: Tools/nested.sh Server|Benchmarks|Examples build|test|run [argument...]' >&2
  exit 2
fi
shift 2
# A nested package finds files that were added to this one only when its manifest is new.
touch "$package/Package.swift"
traits=()
if [ "$package" = Server ] && pkg-config --exists libpq 2>/dev/null; then traits=(--traits PostgreSQL); fi
exec "${SWIFT:-swift}" "$verb" --package-path "$package" --scratch-path .build ${traits[@]+"${traits[@]}"} ${JOBS:+-j "$JOBS"} "$@"
