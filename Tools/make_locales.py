#!/usr/bin/env python3
"""Writes Sources/Pricing/Locales/LocaleTable.swift from what Foundation knows.

    Tools/make_locales.py [--dump FILE] [--output FILE]

Compiles and runs Tools/dump_locales.swift, which prints how Foundation writes prices, dates and
periods in every locale, and packs that into text. --dump reads such facts from a file instead. Run it
again with a new Foundation and commit the result; it differs where Foundation's data differs. What cannot be
packed ends the program. How many dates, and prices of languages in other regions, are not as
Foundation writes them is printed; the tests compare the prices of all locales.

The format, read by LocaleIndex.swift. Every table is lines of fields divided by "|"; numbers are line
numbers in other tables, counted from 0.

  shapes      zero digit | decimal separator | grouping separator | digits in the last group |
              digits in the other groups | least digits before the first separator. No group: 0 digits
  templates   what stands before and behind a price, then of a negative one; "¤" is the symbol
  datePatterns  CLDR's date patterns with d, dd, M, MM, MMM and y; literals stand in single quotes
  monthNames  twelve names, as MMM writes them
  plurals     200 letters, the categories of 0 to 199: z, o, t, f, m, x (zero, one, two, few, many,
              other). From 200 on the last two digits tell
  dateNames   names that stand alone: twelve months, twelve short ones, seven days of the week from
              Sunday, seven short ones; a short name that is the long one is empty
  timeWords   as periodWords, of hour, minute and second
  periodWords a unit and width a field (day, week, month, year; each short, then long). A field is
              forms divided by ";": a letter and the text, "#" is the number
  currencies  code, fraction digits, and the symbol of most locales if it is not the code
  locales     id | line with more symbols, or nothing | script | shape | template for symbols that
              end in a sign | for those that end in a letter | date pattern | month names |
              period words | plurals | currency of the region | symbols that differ, divided by ";":
              code and symbol | exceptions, divided by spaces: code ":" template ":" shape |
              date names | time words
  aliases     short id | id
  parents     id without data | id
  regions     alpha-2 | alpha-3 | currency | main locale | shape with the separators that a language
              of another region takes over
"""

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEFAULT_OUTPUT = ROOT / "Sources/Pricing/Locales/LocaleTable.swift"
CATEGORIES = {"zero": "z", "one": "o", "two": "t", "few": "f", "many": "m", "other": "x"}
UNITS = ["day", "week", "month", "year"]
TIME_UNITS = ["hour", "minute", "second"]
WIDTHS = ["short", "full-name"]
# Letters of these digits keep their own separators in other regions.
ARABIC_ZEROS = "\u0660\u06f0"
LINE_LENGTH = 100


def fail(message):
    sys.exit(f"make_locales: {message}")


# Reading


class Facts:
    def __init__(self, lines):
        self.locales, self.numbers, self.dates = {}, {}, {}
        self.prices = collections.defaultdict(dict)
        self.periods = collections.defaultdict(dict)
        self.alone = {}
        self.plurals, self.parents, self.regions, self.aliases = {}, {}, {}, {}
        self.composed = collections.defaultdict(dict)
        for line in lines:
            kind, *fields = line.rstrip("\n").split("\t")
            getattr(self, kind)(*fields)

    def icu(self, version):
        self.icu_version = version

    def locale(self, id, full, currency):
        self.locales[id] = (full, currency)

    def number(self, id, *texts):
        self.numbers[id] = texts

    def price(self, id, code, symbol, positive, negative):
        self.prices[id][code] = (symbol, positive, negative)

    def date(self, id, pattern, *rest):
        self.dates[id] = (pattern, rest[:12], rest[12])

    def names(self, id, *texts):
        self.alone[id] = texts

    def period(self, id, unit, width, count, text):
        self.periods[id][unit, width, int(count)] = text

    def plural(self, id, names, exceptions):
        self.plurals[id] = names.split(" ")

    def parent(self, id, parent):
        self.parents[id] = parent

    def region(self, alpha2, alpha3, main, currency):
        self.regions[alpha2] = (alpha3, main, currency)

    def alias(self, short, id):
        self.aliases[short] = id

    def composed_(self, id, code, text):
        self.composed[id][code] = text


