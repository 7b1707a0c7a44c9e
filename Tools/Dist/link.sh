#!/usr/bin/env bash
# Links the command from the objects of `make release` into one file that needs only the C library of a
# machine: the Swift runtime, libpcre2, SQLite and the others are inside. On Apple's systems, which
# have these, it is the release build, stripped.
#
# usage: Tools/Dist/link.sh OUTPUT [--shared]
#
# --shared takes a library from the system where its archive (.a) is missing.
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

# The linker takes an archive from here before the shared library beside it.
work=.build/dist
rm -rf "$work/libraries"
mkdir -p "$work/libraries"
toolchain=$(dirname "$(readlink -f "$(command -v "${swift}c")")")
for library in $(sed -n 's/^ *link "\(.*\)"$/\1/p' Sources/*/module.modulemap) stdc++; do
  archive=$("$toolchain/clang" -print-file-name="lib$library.a")
  if [ -e "$archive" ]; then
    ln -s "$(readlink -f "$archive")" "$work/libraries/lib$library.a"
  elif [ "$may_share" = --shared ]; then
    echo "link: lib$library.a is missing, so the command needs lib$library.so to run" >&2
  else
    fail "lib$library.a is missing; on Debian and Ubuntu the library's -dev package has it"
  fi
done

tr -d "'" <"$objects" >"$work/objects"
"$toolchain/clang" -O2 -fno-math-errno -fno-builtin-hypotf -c Tools/Dist/older-glibc.c -o "$work/older-glibc.o"
echo "$work/older-glibc.o" >>"$work/objects"
# FoundationEssentials, which ArgumentParser uses, does not ask for these by itself.
essentials=(-l_FoundationCollections -l_FoundationCShims)
flags=(--gc-sections --strip-all --no-export-dynamic --exclude-libs ALL --defsym main=tollgate_main)
"${swift}c" -emit-executable -static-stdlib -module-name tollgate "@$work/objects" -L "$work/libraries" \
  "${essentials[@]}" -use-ld=lld -Xclang-linker -static-libgcc $(printf -- '-Xlinker %s ' "${flags[@]}") -o "$output"
