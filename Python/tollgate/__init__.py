"""Decides which paywall a user sees and what the paywall says, for one user or a table of users.

==================================  ==============================================================
``Config.load("config.json")``      reads a config; ``Config.loads`` takes its text
``config.decide(place, user)``      decides a placement for a user: a :class:`Decision`
``config.decide_all(user)``         decides all placements
``config.explain(place, user)``     explains a decision: an :class:`Explanation`
``config.plan(places, now=...)``    makes a plan that decides tables: a :class:`Plan`
``plan.decide(table)``              decides all rows: a table of the same kind
``plan.count(table)``               counts outcomes, and users by audience: a :class:`Tally`
``config.select(database=...)``     writes the query for the columns that rules read
``config.sql(database=...)``        writes the rules in SQL: a :class:`Query`
``config.check()``                  checks the config: a list of :class:`Diagnostic`
``config.diff(other)``              compares two configs: which users move
``config.cover(tests)``             finds rules that no test exercises
``config.render(template=...)``     renders texts with prices
==================================  ==============================================================

``tollgate.polars``, ``tollgate.duckdb``, ``tollgate.spark`` and ``tollgate.openfeature`` have
functions for these libraries. ``python -m tollgate decide`` decides Parquet files, and
``tollgate-mcp`` serves assistants. Errors are subclasses of :class:`TollgateError`.

>>> import tollgate
>>> config = tollgate.Config.loads('{"build_id": "1", "trigger_options": []}')
>>> config.placements
[]
"""

from ._library import version as _version
from .answers import Decision, Diagnostic, Explanation, Query, Requirement
from .config import Config
from .errors import (
    ColumnError,
    ConfigError,
    RecordError,
    RuleWarning,
    TableError,
    TableWarning,
    TollgateError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .outcomes import Outcomes, Tally
    from .plan import Plan
    from .protocols import ArrowArrayExportable as ArrowArrayExportable
    from .protocols import ArrowSchemaExportable as ArrowSchemaExportable
    from .protocols import ArrowStreamExportable as ArrowStreamExportable

__version__ = _version()

__all__ = [
    "ColumnError",
    "Config",
    "ConfigError",
    "Decision",
    "Diagnostic",
    "Explanation",
    "Outcomes",
    "Plan",
    "Query",
    "RecordError",
    "Requirement",
    "RuleWarning",
    "TableError",
    "TableWarning",
    "Tally",
    "TollgateError",
]

# Names for tables are imported on demand, so programs that decide for one user start faster.
_LATER = {
    "ArrowArrayExportable": "protocols",
    "ArrowSchemaExportable": "protocols",
    "ArrowStreamExportable": "protocols",
    "Outcomes": "outcomes",
    "Plan": "plan",
    "Tally": "outcomes",
}


def __getattr__(name: str) -> object:
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
