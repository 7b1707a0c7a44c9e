# What several scripts of this folder need; they source it.

sum() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }

# The files of a release in this folder, without files of other versions and the sums beside archives.
#
# usage: files VERSION
files() { printf '%s\n' tollgate-"$1"-*.tar.gz tollgate_*-"$1"[-.]* tollgate.rb Containerfile; }

# Tells what is wrong, and goes on; a script that checks ends with `end_of_check`.
faults=0
fault() {
  printf "$(basename "$0" .sh): %s\n" "$@" >&2
  faults=$((faults + 1))
}

end_of_check() {
  if [ "$faults" -gt 0 ]; then
    echo "$(basename "$0" .sh): faults: $faults" >&2
    exit 1
  fi
}
