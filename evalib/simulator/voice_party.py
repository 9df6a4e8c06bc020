"""The in-process party: turns what a brain means into sound on the line, and back.

What both sides share stands here: an ear with an end point, a mouth, and the rules of the floor.

- When the other side has been silent for the end point, the party takes it to have finished, and
  answers after its modelled delays. If the other side goes on before that, it had not finished:
  the answer is withdrawn and both pieces are heard as one.
- When the other side speaks for ``yield_s`` while this one has the floor, this one stops at once
  and drops what it still had to say.
- Speech that ends while this party is talking, and did not make it yield, is not answered.

All delays are drawn from the latency profile and waited for on the loop's clock. Recognition and
synthesis go through the loop's executor: on the virtual clock they run inline and take no time; on
the wall clock they run beside the line, and the modelled delay is the least that passes.
"""

from __future__ import annotations

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from evalib.core import EndReason
from evalib.core.events import Direction
from evalib.simulator.clock import sleep_until
from evalib.simulator.ear import Ear, Span, ticks
from evalib.simulator.mouth import Mouth, Utterance
from evalib.simulator.party import SAMPLE_RATE, TICK_S, CallerBrain, LatencyProfile
from evalib.simulator.pcm import pcm_facts

if TYPE_CHECKING:
    import random

    from evalib.simulator.party import Frame
    from evalib.simulator.session import Session
    from evalib.simulator.speech import STT, TTS, VAD

PATIENCE_S = 5.0  # how long a caller waits for a greeting before it speaks first


@dataclass(frozen=True)
class Heard:
    """What a party's recogniser made of one utterance of the other side."""

    text: str
    start_s: float
    end_s: float


