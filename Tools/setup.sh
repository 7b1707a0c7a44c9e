#!/usr/bin/env bash
# Installs what Tollgate needs from the system beside Swift, make and git.
#
# usage: Tools/setup.sh [GROUP...]        groups: core (default); "all" means every group
#
# Running it again is harmless and takes no time: it asks the package manager for nothing unless
# something is missing. It prints one line for each thing it found or installed.
set -euo pipefail

# One thing a line: group | name | probe | apt package | brew formula
# The probe is a function below. It succeeds when the thing is there, and may print a detail.
# A new group is a new word in the first column and nothing else.
packages='
core | pkg-config | probe_pkg_config | pkg-config   | pkgconf
core | libpcre2-8 | probe_pcre2      | libpcre2-dev | pcre2
core | sqlite3    | probe_sqlite     | libsqlite3-dev | sqlite
core | zlib       | probe_zlib       | zlib1g-dev   | zlib
core | zstd       | probe_zstd       | libzstd-dev  | zstd
browser | chromium | probe_chromium | chromium | chromium
browser | python venv | probe_venv  | python3-venv | python
python | python venv | probe_venv   | python3-venv | python
wasm | wasi-libc | probe_wasi | wasi-libc | wasi-libc
wasm | builtins of wasm32 | probe_wasm_builtins | libclang-rt-19-dev-wasm32 | wasi-runtimes
node | node | probe_node | nodejs | node
engines | java      | probe_java   | default-jre-headless | openjdk
dist | ruby      | probe_ruby   | ruby | ruby
dist | archives of libraries | probe_archives | libpcre2-dev libsqlite3-dev zlib1g-dev libzstd-dev | pcre2
'

probe_pkg_config() {
  command -v pkg-config >/dev/null && pkg-config --version
}

probe_pcre2() {
  if [ "${TOLLGATE_NO_PCRE2:-}" = 1 ]; then
    echo 'not needed, TOLLGATE_NO_PCRE2=1'
    return 0
  fi
  # The .pc file comes with the headers, so that it stands for both.
  pkg-config --modversion libpcre2-8 2>/dev/null
}

# Apple's systems bring the next two with their SDK.
probe_sqlite() {
  [ "$(uname)" = Darwin ] || pkg-config --modversion sqlite3 2>/dev/null
}

probe_zlib() {
  [ "$(uname)" = Darwin ] || pkg-config --modversion zlib 2>/dev/null
}

probe_zstd() {
  pkg-config --modversion libzstd 2>/dev/null
}

probe_chromium() {
  command -v chromium || command -v chromium-browser || command -v google-chrome
}

probe_java() {
  java -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p' | grep .
}

probe_wasi() {
  [ -e /usr/lib/wasm32-wasi/libc.a ]
}

# Any release of clang will do.
probe_wasm_builtins() {
  find /usr/lib/llvm-*/lib/clang -name libclang_rt.builtins-wasm32.a 2>/dev/null | grep .
}

# For the tests of the JavaScript package.
probe_node() {
  node --version 2>/dev/null
}

# For the test of the formula for Homebrew.
probe_ruby() {
  ruby -e 'puts RUBY_VERSION' 2>/dev/null
}

probe_venv() {
  python3 -c 'import ensurepip, venv, sys; print(sys.version.split()[0])' 2>/dev/null
}