def read_facts(path):
    if path:
        with open(path, encoding="utf-8") as file:
            return Facts(rename(file))
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/dump"
        source = ROOT / "Tools/dump_locales.swift"
        subprocess.run(
            ["swiftc", "-O", source, "-l_FoundationICU", "-o", program], check=True)
        with subprocess.Popen(
            [program], stdout=subprocess.PIPE, encoding="utf-8") as run:
            facts = Facts(rename(run.stdout))
        if run.returncode:
            fail("the dump failed")
        return facts


def rename(lines):
    """The attribute `composed` holds what the method of that name would collect."""
    for line in lines:
        yield "composed_" + line[8:] if line.startswith("composed\t") else line


# Taking prices apart


def is_digit(char):
    return unicodedata.category(char) == "Nd"


def split_price(text):
    """Before the number, the number, behind it."""
    places = [i for i, char in enumerate(text) if is_digit(char)]
    first, last = places[0], places[-1] + 1
    return text[:first], text[first:last], text[last:]


def separators(number):
    return [char for char in number if not is_digit(char)]


def ends_in_sign(symbol, template):
    """ICU puts a space between a number and a symbol that ends in anything but a sign."""
    edge = symbol[-1] if "¤" in template[0] else symbol[0]
    return unicodedata.category(edge)[0] in "SZ"


def template_of(symbol, positive, negative):
    before, _, behind = split_price(positive)
    negative_before, _, negative_behind = split_price(negative)
    parts = (before, behind, negative_before, negative_behind)
    for pair in (parts[:2], parts[2:]):
        if "".join(pair).count(symbol) != 1:
            fail(f"{symbol!r} is not once in {positive!r} and {negative!r}")
    return tuple(part.replace(symbol, "¤") for part in parts)


def shape_of(zero, decimal, numbers):
    """Grouping, as 1234, 12345 and 123456789 in a currency with two digits show it."""
    wholes = []
    for text in numbers:
        number = split_price(text)[1]
        at = number.rfind(decimal)
        wholes.append(number[:at] if at > 0 else number)
    groups = separators(wholes[2])
    if not groups:
        return (zero, decimal, "", 0, 0, 0)
    sizes = [0]
    for char in wholes[2]:
        if is_digit(char):
            sizes[-1] += 1
        else:
            sizes.append(0)
    least = next(n for n, whole in ((1, wholes[0]), (2, wholes[1]), (3, wholes[2]))
                 if separators(whole))
    return (zero, decimal, groups[0], sizes[-1], sizes[-2], least)


# Packing


class Table:
    """Distinct lines, numbered."""

    def __init__(self):
        self.lines, self.numbers = [], {}

    def add(self, *fields):
        line = "|".join(str(field) for field in fields)
        if line not in self.numbers:
            self.numbers[line] = len(self.lines)
            self.lines.append(line)
        return self.numbers[line]


def most_common(items):
    counter = collections.Counter(items)
    return min(counter.items(), key=lambda item: (-item[1], str(item[0])))[0]


