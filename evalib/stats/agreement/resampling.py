"""Kappa, agreement and rho of tables, each with a percentile interval over units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalib.stats.agreement.scale import Scale
from evalib.stats.agreement.tables import agreement_of, kappa_of, rho_of, why_undefined
from evalib.stats.intervals import Rng, check_settings, generator_of, resample_counts
from evalib.stats.result import Result

_CHUNK_CELLS = 4_000_000  # 32 MB
Statistics = NDArray[np.float64]  # shape (n, 3): kappa, agreement, rho


@dataclass(frozen=True)
class AgreementInterval(Result):
    """Agreement of two raters with percentile bootstrap intervals over units.

    Attributes
    ----------
    kappa, kappa_low, kappa_high : float
    agreement, agreement_low, agreement_high : float
        Share of pairs with the same label, 0 to 1.
    rho, rho_low, rho_high : float
        Spearman's rank correlation, average ranks for ties.
    n_units, n_pairs : int
        Units that are resampled (those with a pair), and pairs of ratings.
    n_missing : int
        Pairs left out because a rating is missing.
    n_resamples, n_undefined, n_undefined_rho : int
        Resamples drawn, and those of them in which kappa or rho is 0/0. The interval is that of
        the others, and ``reason`` says so.
    confidence : float
    weights : str or None
    reason : str
    """

    kappa: float
    kappa_low: float
    kappa_high: float
    agreement: float
    agreement_low: float
    agreement_high: float
    rho: float
    rho_low: float
    rho_high: float
    n_units: int
    n_pairs: int
    n_missing: int
    n_resamples: int
    n_undefined: int
    n_undefined_rho: int
    confidence: float
    weights: str | None
    reason: str = ""


@dataclass(frozen=True)
class Bootstrap:
    """Settings of a percentile bootstrap over units."""

    n_resamples: int
    confidence: float
    rng: Rng

    def __post_init__(self) -> None:
        check_settings(self.n_resamples, self.confidence)

    def draws(
        self,
        n_units: int,
        of: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        cells: int,
    ) -> list[NDArray[np.float64]]:
        """What `of` makes of resamples of units, in parts; no part with fewer than two units.

        `of` gets how often each unit was drawn, shape (some, n_units), for a part of the resamples
        at a time, so that memory stays bounded when it needs `cells` numbers a resample.
        """
        if n_units < 2:
            return []
        step = max(1, _CHUNK_CELLS // max(n_units, cells))
        drawn = resample_counts(n_units, self.n_resamples, generator_of(self.rng), at_a_time=step)
        return [of(counts) for counts in drawn]

    def ends(self, draws: NDArray[np.float64]) -> tuple[float, float]:
        """Percentile interval of the draws that are defined; NaN when none is."""
        defined = draws[~np.isnan(draws)]
        if not len(defined):
            return np.nan, np.nan
        tail = (1 - self.confidence) / 2
        low, high = np.quantile(defined, [tail, 1 - tail])
        return float(low), float(high)


def statistics_of(flat: NDArray[np.float64], scale: Scale) -> Statistics:
    """Kappa, agreement and rho of flattened tables, shape (n, k * k) -> (n, 3)."""
    tables = flat.reshape(-1, scale.k, scale.k)
    return np.column_stack([kappa_of(tables, scale.apart), agreement_of(tables), rho_of(tables)])


def in_fixed_order(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Units sorted by their tables, so that neither row order nor names of units touch the draws."""
    return tables[np.lexsort(tables.T)] if len(tables) else tables


def tables_interval(
    tables: NDArray[np.float64], scale: Scale, n_missing: int, bootstrap: Bootstrap
) -> AgreementInterval:
    """Agreement of the sum of the units' flattened tables, shape (n_units, k * k)."""
    tables = in_fixed_order(tables[tables.any(axis=1)])
    total = tables.sum(axis=0)
    draws = bootstrap.draws(
        len(tables), lambda counts: statistics_of(counts @ tables, scale), cells=4 * scale.k**2
    )
    reason = why_undefined(total.reshape(scale.k, scale.k))
    estimate = statistics_of(total, scale)[0]
    return interval(estimate, draws, len(tables), int(total.sum()), n_missing, scale, bootstrap, reason)


def interval(
    estimate: NDArray[np.float64],
    parts: list[Statistics],
    n_units: int,
    n_pairs: int,
    n_missing: int,
    scale: Scale,
    bootstrap: Bootstrap,
    reason: str,
) -> AgreementInterval:
    """The result of an estimate and its resamples, which are none with fewer than two units."""
    draws = np.concatenate(parts) if parts else np.empty((0, 3))
    (kappa, agreement, rho), ends = estimate.tolist(), [bootstrap.ends(column) for column in draws.T]
    undefined = np.isnan(draws).sum(axis=0).tolist()
    notes = [reason, "no interval: a single unit to resample" if n_units == 1 else ""]
    for name, value, count in (("kappa", kappa, undefined[0]), ("rho", rho, undefined[2])):
        if 0 < count < len(draws):
            notes.append(
                f"{name} is 0/0 in {count} of {len(draws)} resamples: its interval is that of the rest"
            )
        elif count and not np.isnan(value):
            notes.append(f"no interval of {name}: it is 0/0 in every resample")
    return AgreementInterval(
        kappa=kappa,
        kappa_low=ends[0][0],
        kappa_high=ends[0][1],
        agreement=agreement,
        agreement_low=ends[1][0],
        agreement_high=ends[1][1],
        rho=rho,
        rho_low=ends[2][0],
        rho_high=ends[2][1],
        n_units=n_units,
        n_pairs=n_pairs,
        n_missing=n_missing,
        n_resamples=len(draws),
        n_undefined=undefined[0],
        n_undefined_rho=undefined[2],
        confidence=bootstrap.confidence,
        weights=scale.weights,
        reason="; ".join(note for note in notes if note),
    )
