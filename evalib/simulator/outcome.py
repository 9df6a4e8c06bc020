"""What one finished call leaves behind, whichever fidelity made it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalib.core import EndReason, Event, ToolCall, TraceEntry, Turn, TurnText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass
class CallOutcome:
    """One call as it happened. Times are seconds from the start of the call.

    Attributes
    ----------
    events : list of Event
        The timeline, in order; ``utc`` is empty until it is written.
    turns : list of Turn
    texts : list of TurnText
        One per turn: words as meant and as the other side's recogniser heard them.
    trace : list of TraceEntry
        Speech, tool calls and tool responses in the order in which they began.
    tool_calls : list of ToolCall
    end_reason : EndReason
    duration_s : float
    error : str or None
        What failed, when `end_reason` is ``ERROR``.
    caller_track, agent_track : ndarray of int16, shape (samples,), or None
        What each party sent, 24 kHz mono, equal lengths; None for fidelity ``"text"``.
    """

    events: list[Event] = field(repr=False)
    turns: list[Turn]
    texts: list[TurnText]
    trace: list[TraceEntry]
    tool_calls: list[ToolCall]
    end_reason: EndReason
    duration_s: float
    error: str | None = None
    caller_track: NDArray[np.int16] | None = field(default=None, repr=False)
    agent_track: NDArray[np.int16] | None = field(default=None, repr=False)
