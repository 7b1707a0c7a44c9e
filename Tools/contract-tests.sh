#!/usr/bin/env bash
# Holds the server against its own /openapi.json: requests that the description allows and requests that
# it does not, at every route of the service and of the sandbox. Where Schemathesis cannot be installed
# it says so and ends well, unless CONTRACT=required.
#
# usage: Tools/contract-tests.sh [arguments for `schemathesis run`]
#
# EXAMPLES is the number of requests that are made up for each route, SEED where they begin; none is made
# up after SECONDS_AT_MOST, 120 by default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=out/venv-contract

left_out() {
  echo "contract-tests: left out: $1"
  if [ "${CONTRACT:-}" = required ]; then exit 1; fi
  exit 0
}

if ! [ -x "$venv/bin/schemathesis" ]; then
  python3 -m venv "$venv" && "$venv/bin/pip" install --quiet 'schemathesis>=4.32,<5' \
    || left_out 'Schemathesis cannot be installed'
fi
Tools/nested.sh Server build --product tollgate-server

folder=$(mktemp -d)
server=
cleanup() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" || true; fi
  rm -rf "$folder"
}
trap cleanup EXIT
.build/debug/tollgate-server --fixtures Server/Fixtures/sandbox.json --state sqlite --port 0 \
  >"$folder/port" 2>"$folder/log" &
server=$!
for _ in $(seq 100); do
  if [ -s "$folder/port" ]; then break; fi
  sleep 0.1
done
url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$folder/port")
if [ -z "$url" ]; then
  cat "$folder/log"
  echo 'contract-tests: the server did not start' >&2
  exit 1
fi
# What fits the description may be refused all the same, such as a code that does not exist.
tests=$PWD/Server/Tests/Contract
venv=$PWD/$venv
cd "$folder"
SCHEMATHESIS_HOOKS=hooks PYTHONPATH=$tests PYTHONDONTWRITEBYTECODE=1 timeout 600 \
  "$venv/bin/schemathesis" run "$url/openapi.json" --header 'Authorization: Bearer sk_sandbox' \
  --phases coverage,fuzzing --exclude-checks positive_data_acceptance --no-color \
  --continue-on-failure --max-time "${SECONDS_AT_MOST:-120}" --warnings off --request-timeout 20 --seed "${SEED:-1}" \
  --max-examples "${EXAMPLES:-15}" "$@"
if ! kill -0 "$server"; then
  echo 'contract-tests: the server has ended' >&2
  exit 1
fi
if grep '"level":"error"' log; then
  echo 'contract-tests: the server told of faults of its own' >&2
  exit 1
fi
