"""Where on a finished track there is speech, by level.

Two looks at the track: blocks of 10 ms decide *whether* there is sound, by their RMS, which a
single click does not reach; samples decide *where* it begins and ends. A segment starts at the
first sample at or above the level and ends after the last one. Sounds that are less than the merge
gap apart are one segment: the closure of a plosive or a breath does not end what someone says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalib.core import SpeechSegment
from evalib.simulator.party import SAMPLE_RATE

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPEECH_LEVEL = 150.0  # 16-bit RMS, -46.8 dBFS: below the quietest sounds of a synthetic voice
MERGE_GAP_S = 0.2
MIN_SPEECH_S = 0.05
BLOCK_S = 0.01


def speech_segments(
    track: NDArray[np.int16],
    sample_rate: int = SAMPLE_RATE,
    *,
    level: float = SPEECH_LEVEL,
    merge_gap_s: float = MERGE_GAP_S,
    min_speech_s: float = MIN_SPEECH_S,
) -> list[SpeechSegment]:
    """Speech on one clean track.

    Parameters
    ----------
    track : ndarray of int16, shape (samples,)
    sample_rate : int
    level : float
        Level in 16-bit units: the RMS that a block, and the size that an edge sample must reach.
    merge_gap_s : float
        Gaps shorter than this are bridged.
    min_speech_s : float
        What is shorter than this after merging is dropped.

    Returns
    -------
    list of SpeechSegment
        In order, none overlapping; empty for a silent or empty track.
    """
    block = round(BLOCK_S * sample_rate)
    loud = np.flatnonzero(_block_rms(track, block) >= level)
    if not len(loud):
        return []
    # The exact gap is known only once the edges are: split at every silent block, then merge.
    breaks = np.flatnonzero(np.diff(loud) > 1)
    first = loud[np.concatenate(([0], breaks + 1))]
    last = loud[np.concatenate((breaks, [len(loud) - 1]))]
    edges = [_edges(track, block, int(a), int(b), level) for a, b in zip(first, last, strict=True)]

    merged = [list(edges[0])]
    for start, end in edges[1:]:
        if start - merged[-1][1] < merge_gap_s * sample_rate:
            merged[-1][1] = end
        else:
            merged.append([start, end])
    return [
        SpeechSegment(start / sample_rate, end / sample_rate)
        for start, end in merged
        if end - start >= min_speech_s * sample_rate
    ]


def _block_rms(track: NDArray[np.int16], block: int) -> NDArray[np.float32]:
    """RMS of each block; the last one is as if filled up with zeros. Shape (ceil(samples / block),)."""
    whole = len(track) // block
    blocks = track[: whole * block].reshape(whole, block).astype(np.float32)
    power = np.einsum("ij,ij->i", blocks, blocks)
    rest = track[whole * block :].astype(np.float32)
    if len(rest):
        power = np.append(power, np.dot(rest, rest))
    return np.sqrt(power / block)


def _edges(track: NDArray[np.int16], block: int, first: int, last: int, level: float) -> tuple[int, int]:
    """First and one-after-last sample at the level around blocks `first` to `last`.

    Sound that begins in the last samples of a block leaves that block's RMS low, so each edge is
    looked for one block further out.
    """
    lo, hi = max(0, (first - 1) * block), (last + 2) * block
    head = track[lo : (first + 1) * block].astype(np.int32)
    tail = track[last * block : hi].astype(np.int32)
    start = lo + int(np.argmax(np.abs(head) >= level))
    end = last * block + int(np.flatnonzero(np.abs(tail) >= level)[-1]) + 1
    return start, end
