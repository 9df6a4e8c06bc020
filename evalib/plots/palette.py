"""Colours and notes that the plots share. The colours are those of Okabe and Ito (2008), which
colour-blind readers can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
PALE = "#BFE1F6"  # lighter than the others in greyscale too
GREY = "#595959"
SMALL = 8  # points
MODELLED_NOTE = "simulated call; latencies are modelled, not measured"


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes given, or new ones in a figure of `width` x `height` inches."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


def axes_width_in(ax: Axes) -> float:
    """Width of the axes in inches."""
    return ax.get_window_extent().width / ax.figure.dpi


def without_frame(ax: Axes, *sides: str) -> None:
    for side in sides or ("top", "right"):
        ax.spines[side].set_visible(False)


def title_over_legend(ax: Axes, lines: list[str]) -> None:
    """A title of several lines, and under it the legend in one row, so that neither covers the other."""
    ax.set_title("\n".join(lines), fontsize=10, loc="left", pad=22)
    ax.legend(fontsize=SMALL, loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=4, frameon=False)
