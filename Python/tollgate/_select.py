"""Writes the query that selects the attributes that rules read from a database."""

from __future__ import annotations

import re

from .errors import ColumnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from .answers import Requirement

# Each database's types for the kinds of values in rules. None leaves a column unchanged.
_TYPES: dict[str, dict[str, str]] = {
    "bigquery": {
        "string": "STRING", "number": "FLOAT64", "integer": "INT64", "boolean": "BOOL",
        "date": "TIMESTAMP",
    },
    "duckdb": {
        "string": "VARCHAR", "number": "DOUBLE", "integer": "BIGINT", "boolean": "BOOLEAN",
        "date": "TIMESTAMPTZ", "list": "{}[]",
    },
    "postgres": {
        "string": "TEXT", "number": "DOUBLE PRECISION", "integer": "BIGINT",
        "boolean": "BOOLEAN", "date": "TIMESTAMPTZ", "list": "{}[]",
    },
    # Columns with more digits are exported as decimals.
    "snowflake": {
        "string": "VARCHAR", "number": "DOUBLE", "integer": "NUMBER(18, 0)",
        "boolean": "BOOLEAN", "date": "TIMESTAMP_TZ",
    },
    "spark": {
        "string": "STRING", "number": "DOUBLE", "integer": "BIGINT", "boolean": "BOOLEAN",
        "date": "TIMESTAMP", "list": "ARRAY<{}>",
    },
}
_KINDS = ("string", "number", "integer", "boolean", "date")
# The words of `tollgate sql` for the same kinds.
_WORDS = {"text": "string", "double": "number", "bool": "boolean", "time": "date"}
# Databases whose columns have no dots in their names, so that attributes are members of structs.
_WITH_STRUCTS = ("bigquery", "spark")
_WITH_BACKTICKS = ("bigquery", "spark")
# Words that Snowflake does not accept as names without quotes.
_RESERVED = frozenset(
    "account all alter and any as between by case cast check column connect connection constraint "
    "create cross current current_date current_time current_timestamp current_user database delete "
    "distinct drop else exists false following for from full grant group gscluster having ilike in "
    "increment inner insert intersect into is issue join lateral left like localtime "
    "localtimestamp minus natural not null of on or order organization qualify regexp revoke right "
    "rlike row rows sample schema select set some start table tablesample then to trigger true "
    "try_cast union unique update using values view when whenever where with".split()
)
_PART = r"""(?:[\w$-]+|"(?:[^"]|"")+"|`[^`]+`)"""
_TABLE = re.compile(rf"{_PART}(?:\.{_PART})*")
# DuckDB also reads files: 'users.parquet', read_parquet('users/*.parquet').
_FILE = re.compile(r"'(?:[^']|'')+'|\w+\('(?:[^']|'')+'\)")


def select(
    requirements: Sequence[Requirement], database: str, table: str, subject: str,
    columns: Mapping[str, str], separator: str | None, types: Mapping[str, str],
) -> str:
    """Writes the query."""
    if database not in _TYPES:
        raise ValueError(f"database={database!r}: use {', '.join(_TYPES)}")
    query = _Query(database, subject, dict(columns), separator, dict(types))
    return query.text(requirements, _table(table, database))


def _table(table: str, database: str) -> str:
    if not isinstance(table, str):
        raise TypeError(f"table={table!r}: give its name, such as 'app.users'")
    if database == "duckdb" and _FILE.fullmatch(table):
        return table
    if not _TABLE.fullmatch(table):
        raise ValueError(
            f"table={table!r} is not the name of a table; use one such as app.users, with quotes "
            "around a part that needs them"
        )
    # Names of Google's projects have hyphens.
    return f"`{table}`" if "-" in table and not {"`", '"'} & set(table) else table


