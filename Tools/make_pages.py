#!/usr/bin/env python3
"""Writes the generated parts of pages in docs: commands, options, exit codes, diagnostics and outcome fields.

usage: Tools/make_pages.py [check] [TOLLGATE]

TOLLGATE is the command to ask, by default .build/debug/tollgate. With `check` nothing is written, and the exit
code is 1 when a page is stale. Text outside the generated parts is written by hand and stays.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BEGIN = "<!-- Generated {}: make update WHAT=pages -->"
END = "<!-- End of {} -->"
# An option that this many commands describe in the same words is described once, in options.md.
SHARED = 3
# The command writes the numbers of its sections with these headings.
EXAMPLES, CODES = "EXAMPLES:", "EXIT CODES:"
TYPES = {"array": "list", "object": "object", "const": "constant"}


class Command:
    """The command line, as it describes itself."""

    def __init__(self, tool):
        self.tool = tool
        self.root = json.loads(self.run("--experimental-dump-help"))["command"]
        self.commands = [
            command
            for command in self.root["subcommands"]
            if command["shouldDisplay"] and command["commandName"] != "help"
        ]

    def run(self, *arguments, **environment):
        result = subprocess.run(
            [self.tool, *arguments], capture_output=True, text=True, env={**os.environ, **environment}
        )
        return result.stdout

    def usage(self, name):
        text = self.run("help", name).split("USAGE: ", 1)[1].split("\n\n", 1)[0]
        return "usage: " + "\n       ".join(line.strip() for line in text.split("\n"))

    def diagnostic_codes(self):
        completion = ["---completion", "check", "--", "--explain", "3", "0", "tollgate", "check", "--explain", ""]
        return self.run(*completion, SAP_SHELL="bash").split()


def prose(text):
    """Plain text as Markdown: options and quoted words become code, the rest is escaped."""

    def code(match):
        return "`" + (match[1] or match[2]) + "`"

    parts = re.split(r"(`[^`]*`)", re.sub(r"(?<![\w`])'([^'\n]+)'(?!\w)|(?<![\w`-])(--[a-z][a-z-]*)", code, text))
    for index in range(0, len(parts), 2):
        parts[index] = re.sub(r"([*_\[\]])", r"\\\1", parts[index]).replace("<", "&lt;")
    return "".join(parts)


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(cell(value) for value in row) + " |" for row in rows])


def sections(command):
    """The paragraphs, examples and exit codes of a command's help."""
    paragraphs, examples, codes = [], [], []
    for paragraph in (command.get("discussion") or "").split("\n\n"):
        lines = paragraph.split("\n")
        if lines[0] == EXAMPLES:
            examples = [line[2:] for line in lines[1:]]
        elif lines[0] == CODES:
            codes = [tuple(line.strip().split("  ", 1)) for line in lines[1:]]
        else:
            paragraphs.append(prose(paragraph))
    return paragraphs, examples, [(code, meaning.strip()) for code, meaning in codes]


def option_name(argument):
    value = f" <{argument['valueName']}>" if argument.get("valueName") else ""
    if argument["kind"] == "positional":
        return f"`{value.strip()}`"
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument["names"]]
    return f"`{', '.join(names)}{value if argument['kind'] == 'option' else ''}`"


def description(argument):
    texts = [argument.get("abstract"), argument.get("discussion")]
    text = " ".join(prose(text) for text in texts if text)
    details = []
    if argument.get("allValues") and argument["kind"] != "flag":
        details.append("values: " + ", ".join(f"`{value}`" for value in argument["allValues"]))
    if argument.get("defaultValue"):
        details.append(f"default: `{argument['defaultValue']}`")
    return text + (f" ({'; '.join(details)})" if details else "")


def key(argument):
    return option_name(argument) + description(argument)


def shown(command):
    return [argument for argument in command.get("arguments") or [] if argument["shouldDisplay"]]


def shared_options(commands):
    """The options that many commands describe in the same words, with the number of commands, in their order."""
    counts, found = {}, {}
    for command in commands:
        for argument in shown(command):
            if argument["kind"] != "positional":
                counts[key(argument)] = counts.get(key(argument), 0) + 1
                found.setdefault(key(argument), argument)
    return {name: argument for name, argument in found.items() if counts[name] >= SHARED}


def command_parts(tool, command, shared):
    name = command["commandName"]
    paragraphs, examples, codes = sections(command)
    about = [command["abstract"], "```\n" + tool.usage(name) + "\n```", *paragraphs]
    about += ["## Examples", "<!-- not run: VocabularyTests runs the examples of help -->\n```sh"]
    about[-1] += "\n" + "\n".join(examples) + "\n```"
    arguments = shown(command)
    own = [argument for argument in arguments if key(argument) not in shared]
    others = sorted({option_name(argument) for argument in arguments if key(argument) in shared})
    options = ["## Options"] if own or others else []
    if own:
        options.append(table(["option", "meaning"], [(option_name(item), description(item)) for item in own]))
    if others:
        options.append(f"[Shared options](options.md): {', '.join(others)}.")
    options += ["## Exit codes", table(["code", "meaning"], [(code, prose(meaning)) for code, meaning in codes])]
    options.append("[Exit codes](../exit-codes.md) · [Commands](index.md)")
    return {"about": "\n\n".join(about), "options": "\n\n".join(options)}


