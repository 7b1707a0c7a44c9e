"""The fields of an outcome. A test compares the fields with the engine's ``OutcomeField``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Field = Literal["result", "audience", "experiment", "variant", "paywall", "reason"]

# The fields of a choice are all fields except the reason.
FIELDS: tuple[Field, ...] = ("result", "audience", "experiment", "variant", "paywall")


def fields(one: Any) -> dict[str, Any]:
    """Returns a decision's fields by name."""
    return {name: getattr(one, name) for name in FIELDS}
