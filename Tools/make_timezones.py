#!/usr/bin/env python3
"""Writes Sources/CivilTime/TimeZoneTable.swift from compiled tzdata.

    Tools/make_timezones.py [FOLDER] [--release 2025b] [--output FILE]

FOLDER is a zoneinfo folder with TZif files, the system's by default. Run it again after an update
of tzdata and commit the result; the output depends on the data only. Prefer fat files: slim ones of
the same release give the same table but for what zic drops of the predictions after 2072 (Gaza).

The table has every name of the tz database, with the offsets from UTC since 1970: what was in force
when 1970 began, the transitions, and the rule that holds after the last of them. Transitions that
the rule gives by itself are left out. Names with the same offsets share one record.

The text format, read by TimeZoneIndex.swift: numbers are little-endian groups of five bits, one
character from "0" (0) to "o" (63) each; 32 is added where another group follows. Signed numbers are
zigzag-coded (0, -1, 1, -2 ...). Offsets and times are in seconds.

  names   a line each, sorted: NAME " " record
  records a line each: signed first-offset,
          count, then so many signed offsets,
          count, then so many transitions: 2 * index-of-offset + unit, distance
          0, or 1 and the rule: signed standard, signed daylight,
          twice (start and end of daylight time): month, week, weekday, signed time-of-day

The distance of a transition is that from the one before, the first from 1970, in quarter-hours
where the unit is 0 and in seconds where it is 1.
"""

import argparse
import calendar
import pathlib
import re
import struct
import sys
import time

DEFAULT_FOLDER = "/usr/share/zoneinfo"
DEFAULT_OUTPUT = (
    pathlib.Path(__file__).resolve().parent.parent
    / "Sources/CivilTime/TimeZoneTable.swift"
)

# Folders with other versions of the same zones, and files that are no names of the tz database:
# "Factory" stands for a machine whose zone nobody has set.
NOT_ZONES = {"posix", "right", "posixrules", "localtime", "Factory"}

NAME = re.compile(r"[A-Za-z0-9+_-]+(/[A-Za-z0-9+_-]+)*")
QUARTER_HOUR = 900
LINE_LENGTH = 100


def fail(message):
    sys.exit(f"make_timezones: {message}")


# Reading


def read_tzif(data, name):
    """Gives [(time, offset)], the first with time None, and the footer of a TZif file."""

    def header(at):
        magic, version, *counts = struct.unpack_from(">4sc15x6L", data, at)
        if magic != b"TZif" or version < b"2":
            fail(f"{name}: TZif version 2 or later is needed")
        return counts

    utc_flags, wall_flags, leaps, times, types, letters = header(0)
    second = 44 + times * 5 + types * 6 + letters + leaps * 8 + wall_flags + utc_flags
    utc_flags, wall_flags, leaps, times, types, letters = header(second)
    if leaps:
        fail(f"{name}: counts leap seconds")
    at = second + 44
    instants = struct.unpack_from(f">{times}q", data, at)
    indexes = data[at + 8 * times : at + 9 * times]
    at += 9 * times
    offsets = [struct.unpack_from(">l", data, at + 6 * i)[0] for i in range(types)]
    at += 6 * types + letters + wall_flags + utc_flags
    footer = data[at:].decode("ascii").strip("\n")
    return [(None, offsets[0])] + [(t, offsets[i]) for t, i in zip(instants, indexes)], footer


def read_zones(folder):
    zones = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] in NOT_ZONES or not path.is_file():
            continue
        data = path.read_bytes()
        if data.startswith(b"TZif") and NAME.fullmatch(name):
            zones[name] = read_tzif(data, name)
    if "UTC" not in zones:
        fail(f"{folder} is no zoneinfo folder")
    return zones


def read_release(folder):
    """Finds the release of tzdata in the files that distributions put beside the zones."""
    for file, pattern in (
        ("tzdata.zi", r"# version (\S+)"),
        ("+VERSION", r"(\S+)"),
        ("version", r"(\S+)"),
    ):
        path = folder / file
        if path.is_file() and (match := re.match(pattern, path.read_text(errors="replace"))):
            return match[1]
    return fail(f"{folder} does not tell its release; use --release")


# Rules


def parse_time(text):
    match = re.fullmatch(r"([+-]?)(\d+)(?::(\d+))?(?::(\d+))?", text)
    if not match:
        fail(f"no time: {text}")
    hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
    magnitude = hours * 3600 + minutes * 60 + seconds
    return -magnitude if match[1] == "-" else magnitude


def parse_footer(footer, name):
    """Gives (standard, None), or (standard, (daylight, start, end)), in seconds east of UTC."""
    abbreviation = r"(?:<[^>]+>|[A-Za-z]+)"
    match = re.fullmatch(
        rf"{abbreviation}([0-9:+-]+)(?:{abbreviation}([0-9:+-]+)?,([^,]+),([^,]+))?", footer
    )
    if not match:
        fail(f"{name}: no rule: {footer!r}")
    standard = -parse_time(match[1])
    if not match[3]:
        return standard, None
    daylight = -parse_time(match[2]) if match[2] else standard + 3600

    def day(text):
        parts = re.fullmatch(r"M(\d+)\.(\d+)\.(\d+)(?:/(.+))?", text)
        if not parts:
            fail(f"{name}: only rules by month, week and weekday are supported: {footer}")
        return (*map(int, parts.groups()[:3]), parse_time(parts[4] or "2"))

    return standard, (daylight, day(match[3]), day(match[4]))


