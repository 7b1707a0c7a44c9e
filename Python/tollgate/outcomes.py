"""The outcomes of a plan, as a stream or a table, and their counts."""

from __future__ import annotations

import ctypes
import warnings

from ._json import loads
from ._library import Text, checked, library
from ._records import names_of
from .errors import RuleWarning, TableError, TableWarning, TollgateError, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import pandas
    import polars
    import pyarrow
    from matplotlib.figure import Figure

    from .answer_types import CountedError
    from .option_types import Names
    from .plan import Plan
    from .table_types import (
        AudienceCounts,
        Counts,
        OutcomeName,
        Reject,
        ReportWarning,
        RuleFailure,
    )

# The code that a library function returns for a faulty table.
_BAD_ARRAY = 5
_COLUMNS = {
    "placement": str, "audience": int, "reached": int, "matched": int, "held_back": int,
    "owned": int, "taken": int, "failed": int,
}


class Report:
    """Counts of what a stream has decided so far."""

    __slots__ = ("pointer",)

    def __init__(self) -> None:
        out = ctypes.c_void_p()
        library.tg_report_make(ctypes.byref(out))
        self.pointer: int | None = out.value

    def __del__(self) -> None:
        pointer = getattr(self, "pointer", None)
        if pointer and library is not None:
            library.tg_report_free(pointer)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("outcomes that are being read cannot be copied; make a table of them first")

    def read(self) -> Tally:
        value: Any = self._value()
        value.pop("failure", None)
        return Tally(value)

    def failure(self) -> TollgateError | None:
        """The error that ended the stream, if any."""
        found = self._value().get("failure")
        return told(_BAD_ARRAY, found) if found is not None else None

    def _value(self) -> dict[str, Any]:
        text = Text()
        status = library.tg_report_read(self.pointer, ctypes.byref(text))
        value: dict[str, Any] = loads(checked(status, text))
        return value


class Tally:
    """The counts of many users, as in the summary of ``tollgate precompute``."""

    __slots__ = ("_value",)

    def __init__(self, value: Counts) -> None:
        self._value = value

    @property
    def users(self) -> int:
        """The number of decided users."""
        return int(self._value["users"])

    @property
    def rejected(self) -> int:
        """The number of rows with an invalid user, which have no outcome."""
        return int(self._value["rejected"])

    @property
    def rejects(self) -> list[Reject]:
        """The first 100 rejected rows: ``{"row": 5, "reason": ".."}``."""
        return list(self._value["rejects"])

    def outcomes(self, placement: str) -> dict[OutcomeName, int]:
        """The number of users for each outcome of a placement."""
        return dict(self._value["placements"][placement]["outcomes"])

    def audiences(self, placement: str) -> list[AudienceCounts]:
        """The number of users that each audience reached, matched and took."""
        return list(self._value["placements"][placement]["audiences"])

    def errors(self, placement: str | None = None) -> list[RuleFailure]:
        """The rules that failed, at one placement or at all placements, with the number of users.

        ``{"placement": "export", "audience": 0, "clause": "user.visits > 2", "code": ..,
        "path": "user.visits", "users": 3, "example": "u-1"}``. A rule that fails does not match.
        """
        names = list(self._value["placements"]) if placement is None else [placement]
        return [
            {"placement": name, **found}
            for name in names for found in self._value["placements"][name]["errors"]
        ]

    @property
    def warnings(self) -> list[ReportWarning]:
        """Probable faults of the table: ``{"code": "column-kind", "message": ".."}``."""
        return list(self._value.get("warnings", ()))

    def _warn(self, level: int, ignored: str | None) -> None:
        """Warns of the table, and of rules that failed for every user. Skips an ignored code."""
        kinds = {}
        for found in self.warnings if self.users or self.rejected else ():
            if "path" in found:
                kinds[found["path"]] = found["message"]
            else:
                warnings.warn(found["message"], TableWarning, stacklevel=level + 1)
        for message in self._failures(kinds, ignored):
            warnings.warn(message, RuleWarning, stacklevel=level + 1)
        for message in kinds.values():
            warnings.warn(message, TableWarning, stacklevel=level + 1)

    def _failures(self, kinds: dict[str, str], ignored: str | None) -> Iterator[str]:
        """Yields a message for each rule that failed for every user, except with one code.

        A message includes the warning about the attribute's column, which is then removed from
        ``kinds``.
        """
        failing: set[str] = set()
        for name, counts in self._value["placements"].items():
            reached = {one["index"]: one["reached"] for one in counts["audiences"]}
            failed: dict[int, list[CountedError]] = {}
            for found in counts["errors"]:
                failed.setdefault(found["audience"], []).append(found)
            for index, errors in failed.items():
                users = sum(found["users"] for found in errors)
                of_kind = (
                    one for one in errors
                    if one["path"] in kinds and one["code"] != "no-such-attribute"
                )
                first = next(of_kind, errors[0])
                if users >= max(reached.get(index, 0), 1) and first["code"] != ignored:
                    path = first["path"] or ""
                    place = f" of '{path}'" if path else ""
                    caused = path in kinds and first["code"] != "no-such-attribute"
                    cause = f"; {kinds[path]}" if caused else ""
                    if caused:
                        failing.add(path)
                    yield (
                        f"placement '{name}', audience {index}: the rule failed for every user "
                        f"that reached it: {first['clause']} ({first['code']}{place}){cause}"
                    )
        for path in failing & kinds.keys():
            del kinds[path]

    def to_dict(self) -> Counts:
        """Returns the counts as a dictionary."""
        return self._value

    def __repr__(self) -> str:
        count = len(self.warnings)
        noted = f", {count} warning{'s' if count > 1 else ''}" if count else ""
        return f"<Tally of {self.users} users, {self.rejected} rejected{noted}>"

    def _repr_html_(self) -> str:
        from ._html import tally

        return tally(self._value)

    def to_polars(self) -> polars.DataFrame:
        """Returns a Polars data frame with a row for each audience of each placement.

        Its columns are ``placement``, ``audience``, ``reached``, ``matched``, ``held_back``,
        ``owned``, ``taken``, and ``failed``, the number of users for whom the rule failed.
        """
        import polars

        return polars.DataFrame(self._rows(), schema=_COLUMNS, orient="row")

    def _rows(self) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for name, counts in self._value["placements"].items():
            for one in counts["audiences"]:
                failed = sum(
                    error["users"] for error in counts["errors"]
                    if error["audience"] == one["index"]
                )
                found.append((
                    name, one["index"], one["reached"], one["matched"], one["heldBack"],
                    one.get("owned", 0), one["taken"], failed,
                ))
        return found

    def plot(self, placements: Names | None = None) -> Figure:
        """Draws a funnel for each placement, and returns the matplotlib figure.

        Each audience has bars for the users that it reached, matched and took. The function needs
        matplotlib: ``pip install matplotlib``.

        :param placements: names (default: all placements that were counted).
        """
        from ._plots import funnels

        names = list(self._value["placements"]) if placements is None else names_of(placements)
        return funnels(self._value, names)


