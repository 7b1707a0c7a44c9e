#!/usr/bin/env bash
# Packs the C library with the Python package into out/wheels: one wheel for every Python.
#
# usage: Tools/make-wheel.sh
#
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Of a wheel for Linux.
most_bytes=9000000
fail() {
  printf 'make-wheel: %s\n' "$@" >&2
  exit 1
}

Tools/setup-python.sh
venv=$PWD/out/python-venv
case $(uname) in Darwin) name=libtollgate.dylib ;; *) name=libtollgate.so ;; esac
Tools/link-library.sh

version=$(Tools/version.sh)
given=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' Python/tollgate/_version.py)
[ "$version" = "$given" ] || fail "the version is $version, and Python/tollgate/_version.py says $given"

rm -rf out/wheels out/python-package
mkdir -p out/wheels
cp -R Python out/python-package
cp LICENSE out/python-package/LICENSE
mkdir -p out/python-package/tollgate/_native
cp "out/library/$name" out/python-package/tollgate/_native/
# The source archive has no library, so that the wheel is not made from it.
for kind in --sdist --wheel; do
  (cd out/python-package && "$venv/bin/python" -m build --quiet "$kind" --no-isolation --outdir ../wheels . >/dev/null)
done

if [ "$(uname)" = Linux ]; then
  # Says which machines the wheel is for: those with a C library as new as this one's functions need.
  wheel=$(ls out/wheels/*.whl)
  PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair --plat auto --only-plat --wheel-dir out/wheels/tagged "$wheel" \
    >out/wheels/auditwheel.log 2>&1 || fail "$(cat out/wheels/auditwheel.log)"
  rm "$wheel"
  mv out/wheels/tagged/*.whl out/wheels/
  rm -r out/wheels/tagged out/wheels/auditwheel.log
fi
wheel=$(ls out/wheels/*.whl)
if "$venv/bin/python" -m zipfile -l "$wheel" | grep -q '\.libs/'; then fail "$wheel brings libraries along"; fi
size=$(wc -c <"$wheel")
[ "$size" -le "$most_bytes" ] || fail "$wheel has $size bytes, more than $most_bytes"
(cd out/wheels && sha256sum *.whl *.tar.gz >SHA256SUMS)
ls -l out/wheels/* | awk '{ printf "%s  %.1f MB\n", $NF, $5 / 1e6 }'
