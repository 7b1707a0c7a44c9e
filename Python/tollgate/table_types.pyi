"""The types of tables, counts and queries. This module does not exist at run time.

>>> TYPE_CHECKING = False
>>> if TYPE_CHECKING:
...     from tollgate.table_types import Counts
"""

from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from typing_extensions import NotRequired, TypedDict

from .answer_types import CountedError, LimitUse, MissingAttribute, ResultName
from .protocols import ArrowArrayExportable, ArrowStreamExportable

# Tables are recognised by their methods, so the libraries need not be installed.

class _Frame(Protocol):
    """Tables of pyarrow, Polars and pandas, and relations of DuckDB."""

    @property
    def columns(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

class _Reader(Protocol):
    """Readers of pyarrow."""

    def read_next_batch(self) -> Any: ...

class _Lazy(Protocol):
    """Lazy frames of Polars."""

    def collect_schema(self) -> Any: ...

class _Dataset(Protocol):
    """Datasets of pyarrow."""

    @property
    def scanner(self) -> Any: ...

class _Scanner(Protocol):
    """Scanners of pyarrow."""

    @property
    def projected_schema(self) -> Any: ...

class _File(Protocol):
    """Parquet files of pyarrow."""

    @property
    def iter_batches(self) -> Any: ...

class _Delta(Protocol):
    """Tables of Delta."""

    @property
    def to_pyarrow_dataset(self) -> Any: ...

class _Iceberg(Protocol):
    """Tables of Iceberg."""

    @property
    def scan(self) -> Any: ...

class _IcebergScan(Protocol):
    """Scans of Iceberg."""

    @property
    def to_arrow_batch_reader(self) -> Any: ...

Readable: TypeAlias = _Dataset | _Scanner | _File
Exportable: TypeAlias = (
    ArrowStreamExportable | ArrowArrayExportable | _Delta | _Iceberg | _IcebergScan
)
AnyTable: TypeAlias = _Frame | _Reader | _Lazy | Readable | Exportable
# The outcomes of these tables are a table of the same kind.
FrameT = TypeVar("FrameT", bound=_Frame)
LaterT = TypeVar("LaterT", bound=_Reader | _Lazy)

class _SparkFrame(Protocol):
    """Data frames of Spark."""

    @property
    def columns(self) -> list[str]: ...
    @property
    def schema(self) -> Any: ...
    @property
    def mapInArrow(self) -> Any: ...

SparkFrameT = TypeVar("SparkFrameT", bound=_SparkFrame)

# Counts.

class Reject(TypedDict):
    row: int
    reason: str

OutcomeName: TypeAlias = Literal[
    "paywall",
    "holdout",
    "noAudienceMatch",
    "placementNotFound",
    "error",
    "undecidable",
]

class AudienceCounts(TypedDict):
    index: int
    reached: int
    matched: int
    taken: int
    heldBack: int
    limit: NotRequired[LimitUse]
    owned: NotRequired[int]
    entitlement: NotRequired[str]
    missing: NotRequired[list[MissingAttribute]]

class PlacementCounts(TypedDict):
    outcomes: dict[OutcomeName, int]
    audiences: list[AudienceCounts]
    unmatched: int
    errors: list[CountedError]
    more: NotRequired[int]

class ReportWarning(TypedDict):
    code: Literal["column-kind", "untrimmed-id", "rejected-rows"]
    message: str
    column: NotRequired[str]
    path: NotRequired[str]
    users: NotRequired[int]

class Counts(TypedDict):
    users: int
    rejected: int
    rejects: list[Reject]
    placements: dict[str, PlacementCounts]
    warnings: NotRequired[list[ReportWarning]]

class RuleFailure(CountedError):
    placement: str

class Choice(TypedDict):
    placement: str
    result: ResultName
    audience: int | None
    experiment: str | None
    variant: str | None
    paywall: str | None

# Rules in SQL.

class QueryColumn(TypedDict):
    path: str
    names: list[str]
    kind: str
    type: str | None

class QueryAudience(TypedDict):
    index: int
    name: str
    covered: bool
    reason: str | None

class QueryPlacement(TypedDict):
    name: str
    covered: bool
    audiences: list[QueryAudience]

class QueryAudiences(TypedDict):
    total: int
    covered: int
