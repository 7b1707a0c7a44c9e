#!/usr/bin/env python3
"""Write the companions of case files that `conformance` carries as Swift source.

usage: Tools/embed_companions.py > Sources/conformance/Carried/EmbeddedCompanions.swift
"""
import json
import pathlib

CASES = pathlib.Path(__file__).resolve().parent.parent / "corpus" / "cases"
FILES = {
    "superscriptContexts": "superscript-contexts.json",
    "superscriptVersionContexts": "superscript-contexts-versions.json",
}

print("// Written by Tools/embed_companions.py from corpus/cases; do not edit.")
print()
print("/// Copies of the companions of case files, for case files that come without them.")
print("enum EmbeddedCompanions {")
for name, file in FILES.items():
    content = json.loads((CASES / file).read_text(encoding="utf-8"))
    print(f"  /// {file}")
    print(f'  static let {name} = ##"""')
    lines = ["{"]
    items = list(content.items())
    for number, (key, value) in enumerate(items):
        comma = "," if number < len(items) - 1 else ""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        lines.append(json.dumps(key, ensure_ascii=False) + ":" + text + comma)
    lines.append("}")
    print("\n".join("    " + line for line in lines))
    print('    """##')
print("}")
