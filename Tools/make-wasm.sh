#!/usr/bin/env bash
# Builds the JavaScript package in out/wasm: modules with the engine, the scripts in front of them, and their types.
#
# usage: Tools/make-wasm.sh
#
# The engine is compiled with Embedded Swift of the toolchain and Debian's wasi-libc. docs/building.md has what that
# costs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=.build/wasm
output=out/wasm
target=wasm32-unknown-none-wasm
compiler=${SWIFT:-swift}c
toolchain=$(dirname "$(readlink -f "$(command -v "$compiler")")")
embedded=$toolchain/../lib/swift/embedded/$target
headers=/usr/include/wasm32-wasi
libraries=/usr/lib/wasm32-wasi

fail() {
  printf 'make-wasm: %s\n' "$@" >&2
  exit 1
}

[ -d "$embedded" ] || fail "this toolchain has no Embedded Swift for $target; Swift 6.3 has it"
Tools/setup.sh wasm
# Newer than the toolchain's clang does no harm: these are functions such as __multi3.
builtins=$(find /usr/lib/llvm-*/lib/clang -name libclang_rt.builtins-wasm32.a 2>/dev/null | sort -V | tail -1)
[ -n "$builtins" ] || fail 'there is no libclang_rt.builtins-wasm32.a; on Debian it comes with libclang-rt-19-dev-wasm32'

# The exported functions of each module. The linker drops all that they do not need.
decide=(tg_version tg_config_compile tg_config_describe tg_config_free tg_decide tg_render)
all=("${decide[@]}" tg_explain tg_check tg_match tg_products tg_cover tg_diff tg_evaluate)

mkdir -p "$scratch" "$output"
options=(
  -target "$target" -enable-experimental-feature Embedded -wmo -parse-as-library -package-name tollgate
  -swift-version 6 -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
  -enable-upcoming-feature MemberImportVisibility -suppress-warnings
  -D TOLLGATE_NO_PCRE2 -I "$scratch" -Xfrontend -disable-stack-protector
  -Xcc --sysroot=/usr -Xcc -isystem -Xcc "$headers" -Xcc -D__wasi__
)
for module in CShims CArrow CTollgate; do
  options+=(-Xcc "-fmodule-map-file=$PWD/Sources/$module/module.modulemap")
done

# A module that is newer than its sources is not compiled again.
hasChanged=
compile() {
  local module=$1 result=$2
  shift 2
  local sources=("$@")
  if [ -z "$hasChanged" ] && [ -e "$result" ] &&
    [ -z "$(find "${sources[@]}" Sources/CShims Sources/CTollgate -newer "$result")" ]; then
    return
  fi
  hasChanged=1
  echo "compiling $module"
  if [ "${result##*.}" = o ]; then
    "$compiler" "${options[@]}" -Osize -module-name "$module" -c -o "$result" "${sources[@]}"
  else
    "$compiler" "${options[@]}" -Onone -module-name "$module" -emit-module -emit-module-path "$result" "${sources[@]}"
  fi
}

# Modules hold the code of their functions. The last one is compiled with all that it calls.
for module in CivilTime Regex Expressions Pricing RuleEngine RuleBatch RuleInsight Requests; do
  # Without rules in SQL.
  mapfile -t sources < <(find "Sources/$module" -name '*.swift' -not -path '*/RuleInsight/SQL/*' \
    -not -path '*/Requests/Querying.swift' | LC_ALL=C sort)
  compile "$module" "$scratch/$module.swiftmodule" "${sources[@]}"
done
# Without Arrow's tables.
compile TollgateC "$scratch/TollgateC.o" Sources/TollgateC/Configs.swift Sources/TollgateC/Texts.swift

"$toolchain/clang" --target=wasm32-unknown-wasi --sysroot=/usr -isystem "$headers" -Os \
  -c Tools/Wasm/runtime.c -o "$scratch/runtime.o"

link() {
  local result=$1
  shift
  "$toolchain/wasm-ld" --gc-sections --strip-all --compress-relocations --no-entry --stack-first -z stack-size=1048576 \
    --export=_initialize --export=malloc --export=free $(printf -- '--export=%s ' "$@") \
    -o "$result" "$libraries/crt1-reactor.o" "$scratch/TollgateC.o" "$scratch/runtime.o" \
    "$embedded/libswiftUnicodeDataTables.a" "$libraries/libc.a" "$builtins"
  echo "$result  $(stat -c %s "$result") bytes, $(gzip -9c "$result" | wc -c) with gzip"
}

cp JavaScript/*.js JavaScript/*.d.ts JavaScript/README.md LICENSE "$output/"
sed "s/\"version\": \".*\"/\"version\": \"$(Tools/version.sh)\"/" JavaScript/package.json >"$output/package.json"
link "$output/tollgate.wasm" "${all[@]}"
link "$output/decide.wasm" "${decide[@]}"
link "$output/superscript.wasm" tg_evaluate
