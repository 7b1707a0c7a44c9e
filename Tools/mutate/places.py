"""Random places for mutants: what a line says, and what it could say by mistake."""
import re

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
         "*": "/", "/": "*", "%": "/"}
# Words of which one could be meant for the other.
WORDS = {".first": ".last", ".last": ".first", ".halfUp": ".down", ".down": ".halfUp", "min": "max", "max": "min",
         ".lowerBound": ".upperBound", ".upperBound": ".lowerBound"}

STATEMENT = re.compile(r"(?:(?!self\.init|super\.)[a-z][\w.]*\([^{}]*\)|(?!self\b|let\b|var\b)[\w.\[\]]+ [+&|~-]*= [^{}]+)")
KEYWORD = re.compile(
    r"(?:return|case|guard|if|throw|try|defer|let|var|for|while|switch|func|super|init|precondition|assert)\b")
# No mutant can be asked for in these, or none can be told.
LEFT_OUT = re.compile(r"\bfunc\b|\bstruct\b|\bextension\b|<[A-Z]|precondition|assert|#if|#available|@\w+|static let")
OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||<|>|\+|-|\*|/|%)(?= )")
CHOICE = re.compile(r" \? (\.?[\w.]+|\w[\w.]*\([\w.]*\)) : (\.?[\w.]+|\w[\w.]*\([\w.]*\))(?=[,);]|$| else| \{)")
CONDITION = re.compile(r"(?:^(?:\} else )?(?:if|guard) |, )([^,{}]+?) (?:\{|else \{)")
PATTERN = re.compile(r"\b(let|var|case|try|await|in)\b|=(?!=)(?<!==)(?<![<>!]=)")
NUMBER = re.compile(r"(?<=[<>=+*%/-] )(\d[\d_]*)(?=[,); ]|$)")
WORD = re.compile(
    r"(?:(?<![\w.)])(min|max)(?=\()|(?<=[\w)\]])(\.first|\.last|\.lowerBound|\.upperBound)(?![\w(]| \{)|(?<=[ (:])(\.halfUp|\.down)(?=[,) ]))")


def is_statement(lines, i, bare, before, after):
    line = lines[i]
    return (line.startswith("    ") and STATEMENT.fullmatch(bare) and not KEYWORD.match(bare)
            and bare.count("(") == bare.count(")") and re.search(r"[{});\w\]\"]$", before)
            and not re.match(r"[.?:&|+*)-]", after) and not before.lstrip().startswith("case ")
            and not ("= " in bare and is_in_init(lines, i)))


def is_in_init(lines, i):
    """A first value cannot be left out."""
    indent = len(lines[i]) - len(lines[i].lstrip())
    while i > 0 and indent > 2:
        i -= 1
        here = len(lines[i]) - len(lines[i].lstrip())
        if lines[i].strip() and here < indent:
            indent = here
            if re.search(r"\binit[(?<]", lines[i]):
                return True
    return False


def places(file, text):
    """The kind of each fault that a file could have, and the mutant without a number."""
    return [(kind, mutant) for kind, mutant in found(file, text) if mutant]


def found(file, text):
    lines, inlined, is_text = text.split("\n"), None, False
    for i, line in enumerate(lines):
        code, bare = line.split("//")[0].rstrip(), line.strip()
        indent = len(line) - len(line.lstrip())
        if line.count('"""') % 2 == 1:
            is_text = not is_text
            continue
        if is_text:
            continue
        if "@inlinable" in line or "@_transparent" in line or "@export" in line:
            inlined = indent
        elif inlined is not None and bare == "}" and indent <= inlined:
            inlined = None
        if not bare or inlined is not None or text.count(bare) != 1 or bare.startswith("//"):
            continue
        before, after = lines[i - 1].rstrip(), lines[i + 1].strip() if i + 1 < len(lines) else ""

        def mutant(part, new, place=None):
            if bare.count(part) == 1:
                return {"file": file, **({} if part == bare else {"in": bare}), "before": part, "after": new}
            return None

        if is_statement(lines, i, bare, before, after):
            yield "drop", mutant(bare, "if !MUTANT { " + bare + " }")
            if match := re.fullmatch(r"(\S+) (\+|-)= (.+)", bare):
                other = "-" if match[2] == "+" else "+"
                yield "constant", mutant(
                    bare, f"if MUTANT {{ {match[1]} {other}= {match[3]} }} else {{ {bare} }}")
        if bare in ("return true", "return false"):
            continue
        if '"' in code or LEFT_OUT.search(code) or not line.startswith("  "):
            continue
        for match in OPERATOR.finditer(code):
            operator = match.group(1)
            if len(re.findall(rf"(?<= ){re.escape(operator)}(?= )", bare)) == 1:
                kind = {"&&": "logic", "||": "logic"}.get(operator, "operator")
                yield kind, {"file": file, "in": bare, "before": operator, "after": SWAPS[operator]}
        for match in CHOICE.finditer(code):
            yield "choice", mutant(
                match.group(0), f" ? (MUTANT ? {match[2]} : {match[1]}) : (MUTANT ? {match[1]} : {match[2]})")
        for match in CONDITION.finditer(bare) if re.match(r"(?:\} else )?(?:if|guard)\b", bare) else ():
            words = match.group(1)
            if not PATTERN.search(words) and words.count("(") == words.count(")"):
                whole = match.group(0)
                yield "condition", mutant(whole, whole.replace(words, f"MUTANT || ({words})"))
                yield "condition", mutant(whole, whole.replace(words, f"!MUTANT && ({words})"))
        for match in NUMBER.finditer(code):
            number = match.group(1)
            if number.isdigit() and re.search(r"(<=?|>=?|==|[+*%-]) $", code[:match.start()]):
                part = code[:match.end()][-len(number) - 3:]
                yield "constant", mutant(part, part[:-len(number)] + f"(MUTANT ? {int(number) + 1} : {number})")
        for match in WORD.finditer(code):
            word = match.group(0)
            if word in ("min", "max"):
                call = re.match(r"\w+(\([^()]*,[^()]*\))", code[match.start():])
                if call:
                    yield "word", mutant(call.group(0), WORDS[word] + call.group(1))
            elif word[1:] in ("halfUp", "down"):
                yield "word", mutant(match.group(0), f"MUTANT ? {WORDS[word]} : {word}")
            else:
                start = re.search(r"[\w.\[\]]+$", code[:match.start()])
                if start and not re.search(r"\blet\b|= [\w.]+$", code[:start.start()][-3:]):
                    yield "word", mutant(start.group(0) + word, start.group(0) + WORDS[word])
