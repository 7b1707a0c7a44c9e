"""Plans, which decide every row of a table."""

from __future__ import annotations

import ctypes
import warnings

from ._capsules import SCHEMA, STREAM, drain
from ._json import loads
from ._kinds import to_kind_of
from ._library import Text, checked, library
from ._records import json_bytes, names_of, time_text
from ._shapes import Conversions, flat_columns, schema_names, stream_names
from ._tables import schema_of, stream_of
from .answers import Requirement
from .errors import ColumnError, TableError, TableWarning
from .outcomes import Outcomes, Report, Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal, overload

    import pyarrow
    from typing_extensions import Unpack

    from ._field_names import Field
    from .config import Config
    from .option_types import Names, PlanChanges, Time
    from .protocols import ArrowSchemaExportable
    from .table_types import AnyTable, Choice, Exportable, FrameT, LaterT, Readable


# Plans for the flat columns of the last decided tables.
_MOST_FITTING = 8


class Plan:
    """Decides every row of a table.

    A plan never changes, and can be pickled (without its ``schema``).

    A column's name selects its attributes: a struct ``user`` has the members of ``user``, and a
    column ``user.plan`` has that attribute. ``columns={"user.plan": "plan"}`` maps other
    names, and ``root="user"`` makes a column ``plan`` the attribute ``user.plan``. NULL means that
    the attribute is missing. If a column has the wrong type, the error names the column.

    :param placements: names (default: all placements of the config).
    :param now: the time of all decisions (default: the time when the plan is created).
    :param seed: overrides the seed of the config.
    :param fields: the fields of each placement. ``reason`` is JSON, as in
        ``tollgate precompute --reasons``: reached limits, owned entitlements, errors, the draw.
        ``[]`` returns tables with rows but no columns, if you need only the report.
    :param codes: whether to return one number for each placement instead of fields, an index into
        :attr:`choices`.
    :param texts: the layout of strings: ``utf8``, ``string_view`` or ``dictionary``.
    :param subject: the column of user IDs.
    :param nulls: ``missing``, or ``null`` for JSON's null.
    :param missing_columns: ``error`` or ``ignore``, if no column has an attribute that rules read.
    :param separator: the separator in flat names: with ``_`` the column ``user_plan`` is the
        attribute ``user.plan``.
    :param decimals: the type to convert decimals to, because rules cannot read decimals: ``double``
        or ``text``. An ID that is a whole number becomes a string.
    :param dates: the type to convert dates to: ``text`` (``2026-03-01``), or ``timestamp`` for
        midnight in UTC.
    :param naive_times: the time zone of timestamps without a time zone.
    :param sdk_version: the SDK that decides every row: ``newest``, a version such as ``4.12.5``, or
        ``ios=4.12.5,android=2.6.8`` by ``device.platform``. With ``record``, the columns
        ``device.platform``, ``device.sdkVersion`` and ``device.platformWrapper`` say which SDK
        decides a row.
    :param schema: the schema of the tables, to check it when the plan is created.
    """

    __slots__ = (
        "_config", "_conversions", "_facts", "_fitting", "_options", "_others", "_pointer",
        "_schema", "_shape",
    )

    def __init__(
        self,
        config: Config,
        placements: Names | None = None,
        *,
        now: Time | None = None,
        seed: str | None = None,
        fields: Sequence[Field] | None = None,
        codes: bool = False,
        texts: Literal["utf8", "string_view", "dictionary"] = "utf8",
        subject: str = "userId",
        root: Literal["user", "device"] | None = None,
        columns: Mapping[str, str] | None = None,
        nulls: Literal["missing", "null"] = "missing",
        missing_columns: Literal["error", "ignore"] = "error",
        separator: str | None = None,
        decimals: Literal["double", "text"] | None = None,
        dates: Literal["text", "timestamp"] | None = None,
        naive_times: str | None = None,
        sdk_version: str | None = None,
        schema: ArrowSchemaExportable | None = None,
    ) -> None:
        self._pointer: int | None = None
        self._config = config
        self._schema = schema
        self._others: dict[str, Plan] = {}
        self._fitting: dict[str, Plan] = {}
        options: dict[str, object] = {
            "placements": names_of(placements) if placements is not None else None,
            "now": time_text(now), "seed": seed,
            "fields": list(fields) if fields is not None else None, "codes": codes, "texts": texts,
            "subject": subject, "root": root, "columns": dict(columns) if columns else None,
            "nulls": nulls, "missingColumns": missing_columns, "sdkVersion": sdk_version,
        }
        self._options = {name: value for name, value in options.items() if value is not None}
        self._shape = {
            name: value for name, value in (
                ("separator", separator), ("decimals", decimals), ("dates", dates),
                ("naive_times", naive_times),
            ) if value is not None
        }
        if separator is not None and (not isinstance(separator, str) or not separator):
            raise ValueError(f"separator={separator!r}: use a string such as '_'")
        self._conversions = Conversions(decimals, dates, naive_times)
        asked = self._options
        if schema is not None and self._shape:
            # All tables have the columns of this schema, so faulty columns are reported now.
            asked, schema = self._fitted(schema)
        self._facts: dict[str, Any] | None = None
        try:
            self._pointer = self._made(asked, schema)
        except ColumnError as problem:
            raise self._all_faults(asked, schema, problem) from None

    def _made(self, options: Mapping[str, object], schema: Any) -> int | None:
        given = json_bytes(options)
        capsule = schema.__arrow_c_schema__() if schema is not None else None
        address = SCHEMA.address(capsule) if capsule is not None else None
        out, said = ctypes.c_void_p(), Text()
        status = library.tg_plan_make(
            self._config._pointer, given, len(given), address, ctypes.byref(out),
            ctypes.byref(said),
        )
        checked(status, said)
        return out.value

    def _all_faults(
        self, options: Mapping[str, Any], schema: Any, first: ColumnError
    ) -> ColumnError:
        """Returns the error with all faults of a schema, for which pyarrow must be installed."""
        try:
            import pyarrow
        except ImportError:
            return first
        from ._faults import Columns

        def attempt(schema: Any) -> None:
            library.tg_plan_free(self._made(options, schema))

        columns = Columns(
            pyarrow.schema(schema), attempt, self._subject, options.get("root"),
            options.get("columns", {}),
        )
        return columns.error(first)

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer and library is not None:
            library.tg_plan_free(pointer)

    def __repr__(self) -> str:
        return f"<Plan of {', '.join(self.placements)}>"

    # A copy is the same object, because its object in the library must be freed only once.

    def __copy__(self) -> Plan:
        return self

    def __deepcopy__(self, memo: object) -> Plan:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _planned, (self._config, self._arguments())

    # What it is

    def _described(self) -> dict[str, Any]:
        if self._facts is None:
            text = Text()
            status = library.tg_plan_describe(self._pointer, ctypes.byref(text))
            self._facts = loads(checked(status, text))
        return self._facts

    @property
    def config(self) -> Config:
        return self._config

    @property
    def placements(self) -> list[str]:
        return list(self._described()["placements"])

    @property
    def now(self) -> str:
        """The time of all decisions."""
        return str(self._described()["now"])

    @property
    def fields(self) -> list[str]:
        return list(self._described()["fields"])

    @property
    def choices(self) -> list[Choice]:
        """The outcomes, indexed by the numbers that ``codes=True`` returns."""
        return list(self._described()["choices"])

    @property
    def requirements(self) -> list[Requirement]:
        """The attributes that rules read, with their types: the columns to select."""
        return [Requirement.of(value) for value in self._described()["attributes"]]

    @property
    def schema(self) -> ArrowSchemaExportable:
        """Exports the schema of outcomes through the PyCapsule interface."""
        return _OutcomeSchema(self)

    def _warn(self, level: int) -> None:
        """Warns of columns of a schema whose types no rule expects."""
        if self._schema is not None:
            for found in self._described().get("warnings") or ():
                warnings.warn(found["message"], TableWarning, stacklevel=level + 1)

    def with_options(self, **changes: Unpack[PlanChanges]) -> Plan:
        """Returns the plan with other options, at the same time."""
        return Plan(self._config, **{**self._arguments(), **changes})

    def _arguments(self) -> dict[str, Any]:
        """Returns the arguments of the same plan, at the same time."""
        return {**self._keywords(), "now": self.now}

    def _keywords(self) -> dict[str, Any]:
        options = {**self._options, **self._shape}
        options["missing_columns"] = options.pop("missingColumns")
        return options

    def with_texts(self, texts: Literal["utf8", "string_view", "dictionary"]) -> Plan:
        """Returns the same plan with another layout of strings, and caches it."""
        if self._options["texts"] == texts:
            return self
        if texts not in self._others:
            self._others[texts] = self.with_options(texts=texts, schema=self._schema)
        return self._others[texts]

    @property
    def _has_columns(self) -> bool:
        """Whether outcomes have columns, as they do unless ``fields`` is empty."""
        return bool(self.fields or self._options["codes"])

    def _require_columns(self, taker: str) -> None:
        """Rejects ``fields=[]`` for tables that must have columns.

        :raises ValueError: if outcomes have no columns.
        """
        if not self._has_columns:
            raise ValueError(
                f"fields=[] gives rows without columns, which {taker} cannot have; "
                "name a field, or use plan.count"
            )

    def _counting(self) -> Plan:
        """Returns the same plan with ``fields=[]``, and caches it."""
        if "count" not in self._others:
            self._others["count"] = self.with_options(fields=[], codes=False, schema=self._schema)
        return self._others["count"]

    # Tables

    if TYPE_CHECKING:
        # The result is a table of the same kind as the input.
        @overload
        def decide(
            self, frame: FrameT, *, keep: Names | None = None, report: Literal[False] = False
        ) -> FrameT: ...
        @overload
        def decide(
            self, frame: FrameT, *, keep: Names | None = None, report: Literal[True]
        ) -> tuple[FrameT, Tally]: ...
        @overload
        def decide(
            self, frame: LaterT, *, keep: Names | None = None, report: Literal[False] = False
        ) -> LaterT: ...
        @overload
        def decide(
            self, frame: Readable, *, keep: Names | None = None, report: Literal[False] = False
        ) -> pyarrow.RecordBatchReader: ...
        @overload
        def decide(
            self, frame: Exportable, *, keep: None = None, report: Literal[False] = False
        ) -> Outcomes: ...
        @overload
        def decide(
            self, frame: Exportable, *, keep: Names, report: Literal[False] = False
        ) -> pyarrow.RecordBatchReader: ...

    def decide(
        self, frame: Any, *, keep: Names | None = None, report: bool = False
    ) -> Any:
        """Decides all rows, and returns a table of the same kind.

        Each row of the input has a row in the answer, with a struct for each placement. The struct
        is NULL if the user is invalid. The input can be a table of pyarrow, Polars or pandas (the
        answer then has columns such as ``export.paywall``), a relation of DuckDB, or any other
        Arrow exporter, for which the answer is :class:`tollgate.Outcomes`. Datasets, scanners and
        Parquet files of pyarrow are decided while they are read. Tables of Delta and Iceberg are
        scanned.

        A rule that fails for every user that reaches it causes a :class:`tollgate.RuleWarning`. A
        column of a type that no rule expects causes a :class:`tollgate.TableWarning`, and so do IDs
        with white space at an end.

        :param keep: columns of the table to return before the outcomes, such as ``["userId"]``.
        :param report: whether to return a :class:`tollgate.Tally` as a second value.
        """
        answer, outcomes = to_kind_of(frame, self, keep)
        tally = outcomes.report if outcomes is not None else None
        if tally is not None:
            tally._warn(2, self._ignored)
        if not report:
            return answer
        if tally is None:
            raise ValueError(
                "report=True: this is decided while it is read; use plan.outcomes(frame), whose "
                "report counts what was read, or make a table of it first"
            )
        return answer, tally

    def outcomes(self, frame: AnyTable) -> Outcomes:
        """Returns a stream of the outcomes of an Arrow exporter, decided while it is read."""
        return Outcomes(self, *self._stream(frame))

    def stream(self, frame: AnyTable) -> Iterator[pyarrow.RecordBatch]:
        """Decides the table in parts, and yields pyarrow record batches of at most 8,192 rows."""
        yield from self.outcomes(frame).batches()

    def count(self, frame: AnyTable) -> Tally:
        """Decides all rows and returns only counts."""
        # The table is decided in parts, so that Ctrl-C works.
        capsule, report = self._counting()._stream(frame)
        if not drain(capsule):
            raise report.failure() or TableError("the table cannot be read", "bad_array", {})
        tally = report.read()
        tally._warn(2, self._ignored)
        return tally

    def _stream(self, frame: Any) -> tuple[Any, Report]:
        """Returns a capsule with the outcomes of a table, and the report that counts them."""
        (capsule, plan), report = self._shaped(stream_of(frame)), Report()
        text = Text()

        def fill(address: int) -> None:
            status = library.tg_plan_stream(
                plan._pointer, STREAM.address(capsule), report.pointer, address, ctypes.byref(text)
            )
            checked(status, text)

        try:
            return STREAM.make(fill), report
        except ColumnError as problem:
            schema = schema_of(frame) if self._schema is None else None
            if schema is None:
                raise
            fitted = self._conversions.schema(schema, self._subject)
            raise plan._all_faults(plan._options, fitted, problem) from None


    # Flat names, and types that are converted

    def _shaped(self, capsule: Any) -> tuple[Any, Plan]:
        """Returns the stream to decide, and the plan for its columns."""
        if self._conversions:
            capsule = self._conversions.stream(capsule, self._subject)
        if "separator" not in self._shape or self._schema is not None:
            return capsule, self
        columns = self._flat(stream_names(STREAM.address(capsule)))
        if columns == self._given_columns:
            return capsule, self
        key = repr(columns)
        plan = self._fitting.get(key)
        if plan is None:
            plan = self.with_options(columns=columns, separator=None)
            if len(self._fitting) >= _MOST_FITTING:
                self._fitting.clear()
            self._fitting[key] = plan
        return capsule, plan

    def _fitted(self, schema: ArrowSchemaExportable) -> tuple[dict[str, object], Any]:
        """Returns the options for tables of a schema, and the schema after conversion."""
        asked = dict(self._options)
        if "separator" in self._shape:
            capsule = schema.__arrow_c_schema__()
            unbound = Plan(self._config, **self._keywords())
            asked["columns"] = unbound._flat(schema_names(SCHEMA.address(capsule)))
        return asked, self._conversions.schema(schema, self._subject)

    def _flat(self, names: list[str]) -> dict[str, str]:
        root: Any = self._options.get("root")
        return flat_columns(
            names, self.requirements, self._shape["separator"], root, self._given_columns,
            self._subject,
        )

    @property
    def _given_columns(self) -> dict[str, str]:
        found: Any = self._options.get("columns", {})
        return dict(found)

    @property
    def _ignored(self) -> str | None:
        """The error code that is expected if missing columns are ignored."""
        ignores = self._options["missingColumns"] == "ignore"
        return "no-such-attribute" if ignores else None

    @property
    def _subject(self) -> str:
        return str(self._options["subject"])


def _planned(config: Config, arguments: dict[str, Any]) -> Plan:
    """Creates a plan that was pickled in another process."""
    return Plan(config, **arguments)


class _OutcomeSchema:
    """The form of a plan's outcomes."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def __arrow_c_schema__(self) -> Any:
        text = Text()

        def fill(address: int) -> None:
            status = library.tg_plan_schema(self._plan._pointer, address, ctypes.byref(text))
            checked(status, text)

        return SCHEMA.make(fill)
