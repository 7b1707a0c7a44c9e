#!/usr/bin/env bash
# Compiles the example in C against the library with every compiler that is there, runs it, under the address
# sanitizer with its leak checker too, and compares what it prints.
#
# usage: Tools/library-tests.sh
#
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Tools/link-library.sh

work=out/library-tests
rm -rf "$work"
mkdir -p "$work"
sources=Examples/c/decide.c
flags=(-std=c11 -Wall -Wextra -Werror -Iout/library -Lout/library -ltollgate "-Wl,-rpath,$PWD/out/library")

# The header by itself, for C of 99 and for C++.
for compiler in gcc clang; do
  command -v "$compiler" >/dev/null || continue
  "$compiler" -std=c99 -Wall -Wextra -Werror -fsyntax-only -x c out/library/tollgate.h 2>&1 |
    grep -v 'pragma once\|main file' || true
  echo '#include "tollgate.h"' | "$compiler" -x c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Iout/library -
done

run() {
  local name=$1 compiler=$2
  shift 2
  "$compiler" -o "$work/$name" "$sources" "${flags[@]}" "$@"
  "$work/$name" corpus/demo/config.json >"$work/$name.txt"
  diff -u Examples/c/decide.txt "$work/$name.txt"
  echo "library-tests: $name prints what it should"
}

for compiler in gcc clang; do
  command -v "$compiler" >/dev/null || continue
  run "$compiler" "$compiler" -O2
  if [ "$(uname)" = Linux ]; then 
    linker=()
    if [ "$compiler" = clang ]; then linker=(-fuse-ld=lld); fi
    run "$compiler-address" "$compiler" -g -fsanitize=address,undefined ${linker[@]+"${linker[@]}"}
  fi
done

# Wrong files are told, and nothing crashes.
for file in out/none.json README.md; do
  status=0
  "$work/$(ls "$work" | grep -v txt | head -1)" "$file" >"$work/wrong.txt" 2>&1 || status=$?
  [ "$status" = 1 ] || { echo "library-tests: the example ended with $status for $file" >&2; exit 1; }
done
