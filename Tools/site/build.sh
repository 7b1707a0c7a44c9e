#!/usr/bin/env bash
# Builds the documentation site in out/site: pages, commands, the Python and Swift references, and the playground.
# Fails if a link leads nowhere, or if a page loads anything from another server.
#
# usage: Tools/site/build.sh
#
# The Swift reference needs a debug build (`make build`). REFERENCE=kept takes the archives in out/docs as they are, and
# PLAYGROUND=built the playground in out/playground.
# SITE_BASE is the path of the site on its server, such as /tollgate; the Swift reference needs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

Tools/setup.sh python
venv=out/site-venv
wanted=$(cksum <Tools/site/requirements.txt)
if [ "$(cat "$venv/requirements" 2>/dev/null)" != "$wanted" ]; then
  rm -rf "$venv"
  mkdir -p out
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r Tools/site/requirements.txt
  echo "$wanted" >"$venv/requirements"
fi
[ "${REFERENCE:-}" = kept ] || Tools/docc.sh
[ "${PLAYGROUND:-}" = built ] || Tools/make-playground.sh

rm -rf out/site
Tools/site/stage.py
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --quiet --strict --config-file out/mkdocs.yml

docc=$(dirname "$(command -v "${SWIFT:-swift}")")/docc
if [ ! -x "$docc" ]; then docc=$(command -v docc || xcrun --find docc); fi
base=${SITE_BASE:-}
mkdir -p out/site/swift
for archive in out/docs/*.doccarchive; do
  module=$(basename "$archive" .doccarchive)
  "$docc" process-archive transform-for-static-hosting "$archive" --output-path "out/site/swift/$module" \
    --hosting-base-path "${base#/}${base:+/}swift/$module" >/dev/null
done

Tools/site/check.py
Tools/site/stage.py words
echo
echo 'Built out/site. Look at it with: python3 -m http.server --directory out/site'