# Those that Tools/Dist/link.sh puts into the command. Apple's systems have the libraries.
probe_archives() {
  local library clang
  [ "$(uname)" = Darwin ] && return
  clang=$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}c")")")/clang
  for library in $(sed -n 's/^ *link "\(.*\)"$/\1/p' "$(dirname "$0")"/../Sources/*/module.modulemap); do
    [ -e "$("$clang" -print-file-name="lib$library.a")" ] || return 1
  done
}

say() { printf 'setup: %s\n' "$*"; }

fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

trim() {
  local text=$1
  text="${text#"${text%%[![:space:]]*}"}"
  printf '%s' "${text%"${text##*[![:space:]]}"}"
}

known_groups() {
  printf '%s\n' "$packages" | awk -F'|' 'NF > 1 { gsub(/ /, "", $1); if (!seen[$1]++) print $1 }'
}

# Reads the table; leaves the missing things in missing_names, missing_apt and missing_brew.
look() {
  local quiet=$1 group name probe apt brew detail
  missing_names='' missing_apt='' missing_brew=''
  while IFS='|' read -r group name probe apt brew; do
    group=$(trim "$group") name=$(trim "$name") probe=$(trim "$probe")
    apt=$(trim "$apt") brew=$(trim "$brew")
    [ -n "$group" ] || continue
    case " $groups " in *" $group "*) ;; *) continue ;; esac
    if detail=$("$probe"); then
      [ "$quiet" = quiet ] || say "$name: ok${detail:+ ($detail)}"
    else
      missing_names="$missing_names $name"
      missing_apt="$missing_apt $apt"
      missing_brew="$missing_brew $brew"
    fi
  done <<EOF
$packages
EOF
}

# Runs a command up to three times, for mirrors that hiccup.
persist() {
  local try
  for try in 1 2 3; do
    "$@" && return 0
    [ "$try" = 3 ] || { say "that failed, trying again"; sleep $((try * 3)); }
  done
  return 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail 'installing needs root, and there is no sudo here. Run this as root, then try again:' \
      "  apt-get update && apt-get install -y --no-install-recommends$missing_apt"
  fi
}

install_missing() {
  # The lists hold package names from the table above: splitting them at spaces is intended.
  # shellcheck disable=SC2086
  if command -v apt-get >/dev/null; then
    say "installing with apt-get:$missing_apt"
    # An index that could not be refreshed may still do: the installation decides.
    persist as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 update \
      >&2 || say 'the package index could not be refreshed, going on with the old one'
    persist as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 \
      install -y --no-install-recommends $missing_apt >&2 ||
      fail "apt-get could not install:$missing_apt"
  elif command -v brew >/dev/null; then
    say "installing with brew:$missing_brew"
    persist brew install $missing_brew >&2 || fail "brew could not install:$missing_brew"
  else
    fail "missing:$missing_names" \
      'There is neither apt-get nor brew here, so please install this yourself, then try again:' \
      '  - pkg-config (or pkgconf), the tool that tells a compiler where a library is' \
      '  - the PCRE2 library for 8-bit text, with its headers and its file libpcre2-8.pc' \
      '    (Fedora: pcre2-devel; Arch: pcre2; Alpine: pcre2-dev; openSUSE: pcre2-devel)' \
      '  - SQLite 3 with its headers (Fedora: sqlite-devel; Arch: sqlite; Alpine: sqlite-dev)' \
      '  - zlib with its headers (Fedora: zlib-devel; Arch: zlib; Alpine: zlib-dev)' \
      '  - zstd with its headers (Fedora: libzstd-devel; Arch: zstd; Alpine: zstd-dev)' \
      'Without PCRE2, set TOLLGATE_NO_PCRE2=1: the package then builds with its own matcher alone.'
  fi
}

groups="${*:-core}"
all_groups=$(known_groups | tr '\n' ' ')
[ "$groups" != all ] || groups=$all_groups
for group in $groups; do
  case " $all_groups " in
    *" $group "*) ;;
    *) fail "there is no group '$group'; the groups are: ${all_groups% }" ;;
  esac
done

command -v swift >/dev/null ||
  fail 'swift is not on the PATH. Tollgate needs a Swift 6.1 toolchain or newer: swift.org/install'
say "swift: ok ($(command -v swift | sed "s|^${HOME:-/nowhere}|~|"))"

look aloud
if [ -n "$missing_names" ]; then
  wanted=$missing_names
  install_missing
  look quiet
  [ -z "$missing_names" ] || fail "installed, but still not found:$missing_names"
  for name in $wanted; do say "$name: installed"; done
fi
