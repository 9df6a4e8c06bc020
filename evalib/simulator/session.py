"""What the line and its two parties share during one call: zero of the clock, log, reason to stop."""

from __future__ import annotations

import asyncio
from typing import Any

from evalib.core import EndReason
from evalib.core.events import Direction, Role, Source
from evalib.simulator.event_log import EventLog


class Session:
    """One call under way.

    Attributes
    ----------
    log : EventLog
    end_reason : EndReason or None
        None while the call goes on.
    error : str or None
    """

    def __init__(self, name: str = "call") -> None:
        self.log = EventLog(name)
        self.end_reason: EndReason | None = None
        self.error: str | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._zero = 0.0

    def start(self) -> float:
        """Make now the start of the call; returns it as loop time."""
        self._loop = asyncio.get_running_loop()
        self._zero = self._loop.time()
        return self._zero

    def now(self) -> float:
        """Seconds from the start of the call, to the nanosecond; 0 before it."""
        return 0.0 if self._loop is None else round(self._loop.time() - self._zero, 9)

    def end(self, reason: EndReason, error: str | None = None) -> None:
        """Ask the line to stop. The first reason given is the one that counts."""
        if self.end_reason is None:
            self.end_reason = reason
            self.error = error
            if error is not None:
                self.note("error", source="session", message=error)

    def note(
        self,
        type: str,
        *,
        source: Source,
        direction: Direction = "internal",
        role: Role = "none",
        pcm: dict[str, Any] | None = None,
        **attributes: Any,
    ) -> None:
        """Log an event that happens now."""
        self.log.add(
            type, self.now(), source=source, direction=direction, role=role, pcm=pcm, attributes=attributes
        )