class _Query:
    def __init__(
        self, database: str, subject: str, columns: dict[str, str], separator: str | None,
        types: dict[str, str],
    ) -> None:
        self._database = database
        self._subject = subject
        self._columns = columns
        self._separator = separator
        self._types = {path: _WORDS.get(kind, kind) for path, kind in types.items()}

    def text(self, requirements: Sequence[Requirement], table: str) -> str:
        chosen = list(self._chosen(requirements))
        paths = {path for path, _ in chosen}
        self._check(paths)
        lines = [self._identity()]
        if self._database in _WITH_STRUCTS:
            lines += self._structs(chosen)
        else:
            lines += [
                f"{self._value(path, kinds)} AS {self._quoted(path)}" for path, kinds in chosen
            ]
        notes = [f"-- {note}\n" for note in self._notes(requirements, paths)]
        return "".join(notes) + "SELECT\n  " + ",\n  ".join(lines) + f"\nFROM {table}"

    def _chosen(
        self, requirements: Sequence[Requirement]
    ) -> Iterator[tuple[str, Sequence[str]]]:
        """The attributes to select, with their kinds."""
        kinds = {str(one): one.kinds for one in requirements}
        seen: set[str] = set()
        for one in requirements:
            path = str(one)
            if path in self._columns or one.derived_from is None:
                paths = [path]
            else:
                # A derived attribute needs its sources. Some attributes need only the time.
                paths = [source for source in one.derived_from if source in self._columns]
                if not paths and one.derived_from:
                    paths = [path]
            for each in paths:
                # Selecting the members of an attribute also selects the attribute.
                has_members = any(other.startswith(f"{each}.") for other in kinds)
                if each not in seen and not (has_members and each not in self._columns):
                    seen.add(each)
                    yield each, kinds.get(each, ())

    def _check(self, paths: set[str]) -> None:
        """Rejects names of attributes that no rule reads."""
        for option, given in (("columns", self._columns), ("types", self._types)):
            for path in given:
                if path not in paths:
                    from difflib import get_close_matches

                    near = get_close_matches(path, sorted(paths), 1)
                    meant = f"; did you mean '{near[0]}'?" if near else ""
                    raise ColumnError(
                        f"{option}= has '{path}', which no rule reads{meant}", "bad_column",
                        {"column": path},
                    )
        for path, kind in self._types.items():
            element = re.fullmatch(r"list<(\w+)>", kind) if isinstance(kind, str) else None
            if kind not in (*_KINDS, "list", "map", "any") and not (
                element and element[1] in _KINDS
            ):
                raise ValueError(
                    f"types={{{path!r}: {kind!r}}}: use {', '.join(_KINDS)}, list<string>, or any "
                    "for the type of the column"
                )

    def _notes(self, requirements: Sequence[Requirement], paths: set[str]) -> Iterator[str]:
        yield "The columns that the rules read. NULL means that the attribute is missing."
        kinds = {str(one): one.kinds for one in requirements}
        for path in sorted(paths):
            if self._kind(path, kinds.get(path, ())) == "date":
                yield "Times without a zone are read in the time zone of the session."
                break
        for one in requirements:
            sources = one.derived_from
            if sources and str(one) in paths and str(one) not in self._columns:
                first = sources[0]
                yield (
                    f"{one} follows from {', '.join(sources)}: to select "
                    f"{'this' if len(sources) == 1 else 'these'} instead, name a column with "
                    f"columns={{{first!r}: '...'}}."
                )

    def _identity(self) -> str:
        types = _TYPES[self._database]
        name = self._name(self._subject)
        return f"CAST({name} AS {types['string']}) AS {self._quoted('userId')}"

    def _value(self, path: str, kinds: Sequence[str]) -> str:
        name, kind = self._source(path), self._kind(path, kinds)
        types = _TYPES[self._database]
        element = re.fullmatch(r"list<(\w+)>", kind)
        if element and "list" in types and element[1] in types:
            return f"CAST({name} AS {types['list'].format(types[element[1]])})"
        return f"CAST({name} AS {types[kind]})" if kind in _KINDS else name

    def _kind(self, path: str, kinds: Sequence[str]) -> str:
        """The type that rules need; empty if the column's own type is right."""
        if path in self._types:
            return self._types[path]
        # Rules that compare with strings and numbers read columns of either type.
        return kinds[0] if len(kinds) == 1 else ""

    def _source(self, path: str) -> str:
        column = self._columns.get(path)
        if column is not None:
            return self._name(column)
        if self._separator is not None:
            return self._name(path.replace(".", self._separator))
        if self._database in _WITH_STRUCTS:
            return ".".join(map(self._quoted, path.split(".")))
        return self._quoted(path)

    def _structs(self, chosen: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
        tree: dict[str, Any] = {}
        for path, kinds in chosen:
            *above, last = path.split(".")
            place = tree
            for name in above:
                place = place.setdefault(name, {})
            place[last] = self._value(path, kinds)
        return [
            f"{self._struct(value) if isinstance(value, dict) else value} AS {self._quoted(name)}"
            for name, value in tree.items()
        ]

    def _struct(self, members: Mapping[str, Any]) -> str:
        parts = []
        for name, value in members.items():
            text = self._struct(value) if isinstance(value, dict) else value
            if self._database == "spark":
                literal = name.replace("\\", "\\\\").replace("'", "\\'")
                parts.append(f"'{literal}', {text}")
            else:
                parts.append(f"{text} AS {self._quoted(name)}")
        call = "named_struct" if self._database == "spark" else "STRUCT"
        return f"{call}({', '.join(parts)})"

    def _name(self, column: str) -> str:
        """A column of the table, as the database writes names."""
        if self._database == "snowflake" and re.fullmatch(r"[A-Za-z_][\w$]*", column):
            # Snowflake stores names in upper case if they were written without quotes.
            return f'"{column.upper()}"' if column.lower() in _RESERVED else column
        return self._quoted(column)

    def _quoted(self, name: str) -> str:
        if self._database == "bigquery":
            escaped = name.replace("\\", "\\\\").replace("`", "\\`")
            return f"`{escaped}`"
        if self._database in _WITH_BACKTICKS:
            return "`" + name.replace("`", "``") + "`"
        return '"' + name.replace('"', '""') + '"'
