"""Which paywall a user sees, and what it says about prices: for one user, or a table of them.

>>> import tollgate
>>> config = tollgate.Config.loads('{"build_id": "1", "trigger_options": []}')
>>> config.placements
[]
"""

from ._capsules import ArrowArrayExportable, ArrowSchemaExportable, ArrowStreamExportable
from ._library import version as _version
from .answers import Decision, Diagnostic, Explanation
from .config import Config
from .errors import ColumnError, ConfigError, RecordError, TableError, TollgateError
from .outcomes import Outcomes, Tally
from .plan import Plan

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
    "TableError",
    "Tally",
    "TollgateError",
]
