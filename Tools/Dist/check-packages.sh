#!/usr/bin/env bash
# Checks what packages.sh packed beside the archive, which check.sh checks: that the sums are those of all
# files, that pip installs and removes the command in an empty environment, that the formula installs what it
# says and its own test passes, that the container file makes a root in which the command works, that the source
# archive of the Python package has no library, and that the action and the workflows are what GitHub takes.
#
# usage: Tools/Dist/check-packages.sh
#
# Where there is no Ruby, the formula is not run; without root rights, the container's root is not tried.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=$(Tools/version.sh)
folder=$(mktemp -d "${TMPDIR:-/tmp}/tollgate-packages.XXXXXX")
trap 'rm -rf "$folder"' EXIT
# shellcheck source=Tools/Dist/common.sh
. Tools/Dist/common.sh

check_sums() {
  (cd out/dist && sum -c SHA256SUMS >/dev/null) || fault 'a sum in out/dist/SHA256SUMS is not that of its file'
  local summed
  summed=$(sed 's/^[^ ]* [ *]//' out/dist/SHA256SUMS)
  [ "$summed" = "$(cd out/dist && files "$version")" ] || fault 'SHA256SUMS does not have exactly the files of the release' "$summed"
  grep -q '^tollgate_rules-.*\.whl$' <<<"$summed" || fault 'SHA256SUMS does not have the wheel'
  grep -q '^tollgate_cli-.*\.whl$' <<<"$summed" || fault 'SHA256SUMS does not have the wheel of the command'
}

check_python() {
  local files
  files=$(tar -tzf "out/dist/tollgate_rules-$version.tar.gz")
  grep -q '/tollgate/py.typed$' <<<"$files" || fault 'the source archive of the Python package has no types'
  if grep -E '\.(so|dylib)$' <<<"$files"; then fault 'the source archive of the Python package has a library'; fi
  ls out/dist/tollgate_rules-"$version"-py3-none-*.whl >/dev/null || fault 'there is no wheel'
}

# Without Swift, without an index, in an environment that has nothing else.
check_command() {
  [ "$(uname)" = Linux ] || return 0
  local wheel venv=$folder/command before rules
  wheel=$(ls out/dist/tollgate_cli-"$version"-py3-none-manylinux_*_"$(uname -m)".whl) ||
    fault 'there is no wheel of the command for this machine'
  rules=$(basename out/dist/tollgate_rules-"$version"-py3-none-*_"$(uname -m)".whl)
  [ "${wheel##*-py3-}" = "${rules##*-py3-}" ] || fault "$wheel does not have the platform of $rules"
  python3 -m venv "$venv"
  before=$(installed_files "$venv")
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links out/dist tollgate-cli ||
    fault 'pip does not install the command'
  local run
  for run in "$venv/bin/tollgate" "$venv/bin/tollgate-cli" "$venv/bin/python -m tollgate_cli"; do
    # shellcheck disable=SC2086
    [ "$($run --version)" = "tollgate $version" ] && $run check corpus/demo/config.json --quiet ||
      fault "$run does not work"
  done
  [ -s "$venv/share/man/man1/tollgate-check.1" ] && [ -s "$venv/share/bash-completion/completions/tollgate" ] ||
    fault 'pip installs no manual pages or completions'
  "$venv/bin/pip" uninstall --quiet --yes tollgate-cli
  [ "$(installed_files "$venv")" = "$before" ] || fault 'pip leaves files of the command'
}

installed_files() { find "$1" -type f -not -name '*.pyc' -o -type l | LC_ALL=C sort; }

check_formula() {
  if grep -n '@[A-Z]*@' out/dist/tollgate.rb; then fault 'the formula is not filled in'; fi
  if ! command -v ruby >/dev/null; then
    echo 'check-packages: there is no ruby, so the formula is not run'
    return
  fi
  ruby Tools/Dist/run-formula.rb out/dist/tollgate.rb out/dist "$folder/brew" || fault 'the formula does not install'
}

# Its own commands, below a folder in place of /.
check_container() {
  local file=out/dist/Containerfile root=$folder/root-folder script
  if grep -n '@[A-Z]*@' "$file"; then fault 'the container file is not filled in'; fi
  [ "$(uname)" = Linux ] || return 0
  mkdir "$folder/archives"
  local pattern
  pattern=$(sed -n 's|^COPY \(.*\) /archives/$|\1|p' "$file")
  # shellcheck disable=SC2086
  (cd out/dist && cp $pattern "$folder/archives/")
  script=$(sed -n '/^RUN /,/[^\\]$/p' "$file" | sed -e 's/^RUN //' \
    -e "s#/\(archives\|unpacked\|root-folder\)\b#$folder/\1#g")
  sh -euc "$script" || fault 'the commands of the container file fail'
  cp corpus/demo/config.json "$root/work/"
  [ -s "$root/licenses/NOTICES" ] || fault 'the container has no licences'
  # Containers have /proc. Without it, Dispatch ends the process when it counts its threads.
  mkdir "$root/proc"
  if ! unshare --mount mount -t proc proc "$root/proc" 2>/dev/null; then
    echo 'check-packages: no rights to mount /proc, so the root of the container is not tried'
    return
  fi
  # shellcheck disable=SC2016
  unshare --mount sh -euc 'mount -t proc proc "$0/proc"
    [ "$(chroot "$0" /bin/tollgate --version)" = "tollgate $1" ]
    chroot "$0" /bin/tollgate check work/config.json --quiet' "$root" "$version" ||
    fault 'the command does not work in the root of the container'
}

# That GitHub can read what is written for it.
check_workflows() {
  local check=out/python-venv/bin/check-jsonschema
  if [ ! -x "$check" ]; then
    echo 'check-packages: there is no check-jsonschema, so action.yml and workflows are not read'
    return
  fi
  "$check" --builtin-schema vendor.github-actions action.yml || fault 'action.yml is not an action'
  local workflows=(.github/workflows/*.yml) tool=.build/release/tollgate
  if [ -x "$tool" ]; then
    "$tool" init "$folder/init" >/dev/null
    workflows+=("$folder/init/.github/workflows/paywalls.yml")
  fi
  "$check" --builtin-schema vendor.github-workflows "${workflows[@]}" || fault 'a workflow is not one'
}

check_sums
check_workflows
check_python
check_command
check_formula
check_container
end_of_check
echo 'check-packages: ok'
