#!/usr/bin/env bash
# Harms a fleet of servers with PostgreSQL and nginx, and checks that nothing acknowledged is lost or counted twice.
# Where PostgreSQL or nginx is missing it says so and ends well, unless FLEET=required.
#
# usage: [OLD=PROGRAM] Tools/fleet-tests.sh [arguments of Server/Tests/Fleet/faults.py]
#
# OLD is a tollgate-server with the tables of the version before.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PATH=$PATH:/usr/sbin
for program in nginx psql; do
  command -v "$program" >/dev/null && continue
  echo "fleet-tests: left out: $program is missing (Debian: postgresql, nginx-light)"
  if [ "${FLEET:-}" = required ]; then exit 1; fi
  exit 0
done
Tools/nested.sh Server build --product tollgate-server
Server/Tests/Fleet/faults.py ${OLD:+--old "$OLD"} "$@"
