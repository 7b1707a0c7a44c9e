#!/usr/bin/env bash
# Checks that this package and the nested ones share one build folder without compiling anything twice: after
# each was built, building them again in turn must compile nothing.
#
# usage: Tools/test-build.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build() {
  case $1 in
  root) "${SWIFT:-swift}" build --build-tests ${JOBS:+-j "$JOBS"} ;;
  *) Tools/nested.sh "$1" build ;;
  esac
}

packages=(root Examples Benchmarks Server)
for package in "${packages[@]}"; do build "$package"; done
for package in "${packages[@]}"; do
  output=$(build "$package" 2>&1)
  # Plugins of packages are compiled for each package that is built.
  if grep -E '\] (Compiling|Emitting module) ' <<<"$output" | grep -v ' plugin '; then
    echo "test-build: the second build of $package compiled what the first one had compiled" >&2
    exit 1
  fi
  echo "test-build: $package: the second build compiles nothing"
done
