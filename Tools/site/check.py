#!/usr/bin/env python3
"""Finishes the site in out/site and checks it.

usage: Tools/site/check.py

Every link and anchor must exist, and no page may load anything from another server.
"""

import os
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "out" / "site"
# Of the theme's search; here it is a file of the site.
WORKER = re.compile(r"https://unpkg\.com/iframe-worker/shim(?:@[^\"' ]*)?")
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
# Written by DocC; their links are made by its script.
OTHERS = ("swift/",)


class Page(HTMLParser):
    """The links, loads and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for name in ("id", "name"):
            if values.get(name):
                self.anchors.add(values[name])
        if tag in LOADS and values.get(LOADS[tag]):
            self.loads.append(values[LOADS[tag]])
        if tag == "link" and values.get("href"):
            relation = values.get("rel") or ""
            (self.links if relation in ("canonical", "prev", "next") else self.loads).append(values["href"])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])


def finish():
    """Takes the worker of the search from the site itself."""
    shutil.copy(ROOT / "Tools/site/offline.js", SITE / "assets" / "offline.js")
    for path in SITE.rglob("*.html"):
        text = path.read_text()
        if WORKER.search(text):
            place = os.path.relpath(SITE / "assets" / "offline.js", path.parent)
            path.write_text(WORKER.sub(place, text))


def check():
    pages = {
        path: Page(path.read_text())
        for path in SITE.rglob("*.html")
        if not str(path.relative_to(SITE)).startswith(OTHERS)
    }
    problems = []
    for path, page in pages.items():
        name = path.relative_to(SITE)
        for target in page.loads + page.links:
            parts = urlsplit(target)
            if parts.scheme in ("http", "https") or target.startswith("//"):
                if target in page.loads:
                    problems.append(f"{name}: loads {target} from another server")
                continue
            if parts.scheme:
                continue
            if name.name == "404.html":
                goal = SITE / unquote(parts.path).lstrip("/") if parts.path else path
            else:
                goal = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
            if goal.is_dir():
                goal = goal / "index.html"
            if not goal.exists():
                problems.append(f"{name}: {target} does not exist")
            elif parts.fragment and goal in pages and unquote(parts.fragment) not in pages[goal].anchors:
                if parts.fragment != "__skip":
                    problems.append(f"{name}: {target} has no such anchor")
    styles = [path for path in SITE.rglob("*.css")]
    for path in styles:
        for target in re.findall(r"url\((?!data:)[\"']?(https?:[^)\"']+)", path.read_text()):
            problems.append(f"{path.relative_to(SITE)}: loads {target} from another server")
    return len(pages), sum(len(page.links) for page in pages.values()), sorted(set(problems))


def main():
    finish()
    pages, links, problems = check()
    for problem in problems:
        print(f"site: {problem}", file=sys.stderr)
    print(f"{pages} pages, {links} links, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
