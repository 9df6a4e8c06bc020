"""A judge against one randomly chosen annotator of each record (paper Table 2, IAA-Jrand)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evalib.stats.agreement.labels import MISSING
from evalib.stats.agreement.resampling import AgreementInterval, Bootstrap, interval, statistics_of
from evalib.stats.agreement.scale import Codes, Scale
from evalib.stats.agreement.tables import why_undefined
from evalib.stats.arguments import check_count
from evalib.stats.intervals import generator_of


def random_annotator(
    units: Codes, judge: Codes, a: Codes, b: Codes, scale: Scale, bootstrap: Bootstrap, n_draws: int
) -> tuple[AgreementInterval, float]:
    """Agreement when one of two annotators is drawn for each record, and the SD of one draw's kappa.

    The estimates are means over `n_draws` draws. In the bootstrap every copy of a record draws its
    annotator anew. A record with one annotator keeps that one.
    """
    check_count("n_draws", n_draws)
    paired = (judge != MISSING) & ((a != MISSING) | (b != MISSING))
    judge, a, b = judge[paired], a[paired], b[paired]
    present, units = np.unique(units[paired], return_inverse=True)
    # Who is drawn matters only where the two differ; the rest of the table is fixed.
    differ = (a != b) & (a != MISSING) & (b != MISSING)
    fixed = np.zeros((len(present), scale.k**2))
    cells = judge * scale.k + np.where(a == MISSING, b, a)
    np.add.at(fixed, (units[~differ], cells[~differ]), 1)
    by_a, by_b = (np.eye(scale.k**2)[(judge * scale.k + x)[differ]] for x in (a, b))
    holder = units[differ]
    rng = generator_of(bootstrap.rng).spawn(1)[0]  # apart from the draws of units

    def drawn(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        copies = counts[:, holder].astype(np.int64)
        of_a = rng.binomial(copies, 0.5)
        return statistics_of(counts @ fixed + of_a @ by_a + (copies - of_a) @ by_b, scale)

    once = drawn(np.ones((n_draws, len(present))))
    draws = bootstrap.draws(len(present), drawn, cells=4 * scale.k**2 + 2 * len(holder))
    everything = fixed.sum(axis=0) + by_a.sum(axis=0) + by_b.sum(axis=0)
    why = why_undefined(everything.reshape(scale.k, scale.k))
    reason = "; ".join(note for note in (why, *_undefined_draws(once)) if note)
    estimate = np.array([_mean_of_defined(column) for column in once.T])
    n_missing = int((~paired).sum())
    found = interval(estimate, draws, len(present), len(judge), n_missing, scale, bootstrap, reason)
    kappas = once[~np.isnan(once[:, 0]), 0]
    return found, float(kappas.std()) if len(kappas) else np.nan


def _undefined_draws(once: NDArray[np.float64]) -> list[str]:
    counts = np.isnan(once).sum(axis=0)
    return [
        f"{name} is 0/0 in {counts[place]} of {len(once)} draws of annotators: it is the mean of the rest"
        for name, place in (("kappa", 0), ("rho", 2))
        if 0 < counts[place] < len(once)
    ]


def _mean_of_defined(draws: NDArray[np.float64]) -> float:
    defined = draws[~np.isnan(draws)]
    return float(defined.mean()) if len(defined) else np.nan
