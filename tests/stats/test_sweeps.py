"""Threshold sweeps: against the composite rule applied trial by trial, and the published orderings."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, spearmanr

from evalib.core import COMPOSITES, CompositeRule, ConfigError, DataFormatError, composite
from evalib.stats import pooled_estimate
from evalib.stats.sweeps import sweep_stability, threshold_sweep

THRESHOLDS = [0.5, 0.7, 0.8, 0.95, 1.0]
# Paper Table 18: threshold; EVA-A pass@1 of cascade, hybrid, speech-to-speech.
TABLE_18 = np.array(
    [
        (0.50, 0.372, 0.309, 0.314),
        (0.60, 0.370, 0.309, 0.312),
        (0.70, 0.363, 0.308, 0.311),
        (0.80, 0.355, 0.298, 0.310),
        (0.85, 0.340, 0.283, 0.309),
        (0.90, 0.320, 0.268, 0.309),
        (0.95, 0.305, 0.263, 0.309),
        (1.00, 0.305, 0.263, 0.309),
    ]
)


@pytest.fixture(scope="module")
def scores():
    """Simulated scores of five systems in two architectures, some missing or not applicable."""
    rng = np.random.default_rng(17)
    grid = [
        (f"s{i}", ("cascade", "s2s")[i % 2], domain, scenario, trial)
        for i in range(5)
        for domain, n in (("airline", 4), ("itsm", 7))
        for scenario in range(n)
        for trial in range(3)
    ]
    keys = pd.DataFrame(grid, columns=["system", "architecture", "domain", "scenario", "trial"])
    parts = []
    for metric, draw in (
        ("task_completion", lambda n: rng.choice([0.0, 1, 1], n)),
        ("faithfulness", lambda n: rng.choice([0.0, 0.5, 1], n)),
        ("speech_fidelity", lambda n: 1 - rng.integers(0, 8, n) / 14),
    ):
        value = draw(len(keys))
        status = rng.choice(["ok"] * 18 + ["judge_error", "not_applicable"], len(keys))
        value = np.where(status == "ok", value, np.nan)
        parts.append(keys.assign(metric=metric, value=value, status=status, judge="simulated"))
    frame = pd.concat(parts)
    return frame.drop(frame.sample(n=10, random_state=1).index)  # rows of some trials are not there at all


def by_rule(scores, rule):
    """Composite rows, each by evalib.core's rule."""
    keys = ["system", "architecture", "domain", "scenario", "trial"]
    rows = []
    for key, trial in scores.groupby(keys):
        values = {
            m: (None if np.isnan(v) else v, s)
            for m, v, s in zip(trial["metric"], trial["value"], trial["status"], strict=True)
        }
        value, status, _ = composite(values, rule)
        rows.append(
            {**dict(zip(keys, key, strict=True)), "metric": rule.name, "value": value, "status": status}
        )
    return pd.DataFrame(rows).astype({"value": float})


@pytest.mark.parametrize("metric", ["speech_fidelity", "faithfulness"])
def test_as_the_rule_trial_by_trial(scores, metric):
    found = threshold_sweep(scores, metric, THRESHOLDS, by=("system",))
    architectures = threshold_sweep(scores, metric, THRESHOLDS)
    for threshold in THRESHOLDS:
        rule = CompositeRule("eva_a_pass", {**COMPOSITES["eva_a_pass"].components, metric: threshold})
        rows = by_rule(scores, rule)
        expected = pooled_estimate(rows, "eva_a_pass", n_resamples=1).set_index("system")
        ours = found[found["threshold"] == threshold].set_index("system")
        for column, theirs in (
            ("pass_at_1", "estimate"),
            ("n_trials", "n_trials"),
            ("n_missing", "n_missing"),
        ):
            assert ours[column].tolist() == pytest.approx(expected[theirs].tolist()), column
        means = expected["estimate"].groupby(lambda s: ("cascade", "s2s")[int(s[1]) % 2]).mean()
        pooled = architectures[architectures["threshold"] == threshold].set_index("architecture")
        assert pooled["pass_at_1"].to_dict() == pytest.approx(means.to_dict())
        assert pooled["n_members"].to_dict() == {"cascade": 3, "s2s": 2}
    assert (found["n_missing"] > 0).all()


