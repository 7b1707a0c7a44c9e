#!/usr/bin/env bash
# Builds the playground without a server in out/playground: the service's page with the engine in WebAssembly.
#
# usage: Tools/make-playground.sh
#
# Any static host can serve the folder. tollgate-playground.html is the same in one file, which also opens from a disk.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Tools/make-wasm.sh
[ -x .build/debug/tollgate ] || "${SWIFT:-swift}" build --product tollgate ${JOBS:+-j "$JOBS"}
.build/debug/tollgate functions --json | Tools/make_playground.py out/playground
