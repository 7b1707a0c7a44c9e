#!/usr/bin/env bash
# Uses the playground in headless Chromium: the server's, or the one without a server. Where Chromium or Playwright
# cannot be installed it says so and ends well, unless BROWSER=required.
#
# usage: Tools/browser-tests.sh [server|static] [FOLDER for screenshots]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=out/venv-browser

left_out() {
  echo "browser-tests: left out: $1"
  if [ "${BROWSER:-}" = required ]; then exit 1; fi
  exit 0
}

Tools/setup.sh browser || left_out 'Chromium cannot be installed'
if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import playwright' 2>/dev/null; then
  python3 -m venv "$venv" && "$venv/bin/pip" install --quiet 'playwright>=1.50,<2' \
    || left_out 'Playwright cannot be installed'
fi
kind=${1:-server}
if [ "$kind" = server ]; then
  Tools/nested.sh Server build --product tollgate-server
else
  Tools/make-playground.sh
fi
"${SWIFT:-swift}" build --product tollgate ${JOBS:+-j "$JOBS"}
timeout 900 "$venv/bin/python" Server/Tests/Browser/playground.py "$kind" "${@:2}"
