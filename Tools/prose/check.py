#!/usr/bin/env python3
"""Checks the prose of this repository against Tools/prose/words.txt, and its spelling with codespell.

usage: Tools/prose/check.py                  fails if Markdown has a pattern, or code has more than its ceiling
       Tools/prose/check.py list [PATH...]   prints every place in these files or folders
       Tools/prose/check.py lower            writes lower ceilings where code has improved

Markdown must be clean, except for the lines of exceptions.txt. In code the string literals and comments of each
folder are counted, and ceilings.txt may only fall. Generated parts of pages count as the code that they come from.
"""

import fnmatch
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
CEILINGS = HERE / "ceilings.txt"
# Written once and not changed afterwards, generated, or the words of others.
SKIPPED = ["docs/decisions/0*", "docs/api/*", "*/Fixtures/*", "Python/tollgate/_native/*", "*.lock", "Tools/prose/*"]
CODE = {".swift": "swift", ".h": "swift", ".js": "swift", ".py": "python", ".sh": "shell", ".html": "text"}
# Tables of names in other languages, and tests with deliberate mistakes.
UNSPELLED = re.compile(r"Locales/|TimeZoneTable|TimeZoneIndex|LocaleWords|LocaleCodes|CalendarNames|EmbeddedCompanions|Claims/|/tests/|Tools/make_(locales|timezones)")
# The folders whose strings and comments have a ceiling; tests and their fixtures are not read by users.
FOLDERS = ["Sources/*", "Server/Sources/*", "Python/tollgate", "Python/tests", "Tools", "Benchmarks", "Examples", "Fuzz"]


def table(name):
    lines = (HERE / name).read_text().split("\n")
    return [[cell.strip() for cell in line.split(" | ")] for line in lines if line and not line.startswith("#")]


PATTERNS = [(name, re.compile(pattern, re.MULTILINE), advice) for name, pattern, advice in table("words.txt")]
EXCEPTIONS = [(path, name, re.compile(text)) for path, name, text, _ in table("exceptions.txt")]


def markdown(text):
    """The prose of a page by line: without code, links' targets, comments and generated parts."""
    kept, fence, generated = [], False, False
    for line in text.split("\n"):
        if line.startswith("<!-- Generated"):
            generated = True
        if re.match(r" *```", line):
            fence = not fence
            line = ""
        blank = fence or generated or line.startswith(("    ", "<!--"))
        if line.startswith("<!-- End of"):
            generated = False
        line = re.sub(r"`[^`]*`", "CODE", "" if blank else line)
        kept.append(re.sub(r"\]\([^)]*\)", "]", line))
    # Sentences go over ends of lines, but not over those of paragraphs, rows and items.
    return [(number, "strings", line) for number, line in paragraphs(kept)]


def paragraphs(lines):
    number, part = 1, ""
    for index, line in enumerate([*lines, ""], 1):
        if not line.strip() or re.match(r" *([-*|#>]|\d+\.) ?", line):
            if part.strip():
                yield number, part
            number, part = index, line
        else:
            if not part.strip():
                number = index
            part = f"{part} {line.strip()}".strip()
    if part.strip():
        yield number, part


def python(text):
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], "comments", token.string.lstrip("# ")
            elif token.type == tokenize.STRING or tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
                yield token.start[0], "strings", token.string
    except (tokenize.TokenError, IndentationError):
        return


def shell(text):
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("#"):
            yield number, "comments", line.lstrip("# ")


TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|#+"""(?:.|\n)*?"""#+|"""(?:\\.|[^\\])*?"""|#"[^\n]*?"#|"(?:\\\((?:[^()"]|"[^"\n]*"|\([^()]*\))*\)|\\.|[^"\\\n])*"',
    re.DOTALL,
)


def swift(text):
    """Comments and string literals; comments over several lines are one."""
    comment, began, last = "", 0, -2
    for match in TOKEN.finditer(text):
        token, line = match[0], text.count("\n", 0, match.start()) + 1
        if token.startswith("//"):
            words = token.lstrip("/ ")
            starts = not words or words.startswith(("- ", "```"))
            if line == last + 1 and comment and not starts:
                comment += " " + words
            else:
                if comment:
                    yield began, "comments", comment
                comment, began = words, line
            last = line
            continue
        if token.startswith("/*"):
            yield line, "comments", re.sub(r"\s*\n\s*\*?\s*", " ", token)
            continue
        yield line, "strings", re.sub(r"\\?\n\s*", " ", token.strip('#"'))
    if comment:
        yield began, "comments", comment


