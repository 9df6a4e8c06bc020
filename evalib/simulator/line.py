"""The line: two parties, a tick every 20 ms, and a recording of what each of them sent.

Tick `k` happens at exactly ``start + k / 50`` on the loop's clock, so nothing drifts, and covers
samples ``[480 k, 480 (k + 1))`` of both tracks. What a party sends in one tick reaches the other
`delay_ticks` later; both are asked before either hears the other, so neither is ahead. A channel
may change what arrives (noise, loss) and leaves the recording alone: it holds what was *sent*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from evalib.core import ConfigError, EndReason, SimulationError
from evalib.simulator.clock import sleep_until
from evalib.simulator.party import TICK_S, TICK_SAMPLES, Limits, Party
from evalib.simulator.pcm import assemble, mix
from evalib.simulator.segments import SPEECH_LEVEL
from evalib.simulator.session import Session

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalib.simulator.party import Frame

    Channel = Callable[[Frame | None], Frame | None]

TICKS_PER_S = 50
SILENCE_EVENT_S = 3.0  # shorter pauses of both sides are turn-taking and not worth an event


class Line:
    """One call's line.

    Parameters
    ----------
    caller, agent : Party
    limits : Limits
        Its duration and inactivity end the call.
    session : Session, optional
        Shared with the parties, which end the call through it.
    delay_ticks : int
        Ticks until a frame arrives, at least 1.
    to_agent, to_caller : callable, optional
        What each direction makes of a frame; given None for silence, and may give sound for it.

    Attributes
    ----------
    ticks : int
        Ticks played so far.
    """

    def __init__(
        self,
        caller: Party,
        agent: Party,
        *,
        limits: Limits | None = None,
        session: Session | None = None,
        delay_ticks: int = 1,
        to_agent: Channel | None = None,
        to_caller: Channel | None = None,
    ) -> None:
        if delay_ticks < 1:
            raise ConfigError(
                f"delay_ticks is {delay_ticks}: a frame takes at least one tick to reach the other side"
            )
        self.caller = caller
        self.agent = agent
        self.limits = limits or Limits()
        self.session = session or Session()
        self.delay_ticks = delay_ticks
        self.to_agent = to_agent
        self.to_caller = to_caller
        self.ticks = 0
        self._sent_by_caller: list[Frame | None] = []
        self._sent_by_agent: list[Frame | None] = []
        self._last_sound = 0

    async def run(self) -> EndReason:
        """Play the call until someone ends it or a limit does; returns the reason.

        Raises
        ------
        SimulationError
            When a party raises, or sends something that is not a frame; names the party.
        """
        session, to_agent, to_caller = self.session, self.to_agent, self.to_caller
        said_by_caller, said_by_agent = self._sent_by_caller, self._sent_by_agent
        start = session.start()
        limit = round(self.limits.duration_s * TICKS_PER_S)
        for k in range(limit):
            await sleep_until(start + k / TICKS_PER_S)
            arrived = k - self.delay_ticks
            from_caller = said_by_caller[arrived] if arrived >= 0 else None
            from_agent = said_by_agent[arrived] if arrived >= 0 else None
            if to_agent is not None:
                from_caller = to_agent(from_caller)
            if to_caller is not None:
                from_agent = to_caller(from_agent)
            t = k / TICKS_PER_S
            speaker = "caller"
            try:
                caller_frame = await self.caller.on_tick(k, t, from_agent)
                speaker = "agent"
                agent_frame = await self.agent.on_tick(k, t, from_caller)
            except Exception as exc:  # a party may be anybody's code
                what = f"{type(exc).__name__}: {exc}"
                raise SimulationError(f"the {speaker} failed at {t:.2f} s: {what}") from exc
            if caller_frame is not None:
                _check(caller_frame, "caller", k)
            if agent_frame is not None:
                _check(agent_frame, "agent", k)
            said_by_caller.append(caller_frame)
            said_by_agent.append(agent_frame)
            self.ticks = k + 1
            self._watch_silence(k, caller_frame, agent_frame)
            if session.end_reason is not None:
                return session.end_reason
        await sleep_until(start + limit / TICKS_PER_S)
        session.end(EndReason.TIME_LIMIT)
        return EndReason.TIME_LIMIT

    def tracks(self) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """What caller and agent sent so far: two arrays of int16, shape (480 * ticks,)."""
        return assemble(self._sent_by_caller), assemble(self._sent_by_agent)

    def mixed(self) -> NDArray[np.int16]:
        """Both tracks as one, clipped."""
        return mix(*self.tracks())

    def _watch_silence(self, k: int, caller_frame: Frame | None, agent_frame: Frame | None) -> None:
        if _sounds(caller_frame) or _sounds(agent_frame):
            silent_s = (k - self._last_sound) / TICKS_PER_S
            self._last_sound = k + 1
            if silent_s >= SILENCE_EVENT_S:
                self.session.note("silence", source="line", duration_s=silent_s)
        elif (silent_s := (k + 1 - self._last_sound) / TICKS_PER_S) >= self.limits.inactivity_s:
            self.session.note("silence", source="line", duration_s=silent_s)
            self.session.end(EndReason.INACTIVITY)


def _check(frame: Frame, party: str, k: int) -> None:
    if not isinstance(frame, np.ndarray) or frame.dtype != np.int16 or frame.shape != (TICK_SAMPLES,):
        what = f"{frame.dtype} of shape {frame.shape}" if isinstance(frame, np.ndarray) else repr(frame)[:60]
        raise SimulationError(
            f"the {party} sent {what} at tick {k} ({k * TICK_S:.2f} s): "
            f"a frame is int16 of shape ({TICK_SAMPLES},), or None for silence"
        )


def _sounds(frame: Frame | None) -> bool:
    """Whether a frame reaches the level of speech anywhere; a stream of comfort noise does not."""
    return frame is not None and bool(np.maximum.reduce(frame) >= SPEECH_LEVEL)
