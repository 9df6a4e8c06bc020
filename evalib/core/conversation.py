"""The conversation: what was said, heard, done and left behind in one call.

Every metric reads a :class:`Conversation`, wherever it came from: our simulator, a run folder, or
an imported EVA-Bench run. Times are seconds from the start of the call, on the call's one clock.

Turn ``i`` is the caller's utterance ``i`` and the agent's reply to it; turn 0 is the agent's
greeting (paper appendix E.1).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple


class Architecture(StrEnum):
    """How a system divides the work (paper section 3.2)."""

    CASCADE = "cascade"
    HYBRID = "hybrid"
    S2S = "s2s"


class EndReason(StrEnum):
    """Why a call ended. Values are the words of the EVA-Bench run files where it has one."""

    GOODBYE = "goodbye"  # the caller ended the call
    AGENT_HANGUP = "agent_hangup"
    TRANSFER = "transfer"  # the agent transferred the caller and left
    INACTIVITY = "inactivity_timeout"  # nobody spoke for too long
    TIME_LIMIT = "time_limit_exceeded"
    ERROR = "error"  # the infrastructure failed; never the agent's score


class SpeechSegment(NamedTuple):
    """A stretch of speech on one track, in seconds."""

    start_s: float
    end_s: float

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s


@dataclass
class Turn:
    """Who spoke when in one exchange, and who cut in on whom.

    Attributes
    ----------
    index : int
        0 for the greeting.
    caller, agent : list of (start_s, end_s)
        Speech segments of this turn, possibly empty.
    tool_call : bool
        The agent called at least one tool in this turn.
    agent_interrupts : bool
        The agent started speaking while the caller was still speaking.
    caller_interrupts : bool
        The caller started this turn while the agent was still speaking.
    fallback : bool
        The agent had to be nudged, because it took no turn by itself.
    """

    index: int
    caller: list[SpeechSegment] = field(default_factory=list)
    agent: list[SpeechSegment] = field(default_factory=list)
    tool_call: bool = False
    agent_interrupts: bool = False
    caller_interrupts: bool = False
    fallback: bool = False

    def __post_init__(self) -> None:
        self.caller = [SpeechSegment(*s) for s in self.caller]
        self.agent = [SpeechSegment(*s) for s in self.agent]

    @property
    def latency_s(self) -> float | None:
        """First agent speech minus *last* end of caller speech; None without both. May be negative."""
        if not self.caller or not self.agent:
            return None
        return round(self.agent[0].start_s - self.caller[-1].end_s, 6)


@dataclass
class TurnText:
    """The words of one turn: as meant and as the other side's recogniser heard them.

    ``None`` means that there is no such text (an S2S agent has no transcript of the caller);
    ``""`` means that it was heard as nothing.
    """

    index: int
    caller_intended: str | None = None
    caller_heard: str | None = None
    agent_intended: str | None = None
    agent_heard: str | None = None


@dataclass
class ToolCall:
    """One call of a tool by the agent.

    ``start_s`` and ``end_s`` are on the call's clock; ``end_s`` is None when the call ended before
    the tool did. ``changes`` is the state diff the call made, empty for a read.
    """

    index: int
    name: str
    arguments: dict[str, Any]
    response: dict[str, Any]
    turn: int = 0
    start_s: float = 0.0
    end_s: float | None = None
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.response.get("status") != "error"


@dataclass
class TraceEntry:
    """One line of the linear trace that judges read: speech, a tool call or a tool response."""

    turn: int
    role: Literal["caller", "agent", "tool_call", "tool_response"]
    content: Any  # text for speech; {"name", "arguments"} or {"name", "response"} for tools
    time_s: float = 0.0


@dataclass(frozen=True)
class AudioFiles:
    """The recordings of a call: mono PCM16 WAV files of equal length."""

    caller: Path
    agent: Path
    mixed: Path


@dataclass
class Conversation:
    """One finished call.

    Attributes
    ----------
    system, architecture, domain, scenario_id, trial, condition
        Who was called about what, under which condition; the keys of the score table.
    turns : list of Turn
    texts : list of TurnText
    trace : list of TraceEntry
    tool_calls : list of ToolCall
    initial_db, final_db : dict
        The database before and after.
    end_reason : EndReason
    duration_s : float
    audio : AudioFiles or None
        None for calls of fidelity ``"text"``.
    fidelity : {"text", "audio", "imported"}
    clock : {"virtual", "wall"}
    cost_model : dict
        The latency profile that timed in-process parties, so that a modelled latency is never
        shown as a measured one; empty when latencies were measured.
    seed : int
    error : str or None
        What failed, when ``end_reason`` is ``ERROR``.
    attempt : int
        1 for a call that was kept at the first try; the validation gate had it simulated again else.
    invalid : str or None
        Why the validation gate refuses the call: the simulator spoiled it, so it scores nobody.
    """

    system: str
    architecture: Architecture
    domain: str
    scenario_id: str
    trial: int
    condition: str
    turns: list[Turn]
    texts: list[TurnText]
    trace: list[TraceEntry]
    tool_calls: list[ToolCall]
    initial_db: dict[str, Any]
    final_db: dict[str, Any]
    end_reason: EndReason
    duration_s: float
    audio: AudioFiles | None = None
    fidelity: str = "text"
    clock: str = "virtual"
    cost_model: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    language: str = "en"
    error: str | None = None
    attempt: int = 1
    invalid: str | None = None

    @property
    def key(self) -> tuple[str, str, str, int, str]:
        """(system, domain, scenario_id, trial, condition): unique within a run."""
        return (self.system, self.domain, self.scenario_id, self.trial, self.condition)

    def __repr__(self) -> str:
        return (
            f"Conversation({self.system} {self.domain} {self.scenario_id} trial {self.trial} "
            f"{self.condition}: {len(self.turns)} turns, {len(self.tool_calls)} tool calls, "
            f"{self.duration_s:.1f} s, {self.end_reason})"
        )
