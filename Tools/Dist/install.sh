#!/usr/bin/env bash
# Installs what Tools/Dist/stage.sh made, and removes exactly that again.
#
# usage: Tools/Dist/install.sh install FOLDER        FOLDER is what stage.sh made
#        Tools/Dist/install.sh uninstall
#
# It goes below $DESTDIR$PREFIX; PREFIX is /usr/local unless it is set. What was installed is listed in
# share/doc/tollgate/installed-files there, and the folders that were made for it, which end in /.
set -euo pipefail

prefix=${PREFIX:-/usr/local}
destination=${DESTDIR:-}$prefix
list=$destination/share/doc/tollgate/installed-files

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

case $prefix in
/*) ;;
*) fail "PREFIX is '$prefix'; it has to begin with /" ;;
esac

# The first folder on the way to the destination that is there.
place=$destination
while [ ! -d "$place" ]; do place=$(dirname "$place"); done
if [ ! -w "$place" ]; then
  again='sudo'
  if [ -n "${PREFIX:-}${DESTDIR:-}" ]; then
    again+=" env$(printf ' %q' "PREFIX=$prefix" ${DESTDIR:+"DESTDIR=$DESTDIR"})"
  fi
  fail "You may not write to $place. Either run this as root:" \
    "  $again $(printf '%q ' "$0" "$@")" \
    'or choose a folder of your own, for example: make install PREFIX="$HOME/.local"'
fi

# Removes what a list names.
remove() {
  local file folders=
  while IFS= read -r file; do
    case /$file/ in
    */../* | //*) fail "$list names '$file', which is not below $destination; nothing more is removed" ;;
    esac
    case $file in
    */) folders=$file$'\n'$folders ;;
    *) rm -f "$destination/$file" ;;
    esac
  done <"$1"
  rm -f "$list"
  rmdir "$destination/share/doc/tollgate" 2>/dev/null || true
  # The innermost first. One in which others have put something stays.
  while IFS= read -r file; do
    if [ -n "$file" ]; then rmdir "$destination/${file%./}" 2>/dev/null || true; fi
  done <<<"$folders"
}

# Makes a folder of the destination, and what is missing above it, and adds them to the folders made.
made=
make_folder() {
  if [ -d "$destination/$1" ]; then return; fi
  if [ "$1" != . ]; then make_folder "$(dirname "$1")"; fi
  mkdir -p "$destination/${1#.}"
  made+=$1/$'\n'
}

case ${1:-} in
install)
  folder=$2
  # An earlier version may have had other files.
  if [ -e "$list" ]; then remove "$list"; fi
  make_folder share/doc/tollgate
  files=$(cd "$folder" && find bin share -type f | LC_ALL=C sort)
  while IFS= read -r file; do
    make_folder "$(dirname "$file")"
    # Never into a file that is running.
    rm -f "$destination/$file"
    cp "$folder/$file" "$destination/$file"
  done <<<"$files"
  printf '%s\n' "$files" >"$list"
  printf '%s' "$made" >>"$list"
  echo "installed: $prefix/bin/tollgate, its manual pages and completions for bash, zsh and fish"
  case :$PATH: in
  *:"$prefix/bin":*) ;;
  *) if [ -z "${DESTDIR:-}" ]; then echo "$prefix/bin is not on your PATH"; fi ;;
  esac
  ;;
uninstall)
  if [ ! -e "$list" ]; then
    fail "Tollgate was not installed in $prefix by 'make install': there is no $list"
  fi
  remove "$list"
  echo "removed from $prefix"
  ;;
*)
  echo 'usage: Tools/Dist/install.sh install FOLDER | uninstall' >&2
  exit 2
  ;;
esac
