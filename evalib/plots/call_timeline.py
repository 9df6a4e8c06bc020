"""A call on one time axis: who spoke when, how long the answers took, what the agent did."""

from __future__ import annotations

import wave
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import Conversation, ToolCall, Turn
from evalib.core.conversation import SpeechSegment
from evalib.plots.palette import (
    BLUE,
    GREEN,
    GREY,
    MODELLED_NOTE,
    ORANGE,
    SMALL,
    VERMILLION,
    axes_or_new,
    axes_width_in,
    without_frame,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLER_Y, _AGENT_Y, _TOOLS_Y = 2.0, 1.0, 0.2
_HALF = 0.3  # half the height of a track
_TOOL_ROW = 0.26
_MAX_TOOL_ROWS = 4
_CHAR_IN = 0.064  # width of a character of the small font, inches
_ENVELOPE_BINS = 2000


def timeline(
    conversation: Conversation, ax: Axes | None = None, window: tuple[float, float] | None = None
) -> Axes:
    """Draw a call: two tracks with numbered turns, response latencies, tool calls, interruptions.

    Parameters
    ----------
    conversation : Conversation
        With recordings on disk, each track shows the envelope of its sound.
    ax : matplotlib Axes, optional
        New ones, 12 inches wide, when None.
    window : (start_s, end_s), optional
        The stretch to draw; the whole call when None. Labels that would run into each other are
        left out, so a long call reads better in pieces.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax, 12, 3.8)
    last = max([conversation.duration_s, *(s.end_s for t in conversation.turns for s in t.caller + t.agent)])
    start, end = window or (0.0, max(last, 1e-3))
    ax.set_xlim(start, end)
    seconds_per_char = _CHAR_IN * (end - start) / axes_width_in(ax)
    audio = conversation.audio
    for segments, y, colour, path in (
        ([s for t in conversation.turns for s in t.caller], _CALLER_Y, BLUE, audio.caller if audio else None),
        ([s for t in conversation.turns for s in t.agent], _AGENT_Y, ORANGE, audio.agent if audio else None),
    ):
        _draw_track(ax, segments, y, colour, path)
    turns = [t for t in conversation.turns if start <= _begins(t) <= end]
    _draw_turn_numbers(ax, turns, seconds_per_char)
    _draw_latencies(ax, turns, seconds_per_char)
    _draw_interruptions(ax, turns)
    rows = _draw_tools(ax, conversation.tool_calls, (start, end), seconds_per_char)
    _finish(ax, conversation, rows)
    return ax


def _draw_track(
    ax: Axes, segments: Sequence[SpeechSegment], y: float, colour: str, path: Path | None
) -> None:
    envelope = _envelope(path)
    spans = [(s.start_s, s.duration_s) for s in segments]
    alpha = 0.25 if envelope else 0.85
    ax.broken_barh(spans, (y - _HALF, 2 * _HALF), color=colour, alpha=alpha, linewidth=0)
    if envelope:
        times, heights = envelope
        ax.fill_between(times, y - _HALF * heights, y + _HALF * heights, color=colour, linewidth=0)
    ax.axhline(y, color=colour, linewidth=0.5, alpha=0.6, zorder=0)


def _envelope(path: Path | None) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Times in s and peak levels in [0, 1] (of the track's loudest) of a PCM16 mono file."""
    if path is None or not Path(path).exists():
        return None
    with wave.open(str(path), "rb") as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), dtype="<i2")
        rate = sound.getframerate()
    if not len(samples):
        return None
    size = max(1, len(samples) // _ENVELOPE_BINS)
    edges = np.arange(0, len(samples), size)
    peaks = np.maximum.reduceat(np.abs(samples.astype(float)), edges)
    return (edges + size / 2) / rate, peaks / max(peaks.max(), 1.0)


def _begins(turn: Turn) -> float:
    """When the first of both sides speaks in a turn; NaN when nobody does."""
    return min((s.start_s for s in turn.caller[:1] + turn.agent[:1]), default=float("nan"))


def _draw_turn_numbers(ax: Axes, turns: Sequence[Turn], seconds_per_char: float) -> None:
    free_from = -np.inf
    for turn in turns:
        x = _begins(turn)
        if x < free_from:
            continue
        ax.text(x, _CALLER_Y + _HALF + 0.1, str(turn.index), fontsize=SMALL, color=GREY, ha="left")
        free_from = x + (len(str(turn.index)) + 1) * seconds_per_char


def _draw_latencies(ax: Axes, turns: Sequence[Turn], seconds_per_char: float) -> None:
    """A line from the end of the caller's speech to the agent's start, with the seconds."""
    free_from = -np.inf
    middle = (_CALLER_Y + _AGENT_Y) / 2
    for turn in turns:
        latency = turn.latency_s
        if latency is None:
            continue
        x = [turn.caller[-1].end_s, turn.agent[0].start_s]
        ax.plot(x, [_CALLER_Y - _HALF, _AGENT_Y + _HALF], color=GREY, linewidth=0.8)
        label = f"{latency:.1f}"
        half_width = (len(label) + 0.3) * seconds_per_char / 2
        centre = sum(x) / 2
        if centre - half_width < free_from:
            continue
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        ax.text(centre, middle, label, fontsize=SMALL, ha="center", va="center", color="black", bbox=box)
        free_from = centre + half_width


def _draw_interruptions(ax: Axes, turns: Sequence[Turn]) -> None:
    """A mark where one side starts while the other still speaks, pointing at the track cut into."""
    agent = [t.agent[0].start_s for t in turns if t.agent_interrupts and t.agent]
    caller = [t.caller[0].start_s for t in turns if t.caller_interrupts and t.caller]
    for xs, y, marker, label in (
        (agent, _AGENT_Y + _HALF, "^", "agent interrupts"),
        (caller, _CALLER_Y - _HALF, "v", "caller interrupts"),
    ):
        if xs:
            style: dict[str, Any] = {
                "markersize": 9,
                "markeredgecolor": "white",
                "linestyle": "none",
                "clip_on": False,
            }
            ax.plot(xs, [y] * len(xs), marker=marker, color=VERMILLION, label=label, zorder=5, **style)


def _draw_tools(
    ax: Axes, calls: Sequence[ToolCall], window: tuple[float, float], seconds_per_char: float
) -> int:
    """Tool calls as spans with their names, in as many rows as keep names apart; returns the rows."""
    row_ends: list[float] = []
    labelled: set[str] = set()
    for call in calls:
        call_end = call.end_s if call.end_s is not None else call.start_s
        if call_end < window[0] or call.start_s > window[1]:
            continue
        width = (len(call.name) + 2) * seconds_per_char
        fits_right = call.start_s + width <= window[1]
        left = call.start_s if fits_right else call_end - width
        row = next((i for i, busy in enumerate(row_ends) if busy <= left), len(row_ends))
        named = row < _MAX_TOOL_ROWS
        row = min(row, _MAX_TOOL_ROWS - 1)
        if row == len(row_ends):
            row_ends.append(-np.inf)
        row_ends[row] = max(row_ends[row], left + width, call_end)
        y = _TOOLS_Y - row * _TOOL_ROW
        colour = GREEN if call.ok else VERMILLION
        kind = "tool call" if call.ok else "tool call, error"
        shape: dict[str, Any] = {
            "color": colour,
            "marker": "|" if call.ok else "x",
            "markersize": 6,
            "linewidth": 3,
        }
        label = kind if kind not in labelled else None
        labelled.add(kind)
        ax.plot([call.start_s, call_end], [y, y], solid_capstyle="butt", label=label, **shape)
        if named:
            place: dict[str, Any] = {"ha": "left" if fits_right else "right", "va": "bottom"}
            x = call.start_s if fits_right else call_end
            ax.text(x, y + 0.03, call.name, fontsize=SMALL - 1, color=colour, **place)
    return max(1, len(row_ends))


def _finish(ax: Axes, conversation: Conversation, tool_rows: int) -> None:
    ax.set_ylim(_TOOLS_Y - (tool_rows - 1) * _TOOL_ROW - 0.2, _CALLER_Y + _HALF + 0.4)
    ax.set_yticks([_CALLER_Y, _AGENT_Y, _TOOLS_Y - (tool_rows - 1) * _TOOL_ROW / 2])
    ax.set_yticklabels(["caller", "agent", "tools"])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("time from the start of the call (s); between the tracks: response latency (s)")
    without_frame(ax, "top", "right", "left")
    c = conversation
    title = f"{c.system}, {c.domain} {c.scenario_id}, trial {c.trial}, {c.condition}: ended by {c.end_reason}"
    notes = [MODELLED_NOTE] if c.cost_model else []
    ax.set_title("\n".join([title, *notes]), fontsize=10, loc="left")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize=SMALL, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False)
