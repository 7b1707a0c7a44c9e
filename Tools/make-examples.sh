#!/usr/bin/env bash
# Makes Tests/DocumentationTests/Examples.swift from the examples of docstrings and guides; what
# counts as one is told in ExampleExtractor.swift beside it.
#
# The tool is compiled from the tests' own source, and alone: it works where the tests, or Tollgate,
# do not compile.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(mktemp -d "${TMPDIR:-/tmp}/tollgate-examples.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cat >"$folder/main.swift" <<'SWIFT'
import Foundation
let root = URL(fileURLWithPath: CommandLine.arguments[1])
let extractor = ExampleExtractor(root: root)
try extractor.source.write(
  to: root.appendingPathComponent("Tests/DocumentationTests/Examples.swift"), atomically: true,
  encoding: .utf8)
print("\(extractor.examples.count) examples")
SWIFT
"${SWIFT:-swift}c" -o "$folder/make-examples" "$folder/main.swift" \
  Tests/DocumentationTests/ExampleExtractor.swift
"$folder/make-examples" "$PWD"
