"""Plans: what is decided for every row of a table, as a table comes and as it is wanted back."""

from __future__ import annotations

import ctypes

from ._capsules import ARRAY, SCHEMA, STREAM, drain
from ._json import loads
from ._library import Text, checked, library
from ._records import json_bytes, time_text
from .config import Config, _names
from .errors import TableError
from .outcomes import Outcomes, Report, Tally, library_of, to_kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any, Literal

    from ._fields import Field
    from .protocols import ArrowSchemaExportable


class Plan:
    """What is decided for every row of a table.

    It never changes, and can be pickled, without ``schema``.

    Columns are attributes by their names: a struct ``user`` has the members of ``user``, and a
    column ``user.plan`` is that one. ``columns={"user.plan": "plan"}`` says where names differ,
    ``root="user"`` whose attributes columns are that name no root. NULL is an attribute that is not
    there. A column of the wrong kind is an error that names it.

    :param placements: names; all of the config unless given.
    :param now: the time of all decisions; when the plan was made unless given.
    :param seed: instead of the config's.
    :param fields: what is told of each placement. ``reason`` is JSON, as
        ``tollgate precompute --reasons`` writes it: limits and entitlements that held audiences
        back, errors, the draw. Without any, ``[]``, tables have rows and no columns, for whoever
        wants the report.
    :param codes: one number for each placement instead, a place in :attr:`choices`.
    :param texts: how texts lie in memory: ``utf8``, ``string_view`` or ``dictionary``.
    :param subject: the column with the users' identities.
    :param nulls: ``missing``, or ``null`` for JSON's null.
    :param missing_columns: ``error`` or ``ignore``: attributes that rules read and no column has.
    :param schema: what tables look like, to find out now whether they can be decided.
    """

    __slots__ = ("_config", "_facts", "_options", "_others", "_pointer", "_schema")

    def __init__(
        self,
        config: Config,
        placements: Sequence[str] | None = None,
        *,
        now: datetime | str | None = None,
        seed: str | None = None,
        fields: Sequence[Field] | None = None,
        codes: bool = False,
        texts: Literal["utf8", "string_view", "dictionary"] = "utf8",
        subject: str = "userId",
        root: Literal["user", "device"] | None = None,
        columns: Mapping[str, str] | None = None,
        nulls: Literal["missing", "null"] = "missing",
        missing_columns: Literal["error", "ignore"] = "error",
        schema: ArrowSchemaExportable | None = None,
    ) -> None:
        self._pointer: int | None = None
        self._config = config
        self._schema = schema
        self._others: dict[str, Plan] = {}
        options: dict[str, object] = {
            "placements": _names(placements) if placements is not None else None,
            "now": time_text(now), "seed": seed,
            "fields": list(fields) if fields is not None else None, "codes": codes, "texts": texts,
            "subject": subject, "root": root, "columns": dict(columns) if columns else None,
            "nulls": nulls, "missingColumns": missing_columns,
        }
        self._options = {name: value for name, value in options.items() if value is not None}
        given = json_bytes(self._options)
        capsule = schema.__arrow_c_schema__() if schema is not None else None
        address = SCHEMA.address(capsule) if capsule is not None else None
        out, said = ctypes.c_void_p(), Text()
        status = library.tg_plan_make(
            config._pointer, given, len(given), address, ctypes.byref(out), ctypes.byref(said)
        )
        checked(status, said)
        self._pointer = out.value
        self._facts: dict[str, Any] | None = None

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer and library is not None:
            library.tg_plan_free(pointer)

    def __repr__(self) -> str:
        return f"<Plan of {', '.join(self.placements)}>"

    # It never changes, and what it stands for in the library is freed once.

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
    def choices(self) -> list[dict[str, Any]]:
        """What the numbers of ``codes=True`` stand for."""
        return list(self._described()["choices"])

    @property
    def requirements(self) -> list[str]:
        """The attributes that rules read: what to select of a table."""
        return list(self._described()["requirements"])

    @property
    def schema(self) -> ArrowSchemaExportable:
        """What outcomes look like, for whoever takes the PyCapsule interface."""
        return _OutcomeSchema(self)

    def with_options(self, **changes: Any) -> Plan:
        """The same plan with other options, at the same time."""
        return Plan(self._config, **{**self._arguments(), **changes})

    def _arguments(self) -> dict[str, Any]:
        """What the same plan is made with, at the same time."""
        options = {"now": self.now, **self._options}
        if "missingColumns" in options:
            options["missing_columns"] = options.pop("missingColumns")
        return options

    def with_texts(self, texts: str) -> Plan:
        """The same plan with texts in another form; made once."""
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
        """Refuses ``fields=[]`` where rows alone are nothing.

        :raises ValueError: where outcomes have no columns.
        """
        if not self._has_columns:
            raise ValueError(
                f"fields=[] gives rows without columns, which {taker} cannot have; "
                "name a field, or use plan.count"
            )

    def _counting(self) -> Plan:
        """The same plan, whose tables have rows and no columns; made once."""
        if "count" not in self._others:
            self._others["count"] = self.with_options(fields=[], codes=False, schema=self._schema)
        return self._others["count"]

    # Tables

    def decide(self, frame: Any) -> Any:
        """Decides for all rows, and gives back the kind of table that came.

        A row of the answer belongs to the row of the table at the same place: a struct for each
        placement, NULL where the user cannot be read. pyarrow's and Polars' tables, pandas' (with
        columns such as ``export.paywall``), DuckDB's relations and whatever else exports Arrow are
        taken; of the last the answer is :class:`tollgate.Outcomes`.
        """
        return to_kind_of(frame, self)

    def outcomes(self, frame: Any) -> Outcomes:
        """Decides for all rows of whatever exports Arrow, as they are asked for."""
        return Outcomes(self, *self._stream(frame))

    def stream(self, frame: Any) -> Iterator[Any]:
        """Decides part by part: pyarrow's record batches of at most 8,192 rows."""
        yield from self.outcomes(frame).batches()

    def count(self, frame: Any) -> Tally:
        """Decides for all rows and counts only."""
        # Part by part, so that Ctrl-C ends it.
        capsule, report = self._counting()._stream(frame)
        if not drain(capsule):
            raise report.failure() or TableError("the table cannot be read", "bad_array", {})
        return report.read()

    def _stream(self, frame: Any) -> tuple[Any, Report]:
        """A capsule with the outcomes of a table, and the report that counts them."""
        capsule, report = stream_of(frame), Report()
        text = Text()

        def fill(address: int) -> None:
            status = library.tg_plan_stream(
                self._pointer, STREAM.address(capsule), report.pointer, address, ctypes.byref(text)
            )
            checked(status, text)

        return STREAM.make(fill), report


