"""Speech by level, for clean tracks: what is not silence is speech.

A track of the line is digital silence wherever its party says nothing, so level alone finds speech to
the sample. Pauses shorter than `merge_gap_s` belong to the speech around them; what is left shorter
than `min_speech_s` is a click. For noisy tracks there is Silero.
"""

from __future__ import annotations

import numpy as np

from evalib.core import SpeechSegment
from evalib.simulator.speech.interfaces import SAMPLE_RATE, Samples
from evalib.simulator.speech.sound import SILENCE_LEVEL, loud


class EnergyVAD:
    """Speech is any sample above -50 dBFS.

    Parameters
    ----------
    merge_gap_s : float
        Silence shorter than this is a pause within a segment.
    min_speech_s : float
        A segment shorter than this is dropped.
    """

    name = "energy"

    def __init__(self, merge_gap_s: float = 0.3, min_speech_s: float = 0.03) -> None:
        self.merge_gap_s = merge_gap_s
        self.min_speech_s = min_speech_s

    def is_speech(self, frame: Samples) -> bool:
        """See :class:`~evalib.simulator.speech.interfaces.VAD`. No hangover: each frame by itself."""
        return bool(frame.max() > SILENCE_LEVEL or frame.min() < -SILENCE_LEVEL)

    def reset(self) -> None:
        """Nothing is remembered."""

    def segments(self, track: Samples) -> list[SpeechSegment]:
        """See :class:`~evalib.simulator.speech.interfaces.VAD`. Edges are exact to the sample."""
        at = loud(track)
        if not len(at):
            return []
        gaps = np.flatnonzero(np.diff(at) > self.merge_gap_s * SAMPLE_RATE)
        starts = at[np.concatenate(([0], gaps + 1))]
        ends = at[np.concatenate((gaps, [len(at) - 1]))] + 1
        return [
            SpeechSegment(int(a) / SAMPLE_RATE, int(b) / SAMPLE_RATE)
            for a, b in zip(starts, ends, strict=True)
            if b - a >= self.min_speech_s * SAMPLE_RATE
        ]