class Packer:
    def __init__(self, facts):
        self.facts = facts
        self.shapes, self.templates, self.words = Table(), Table(), Table()
        self.patterns, self.months, self.plurals = Table(), Table(), Table()
        self.names, self.times = Table(), Table()
        self.codes = sorted(next(iter(facts.prices.values())))
        self.digits = {code: self.fraction_digits(code) for code in self.codes}
        self.common = {
            code: most_common(prices[code][0] for prices in facts.prices.values())
            for code in self.codes
        }
        self.ids = sorted(facts.locales)
        self.shape, self.sign_template, self.letter_template = {}, {}, {}
        self.locale_lines = [self.pack_locale(id) for id in self.ids]
        self.mains = {}
        self.region_lines = [self.pack_region(region) for region in sorted(facts.regions)]

    def fraction_digits(self, code):
        counts = set()
        for prices in self.facts.prices.values():
            number = split_price(prices[code][1])[1]
            counts.add(sum(map(is_digit, number)) - 7)
        if len(counts) != 1:
            fail(f"{code} has different fractions in different locales")
        return counts.pop()

    def pack_locale(self, id):
        facts = self.facts
        prices = facts.prices[id]
        found = {"sign": [], "letter": []}
        decimals, groups = [], []
        for code, (symbol, positive, negative) in prices.items():
            template = template_of(symbol, positive, negative)
            found["sign" if ends_in_sign(symbol, template) else "letter"].append(template)
            marks = separators(split_price(positive)[1])
            if self.digits[code]:
                decimals.append(marks.pop())
            groups += marks
        zero_digit = split_price(positive)[1][0]
        zero = chr(ord(zero_digit) - unicodedata.digit(zero_digit))
        decimal = most_common(decimals)
        shape = shape_of(zero, decimal, facts.numbers[id])
        if groups and shape[2] != most_common(groups):
            fail(f"{id} groups in two ways")
        templates = {kind: most_common(list) for kind, list in found.items()}
        self.shape[id] = shape
        self.sign_template[id] = templates["sign"]
        self.letter_template[id] = templates["letter"]
        exceptions = []
        for code, (symbol, positive, negative) in sorted(prices.items()):
            template = template_of(symbol, positive, negative)
            kind = "sign" if ends_in_sign(symbol, template) else "letter"
            marks = separators(split_price(positive)[1])
            own = list(shape)
            if self.digits[code]:
                own[1] = marks.pop()
            if marks:
                own[2] = marks[0]
            if template != templates[kind] or tuple(own) != shape:
                exceptions.append(
                    f"{code}:{self.templates.add(*template)}:{self.shapes.add(*own)}")
        base, symbols = self.pack_symbols(id)
        pattern, months, _ = facts.dates[id]
        full, currency = facts.locales[id]
        letters = "".join(CATEGORIES[name] for name in facts.plurals[id])
        return "|".join(str(field) for field in (
            id, base, full.split("_")[1], self.shapes.add(*shape),
            self.templates.add(*templates["sign"]), self.templates.add(*templates["letter"]),
            self.patterns.add(pattern), self.months.add(*months),
            self.words.add(*self.pack_words(id, letters, UNITS)), self.plurals.add(letters),
            currency, ";".join(symbols), " ".join(exceptions), self.names.add(*self.pack_names(id)),
            self.times.add(*self.pack_words(id, letters, TIME_UNITS))))

    def pack_names(self, id):
        names = self.facts.alone[id]
        if any("|" in name for name in names):
            fail(f"a name of {id} has a character of the format")
        months, days = names[:24], names[24:]
        return [*months[:12], *("" if a == b else b for a, b in zip(months[:12], months[12:])),
                *days[:7], *("" if a == b else b for a, b in zip(days[:7], days[7:]))]

    def pack_symbols(self, id):
        """The earlier locale of the language with the fewest other symbols, and those."""
        def symbols(prices):
            return {code: price[0] for code, price in prices.items()}

        own = symbols(self.facts.prices[id])
        language = id.split("_")[0]
        best = ("", {code: own[code] for code in self.codes if own[code] != self.common[code]})
        for number, other in enumerate(self.ids):
            if other >= id:
                break
            if other.split("_")[0] != language:
                continue
            theirs = symbols(self.facts.prices[other])
            difference = {code: own[code] for code in self.codes if own[code] != theirs[code]}
            if len(difference) < len(best[1]):
                best = (number, difference)
        if any(mark in symbol for symbol in best[1].values() for mark in ";|"):
            fail(f"a symbol of {id} has a character of the format")
        return best[0], [code + symbol for code, symbol in sorted(best[1].items())]

    def pack_words(self, id, letters, units):
        zero = self.shape[id][0]
        fields = []
        for unit in units:
            for width in WIDTHS:
                forms = {}
                for (of, wide, count), text in self.facts.periods[id].items():
                    if (of, wide) != (unit, width) or count >= 1_000_000:
                        continue
                    number = "".join(chr(ord(zero) + int(digit)) for digit in str(count))
                    letter = letters[count if count < 200 else 100 + count % 100]
                    form = text.replace(number, "#", 1)
                    if "#" in text or ";" in text or "|" in text:
                        fail(f"a period of {id} has a character of the format")
                    if forms.setdefault(letter, form) != form:
                        fail(f"{id} writes {unit} {count} in two ways: {forms[letter]} {form}")
                # The category "other" is there always, and stands for those that are like it.
                other = forms.get("x") or most_common(forms.values())
                fields.append(";".join(
                    ["x" + other] + [k + v for k, v in sorted(forms.items()) if v != other]))
        return fields

    # Regions

    def likely(self, full):
        """The locale with data for language_Script_REGION."""
        language, script, region = full.split("_")
        tries = (full, f"{language}_{region}", f"{language}_{script}", language)
        return next((id for id in tries if id in self.facts.locales), None)

    def pack_region(self, region):
        alpha3, full, currency = self.facts.regions[region]
        candidates = [self.likely(full)] if full.count("_") == 2 else []
        candidates += [id for id in self.ids if id.endswith("_" + region)]
        samples = {id: texts for id, texts in self.facts.composed.items()
                   if id.endswith("_" + region)}
        candidates = [id for id in dict.fromkeys(candidates) if id]
        main = max(candidates, key=lambda id: self.fit(id, samples), default="")
        shape = ""
        for texts in samples.values():
            marks = separators(split_price(texts["USD"])[1])
            shape = self.shapes.add("0", marks[-1], marks[0], 3, 3, 1)
            break
        self.mains[region] = (main, shape)
        return "|".join(str(field) for field in (region, alpha3, currency, main, shape))

    def fit(self, main, samples):
        """How many samples have the symbol that this main locale of their region gives them."""
        count = 0
        for id, texts in samples.items():
            base = self.base(id)
            for code, text in texts.items():
                before, _, behind = split_price(text)
                count += clean(before + behind) == clean(self.composed_symbol(base, main, code))
        return count

    def base(self, id):
        parent = self.facts.parents.get(id)
        return parent if parent in self.facts.locales else id.rsplit("_", 1)[0]

    def composed_symbol(self, base, main, code):
        own = self.facts.prices[base][code][0]
        if not main:
            return own
        theirs = self.facts.prices[main][code][0]
        if clean(theirs) == code:
            return own
        if all(is_plain(char) for char in clean(theirs)):
            return clean(theirs)
        scripts = [self.facts.locales[id][0].split("_")[1] for id in (base, main)]
        return theirs if scripts[0] == scripts[1] else own


