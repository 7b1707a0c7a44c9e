#!/usr/bin/env bash
# Packs the command for others into out/dist/tollgate-VERSION-SYSTEM-MACHINE.tar.gz, with its sum in a
# .sha256 beside it. From the same commit and machine the same archive comes out.
#
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

Tools/setup.sh dist
"${SWIFT:-swift}" build -c release --product tollgate ${JOBS:+-j "$JOBS"}

version=$(Tools/version.sh)
Tools/version.sh check
system=$(uname | tr '[:upper:]' '[:lower:]')
name=tollgate-$version-$system-$(uname -m)
folder=out/dist/$name

Tools/Dist/stage.sh "$folder"
cp README.md CHANGELOG.md LICENSE NOTICES "$folder"
mkdir "$folder/docs"
cp -r docs/*.md docs/commands "$folder/docs"
# Beside the other files, where whoever unpacks the archive looks first.
rm -r "$folder/share/doc"

when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
packing=()
if tar --version 2>/dev/null | grep -q GNU; then
  packing=(--sort=name --mtime="@$when" --owner=0 --group=0 --numeric-owner --format=ustar)
fi
tar -C out/dist ${packing[@]+"${packing[@]}"} -cf - "$name" | gzip -9n >"out/dist/$name.tar.gz"
# shellcheck source=Tools/Dist/common.sh
. Tools/Dist/common.sh
(cd out/dist && sum "$name.tar.gz" >"$name.tar.gz.sha256")
rm -r "$folder"
ls -l "out/dist/$name.tar.gz" | awk '{ printf "%s  %.1f MB\n", $NF, $5 / 1e6 }'
