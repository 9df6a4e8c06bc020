"""The voice-event contract: one call is an ordered list of events.

What each line of ``events.jsonl`` holds: contract version, event id, sequence number, session,
turn, UTC wall-clock time, monotonic offset in seconds from the start of the call, source (which
component wrote it), direction, type, speaker role, optional PCM facts, optional W3C trace context
ids, and attributes that depend on the type.

The UTC field is the only one that differs between two runs of the same seed; it stands in one
place, so that logs can be compared without it. The contract follows the endpoint-runner seed
(convo-eval, "Voice timeline and metrics").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

SCHEMA_VERSION = "1.0"

Source = Literal["line", "caller", "agent", "tools", "session"]
Direction = Literal["caller_to_agent", "agent_to_caller", "internal"]
Role = Literal["caller", "agent", "none"]

EVENT_TYPES = (
    "call_started",
    "speech_started",  # a party's speech begins on the line
    "speech_ended",
    "utterance",  # what a party meant to say: attributes.text
    "heard",  # what a party's recogniser made of the other side: attributes.text
    "barge_in",  # a party starts while the other speaks
    "yielded",  # a party stops because it was interrupted: attributes.yield_s
    "tool_call",
    "tool_response",
    "silence",  # nobody has spoken for attributes.duration_s
    "error",
    "call_ended",  # attributes.reason
)


@dataclass(frozen=True)
class Event:
    """One event of a call. `offset_s` is on the call's clock; `utc` is wall-clock, ISO 8601."""

    sequence: int
    session: str
    turn: int
    offset_s: float
    source: Source
    direction: Direction
    type: str
    role: Role = "none"
    pcm: dict[str, Any] | None = None
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    utc: str = ""

    @property
    def event_id(self) -> str:
        return f"{self.session}-{self.sequence:06d}"

    def to_json(self) -> dict[str, Any]:
        """A JSON-ready dict; optional fields that are not set are left out, `utc` stands last."""
        out: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "event_id": self.event_id,
            "sequence": self.sequence,
            "session": self.session,
            "turn": self.turn,
            "offset_s": round(self.offset_s, 6),
            "source": self.source,
            "direction": self.direction,
            "type": self.type,
            "role": self.role,
        }
        for name in ("pcm", "trace_id", "span_id", "parent_span_id"):
            if (value := getattr(self, name)) is not None:
                out[name] = value
        out["attributes"] = self.attributes
        out["utc"] = self.utc
        return out

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Event:
        """The event of a line of ``events.jsonl``; keys that this version does not know are ignored."""
        known = {k: data[k] for k in cls.__dataclass_fields__ if k in data}
        return cls(**known)
