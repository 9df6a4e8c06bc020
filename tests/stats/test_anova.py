"""Two-way random effects: against R, statsmodels, the published table and simulation."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f as f_distribution

from evalib.core import ConfigError, DataFormatError
from evalib.stats.anova import anova_twoway

# Paper Table 36: systems, scenarios (Table 33); scenario, model, interaction, residual in percent; F and
# p of the interaction, p None where it is printed as < 0.0001.
TABLE_36 = [
    (4, 48, 9.7, 1.0, 6.4, 83.0, 1.38, 0.004),
    (4, 80, 3.6, 23.9, 6.4, 66.1, 1.48, None),
    (4, 82, 14.7, 18.7, 12.5, 54.0, 2.16, None),
    (4, 50, 7.7, 13.2, 17.2, 61.9, 2.39, None),
    (4, 80, 8.0, 1.1, 16.1, 74.9, 2.07, None),
    (4, 83, 10.0, 3.3, 11.6, 75.1, 1.77, None),
    (4, 50, 0.0, 2.1, 8.0, 89.9, 1.44, 0.001),
    (4, 80, 0.4, 25.9, 4.6, 69.0, 1.34, 0.001),
    (4, 83, 0.6, 44.3, 8.1, 47.0, 1.86, None),
    (4, 50, 8.3, 6.7, 9.5, 75.5, 1.63, None),
    (4, 80, 10.0, 4.4, 9.3, 76.3, 1.61, None),
    (4, 83, 4.2, 5.1, 12.3, 78.4, 1.78, None),
    (4, 50, 20.7, 6.2, 10.9, 62.1, 1.88, None),
    (4, 83, 11.6, 36.6, 14.0, 37.8, 2.85, None),
    (4, 50, 27.3, 3.3, 11.5, 57.9, 1.99, None),
    (4, 80, 18.6, 20.5, 14.3, 46.6, 2.53, None),
    (4, 83, 20.9, 16.0, 13.9, 49.1, 2.42, None),
    (2, 50, 7.3, 21.1, 18.3, 53.3, 2.71, None),
    (2, 80, 2.9, 20.8, 14.2, 62.1, 2.14, None),
    (4, 50, 0.6, 63.2, 4.2, 32.0, 1.66, None),
    (4, 80, 0.8, 65.6, 4.7, 29.0, 1.81, None),
    (4, 83, 0.0, 73.0, 4.5, 22.5, 2.01, None),
]


@pytest.fixture(scope="module")
def data(repo):
    return pd.read_csv(repo / "tests/fixtures/stats/twoway_4x50x5.csv")


@pytest.fixture(scope="module")
def reference(repo):
    return json.loads((repo / "tests/fixtures/stats/icc_anova_r.json").read_text())


def test_balanced_as_r_and_the_reference(repo, data, reference):
    found = anova_twoway(data, "score", rows="scenario", cols="model")
    item5 = json.loads((repo / "tests/fixtures/stats/item5_reference.json").read_text())["twoway"]
    assert list(found.ms.values()) == pytest.approx(reference["twoway"]["ms"], rel=1e-10)
    assert list(found.df.values()) == reference["twoway"]["df"]
    assert found.F_interaction == pytest.approx(reference["twoway"]["F_interaction"], rel=1e-10)
    assert found.p_interaction == pytest.approx(reference["twoway"]["p_interaction"], rel=1e-8)
    for ours, name in (
        (found.components["scenario"], "v_scen"),
        (found.components["model"], "v_model"),
        (found.components["interaction"], "v_int"),
        (found.components["residual"], "v_res"),
        (found.F_rows, "F_scen"),
        (found.F_cols, "F_model"),
        (found.F_interaction, "F_int"),
        (found.p_rows, "p_scen"),
        (found.p_cols, "p_model"),
        (found.p_interaction, "p_int"),
    ):
        assert ours == pytest.approx(item5[name], rel=1e-8), name
    assert sum(found.percent.values()) == pytest.approx(100)
    assert (found.balanced, found.replicates, found.n, found.reason) == (True, 5, 1000, "")


def test_as_statsmodels(data):
    import statsmodels.formula.api as smf
    from statsmodels.stats.anova import anova_lm

    part = data[data["scenario"] < 8]
    table = anova_lm(smf.ols("score ~ C(scenario) * C(model)", data=part).fit())
    found = anova_twoway(part, "score", rows="scenario", cols="model")
    assert list(found.ms.values()) == pytest.approx(table["mean_sq"].tolist(), rel=1e-10)
    assert found.p_interaction == pytest.approx(table["PR(>F)"].iloc[2], rel=1e-8)


def test_unweighted_means_as_r(data, reference):
    left = data[(np.arange(len(data)) + 1) % 11 != 0]
    found = anova_twoway(left, "score", rows="scenario", cols="model")
    assert list(found.ms.values()) == pytest.approx(reference["twoway_unequal"]["ms"], rel=1e-10)
    assert found.df["residual"] == reference["twoway_unequal"]["df_residual"]
    assert found.replicates == pytest.approx(reference["twoway_unequal"]["h"])
    assert not found.balanced
    assert "unweighted means" in found.reason
    holey = data.assign(score=data["score"].where((np.arange(len(data)) + 1) % 11 != 0))
    again = anova_twoway(holey, "score", rows="scenario", cols="model")
    assert (again.ms, again.n_missing) == (found.ms, len(data) - len(left))


def test_unweighted_means_are_unbiased():
    rng = np.random.default_rng(5)
    a, b = 6, 4
    counts = np.resize([1, 2, 5, 3, 2], a * b)
    cell = np.repeat(np.arange(a * b), counts)
    frame = pd.DataFrame({"r": cell // b, "c": cell % b})
    truth = np.array([2.0, 1.0, 0.5, 1.5])
    found = []
    for _ in range(120):
        effects = rng.normal(size=a) * np.sqrt(2), rng.normal(size=b), rng.normal(size=a * b) * np.sqrt(0.5)
        noise = rng.normal(size=len(cell)) * np.sqrt(1.5)
        y = effects[0][cell // b] + effects[1][cell % b] + effects[2][cell] + noise
        found.append(list(anova_twoway(frame.assign(y=y), "y", "r", "c").components_raw.values()))
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - truth) < 4 * error).all()


@pytest.mark.parametrize("row", TABLE_36)
def test_table_36_tests_the_interaction_over_the_residual(row):
    systems, n, scenario, model, interaction, residual, F, p = row
    least = 1 + 5 * (interaction - 0.05) / (residual + 0.05)
    most = 1 + 5 * (interaction + 0.05) / (residual - 0.05)
    assert least - 0.005 <= F <= most + 0.005
    assert scenario + model + interaction + residual == pytest.approx(100, abs=0.2001)
    df = (systems - 1) * (n - 1), systems * n * 4
    largest, smallest = f_distribution.sf([F - 0.005, F + 0.005], *df)
    if p is None:
        assert smallest < 1e-4
    else:
        assert smallest - 0.0005 <= p <= largest + 0.0005


def from_components(a, b, r, components):
    """Data whose mean squares are exactly those of the components."""
    rng = np.random.default_rng(11)
    rows, cols, interaction, residual = components
    ms = [residual + r * interaction + x for x in (r * b * rows, r * a * cols, 0)] + [residual]
    y = rng.normal(size=(a, b, r))
    cell = y.mean(axis=2, keepdims=True)
    row = y.mean(axis=(1, 2), keepdims=True) - y.mean()
    col = y.mean(axis=(0, 2), keepdims=True) - y.mean()
    parts = [row, col, cell - row - col - y.mean(), y - cell]
    df = [a - 1, b - 1, (a - 1) * (b - 1), a * b * (r - 1)]
    total = np.zeros((a, b, r))
    for part, mean_square, free in zip(parts, ms, df, strict=True):
        full = np.broadcast_to(part, total.shape)
        total = total + full * np.sqrt(mean_square * free / (full**2).sum())
    index = np.indices(total.shape).reshape(3, -1)
    return pd.DataFrame({"r": index[0], "c": index[1], "y": total.ravel()})


def test_a_negative_component_is_shown_as_zero_and_left_out_as_in_table_36():
    """Its row Conversation Completion, CSM: 0.0, 2.1, 8.0, 89.9."""
    found = anova_twoway(from_components(50, 4, 5, (-1.0, 2.1, 8.0, 89.9)), "y", "r", "c")
    assert list(found.components_raw.values()) == pytest.approx([-1.0, 2.1, 8.0, 89.9])
    assert list(found.components.values()) == pytest.approx([0.0, 2.1, 8.0, 89.9])
    assert list(found.percent.values()) == pytest.approx([0.0, 2.1, 8.0, 89.9])
    assert found.F_interaction == pytest.approx(1.44, abs=0.005)
    assert found.reason == "negative estimate shown as 0: r"


def test_one_value_a_cell():
    frame = from_components(6, 4, 3, (1.0, 0.5, 0.3, 2.0)).groupby(["r", "c"], as_index=False)["y"].mean()
    found = anova_twoway(frame, "y", "r", "c")
    assert found.components["residual"] == pytest.approx(0.3 + 2.0 / 3)
    assert np.isnan([found.components["interaction"], found.F_interaction, found.ms["residual"]]).all()
    assert found.components["r"] == pytest.approx(1.0)
    assert found.percent["r"] == pytest.approx(100 / (1 + 0.5 + 0.3 + 2 / 3))
    assert found.F_rows > 1
    assert "cannot be told" in found.reason


def test_edges():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grid = [(i, j) for i in range(3) for j in range(2) for _ in range(2)]
        frame = pd.DataFrame(grid, columns=["r", "c"])
        nothing = anova_twoway(frame.assign(y=np.nan), "y", "r", "c")
        constant = anova_twoway(frame.assign(y=0.1), "y", "r", "c")
        one = anova_twoway(frame[frame["c"] == 0].assign(y=1.0), "y", "r", "c")
        empty = anova_twoway(frame[~((frame["r"] == 1) & (frame["c"] == 1))].assign(y=1.0), "y", "r", "c")
        sums = anova_twoway(frame.assign(y=0.1 * frame["r"] + 0.7 * frame["c"]), "y", "r", "c")
        still = anova_twoway(frame.assign(y=0.1 * frame["r"] * frame["c"]), "y", "r", "c")
    assert (nothing.reason, nothing.n_missing) == ("no values", 12)
    assert constant.reason == "all values are equal"
    assert "one level of c" in one.reason
    assert empty.reason == "no value in (1, 1): 0: drop the level or fill the cell"
    for found in (nothing, constant, one, empty):
        assert np.isnan([found.F_interaction, found.p_rows, *found.components.values()]).all()
    # No interaction and no noise, up to rounding: components are exact, tests impossible.
    assert sums.components_raw == pytest.approx({"r": 0.01, "c": 0.245, "interaction": 0, "residual": 0})
    assert np.isnan([sums.F_rows, sums.F_cols, sums.F_interaction]).all()
    assert "no interaction at all" in sums.reason
    assert np.isnan(still.F_interaction)
    assert "do not vary within cells" in still.reason
    assert still.F_rows > 0


def test_order_and_containers(data):
    found = anova_twoway(data, "score", rows="scenario", cols="model")
    mixed = data.sample(frac=1, random_state=3).assign(score=lambda d: d["score"].astype("Float64"))
    assert anova_twoway(mixed, "score", rows="scenario", cols="model").as_dict() == pytest.approx(
        found.as_dict()
    )
    turned = anova_twoway(data, "score", rows="model", cols="scenario")
    assert turned.F_cols == pytest.approx(found.F_rows)
    assert turned.components == pytest.approx(found.components)


def test_invalid(data):
    with pytest.raises(ConfigError, match=r"most 5; not \(0, 0\): 4\): complete"):
        anova_twoway(data.iloc[1:], "score", rows="scenario", cols="model", unbalanced="refuse")
    with pytest.raises(ConfigError, match="unbalanced"):
        anova_twoway(data, "score", rows="scenario", cols="model", unbalanced="drop")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="two columns"):
        anova_twoway(data, "score", rows="model", cols="model")
    with pytest.raises(DataFormatError, match="no column"):
        anova_twoway(data, "value", rows="scenario", cols="model")
    with pytest.raises(ConfigError, match="infinity"):
        anova_twoway(data.assign(score=np.inf), "score", rows="scenario", cols="model")


def test_data_that_would_be_counted_twice_or_explain_themselves():
    frame = pd.DataFrame({"s": [0, 0, 1, 1] * 2, "m": [0, 1] * 4, "y": np.arange(8.0)})
    with pytest.raises(DataFormatError, match="2 columns 'y'"):
        anova_twoway(pd.concat([frame, frame["y"]], axis=1), "y", "s", "m")
    with pytest.raises(ConfigError, match="both the response and a label"):
        anova_twoway(frame, "s", "s", "m")
    with pytest.raises(DataFormatError, match="no column"):
        anova_twoway(frame, "y", ["s", "t"], "m")
    for scale in (1e-200, 1e200):
        with pytest.raises(ConfigError, match="cannot be squared"):
            anova_twoway(frame.assign(y=frame["y"] * scale), "y", "s", "m")