def test_rates_never_rise_with_the_threshold(scores):
    found = threshold_sweep(scores, "speech_fidelity", sorted(np.linspace(0, 1, 21)), by=("system",))
    assert (found.groupby("system")["pass_at_1"].diff().dropna() <= 1e-12).all()
    ends = found.groupby("threshold")["pass_at_1"].mean()
    assert ends.iloc[0] > ends.iloc[-1]


def test_a_threshold_is_reached_up_to_rounding():
    frame = pd.DataFrame({"scenario": [0, 0, 0], "trial": 0, "system": "a", "value": [1, 1, 0.1 + 0.2]})
    frame["metric"] = ["task_completion", "faithfulness", "speech_fidelity"]
    found = threshold_sweep(frame, "speech_fidelity", [0.3, 0.3 + 1e-6], by=("system",))
    assert found["pass_at_1"].tolist() == [1.0, 0.0]
    less = frame.assign(value=[1, 1, 0.3 - 1e-12])
    assert threshold_sweep(less, "speech_fidelity", [0.3], by=("system",))["pass_at_1"].tolist() == [1.0]


def test_order_of_rows_and_whole_table_as_one_group(scores):
    found = threshold_sweep(scores, "speech_fidelity", THRESHOLDS)
    pd.testing.assert_frame_equal(
        found, threshold_sweep(scores.sample(frac=1, random_state=4), "speech_fidelity", THRESHOLDS)
    )
    everything = threshold_sweep(scores, "speech_fidelity", [0.8], by=())
    systems = threshold_sweep(scores, "speech_fidelity", [0.8], by=("system",))
    assert everything["pass_at_1"][0] == pytest.approx(systems["pass_at_1"].mean())
    single = scores[scores["system"] == "s1"].drop(columns="system")
    bare = threshold_sweep(single, "speech_fidelity", [0.8], by=())
    assert bare["pass_at_1"][0] == pytest.approx(systems.set_index("system").loc["s1", "pass_at_1"])


