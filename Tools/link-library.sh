#!/usr/bin/env bash
# Builds the C library: out/library/libtollgate.so (.dylib on Apple's systems) with its headers, and checks
# what it needs and what it exports.
#
# usage: Tools/link-library.sh
#
# The Swift runtime and libpcre2 are inside; nothing is exported but what Sources/CTollgate/tollgate.h declares.
# It is linked from the same objects as the command.
# JOBS limits the compilers that run at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift=${SWIFT:-swift}
products=.build/release
scratch=.build/library
output=out/library
# Of an optimised library for Linux, stripped.
most_bytes=20000000

fail() {
  printf 'link-library: %s\n' "$@" >&2
  exit 1
}

if ! "$swift" --version 2>&1 | grep -qE 'Swift version (6\.([3-9]|[1-9][0-9])|[7-9]|[1-9][0-9])'; then
  fail 'the C library needs Swift 6.3 or later (`swift --version`); everything else builds with 6.1'
fi

Tools/setup.sh dist
"$swift" build -c release --target TollgateC ${JOBS:+-j "$JOBS"}

mkdir -p "$output" "$scratch/libraries"
modules=(CivilTime Regex Expressions Pricing RuleEngine RuleBatch RuleInsight Requests TollgateC)
# By the compiler's list of its files: objects of sources that are gone may still lie beside the others.
for module in "${modules[@]}"; do
  grep -oE '"object": "[^"]*\.swift\.o"' "$products/$module.build/output-file-map.json" | cut -d'"' -f4 | LC_ALL=C sort
done >"$scratch/objects"

if [ "$(uname)" = Darwin ]; then
  library=$output/libtollgate.dylib
  grep -oE '\btg_[a-z_]+\(' Sources/CTollgate/tollgate.h | tr -d '(' | sed 's/^/_/' | sort -u >"$scratch/exported"
  "${swift}c" -emit-library -module-name TollgateC "@$scratch/objects" -o "$library.part" \
    -Xlinker -dead_strip -Xlinker -exported_symbols_list -Xlinker "$scratch/exported" \
    -Xlinker -install_name -Xlinker @rpath/libtollgate.dylib
  strip -x "$library.part"
else
  library=$output/libtollgate.so
  toolchain=$(dirname "$(readlink -f "$(command -v "${swift}c")")")
  # The linker takes an archive from here before the shared library beside it.
  rm -f "$scratch"/libraries/*
  if [ "${TOLLGATE_NO_PCRE2:-}" != 1 ]; then
    archive=$("$toolchain/clang" -print-file-name=libpcre2-8.a)
    [ -e "$archive" ] || fail 'there is no libpcre2-8.a; on Debian and Ubuntu it comes with libpcre2-dev'
    ln -s "$(readlink -f "$archive")" "$scratch/libraries/libpcre2-8.a"
  fi
  printf 'TOLLGATE_%s { global: tg_*; local: *; };\n' 1 >"$scratch/exported"
  # Without -z defs a symbol that nobody has would be found out by whoever loads the library.
  linking=(--gc-sections --strip-all -z defs "--version-script=$scratch/exported" -soname libtollgate.so)
  "${swift}c" -emit-library -static-stdlib -module-name TollgateC "@$scratch/objects" \
    -L "$scratch/libraries" -use-ld=lld $(printf -- '-Xlinker %s ' "${linking[@]}") -o "$library.part"

  needed=$(readelf -d "$library.part" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | LC_ALL=C sort | tr '\n' ' ')
  for name in $needed; do
    case $name in
    libc.so.6 | libm.so.6 | libstdc++.so.6 | libgcc_s.so.1 | ld-linux-*) ;;
    *) fail "the library needs $name, which not every machine has" ;;
    esac
  done
  others=$("$toolchain/llvm-nm" -D --defined-only "$library.part" | awk '$2 != "A" { print $3 }' |
    sed 's/@.*//' | grep -v '^tg_' || true)
  [ -z "$others" ] || fail 'these symbols are exported, and are not of the interface:' "$others"
  declared=$(grep -oE '\btg_[a-z_]+\(' Sources/CTollgate/tollgate.h | tr -d '(' | LC_ALL=C sort -u)
  exported=$("$toolchain/llvm-nm" -D --defined-only "$library.part" | awk '{ print $3 }' | sed 's/@.*//' |
    grep '^tg_' | LC_ALL=C sort -u)
  [ "$declared" = "$exported" ] ||
    fail 'the header and the library do not have the same functions:' \
      "$(diff <(echo "$declared") <(echo "$exported") || true)"
  size=$(stat -c %s "$library.part")
  [ "$size" -le "$most_bytes" ] || fail "the library has $size bytes, more than $most_bytes"
fi

cp Sources/CTollgate/tollgate.h Sources/CArrow/arrow.h "$output/"
mv "$library.part" "$library"
ls -l "$library" | awk '{ printf "%s  %.1f MB\n", $NF, $5 / 1e6 }'