def rule_transitions(standard, rule, first_year, last_year):
    """Gives the transitions of the years as [(time, offset after it)]."""
    daylight, start, end = rule
    transitions = []
    for year in range(first_year, last_year + 1):
        for day, before, after in ((start, standard, daylight), (end, daylight, standard)):
            month, week, weekday, clock = day
            # calendar counts from Monday, rules from Sunday.
            first, length = calendar.monthrange(year, month)
            date = 1 + (weekday - 1 - first) % 7 + 7 * (week - 1)
            if date > length:
                date -= 7
            transitions.append(
                (calendar.timegm((year, month, date, 0, 0, 0)) + clock - before, after)
            )
    return sorted(transitions)


def condense(zone, name):
    """Gives (first offset, transitions since 1970 that change it, standard, rule)."""
    entries, footer = zone
    standard, rule = parse_footer(footer, name)
    last_time, last_offset = entries[-1]
    if last_offset not in (standard, rule and rule[0]) or (rule and last_time is None):
        fail(f"{name}: the rule does not continue the last transition")
    by_rule = []
    if rule:
        # A slim file leaves to the rule what a fat one writes out up to 2037. Until the first
        # transition by the rule the last one of the file holds, even if the rule differs.
        last_year = time.gmtime(last_time).tm_year
        by_rule = rule_transitions(standard, rule, 1968, last_year + 2)
        entries = entries + [entry for entry in by_rule if entry[0] > last_time]

    first = [offset for at, offset in entries if at is None or at <= 0][-1]
    transitions = []
    for at, offset in entries:
        before = transitions[-1][1] if transitions else first
        if at is not None and at > 0 and offset != before:
            transitions.append((at, offset))
    # The rule holds from the last transition kept on. One that the rule gives by itself can go if
    # the rule is right from the transition before it on, too.
    while (
        rule
        and len(transitions) > 1
        and transitions[-1] == by_rule[-1]
        and by_rule[-2][0] <= transitions[-2][0]
        and by_rule[-2][1] == transitions[-2][1]
    ):
        transitions.pop()
        by_rule.pop()
    return first, transitions, standard, rule


# Writing


def number(value):
    text = ""
    while value >= 32:
        text += chr(0x30 + 32 + value % 32)
        value //= 32
    return text + chr(0x30 + value)


def signed(value):
    return number(2 * value if value >= 0 else -2 * value - 1)


def record(zone, name):
    """Gives the record of a zone and the number of transitions in it."""
    first, transitions, standard, rule = condense(zone, name)
    offsets = sorted({offset for _, offset in transitions})
    text = signed(first) + number(len(offsets)) + "".join(map(signed, offsets))
    text += number(len(transitions))
    previous = 0
    for at, offset in transitions:
        distance = at - previous
        unit = 1 if distance % QUARTER_HOUR else 0
        text += number(2 * offsets.index(offset) + unit)
        text += number(distance if unit else distance // QUARTER_HOUR)
        previous = at
    if rule is None:
        return text + number(0), len(transitions)
    daylight, start, end = rule
    text += number(1) + signed(standard) + signed(daylight)
    for month, week, weekday, clock in (start, end):
        text += number(month) + number(week) + number(weekday) + signed(clock)
    return text, len(transitions)


def literal(lines):
    """Lays lines out in a raw multi-line literal, where a backslash is data and \\# continues."""
    indent = " " * 4
    width = LINE_LENGTH - len(indent) - 2
    rows = []
    for line in lines:
        while len(line) > width + 2:
            rows.append(indent + line[:width] + r"\#")
            line = line[width:]
        rows.append(indent + line)
    return "\n".join(['#"""'] + rows + [indent + '"""#'])


TEMPLATE = """\
// Generated by Tools/make_timezones.py from tzdata {release}; do not edit.
// The tz database is in the public domain. The generator describes the format.

/// The time zones of the tz database since 1970, as text.
enum TimeZoneTable {{
  /// The release of the tz database.
  static var release: StaticString {{ "{release}" }}

  /// The number of lines of ``names`` and ``records``, and of transitions in all records.
  static var counts: (names: Int, records: Int, transitions: Int) {{
    ({names_count}, {records_count}, {transitions_count})
  }}

  /// Every name and the number of its record.
  static var names: StaticString {{
    {names}
  }}

  /// The offsets of zones that differ since 1970.
  static var records: StaticString {{
    {records}
  }}
}}
"""


def render(zones, release):
    names = []
    records = {}
    transitions = 0
    for name in sorted(zones):
        text, count = record(zones[name], name)
        if text not in records:
            records[text] = len(records)
            transitions += count
        names.append(f"{name} {number(records[text])}")
    return TEMPLATE.format(
        release=release,
        names=literal(names),
        records=literal(records),
        names_count=len(names),
        records_count=len(records),
        transitions_count=transitions,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=DEFAULT_FOLDER, type=pathlib.Path)
    parser.add_argument("--release", help="the release of tzdata, where the folder has no note")
    parser.add_argument("--output", default=DEFAULT_OUTPUT, type=pathlib.Path)
    arguments = parser.parse_args()
    folder = arguments.folder
    text = render(read_zones(folder), arguments.release or read_release(folder))
    arguments.output.write_text(text, encoding="ascii")
    print(f"{arguments.output}: {len(text)} bytes")


if __name__ == "__main__":
    main()