def clean(text):
    return "".join(c for c in text if c not in "\u200e\u200f\u061c\u00a0\u202f ")


def is_plain(char):
    """Signs, and letters of the Latin script, which every language takes over."""
    return unicodedata.category(char)[0] != "L" or "LATIN" in unicodedata.name(char, "")


# Unpacking again


def render(template, shape, symbol, digits):
    before, behind = (part.replace("¤", symbol) for part in template[:2])
    zero, decimal, group, last, other, _ = shape
    whole = "1234568" if digits == 0 else "1234567"
    fraction = "8910"[:digits] if digits != 2 else "89"
    out, count, size = "", 0, last
    for char in reversed(whole):
        if size and count == size:
            out, count, size = group + out, 0, other
        out, count = char + out, count + 1
    text = out + (decimal + fraction if digits else "")
    return before + "".join(
        chr(ord(zero) + int(char)) if char.isascii() and char.isdigit() else char
        for char in text) + behind


def check(packer):
    facts, wrong = packer.facts, []
    total = 0
    for id, texts in facts.composed.items():
        region = id.rsplit("_", 1)[1]
        base = packer.base(id)
        main, shape_number = packer.mains[region]
        shape = list(packer.shape[base])
        if shape[0] not in ARABIC_ZEROS and shape_number != "":
            decimal, group = packer.shapes.lines[shape_number].split("|")[1:3]
            shape[1:3] = [decimal, group]
        for code, text in texts.items():
            symbol = packer.composed_symbol(base, main, code)
            template = packer.sign_template[base]
            if not ends_in_sign(symbol, template):
                template = packer.letter_template[base]
            total += 1
            if render(template, shape, symbol, packer.digits[code]) != text:
                wrong.append((id, code, text))
    share = 100 * (1 - len(wrong) / max(total, 1))
    print(f"composed locales: {share:.2f} % of {total} prices as Foundation writes them")
    count = 0
    for id in packer.ids:
        pattern, months, sample = facts.dates[id]
        if render_date(pattern, months, packer.shape[id][0]) != sample:
            print(f"date {id}: {pattern} does not give {sample}")
            count += 1
    print(f"dates: {count} of {len(packer.ids)} are not as Foundation writes them")


