"""How far a system's estimates differ between domains (paper F.5, Tables 29 and 31)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError, DataFormatError
from evalib.stats.arguments import as_floats, check_columns, refuse_unsquarable
from evalib.stats.trial_values import columns_of, groups_of, refuse_unhashable, result_row

if TYPE_CHECKING:
    import pandas as pd


def cross_domain_sd(
    estimates: pd.DataFrame,
    value: str = "estimate",
    by: str | Sequence[str] = ("system",),
    strata: str = "domain",
    ddof: int = 1,
) -> pd.DataFrame:
    r"""Standard deviation, over domains, of one estimate per domain.

    Parameters
    ----------
    estimates : DataFrame
        One row per group and domain: what :func:`evalib.stats.pooled_estimate` or
        :func:`evalib.stats.pass_rates` give for ``by=("system", "domain")``, or published figures.
    value : str
        Column of the estimates, e.g. ``"pass_at_k"``. NaN is missing: left out and counted.
    by : str or sequence of str
        Columns that tell the groups apart.
    strata : str
        Column of the domains.
    ddof : {1, 0}
        The sum of squares is divided by the number of domains less this; the paper's is 1.

    Returns
    -------
    DataFrame
        One row per group: columns of `by`, ``mean, sd, n_domains, n_missing, reason``. With one
        domain there is no SD, and the reason says so.

    Raises
    ------
    DataFormatError
        When a column is absent, a row has no domain, or a group has a domain twice.
    ConfigError
        When a value is no number, infinite, or too large or small to be squared, `by` names a
        column of the result, or `ddof` is neither 0 nor 1.

    Notes
    -----
    :math:`s = \sqrt{\sum_d (x_d - \bar x)^2 / (D - \text{ddof})}`. Part of it is sampling: with few
    scenarios a domain, estimates differ though the domains do not.

    Examples
    --------
    Made-up rates of three domains:

    >>> import pandas as pd
    >>> rates = pd.DataFrame({"system": "s", "domain": list("abc"), "pass_at_k": [0.64, 0.60, 0.86]})
    >>> cross_domain_sd(rates, "pass_at_k").round(3)[["system", "mean", "sd", "n_domains"]]
      system  mean    sd  n_domains
    0      s   0.7  0.14          3
    """
    import pandas as pd

    if ddof not in (0, 1):
        raise ConfigError(f"ddof={ddof!r} must be 0 or 1")
    by = columns_of(by)
    check_columns(estimates, (*by, strata, value), "estimates")
    refuse_unhashable(estimates, [*by, strata])
    if estimates[strata].isna().any():
        raise DataFormatError(f"a row of the estimates has no {strata}: give it one")
    if (twice := estimates.duplicated([*by, strata])).any():
        first = estimates.loc[twice, [*by, strata]].iloc[0].to_dict()
        raise DataFormatError(f"two estimates for {first}: there must be one per group and {strata}")
    numbers = as_floats(estimates[value], f"values of {value!r}")
    refuse_unsquarable(numbers, f"values of {value!r}")
    groups = groups_of(estimates[by].reset_index(drop=True), by)
    found = [result_row(key, _row(numbers[group.index], strata, ddof)) for key, group in groups]
    return pd.DataFrame(found, columns=[*by, "mean", "sd", "n_domains", "n_missing", "reason"])


def _row(values: NDArray[np.float64], strata: str, ddof: int) -> dict[str, Any]:
    known = np.sort(values[~np.isnan(values)])  # sums depend on the order, in the last bit
    n = len(known)
    mean = sd = np.nan
    if n:
        shift = known[0]  # so that equal numbers have no SD at all
        mean = shift + (known - shift).mean()
    if n > 1:
        sd = (known - shift).std(ddof=ddof)
    return {
        "mean": mean,
        "sd": sd,
        "n_domains": n,
        "n_missing": len(values) - n,
        "reason": "" if n > 1 else f"one {strata}: nothing to compare" if n else "no values",
    }
