#!/usr/bin/env bash
# Links the command from the objects of `make release` into one file that needs nothing of a machine but
# its C library: the Swift runtime, libpcre2, SQLite and the others are inside. On Apple's systems, which
# bring these, it is the release build, stripped.
#
# usage: Tools/Dist/link.sh OUTPUT [--shared]
#
# --shared takes a library from the system where there is no archive (.a) of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

swift=${SWIFT:-swift}
output=$1
may_share=${2:-}

fail() {
  printf 'link: %s\n' "$@" >&2
  exit 1
}

products=.build/release
objects=$products/tollgate.product/Objects.LinkFileList
if [ ! -x "$products/tollgate" ]; then fail 'there is no release build; run `make release` first'; fi
mkdir -p "$(dirname "$output")"

if [ "$(uname)" = Darwin ]; then
  cp "$products/tollgate" "$output"
  strip -x "$output"
  exit
fi

work=.build/dist
mkdir -p "$work/libraries"

# ArgumentParser, from its own sources, without FoundationEssentials. Done again only when something that
# goes into it is new.
parser=.build/checkouts/swift-argument-parser/Sources/ArgumentParser
inputs=$({
  "$swift" --version 2>&1
  cat Package.resolved Tools/Dist/FoundationEssentials.swift Tools/Dist/link.sh
} | cksum)
if [ "$(cat "$work/inputs" 2>/dev/null)" != "$inputs" ]; then
  rm -rf "$work/modules"
  mkdir "$work/modules"
  "${swift}c" -O -wmo -parse-as-library -swift-version 6 -module-name FoundationEssentials \
    -emit-module -emit-module-path "$work/modules/FoundationEssentials.swiftmodule" \
    -c Tools/Dist/FoundationEssentials.swift -o "$work/FoundationEssentials.o"
  find "$parser" -name '*.swift' -exec printf '"%s"\n' {} + | LC_ALL=C sort >"$work/sources"
  "${swift}c" -Osize -wmo -parse-as-library -swift-version 6 -module-name ArgumentParser \
    -package-name swift_argument_parser -suppress-warnings -I "$work/modules" -I "$products/Modules" \
    -c "@$work/sources" -o "$work/ArgumentParser.o"
  echo "$inputs" >"$work/inputs"
fi
# Tables for unwinding are a tenth of the whole. Nothing unwinds through Swift: it has no exceptions, and
# what is said of a crash needs none of them.
toolchain=$(dirname "$(readlink -f "$(command -v "${swift}c")")")
objcopy=$toolchain/llvm-objcopy
if [ ! -x "$objcopy" ]; then objcopy=$(command -v objcopy) || fail 'there is no objcopy; install binutils'; fi
rm -rf "$work/slim"
mkdir "$work/slim"
count=0
{
  grep -v '/ArgumentParser\.build/' "$objects" | tr -d "'"
  printf '%s\n' "$work/ArgumentParser.o" "$work/FoundationEssentials.o"
} | while IFS= read -r object; do
  count=$((count + 1))
  "$objcopy" --remove-section .eh_frame --remove-section .rela.eh_frame "$object" "$work/slim/$count.o"
  printf '%s\n' "$work/slim/$count.o"
done >"$work/objects"

# The linker takes an archive from here before the shared library beside it, also for what the modules
# ask for by themselves. Tables for unwinding go out of these, too, but for C++'s, whose exceptions need them.
rm -f "$work"/libraries/*
slim() {
  "$objcopy" --remove-section .eh_frame --remove-section .rela.eh_frame "${@:2}" "$1" "$work/libraries/$(basename "$1")"
}
for archive in "$toolchain"/../lib/swift_static/linux/lib{swiftCore,swift_Concurrency,swiftSynchronization,swiftDispatch}.a; do
  if [ -e "$archive" ]; then slim "$archive"; fi
done
# Which opens files in /proc otherwise than the rest does.
slim "$toolchain/../lib/swift_static/linux/libdispatch.a" --redefine-sym open=tollgate_dispatch_open
"$toolchain/clang" -O2 -Wall -c Tools/Dist/DispatchFiles.c -o "$work/DispatchFiles.o"
for library in $(sed -n 's/^ *link "\(.*\)"$/\1/p' Sources/*/module.modulemap) stdc++; do
  archive=$("$toolchain/clang" -print-file-name="lib$library.a")
  if [ -e "$archive" ]; then
    if [ "$library" = stdc++ ]; then
      ln -s "$(readlink -f "$archive")" "$work/libraries/lib$library.a"
    else
      slim "$archive"
    fi
  elif [ "$may_share" = --shared ]; then
    echo "link: no lib$library.a here, so the command needs lib$library.so to run" >&2
  else
    fail "there is no lib$library.a; on Debian and Ubuntu it comes with the library's -dev package"
  fi
done

flags=(--gc-sections --strip-all --no-export-dynamic --exclude-libs ALL -O2
  --defsym main=tollgate_main)
# At a fixed address: places that are known beforehand save a table of a megabyte, and the time to go
# through it at each start.
# The driver looks for its own archives in its own folder first, so that these are named.
"${swift}c" -emit-executable -static-stdlib -module-name tollgate "@$work/objects" "$work/DispatchFiles.o" \
  $(find "$work/libraries" -name 'libswift*.a' -o -name libdispatch.a | LC_ALL=C sort) \
  -L "$work/libraries" -use-ld=lld -Xclang-linker -static-libgcc -Xclang-linker -no-pie \
  $(printf -- '-Xlinker %s ' "${flags[@]}") -o "$output"
