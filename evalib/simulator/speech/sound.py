"""Sample arithmetic that the engines share: level, rate, format, edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evalib.simulator.segments import SPEECH_LEVEL
from evalib.simulator.speech.interfaces import SAMPLE_RATE, Samples


def to_int16(sound: NDArray[np.float32]) -> Samples:
    """Samples in [-1, 1] as int16; louder ones are clipped."""
    return np.clip(np.rint(sound * 32_768.0), -32_768, 32_767).astype(np.int16)


def to_float(pcm: Samples) -> NDArray[np.float32]:
    return pcm.astype(np.float32) / np.float32(32_768.0)


def resample(sound: NDArray[np.float32], from_rate: float, to_rate: float) -> NDArray[np.float32]:
    """Change the sample rate, in float32: soxr dithers int16, which is not reproducible."""
    if from_rate == to_rate or not len(sound):
        return sound
    import soxr

    return soxr.resample(sound, from_rate, to_rate, quality="VHQ")


def trim(pcm: Samples, margin_s: float = 0.0, sample_rate: int = SAMPLE_RATE) -> Samples:
    """The samples from the first to the last at the level of speech, and a margin on either side."""
    at = np.flatnonzero((pcm >= SPEECH_LEVEL) | (pcm <= -SPEECH_LEVEL))
    if not len(at):
        return pcm[:0]
    margin = round(margin_s * sample_rate)
    return pcm[max(0, at[0] - margin) : at[-1] + 1 + margin]
