"""Sample arithmetic that the engines share: level, rate, format, edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evalib.simulator.speech.interfaces import Samples

# -50 dBFS. A sample at or below it counts as silence, where speech is trimmed as where it is
# detected, so that the first sample of an utterance is the onset that a detector finds.
SILENCE_LEVEL = 104


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


def loud(pcm: Samples) -> NDArray[np.intp]:
    """Indices of the samples above the silence level."""
    return np.flatnonzero((pcm > SILENCE_LEVEL) | (pcm < -SILENCE_LEVEL))


def trim(pcm: Samples) -> Samples:
    """The samples from the first to the last that is not silence."""
    at = loud(pcm)
    return pcm[at[0] : at[-1] + 1] if len(at) else pcm[:0]