def _planned(config: Config, arguments: dict[str, Any]) -> Plan:
    """A plan that comes from another process."""
    return Plan(config, **arguments)


class _OutcomeSchema:
    """What outcomes of a plan look like."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def __arrow_c_schema__(self) -> Any:
        text = Text()

        def fill(address: int) -> None:
            status = library.tg_plan_schema(self._plan._pointer, address, ctypes.byref(text))
            checked(status, text)

        return SCHEMA.make(fill)


def stream_of(frame: Any) -> Any:
    """A capsule with a table as a stream."""
    module = library_of(frame)
    if module == "polars" and hasattr(frame, "collect"):
        frame = frame.collect()
    if hasattr(frame, "__arrow_c_stream__"):
        try:
            return frame.__arrow_c_stream__()
        except (TypeError, ValueError, NotImplementedError) as problem:
            if module != "pandas":
                raise
            raise TableError(
                f"pandas cannot give this frame out: {', '.join(map(str, problem.args))}; drop "
                "what rules do not read, rename what is there twice, and give a column values of "
                "one type, as frame.astype({'name': 'string'}) does",
                "bad_array", {},
            ) from problem
    if hasattr(frame, "__arrow_c_array__"):
        return _array_stream(*frame.__arrow_c_array__())
    if module == "duckdb" and hasattr(frame, "fetch_arrow_reader"):
        return frame.fetch_arrow_reader().__arrow_c_stream__()
    raise TypeError(
        f"{type(frame).__module__}.{type(frame).__name__} is not a table that exports Arrow: "
        "it has no __arrow_c_stream__. Give a table of pyarrow, Polars, pandas 2.2 or DuckDB, or "
        "pyarrow.Table.from_pylist(rows)"
    )


def _array_stream(schema: object, array: object) -> Any:
    """A stream of one array, which is moved out of its capsule."""
    text = Text()

    def fill(address: int) -> None:
        status = library.tg_array_stream(
            SCHEMA.address(schema), ARRAY.address(array), address, ctypes.byref(text)
        )
        checked(status, text)

    return STREAM.make(fill)
