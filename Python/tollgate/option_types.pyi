"""The types of options, for type checkers. This module does not exist at run time.

>>> TYPE_CHECKING = False
>>> if TYPE_CHECKING:
...     from tollgate.option_types import PlanOptions
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from typing_extensions import TypedDict

from ._field_names import Field
from .protocols import ArrowSchemaExportable

Dialect: TypeAlias = Literal[
    "superscript:ios",
    "superscript:android",
    "superscript:web",
    "superscript",
    "cel",
]
Profile: TypeAlias = Literal[
    "ios-sk2",
    "ios-sk1",
    "ios-stripe",
    "ios-api",
    "android-play",
    "android-stripe",
    "android-test",
    "agentwallie",
    "checkout",
]
Database: TypeAlias = Literal["bigquery", "duckdb", "postgres", "snowflake", "spark"]
ColumnType: TypeAlias = Literal["text", "integer", "number", "double", "bool", "time", "list"]
Record: TypeAlias = Mapping[str, Any]
JSON: TypeAlias = str | bytes | Mapping[str, Any]
Document: TypeAlias = JSON | os.PathLike[str]
Products: TypeAlias = Document | Sequence[Mapping[str, Any]]
Time: TypeAlias = datetime | str

_Name_co = TypeVar("_Name_co", covariant=True)

class Several(Protocol[_Name_co]):
    """A list or another collection of names, but not a string."""

    def __contains__(self, value: object, /) -> bool: ...
    def __iter__(self) -> Iterator[_Name_co]: ...
    def __len__(self) -> int: ...

Names: TypeAlias = Several[str]

class ConfigOptions(TypedDict, total=False):
    """Options of ``Config.load`` and ``Config.loads``."""

    dialect: Dialect
    seed: str
    assigner: Literal["hash", "djb2"] | None
    time_zone: str
    products: Products | None
    texts: Document | None
    strict: bool

class TableOptions(TypedDict, total=False):
    """Options of plans about columns and outcomes, also for ``tollgate.spark.decide``."""

    fields: Sequence[Field] | None
    codes: bool
    texts: Literal["utf8", "string_view", "dictionary"]
    subject: str
    root: Literal["user", "device"] | None
    columns: Mapping[str, str] | None
    nulls: Literal["missing", "null"]
    missing_columns: Literal["error", "ignore"]
    separator: str | None
    decimals: Literal["double", "text"] | None
    dates: Literal["text", "timestamp"] | None
    naive_times: str | None
    sdk_version: str | None

class PlanOptions(TableOptions, total=False):
    """Options of ``config.plan``."""

    now: Time | None
    seed: str | None
    schema: ArrowSchemaExportable | None

class PlanChanges(PlanOptions, total=False):
    """Options of ``plan.with_options``."""

    placements: Names | None

class TemplateOptions(TypedDict, total=False):
    """Options of ``config.render`` about a template."""

    dialect: Literal["superwall", "shopify", "agentwallie"]
    mode: Literal["lax", "strict"]
    html: bool
    select: str
    profile: Profile
    timeZone: str
    eligible: bool
