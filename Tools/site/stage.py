#!/usr/bin/env python3
"""Copies the pages of the documentation site into out/site-src, with links that work there.

usage: Tools/site/stage.py           copies
       Tools/site/stage.py words     prints the words of each page, and fails if the documents have too many
       Tools/site/stage.py words quiet    prints nothing if they do not

Pages in docs keep their place. Other Markdown goes to `project`, and files that pages link to go to `files`. This
file has the order of the navigation. Words are counted outside of code.
"""

import html
import json
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "out" / "site-src"
# Of guides and of the documents at the top of the repository: without decision records and the pages beside code.
MOST_WORDS = 40_000

# Title of the tab, and its pages: a path in the repository, or a pair of title and path.
NAVIGATION = {
    "Home": ["docs/index.md"],
    "Rules": [
        "docs/getting-started.md",
        "docs/reviewing-changes.md",
        "docs/configs.md",
        "docs/assignment.md",
        "docs/invariants.md",
        "docs/traffic.md",
        "docs/reports.md",
        "docs/action.md",
        "docs/editors.md",
        "docs/superscript.md",
        "docs/dates.md",
        "docs/templates.md",
        "docs/playground.md",
        # Guides that are named nowhere else.
        "docs/*.md",
    ],
    "Warehouse": [
        "docs/users.md",
        "docs/python.md",
        "docs/databricks.md",
        "docs/snowflake.md",
        "docs/bigquery.md",
        "Examples/dbt/README.md",
        "Python/benchmarks/README.md",
    ],
    "Apps": [
        "docs/sdk.md",
        "docs/migrating.md",
        "docs/testing.md",
        "docs/sandbox.md",
        "docs/libraries.md",
        "docs/expressions.md",
        "docs/names.md",
        "Tests/CRITERIA.md",
        "Examples/TerminalApp/README.md",
        "Examples/HostApp/README.md",
    ],
    "Services": ["docs/server.md", "docs/deploying.md", "docs/performance.md", "docs/library.md", "docs/stability.md"],
    "Commands": ["docs/commands/index.md", "docs/commands/options.md", "docs/commands/*.md"],
    "Reference": [
        "docs/glossary.md",
        "docs/exit-codes.md",
        "docs/diagnostics.md",
        "docs/outcome-fields.md",
        "docs/functions.md",
        "docs/python-reference.md",
        "docs/swift-reference.md",
    ],
    "Project": [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CONFORMANCE.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "docs/building.md",
        "docs/releasing.md",
        "corpus/*README.md",
        "Sources/**/README.md",
        "Server/README.md",
        "JavaScript/README.md",
        "Fuzz/README.md",
        "Benchmarks/**/README.md",
        "Tools/README.md",
        "Tools/mutate/README.md",
    ],
    "Decisions": ["docs/decisions/index.md", "docs/decisions/sdk.md", "docs/decisions/*.md"],
}
REFERENCES = {
    "docs/python-reference.md": """# Python reference

[The guide](python.md) has examples that run.

::: tollgate
    options:
      members: [Config, Plan, Outcomes, Tally, Decision, Explanation, Diagnostic]

::: tollgate.errors

::: tollgate.polars

::: tollgate.duckdb

::: tollgate.spark

::: tollgate.openfeature
""",
    "docs/swift-reference.md": """# Swift reference

The public declarations of each library, from their docstrings.

| library | for |
|---|---|
MODULES

[The Swift libraries](libraries.md) and [the SDK](sdk.md) are the guides.
""",
    "docs/playground.md": """# The playground

A page for trying rules: edit a config, a user, a text or products, and see findings, outcomes and explanations with every change.

<a href="playground/index.html">Open the playground</a>. The engine runs in the page, in WebAssembly, and nothing that you enter leaves it.
*Copy link* puts your edits behind the `#` of an address, which no server sees.

To work offline, save <a href="playground/tollgate-playground.html" download>the playground as one file</a>.

`tollgate-server` has the same page, with its config and users. In this repository:

```sh
make serve
```

Then open <a href="http://127.0.0.1:8080/">http://127.0.0.1:8080/</a>. [Decisions over HTTP](server.md#the-playground) describes the page.
""",
}
MODULES = {
    "RuleEngine": "deciding and explaining",
    "RuleBatch": "deciding for millions of users",
    "Expressions": "CEL expressions and templates",
    "SDK": "apps",
}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^ *```")


def place(path):
    """Where a page of the repository is on the site."""
    if path.startswith("docs/"):
        return path[len("docs/") :]
    if path.endswith("/README.md"):
        return "project/" + path[: -len("/README.md")].replace("/", "-").lower() + ".md"
    return "project/" + Path(path).name.lower()


def expand(pattern, seen):
    if "*" not in pattern:
        if pattern not in REFERENCES and not (ROOT / pattern).exists():
            sys.exit(f"stage: there is no page '{pattern}'")
        return [pattern]
    found = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern) if path.is_file())
    return [path for path in found if path not in seen and "/.build" not in path]


class Stage:
    def __init__(self):
        self.pages = {}
        self.files = set()
        self.missing = []
        seen = {pattern for patterns in NAVIGATION.values() for pattern in patterns if "*" not in pattern}
        self.navigation = {}
        for tab, patterns in NAVIGATION.items():
            paths = []
            for pattern in patterns:
                for path in expand(pattern, seen):
                    seen.add(path)
                    paths.append(path)
            self.navigation[tab] = paths
            self.pages.update({path: place(path) for path in paths})

    def text(self, path):
        if path in REFERENCES:
            rows = [f'| <a href="swift/{name}/documentation/{name.lower()}/">{name}</a> | {purpose} |' for name, purpose in MODULES.items()]
            return REFERENCES[path].replace("MODULES", "\n".join(rows))
        return (ROOT / path).read_text()

    def link(self, page, target):
        """A link of a page, for the place of the page on the site."""
        if target.startswith(("http:", "https:", "mailto:", "#")):
            return target
        name, _, anchor = target.partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(page), name))
        anchor = "#" + anchor if anchor else ""
        here = os.path.dirname(self.pages[page])
        if (ROOT / full).is_dir() and full + "/README.md" in self.pages:
            full += "/README.md"
        if full in self.pages:
            return os.path.relpath(self.pages[full], here or ".") + anchor
        if page in REFERENCES and not (ROOT / full).exists():
            return target
        if not (ROOT / full).exists():
            self.missing.append(f"{page}: {target}")
            return target
        self.files.add(full)
        name = f"files/{full}/index.html" if (ROOT / full).is_dir() else f"files/{full}"
        return os.path.relpath(name, here or ".")

    def write(self):
        shutil.rmtree(SOURCE, ignore_errors=True)
        for path, goal in self.pages.items():
            lines, fence = [], False
            for line in self.text(path).split("\n"):
                if FENCE.match(line):
                    fence = not fence
                if not fence:
                    line = self.links(path, line)
                if line.startswith("|"):
                    # Here a bar in code needs no backslash.
                    line = re.sub(r"`[^`]*`", lambda match: match[0].replace("\\|", "|"), line)
                # The words of a language that the highlighter does not know.
                lines.append(re.sub(r"^( *)```(cel|liquid)$", r"\1```text", line))
            goal = SOURCE / goal
            goal.parent.mkdir(parents=True, exist_ok=True)
            goal.write_text("\n".join(lines))
        for path in sorted(self.files):
            self.copy(path)
        self.playground()

    def links(self, path, line):
        """The links of a line, except those in code."""
        parts = re.split(r"(`[^`]*`)", line)
        if any(part.startswith("`") and "](" in part for part in parts):
            parts = [line] if "](" not in "".join(parts[1::2]) else parts
        joined, kept = "", []
        for index, part in enumerate(parts):
            if index % 2:
                kept.append(part)
                joined += f"\0{len(kept) - 1}\0"
            else:
                joined += part
        joined = LINK.sub(lambda match: match[1] + self.link(path, match[2]) + match[3], joined)
        return re.sub(r"\0(\d+)\0", lambda match: kept[int(match[1])], joined)

    def copy(self, path):
        source, goal = ROOT / path, SOURCE / "files" / path
        if source.is_file():
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, goal)
            return
        names = sorted(file.name for file in source.iterdir() if file.is_file())
        goal.mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy(source / name, goal / name)
        items = "".join(f'<li><a href="{html.escape(name)}">{html.escape(name)}</a></li>' for name in names)
        title = html.escape(path)
        (goal / "index.html").write_text(
            f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
            f"<meta name=color-scheme content='light dark'><title>{title}</title><h1>{title}</h1><ul>{items}</ul></html>\n"
        )

    def playground(self):
        """The playground without a server, which Tools/make-playground.sh builds."""
        shutil.copytree(ROOT / "out/playground", SOURCE / "playground")

    def words(self, prints):
        """The words of all documents. Prints those of each page."""
        totals = {"documents": 0, "decision records": 0, "pages beside code": 0}
        for path in sorted(self.pages):
            count = words(self.text(path))
            kind = "documents" if path.startswith("docs/") or "/" not in path else "pages beside code"
            totals["decision records" if path.startswith("docs/decisions/") else kind] += count
            if prints:
                print(f"{count:6}  {path}")
        for kind, count in totals.items() if prints else ():
            print(f"{count:6}  words in {kind}" + (f", at most {MOST_WORDS}" if kind == "documents" else ""))
        return totals["documents"]

    def configuration(self):
        """The navigation, for mkdocs.yml."""
        navigation = []
        for tab, paths in self.navigation.items():
            items = [self.pages[path] for path in paths]
            navigation.append({tab: items if len(items) > 1 else items[0]})
        return navigation


def words(text):
    """How many words a page has outside of code, comments and targets of links."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^    .*$|`[^`\n]*`|\]\([^)]*\)", " ", text, flags=re.MULTILINE)
    return len(re.findall(r"\S*\w\S*", text))


def main():
    stage = Stage()
    if sys.argv[1:2] == ["words"]:
        count = stage.words(prints=sys.argv[2:] != ["quiet"])
        if count > MOST_WORDS:
            sys.exit(f"stage: the documents have {count} words, at most {MOST_WORDS}; Tools/site/stage.py words lists them")
        return
    stage.write()
    for problem in stage.missing:
        print(f"stage: {problem}: the link leads nowhere", file=sys.stderr)
    configuration = (ROOT / "Tools/site/mkdocs.yml").read_text() + "nav: " + json.dumps(stage.configuration()) + "\n"
    configuration = configuration.replace("../../", str(ROOT) + "/")
    (ROOT / "out" / "mkdocs.yml").write_text(configuration)
    for name in ("site.css", "favicon.svg"):
        shutil.copy(ROOT / "Tools/site" / name, SOURCE / name)
    sys.exit(1 if stage.missing else 0)


main()
