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
    for wrong in (["0.1", "0.2"], [pd.Timestamp("2026-01-01")] * 2, [1j, 2], [0.1, np.inf], [1e300, 1]):
        with pytest.raises(ConfigError, match="values of 'value'"):
            architecture_contrasts(good.assign(value=wrong))
    with pytest.raises(ConfigError, match="reference"):
        architecture_contrasts(good, reference=["a"])
    with pytest.raises(DataFormatError, match="mixes metrics"):
        architecture_contrasts(good.assign(metric=["m", "n"]))
    with pytest.raises(DataFormatError, match="no architecture"):
        architecture_contrasts(good.assign(architecture=["a", None]))


def test_equal_systems_give_no_width_and_a_reason():
    found = architecture_contrasts(table(a=[0.1] * 7, b=[0.3] * 5), n_resamples=50)
    assert found[["estimate", "low", "high"]].iloc[:2].to_numpy().tolist() == [[0.1] * 3, [0.3] * 3]
    assert found["reason"].str.contains("resampling cannot show").tolist() == [True] * 3


def test_too_few_resamples_are_told():
    found = architecture_contrasts(table(a=np.arange(7.0)), n_resamples=3)
    assert found["reason"].tolist() == ["an end is the outermost of 3 resamples: take more"]


def test_systems_that_lack_domains_are_told_and_row_order_does_not_matter():
    rng = np.random.default_rng(3)
    rows = pd.concat([table(a=rng.random(6), b=rng.random(6)) for _ in range(5)], ignore_index=True)
    found = architecture_contrasts(rows, n_resamples=50)
    assert not found["reason"].str.contains("means of").any()
    assert found["confidence"].tolist() == [0.95] * 3
    for seed in range(5):
        again = architecture_contrasts(rows.sample(frac=1, random_state=seed), n_resamples=50)
        pd.testing.assert_frame_equal(found, again, check_exact=True)
    lacking = architecture_contrasts(rows.iloc[1:], n_resamples=50)["reason"]
    assert lacking.str.startswith("the systems are means of 4 to 5 values").tolist() == [True, False, True]


def test_columns_that_are_no_text():
    numbered = table(a=[0.1, 0.2]).rename(columns={"value": 0, "system": 1})
    assert architecture_contrasts(numbered, value=0, unit=1).loc[0, "estimate"] == pytest.approx(0.15)


@pytest.mark.parametrize("column", ["architecture", "system", "metric"])
def test_labels_that_are_lists(column):
    wrong = table(a=[0.1, 0.2]).assign(**{column: [["x"], ["y"]]})
    with pytest.raises(DataFormatError, match=f"column '{column}' holds an unhashable type"):
        architecture_contrasts(wrong)