def render_date(pattern, months, zero):
    """6 March 2026."""
    def number(text):
        return "".join(chr(ord(zero) + int(digit)) for digit in text)

    fields = {"d": number("6"), "dd": number("06"), "M": number("3"), "MM": number("03"),
              "MMM": months[2], "y": number("2026")}
    out, at, quoted = "", 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "'":
            quoted = not quoted
            at += 1
        elif quoted or not (char.isascii() and char.isalpha()):
            out += char
            at += 1
        else:
            end = at
            while end < len(pattern) and pattern[end] == char:
                end += 1
            if pattern[at:end] not in fields:
                fail(f"a date pattern has the field {pattern[at:end]}")
            out += fields[pattern[at:end]]
            at = end
    return out


# Writing


def escaped(line):
    """Swift source of a raw string: what cannot be seen, or joins what is before it, in numbers."""
    out, last = "", "|"
    for char in line:
        category = unicodedata.category(char)
        hidden = category[0] == "C" or category[0] == "Z" and char != " "
        joining = category[0] == "M" and last in "| ;#"
        out += f"\\#u{{{ord(char):X}}}" if hidden or joining else char
        last = char
    return out


def write_table(out, name, comment, lines):
    out.append(f"  /// {comment}")
    out.append(f"  static var {name}: StaticString {{")
    out.append('    #"""')
    for line in lines:
        if '"""' in line or "\\" in line:
            fail(f"{name} holds a character that the source cannot")
        out.append(("    " + escaped(line)).rstrip())
    out.append('    """#')
    out.append("  }")
    out.append("")


def swift(packer):
    facts = packer.facts
    currencies = [
        code + str(packer.digits[code]) + ("" if packer.common[code] == code else packer.common[code])
        for code in packer.codes
    ]
    tables = [
        ("shapes", "How numbers are written.", packer.shapes.lines),
        ("templates", "What stands around a price.", packer.templates.lines),
        ("datePatterns", "The medium date of the Gregorian calendar.", packer.patterns.lines),
        ("monthNames", "Short names of months within a date.", packer.months.lines),
        ("plurals", "Plural categories of whole numbers.", packer.plurals.lines),
        ("periodWords", "Counted days, weeks, months and years.", packer.words.lines),
        ("dateNames", "Names of months and days of the week that stand alone.", packer.names.lines),
        ("timeWords", "Counted hours, minutes and seconds.", packer.times.lines),
        ("currencies", "Codes, fraction digits and symbols.", currencies),
        ("locales", "Every locale, sorted by its identifier.", packer.locale_lines),
        ("aliases", "Identifiers without their script, sorted.",
         [f"{short}|{id}" for short, id in sorted(facts.aliases.items())]),
        ("parents", "What identifiers without data inherit from, sorted.",
         [f"{id}|{parent}" for id, parent in sorted(facts.parents.items())
          if id not in facts.locales and parent in facts.locales]),
        ("regions", "Regions by their alpha-2 codes, sorted.", packer.region_lines),
    ]
    out = [
        f"// Generated by Tools/make_locales.py from Foundation with ICU {facts.icu_version}; do not edit.",
        "// The data is that of the Unicode CLDR as Foundation brings it; corpus/README.md has the licence.",
        "// The generator describes the format.",
        "",
        "/// How prices, dates and periods are written in every locale that Foundation knows, as text.",
        "enum LocaleTable {",
        "  /// The version of the ICU that the data comes from.",
        f'  static var release: StaticString {{ "{facts.icu_version}" }}',
        "",
    ]
    for name, comment, lines in tables:
        write_table(out, name, comment, lines)
        print(f"{name}: {len(lines)} lines, {sum(len(l.encode()) + 1 for l in lines)} bytes")
    out[-1] = "}"
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dump", help="facts that Tools/dump_locales.swift printed")
    parser.add_argument("--output", default=DEFAULT_OUTPUT)
    options = parser.parse_args()
    packer = Packer(read_facts(options.dump))
    check(packer)
    output = pathlib.Path(options.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(swift(packer), encoding="utf-8")


if __name__ == "__main__":
    main()
