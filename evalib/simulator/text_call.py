"""A call of fidelity ``"text"``: the same brains and the same clock, words instead of sound.

It steps from utterance to utterance. How long an utterance lasts and how long a party takes to
answer are modelled, so latencies and turn-taking scores of such a call say what the latency profile
says and nothing about a real voice. What is said is heard letter for letter.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

from evalib.core import EndReason, SimulationError, SpeechSegment, ToolCall, TraceEntry, TurnText
from evalib.simulator.agent_voice import reason_to_leave
from evalib.simulator.clock import Clock, run, sleep_until
from evalib.simulator.outcome import CallOutcome
from evalib.simulator.party import (
    CALLER_LATENCY,
    AgentBrain,
    CallContext,
    CallerBrain,
    CallerTurn,
    LatencyProfile,
)
from evalib.simulator.seeding import derive_rng
from evalib.simulator.session import Session
from evalib.simulator.turns import build_turns

# A modelled speaking rate, characters a second: what the default voice speaks on service English.
CHARS_PER_S = 15.0
_INTERJECTION_AFTER_S = 1.0

Execute = Callable[[str, dict[str, Any]], dict[str, Any]]


def speech_s(text: str) -> float:
    """Modelled duration of an utterance in seconds."""
    return max(0.4, len(text) / CHARS_PER_S)


def run_text_call(
    caller: CallerBrain,
    agent: AgentBrain,
    execute: Execute,
    context: CallContext,
    *,
    caller_latency: LatencyProfile = CALLER_LATENCY,
    clock: Clock = "virtual",
) -> CallOutcome:
    """Run one call in words, on a clock of its own.

    Parameters
    ----------
    caller, agent : CallerBrain, AgentBrain
    execute : callable
        ``(name, arguments) -> response``; changes the scenario's database.
    context : CallContext
    caller_latency : LatencyProfile

    Returns
    -------
    CallOutcome
        Without tracks. A brain that goes on without speaking is ended by the inactivity and time
        limits of the context, as on a line. An exception in a brain ends the call with
        ``EndReason.ERROR`` and its message; it is not raised.
    """
    call = _TextCall(caller, agent, execute, context, caller_latency)
    try:
        run(call.run(), clock)
    except Exception as exc:  # a brain may be anybody's code
        call.session.end(EndReason.ERROR, f"{type(exc).__name__}: {exc}")
    return call.outcome()


class _TextDesk:
    """The desk of an agent whose words are not spoken."""

    def __init__(self, call: _TextCall, rng: random.Random) -> None:
        self._call = call
        self.rng = rng
        self.leaving: EndReason | None = None
        self.free_at = 0.0  # end of the agent's speech so far, on the call's clock
        self.said: list[str] = []

    def say(self, text: str, *, spoken: str | None = None) -> None:
        call = self._call
        if not text.strip() or call.session.end_reason is not None:
            return
        start = max(call.session.now() + call.agent.latency.first_audio.draw(self.rng), self.free_at)
        self.free_at = start + speech_s(text)
        self.said.append(text if spoken is None else spoken)
        call.spoke("agent", text, start, self.free_at)

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return await self._call.tool(name, arguments, self.rng)

    def leave(self, reason: EndReason) -> None:
        self.leaving = reason_to_leave(reason)


class _TextCall:
    def __init__(
        self,
        caller: CallerBrain,
        agent: AgentBrain,
        execute: Execute,
        context: CallContext,
        caller_latency: LatencyProfile,
    ) -> None:
        self.caller = caller
        self.agent = agent
        self.session = Session(context.session)
        self._execute = execute
        self._limits = context.limits
        self._caller_latency = caller_latency
        self._caller_rng = derive_rng(context.seed, context.session, "caller")
        self._desk = _TextDesk(self, derive_rng(context.seed, context.session, "agent"))
        self._noted: list[tuple[float, dict[str, Any]]] = []
        self._segments: dict[str, list[SpeechSegment]] = {"caller": [], "agent": []}
        self._texts = [TurnText(0)]
        self._trace: list[TraceEntry] = []
        self._tools: list[ToolCall] = []
        self._ended_s: float | None = None

    async def run(self) -> None:
        """Play the call until someone ends it or a limit does, whatever a brain is doing then."""
        self.session.start()
        talk = asyncio.ensure_future(self._talk())
        try:
            while not talk.done() and (left := self._silence_or_limit_s() - self.session.now()) > 0:
                await asyncio.wait({talk}, timeout=left)
            if talk.done():
                if talk.cancelled():
                    raise SimulationError("a brain raised CancelledError")
                return talk.result()
            self._give_up()
            talk.cancel()
            await asyncio.wait({talk}, timeout=0)
        finally:
            if self._ended_s is None:
                self._ended_s = self.session.now()  # kept because the clock ends with the loop

    async def _talk(self) -> None:
        self.note("call_started", 0.0, source="session")
        await self.agent.greet(self._desk)
        await self._agent_done(0.0)
        take_turn: Callable[[str], CallerTurn] = self.caller.open
        while True:
            leaving = self._desk.leaving
            if leaving is not None and leaving is not EndReason.TRANSFER:
                return self.session.end(leaving)
            turn = take_turn(self._heard_by_caller())
            take_turn = self.caller.reply
            # A caller who is being transferred may still say goodbye, and has ended the call then.
            if leaving is not None and not turn.end_call:
                return self.session.end(leaving)
            if turn.text and len(self._texts) > self._limits.max_turns:
                return self.session.end(EndReason.TIME_LIMIT)
            if turn.text:
                await self._caller_speaks(turn)
            if turn.end_call:
                return self.session.end(EndReason.GOODBYE)
            if not turn.text:
                return await _for_ever()
            await self._agent_answers(turn.text)
            if not self._desk.said and self._desk.leaving is None:
                return await _for_ever()

    def _silence_or_limit_s(self) -> float:
        """When the call is ended from outside if nobody speaks until then."""
        last_speech_s = max([0.0, *(s.end_s for track in self._segments.values() for s in track[-1:])])
        return round(min(last_speech_s + self._limits.inactivity_s, self._limits.duration_s), 9)

    def _give_up(self) -> None:
        self._ended_s = now = self.session.now()
        if now >= self._limits.duration_s:
            return self.session.end(EndReason.TIME_LIMIT)
        self.note("silence", now, source="session", duration_s=self._limits.inactivity_s)
        self.session.end(EndReason.INACTIVITY)

    async def _caller_speaks(self, turn: CallerTurn) -> None:
        latency, rng = self._caller_latency, self._caller_rng
        gap = (
            latency.endpoint_s
            + latency.transcribe.draw(rng)
            + latency.think.draw(rng)
            + latency.first_audio.draw(rng)
        )
        start = self.session.now() + gap
        end = start + speech_s(turn.text)
        self._texts.append(TurnText(len(self._texts)))  # nothing was recognised: no heard text
        self.spoke("caller", turn.text, start, end)
        p = getattr(self.agent, "interrupt_probability", 0.0)
        if p and self._desk.rng.random() < p and end - start > 2 * _INTERJECTION_AFTER_S:
            words = self.agent.interjection()  # type: ignore[attr-defined]
            cut_in = start + _INTERJECTION_AFTER_S
            self.note("barge_in", cut_in, source="agent", direction="agent_to_caller", role="agent")
            self.spoke("agent", words, cut_in, min(end, cut_in + speech_s(words)))
        await self._until(end)

    async def _agent_answers(self, heard: str) -> None:
        latency, rng = self.agent.latency, self._desk.rng
        ended = self.session.now()
        self._desk.said.clear()
        self.note(
            "heard",
            ended + latency.endpoint_s,
            source="agent",
            direction="caller_to_agent",
            role="caller",
            text=heard,
        )
        await self._until(ended + latency.endpoint_s + latency.transcribe.draw(rng) + latency.think.draw(rng))
        await self.agent.reply(heard, self._desk)
        await self._agent_done(ended)

    async def _agent_done(self, since: float) -> None:
        """Let what the agent queued be said."""
        await self._until(max(self._desk.free_at, since))

    def _heard_by_caller(self) -> str:
        heard = " ".join(self._desk.said)
        self._texts[-1].agent_heard = heard
        self.note(
            "heard",
            self.session.now(),
            source="caller",
            direction="agent_to_caller",
            role="agent",
            text=heard,
        )
        return heard

    async def _until(self, t: float) -> None:
        loop = asyncio.get_running_loop()
        await sleep_until(loop.time() + max(0.0, t - self.session.now()))

    # -- what parties do leaves a mark --------------------------------------------------------

    def spoke(self, who: str, text: str, start: float, end: float) -> None:
        direction = "caller_to_agent" if who == "caller" else "agent_to_caller"
        for kind, at in (("speech_started", start), ("speech_ended", end)):
            self.note(kind, at, source=who, direction=direction, role=who)
        self.note("utterance", start, source=who, direction=direction, role=who, text=text)
        self._segments[who].append(SpeechSegment(start, end))
        field = f"{who}_intended"
        known = getattr(self._texts[-1], field)
        setattr(self._texts[-1], field, text if known is None else f"{known} {text}")
        self._trace.append(TraceEntry(len(self._texts) - 1, who, text, start))  # type: ignore[arg-type]

    async def tool(self, name: str, arguments: dict[str, Any], rng: random.Random) -> dict[str, Any]:
        if self.session.end_reason is not None:  # a brain that catches its own cancellation
            await _for_ever()
        await asyncio.sleep(0)  # without a modelled latency nothing else would ever run
        start, turn = self.session.now(), len(self._texts) - 1
        await self._until(start + self.agent.latency.tool.draw(rng))
        response = self._execute(name, arguments)
        end = self.session.now()
        self._tools.append(ToolCall(len(self._tools), name, arguments, response, turn, start, end))
        self.note("tool_call", start, source="tools", name=name, arguments=arguments)
        self.note("tool_response", end, source="tools", name=name, response=response)
        self._trace.append(TraceEntry(turn, "tool_call", {"name": name, "arguments": arguments}, start))
        self._trace.append(TraceEntry(turn, "tool_response", {"name": name, "response": response}, end))
        return response

    def note(
        self,
        type: str,
        at: float,
        *,
        source: Any,
        direction: Any = "internal",
        role: Any = "none",
        **attributes: Any,
    ) -> None:
        """Keep an event for the log; speech is known before its time comes, so they are sorted at the end."""
        fields = {"source": source, "direction": direction, "role": role, "turn": len(self._texts) - 1}
        self._noted.append((at, {"type": type, "attributes": attributes, **fields}))

    def outcome(self) -> CallOutcome:
        session = self.session
        reason = session.end_reason or EndReason.ERROR
        if reason is EndReason.TIME_LIMIT:
            self._cut(self._limits.duration_s)
        speech_ends = (s.end_s for track in self._segments.values() for s in track)
        duration = max([self._ended_s or 0.0, *speech_ends])
        self.note("call_ended", duration, source="session", reason=str(reason), error=session.error)
        log = session.log
        log.events.clear()
        for at, fields in sorted(self._noted, key=lambda n: n[0]):
            log.add(offset_s=at, **fields)
        return CallOutcome(
            events=log.events,
            turns=build_turns(
                _joined(self._segments["caller"]), _joined(self._segments["agent"]), self._tools
            ),
            texts=self._texts,
            trace=sorted(self._trace, key=lambda e: e.time_s),
            tool_calls=self._tools,
            end_reason=reason,
            duration_s=duration,
            error=session.error,
        )

    def _cut(self, limit_s: float) -> None:
        """Speech is known before it is over: take back what would have come after the limit."""
        for who, track in self._segments.items():
            self._segments[who] = [
                SpeechSegment(s.start_s, min(s.end_s, limit_s)) for s in track if s.start_s < limit_s
            ]
        self._noted = [(min(at, limit_s), fields) for at, fields in self._noted]
        self._trace = [entry for entry in self._trace if entry.time_s <= limit_s]


async def _for_ever() -> None:
    """Nobody speaks any more: the silence ends the call."""
    await asyncio.get_running_loop().create_future()


def _joined(segments: list[SpeechSegment]) -> list[SpeechSegment]:
    """Segments in order; speech that starts where other speech of the same side still lasts joins it."""
    out: list[SpeechSegment] = []
    for s in sorted(segments):
        if out and s.start_s <= out[-1].end_s:
            out[-1] = SpeechSegment(out[-1].start_s, max(out[-1].end_s, s.end_s))
        else:
            out.append(s)
    return out
