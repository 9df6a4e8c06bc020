"""One-way ICC: against R, closed forms, the published intervals, and what intervals promise."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f as f_distribution

from evalib.core import ConfigError, DataFormatError
from evalib.stats.icc import icc_oneway

# Paper Table 33: metric, domain, ICC, low, high, scenarios.
TABLE_33 = [
    ("authentication", "CSM", 0.112, 0.066, 0.186, 48),
    ("authentication", "ITSM", 0.065, 0.037, 0.106, 80),
    ("authentication", "HR", 0.214, 0.160, 0.288, 82),
    ("conciseness", "CSM", 0.132, 0.082, 0.210, 50),
    ("conciseness", "ITSM", 0.115, 0.077, 0.170, 80),
    ("conciseness", "HR", 0.129, 0.089, 0.185, 83),
    ("completion", "CSM", 0.002, 0.000, 0.030, 50),
    ("completion", "ITSM", 0.019, 0.002, 0.046, 80),
    ("completion", "HR", 0.041, 0.019, 0.075, 83),
    ("progression", "CSM", 0.111, 0.066, 0.183, 50),
    ("progression", "ITSM", 0.126, 0.086, 0.183, 80),
    ("progression", "HR", 0.072, 0.043, 0.114, 83),
    ("faithfulness", "CSM", 0.247, 0.174, 0.351, 50),
    ("faithfulness", "ITSM", 0.173, 0.110, 0.257, 80),
    ("faithfulness", "HR", 0.231, 0.174, 0.306, 83),
    ("speech", "CSM", 0.017, 0.000, 0.067, 50),
    ("speech", "ITSM", 0.020, 0.001, 0.048, 80),
    ("speech", "HR", 0.000, 0.000, 0.023, 83),
    ("task", "CSM", 0.309, 0.226, 0.421, 50),
    ("task", "ITSM", 0.273, 0.210, 0.355, 80),
    ("task", "HR", 0.285, 0.222, 0.367, 83),
    ("transcription", "CSM", 0.197, 0.119, 0.308, 50),
    ("transcription", "ITSM", 0.116, 0.066, 0.187, 80),
    ("transcription", "HR", 0.131, 0.075, 0.205, 83),
    ("turn-taking", "CSM", 0.040, 0.013, 0.086, 50),
    ("turn-taking", "ITSM", 0.051, 0.027, 0.088, 80),
    ("turn-taking", "HR", 0.020, 0.002, 0.046, 83),
]
# Those that are not in Table 36, whose ANOVA is of balanced data.
UNEQUAL = [("faithfulness", "ITSM"), *(("speech", d) for d in ("CSM", "ITSM", "HR")), ("transcription", "HR")]
# Paper Table 36: scenario, interaction and residual, in percent, where the scenario's is above 0.
TABLE_36 = {
    ("authentication", "CSM"): (9.7, 6.4, 83.0),
    ("authentication", "ITSM"): (3.6, 6.4, 66.1),
    ("authentication", "HR"): (14.7, 12.5, 54.0),
    ("conciseness", "CSM"): (7.7, 17.2, 61.9),
    ("conciseness", "ITSM"): (8.0, 16.1, 74.9),
    ("conciseness", "HR"): (10.0, 11.6, 75.1),
    ("completion", "ITSM"): (0.4, 4.6, 69.0),
    ("completion", "HR"): (0.6, 8.1, 47.0),
    ("progression", "CSM"): (8.3, 9.5, 75.5),
    ("progression", "ITSM"): (10.0, 9.3, 76.3),
    ("progression", "HR"): (4.2, 12.3, 78.4),
    ("faithfulness", "CSM"): (20.7, 10.9, 62.1),
    ("faithfulness", "HR"): (11.6, 14.0, 37.8),
    ("task", "CSM"): (27.3, 11.5, 57.9),
    ("task", "ITSM"): (18.6, 14.3, 46.6),
    ("task", "HR"): (20.9, 13.9, 49.1),
    ("transcription", "CSM"): (7.3, 18.3, 53.3),
    ("transcription", "ITSM"): (2.9, 14.2, 62.1),
    ("turn-taking", "CSM"): (0.6, 4.2, 32.0),
    ("turn-taking", "ITSM"): (0.8, 4.7, 29.0),
}


@pytest.fixture(scope="module")
def reference(repo):
    return json.loads((repo / "tests/fixtures/stats/icc_anova_r.json").read_text())


def long(table):
    """A long frame of a (groups, values) table."""
    groups, k = np.shape(table)
    return pd.DataFrame({"g": np.repeat(np.arange(groups), k), "y": np.ravel(table)})


def with_icc(icc, groups, k):
    """Balanced data with exactly this ICC: evenly spaced means, one pattern about them."""
    inner = np.resize([1.0, -1.0], k)
    inner -= inner.mean()
    ms_within = groups * (inner**2).sum() / (groups * (k - 1))
    ratio = (1 + (k - 1) * icc) / (1 - icc)
    means = np.linspace(-1, 1, groups)
    means *= np.sqrt(ratio * ms_within * (groups - 1) / (k * (means**2).sum()))
    return long(means[:, None] + inner)


def test_balanced_as_psych(repo, reference):
    table = np.loadtxt(repo / "tests/fixtures/stats/icc_50x20.csv", delimiter=",")
    found, expected = icc_oneway(long(table), "y", "g"), reference["oneway_balanced"]
    item5 = json.loads((repo / "tests/fixtures/stats/item5_reference.json").read_text())["icc1"]
    for ours, theirs, item in (
        (found.icc, "icc", "icc"),
        (found.low, "low", "lo"),
        (found.high, "high", "hi"),
        (found.F, "F", "F"),
        (found.pvalue, "p", "p"),
    ):
        assert ours == pytest.approx(expected[theirs], rel=1e-9)
        assert ours == pytest.approx(item5[item], rel=1e-9)
    assert (found.df_between, found.df_within, found.n0) == (49, 950, 20)
    assert found.balanced
    assert not found.reason


def test_unequal_groups_as_r(repo, reference):
    data = pd.read_csv(repo / "tests/fixtures/stats/unbal_taskcomp_gptrt15.csv")
    found, expected = icc_oneway(data, "score", ["domain", "scenario"]), reference["oneway_unequal"]
    assert not found.balanced
    for ours, name in ((found.icc, "icc"), (found.F, "F"), (found.pvalue, "p"), (found.n0, "n0")):
        assert ours == pytest.approx(expected[name], rel=1e-10)
    assert (found.df_between, found.df_within) == (expected["df1"], expected["df2"])
    assert found.low == pytest.approx(expected["low"], rel=1e-8)
    assert found.high == pytest.approx(expected["high"], rel=1e-8)
    near = icc_oneway(data, "score", ["domain", "scenario"], unbalanced="n0")
    assert (near.low, near.high) != (found.low, found.high)
    assert near.low == pytest.approx(found.low, abs=0.01)
    assert near.high == pytest.approx(found.high, abs=0.01)


@pytest.mark.parametrize("row", [r for r in TABLE_33 if r[:2] not in UNEQUAL], ids=lambda r: f"{r[0]} {r[1]}")
def test_table_33_intervals(row):
    """The printed limits follow from the printed ICC, at some value that rounds to it."""
    metric, _, icc, low, high, n = row
    k = 10 if metric == "transcription" else 20
    least, most = (icc_oneway(with_icc(icc + d, n, k), "y", "g") for d in (-0.0005, 0.0005))
    assert least.icc == pytest.approx(icc - 0.0005, abs=1e-12)
    slack = 0.0005 + 1e-9
    assert max(least.low, 0) - slack <= low <= max(most.low, 0) + slack
    assert least.high - slack <= high <= most.high + slack


def test_table_33_intervals_of_the_other_cells_need_fewer_values_a_scenario():
    """Faithfulness in ITSM: not with 20 values a scenario but with 9, whoever those are."""
    assert icc_oneway(with_icc(0.173, 80, 20), "y", "g").high < 0.257 - 0.01
    assert icc_oneway(with_icc(0.173, 80, 9), "y", "g").high == pytest.approx(0.257, abs=0.001)


def of_components(cell, lost):
    """Least and largest ICC of a cell of Table 36 that rounding allows, `lost` degrees taken off."""
    n = next(r[5] for r in TABLE_33 if r[:2] == cell)
    systems = 2 if cell[0] == "transcription" else 4
    found = []
    for d in np.stack(np.meshgrid(*[(-0.05, 0.05)] * 3), -1).reshape(-1, 3):
        scenario, interaction, residual = np.array(TABLE_36[cell]) + d
        ms_interaction = residual + 5 * interaction
        ss = (n - 1) * (systems - 1) * ms_interaction + 4 * systems * n * residual
        ratio = (ms_interaction + 5 * systems * scenario) / (
            ss / (n * (5 * systems - 1) - (systems - 1) * lost)
        )
        found.append((ratio - 1) / (ratio + 5 * systems - 1))
    return min(found), max(found)


def test_table_33_takes_no_degrees_of_freedom_off():
    def agree(lost):
        cells = set()
        for *cell, icc, _, _, _ in TABLE_33:
            if (key := tuple(cell)) in TABLE_36:
                least, most = of_components(key, lost)
                if least <= icc + 0.0005 and most >= icc - 0.0005:
                    cells.add(key)
        return cells

    assert agree(lost=0) == set(TABLE_36)
    assert set(TABLE_36) - agree(lost=1) == {("faithfulness", "CSM"), ("task", "CSM")}


def test_centring():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        [(s, m, t) for s in range(12) for m in range(4) for t in range(5)], columns=list("smt")
    )
    frame["y"] = rng.normal(size=12)[frame["s"]] + 10.0 * frame["m"] + rng.normal(size=len(frame))
    found = icc_oneway(frame, "y", "s", center_by="m")
    lessened = icc_oneway(frame, "y", "s", center_by="m", adjust_df=True)
    by_hand = icc_oneway(frame.assign(y=frame["y"] - frame.groupby("m")["y"].transform("mean")), "y", "s")
    assert found.icc == pytest.approx(by_hand.icc, rel=1e-12)
    assert icc_oneway(frame, "y", "s").icc < 0.01 < 0.2 < found.icc
    assert (found.df_within, lessened.df_within) == (12 * 19, 12 * 19 - 3)
    assert lessened.ms_within == pytest.approx(found.ms_within * 228 / 225)
    # The lessened mean square is that of the additive two-way model.
    import statsmodels.formula.api as smf

    fit = smf.ols("y ~ C(s) + C(m)", data=frame).fit()
    assert lessened.ms_within == pytest.approx(fit.mse_resid, rel=1e-10)
    assert lessened.df_within == fit.df_resid


def simulated(rng, icc, sizes):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    y = np.sqrt(icc) * rng.normal(size=len(sizes))[groups] + np.sqrt(1 - icc) * rng.normal(size=len(groups))
    return pd.DataFrame({"g": groups, "y": y})


@pytest.mark.parametrize("icc", [0.0, 0.3, 0.8])
def test_the_exact_interval_covers(icc):
    rng = np.random.default_rng(7)
    sizes = [2, 2, 3, 3, 4, 6, 10, 25]
    hits = sum(
        found.low <= icc <= found.high
        for found in (icc_oneway(simulated(rng, icc, sizes), "y", "g", confidence=0.8) for _ in range(200))
    )
    assert abs(hits / 200 - 0.8) < 3.5 * np.sqrt(0.8 * 0.2 / 200)


def test_wald_limits_are_where_the_pivot_meets_its_quantiles():
    rng = np.random.default_rng(1)
    sizes = np.array([2, 3, 5, 9])
    frame = simulated(rng, 0.5, sizes)
    found = icc_oneway(frame, "y", "g")
    means = frame.groupby("g")["y"].mean().to_numpy()
    for limit, p in ((found.low, 0.975), (found.high, 0.025)):
        theta = limit / (1 - limit)
        covariance = np.diag(1 / sizes + theta)
        inverse, one = np.linalg.inv(covariance), np.ones(4)
        centre = one @ inverse @ means / (one @ inverse @ one)
        pivot = (means - centre) @ inverse @ (means - centre) / (3 * found.ms_within)
        assert pivot == pytest.approx(f_distribution.ppf(p, 3, sizes.sum() - 4), rel=1e-8)


def test_edges():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nothing = icc_oneway(pd.DataFrame({"y": [], "g": []}), "y", "g")
        all_missing = icc_oneway(pd.DataFrame({"y": [np.nan] * 3, "g": [1, 1, 2]}), "y", "g")
        one = icc_oneway(long([[1, 2, 3]]), "y", "g")
        singles = icc_oneway(long([[1], [2], [3]]), "y", "g")
        constant = icc_oneway(long(np.full((3, 4), 0.1)), "y", "g")
        centred = icc_oneway(long(np.full((3, 4), 0.1)).assign(m=[0, 1] * 6), "y", "g", center_by="m")
        perfect = icc_oneway(long([[0.1] * 3, [0.7] * 3]), "y", "g")
        opposed = icc_oneway(long([[-1, 1], [-2, 2], [-3, 3]]), "y", "g")
        spent = icc_oneway(long([[1, 2], [3, 5]]).assign(m=[0, 1, 2, 3]), "y", "g", "m", adjust_df=True)
    assert (nothing.reason, nothing.n) == ("no values", 0)
    assert (all_missing.reason, all_missing.n_missing) == ("no values", 3)
    assert "one group" in one.reason
    assert "one value" in singles.reason
    assert constant.reason == centred.reason == "all values are equal"
    assert "after centring" in spent.reason
    for found in (nothing, all_missing, one, singles, constant, centred, spent):
        assert np.isnan([found.icc, found.icc_truncated, found.low, found.high, found.F, found.pvalue]).all()
    assert (perfect.icc, perfect.low, perfect.high, perfect.F, perfect.pvalue) == (1, 1, 1, np.inf, 0)
    assert perfect.reason == "values do not vary within groups"
    assert (opposed.icc, opposed.icc_truncated, opposed.pvalue) == (-1.0, 0.0, 1.0)


def test_missing_values_order_scale_and_containers():
    frame = long([[1.0, 2, 4], [3, 3, 5], [9, 7, 8]])
    found = icc_oneway(frame, "y", "g")
    more = pd.concat([frame, pd.DataFrame({"g": [0, 7], "y": [np.nan, np.nan]})])
    holey = icc_oneway(more.sample(frac=1, random_state=2), "y", "g")
    assert (holey.n_missing, holey.n_groups) == (2, 3)
    assert (holey.icc, holey.low, holey.F) == (found.icc, found.low, found.F)
    nullable = more.assign(y=more["y"].astype("Float64"), g=more["g"].astype(str).astype("category"))
    assert icc_oneway(nullable, "y", "g").icc == pytest.approx(found.icc, rel=1e-14)
    far = icc_oneway(frame.assign(y=1e6 + 1e-2 * frame["y"]), "y", "g")
    assert far.icc == pytest.approx(found.icc, rel=1e-6)
    assert icc_oneway(frame.assign(y=frame["y"] > 4), "y", "g").n == 9


def test_invalid():
    frame = long([[1.0, 2], [3, 4]])
    with pytest.raises(DataFormatError, match="no column 'z'"):
        icc_oneway(frame, "z", "g")
    with pytest.raises(DataFormatError, match="no label"):
        icc_oneway(frame.assign(g=[0, 0, None, 1]), "y", "g")
    with pytest.raises(ConfigError, match="infinity"):
        icc_oneway(frame.assign(y=[1, 2, 3, np.inf]), "y", "g")
    with pytest.raises(ConfigError, match="numbers"):
        icc_oneway(frame.assign(y=list("abcd")), "y", "g")
    with pytest.raises(ConfigError, match="confidence"):
        icc_oneway(frame, "y", "g", confidence=95)
    with pytest.raises(ConfigError, match="center_by='g' is the group"):
        icc_oneway(frame, "y", "g", center_by="g")
    with pytest.raises(ConfigError, match="unbalanced"):
        icc_oneway(frame, "y", "g", unbalanced="wald")  # type: ignore[arg-type]


def test_data_that_would_be_counted_twice_or_explain_themselves():
    frame = pd.DataFrame({"s": [1, 1, 2, 2], "y": [0.0, 1.0, 4.0, 5.0]})
    with pytest.raises(DataFormatError, match="2 columns 'y'"):
        icc_oneway(pd.concat([frame, frame["y"]], axis=1), "y", "s")
    for arguments, message in (
        ({"group": "y"}, "both the response and a label"),
        ({"group": "s", "center_by": "y"}, "both the response and a label"),
        ({"group": []}, "no column"),
        ({"group": "s", "confidence": "a"}, "confidence"),
        ({"group": "s", "adjust_df": "no"}, "adjust_df"),
    ):
        with pytest.raises(ConfigError, match=message):
            icc_oneway(frame, "y", **arguments)
    assert icc_oneway(frame, "y", ["s", "s"]) == icc_oneway(frame, "y", "s")


@pytest.mark.parametrize("scale", [1e-200, 1e200, 1e300])
def test_values_that_cannot_be_squared_are_not_called_equal(scale):
    frame = pd.DataFrame({"s": [1, 1, 2, 2], "y": np.array([0.0, 1.0, 4.0, 5.0]) * scale})
    with pytest.raises(ConfigError, match="cannot be squared"):
        icc_oneway(frame, "y", "s")


def test_no_frame_and_labels_that_are_none():
    with pytest.raises(DataFormatError, match="DataFrame"):
        icc_oneway(None, "y", "s")
    with pytest.raises(DataFormatError, match="'s'"):
        icc_oneway(pd.DataFrame({"s": [[1], [2]], "y": [0.0, 1.0]}), "y", "s")
