"""What a voice, a recogniser and a speech detector must be able to do."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from evalib.core import SpeechSegment

Samples = NDArray[np.int16]
Pace = Literal["normal", "slow"]

SAMPLE_RATE = 24_000


class TTS(Protocol):
    """A voice. The same text and pace give the same samples, run to run and process to process."""

    name: str
    sample_rate: int
    version: str  # whatever else the sound depends on: engine version, settings

    def synthesize(self, text: str, pace: Pace = "normal") -> Samples:
        """Mono int16 samples at 24 kHz. The first and the last sample are sound, not silence;
        a text in which there is nothing to say gives no samples."""


class STT(Protocol):
    """A recogniser. The same samples give the same words."""

    name: str
    version: str

    def transcribe(self, pcm: Samples, sample_rate: int = SAMPLE_RATE) -> str:
        """The words in mono int16 samples; "" where nobody speaks."""


class VAD(Protocol):
    """A detector of speech."""

    name: str

    def is_speech(self, frame: Samples) -> bool:
        """Whether there is speech in the next frame, int16 of shape (480,): 20 ms at 24 kHz."""

    def reset(self) -> None:
        """Forget what was heard; the next frame begins a new track."""

    def segments(self, track: Samples) -> list[SpeechSegment]:
        """The stretches of speech on a whole track, in seconds."""
