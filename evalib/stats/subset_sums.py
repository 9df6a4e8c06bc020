"""Sums of random subsets of any numbers: all subsets listed when there are few, drawn when many."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from evalib.stats.intervals import Rng, generator_of

# Sums of the same numbers in another order differ in the last bits: sums this close are equal.
TIE_TOLERANCE = 1e-10  # of the sum of all numbers
_CHUNK_CELLS = 2_000_000  # 16 MB


def enumerated_tails(magnitudes: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of all subsets with a sum <= the limit, per column.

    Subsets of n numbers are pairs of subsets of two halves of them, so that two sorted lists of
    2^(n/2) sums are enough (Horowitz & Sahni, 1974).
    """
    tails = np.empty(len(limits))
    for i, limit in enumerate(limits):
        numbers = np.sort(magnitudes[magnitudes[:, i] > 0, i])
        highest = limit + TIE_TOLERANCE * numbers.sum()
        ones, others = (np.sort(_subset_sums(half)) for half in (numbers[::2], numbers[1::2]))
        pairs = np.searchsorted(others, highest - ones, side="right").sum()
        tails[i] = np.ldexp(float(pairs), -len(numbers))
    return tails


def _subset_sums(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(1)
    for number in numbers:
        sums = np.concatenate([sums, sums + number])
    return sums


def sampled_extremes(
    magnitudes: NDArray[np.float64],
    limits: NDArray[np.float64],
    two_sided: bool,
    n_resamples: int,
    rng: Rng,
) -> NDArray[np.int64]:
    """How many of the same random subsets of each column have a sum <= its limit.

    Two-sided, also those that leave no more than the limit out. The numbers are sorted first, so
    that a column's count does not depend on their order.
    """
    sizes = -np.sort(-magnitudes, axis=0)
    sizes = np.ascontiguousarray(sizes[sizes.any(axis=1)].T)
    total = sizes.sum(axis=1)
    limits = limits + TIE_TOLERANCE * total
    extreme = np.zeros(len(sizes), dtype=np.int64)
    for flipped in _subsets(sizes.shape[1], n_resamples, generator_of(rng)):
        step = max(1, _CHUNK_CELLS // flipped.shape[1])
        for start in range(0, len(sizes), step):
            part = slice(start, start + step)
            mass = sizes[part] @ flipped
            if two_sided:
                # Too little mass flipped, or too much: fold the second tail onto the first.
                half = total[part, None] / 2
                mass = half - np.abs(mass - half)
            extreme[part] += (mass <= limits[part, None]).sum(axis=1)
    return extreme


def _subsets(n: int, n_resamples: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Random subsets as columns of zeros and ones, shape (n, <= n_resamples), in chunks.

    Each number has its own run of random bits: those of the first are the same however many
    numbers follow.
    """
    words = rng.integers(2**64, size=(n, -(-n_resamples // 64)), dtype=np.uint64)
    octets = words.astype("<u8", copy=False).view(np.uint8)[:, : -(-n_resamples // 8)]
    step = max(1, _CHUNK_CELLS // (8 * max(n, 1)))
    for start in range(0, octets.shape[1], step):
        bits = np.unpackbits(octets[:, start : start + step], axis=1)
        yield bits[:, : n_resamples - 8 * start].astype(float)
