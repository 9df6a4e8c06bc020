"""How an in-process party listens: frames in, finished utterances out.

The voice activity detector says of each frame whether it is speech; an utterance is over after a
silence of the party's end point. Everything heard is kept, so that an utterance is a span of ticks
and one that turns out to go on can simply be reopened from its beginning.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalib.simulator.party import TICK_S, TICK_SAMPLES
from evalib.simulator.pcm import assemble

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalib.simulator.party import Frame
    from evalib.simulator.speech import VAD

MIN_SPEECH_S = 0.1  # less is a click or a breath, not an utterance
MARGIN_S = 0.2  # kept before and after an utterance, so that soft edges reach the recogniser

_SILENT = np.zeros(TICK_SAMPLES, dtype=np.int16)
_SILENT.setflags(write=False)


def ticks(seconds: float) -> float:
    """The least whole number of ticks that lasts `seconds`; infinite for infinity."""
    return math.ceil(round(seconds / TICK_S, 6)) if math.isfinite(seconds) else math.inf


class Span(NamedTuple):
    """Ticks ``[first, stop)`` that an utterance was heard in."""

    first: int
    stop: int

    @property
    def start_s(self) -> float:
        return round(self.first * TICK_S, 6)

    @property
    def end_s(self) -> float:
        return round(self.stop * TICK_S, 6)


class Ear:
    """One party's hearing.

    Attributes
    ----------
    first : int or None
        Tick at which the utterance under way began; None in silence.
    voiced : int
        Ticks of speech in it so far.
    """

    def __init__(self, vad: VAD, endpoint_s: float) -> None:
        self.first: int | None = None
        self.voiced = 0
        self._vad = vad
        self._frames: list[Frame | None] = []
        self._last_voiced = -1
        self._endpoint = ticks(endpoint_s)
        self._min_voiced = ticks(MIN_SPEECH_S)

    @property
    def certain(self) -> bool:
        """Whether what is under way is long enough to be an utterance."""
        return self.first is not None and self.voiced >= self._min_voiced

    @property
    def hears_speech(self) -> bool:
        """Whether the other side is speaking right now, within 0.1 s."""
        return self.certain and len(self._frames) - 1 - self._last_voiced < self._min_voiced

    def hear(self, frame: Frame | None) -> bool:
        """Take the next frame; True when it is speech."""
        self._frames.append(frame)
        if frame is None:
            if self.first is None:
                return False  # the detector has been reset and there is nothing to detect
            frame = _SILENT
        if not self._vad.is_speech(frame):
            return False
        if self.first is None:
            self.first = len(self._frames) - 1
            self.voiced = 0
        self.voiced += 1
        self._last_voiced = len(self._frames) - 1
        return True

    def finished(self) -> Span | None:
        """The utterance that has just ended, once; None while there is none."""
        if self.first is None or len(self._frames) - 1 - self._last_voiced < self._endpoint:
            return None
        span = Span(self.first, self._last_voiced + 1) if self.certain else None
        self.first = None
        self.voiced = 0
        self._vad.reset()
        return span

    def reopen(self, span: Span) -> None:
        """Let the utterance under way begin where `span` did: it was not over."""
        self.first = span.first

    def sound(self, span: Span) -> NDArray[np.int16]:
        """What was heard in a span, with a little before and after. int16, shape (samples,)."""
        margin = int(ticks(MARGIN_S))
        return assemble(self._frames[max(0, span.first - margin) : span.stop + margin])