class VoiceParty(ABC):
    """What caller and agent have in common.

    Parameters
    ----------
    role : {"caller", "agent"}
    session : Session
    tts, stt, vad
        Engines of this party; the detector is its own, because it has a state.
    latency : LatencyProfile
    rng : random.Random
        For the delays alone.
    """

    def __init__(
        self,
        role: Literal["caller", "agent"],
        session: Session,
        tts: TTS,
        stt: STT,
        vad: VAD,
        latency: LatencyProfile,
        rng: random.Random,
    ) -> None:
        self.role = role
        self.session = session
        self.latency = latency
        self.ear = Ear(vad, latency.endpoint_s)
        self.mouth = Mouth(self._speech_started, self._speech_ended)
        self.heard: list[Heard] = []
        self._tts = tts
        self._stt = stt
        self._rng = rng
        self._tasks: set[asyncio.Task[None]] = set()
        self._answering: asyncio.Task[None] | None = None
        self._answering_to: Span | None = None
        self._overlap = 0
        self._overlap_from_s = 0.0
        self._yield_ticks = math.inf if latency.yield_s is None else ticks(latency.yield_s)
        self._talked_over = False
        self._leaving: EndReason | None = None
        self._speaks: Direction = "caller_to_agent" if role == "caller" else "agent_to_caller"
        self._hears: Direction = "agent_to_caller" if role == "caller" else "caller_to_agent"

    async def on_tick(self, k: int, t: float, heard: Frame | None) -> Frame | None:
        """Listen, then speak."""
        if self.ear.hear(heard):
            self._other_speaks(t)
        elif self.ear.first is not None and (span := self.ear.finished()) is not None:
            self._other_finished(span)
        frame = self.mouth.next_frame(t)
        if self._leaving is not None and not self.has_floor:
            self._leave(self._leaving)
        return frame

    @property
    def has_floor(self) -> bool:
        """Whether this party is saying something or about to."""
        return self.mouth.busy

    async def close(self) -> None:
        """Cancel whatever is still going on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _leave(self, reason: EndReason) -> None:
        """Called on every tick in which this party wants to go and has said everything."""
        self.session.end(reason)

    # -- listening

    def _other_speaks(self, t: float) -> None:
        current = self.mouth.current
        self._talked_over = current is not None and not current.insist
        if self._answering is not None and self._answering_to is not None and self.ear.certain:
            self._answering.cancel()
            self.ear.reopen(self._answering_to)
            self._answering = self._answering_to = None
        if not self.has_floor or (current is not None and current.insist):
            self._overlap = 0
            return
        if self._overlap == 0:
            # The frame that arrives now was spoken in the tick before.
            began = 0.0 if current is None or current.start_s is None else current.start_s
            self._overlap_from_s = max(t - TICK_S, began)
        self._overlap += 1
        if self._overlap >= self._yield_ticks:
            self._yield(t)

    def _other_finished(self, span: Span) -> None:
        self._overlap = 0
        if self._talked_over:
            self._talked_over = False
            return
        self._answering_to = span
        self._answering = self._spawn(self._answer(span))

    @abstractmethod
    async def _answer(self, span: Span) -> None:
        """Answer an utterance; until :meth:`_commit` it may be cancelled and heard again, longer."""

    async def _recognise(self, span: Span) -> str:
        sound = self.ear.sound(span)
        return await asyncio.get_running_loop().run_in_executor(
            None, self._stt.transcribe, sound, SAMPLE_RATE
        )

    def _commit(self, span: Span, text: str) -> None:
        """From here on the answer stands."""
        self._answering = self._answering_to = None
        self.heard.append(Heard(text, span.start_s, span.end_s))
        self.session.note(
            "heard",
            source=self.role,
            direction=self._hears,
            role="agent" if self.role == "caller" else "caller",
            text=text,
            start_s=span.start_s,
            end_s=span.end_s,
        )

    # -- speaking

    def _say(self, utterance: Utterance) -> None:
        self.mouth.add(utterance)
        self._spawn(self._synthesise(utterance))

    async def _synthesise(self, utterance: Utterance) -> None:
        pcm = await asyncio.get_running_loop().run_in_executor(
            None, self._tts.synthesize, utterance.spoken, utterance.pace
        )
        utterance.set_sound(pcm)

    def _yield(self, t: float) -> list[Utterance]:
        """Stop talking because the other side does not; returns what is given up."""
        current = self.mouth.current
        dropped = self.mouth.stop()
        if current is not None:
            self._note(
                "yielded",
                yield_s=round(t - self._overlap_from_s, 6),
                share_said=round(current.share_said, 4),
                text_said=current.text_said,
            )
        for utterance in dropped:
            self._note_dropped(utterance)
        self._overlap = 0
        self._talked_over = False
        given_up = [current] if current is not None and current.share_said < 1.0 else []
        return given_up + dropped

    def _speech_started(self, utterance: Utterance) -> None:
        if self.ear.hears_speech:
            self._note("barge_in", start_s=utterance.start_s)
        extra: dict[str, Any] = {} if utterance.spoken == utterance.text else {"spoken": utterance.spoken}
        if utterance.insist:
            extra["interjection"] = True
        self._note("utterance", text=utterance.text, pace=utterance.pace, start_s=utterance.start_s, **extra)
        self._note("speech_started", start_s=utterance.start_s)

    def _speech_ended(self, utterance: Utterance) -> None:
        assert utterance.start_s is not None  # it has been said
        assert utterance.end_s is not None
        assert utterance.sound is not None
        played = utterance.sound[: round((utterance.end_s - utterance.start_s) * SAMPLE_RATE)]
        self._note("speech_ended", pcm=pcm_facts(played), start_s=utterance.start_s, end_s=utterance.end_s)

    def _note_dropped(self, utterance: Utterance) -> None:
        self._note("utterance", text=utterance.text, pace=utterance.pace, dropped=True)

    def _note(self, type: str, **facts: Any) -> None:
        self.session.note(type, source=self.role, direction=self._speaks, role=self.role, **facts)

    # -- tasks

    def _spawn(self, coro: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(coro)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)
        return task

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (exc := task.exception()) is not None:
            self.session.end(EndReason.ERROR, f"{self.role}: {type(exc).__name__}: {exc}")


class CallerVoice(VoiceParty):
    """A caller brain on the line.

    Parameters
    ----------
    brain : CallerBrain
    max_turns : int
        Turns after which the call is ended as over its limit.
    """

    def __init__(self, brain: CallerBrain, *, max_turns: int = 60, **party: Any) -> None:
        super().__init__("caller", **party)
        self.brain = brain
        self._opened = False
        self._turns_left = max_turns

    async def on_tick(self, k: int, t: float, heard: Frame | None) -> Frame | None:
        if not self._opened and t >= PATIENCE_S and self.ear.first is None and self._answering is None:
            self._take_turn("")
        return await super().on_tick(k, t, heard)

    async def _answer(self, span: Span) -> None:
        profile = self.latency
        ready = asyncio.get_running_loop().time() + sum(
            spread.draw(self._rng) for spread in (profile.transcribe, profile.think, profile.first_audio)
        )
        text = await self._recognise(span)
        await sleep_until(ready)
        self._commit(span, text)
        self._take_turn(text)

    def _take_turn(self, heard: str) -> None:
        turn = self.brain.reply(heard) if self._opened else self.brain.open(heard)
        self._opened = True
        if turn.text:
            if self._turns_left == 0:
                self.session.end(EndReason.TIME_LIMIT)
                return
            self._turns_left -= 1
            self._say(Utterance(turn.text, turn.text, pace=turn.pace))
        if turn.end_call:
            self._leaving = EndReason.GOODBYE
