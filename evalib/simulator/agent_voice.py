"""An agent brain on the line, and the desk it works at.

One reply of the brain is one coroutine: it queues speech, awaits tools while the call goes on, and
may leave. When the caller speaks long enough during a reply, the agent has been interrupted: a
tool that is running finishes and the reply runs to its end, but nothing more of it is said, and
what the caller said is answered next.

A tool takes effect when it is called and its response arrives after the modelled time, as a request
to a remote system would: hanging up in between does not undo it.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from evalib.core import ConfigError, EndReason, ToolCall
from evalib.simulator.clock import sleep_until
from evalib.simulator.ear import Span, ticks
from evalib.simulator.mouth import Utterance
from evalib.simulator.party import AgentBrain
from evalib.simulator.voice_party import VoiceParty

if TYPE_CHECKING:
    import random

    from evalib.simulator.party import Frame

    Execute = Callable[[str, dict[str, Any]], dict[str, Any]]

INTERRUPT_AFTER_S = 1.0  # speech of the caller after which an agent that interrupts cuts in
HANDOVER_S = 3.0  # silence after which a transferred caller has nothing more to say


def reason_to_leave(reason: EndReason) -> EndReason:
    """`reason` if it is one for which an agent can leave.

    Raises
    ------
    ConfigError
        For any other: saying goodbye is the caller's to do, and limits are the line's.
    """
    if reason not in (EndReason.AGENT_HANGUP, EndReason.TRANSFER):
        raise ConfigError(
            f"leave({reason!r}): an agent leaves with EndReason.AGENT_HANGUP or EndReason.TRANSFER"
        )
    return EndReason(reason)


class VoiceDesk:
    """What an agent brain works with during one reply (see :class:`evalib.simulator.party.Desk`).

    Attributes
    ----------
    rng : random.Random
        The brain's own stream; delays do not draw from it.
    interrupted : bool
        The caller has cut in on this reply: nothing more of it will be said.
    unsaid : tuple of str
        What the reply before this one meant to say and did not get to.
    """

    def __init__(self, agent: AgentVoice, unsaid: tuple[str, ...] = ()) -> None:
        self._agent = agent
        self.rng = agent.brain_rng
        self.interrupted = False
        self.unsaid = unsaid

    def say(self, text: str, *, spoken: str | None = None) -> None:
        if text.strip():
            self._agent.say(self, Utterance(text, text if spoken is None else spoken))

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return await self._agent.call_tool(name, arguments)

    def leave(self, reason: EndReason) -> None:
        self._agent.leave(reason)


class AgentVoice(VoiceParty):
    """An agent brain on the line.

    Parameters
    ----------
    brain : AgentBrain
        With `interrupt_probability` above 0 it must also have ``interjection() -> str``.
    execute : callable
        ``execute(name, arguments) -> response``; a dict with ``"status"``, also for bad arguments.
    brain_rng : random.Random
        What the brain may draw from.
    interrupt_rng : random.Random
    interrupt_probability : float
        Per caller utterance: it cuts in after about a second of it.
    """

    def __init__(
        self,
        brain: AgentBrain,
        execute: Execute,
        *,
        brain_rng: random.Random,
        interrupt_rng: random.Random,
        interrupt_probability: float = 0.0,
        **party: Any,
    ) -> None:
        super().__init__("agent", latency=brain.latency, **party)
        self.brain = brain
        self.brain_rng = brain_rng
        self.tool_calls: list[ToolCall] = []
        self._execute = execute
        self._interrupt_rng = interrupt_rng
        self._interrupt_probability = interrupt_probability
        self._interrupt_at: float | None = None
        self._desk = VoiceDesk(self)
        self._unsaid: list[str] = []
        self._replying: asyncio.Task[None] | None = None
        self._quiet_ticks = 0

    async def on_tick(self, k: int, t: float, heard: Frame | None) -> Frame | None:
        if k == 0:
            self._replying = self._spawn(self.brain.greet(self._desk))
        return await super().on_tick(k, t, heard)

    @property
    def has_floor(self) -> bool:
        return self.mouth.busy or (self._replying is not None and not self._replying.done())

    # -- what the desk offers

    def say(self, desk: VoiceDesk, utterance: Utterance) -> None:
        if desk.interrupted:
            self._unsaid.append(utterance.text)
            self._note_dropped(utterance)
            return
        if not self.mouth.busy:
            utterance.ready_s = round(self.session.now() + self.latency.first_audio.draw(self._rng), 9)
        self._say(utterance)

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        start_s = round(self.session.now(), 6)
        done = asyncio.get_running_loop().time() + self.latency.tool.draw(self._rng)
        index = len(self.tool_calls)
        # What is kept is a copy: the brain, or a later tool, may change what it was given.
        asked = copy.deepcopy(arguments)
        self.session.note("tool_call", source="tools", index=index, name=name, arguments=asked)
        response = self._execute(name, arguments)
        call = ToolCall(index, name, asked, copy.deepcopy(response), start_s=start_s)
        self.tool_calls.append(call)
        await sleep_until(done)
        call.end_s = round(self.session.now(), 6)
        self.session.note(
            "tool_response", source="tools", index=index, name=name, response=call.response, start_s=start_s
        )
        return response

    def leave(self, reason: EndReason) -> None:
        self._leaving = reason_to_leave(reason)

    def _leave(self, reason: EndReason) -> None:
        """Hang up; but a caller who is being transferred may still say goodbye, and ends the call then."""
        self._quiet_ticks = 0 if self.ear.first is not None else self._quiet_ticks + 1
        if reason is not EndReason.TRANSFER or self._quiet_ticks >= ticks(HANDOVER_S):
            self.session.end(reason)

    # -- taking turns

    async def _answer(self, span: Span) -> None:
        if self._leaving is not None and not self.has_floor:
            # A goodbye may have a pause in it: after a transfer only lasting quiet ends the call.
            if self._leaving is not EndReason.TRANSFER:
                self.session.end(self._leaving)
            return
        profile = self.latency
        ready = asyncio.get_running_loop().time() + sum(
            spread.draw(self._rng) for spread in (profile.transcribe, profile.think)
        )
        text = await self._recognise(span)
        await sleep_until(ready)
        if self._replying is not None:
            # An interrupted reply may still be waiting for a tool; it is not cancelled with us.
            await asyncio.wait({self._replying})
        self._commit(span, text)
        self._desk = VoiceDesk(self, tuple(self._unsaid))
        self._unsaid = []
        self._replying = self._spawn(self.brain.reply(text, self._desk))

    def _other_speaks(self, t: float) -> None:
        super()._other_speaks(t)
        if self._interrupt_probability == 0.0:
            return
        if self.ear.voiced == 1:
            cuts_in = self._interrupt_rng.random() < self._interrupt_probability
            after_s = self._interrupt_rng.gauss(INTERRUPT_AFTER_S, 0.15)
            self._interrupt_at = max(1, ticks(after_s)) if cuts_in else None
        if self._interrupt_at is not None and self.ear.voiced >= self._interrupt_at:
            self._interrupt_at = None
            if not self.has_floor:
                text = self.brain.interjection()  # type: ignore[attr-defined]
                self._say(Utterance(text, text, insist=True))

    def _yield(self, t: float) -> list[Utterance]:
        given_up = super()._yield(t)
        self._desk.interrupted = True
        self._unsaid += [utterance.text for utterance in given_up]
        return given_up
