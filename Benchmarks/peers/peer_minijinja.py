#!/usr/bin/env python3
"""Measure minijinja, through its Python wheel, on the texts that `bench templates` measures.

usage: peer_minijinja.py paywall-strings.jsonl [--set core60] [--compare FILE]
needs: pip install minijinja

Liquid is translated to Jinja as far as the two have the same things; a text counts only when minijinja
renders what is expected. As in `bench`, CPU time of the thread is counted in batches of about 5 ms,
and the fastest of nine is taken. The context is converted by minijinja at every call, which is what
calling it from Python costs; the mean of a text that holds no tag at all is given beside it. Prints
one line of JSON. With --compare FILE, a file that ends with the line of `bench templates --json`, the
same texts are compared: "ratio" is our time over minijinja's.
"""

import argparse
import json
import re
import statistics
import sys

import minijinja

from measuring import cost

FILTERS = {
    "upcase": "upper", "downcase": "lower", "capitalize": "capitalize", "size": "length",
    "join": "join", "default": "default", "strip": "trim", "escape": "escape", "first": "first",
    "last": "last", "round": "round", "abs": "abs", "split": "split", "replace": "replace",
}
OPERATORS = {"plus": "+", "minus": "-", "times": "*", "divided_by": "/", "modulo": "%"}


class Untranslatable(Exception):
    """The text uses something that Jinja does not have in this form."""


def value(text):
    """A Liquid value with filters as a Jinja expression."""
    parts = re.findall(r"""(?:[^|'"]|'[^']*'|"[^"]*")+""", text)
    result = parts[0].strip()
    for part in parts[1:]:
        name, _, arguments = part.strip().partition(":")
        name, arguments = name.strip(), arguments.strip()
        if name in OPERATORS:
            result = f"(({result})|float {OPERATORS[name]} ({arguments})|float)"
        elif name == "append":
            result = f"(({result}) ~ ({arguments}))"
        elif name == "prepend":
            result = f"(({arguments}) ~ ({result}))"
        elif name == "default":
            result = f"({result})|default({arguments}, true)"
        elif name in FILTERS:
            result = f"({result})|{FILTERS[name]}" + (f"({arguments})" if arguments else "")
        else:
            raise Untranslatable(name)
    return result


def condition(text):
    if " contains " in text:
        left, right = text.split(" contains ", 1)
        return f"({right.strip()}) in ({left.strip()})"
    text = text.replace("blank", "''").replace("nil", "none").replace("empty", "''")
    # Texts of digits compare with numbers.
    return re.sub(r"([\w.]+)\s*([<>]=?)\s*(\d+)", r"(\1|float) \2 \3", text)


def translate(template):
    """A Liquid template as a Jinja template."""
    result, subject = [], []
    for token in re.split(r"(\{\{.*?\}\}|\{%.*?%\})", template, flags=re.S):
        if token.startswith("{{"):
            result.append("{{ " + value(token[2:-2].strip("-").strip()) + " }}")
            continue
        if not token.startswith("{%"):
            result.append(token)
            continue
        open_, close = ("{%-" if token[2] == "-" else "{%"), ("-%}" if token[-3] == "-" else "%}")
        body = token[2:-2].strip("-").strip()
        name, _, rest = body.partition(" ")
        rest = rest.strip()
        if name.startswith("#"):
            body = None
        elif name in ("if", "elsif"):
            body = ("if " if name == "if" else "elif ") + condition(rest)
        elif name == "unless":
            body = f"if not ({condition(rest)})"
        elif name == "endunless":
            body = "endif"
        elif name == "assign":
            left, _, right = rest.partition("=")
            body = f"set {left.strip()} = {value(right.strip())}"
        elif name == "capture":
            body = f"set {rest}"
        elif name == "endcapture":
            body = "endset"
        elif name == "for":
            body = f"for {rest}"
        elif name == "case":
            subject.append([rest, True])
            body = None
        elif name == "when":
            test = " or ".join(f"{subject[-1][0]} == {v.strip()}" for v in rest.split(","))
            body = ("if " if subject[-1][1] else "elif ") + test
            subject[-1][1] = False
        elif name == "endcase":
            subject.pop()
            body = "endif"
        elif name == "comment":
            body = "if false"
        elif name == "endcomment":
            body = "endif"
        elif name not in ("else", "endif", "endfor", "raw", "endraw"):
            raise Untranslatable(name)
        if body is not None:
            result.append(f"{open_} {body} {close}".replace("forloop.last", "loop.last"))
    return "".join(result).replace("forloop.", "loop.")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("strings")
    parser.add_argument("--set", default="core60")
    parser.add_argument("--compare")
    arguments = parser.parse_args()
    ours = {}
    if arguments.compare:
        with open(arguments.compare, encoding="utf-8") as file:
            ours = json.loads(file.read().strip().splitlines()[-1])
    render, compilation, left_out = {}, {}, []
    with open(arguments.strings, encoding="utf-8") as file:
        cases = [json.loads(line) for line in file if line.strip()]
    for case in cases:
        if case["set"] != arguments.set:
            continue
        expected = case.get("expect_liquidjs", case["expect"])
        environment = minijinja.Environment()
        environment.auto_escape_callback = lambda name: False
        try:
            source = translate(case["template"])
            environment.add_template("t", source)
            data = case["data"]
            if environment.render_template("t", **data) != expected:
                raise Untranslatable("renders something else")
        except Exception as error:  # what minijinja refuses is not measured
            left_out.append({"id": case["id"], "why": str(error).splitlines()[0][:80]})
            continue
        render[case["id"]] = cost(lambda: environment.render_template("t", **data))[0]
        compilation[case["id"]] = cost(lambda: environment.add_template("t", source))[0]
    environment = minijinja.Environment()
    environment.add_template("t", "x")
    result = {
        "what": "minijinja", "strings": len(render), "left_out": left_out,
        "render_mean_ns": statistics.mean(render.values()),
        "render_median_ns": statistics.median(render.values()),
        "compile_median_ns": statistics.median(compilation.values()),
        "call_floor_ns": cost(lambda: environment.render_template("t"))[0],
    }
    if ours:
        shared = [key for key in render if key in ours["ns"]]
        mean = statistics.mean(ours["ns"][key] for key in shared)
        result["ours_mean_ns"] = mean
        result["ratio"] = mean / statistics.mean(render[key] for key in shared)
    print(json.dumps({k: round(v, 3) if isinstance(v, float) else v for k, v in result.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
