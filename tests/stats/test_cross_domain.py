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
    for wrong in ("0.1", np.inf, 1e300, 1j, pd.Timestamp("2026-01-01")):
        with pytest.raises(ConfigError, match="values of 'estimate'"):
            cross_domain_sd(estimates(wrong, wrong))
    with pytest.raises(DataFormatError, match="no domain"):
        cross_domain_sd(estimates(1, 2).assign(domain=["a", None]))
    with pytest.raises(ConfigError, match="by names 'mean'"):
        cross_domain_sd(estimates(1, 2).rename(columns={"system": "mean"}), by="mean")
    with pytest.raises(ConfigError, match="name of a column"):
        cross_domain_sd(estimates(1, 2), by=None)
    with pytest.raises(ConfigError, match="ddof"):
        cross_domain_sd(estimates(1, 2), ddof=2)


def test_equal_estimates_have_no_sd_at_all():
    found = cross_domain_sd(estimates(0.1, 0.1, 0.1)).iloc[0]
    assert (found["mean"], found["sd"]) == (0.1, 0.0)


def test_row_order_does_not_matter():
    rows = estimates(0.5, 0.6, 0.9, 0.1, 0.7)
    backwards = cross_domain_sd(rows.iloc[::-1])
    pd.testing.assert_frame_equal(cross_domain_sd(rows), backwards, check_exact=True)


def test_columns_that_are_no_text():
    found = cross_domain_sd(estimates(1, 3).rename(columns={"estimate": 0}), 0, by=["system", "system"])
    assert found.columns.tolist() == ["system", "mean", "sd", "n_domains", "n_missing", "reason"]
    assert found.loc[0, "mean"] == 2


@pytest.mark.parametrize("column", ["domain", "system"])
def test_labels_that_are_lists(column):
    with pytest.raises(DataFormatError, match=f"column '{column}' holds an unhashable type"):
        cross_domain_sd(estimates(1, 3).assign(**{column: [["x"], ["y"]]}))
