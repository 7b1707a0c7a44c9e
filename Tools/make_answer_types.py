#!/usr/bin/env python3
"""Writes Python/tollgate/answer_types.pyi, the types of answers, from corpus/schemas.

usage: Tools/make_answer_types.py          writes the file
       Tools/make_answer_types.py check    fails when the file is not what the schemas say
"""

import json
import keyword
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = ROOT / "corpus" / "schemas"
OUTPUT = ROOT / "Python" / "tollgate" / "answer_types.pyi"
OTHER = "outcome.schema.json"
WIDTH = 100
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

HEAD = '''"""The types of a config's answers, for type checkers. This module does not exist at run time.

>>> TYPE_CHECKING = False
>>> if TYPE_CHECKING:
...     from tollgate.answer_types import CoverAnswer

Made by Tools/make_answer_types.py from corpus/schemas/requests.schema.json.
"""

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict
'''


def upper(name):
    return name[0].upper() + name[1:]


class Types:
    """The types that are written, in the order in which they are needed."""

    def __init__(self):
        self.files = {
            name: json.loads((SCHEMAS / name).read_text())
            for name in ("requests.schema.json", OTHER)
        }
        self.blocks = {}

    def named(self, name, schema, file):
        """Writes a type once, behind those that it consists of."""
        if name in self.blocks:
            return name
        self.blocks[name] = None
        if schema.get("type") == "object" and "properties" in schema:
            block = self.dictionary(name, schema, file)
        else:
            block = self.alias(name, self.text(schema, file, name))
        # What it consists of stands before it.
        del self.blocks[name]
        self.blocks[name] = block
        return name

    def dictionary(self, name, schema, file):
        members = {}
        for key, member in schema["properties"].items():
            text = self.text(member, file, name + upper(key))
            members[key] = text if key in schema.get("required", []) else f"NotRequired[{text}]"
        if any(map(keyword.iskeyword, members)):
            lines = "".join(f'        "{key}": {text},\n' for key, text in members.items())
            return f'{name} = TypedDict(\n    "{name}",\n    {{\n{lines}    }},\n)\n'
        lines = "".join(f"    {key}: {text}\n" for key, text in members.items())
        return f"class {name}(TypedDict):\n{lines}"

    def alias(self, name, text):
        line = f"{name}: TypeAlias = {text}\n"
        if len(line) <= WIDTH:
            return line
        if text.startswith("Literal["):
            words = text.removeprefix("Literal[").removesuffix("]").split(", ")
            return f"{name}: TypeAlias = Literal[\n    " + ",\n    ".join(words) + ",\n]\n"
        return f"{name}: TypeAlias = (\n    " + "\n    | ".join(text.split(" | ")) + "\n)\n"

    def text(self, schema, file, name):
        """The annotation of a schema.

        name is what an object in place is called.
        """
        if "$ref" in schema:
            return self.reference(schema["$ref"], file)
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return f"Literal[{', '.join(json.dumps(word) for word in schema['enum'])}]"
        if "anyOf" in schema:
            return " | ".join(self.text(part, file, name) for part in schema["anyOf"])
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return " | ".join(self.kind(kind, schema, file, name) for kind in kinds) or "Any"

    def kind(self, kind, schema, file, name):
        if kind == "array":
            return f"list[{self.text(schema.get('items', {}), file, name + 'Item')}]"
        if kind == "object" and "properties" in schema:
            return self.named(name, schema, file)
        if kind == "object":
            values = schema.get("additionalProperties", {})
            return f"dict[str, {self.text(values, file, name + 'Value')}]"
        return SIMPLE[kind]

    def reference(self, reference, file):
        other, _, pointer = reference.partition("#/$defs/")
        file = other or file
        schema = self.files[file]["$defs"]
        for part in pointer.split("/"):
            schema = schema[part]
        if schema.get("type") == "object" or "enum" in schema or "anyOf" in schema:
            return self.named(upper(part), schema, file)
        return self.text(schema, file, upper(part))


def content():
    types = Types()
    file = "requests.schema.json"
    for name, schema in types.files[file]["$defs"].items():
        if not name.endswith("Request"):
            types.named(name, schema, file)
    return HEAD + "\n" + "\n".join(types.blocks.values())


def main():
    text = content()
    if sys.argv[1:] == ["check"]:
        if OUTPUT.read_text() != text:
            sys.exit(f"{OUTPUT} is not what the schemas say; run `make update WHAT=schemas`")
    else:
        OUTPUT.write_text(text)


if __name__ == "__main__":
    main()
