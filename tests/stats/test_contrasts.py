import itertools

import numpy as np
import pandas as pd
import pytest

from evalib.core import ConfigError, DataFormatError
from evalib.stats import architecture_contrasts


def table(**groups):
    return pd.DataFrame(
        [
            {"architecture": name, "system": f"{name} {i}", "value": v}
            for name, values in groups.items()
            for i, v in enumerate(values)
        ]
    )


def exact_bounds(a, b=None):
    """2.5 and 97.5% points of all equally likely resamples of a, or of those of a less those of b."""
    means = np.array([np.mean(x) for x in itertools.product(a, repeat=len(a))])
    if b is not None:
        means = np.subtract.outer(means, [np.mean(x) for x in itertools.product(b, repeat=len(b))]).ravel()
    return np.quantile(means, [0.025, 0.975], method="inverted_cdf")


def test_intervals_are_those_of_all_resamples():
    a, b = [0.1, 0.35, 0.5, 0.62, 0.9], [0.7, 0.75, 0.95]
    found = architecture_contrasts(table(cascade=a, s2s=b), n_resamples=200_000).set_index("contrast")
    for name, bounds in {
        "cascade": exact_bounds(a),
        "s2s": exact_bounds(b),
        "s2s - cascade": exact_bounds(b, a),
    }.items():
        np.testing.assert_allclose(found.loc[name, ["low", "high"]].to_numpy(float), bounds, atol=0.006)
    assert found.loc["s2s - cascade", "estimate"] == pytest.approx(np.mean(b) - np.mean(a))


@pytest.mark.parametrize("values", [[0.2, 0.9], [0.2, 0.5, 0.9]])
def test_two_or_three_systems_give_their_range_and_a_warning(values):
    row = architecture_contrasts(table(hybrid=values)).iloc[0]
    assert (row["low"], row["high"]) == pytest.approx((0.2, 0.9))
    assert row["descriptive"]
    assert "descriptive" in row["reason"]
    assert "other systems" in row["reason"]


def test_one_system_has_no_interval_and_none_has_no_mean():
    frame = pd.concat([table(a=[0.5], b=[0.2] * 6), table(c=[np.nan])])
    found = architecture_contrasts(frame).set_index("contrast")
    assert np.isnan(found.loc["a", "low"])
    assert found.loc["a", "estimate"] == 0.5
    assert "one system" in found.loc["a", "reason"]
    assert np.isnan(found.loc["c", "estimate"])
    assert found.loc["c", "n_missing"] == 1
    assert "no system" in found.loc["c - a", "reason"]
    assert found.loc["b", ["low", "high"]].tolist() == pytest.approx([0.2, 0.2])


def test_rows_of_a_system_are_averaged_first():
    frame = pd.concat([table(a=[0.0, 1.0, 0.5, 0.5, 0.5]), table(a=[0.5])])
    assert architecture_contrasts(frame).loc[0, "estimate"] == pytest.approx(
        np.mean([0.25, 1, 0.5, 0.5, 0.5])
    )


def test_a_group_does_not_hang_on_the_others_or_on_the_order_of_rows():
    a = [0.1, 0.35, 0.5, 0.62, 0.9]
    whole = architecture_contrasts(table(a=a, b=[0.3, 0.4]).sample(frac=1, random_state=1))
    pd.testing.assert_series_equal(whole.iloc[0], architecture_contrasts(table(a=a)).iloc[0])


def test_a_reference_keeps_its_own_differences():
    found = architecture_contrasts(table(a=[0.1, 0.2], b=[0.3, 0.4], c=[0.5, 0.6]), reference="b")
    assert found["contrast"].tolist() == ["a", "b", "c", "a - b", "c - b"]
    assert found["estimate"].round(6).tolist() == [0.15, 0.35, 0.55, -0.2, 0.2]


def test_an_empty_table_has_no_rows():
    assert architecture_contrasts(table(a=[0.1]).iloc[:0]).empty


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"value": "rate"}, DataFormatError, "rate"),
        ({"n_resamples": 0}, ConfigError, "n_resamples"),
        ({"confidence": 95}, ConfigError, "confidence"),
        ({"reference": "hybrid"}, ConfigError, "hybrid"),
    ],
)
def test_settings_that_make_no_sense(change, error, message):
    with pytest.raises(error, match=message):
        architecture_contrasts(table(a=[0.1, 0.2]), **change)


def test_tables_that_make_no_sense():
    good = table(a=[0.1, 0.2])
    with pytest.raises(DataFormatError, match="two architectures"):
        architecture_contrasts(pd.concat([good, good.assign(architecture="b")]))
    with pytest.raises(DataFormatError, match="no number"):
        architecture_contrasts(good.assign(value=["0.1", "x"]))
    with pytest.raises(DataFormatError, match="inf"):
        architecture_contrasts(good.assign(value=[0.1, np.inf]))
    with pytest.raises(DataFormatError, match="mixes metrics"):
        architecture_contrasts(good.assign(metric=["m", "n"]))
    with pytest.raises(DataFormatError, match="no architecture"):
        architecture_contrasts(good.assign(architecture=["a", None]))
