#!/usr/bin/env bash
# Puts what an installation consists of into a folder: bin/tollgate and, below share, the manual pages,
# completions for bash, zsh and fish, and the licences.
#
# usage: Tools/Dist/stage.sh FOLDER [--shared]        --shared is for link.sh
#
# The release build has to be there already (`make release`).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$1
swift=${SWIFT:-swift}
version=$(Tools/version.sh)

rm -rf "$folder"
share=$folder/share
mkdir -p "$folder/bin" "$share/man/man1" "$share/bash-completion/completions" \
  "$share/zsh/site-functions" "$share/fish/vendor_completions.d" "$share/doc/tollgate" .build/dist
Tools/Dist/link.sh "$folder/bin/tollgate" "${@:2}"

# The day of the version, or of the last commit.
day=$(sed -n '/^## /{s/.*(\([0-9-]*\))$/\1/p;q;}' CHANGELOG.md)
day=${day:-$(git log -1 --format=%cs 2>/dev/null || date +%F)}
toolinfo=.build/checkouts/swift-argument-parser/Sources/ArgumentParserToolInfo/ToolInfo.swift
"${swift}c" -swift-version 6 -parse-as-library -o .build/dist/manual-pages \
  Tools/Dist/ManualPages.swift "$toolinfo"
.build/release/tollgate --experimental-dump-help >.build/dist/description.json
.build/dist/manual-pages .build/dist/description.json "$share/man/man1" "$version" "$day"

completions() { "$folder/bin/tollgate" --generate-completion-script "$1"; }
completions bash >"$share/bash-completion/completions/tollgate"
completions zsh >"$share/zsh/site-functions/_tollgate"
completions fish >"$share/fish/vendor_completions.d/tollgate.fish"

cp LICENSE NOTICES "$share/doc/tollgate/"
find "$folder" -type d -exec chmod 755 {} +
find "$folder" -type f -exec chmod 644 {} +
chmod 755 "$folder/bin/tollgate"
