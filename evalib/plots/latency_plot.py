"""How long callers waited: the distribution of response latencies, with and without tool calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from evalib.core import Conversation, DataFormatError, EndReason, Status
from evalib.plots.palette import BLUE, MODELLED_NOTE, ORANGE, axes_or_new, title_over_legend, without_frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_KINDS = {"no_tool_calls": "without tool calls", "with_tool_calls": "with tool calls"}
_WIDTH = 0.7  # of the two boxes of a system
_COLOURS = dict(zip(_KINDS.values(), (BLUE, ORANGE), strict=True))


def latency_distribution(
    source: pd.DataFrame | Iterable[Conversation], ax: Axes | None = None, note: str | None = None
) -> Axes:
    """Draw response latencies by system: every point, with a box of quartiles.

    Parameters
    ----------
    source : score table, or conversations
        Of conversations every turn is a point, but for those that the metric leaves out (the agent
        spoke first: no latency but an interruption) and calls that broke. A score table holds means,
        so there a point is the mean of one conversation.
    ax : matplotlib Axes, optional
    note : str, optional
        A line under the title. Conversations whose latencies are modelled say so by themselves.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    DataFormatError
        When there is no latency to draw.
    """
    import pandas as pd
    import seaborn as sns

    points: pd.DataFrame
    left_out = 0
    if isinstance(source, pd.DataFrame):
        points, what = _from_scores(source), "conversation"
    else:
        conversations = list(source)
        points, what = _from_conversations(conversations), "turn"
        left_out = int((points["latency_s"] <= 0).sum())
        points = points[points["latency_s"] > 0]
        if note is None and any(c.cost_model for c in conversations):
            note = MODELLED_NOTE.replace("call", "calls")
    if points.empty:
        raise DataFormatError("no response latency to draw: score response_latency, or pass conversations")
    systems = list(dict.fromkeys(points["system"]))
    ax = axes_or_new(ax, 8, 1.6 + 0.8 * len(systems))
    sns.boxplot(
        points,
        x="latency_s",
        y="system",
        hue="kind",
        order=systems,
        hue_order=list(_COLOURS),
        palette=_COLOURS,
        width=_WIDTH,
        gap=0.1,
        fill=False,
        showfliers=False,
        linewidth=1.2,
        legend=False,
        ax=ax,
    )
    _draw_points(ax, points, systems)
    ax.set_xlim(left=0)
    ax.set_xlabel("response latency (s): end of the caller's last speech to the agent's first")
    ax.set_ylabel("")
    title = [f"Response latency, one point per {what}"]
    if left_out:
        title.append(f"{left_out} turns in which the agent spoke first are left out")
    title_over_legend(ax, [*title, *([note] if note else [])])
    without_frame(ax)
    return ax


def _draw_points(ax: Axes, points: pd.DataFrame, systems: list[str]) -> None:
    """The points over their boxes, spread at random but always the same way."""
    rng = np.random.default_rng(0)
    rows = points["system"].map({system: i for i, system in enumerate(systems)})
    for i, (kind, colour) in enumerate(_COLOURS.items()):
        here = points["kind"] == kind
        n = int(here.sum())
        y = rows[here] + (i - 0.5) * _WIDTH / 2 + rng.uniform(-0.08, 0.08, n)
        ax.scatter(points["latency_s"][here], y, s=9, alpha=0.5, linewidth=0, color=colour)
        ax.plot([], [], "o", color=colour, label=f"{kind} (n={n})")


def _from_conversations(conversations: Iterable[Conversation]) -> pd.DataFrame:
    import pandas as pd

    rows = [
        (c.system, _KINDS["with_tool_calls" if t.tool_call else "no_tool_calls"], t.latency_s)
        for c in conversations
        for t in c.turns
        if t.latency_s is not None and c.end_reason != EndReason.ERROR
    ]
    return pd.DataFrame(rows, columns=["system", "kind", "latency_s"])


def _from_scores(scores: pd.DataFrame) -> pd.DataFrame:
    names = {f"response_latency.{suffix}": kind for suffix, kind in _KINDS.items()}
    if absent := [c for c in ("system", "metric", "value", "status") if c not in scores]:
        raise DataFormatError(f"the score table has no column {absent[0]!r}")
    rows = scores[scores["metric"].isin(names) & (scores["status"] == Status.OK)]
    return rows.assign(kind=rows["metric"].map(names)).rename(columns={"value": "latency_s"})
