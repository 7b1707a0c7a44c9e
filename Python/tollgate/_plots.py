"""Charts of counts, with matplotlib."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from matplotlib.figure import Figure

    from .table_types import Counts

_WIDTH = 7.0
# The heights of an audience and of the rest of a chart, in inches.
_ROW, _FRAME = 0.42, 1.0
_PARTS = (("reached", "#c9ced6"), ("matched", "#e0a030"), ("taken", "#1a7f4b"))


def funnels(counts: Counts, names: Sequence[str]) -> Figure:
    """Draws a funnel for each placement: users that its audiences reached, matched and took.

    :raises ImportError: if matplotlib is not installed.
    :raises KeyError: if a placement was not counted.
    """
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot() needs matplotlib: pip install matplotlib") from None
    for name in names:
        if name not in counts["placements"]:
            known = ", ".join(counts["placements"])
            raise KeyError(f"placement '{name}' was not counted; there is {known}")
    heights = [
        _FRAME + _ROW * max(1, len(counts["placements"][name]["audiences"])) for name in names
    ]
    # Notebooks show figures made with pyplot, which stores them until they are closed.
    figure: Figure = pyplot.figure(
        figsize=(_WIDTH, sum(heights) or _FRAME), layout="constrained"
    )
    pyplot.close(figure)
    if not names:
        return figure
    axes = figure.subplots(len(names), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axis, name in zip(axes, names, strict=True):
        _funnel(axis, name, counts)
    axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, frameon=False)
    axes[-1].set_xlabel("users")
    return figure


def _funnel(axis: Any, name: str, counts: Counts) -> None:
    audiences = counts["placements"][name]["audiences"]
    places = [one["index"] for one in audiences]
    for part, color in _PARTS:
        values = [one[part] for one in audiences]  # type: ignore[literal-required]
        axis.barh(places, values, height=0.7, color=color, label=part)
    for one in audiences:
        axis.annotate(
            f"{one['taken']:,} of {one['reached']:,}", (one["reached"], one["index"]),
            xytext=(4, 0), textcoords="offset points", va="center", fontsize=8,
        )
    # The name must not be read as a formula of matplotlib.
    axis.set_title(name.replace("$", r"\$"), loc="left", fontsize=10)
    axis.set_yticks(places, [f"audience {index}" for index in places])
    axis.invert_yaxis()
    axis.set_xlim(0, max(1, counts["users"]) * 1.18)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
