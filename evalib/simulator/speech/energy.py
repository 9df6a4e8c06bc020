"""Speech by level, for clean tracks: what is not silence is speech.

A track of the line is digital silence wherever its party says nothing, so that level alone finds
speech to the sample (:mod:`evalib.simulator.segments`). For tracks with noise there is Silero.
"""

from __future__ import annotations

import numpy as np

from evalib.core import SpeechSegment
from evalib.simulator.segments import BLOCK_S, MERGE_GAP_S, MIN_SPEECH_S, SPEECH_LEVEL, speech_segments
from evalib.simulator.speech.interfaces import SAMPLE_RATE, Samples


class EnergyVAD:
    """Speech is what reaches a level.

    Parameters
    ----------
    level : float
        RMS in 16-bit units; the default is -46.8 dBFS.
    merge_gap_s : float
        Silence shorter than this is a pause within a segment.
    min_speech_s : float
        A segment shorter than this is dropped.
    """

    name = "energy"

    def __init__(
        self,
        level: float = SPEECH_LEVEL,
        merge_gap_s: float = MERGE_GAP_S,
        min_speech_s: float = MIN_SPEECH_S,
    ) -> None:
        self.level = level
        self.merge_gap_s = merge_gap_s
        self.min_speech_s = min_speech_s

    def is_speech(self, frame: Samples) -> bool:
        """See :class:`~evalib.simulator.speech.interfaces.VAD`. Each frame by itself: half of it, a
        block as in whole tracks, must reach the level."""
        blocks = frame.astype(np.float32).reshape(-1, round(BLOCK_S * SAMPLE_RATE))
        power = np.einsum("ij,ij->i", blocks, blocks).max() / blocks.shape[1]
        return bool(power >= self.level * self.level)

    def reset(self) -> None:
        """Nothing is remembered."""

    def segments(self, track: Samples) -> list[SpeechSegment]:
        """See :class:`~evalib.simulator.speech.interfaces.VAD`. Edges are exact to the sample."""
        return speech_segments(
            track, level=self.level, merge_gap_s=self.merge_gap_s, min_speech_s=self.min_speech_s
        )
