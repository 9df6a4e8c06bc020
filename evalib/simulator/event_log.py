"""The timeline of one call while it is being made.

Offsets are rounded to a microsecond when they are noted, so that an event compares equal to the
same event read back from a file. The wall-clock time of an event is known only when the log is
written: it is the start of the call plus the offset, and it is the only field in which two runs of
the same seed differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from evalib.core import Event, SimulationError
from evalib.core.events import EVENT_TYPES, Direction, Role, Source


class EventLog:
    """An append-only list of events, numbered from 0 and never going back in time.

    Parameters
    ----------
    session : str
        Name of the call; part of every event's id.
    """

    def __init__(self, session: str) -> None:
        self.session = session
        self.events: list[Event] = []

    def __len__(self) -> int:
        return len(self.events)

    def add(
        self,
        type: str,
        offset_s: float,
        *,
        source: Source,
        direction: Direction = "internal",
        role: Role = "none",
        turn: int = 0,
        pcm: dict[str, Any] | None = None,
        attributes: dict[str, Any] | None = None,
    ) -> Event:
        """Append one event.

        Raises
        ------
        SimulationError
            For a type that the contract does not know, or an offset before the last event's.
        """
        if type not in EVENT_TYPES:
            raise SimulationError(f"event type {type!r} is not in the contract: use one of {EVENT_TYPES}")
        offset_s = round(offset_s, 6)
        if self.events and offset_s < self.events[-1].offset_s:
            raise SimulationError(
                f"event {type!r} of {self.session} at {offset_s} s comes after one at "
                f"{self.events[-1].offset_s} s: note events in the order in which they happen"
            )
        event = Event(
            sequence=len(self.events),
            session=self.session,
            turn=turn,
            offset_s=offset_s,
            source=source,
            direction=direction,
            type=type,
            role=role,
            pcm=pcm,
            attributes=attributes or {},
        )
        self.events.append(event)
        return event


def event_lines(events: Iterable[Event], started: datetime | None = None) -> Iterator[str]:
    """The lines of ``events.jsonl``, without line ends.

    Parameters
    ----------
    events : iterable of Event
    started : datetime, optional
        When the call began, with a time zone; ``utc`` stays "" when it is not given.
    """
    for event in events:
        if started is not None:
            at = started.astimezone(UTC) + timedelta(seconds=event.offset_s)
            event = replace(event, utc=at.isoformat(timespec="microseconds"))
        yield json.dumps(event.to_json(), ensure_ascii=False)
