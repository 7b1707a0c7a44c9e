"""The fields of an outcome, as ``OutcomeField`` of the engine lists them: tests compare both."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Field = Literal["result", "audience", "experiment", "variant", "paywall", "reason"]

# Those of a choice: all but the reason.
FIELDS: tuple[Field, ...] = ("result", "audience", "experiment", "variant", "paywall")


def fields(one: Any) -> dict[str, Any]:
    """A decision's fields by name."""
    return {name: getattr(one, name) for name in FIELDS}