def test_what_is_not_scored_has_a_reason(scores):
    frame = scores.copy()
    frame.loc[frame["system"] == "s0", ["value", "status"]] = [np.nan, "judge_error"]
    frame.loc[(frame["system"] == "s2") & (frame["domain"] == "itsm"), ["value", "status"]] = [
        np.nan,
        "not_run",
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        systems = threshold_sweep(frame, "faithfulness", [0.5], by=("system",)).set_index("system")
        architectures = threshold_sweep(frame, "faithfulness", [0.5]).set_index("architecture")
    assert np.isnan(systems.loc["s0", "pass_at_1"])
    assert systems.loc["s0", "reason"] == "no trial has all components"
    assert systems.loc["s2", "reason"] == "nothing scored in 1 of 2 strata"
    assert architectures.loc["cascade", "n_members"] == 2
    assert architectures.loc["cascade", "reason"] == "nothing scored in 1 of 3 members and 3 of 6 strata"
    assert architectures.loc["s2s", "reason"] == ""
    expected = systems.loc[["s2", "s4"], "pass_at_1"].mean()
    assert architectures.loc["cascade", "pass_at_1"] == pytest.approx(expected)


def test_invalid_sweeps(scores):
    for arguments, error, message in (
        ({"composite": "eva_b"}, ConfigError, "eva_a_pass, eva_x_pass"),
        ({"metric": "turn_taking"}, ConfigError, "no component"),
        ({"thresholds": []}, ConfigError, "list of numbers"),
        ({"thresholds": [np.nan]}, ConfigError, "list of numbers"),
        ({"thresholds": [0.5, 0.5]}, ConfigError, "twice"),
        ({"by": ("team",)}, DataFormatError, "no column 'team'"),
    ):
        given = {"metric": "faithfulness", "thresholds": [0.5]}
        with pytest.raises(error, match=message):
            threshold_sweep(scores, **(given | arguments))
    with pytest.raises(DataFormatError, match="no rows of 'faithfulness'"):
        threshold_sweep(scores[scores["metric"] != "faithfulness"], "faithfulness", [0.5])


def sweep(rates, thresholds, names=None):
    """A sweep of an array (units, thresholds)."""
    unit, level = np.indices(np.shape(rates)).reshape(2, -1)
    names = np.array(names or [f"s{i:02d}" for i in range(len(rates))], dtype=object)
    return pd.DataFrame(
        {"system": names[unit], "threshold": np.asarray(thresholds)[level], "pass_at_1": np.ravel(rates)}
    )


def test_stability_as_pair_by_pair():
    rng = np.random.default_rng(12)
    levels = np.round(np.arange(0.5, 0.96, 0.05), 2)
    base = np.sort(rng.integers(0, 30, 12))[:, None] / 30
    rates = np.clip(base - np.arange(10) / 50 + rng.integers(-1, 2, (12, 10)) / 30, 0, 1)
    found = sweep_stability(sweep(rates, levels).sample(frac=1, random_state=1), anchor=0.8)
    strict = kept = 0
    flips = []
    for i, j in combinations(range(12), 2):
        gaps = rates[i] - rates[j]
        signs = {int(np.sign(g)) if abs(g) > 1e-9 else 0 for g in gaps}
        strict += signs in ({1}, {-1})
        kept += not {1, -1} <= signs
        if {1, -1} <= signs:
            flips.append((f"s{i:02d}", f"s{j:02d}", np.abs(gaps).max()))
    assert (found.n_pairs, found.n_strict, found.n_kept) == (66, strict, kept)
    assert 0 < strict < kept < 66
    assert [f[:2] for f in found.flips] == [f[:2] for f in flips]
    assert [f[2] for f in found.flips] == pytest.approx([f[2] for f in flips])
    assert found.spearman == pytest.approx(spearmanr(rates[:, 0], rates[:, -1]).statistic)
    for i, level in enumerate(levels):
        assert found.pearson[level] == pytest.approx(pearsonr(rates[:, i], rates[:, 6]).statistic)
    assert found.pearson[0.8] == pytest.approx(1)
    assert (found.n_units, found.n_missing, found.reason) == (12, 0, "")


def test_the_paper_s_counts_add_up():
    """E.4.3: of 66 pairs 61 strict, 63 with ties kept: 3 flip, 2 tie."""
    rates = np.linspace(0.9, 0.1, 12)[:, None] * np.ones(3)
    for pair in ((0, 1), (4, 5), (8, 9)):
        rates[list(pair), 2] = rates[list(pair)[::-1], 2]
    for first, second in ((2, 3), (10, 11)):
        rates[first, 1] = rates[second, 1]
    found = sweep_stability(sweep(rates, [0.5, 0.8, 0.95]), anchor=0.8)
    assert (found.n_strict, found.n_kept, found.n_pairs) == (61, 63, 66)
    assert [f"{x:.1f}" for x in 100 * np.array([61, 63]) / 66] == ["92.4", "95.5"]
    assert max(gap for *_, gap in found.flips) == pytest.approx(0.8 / 11)
    wide = sweep_stability(sweep(rates, [0.5, 0.8, 0.95]), anchor=0.8, tie=0.08)
    assert (wide.n_kept, wide.flips) == (66, [])


def test_table_18_orderings():
    """Rates fall with the threshold; hybrid is last throughout; cascade and s2s change places at 0.95."""
    assert (np.diff(TABLE_18[:, 1:], axis=0) <= 0).all()
    frame = sweep(TABLE_18[:, 1:].T, TABLE_18[:, 0], ["cascade", "hybrid", "s2s"])
    found = sweep_stability(frame, anchor=0.95)
    assert [f[:2] for f in found.flips] == [("cascade", "s2s")]
    assert found.flips[0][2] == pytest.approx(0.058)
    assert (found.n_pairs, found.n_strict) == (3, 2)
    upto = sweep_stability(frame[frame["threshold"] <= 0.9], anchor=0.9)
    assert (upto.n_strict, upto.spearman) == (3, 1.0)


def test_stability_edges():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        two = sweep_stability(sweep([[0.5, 0.4], [0.2, 0.3]], [0.5, 0.9]), anchor=0.5)
        still = sweep_stability(sweep([[0.5, 0.0], [0.2, 0.0], [0.1, 0.0]], [0.5, 0.9]), anchor=0.5)
        holey = sweep_stability(sweep([[0.5, np.nan], [0.2, 0.1]], [0.5, 0.9]), anchor=0.5)
    assert (two.n_pairs, two.reason) == (1, "2 units: correlations need three")
    assert np.isnan([two.spearman, *two.pearson.values()]).all()
    assert np.isnan([still.spearman, still.pearson[0.9]]).all()
    assert still.pearson[0.5] == pytest.approx(1)
    assert "threshold 0.9" in still.reason
    assert (still.n_strict, still.n_kept) == (0, 3)
    assert (holey.n_units, holey.n_missing, holey.n_pairs) == (1, 1, 0)


def test_invalid_stability():
    frame = sweep([[0.5, 0.4], [0.2, 0.3]], [0.5, 0.9])
    with pytest.raises(ConfigError, match=r"anchor=0\.8 is no threshold"):
        sweep_stability(frame, anchor=0.8)
    with pytest.raises(ConfigError, match="tie"):
        sweep_stability(frame, anchor=0.5, tie=-1)
    with pytest.raises(DataFormatError, match="no column 'team'"):
        sweep_stability(frame, anchor=0.5, unit="team")
    with pytest.raises(DataFormatError, match="two rows"):
        sweep_stability(pd.concat([frame, frame]), anchor=0.5)


def test_arguments_of_a_sweep_of_the_wrong_kind(scores):
    plain = threshold_sweep(scores, "faithfulness", [0.5], by=["system"])
    pd.testing.assert_frame_equal(plain, threshold_sweep(scores, "faithfulness", [0.5], by="system"))
    pd.testing.assert_frame_equal(plain, threshold_sweep(scores, "faithfulness", 0.5, by="system"))
    with pytest.raises(DataFormatError, match="infinite"):  # once passed as above every threshold
        threshold_sweep(scores.assign(value=np.inf, status="ok"), "faithfulness", [0.5])
    with pytest.raises(DataFormatError, match="DataFrame"):
        threshold_sweep(None, "faithfulness", [0.5])
    for arguments, message in (
        ({"by": ["scenario"]}, "averaged over"),
        ({"within": "trial"}, "averaged over"),
        ({"thresholds": ["a"]}, "thresholds"),
        ({"thresholds": [np.nan]}, "thresholds"),
        ({"composite": ["x"]}, "composite"),
        ({"metric": ["x"]}, "component"),
    ):
        with pytest.raises(ConfigError, match=message):
            threshold_sweep(scores, **({"metric": "faithfulness", "thresholds": [0.5]} | arguments))


def test_arguments_of_stability_of_the_wrong_kind():
    sweep = pd.DataFrame({"system": list("abcabc"), "threshold": [0.5] * 3 + [0.9] * 3})
    sweep["pass_at_1"] = [0.8, 0.5, 0.4, 0.6, 0.2, 0.3]
    for change, error in (
        ({"anchor": "a"}, ConfigError),
        ({"anchor": None}, ConfigError),
        ({"tie": "a"}, ConfigError),
        ({"tie": np.nan}, ConfigError),
        ({"sweep": None}, DataFormatError),
        ({"sweep": sweep.assign(pass_at_1=np.inf)}, ConfigError),
        ({"sweep": sweep.assign(pass_at_1="a")}, ConfigError),
        ({"sweep": sweep.assign(threshold=list("xxxyyy"))}, ConfigError),
        ({"sweep": sweep.assign(threshold=[np.nan] * 3 + [0.5] * 3)}, DataFormatError),
        ({"sweep": sweep.assign(system=[None, "b", "c"] * 2)}, DataFormatError),
        ({"sweep": pd.concat([sweep, sweep["system"]], axis=1)}, DataFormatError),
        ({"unit": ["system"]}, DataFormatError),
    ):
        with pytest.raises(error):
            sweep_stability(**({"sweep": sweep, "anchor": 0.5} | change))
    nullable = sweep.assign(pass_at_1=sweep["pass_at_1"].astype("Float64"))
    assert sweep_stability(nullable, 0.5) == sweep_stability(sweep, 0.5)