def plain(text):
    return [(number, "strings", line) for number, line in enumerate(text.split("\n"), 1)]


READERS = {"swift": swift, "python": python, "shell": shell, "text": plain}


def files():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    for name in listed.stdout.split("\n"):
        path = ROOT / name
        if path.is_file() and not path.is_symlink() and not any(fnmatch.fnmatch(name, skip) for skip in SKIPPED):
            yield name, path


def folder(name):
    for pattern in FOLDERS:
        parts = "/".join(name.split("/")[: pattern.count("/") + 1])
        if fnmatch.fnmatch(parts, pattern) and parts != name:
            return parts
    return None


def findings():
    """Each place as its file, line, kind, pattern, text and advice."""
    for name, path in files():
        suffix = path.suffix
        if suffix == ".md":
            pieces = markdown(path.read_text())
        elif suffix in CODE and folder(name):
            pieces = READERS[CODE[suffix]](path.read_text(errors="replace"))
        else:
            continue
        for line, kind, text in pieces:
            for pattern, expression, advice in PATTERNS:
                for match in expression.finditer(text):
                    around = text[max(match.start() - 40, 0) : match.end() + 40]
                    if not any(
                        fnmatch.fnmatch(name, where) and which in (pattern, "*") and allowed.search(around)
                        for where, which, allowed in EXCEPTIONS
                    ):
                        yield name, line, kind, pattern, around.strip(), advice


def read_ceilings():
    lines = CEILINGS.read_text().split("\n") if CEILINGS.exists() else []
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {(name, kind): int(count) for name, kind, count in rows}


def spelling():
    tool = ROOT / "out/python-venv/bin/codespell"
    if not tool.exists():
        print("prose: codespell is not installed (Tools/setup-python.sh), so spelling is not checked", file=sys.stderr)
        return 0
    names = [
        name
        for name, path in files()
        if (path.suffix == ".md" or folder(name) and path.suffix in CODE) and not UNSPELLED.search(name)
    ]
    result = subprocess.run(
        [tool, "--ignore-words", HERE / "spelling.txt", *names], cwd=ROOT, capture_output=True, text=True
    )
    sys.stdout.write(result.stdout)
    return result.returncode


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["list"]:
        wanted = [str(path).rstrip("/") for path in arguments[1:]]
        for name, line, _, pattern, text, advice in findings():
            if not wanted or any(name == path or name.startswith(path + "/") for path in wanted):
                print(f"{name}:{line}: {pattern}: {text!r}; write {advice}")
        return 0
    failed, counts = 0, Counter()
    for name, line, kind, pattern, text, advice in findings():
        if name.endswith(".md"):
            print(f"{name}:{line}: {pattern}: {text!r}; write {advice}")
            failed += 1
        else:
            counts[folder(name), kind] += 1
    ceilings = read_ceilings()
    for key, ceiling in ceilings.items():
        counts.setdefault(key, 0)
        if counts[key] > ceiling and arguments != ["lower"]:
            print(f"{key[0]}: {counts[key]} patterns in {key[1]}, at most {ceiling}; `Tools/prose/check.py list {key[0]}`")
            failed += 1
    if arguments == ["lower"]:
        head = "# The patterns of words.txt that each folder may have. `Tools/prose/check.py lower` writes lower numbers.\n"
        rows = [
            f"{name} {kind} {min(count, ceilings.get((name, kind), count))}"
            for (name, kind), count in sorted(counts.items())
            if count
        ]
        CEILINGS.write_text(head + "\n".join(rows) + "\n")
        return 0
    for key in set(counts) - set(ceilings):
        print(f"{key[0]}: {counts[key]} patterns in {key[1]}, and no ceiling; write plain English")
        failed += 1
    failed += spelling()
    if failed:
        print("prose: see Tools/prose/words.txt, and exceptions.txt beside it", file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
