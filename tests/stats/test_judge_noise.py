"""Judge against trial noise: by hand, by a loop, and the p-values of Table 37."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from evalib.core import ConfigError, DataFormatError
from evalib.stats.judge_noise import judge_trial_noise
from evalib.stats.sign_test import sign_test

# Paper Table 37: scenarios of the domain (Table 33), p_sign as printed.
TABLE_37_P_SIGN = [
    (50, 0.003),  # Conciseness, CSM, Parakeet
    (50, 0.008),  # Conversation Progression, CSM, Parakeet
    (80, 0.073),  # Faithfulness, ITSM, Gemini
    (83, 0.745),  # Faithfulness, HR, Gemini
    (83, 0.008),  # Faithfulness, HR, GPT-Realtime
    (50, 0.899),  # Speech Fidelity, CSM, Parakeet
    (50, 0.984),  # Speech Fidelity, CSM, Ink
    (83, 0.413),  # Speech Fidelity, HR, Ink
]


def table(values, **columns):
    """A score table of an array (scenarios, trials, passes)."""
    index = np.indices(np.shape(values)).reshape(3, -1)
    frame = pd.DataFrame({"scenario": index[0], "trial": index[1], "judge_pass": index[2]})
    base = {"system": "a", "domain": "airline", "metric": "faithfulness"}
    return frame.assign(value=np.ravel(values), **(base | columns))


def by_loop(values, ddof):
    judge = [np.mean([np.std(t, ddof=ddof) for t in s]) for s in values]
    trial = [np.std([np.mean(t) for t in s], ddof=ddof) for s in values]
    return np.array(judge), np.array(trial)


@pytest.mark.parametrize("ddof", [0, 1])
def test_as_a_loop(ddof):
    values = np.random.default_rng(1).choice([0, 0.5, 1], size=(20, 5, 3))
    (row,) = judge_trial_noise(table(values), ddof=ddof).to_dict("records")
    judge, trial = by_loop(values, ddof)
    assert row["judge_sd"] == pytest.approx(judge.mean(), rel=1e-12)
    assert row["trial_sd"] == pytest.approx(trial.mean(), rel=1e-12)
    assert row["delta"] == pytest.approx((trial - judge).mean(), rel=1e-12)
    assert row["p_sign"] == sign_test(trial - judge).pvalue
    assert row["n_positive"] == (trial - judge > 1e-12).sum()
    assert (row["n_records"], row["ddof"], row["zeros"]) == (20, ddof, "keep")
    assert (row["system"], row["domain"], row["metric"]) == ("a", "airline", "faithfulness")


def test_the_pvalue_of_the_means():
    """Five records of which all have the larger trial SD: 1 of 32 sign patterns is as extreme."""
    values = np.array([[[0, 0], [1 + s, 1 + s]] for s in range(5)])
    (row,) = judge_trial_noise(table(values)).to_dict("records")
    assert (row["p_sign_flip"], row["p_sign"]) == (1 / 32, 1 / 32)
    assert row["method"].startswith("exact")
    less = judge_trial_noise(table(values), alternative="less")
    assert (less["p_sign_flip"][0], less["p_sign"][0]) == (1.0, 1.0)


@pytest.mark.parametrize(("n", "printed"), TABLE_37_P_SIGN)
def test_table_37_counts_zeros_against(n, printed):
    """Each printed p is a binomial tail over all scenarios, which leaving zeros out would not give."""
    tails = binom.sf(np.arange(n + 1) - 1, n, 0.5)
    positive = int(np.abs(tails - printed).argmin())
    values = np.zeros((n, 5, 3))
    values[:positive, 0] = 1.0
    kept, dropped = (judge_trial_noise(table(values), zeros=z, n_resamples=100) for z in ("keep", "drop"))
    assert kept["p_sign"][0] == pytest.approx(printed, abs=0.0005)
    assert dropped["p_sign"][0] < 1e-5
    assert kept["n_zero"][0] == n - positive


def test_all_zero_is_answered_with_a_reason():
    """Table 37, Speech Fidelity, CSM, Gemini: SDs 0.0000, p_perm 0.500, p_sign 1.000."""
    (row,) = judge_trial_noise(table(np.ones((50, 5, 3)))).to_dict("records")
    assert (row["judge_sd"], row["trial_sd"], row["p_sign"]) == (0, 0, 1)
    assert row["p_sign_flip"] == 1.0
    assert row["reason"] == "all deltas are zero"
    assert row["n_zero"] == 50


def test_few_records_that_vary_give_the_exact_value_near_the_printed_one():
    """Table 37 prints 0.033 (Speech Fidelity, CSM, GPT-Realtime), 0.017 and 0.032: 5 or 6 records vary."""
    for n_vary, printed in ((5, 0.033), (6, 0.017), (5, 0.032)):
        values = np.ones((50, 5, 3))
        values[:n_vary, 0] = 0.3
        found = judge_trial_noise(table(values))["p_sign_flip"][0]
        assert found == 2.0**-n_vary
        assert abs(found - printed) < 4 * np.sqrt(found * (1 - found) / 10_000)


def test_equal_values_leave_no_rounding():
    (row,) = judge_trial_noise(table(np.full((4, 3, 3), 0.1))).to_dict("records")
    assert (row["n_zero"], row["delta"]) == (4, 0)


def test_missing_passes_and_trials():
    values = np.random.default_rng(4).normal(size=(6, 3, 3))
    values[0, 0, 0] = np.nan  # two passes left
    values[1, 1, :2] = np.nan  # one pass left: counts between trials only
    values[2, :2] = np.nan  # one trial left: out
    values[3, :, 1:] = np.nan  # no trial has two passes: out
    frame = table(values)
    frame["status"] = np.where(frame["value"].isna(), "judge_error", "ok")
    frame.loc[(frame["scenario"] == 5) & (frame["trial"] == 0), "status"] = "infra_error"
    (row,) = judge_trial_noise(frame).to_dict("records")
    values[5, 0] = np.nan
    judge, trial = [], []
    for s in (0, 1, 4, 5):
        passes = [t[~np.isnan(t)] for t in values[s]]
        judge.append(np.mean([np.std(p) for p in passes if len(p) > 1]))
        trial.append(np.std([p.mean() for p in passes if len(p)]))
    assert row["judge_sd"] == pytest.approx(np.mean(judge))
    assert row["trial_sd"] == pytest.approx(np.mean(trial))
    assert (row["n_records"], row["n_excluded"], row["n_missing"]) == (4, 2, 1 + 2 + 6 + 6 + 3)
    assert "2 records left out" in row["reason"]


def test_groups_do_not_depend_on_each_other_nor_on_order():
    values = np.random.default_rng(6).normal(size=(2, 45, 3, 2))
    frame = pd.concat([table(v, system=s) for v, s in zip(values, "ab", strict=True)])
    both = judge_trial_noise(frame, n_resamples=500)
    assert set(both["method"]) == {"monte carlo"}
    alone = judge_trial_noise(frame[frame["system"] == "b"], n_resamples=500)
    shuffled = judge_trial_noise(frame.sample(frac=1, random_state=1), n_resamples=500)
    pd.testing.assert_frame_equal(both, shuffled)
    pd.testing.assert_frame_equal(both[1:].reset_index(drop=True), alone)
    other = judge_trial_noise(frame, n_resamples=500, rng=3)
    assert (other["p_sign_flip"] != both["p_sign_flip"]).any()


def test_averaged_across_systems():
    values = np.random.default_rng(8).normal(size=(2, 9, 3, 2))
    frame = pd.concat([table(v, system=s) for v, s in zip(values, "ab", strict=True)])
    (row,) = judge_trial_noise(frame, by=("metric",), average_over=("system",)).to_dict("records")
    judge, trial = np.mean([by_loop(v, 0) for v in values], axis=0)
    assert row["delta"] == pytest.approx((trial - judge).mean())
    assert row["p_sign"] == sign_test(trial - judge).pvalue
    assert row["n_records"] == 9
    with pytest.raises(DataFormatError, match="two rows"):
        judge_trial_noise(frame, by=("metric",))


def test_edges():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one_pass = judge_trial_noise(table(np.arange(6.0).reshape(2, 3, 1)))
        nothing = judge_trial_noise(table(np.full((2, 3, 2), np.nan)))
        empty = judge_trial_noise(table(np.zeros((2, 3, 2))).iloc[:0])
    assert one_pass["reason"][0] == "one judge pass of every trial: passes cannot differ"
    assert nothing["reason"][0] == "no record has two trials, one of them with two passes"
    for found in (one_pass, nothing):
        assert found[["judge_sd", "trial_sd", "delta", "p_sign_flip", "p_sign"]].isna().all(axis=None)
    assert empty.empty
    assert "reason" in empty


def test_invalid():
    frame = table(np.zeros((2, 2, 2)))
    for change, message in (
        ({"ddof": 2}, "ddof"),
        ({"zeros": "pratt"}, "zeros"),
        ({"alternative": "more"}, "alternative"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"average_over": ("system",)}, "named twice"),
    ):
        with pytest.raises(ConfigError, match=message):
            judge_trial_noise(frame, **change)
    with pytest.raises(DataFormatError, match="no column 'judge_pass'"):
        judge_trial_noise(frame.drop(columns="judge_pass"))
    with pytest.raises(ConfigError, match="infinity"):
        judge_trial_noise(frame.assign(value=np.inf))


PASSES = pd.DataFrame(
    [
        ("m", "d", "s", i, t, p, float((ord(i) + t * p) % 4))
        for i in "abc"
        for t in range(2)
        for p in range(2)
    ],
    columns=["metric", "domain", "system", "scenario", "trial", "judge_pass", "value"],
)


def test_what_would_be_mixed_or_lost_is_refused():
    for column, values in (("judge", PASSES["judge_pass"]), ("condition", PASSES["trial"])):
        with pytest.raises(ConfigError, match=f"mix {column}s"):
            judge_trial_noise(PASSES.assign(**{column: values.map({0: "x", 1: "y"})}))
    with pytest.raises(ConfigError, match="mix metrics"):
        judge_trial_noise(PASSES.assign(metric=PASSES["scenario"]), by=())
    for column in ("scenario", "trial", "domain"):
        lost = PASSES.assign(**{column: PASSES[column].astype(object).where(PASSES["scenario"] != "a")})
        with pytest.raises(DataFormatError, match=f"'{column}' has no label"):
            judge_trial_noise(lost)
    with pytest.raises(DataFormatError, match="unknown status 'OK'"):
        judge_trial_noise(PASSES.assign(status="OK"))
    with pytest.raises(DataFormatError, match="DataFrame"):
        judge_trial_noise(None)
    with pytest.raises(ConfigError, match="squared"):
        judge_trial_noise(PASSES.assign(value=1e300))


def test_each_metric_may_have_its_judge_and_no_status_is_ok():
    two = pd.concat([PASSES.assign(judge="x"), PASSES.assign(metric="n", judge="y")])
    assert judge_trial_noise(two)["n_records"].tolist() == [3, 3]
    pd.testing.assert_frame_equal(judge_trial_noise(PASSES.assign(status=None)), judge_trial_noise(PASSES))


def test_columns_do_not_depend_on_the_data_and_one_name_is_a_list_of_one():
    found = judge_trial_noise(PASSES)
    assert list(judge_trial_noise(PASSES.iloc[:0])) == list(found)
    alone = judge_trial_noise(PASSES, by="metric", average_over="system")
    pd.testing.assert_frame_equal(alone, judge_trial_noise(PASSES, by=["metric"], average_over=["system"]))


@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_equal_noise_is_no_difference_whatever_rounding_leaves(offset):
    # Passes 0 and 0.1 apart, trials 0.1 apart: both SDs are 0.05, computed in two ways.
    rows = [(i, t, p, offset + 0.1 * i + 0.1 * (t + p)) for i in range(8) for t in range(2) for p in range(2)]
    frame = pd.DataFrame(rows, columns=["scenario", "trial", "judge_pass", "value"])
    found = judge_trial_noise(frame, by=()).iloc[0]
    assert (found["n_zero"], found["p_sign"], found["p_sign_flip"]) == (8, 1.0, 1.0)


def test_a_metric_without_passes_is_a_row_with_a_reason():
    code = PASSES[PASSES["judge_pass"] == 0].assign(metric="code", judge_pass=None)
    found = judge_trial_noise(pd.concat([PASSES, code])).set_index("metric")
    assert found.loc["code", "reason"] == "one judge pass of every trial: passes cannot differ"
    assert found.loc["code", ["judge_sd", "p_sign_flip"]].isna().all()
    assert found.loc["m", "judge_sd"] == judge_trial_noise(PASSES)["judge_sd"][0]
    for passes in (PASSES["judge_pass"].where(PASSES["judge_pass"] == 0), None):
        with pytest.raises(DataFormatError, match="'judge_pass' has no label"):
            judge_trial_noise(PASSES.assign(judge_pass=passes))


def test_two_rows_of_a_pass_name_what_tells_them_apart():
    two = pd.concat([PASSES, PASSES.assign(system="other")])
    with pytest.raises(DataFormatError, match="differ in system: add it to by or average_over"):
        judge_trial_noise(two, by=("metric", "domain"))
    with pytest.raises(DataFormatError, match="the same score twice"):
        judge_trial_noise(pd.concat([PASSES, PASSES]))
