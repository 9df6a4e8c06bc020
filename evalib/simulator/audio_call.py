"""A call of fidelity ``"audio"``: two brains, two voices, two recognisers, one line.

What is said is synthesised, sent over the line frame by frame, detected, recognised and answered,
so a misheard code is a code that was misheard. How long parties take is modelled by their latency
profiles; who spoke when is read off the finished tracks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalib.core import EndReason, SimulationError, SpeechSegment
from evalib.simulator.agent_voice import AgentVoice
from evalib.simulator.clock import Clock, VirtualLoop, run
from evalib.simulator.line import Line
from evalib.simulator.outcome import CallOutcome
from evalib.simulator.party import (
    CALLER_LATENCY,
    SAMPLE_RATE,
    AgentBrain,
    CallContext,
    CallerBrain,
    LatencyProfile,
)
from evalib.simulator.seeding import derive_rng
from evalib.simulator.segments import speech_segments
from evalib.simulator.session import Session
from evalib.simulator.transcript import build_trace, turn_texts, with_turns
from evalib.simulator.turns import build_turns, turn_at, turn_openings
from evalib.simulator.voice_party import CallerVoice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evalib.simulator.agent_voice import Execute
    from evalib.simulator.line import Channel
    from evalib.simulator.mouth import Utterance
    from evalib.simulator.speech import STT, TTS, VAD

# The published runs close an utterance after 600 ms without audio.
UTTERANCE_GAP_S = 0.6


@dataclass(frozen=True)
class Engines:
    """What both parties speak and listen with.

    ``caller_stt`` is what the caller hears the *agent* with. ``new_vad`` makes one detector for
    each party, because detectors have a state.
    """

    caller_tts: TTS
    agent_tts: TTS
    caller_stt: STT
    agent_stt: STT
    new_vad: Callable[[], VAD]


def run_audio_call(
    caller: CallerBrain,
    agent: AgentBrain,
    execute: Execute,
    engines: Engines,
    context: CallContext,
    *,
    clock: Clock = "virtual",
    **options: Any,
) -> CallOutcome:
    """Run one call with sound, on a clock of its own; arguments as for :class:`AudioCall`.

    Returns
    -------
    CallOutcome
        Always: an exception in a party, or a clock that got stuck, ends the call with
        ``EndReason.ERROR`` and a message.
    """
    call = AudioCall(caller, agent, execute, engines, context, **options)
    try:
        run(call.run(), clock)
    except SimulationError as exc:  # a guard of the clock; it leaves nobody to note the end
        call.session.end(EndReason.ERROR, str(exc))
        call.note_end()
    return call.outcome()


class AudioCall:
    """One spoken call.

    Parameters
    ----------
    caller, agent : CallerBrain, AgentBrain
    execute : callable
        ``(name, arguments) -> response``; changes the scenario's database.
    engines : Engines
    context : CallContext
    caller_latency : LatencyProfile
    interrupt_probability : float, optional
        Per caller utterance, of the agent cutting in; the brain's own ``interrupt_probability``
        when not given, 0 when it has none.
    to_agent, to_caller : callable, optional
        Channels of the line.
    """

    def __init__(
        self,
        caller: CallerBrain,
        agent: AgentBrain,
        execute: Execute,
        engines: Engines,
        context: CallContext,
        *,
        caller_latency: LatencyProfile = CALLER_LATENCY,
        interrupt_probability: float | None = None,
        to_agent: Channel | None = None,
        to_caller: Channel | None = None,
    ) -> None:
        self.session = Session(context.session)
        self._context = context

        def rng(role: str):
            return derive_rng(context.seed, context.session, role)

        if interrupt_probability is None:
            interrupt_probability = getattr(agent, "interrupt_probability", 0.0)
        self.caller = CallerVoice(
            caller,
            max_turns=context.limits.max_turns,
            session=self.session,
            tts=engines.caller_tts,
            stt=engines.caller_stt,
            vad=engines.new_vad(),
            latency=caller_latency,
            rng=rng("caller.latency"),
        )
        self.agent = AgentVoice(
            agent,
            execute,
            brain_rng=rng("agent"),
            interrupt_rng=rng("agent.interrupt"),
            interrupt_probability=interrupt_probability,
            session=self.session,
            tts=engines.agent_tts,
            stt=engines.agent_stt,
            vad=engines.new_vad(),
            rng=rng("agent.latency"),
        )
        self.line = Line(
            self.caller,
            self.agent,
            limits=context.limits,
            session=self.session,
            to_agent=to_agent,
            to_caller=to_caller,
        )

    async def run(self) -> None:
        """Play the call to its end. Never raises for what a party does wrong."""
        virtual = isinstance(asyncio.get_running_loop(), VirtualLoop)
        self.session.note(
            "call_started",
            source="session",
            seed=self._context.seed,
            fidelity="audio",
            clock="virtual" if virtual else "wall",
            cost_model={
                "kind": "modelled",
                "caller": self.caller.latency.as_dict(),
                "agent": self.agent.latency.as_dict(),
            },
        )
        try:
            await self.line.run()
        except SimulationError as exc:
            self.session.end(EndReason.ERROR, str(exc))
        finally:
            await self.caller.close()
            await self.agent.close()
        self.note_end()

    def note_end(self) -> None:
        """The last event of the call."""
        facts: dict[str, Any] = {} if self.session.error is None else {"error": self.session.error}
        self.session.note("call_ended", source="session", reason=str(self.session.end_reason), **facts)

    def outcome(self) -> CallOutcome:
        """What the call left behind, once it has ended."""
        caller_track, agent_track = self.line.tracks()
        caller_speech = _utterances(caller_track, self.caller.mouth.said)
        agent_speech = _utterances(agent_track, self.agent.mouth.said)
        tool_calls = self.agent.tool_calls
        turns = build_turns(caller_speech, agent_speech, tool_calls)
        openings = turn_openings(turns)
        for call in tool_calls:
            call.turn = turn_at(openings, call.start_s)
        words = (self.caller.mouth.said, self.agent.heard, self.agent.mouth.said, self.caller.heard)
        return CallOutcome(
            events=with_turns(self.session.log.events, turns),
            turns=turns,
            texts=turn_texts(turns, *words),
            trace=build_trace(turns, self.agent.brain.architecture, *words, tool_calls),
            tool_calls=tool_calls,
            end_reason=self.session.end_reason or EndReason.ERROR,
            duration_s=len(caller_track) / SAMPLE_RATE,
            error=self.session.error,
            caller_track=caller_track,
            agent_track=agent_track,
        )


def _utterances(track: NDArray[np.int16], said: Sequence[Utterance]) -> list[SpeechSegment]:
    """Speech on a track of ours, in which a pause within an utterance is part of it.

    A voice may rest for most of a second between two sentences. Whoever starts to speak there cuts
    in on someone who has not finished, and that is how the published runs see it: the audio of an
    utterance goes on through its pauses.
    """
    whole: list[SpeechSegment] = []
    for segment in speech_segments(track, merge_gap_s=UTTERANCE_GAP_S):
        if whole and any(_covers(u, whole[-1].end_s, segment.start_s) for u in said):
            whole[-1] = SpeechSegment(whole[-1].start_s, segment.end_s)
        else:
            whole.append(segment)
    return whole


def _covers(utterance: Utterance, start_s: float, end_s: float) -> bool:
    begun, ended = utterance.start_s, utterance.end_s
    return begun is not None and ended is not None and begun <= start_s and end_s <= ended
