r"""One-way intraclass correlation: how much of the variance is between groups (paper H.1, Table 33).

With values :math:`y_{ij} = \mu + a_i + e_{ij}`, group i = 1..a of size n_i and N values in all,

.. math:: ICC = \frac{\sigma_a^2}{\sigma_a^2 + \sigma_e^2}, \qquad
          \widehat{ICC} = \frac{MS_B - MS_W}{MS_B + (n_0 - 1) MS_W}, \qquad
          n_0 = \frac{N - \sum n_i^2 / N}{a - 1},

which is ICC(1) of Shrout & Fleiss (1979); with groups of one size n_0 is that size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError
from evalib.stats.arguments import check_flag, check_share
from evalib.stats.observations import observations
from evalib.stats.result import Result
from evalib.stats.trial_values import columns_of

if TYPE_CHECKING:
    import pandas as pd

Unbalanced = Literal["exact", "n0"]
_ROUNDING = 1e-12  # of the largest value: variation this small is what arithmetic leaves of none


@dataclass(frozen=True)
class IccResult(Result):
    """A one-way intraclass correlation.

    Attributes
    ----------
    icc : float
        As estimated: below 0 when groups differ less than chance makes them.
    icc_truncated : float
        ``max(icc, 0)``, what Table 33 prints.
    low, high : float
        Confidence limits, not truncated (Table 33 prints negative limits as 0.000).
    F, pvalue : float
        MS_B / MS_W, and the chance of one as large when the ICC is 0. Exact, whatever the sizes.
    df_between, df_within : int
    ms_between, ms_within : float
        In the square of the response's unit.
    n, n_groups, n_missing : int
        Values used, their groups, values that were NaN.
    n0 : float
        Size of a group; a kind of mean when sizes differ.
    balanced : bool
    confidence : float
    reason : str
        Why numbers are NaN, or what they cannot say.
    """

    icc: float
    icc_truncated: float
    low: float
    high: float
    F: float
    pvalue: float
    df_between: int
    df_within: int
    ms_between: float
    ms_within: float
    n: int
    n_groups: int
    n_missing: int
    n0: float
    balanced: bool
    confidence: float
    reason: str = ""


def icc_oneway(
    data: pd.DataFrame,
    response: str,
    group: str | Sequence[str],
    center_by: str | None = None,
    confidence: float = 0.95,
    adjust_df: bool = False,
    unbalanced: Unbalanced = "exact",
) -> IccResult:
    r"""Intraclass correlation of one-way random effects, with its F interval and F test.

    Parameters
    ----------
    data : DataFrame
        One row per value, of one metric, condition and judge. Where it has the columns of a score
        table: values whose ``status`` is not ok are missing, and passes of a judge over one trial
        are averaged (as a group of passes, ``group=["scenario", "trial"]``, they are not).
    response : str
        Column of the values; NaN is missing.
    group : str or sequence of str
        Column(s) that say which group a value belongs to, e.g. ``"scenario"``. Ids that occur in
        several of a column ``domain`` are taken within domains, as
        :func:`evalib.stats.variance_components` does.
    center_by : str, optional
        Column, e.g. ``"system"``, whose levels' means are subtracted first (Table 33).
    confidence : float
        In (0, 1).
    adjust_df : bool
        Whether the within-group degrees of freedom are lessened by the levels - 1 means that
        centring has estimated. See Notes.
    unbalanced : {"exact", "n0"}
        Interval for groups of unequal size (of equal size both are the same). ``"exact"``: Wald's
        (1940). With :math:`w_i = n_i / (1 + n_i\theta)` and :math:`\theta = \sigma_a^2/\sigma_e^2`,
        :math:`\sum w_i (\bar y_i - \bar y_w)^2 / ((a-1) MS_W)` has the F distribution at the true
        theta; the limits are where it meets F's quantiles. ``"n0"``: the balanced formula with n_0
        in place of n, an approximation (Donner, 1986).

    Returns
    -------
    IccResult
        NaN with a reason for one group, groups of one value each, or constant values. Where values
        vary between groups only, the ICC is 1 and F infinite.

    Raises
    ------
    DataFormatError
        When a column or a label is missing, there are two columns of a name, a status is unknown,
        or a judge pass of a trial has two rows.
    ConfigError
        When a value is infinite, no number or too large to be squared, the response is a label
        too, metrics, conditions or judges are mixed, or an argument is out of range.

    Notes
    -----
    Balanced limits are :math:`(L-1)/(L+n-1)` with :math:`L = F/F_{1-\alpha/2}` below and
    :math:`L = F/F_{\alpha/2}` above, on (a - 1, a(n - 1)) degrees of freedom (McGraw &
    Wong, 1996).

    Centring by S systems crossed with the groups leaves a(n - 1) - (S - 1) degrees of freedom
    within groups. The paper does not take them off, which is the default here. Evidence: the ICC
    follows from the components of Table 36 (MS_B = res + 5 int + 5 S scen; SS_W has
    (a - 1)(S - 1)(res + 5 int) and 4 S a res). Of the 20 cells that both tables have, with a
    scenario component above 0, all agree with the plain degrees of freedom up to rounding; two
    (Faithfulness and Task Completion, CSM) exclude the lessened ones. The difference is 0.001.
    Table 33's intervals cannot tell: F quantiles on 947 and on 950 degrees are alike. With the
    plain ones, 22 of its 27 intervals follow from the printed ICC and n, at 20 values a scenario
    (10 for transcription accuracy). The other five are the cells that Table 36 lacks, its ANOVA
    being balanced: there groups seem to be unequal.

    What centring does to unbalanced data is approximate: means of systems then hold some of the
    groups' effects. Where a system has an effect of its own on each scenario (Table 36's
    interaction), values of one system in one group are alike, and the interval is approximate too.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"scenario": [1, 1, 2, 2, 3, 3], "score": [0, 1, 4, 5, 8, 9]})
    >>> found = icc_oneway(frame, "score", "scenario")
    >>> found.F, round(found.icc, 4), round(found.low, 3), round(found.high, 3)
    (64.0, 0.9692, 0.599, 0.999)
    """
    check_share("confidence", confidence)
    check_flag("adjust_df", adjust_df)
    if unbalanced not in ("exact", "n0"):
        raise ConfigError(f"unbalanced={unbalanced!r} is no interval: use 'exact' or 'n0'")
    groups = columns_of(group)
    if not groups:
        raise ConfigError("group names no column: name what the values are grouped by")
    if center_by in groups:
        raise ConfigError(
            f"center_by={center_by!r} is the group: centring would leave no difference of groups"
        )
    found = observations(data, response, [groups], center_by)
    values, codes = found.values, found.codes[0]
    largest = np.abs(values).max(initial=0.0)
    lost = 0
    if center_by is not None and len(values):
        levels = found.codes[1]
        values = values - _means(values, levels)[levels]
        lost = int(levels.max()) if adjust_df else 0
    result = _icc(values, codes, largest, lost, found.n_missing, confidence, unbalanced)
    return replace(result, reason="; ".join(filter(None, [result.reason, *found.notes])))


def _means(values: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.bincount(codes, weights=values) / np.bincount(codes)


def _icc(
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    largest: float,
    lost: int,
    n_missing: int,
    confidence: float,
    unbalanced: Unbalanced,
) -> IccResult:
    from scipy.stats import f as f_distribution

    n = len(values)
    sizes = np.bincount(codes) if n else np.zeros(0, dtype=np.intp)
    a = len(sizes)
    df_between, df_within = max(a - 1, 0), max(n - a - lost, 0)
    ms_between = ms_within = n0 = icc = low = high = ratio = pvalue = np.nan
    if n:
        means = _means(values, codes)
        noise = n * (_ROUNDING * largest) ** 2
        ss_between = float(sizes @ (means - values.mean()) ** 2)
        ss_within = float(((values - means[codes]) ** 2).sum())
        ss_between, ss_within = (0.0 if ss <= noise else ss for ss in (ss_between, ss_within))
        ms_between = ss_between / df_between if df_between else np.nan
        ms_within = ss_within / df_within if df_within else np.nan
        n0 = float((n - (sizes @ sizes) / n) / df_between) if df_between else float(n)
    reason = _why_none(n, a, df_within, ms_between, ms_within, lost)
    if not reason and ms_within == 0:
        icc = low = high = 1.0
        ratio, pvalue = np.inf, 0.0
        reason = "values do not vary within groups"
    elif not reason:
        ratio = ms_between / ms_within
        icc = (ratio - 1) / (ratio + n0 - 1)
        pvalue = float(f_distribution.sf(ratio, df_between, df_within))
        tail = (1 - confidence) / 2
        quantiles = f_distribution.ppf([1 - tail, tail], df_between, df_within)
        if unbalanced == "n0" or (sizes == sizes[0]).all():
            low, high = ((ratio / q - 1) / (ratio / q + n0 - 1) for q in quantiles)
        else:
            low, high = (_wald_limit(means, sizes, ms_within, q) for q in quantiles)
    return IccResult(
        icc=float(icc),
        icc_truncated=float(np.maximum(icc, 0.0)),
        low=float(low),
        high=float(high),
        F=float(ratio),
        pvalue=pvalue,
        df_between=df_between,
        df_within=df_within,
        ms_between=ms_between,
        ms_within=ms_within,
        n=n,
        n_groups=a,
        n_missing=n_missing,
        n0=n0,
        balanced=bool(a and (sizes == sizes[0]).all()),
        confidence=confidence,
        reason=reason,
    )


def _why_none(n: int, a: int, df_within: int, ms_between: float, ms_within: float, lost: int) -> str:
    if not n:
        return "no values"
    if a < 2:
        return "one group: nothing to compare it with"
    if df_within < 1:
        return (
            "no degrees of freedom within groups are left after centring"
            if lost
            else "every group has one value: what varies within groups cannot be told"
        )
    return "all values are equal" if ms_between == 0 == ms_within else ""


def _wald_limit(
    means: NDArray[np.float64], sizes: NDArray[np.intp], ms_within: float, quantile: float
) -> float:
    """The ICC at which the weighted variance of group means meets a quantile of F.

    It falls as theta grows from where the first weight would have a pole to infinity.
    """
    from scipy.optimize import brentq

    def excess(icc: float) -> float:
        weights = sizes / (1 + (sizes - 1) * icc) * (1 - icc)  # n / (1 + n theta)
        centre = weights @ means / weights.sum()
        return float(weights @ (means - centre) ** 2 / ((len(means) - 1) * ms_within) - quantile)

    lowest = -1 / (sizes.max() - 1)
    ends = lowest + (1 - lowest) * 1e-12, 1 - 1e-15
    if excess(ends[0]) <= 0:
        return float(lowest)
    if excess(ends[1]) >= 0:
        return 1.0
    return float(brentq(excess, *ends, xtol=1e-14))
