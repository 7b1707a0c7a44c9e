#!/bin/sh
# Checks that in every target folders use only types of folders before them.
#
# Tools/folders.txt lists the folders of each target in their order. A folder that is not listed
# belongs to the one around it. Types are found by name: those at the top level that are not
# private, as `swift format` lays sources out.
set -eu
cd "$(dirname "$0")/.."
list=Tools/folders.txt
files=$(find Sources -name '*.swift' | LC_ALL=C sort)
# Twice: once for what is declared, once for what is used.
# shellcheck disable=SC2086
awk -v list="$list" -f Tools/check-folders.awk "$list" $files $files