class Outcomes:
    """A stream of a table's outcomes, which are decided while it is read. It can be read once.

    Any consumer of the Arrow PyCapsule interface can read the stream: ``pyarrow.table(outcomes)``,
    ``polars.DataFrame(outcomes)``, ``duckdb.sql("from outcomes")``.
    """

    __slots__ = ("_capsule", "_plan", "_report")

    def __init__(self, plan: Plan, capsule: Any, report: Report) -> None:
        self._plan = plan
        self._capsule: Any = capsule
        self._report = report

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        capsule, self._capsule = self._capsule, None
        if capsule is None:
            raise TableError(
                "these outcomes have been read already; decide the table again", "already_read", {}
            )
        return capsule

    def __arrow_c_schema__(self) -> Any:
        return self._plan.schema.__arrow_c_schema__()

    @property
    def report(self) -> Tally:
        """Counts of the rows read so far, and the rows without an outcome."""
        return self._report.read()

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """Decides the table in parts, and yields pyarrow record batches of at most 8,192 rows."""
        import pyarrow

        reader = pyarrow.RecordBatchReader.from_stream(self)
        while True:
            with _Telling(self._report):
                batch = next(reader, None)
            if batch is None:
                return
            yield batch

    def to_reader(self) -> pyarrow.RecordBatchReader:
        """Returns a pyarrow reader, which decides rows as they are read."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_batches(pyarrow.schema(self), self.batches())

    def to_arrow(self) -> pyarrow.Table:
        """Returns the outcomes as a pyarrow table."""
        import pyarrow

        schema = pyarrow.schema(self)
        # This is a loop in Python, so that Ctrl-C ends it.
        return pyarrow.Table.from_batches(list(self.batches()), schema)

    def to_polars(self) -> polars.DataFrame:
        """Returns the outcomes as a Polars data frame."""
        import polars

        with _Telling(self._report):
            return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the outcomes as a pandas data frame with columns such as ``export.paywall``."""
        return self.to_arrow().flatten().to_pandas()


class _Telling:
    """Replaces a reader's error about a failed stream by the error that caused the failure."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, problem: BaseException | None, trace: Any) -> None:
        if problem is None or isinstance(problem, TollgateError):
            return
        # A signal handler may have raised this exception.
        if isinstance(problem, Exception) and library_of(problem) in ("pyarrow", "polars"):
            cause = self._report.failure() or TableError(str(problem), "bad_array", {})
            raise cause from problem


def library_of(frame: Any) -> str:
    """Returns the package of a table's type. Some versions of DuckDB name it ``_duckdb``."""
    return type(frame).__module__.partition(".")[0].lstrip("_")
