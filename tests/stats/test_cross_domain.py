import numpy as np
import pandas as pd
import pytest

from evalib.core import ConfigError, DataFormatError
from evalib.stats import cross_domain_sd, pass_rates, pooled_estimate


def estimates(*values, system="s"):
    return pd.DataFrame({"system": system, "domain": range(len(values)), "estimate": values})


def test_is_the_sample_sd_of_the_domains():
    row = cross_domain_sd(estimates(0.2, 0.5, 0.9)).iloc[0]
    assert row["sd"] == pytest.approx(np.std([0.2, 0.5, 0.9], ddof=1))
    assert row["mean"] == pytest.approx(1.6 / 3)
    assert cross_domain_sd(estimates(0.2, 0.5, 0.9), ddof=0).loc[0, "sd"] == pytest.approx(
        np.std([0.2, 0.5, 0.9])
    )


def test_takes_what_the_other_functions_give():
    rows = [
        ("a", d, s, t, "m", float(t < n))
        for d, n in (("x", 0), ("y", 1), ("z", 2))
        for s in range(3)
        for t in range(2)
    ]
    scores = pd.DataFrame(rows, columns=["system", "domain", "scenario", "trial", "metric", "value"])
    means = pooled_estimate(scores, "m", by=("system", "domain"), n_resamples=10)
    assert cross_domain_sd(means).loc[0, ["mean", "sd"]].tolist() == pytest.approx([0.5, 0.5])
    rates = pass_rates(scores, by=("system", "domain"), metric="m", n_resamples=10)
    found = cross_domain_sd(rates, "pass_at_k").loc[0, "sd"]
    assert found == pytest.approx(np.std([0, 1, 1], ddof=1))


def test_missing_and_single_domains_say_so():
    frame = pd.concat(
        [estimates(0.2, np.nan, 0.6), estimates(0.5, system="one"), estimates(np.nan, system="none")]
    )
    found = cross_domain_sd(frame).set_index("system")
    assert found.loc["s", ["sd", "n_domains", "n_missing"]].tolist() == pytest.approx([0.2 * 2**0.5, 2, 1])
    assert np.isnan(found.loc["one", "sd"])
    assert "one domain" in found.loc["one", "reason"]
    assert found.loc["none", "reason"] == "no values"
    assert cross_domain_sd(frame.iloc[:0]).empty


def test_bad_tables():
    with pytest.raises(DataFormatError, match="'x'"):
        cross_domain_sd(estimates(1, 2), "x")
    with pytest.raises(DataFormatError, match="two estimates"):
        cross_domain_sd(pd.concat([estimates(1, 2)] * 2))
    with pytest.raises(DataFormatError, match="no number"):
        cross_domain_sd(estimates("a", 2))
    with pytest.raises(DataFormatError, match="inf"):
        cross_domain_sd(estimates(np.inf, 2))
    with pytest.raises(ConfigError, match="ddof"):
        cross_domain_sd(estimates(1, 2), ddof=2)
