#!/usr/bin/env bash
# Checks the archive that archive.sh packed: its name, its size, what it needs of a machine, that the
# manual pages and completions know every command and option, that the command works beside a C library
# alone, and that installing can be undone.
#
# usage: Tools/Dist/check.sh [ROOT]
#
# ROOT is the root of another system, such as debootstrap makes; the command is then tried there, too.
# Trying it in a root of its own needs root rights, and is left out without them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

largest=37000000
largest_archive=15000000
newest_glibc=2.34

version=$(Tools/version.sh)
name=tollgate-$version-$(uname | tr '[:upper:]' '[:lower:]')-$(uname -m)
archive=out/dist/$name.tar.gz
folder=$(mktemp -d "${TMPDIR:-/tmp}/tollgate-dist.XXXXXX")
trap 'rm -rf "$folder"' EXIT
# shellcheck source=Tools/Dist/common.sh
. Tools/Dist/common.sh

# Without macros of roff, so that words can be found.
plain() { sed -e 's/\\f[BIRP]//g' -e 's/\\-/-/g' "$1"; }

check_contents() {
  (cd out/dist && sum -c "$name.tar.gz.sha256" >/dev/null) || fault "$archive.sha256 is not its sum"
  tar -C "$folder" -xzf "$archive"
  local file
  for file in bin/tollgate LICENSE NOTICES README.md CHANGELOG.md share/man/man1/tollgate.1 \
    share/bash-completion/completions/tollgate share/zsh/site-functions/_tollgate \
    share/fish/vendor_completions.d/tollgate.fish; do
    [ -s "$folder/$name/$file" ] || fault "the archive has no $file"
  done
  [ "$("$tool" --version)" = "tollgate $version" ] ||
    fault "the archive is called $name, and its command says '$("$tool" --version)'"
  local library
  for library in $(sed -n 's/^ *link "\(.*\)"$/\1/p' Sources/*/module.modulemap); do
    grep -q "lib$library\b" NOTICES || fault "NOTICES does not name lib$library, which is linked in"
  done
}

check_binary() {
  local size needed version
  size=$(wc -c <"$tool")
  echo "bin/tollgate: $size bytes"
  [ "$size" -le "$largest" ] ||
    fault "bin/tollgate has $size bytes, more than $largest"
  size=$(wc -c <"$archive")
  echo "$archive: $size bytes"
  [ "$size" -le "$largest_archive" ] || fault "$archive has $size bytes, more than $largest_archive"
  [ "$(uname)" = Linux ] || return 0
  needed=$(ldd "$tool" | awk '{ print $1 }' |
    grep -vE '^(linux-vdso|libc|libm|libdl|libpthread)\.so|/ld-linux' || true)
  [ -z "$needed" ] || fault "bin/tollgate needs more than the C library:" "$needed"
  version=$(readelf --version-info --wide "$tool" | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' |
    sort -Vu | tail -n 1)
  echo "bin/tollgate: glibc $version or newer"
  [ "$(printf '%s\n' "$version" "$newest_glibc" | sort -V | tail -n 1)" = "$newest_glibc" ] ||
    fault "bin/tollgate needs glibc $version, which is newer than $newest_glibc"
}

# Every command and option of the help is in its page and in the completions of each shell.
check_pages() {
  local command options option page script
  for command in '' $("$tool" --help | sed -n '/^SUBCOMMANDS/,$s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    page=$folder/$name/share/man/man1/tollgate${command:+-$command}.1
    if [ ! -s "$page" ]; then
      fault "there is no manual page of $command"
      continue
    fi
    plain "$page" >"$folder/page"
    grep -q -A 1 '^\.SH EXIT STATUS' "$page" || fault "$(basename "$page") says nothing of exit codes"
    if [ -n "$command" ] && ! grep -q "^tollgate $command" "$folder/page"; then
      fault "$(basename "$page") has no example"
    fi
    # shellcheck disable=SC2086
    options=$("$tool" help $command | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p')
    for option in $options; do
      grep -qE -- "^(-., )?$option( |\$)" "$folder/page" ||
        fault "$(basename "$page") does not have $option"
      for script in bash-completion/completions/tollgate zsh/site-functions/_tollgate \
        fish/vendor_completions.d/tollgate.fish; do
        grep -q -- "${option#--}" "$folder/$name/share/$script" || fault "$script does not have $option"
      done
    done
    if command -v mandoc >/dev/null; then
      mandoc -T lint -W warning "$page" || fault "$(basename "$page") is not a sound manual page"
    fi
  done
  for page in "$folder/$name"/share/man/man1/tollgate-*.1; do
    command=$(basename "$page" .1)
    command=${command#tollgate-}
    plain "$folder/$name/share/man/man1/tollgate.1" | grep -qx "$command" ||
      fault "tollgate.1 does not name the command $command"
  done
}

# What each shell offers after `tollgate ex`, and for a file.
check_completions() {
  local share=$folder/$name/share
  mkdir "$folder/files"
  touch "$folder/files/my config.json"
  cat >"$folder/complete.bash" <<'TEXT'
source "$1"
complete_line() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMPREPLY=()
  _tollgate tollgate "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  printf '%s\n' "${COMPREPLY[@]}"
}
complete_line tollgate ex
complete_line tollgate decide my
complete_line tollgate decide c --assigner dj
TEXT
  same bash "$(cd "$folder/files" && bash --norc ../complete.bash \
    "$share/bash-completion/completions/tollgate" 2>&1)"
  if command -v fish >/dev/null; then
    same fish "$(cd "$folder/files" && HOME=$folder fish --no-config -c \
      'source $argv[1]
       complete -C "tollgate ex"; complete -C "tollgate decide my"
       complete -C "tollgate decide c --assigner dj"' \
      "$share/fish/vendor_completions.d/tollgate.fish" 2>&1 | cut -f 1 | sed 's/\\ / /g')"
  fi
  if command -v zsh >/dev/null; then
    same zsh "$(cd "$folder/files" && zsh -f "$OLDPWD/Tools/Dist/complete.zsh" \
      "$share/zsh/site-functions" 'tollgate ex' 'tollgate decide my' \
      'tollgate decide c --assigner dj' 2>&1 | sed 's/\\ / /g')"
  fi
}

same() {
  local wanted=$'explain\nmy config.json\ndjb2'
  if [ "$2" != "$wanted" ]; then
    fault "$1 completes to '$2'"
  fi
}

# The work of the command: that it does in a root what the release build does here. All names are relative,
# because outcomes in a database tell where they come from.
#
# usage: check_work ROOT COMMAND...        how to run it there
check_work() {
  local root=$1 file
  local run=(--now 2026-03-01T12:00:00Z --seed demo --summary json)
  rm -rf "$root/work" "$folder/here"
  mkdir -p "$root/work" "$folder/here/work"
  cp corpus/demo/config.json "$root/work"
  gzip -9nc corpus/demo/users.ndjson >"$root/work/users.ndjson.gz"
  cp "$root"/work/* "$folder/here/work"
  (cd "$root" && [ "$("${@:2}" --version)" = "tollgate $version" ] &&
    "${@:2}" check work/config.json --quiet >/dev/null) || return 1
  for file in outcomes.csv outcomes.ndjson.gz outcomes.sqlite; do
    local work=(precompute work/config.json --users work/users.ndjson.gz --out "work/$file" "${run[@]}")
    (cd "$root" && "${@:2}" "${work[@]}") >"$folder/said" 2>&1 &&
      (cd "$folder/here" && "$release" "${work[@]}") >"$folder/said" 2>&1 &&
      cmp "$root/work/$file" "$folder/here/work/$file" || {
      cat "$folder/said" >&2
      return 1
    }
  done
}

# In a root as its own.
rooted='mount -t proc proc "$0/proc" && exec chroot "$0" /bin/tollgate "$@"'

check_roots() {
  check_work "$folder/$name" "$tool" || fault 'the command does not do its work where it was unpacked'
  if [ "$(uname)" != Linux ] || ! unshare --mount true 2>/dev/null; then
    echo 'check: no rights to mount, so the command is not tried beside a C library alone'
    return
  fi
  local root=$folder/root library
  mkdir -p "$root/bin" "$root/tmp" "$root/proc"
  cp "$tool" "$root/bin"
  for library in $(ldd "$tool" | grep -oE '/[^ ]+'); do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
  check_work "$root" unshare --mount sh -c "$rooted" "$root" ||
    fault 'the command does not do its work beside a C library alone'
  # Where Swift looks for the arguments of a command.
  check_work "$root" chroot "$root" /bin/tollgate || fault 'the command does not do its work without /proc'
  if [ -n "${1:-}" ]; then
    cp "$tool" "$1/bin/"
    check_work "$1" unshare --mount sh -c "$rooted" "$1" || fault "the command does not do its work in $1"
    rm -rf "$1/bin/tollgate" "$1/work"
  fi
}

check_installing() {
  local place="$folder/a folder" files
  mkdir -p "$place/usr/share/man/man1"
  touch "$place/usr/share/man/man1/other.1"
  Tools/Dist/stage.sh "$folder/stage"
  for _ in 1 2; do
    DESTDIR=$place PREFIX=/usr Tools/Dist/install.sh install "$folder/stage" >/dev/null
  done
  [ "$("$place/usr/bin/tollgate" --version)" = "tollgate $version" ] || fault 'what is installed does not run'
  cmp "$place/usr/bin/tollgate" "$tool" || fault 'what is installed is not what the archive has'
  DESTDIR=$place PREFIX=/usr Tools/Dist/install.sh uninstall >/dev/null
  files=$(cd "$place" && find . -type f -o -type d -empty)
  [ "$files" = ./usr/share/man/man1/other.1 ] || fault "uninstalling leaves '$files'"
  if DESTDIR=$place PREFIX=/usr Tools/Dist/install.sh uninstall 2>/dev/null; then
    fault 'uninstalling twice is no error'
  fi
}

if [ ! -e "$archive" ]; then
  echo "check: there is no $archive; run \`Tools/Dist/archive.sh\` first" >&2
  exit 1
fi
tool=$folder/$name/bin/tollgate
release=$PWD/.build/release/tollgate
check_contents
check_binary
check_pages
check_completions
check_roots "${1:-}"
check_installing
end_of_check
# For tests, which take it by TOLLGATE_TOOL.
mkdir -p out/dist/checked
cp "$tool" out/dist/checked/tollgate
echo "check: $archive is sound"
