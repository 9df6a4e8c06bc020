"""A judge against two human annotators, beside the annotators against each other (paper Table 2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evalib.core import ConfigError
from evalib.stats.agreement.labels import column, positions, unit_codes
from evalib.stats.agreement.random_annotator import random_annotator
from evalib.stats.agreement.resampling import AgreementInterval, Bootstrap, tables_interval
from evalib.stats.agreement.scale import Codes, Scale, Weights
from evalib.stats.intervals import Rng, generator_of

if TYPE_CHECKING:
    import pandas as pd

POOLED, RANDOM, HUMAN = "IAA-J", "IAA-J random", "IAA-H"


def annotator_agreement(
    ratings: pd.DataFrame,
    judge: str,
    annotators: Sequence[str],
    unit: str | None,
    labels: Iterable[Any],
    weights: Weights = None,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rng: Rng = None,
    n_draws: int = 1_000,
) -> pd.DataFrame:
    """Agreement of a judge with two annotators (IAA-J) beside that of the annotators (IAA-H).

    Parameters
    ----------
    ratings : DataFrame
        One row for each rated item; a column for the judge and one for each annotator. A record
        that an annotator or the judge did not rate (None, NaN) keeps the pairs it has.
    unit : str or None
        Column of what is resampled, e.g. the conversation. None: each row is a unit.
    judge : str
    annotators : two of str
    labels, weights
        As in :func:`cohen_kappa`.
    n_resamples, confidence, rng
        Of the bootstrap, as in :func:`agreement_ci`.
    n_draws : int
        How often one annotator is drawn for every record, for ``"IAA-J random"``.

    Returns
    -------
    DataFrame
        Three rows, told apart by column ``pairing``:

        - ``"IAA-J"``: each annotation paired with the judge's rating, all pairs pooled (63 records
          give 126 pairs); a resampled unit brings all its pairs.
        - ``"IAA-J random"``: one random annotator a record. The estimates are means over `n_draws`
          draws, so that they are not those of one lucky draw, and ``kappa_draw_sd`` is how far one
          draw strays. ``n_draws=1`` is the paper's single draw. In the bootstrap every copy of a
          record draws its annotator anew: the interval is over records and annotators.
        - ``"IAA-H"``: the annotators with each other.

        Columns ``pairing``, those of :class:`AgreementInterval` and ``kappa_draw_sd`` (0 where
        nothing is drawn).

    Raises
    ------
    ConfigError, DataFormatError
        As :func:`agreement_ci`; also when `annotators` are not two, or one of them is the judge.

    Notes
    -----
    Paper: section 4.2 and Table 2. Nothing bounds IAA-J by IAA-H: read them side by side.

    Examples
    --------
    >>> import pandas as pd
    >>> calls = pd.DataFrame({"call": range(6), "judge": [3, 3, 1, 2, 3, 1],
    ...                       "ann": [3, 2, 1, 2, 3, 1], "bob": [3, 3, 1, 1, 3, 2]})
    >>> found = annotator_agreement(calls, "judge", ("ann", "bob"), "call", (1, 2, 3), "quadratic", rng=1)
    >>> found[["pairing", "kappa", "n_pairs"]].round(2)
            pairing  kappa  n_pairs
    0         IAA-J   0.84       12
    1  IAA-J random   0.84        6
    2         IAA-H   0.67        6
    """
    import pandas as pd

    first, second = two_annotators(annotators, judge)
    scale = Scale(labels, weights)
    # One seed for the three rows: they are compared over the same resamples.
    bootstrap = Bootstrap(n_resamples, confidence, int(generator_of(rng).integers(2**63)))
    places = [positions(column(ratings, c), scale.labels, f"column {c!r}") for c in (judge, first, second)]
    u, j, a, b = _in_fixed_order(unit_codes(ratings, unit), *places)

    def of_pairs(units: Codes, x: Codes, y: Codes) -> AgreementInterval:
        tables = scale.unit_tables(units, x, y)
        return tables_interval(tables, scale, len(x) - int(tables.sum()), bootstrap)

    drawn, draw_sd = random_annotator(u, j, a, b, scale, bootstrap, n_draws)
    found = {
        POOLED: (of_pairs(np.tile(u, 2), np.tile(j, 2), np.concatenate([a, b])), 0.0),
        RANDOM: (drawn, draw_sd),
        HUMAN: (of_pairs(u, a, b), 0.0),
    }
    rows = [{"pairing": name, **r.as_dict(), "kappa_draw_sd": sd} for name, (r, sd) in found.items()]
    return pd.DataFrame(rows)


def two_annotators(annotators: Sequence[str], judge: str) -> tuple[str, str]:
    """The names of two columns, neither of them the judge's (else ConfigError)."""
    names: list[str] = []
    if isinstance(annotators, Iterable) and not isinstance(annotators, str):
        names = list(annotators)
    if len(names) != 2 or len({*names, judge}) != 3:
        raise ConfigError(
            f"annotators={annotators!r} must name two columns, neither of them the judge's ({judge!r})"
        )
    return names[0], names[1]


def _in_fixed_order(units: Codes, *raters: Codes) -> list[Codes]:
    """Records sorted, and units numbered, by what they hold: the order of rows touches no draw."""
    order = np.lexsort((*raters, units))
    units, raters = units[order], tuple(rater[order] for rater in raters)
    held: dict[int, list[tuple[int, ...]]] = {}
    for unit, *record in zip(units.tolist(), *(rater.tolist() for rater in raters), strict=True):
        held.setdefault(unit, []).append(tuple(record))
    place = {unit: rank for rank, unit in enumerate(sorted(held, key=lambda u: held[u]))}
    units = np.array([place[unit] for unit in units.tolist()], dtype=np.intp)
    order = np.argsort(units, kind="stable")
    return [units[order], *(rater[order] for rater in raters)]