def exit_codes(tool):
    """The codes that all commands share."""
    everywhere = next(part for part in tool.root["discussion"].split("\n\n") if part.startswith("Exit codes: "))
    rows = [part.strip().rstrip(".") for part in everywhere.split(": ", 1)[1].split(";")]
    pairs = [re.match(r"([\d, and]*\d) (.*)", row).groups() for row in rows]
    return table(["code", "meaning"], [(code.replace(" and ", ", "), prose(text)) for code, text in pairs])


def diagnostics(tool):
    """The page of every code, as `check --explain` prints it."""
    blocks = []
    for code in tool.diagnostic_codes():
        head, summary, *rest = tool.run("check", "--explain", code).strip("\n").split("\n\n")
        severity = head[head.index("(") + 1 : -1]
        body = [part if part.startswith("    ") else prose(part) for part in rest]
        blocks.append("\n\n".join([f"## {code}", f"{severity.capitalize()}. {prose(summary)}", *body]))
    return "\n\n".join(blocks)


def field_type(schema):
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    types = schema.get("type", "object")
    names = types if isinstance(types, list) else [types]
    return " or ".join(f"`{TYPES.get(name, name)}`" for name in names)


def fields(schema, definitions, prefix=""):
    """A row for each member of an object, and of what lies inside."""
    rows = []
    for name, member in schema.get("properties", {}).items():
        own = member.get("description")
        while "$ref" in member:
            member = definitions[member["$ref"].rsplit("/", 1)[1]]
            own = own or member.get("description")
        optional = name not in schema.get("required", [])
        kind = field_type(member) + (", optional" if optional else "")
        rows.append((f"`{prefix}{name}`", kind, prose(own or "")))
        inner = member.get("items", member)
        rows += fields(inner, definitions, prefix + name + ("[]." if "items" in member else "."))
    return rows


def outcome_fields():
    schema = json.loads((ROOT / "corpus" / "schemas" / "outcome.schema.json").read_text())
    definitions = schema["$defs"]
    wide = definitions["wide"]["additionalProperties"]
    head = ["field", "type", "meaning"]
    return "\n\n".join(
        [
            "## One line for each user and placement",
            table(head, fields(definitions["long"], definitions)),
            "## One line for each user",
            f"With `--layout wide`. {prose(definitions['wide']['description'])} Its value has the members "
            + ", ".join(f"`{name}`" for name in wide["properties"])
            + ", with the same meaning. Here `experiment` and `variant` are IDs.",
        ]
    )


def filled(text, parts):
    """A page with its generated parts replaced; parts that it lacks come last."""
    for name, part in parts.items():
        begin, end = BEGIN.format(name), END.format(name)
        block = f"{begin}\n{part}\n{end}"
        if begin in text:
            head, rest = text.split(begin, 1)
            text = head + block + rest.split(end, 1)[1]
        else:
            text = text.rstrip("\n") + "\n\n" + block + "\n"
    return text


def pages(tool):
    """Each page with its generated parts."""
    shared = shared_options(tool.commands)
    result = {}
    for command in tool.commands:
        name = command["commandName"]
        result[f"commands/{name}.md"] = (f"tollgate {name}", command_parts(tool, command, shared))
    rows = [(f"[{c['commandName']}]({c['commandName']}.md)", prose(c["abstract"])) for c in tool.commands]
    result["commands/index.md"] = ("Commands", {"commands": table(["command", "purpose"], rows)})
    rows = [(option_name(argument), description(argument)) for argument in shared.values()]
    result["commands/options.md"] = ("Shared options", {"options": table(["option", "meaning"], rows)})
    result["exit-codes.md"] = ("Exit codes", {"codes": exit_codes(tool)})
    result["diagnostics.md"] = ("Diagnostics", {"codes": diagnostics(tool)})
    result["outcome-fields.md"] = ("Outcome fields", {"fields": outcome_fields()})
    return result


def main():
    arguments = sys.argv[1:]
    checks = arguments[:1] == ["check"]
    tool = Command(str(Path((arguments[checks:] or [ROOT / ".build/debug/tollgate"])[0]).absolute()))
    written = pages(tool)
    stale = []
    for path, (title, parts) in written.items():
        page = DOCS / path
        old = page.read_text() if page.exists() else ""
        new = filled(old or f"# {title}\n", parts)
        if new != old:
            stale.append(path)
            if not checks:
                page.parent.mkdir(exist_ok=True)
                page.write_text(new)
    known = {DOCS / path for path in written}
    extra = [page for page in (DOCS / "commands").glob("*.md") if page not in known]
    for page in extra:
        print(f"docs/commands/{page.name}: there is no such command; delete the page", file=sys.stderr)
    if checks:
        for path in stale:
            print(f"docs/{path} is stale: make update WHAT=pages", file=sys.stderr)
    sys.exit(1 if extra or checks and stale else 0)


main()
