"""Decides which paywall a user sees, and what it says about prices, for one user or a table.

>>> import tollgate
>>> config = tollgate.Config.loads('{"build_id": "1", "trigger_options": []}')
>>> config.placements
[]
"""

from ._library import version as _version
from .answers import Decision, Diagnostic, Explanation
from .config import Config
from .errors import ColumnError, ConfigError, RecordError, RuleWarning, TableError, TollgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .outcomes import Outcomes, Tally
    from .plan import Plan
    from .protocols import ArrowArrayExportable, ArrowSchemaExportable, ArrowStreamExportable

__version__ = _version()

__all__ = [
    "ArrowArrayExportable",
    "ArrowSchemaExportable",
    "ArrowStreamExportable",
    "ColumnError",
    "Config",
    "ConfigError",
    "Decision",
    "Diagnostic",
    "Explanation",
    "Outcomes",
    "Plan",
    "RecordError",
    "RuleWarning",
    "TableError",
    "Tally",
    "TollgateError",
]

# For tables. Imported on demand, so that programs that decide for one user do not wait for it.
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
