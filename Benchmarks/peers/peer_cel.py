#!/usr/bin/env python3
"""Measure cel-rust, through its Python wheel, on the rules that `bench expressions` measures.

usage: peer_cel.py RULES.jsonl CONTEXTS.json          needs: pip install common-expression-language

Prints one line of JSON. As in `bench`, CPU time of the thread is counted in batches of about 5 ms,
and the fastest of nine is taken. Calling from Python costs more than a small rule does, so the
floor, which is the call for rule r00 (`true`), is subtracted from every evaluation. Compiling is
given as it is: a call is a small part of it.
"""

import json
import math
import sys
from importlib import metadata

import cel

from measuring import cost

FLOOR_ID = "r00"


def geometric_mean(figures):
    return math.exp(sum(map(math.log, figures)) / len(figures)) if figures else None


def measure(rule, contexts, wrong):
    """Costs of a rule's evaluation by context; wrong results are listed and not measured."""
    program = cel.compile(rule["expr"])
    costs = {}
    for name, expected in rule["expect"].items():
        try:
            got = program.execute(contexts[name])
        except Exception as error:  # the engine has one exception type for each kind of failure
            got = f"{type(error).__name__}: {error}"
        if got is expected:
            costs[name] = cost(lambda: program.execute(contexts[name]))
        else:
            wrong.append({"id": rule["id"], "context": name, "expected": expected, "got": str(got)})
    return costs


def main():
    rules_path, contexts_path = sys.argv[1:]
    with open(rules_path, encoding="utf-8") as file:
        rules = [json.loads(line) for line in file if line.strip()]
    with open(contexts_path, encoding="utf-8") as file:
        contexts = {k: cel.Context(variables=v) for k, v in json.load(file).items()}

    evaluation, compilation, skipped, wrong = {}, {}, [], []
    for rule in rules:
        text = rule["expr"]
        try:
            cel.compile(text)
        except Exception as error:
            skipped.append({"id": rule["id"], "message": str(error)})
            continue
        evaluation[rule["id"]] = measure(rule, contexts, wrong)
        compilation[rule["id"]] = cost(lambda: cel.compile(text))

    floor = min((c[0] for c in evaluation.pop(FLOOR_ID, {}).values()), default=0)
    compilation.pop(FLOOR_ID, None)
    costs = [c for by_context in evaluation.values() for c in by_context.values()]
    above_floor = [[max(figure - floor, 1) for figure in column] for column in zip(*costs)]
    result = {
        "peer": "cel-rust through common-expression-language "
        + metadata.version("common-expression-language"),
        "geomean_ns": geometric_mean(above_floor[0]) if costs else None,
        "geomean_median_ns": geometric_mean(above_floor[1]) if costs else None,
        "geomean_with_call_ns": geometric_mean([c[0] for c in costs]),
        "compile_geomean_ns": geometric_mean([c[0] for c in compilation.values()]),
        "floor_ns": floor,
        "rules": len(evaluation),
        "skipped": skipped,
        "wrong": wrong,
    }
    print(json.dumps({k: round(v, 1) if isinstance(v, float) else v for k, v in result.items()}))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
