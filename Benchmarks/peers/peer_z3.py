#!/usr/bin/env python3
"""Ask z3 what `tollgate check` proves: for whom audiences can be reached, in strict CEL.

usage: peer_z3.py TOLLGATE [--questions N] [--seed N]          needs: pip install z3-solver

Makes a config of random audiences, four to a placement, of comparisons with whole numbers and
halves, equality of texts and bools, and presence. z3 gets the same conditions with what CEL says
of them: true, false or an error, and which errors `&&` and `||` absorb. Each audience is a question:
is there a user whom it takes and none before it does. Ends with one line of JSON, and with exit
code 1 when the answers differ.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import z3

NUMBERS = ["-1", "0", "1", "2", "2.5", "3", "10"]
TEXTS = ["a", "b", "c"]
NAMES = ["a", "b", "c"]
MISSING, NULL, BOOL, NUMBER, TEXT, OTHER = range(6)
# What says that nobody is taken.
CODES = {"unreachable-audience", "contradictory-clauses"}


class Attribute:
    """What an attribute may be: its kind, and a value for each."""

    def __init__(self, name):
        self.kind = z3.Int(f"{name}_kind")
        self.bool = z3.Bool(f"{name}_bool")
        self.number = z3.Real(f"{name}_number")
        # The texts of constants by their place, all others as one.
        self.text = z3.Int(f"{name}_text")

    def bounds(self):
        return [self.kind >= MISSING, self.kind <= OTHER, self.text >= 0, self.text <= len(TEXTS)]


def atom(source, attributes):
    """Returns a condition, and when it is true and when false; otherwise it is an error."""
    name = source.choice(NAMES)
    attribute = attributes[name]
    path = f"user.{name}"
    there = attribute.kind != MISSING
    what = source.randrange(10)
    if what == 0:
        return f"has({path})", there, z3.Not(there)
    if what <= 4:
        number = source.choice(NUMBERS)
        operator = source.choice(["<", "<=", ">", ">="])
        compared = {"<": attribute.number < number, "<=": attribute.number <= number,
                    ">": attribute.number > number, ">=": attribute.number >= number}[operator]
        fits = attribute.kind == NUMBER
        return f"{path} {operator} {number}", z3.And(fits, compared), z3.And(fits, z3.Not(compared))
    if what <= 6:
        number = source.choice(NUMBERS)
        equal = z3.And(attribute.kind == NUMBER, attribute.number == number)
        text = number
    elif what == 7:
        place = source.randrange(len(TEXTS))
        equal = z3.And(attribute.kind == TEXT, attribute.text == place)
        text = f"'{TEXTS[place]}'"
    elif what == 8:
        equal = z3.And(attribute.kind == BOOL, attribute.bool)
        text = "true"
    else:
        equal = attribute.kind == NULL
        text = "null"
    if source.random() < 0.3:
        return f"{path} != {text}", z3.And(there, z3.Not(equal)), z3.And(there, equal)
    return f"{path} == {text}", z3.And(there, equal), z3.And(there, z3.Not(equal))


def condition(source, attributes, depth=2):
    if depth == 0 or source.random() < 0.25:
        return atom(source, attributes)
    (a, a_true, a_false) = condition(source, attributes, depth - 1)
    (b, b_true, b_false) = condition(source, attributes, depth - 1)
    what = source.randrange(5)
    if what < 2:
        return f"({a} && {b})", z3.And(a_true, b_true), z3.Or(a_false, b_false)
    if what < 4:
        return f"({a} || {b})", z3.Or(a_true, b_true), z3.And(a_false, b_false)
    return f"!({a})", a_false, a_true


def rule(number, text):
    return {
        "experiment_id": f"e{number}", "experiment_group_id": "g", "expression_cel": text,
        "occurrence": None, "computed_properties": [], "preload": {"behavior": "ALWAYS"},
        "variants": [{"variant_id": "v", "variant_type": "TREATMENT", "percentage": 100,
                      "paywall_identifier": "pw"}]}


def questions(count, seed):
    """Returns a config, and for each audience by its path whether z3 finds a user that it takes."""
    source = random.Random(seed)
    attributes = {name: Attribute(name) for name in NAMES}
    triggers = []
    answers = {}
    for place in range((count + 3) // 4):
        solver = z3.Solver()
        for attribute in attributes.values():
            solver.add(attribute.bounds())
        rules = []
        for number in range(4):
            text, is_true, _ = condition(source, attributes)
            rules.append(rule(number, text))
            solver.push()
            solver.add(is_true)
            path = f"trigger_options[{place}].rules[{number}]"
            answers[path] = solver.check() == z3.sat
            solver.pop()
            solver.add(z3.Not(is_true))
        triggers.append({"event_name": f"p{place}", "rules": rules})
    config = {
        "build_id": "b", "log_level": 10, "app_session_timeout_ms": 1, "toggles": [],
        "products": [], "postback": {}, "disable_preload": {"all": False, "triggers": []},
        "localization": {"locales": []}, "paywall_responses": [], "trigger_options": triggers}
    return config, answers


def findings(tollgate, config):
    """Returns the audiences that `check` reports to take no user, those that it may have reported
    as a clause that is never true, and its statistics."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "config.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        command = [tollgate, "check", path, "--dialect", "cel", "--elsewhere", "off", "--json",
                   "--statistics"]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
    if said.returncode > 1:
        sys.exit(said.stderr)
    empty = set()
    doubtful = set()
    statistics = None
    for line in said.stdout.splitlines():
        found = json.loads(line)
        statistics = found.get("statistics", statistics)
        path = ".".join(found.get("path", "").split(".")[:2])
        if found.get("code") in CODES:
            empty.add(path)
        elif found.get("code") == "constant-clause" and " is never true" in found["message"]:
            doubtful.add(path)
    return empty, doubtful, statistics


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tollgate")
    parser.add_argument("--questions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    config, answers = questions(options.questions, options.seed)
    empty, doubtful, statistics = findings(options.tollgate, config)
    wrong = [path for path in empty if answers.get(path)]
    missed = [path for path, is_met in answers.items()
              if not is_met and path not in empty | doubtful]
    for path in sorted(wrong + missed):
        place, number = (int(part.split("[")[1][:-1]) for part in path.split("."))
        rules = config["trigger_options"][place]["rules"][:number + 1]
        print(path, "wrong" if path in wrong else "missed", [r["expression_cel"] for r in rules],
              file=sys.stderr)
    print(json.dumps({
        "questions": len(answers), "unsatisfiable": sum(not met for met in answers.values()),
        "wrong": len(wrong), "missed": len(missed), "statistics": statistics,
        "z3": z3.get_version_string()}))
    sys.exit(1 if wrong or missed else 0)


if __name__ == "__main__":
    main()
