#!/bin/sh
# Prints the version of this package, which stands in Sources/RuleEngine/Config/SDKVersion.swift and, for Python,
# in Python/tollgate/_version.py.
#
# usage: Tools/version.sh           prints it
#        Tools/version.sh check     fails when CHANGELOG.md, packages, hooks, the action or the tag of this commit say another
#        Tools/version.sh released  the same, and fails unless CHANGELOG.md gives its day
#        Tools/version.sh notes     prints what CHANGELOG.md says of it, for the text of a release
set -eu
cd "$(dirname "$0")/.."
file=Sources/RuleEngine/Config/SDKVersion.swift

fail() {
  printf 'version: %s\n' "$@" >&2
  exit 1
}

version=$(sed -n 's/.*static let current = "\([^"]*\)".*/\1/p' "$file")
case $version in
*[!0-9.]* | '') fail "$file has no version such as 1.2.3" ;;
esac
case ${1:-print} in
print)
  echo "$version"
  exit
  ;;
notes)
  notes=$(awk -v heading="## $version (" 'isIn && /^## / { exit } isIn { print } index($0, heading) == 1 { isIn = 1 }' \
    CHANGELOG.md | sed '/./,$!d')
  [ -n "$notes" ] || fail "CHANGELOG.md says nothing of $version"
  printf '%s\n' "$notes"
  exit
  ;;
check | released) ;;
*)
  echo 'usage: Tools/version.sh [check | released | notes]' >&2
  exit 2
  ;;
esac

python=Python/tollgate/_version.py
if [ -e "$python" ] && ! grep -qx "__version__ = \"$version\"" "$python"; then
  fail "$file says $version, and $python another version; make them the same"
fi

# Hooks, the action and pages name the package of the command with its version.
if others=$(grep -rn 'tollgate-cli==[0-9]' .pre-commit-hooks.yaml action.yml docs | grep -vF "tollgate-cli==$version"); then
  fail "$file says $version, and these name another version:" "$others"
fi

heading=$(sed -n '/^## /{p;q;}' CHANGELOG.md)
case $heading in
"## $version (unreleased)")
  if [ "$1" = released ]; then
    fail "CHANGELOG.md says '$heading'; give the day: '## $version (2026-12-31)'"
  fi
  ;;
"## $version ("[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]")") ;;
*)
  fail "$file says $version, but CHANGELOG.md begins with '$heading'." \
    "Make it '## $version (unreleased)' or '## $version (2026-12-31)'."
  ;;
esac

for tag in $(git tag --points-at HEAD 2>/dev/null | grep '^v[0-9]' || true); do
  [ "$tag" = "v$version" ] || fail "this commit is tagged $tag, but $file says $version"
done
