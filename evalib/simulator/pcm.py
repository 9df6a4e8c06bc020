"""Mono PCM16 as the line carries it: frames of 20 ms, None for a silent one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evalib.simulator.party import SAMPLE_RATE, TICK_SAMPLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalib.simulator.party import Frame

SILENCE_PEAK = 256  # samples up to this are silence in the signal facts of the endpoint-runner seed


def frames_of(pcm: NDArray[np.int16]) -> NDArray[np.int16]:
    """Cut a sound into frames, the last one filled up with zeros.

    Parameters
    ----------
    pcm : ndarray of int16, shape (samples,)

    Returns
    -------
    ndarray of int16, shape (ceil(samples / 480), 480)
        Read-only, so that nothing on the line can change a cached sound.
    """
    n_frames = -(-len(pcm) // TICK_SAMPLES)
    frames = np.zeros((n_frames, TICK_SAMPLES), dtype=np.int16)
    frames.reshape(-1)[: len(pcm)] = pcm
    frames.setflags(write=False)
    return frames


def assemble(frames: Sequence[Frame | None]) -> NDArray[np.int16]:
    """One track of a list of frames; None becomes 480 zeros."""
    track = np.zeros((len(frames), TICK_SAMPLES), dtype=np.int16)
    for k, frame in enumerate(frames):
        if frame is not None:
            track[k] = frame
    return track.reshape(-1)


def mix(a: NDArray[np.int16], b: NDArray[np.int16]) -> NDArray[np.int16]:
    """The sum of two tracks of equal length, clipped to 16 bits."""
    return np.clip(a.astype(np.int32) + b, -32768, 32767).astype(np.int16)


def pcm_facts(pcm: NDArray[np.int16], sample_rate: int = SAMPLE_RATE) -> dict[str, Any]:
    """Deterministic facts of a sound, under the names of the voice-event contract.

    ``silence_ratio`` counts samples within ±256, ``clipped_sample_ratio`` samples at either end of
    the 16-bit range; ``possible_truncation`` says that the last 10 ms are not silent. A sound
    without samples has no amplitudes: they are None.
    """
    n = len(pcm)
    wide = pcm.astype(np.int32)
    size = np.abs(wide)
    return {
        "encoding": "pcm_s16le",
        "sample_rate_hz": sample_rate,
        "channels": 1,
        "byte_count": 2 * n,
        "duration_seconds": round(n / sample_rate, 6),
        "silence_ratio": round(float(np.mean(size <= SILENCE_PEAK)), 6) if n else None,
        "peak_amplitude": int(size.max()) if n else None,
        "rms_amplitude": round(float(np.sqrt(np.mean(wide.astype(np.float64) ** 2))), 3) if n else None,
        "clipped_sample_ratio": round(float(np.mean((wide == 32767) | (wide == -32768))), 6) if n else None,
        "possible_truncation": bool((size[-sample_rate // 100 :] > SILENCE_PEAK).any()) if n else False,
    }
