"""Collects all faults of a table's columns in one error, with a fix for each."""

from __future__ import annotations

import re
from difflib import get_close_matches

from .errors import ColumnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

# The largest number of faults in one error. Finding each fault needs another plan.
_MOST_FAULTS = 40
_SEPARATORS = ("_", "__", "-", "/", ":")
# Maps part of a message to the option that converts the column.
_CONVERSIONS = {
    "is a decimal,": "decimals='double'",
    "is a date,": "dates='text'",
    "is a timestamp without a time zone": "naive_times='UTC'",
}
_MISSING = "rules read this attribute, and no column has it"


class Columns:
    """The columns of a table that a plan cannot decide."""

    def __init__(
        self, schema: Any, attempt: Callable[[Any], None], subject: str, root: str | None,
        places: Mapping[str, str],
    ) -> None:
        self._schema = schema
        self._attempt = attempt
        self._subject, self._root, self._places = subject, root, places
        self._paths = list(_paths_of(schema))

    def error(self, first: ColumnError) -> ColumnError:
        """Returns the error with all other faults, and with a fix for each."""
        faults: dict[str, str] = {}
        problem: ColumnError | None = first
        schema = self._schema
        while problem is not None and problem.column and problem.column not in faults:
            path = problem.column
            faults[path] = str(problem).removeprefix(f"column '{path}': ")
            if len(faults) == _MOST_FAULTS:
                break
            place = self._place(path) if faults[path].startswith(_MISSING) else path
            schema = _repaired(schema, place, self._subject)
            problem = self._problem(schema)
        missing = [path for path, words in faults.items() if words.startswith(_MISSING)]
        lines = [f"column '{path}': {self._words(path, words)}" for path, words in faults.items()]
        cure = self._cure(missing)
        if len(lines) > 1:
            lines = [f"{len(lines)} columns do not fit:", *(f"  {line}" for line in lines)]
            message = "\n".join([*lines, *([f"  {cure}"] if cure else [])])
        else:
            message = "; ".join([*lines, *([cure] if cure else [])]) or str(first)
        details = {**first.details, "faults": [
            {"column": path, "message": words} for path, words in faults.items()]}
        return ColumnError(message, first.code, details)

    def _problem(self, schema: Any) -> ColumnError | None:
        try:
            self._attempt(schema)
        except ColumnError as problem:
            return problem
        return None

    def _place(self, path: str) -> str:
        """The column that an attribute would be in."""
        names = path.split(".")
        for count in range(len(names) - 1, 0, -1):
            column = self._places.get(".".join(names[:count]))
            if column is not None:
                return ".".join([column, *names[count:]])
        inner = len(names) > 2 and names[1] in self._schema.names
        return ".".join(names[1:]) if names[0] == self._root and inner else path

    def _words(self, path: str, words: str) -> str:
        for part, option in _CONVERSIONS.items():
            if part in words:
                if path == self._subject:
                    # Numbers with a fraction are not IDs.
                    option = option.replace("'double'", "'text'")
                return f"{words}, or give {option}"
        if words.startswith(_MISSING):
            near = self._near(path)
            if near in self._places:
                return f"{_MISSING}; columns= has '{near}'"
            return _MISSING + (f"; did you mean '{near}'?" if near else "")
        if words.endswith("the table has no such column"):
            match = get_close_matches(path, self._schema.names, 1)
            return words + (f"; did you mean '{match[0]}'?" if match else "")
        return re.sub(r"there is '(.*)': name it .*", r"give subject='\1'", words)

    def _near(self, path: str) -> str | None:
        """Returns the column that probably has an attribute under another name."""
        for name in (self._flat(path), path.rpartition(".")[2]):
            if name in self._schema.names:
                return name
        found = get_close_matches(path, [*self._places, *self._paths], 1, 0.8)
        return found[0] if found else None

    def _flat(self, path: str) -> str | None:
        flat = (path.replace(".", separator) for separator in _SEPARATORS)
        return next((name for name in flat if name in self._schema.names), None)

    def _cure(self, missing: Sequence[str]) -> str:
        if not missing:
            return ""
        for separator in _SEPARATORS:
            if all(path.replace(".", separator) in self._schema.names for path in missing):
                return f"give separator={separator!r}"
        first, _, rest = missing[0].partition(".")
        if self._root is None and first in ("user", "device") and all(
            path.startswith(f"{first}.") and path[len(first) + 1:] in self._schema.names
            for path in missing
        ):
            return f"give root={first!r}"
        near = {path: self._near(path) for path in missing}
        found = {path: name for path, name in near.items() if name in self._schema.names}
        first, *more = (f"{path!r}: {found.get(path, '...')!r}" for path in missing)
        if found:
            first, *more = (f"{path!r}: {name!r}" for path, name in found.items())
        return (
            f"name columns with columns={{{', '.join([first, *more[:9]])}}}, or give "
            "missing_columns='ignore' to decide without them"
        )


def _paths_of(schema: Any) -> Iterator[str]:
    """The names of columns, and of the members of structs."""
    import pyarrow as pa

    for field in schema:
        yield field.name
        if pa.types.is_struct(field.type):
            for path in _paths_of(field.type):
                yield f"{field.name}.{path}"


def _repaired(schema: Any, path: str, subject: str) -> Any:
    """Returns the schema with one faulty column replaced, so the next fault can be found."""
    import pyarrow as pa

    kind = pa.string() if path == subject else pa.null()
    fields = list(schema)
    for place, field in enumerate(fields):
        if field.name == path:
            fields[place] = field.with_type(kind)
            return pa.schema(fields)
        if path.startswith(f"{field.name}."):
            inner = path[len(field.name) + 1:]
            fields[place] = field.with_type(_repaired_type(field.type, inner))
            return pa.schema(fields)
    return pa.schema([*fields, pa.field(path, kind)])


def _repaired_type(kind: Any, path: str) -> Any:
    import pyarrow as pa

    if not pa.types.is_struct(kind):
        return pa.null()
    return pa.struct(list(_repaired(list(kind), path, "")))
