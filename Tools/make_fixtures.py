#!/usr/bin/env python3
"""Writes Sources/conformance/Carried/CarriedFixtures.swift from corpus/sdk, so that `conformance` has its
fixtures wherever it runs.

usage: Tools/make_fixtures.py
"""
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "corpus" / "sdk"
TARGET = ROOT / "Sources" / "conformance" / "Carried" / "CarriedFixtures.swift"
FILES = [
    ("standardConfig", "fixtures/config.std.json", "The static config `std`."),
    ("products", "fixtures/products.json", "The store's catalogue."),
    ("contract", "sdk-contract.schema.json", "The JSON Schema of every payload."),
]


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def lines(value, depth=2):
    """JSON with one member a line, down to a depth, so that a change can be read."""
    if depth and isinstance(value, dict) and value:
        members = [f"{compact(key)}:{lines(item, depth - 1)}" for key, item in value.items()]
        return "{\n" + ",\n".join(members) + "\n}"
    if depth and isinstance(value, list) and value:
        return "[\n" + ",\n".join(lines(item, depth - 1) for item in value) + "\n]"
    return compact(value)


def main():
    out = ["// swift-format-ignore-file", "// Made by Tools/make_fixtures.py from corpus/sdk; do not edit.", ""]
    out.append("/// Copies of the files that scenarios refer to.")
    out.append("enum CarriedFixtures {")
    for number, (name, path, text) in enumerate(FILES):
        content = lines(json.loads((CORPUS / path).read_text(encoding="utf-8")))
        assert '"""#' not in content
        out += [""] * (number > 0) + [f"  /// {text}", f'  static let {name} = #"""', content, '"""#']
    out.append("}")
    TARGET.write_text("\n".join(out) + "\n", encoding="utf-8")


main()
