#!/usr/bin/env bash
# Packs everything that a release has, and checks it.
#
# usage: Tools/Dist/packages-tests.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

[ -e "out/dist/tollgate-$(Tools/version.sh)-$(uname | tr '[:upper:]' '[:lower:]')-$(uname -m).tar.gz" ] ||
  Tools/Dist/archive.sh
ls out/wheels/*.whl >/dev/null 2>&1 || Tools/make-wheel.sh
Tools/Dist/packages.sh
Tools/Dist/check-packages.sh
