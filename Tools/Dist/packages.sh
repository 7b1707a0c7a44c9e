#!/usr/bin/env bash
# Completes out/dist: puts the Python package beside the archives of the command, makes a wheel, a formula for
# Homebrew and a file for containers of them, and the sums of everything.
#
# usage: Tools/Dist/packages.sh
#
# The archives (archive.sh) and the wheels (Tools/make-wheel.sh) of other machines may have been put into
# out/dist before; the formula and the wheels of the command then have them, too. RELEASE_URL is where all files will be found, such as
# https://example.com/tollgate/releases/download/v1.2.3; without it, the formula is for trying, and has
# the files in out/dist.
set -euo pipefail
# An & in a URL is an &.
shopt -u patsub_replacement 2>/dev/null || true
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=$(Tools/version.sh)
url=${RELEASE_URL:-file://$PWD/out/dist}
url=${url%/}
homepage=${url%%/releases/*}
templates=$PWD/Tools/Dist
# shellcheck source=Tools/Dist/common.sh
. Tools/Dist/common.sh
fail() {
  printf 'packages: %s\n' "$@" >&2
  exit 1
}

[ -z "$(find out/wheels -name '*.whl' -o -name '*.tar.gz' 2>/dev/null)" ] ||
  cp out/wheels/*.whl out/wheels/*.tar.gz out/dist/
cd out/dist
[ -e "tollgate_rules-$version.tar.gz" ] || fail "there is no Python package; run \`Tools/make-wheel.sh\` first"

# The part of the formula for one machine, where there is an archive for it.
#
# usage: part SYSTEM MACHINE BLOCK
part() {
  local archive=tollgate-$version-$1-$2.tar.gz
  [ -e "$archive" ] || return 0
  printf '    %s do\n      url "%s"\n      sha256 "%s"\n    end\n' "$3" "$url/$archive" \
    "$(sum "$archive" | cut -d ' ' -f 1)"
}

# The part for one system.
system() {
  local parts
  parts=$(
    part "$1" x86_64 on_intel
    part "$1" arm64 on_arm
    part "$1" aarch64 on_arm
  )
  [ -z "$parts" ] || printf '\n  %s do\n%s\n  end\n' "$2" "$parts"
}

systems=$(system darwin on_macos; system linux on_linux)
[ -n "$systems" ] || fail "there is no archive of $version in out/dist; run \`Tools/Dist/archive.sh\` first"
while IFS= read -r line; do
  case $line in
  @SYSTEMS@) printf '%s\n' "${systems#$'\n'}" ;;
  *)
    line=${line//@VERSION@/$version}
    printf '%s\n' "${line//@HOMEPAGE@/$homepage}"
    ;;
  esac
done <"$templates/tollgate.rb.in" >tollgate.rb
sed "s/@VERSION@/$version/g" "$templates/Containerfile.in" >Containerfile

rm -f tollgate_cli-"$version"-*.whl
for archive in tollgate-"$version"-linux-*.tar.gz; do
  [ ! -e "$archive" ] || "$templates/make_command_wheel.py" "$archive" >/dev/null
done

files "$version" | while IFS= read -r file; do sum "$file"; done >sums.new
mv sums.new SHA256SUMS
files "$version" | xargs ls -l SHA256SUMS | awk '{ printf "out/dist/%s  %.1f MB\n", $NF, $5 / 1e6 }'
