"""How far a system's estimates differ between domains (paper F.5, Tables 29 and 31)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from evalib.core import ConfigError, DataFormatError
from evalib.stats.arguments import check_columns

if TYPE_CHECKING:
    import pandas as pd


def cross_domain_sd(
    estimates: pd.DataFrame,
    value: str = "estimate",
    by: Sequence[str] = ("system",),
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
    by : sequence of str
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
        When a column is absent, a value is no number, or a group has a domain twice.
    ConfigError
        When `ddof` is neither 0 nor 1.

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
    by = [by] if isinstance(by, str) else list(by)
    check_columns(estimates, (*by, strata, value), "estimates")
    if (twice := estimates.duplicated([*by, strata])).any():
        first = estimates.loc[twice, [*by, strata]].iloc[0].to_dict()
        raise DataFormatError(f"two estimates for {first}: there must be one per group and {strata}")
    numbers = pd.to_numeric(estimates[value], errors="coerce").astype(float)
    wrong = (numbers.isna() & estimates[value].notna()) | np.isinf(numbers)
    if wrong.any():
        raise DataFormatError(f"column {value!r} holds {estimates.loc[wrong, value].iloc[0]!r}: no number")
    rows = estimates.assign(**{value: numbers})
    groups = rows.groupby(by, dropna=False, observed=True) if by else [((), rows)]
    found = []
    for key, group in groups:
        known = group[value].dropna().to_numpy()
        n = len(known)
        found.append(
            {
                **dict(zip(by, key, strict=True)),
                "mean": known.mean() if n else np.nan,
                "sd": known.std(ddof=ddof) if n > 1 else np.nan,
                "n_domains": n,
                "n_missing": len(group) - n,
                "reason": "" if n > 1 else f"one {strata}: nothing to compare" if n else "no values",
            }
        )
    columns = [*by, "mean", "sd", "n_domains", "n_missing", "reason"]
    return pd.DataFrame(found, columns=columns)
