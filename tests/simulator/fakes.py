"""Speech without a speech engine: a text is a tone whose samples name it, and is heard by them."""

from __future__ import annotations

import hashlib

import numpy as np

from evalib.core import Architecture
from evalib.simulator.audio_call import Engines
from evalib.simulator.party import SAMPLE_RATE, CallerTurn, LatencyProfile, Spread

WORD_S = 0.25


def tone(duration_s: float, hz: float = 220.0, peak: float = 8000.0) -> np.ndarray:
    """A sine of exactly that length, int16 at 24 kHz, loud from its first sample to its last."""
    n = round(duration_s * SAMPLE_RATE)
    return (peak * np.cos(2 * np.pi * hz * np.arange(n) / SAMPLE_RATE)).astype(np.int16)


class ToneTTS:
    """One tone per text: 0.25 s a word, half as fast when slow, at a pitch of the text's own.

    A word ``<1.5>`` is that many seconds of silence. With `silence_s` there is silence around it
    all, as engines leave it.
    """

    def __init__(self, silence_s: float = 0.1) -> None:
        self.silence_s = silence_s

    def synthesize(self, text: str, pace: str = "normal") -> np.ndarray:
        word_s = WORD_S * (2 if pace == "slow" else 1)
        pieces = [silence(self.silence_s)]
        for word in text.split():
            pause = word.startswith("<")
            pieces.append(silence(float(word[1:-1])) if pause else tone(word_s, hz=pitch(text)))
        return np.concatenate((*pieces, pieces[0]))


def silence(duration_s: float) -> np.ndarray:
    return np.zeros(round(duration_s * SAMPLE_RATE), dtype=np.int16)


def pitch(text: str) -> float:
    """Multiples of 4 Hz: a quarter of a second holds whole periods, so words join without a click."""
    return 200.0 + 4 * (int.from_bytes(hashlib.sha256(text.encode()).digest()[:2], "big") % 500)


class PitchSTT:
    """Hears whichever known text has the pitch of what it is given; "" when there is no sound."""

    def __init__(self, *texts: str) -> None:
        self.by_pitch = {pitch(text): text for text in texts}
        self.calls = 0

    def transcribe(self, pcm: np.ndarray, sample_rate: int) -> str:
        self.calls += 1
        loud = pcm[np.abs(pcm.astype(np.int32)) > 100]
        if not len(loud):
            return ""
        spectrum = np.abs(np.fft.rfft(pcm.astype(np.float64), n=1 << 18))
        hz = float(np.argmax(spectrum)) * sample_rate / (1 << 18)
        nearest = min(self.by_pitch, key=lambda p: abs(p - hz))
        return self.by_pitch[nearest] if abs(nearest - hz) < 2 else "?"


class LevelVAD:
    def is_speech(self, frame: np.ndarray) -> bool:
        return bool(np.max(frame) > 500)

    def reset(self) -> None:
        pass


def engines(*texts: str, silence_s: float = 0.1) -> Engines:
    tts, stt = ToneTTS(silence_s), PitchSTT(*texts)
    return Engines(tts, tts, stt, stt, LevelVAD)


EXACT = LatencyProfile(
    endpoint_s=0.6,
    transcribe=Spread(0.1, 0.0),
    think=Spread(0.4, 0.0),
    first_audio=Spread(0.2, 0.0),
    tool=Spread(1.0, 0.0),
    yield_s=0.3,
)
EXACT_CALLER = LatencyProfile(
    endpoint_s=0.8,
    transcribe=Spread(0.0),
    think=Spread(0.3, 0.0),
    first_audio=Spread(0.1, 0.0),
    tool=Spread(0.0),
    yield_s=0.5,
)


class Caller:
    """Says its lines one after the other; a line that ends with "#" ends the call."""

    name = "fake"

    def __init__(self, *lines: str | CallerTurn) -> None:
        self.lines = list(lines)
        self.heard: list[str] = []

    def open(self, greeting: str) -> CallerTurn:
        return self.reply(greeting)

    def reply(self, heard: str) -> CallerTurn:
        self.heard.append(heard)
        line = self.lines.pop(0) if self.lines else ""
        if isinstance(line, CallerTurn):
            return line
        return CallerTurn(line.rstrip("#"), end_call=line.endswith("#"))


class Agent:
    """Greets, then runs its scripted replies: a text, or a coroutine function of (heard, desk)."""

    name = "fake"
    architecture = Architecture.CASCADE

    def __init__(self, *replies, greeting: str = "hello there", latency: LatencyProfile = EXACT) -> None:
        self.latency = latency
        self.greeting = greeting
        self.replies = list(replies)
        self.heard: list[str] = []

    async def greet(self, desk) -> None:
        if self.greeting:
            desk.say(self.greeting)

    async def reply(self, heard: str, desk) -> None:
        self.heard.append(heard)
        step = self.replies.pop(0) if self.replies else ""
        if callable(step):
            await step(heard, desk)
        elif step:
            desk.say(step)

    def interjection(self) -> str:
        return "one moment"


def no_tools(name: str, arguments: dict) -> dict:
    return {"status": "error", "error_type": "tool_not_found", "message": name}
