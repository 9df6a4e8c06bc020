r"""Two-way random effects with interaction: scenario, system, and what is theirs together (H.1, Table 36).

:math:`y_{ijk} = \mu + a_i + b_j + (ab)_{ij} + e_{ijk}` with r values in each of the a x b cells;
all effects random. Expected mean squares give the variance components (Searle, Casella & McCulloch,
*Variance Components*, 1992, chapter 4):

.. math:: \sigma_{ab}^2 = \frac{MS_{ab} - MS_e}{r}, \quad \sigma_a^2 = \frac{MS_a - MS_{ab}}{r b},
          \quad \sigma_b^2 = \frac{MS_b - MS_{ab}}{r a}, \quad \sigma_e^2 = MS_e.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError
from evalib.stats.observations import Observations, observations
from evalib.stats.result import Result
from evalib.stats.trial_values import columns_of

if TYPE_CHECKING:
    import pandas as pd

_ROUNDING = 1e-12  # of the largest value: variation this small is what arithmetic leaves of none
_NAMED_CELLS = 3


@dataclass(frozen=True)
class AnovaResult(Result):
    """A two-way random-effects analysis.

    Dicts have the names of the two columns, ``"interaction"`` and ``"residual"`` for keys.

    Attributes
    ----------
    components : dict
        Variances in the square of the response's unit; negative estimates are shown as 0.
    components_raw : dict
        As estimated.
    percent : dict
        Of the sum of ``components``, so that what is negative is left out (as in Table 36).
    ms : dict
        Mean squares.
    df : dict
        Degrees of freedom.
    F_interaction, p_interaction : float
        MS_int / MS_res.
    F_rows, p_rows, F_cols, p_cols : float
        MS_rows / MS_int and MS_cols / MS_int.
    n, n_missing : int
        Values used, and NaN.
    replicates : float
        Values per cell; their harmonic mean when cells differ.
    balanced : bool
    reason : str
        Why numbers are NaN, or what they cannot say.
    """

    components: dict[str, float] = field(repr=False)
    components_raw: dict[str, float] = field(repr=False)
    percent: dict[str, float]
    ms: dict[str, float] = field(repr=False)
    df: dict[str, int] = field(repr=False)
    F_interaction: float
    p_interaction: float
    F_rows: float
    p_rows: float
    F_cols: float
    p_cols: float
    n: int
    n_missing: int
    replicates: float
    balanced: bool
    reason: str = ""


def anova_twoway(
    data: pd.DataFrame,
    response: str,
    rows: str | Sequence[str],
    cols: str | Sequence[str],
    unbalanced: Literal["unweighted", "refuse"] = "unweighted",
) -> AnovaResult:
    r"""Variance components and F tests of two crossed random factors.

    Parameters
    ----------
    data : DataFrame
        One row per value, of one metric, condition and judge. Where it has the columns of a score
        table: values whose ``status`` is not ok are missing, and passes of a judge over one trial
        are averaged, unless trial or judge_pass is in a factor.
    response : str
        Column of the values; NaN is missing, and leaves its cell with a value less.
    rows, cols : str or sequence of str
        Columns of the two factors, e.g. ``"scenario"`` and ``"system"``. Several columns are one
        factor, called ``"domain:scenario"``. Ids that occur in several of a column ``domain`` are
        taken within domains; systems are the same in all.
    unbalanced : {"unweighted", "refuse"}
        What to do when cells hold unequal numbers of values. ``"unweighted"``: the analysis of
        unweighted means (Yates, 1934): mean squares of the cell means times the harmonic mean of
        the cells' numbers, and the pooled variance within cells. Components are unbiased, F tests
        approximate. ``"refuse"``: an error that names the cells. Balanced data are unaffected.

    Returns
    -------
    AnovaResult
        NaN with a reason when a cell is empty, a factor has one level, or values are constant.
        With one value in every cell the interaction cannot be told from the residual: their sum
        is given as ``"residual"``, and the main effects are tested over it.

    Raises
    ------
    DataFormatError
        When a column or a label is missing, a status is unknown, or a judge pass has two rows.
    ConfigError
        When a value is infinite or no number, metrics, conditions or judges are mixed, an argument
        is unknown, or unbalanced data are to be refused.

    Notes
    -----
    The caption of Table 36 says that tests use "the interaction mean square as the F-test
    denominator". That is so for the main effects only: all 22 rows satisfy
    :math:`F_{int} = 1 + 5 \cdot Interaction\% / Residual\%`, which is MS_int / MS_res with r = 5
    trials, on (a - 1)(b - 1) and a b (r - 1) degrees of freedom.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     [(s, m, 4 * s + m + e) for s in range(3) for m in range(2) for e in (-1, 1)],
    ...     columns=["scenario", "system", "score"],
    ... )
    >>> found = anova_twoway(frame, "score", rows="scenario", cols="system")
    >>> {k: round(v, 2) for k, v in found.ms.items()}
    {'scenario': 64.0, 'system': 3.0, 'interaction': 0.0, 'residual': 2.0}
    >>> {k: round(v, 2) for k, v in found.components_raw.items()}
    {'scenario': 16.0, 'system': 0.5, 'interaction': -1.0, 'residual': 2.0}
    >>> found.percent["interaction"], found.F_interaction
    (0.0, 0.0)
    """
    if unbalanced not in ("unweighted", "refuse"):
        raise ConfigError(f"unbalanced={unbalanced!r} is unknown: use 'unweighted' or 'refuse'")
    factors = [columns_of(rows), columns_of(cols)]
    names = (*(":".join(map(str, f)) for f in factors), "interaction", "residual")
    if not all(factors) or set(factors[0]) & set(factors[1]) or len(set(names)) < 4:
        raise ConfigError(
            f"rows={rows!r} and cols={cols!r} must be two columns, not 'interaction' or 'residual'"
        )
    found = observations(data, response, factors)
    result = _anova(found, names, unbalanced)
    return replace(result, reason="; ".join(filter(None, [result.reason, *found.notes])))


def _anova(found: Observations, names: tuple[str, ...], unbalanced: str) -> AnovaResult:
    values, n_missing = found.values, found.n_missing
    if not len(values):
        return _none(names, 0, n_missing, "no values")
    row, col = found.codes
    a, b = int(row.max()) + 1, int(col.max()) + 1
    counts = np.bincount(row * b + col, minlength=a * b).reshape(a, b)
    balanced = bool((counts == counts[0, 0]).all())
    if a < 2 or b < 2:
        which = names[0] if a < 2 else names[1]
        return _none(names, len(values), n_missing, f"one level of {which}: nothing to compare")
    if not balanced and unbalanced == "refuse":
        usual = int(np.bincount(counts.ravel()).argmax())
        odd = _cells(found.names, counts, counts != usual)
        raise ConfigError(
            f"cells hold unequal numbers of values (most {usual}; not {odd}): complete or drop them"
        )
    if (counts == 0).any():
        empty = _cells(found.names, counts, counts == 0)
        return _none(names, len(values), n_missing, f"no value in {empty}: drop the level or fill the cell")
    ms, df, r = _mean_squares(values, row * b + col, counts)
    return _result(names, ms, df, r, (a, b), len(values), n_missing, balanced)


def _mean_squares(
    values: NDArray[np.float64], cell: NDArray[np.intp], counts: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp], float]:
    """Mean squares of rows, columns, interaction and residual; NaN where no degrees of freedom are."""
    a, b = counts.shape
    noise = len(values) * (_ROUNDING * np.abs(values).max()) ** 2
    centred = values - values.mean()
    means = np.bincount(cell, weights=centred).reshape(a, b) / counts
    within = float(((centred - means.ravel()[cell]) ** 2).sum())
    r = a * b / float((1 / counts).sum())
    row, col, grand = means.mean(axis=1), means.mean(axis=0), means.mean()
    ss = np.array(
        [
            r * b * ((row - grand) ** 2).sum(),
            r * a * ((col - grand) ** 2).sum(),
            r * ((means - row[:, None] - col + grand) ** 2).sum(),
            within,
        ]
    )
    ss[ss <= noise] = 0.0
    df = np.array([a - 1, b - 1, (a - 1) * (b - 1), len(values) - a * b], dtype=np.intp)
    return np.divide(ss, df, out=np.full(4, np.nan), where=df > 0), df, r


def _result(
    names: tuple[str, ...],
    ms: NDArray[np.float64],
    df: NDArray[np.intp],
    r: float,
    shape: tuple[int, int],
    n: int,
    n_missing: int,
    balanced: bool,
) -> AnovaResult:
    a, b = shape
    notes = []
    single = df[3] == 0
    raw = np.array(
        [
            (ms[0] - ms[2]) / (r * b),
            (ms[1] - ms[2]) / (r * a),
            (ms[2] - ms[3]) / r,
            ms[2] if single else ms[3],
        ]
    )
    if single:
        notes.append("one value a cell: the residual holds the interaction, which cannot be told from it")
    if not balanced:
        notes.append("cells hold unequal numbers of values: unweighted means, F tests are approximate")
    shown = np.where(raw < 0, 0.0, raw)  # NaN stays
    if negative := [name for name, v in zip(names, raw, strict=True) if v < 0]:
        notes.append(f"negative estimate shown as 0: {', '.join(negative)}")
    total = np.nansum(shown)
    if not total:
        return _none(names, n, n_missing, "all values are equal")
    tests: list[float] = []
    for effect, error in ((2, 3), (0, 2), (1, 2)):
        tests += _f_test(ms[effect], ms[error], df[effect], df[error])
    if ms[2] == 0:
        notes.append("no F of the main effects: no interaction at all")
    if ms[3] == 0:
        notes.append("no F of the interaction: values do not vary within cells")
    return AnovaResult(
        components=dict(zip(names, shown.tolist(), strict=True)),
        components_raw=dict(zip(names, raw.tolist(), strict=True)),
        percent=dict(zip(names, (100 * shown / total).tolist(), strict=True)),
        ms=dict(zip(names, ms.tolist(), strict=True)),
        df=dict(zip(names, df.tolist(), strict=True)),
        F_interaction=tests[0],
        p_interaction=tests[1],
        F_rows=tests[2],
        p_rows=tests[3],
        F_cols=tests[4],
        p_cols=tests[5],
        n=n,
        n_missing=n_missing,
        replicates=r,
        balanced=balanced,
        reason="; ".join(notes),
    )


def _f_test(effect: float, error: float, df_effect: int, df_error: int) -> tuple[float, float]:
    from scipy.stats import f as f_distribution

    if not error > 0:  # NaN too
        return np.nan, np.nan
    ratio = float(effect / error)
    return ratio, float(f_distribution.sf(ratio, df_effect, df_error))


def _none(names: tuple[str, ...], n: int, n_missing: int, reason: str) -> AnovaResult:
    def nan() -> dict[str, float]:
        return dict.fromkeys(names, np.nan)

    return AnovaResult(
        components=nan(),
        components_raw=nan(),
        percent=nan(),
        ms=nan(),
        df=dict.fromkeys(names, 0),
        F_interaction=np.nan,
        p_interaction=np.nan,
        F_rows=np.nan,
        p_rows=np.nan,
        F_cols=np.nan,
        p_cols=np.nan,
        n=n,
        n_missing=n_missing,
        replicates=np.nan,
        balanced=False,
        reason=reason,
    )


def _cells(names: list[list[str]], counts: NDArray[np.intp], which: NDArray[np.bool_]) -> str:
    """The first few cells of a kind, by name."""
    found = [f"({names[0][i]}, {names[1][j]}): {counts[i, j]}" for i, j in np.argwhere(which)]
    more = f" and {len(found) - _NAMED_CELLS} more" if len(found) > _NAMED_CELLS else ""
    return ", ".join(found[:_NAMED_CELLS]) + more
