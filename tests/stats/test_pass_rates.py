"""Pass rates against the enumeration of trials, by hand, and against the published leaderboard."""

from __future__ import annotations

import itertools
import json
import math
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from evalib.core import ConfigError, DataFormatError
from evalib.stats import pass_rates, scenario_rates
from evalib.stats.pass_rates import RATES
from evalib.stats.pooled import pooled_means


def table(passes, system="a", domain="airline", **columns):
    """A score table of eva_a_pass: scenario -> outcomes of its trials, None for a missing one."""
    rows = [
        {
            "system": system,
            "domain": domain,
            "scenario": scenario,
            "trial": trial,
            "condition": "clean",
            "metric": "eva_a_pass",
            "judge": "rules",
            "judge_pass": 0,
            "value": np.nan if value is None else float(value),
            "status": "infra_error" if value is None else "ok",
            **columns,
        }
        for scenario, trials in passes.items()
        for trial, value in enumerate(trials)
    ]
    return pd.DataFrame(rows)


def only_row(frame):
    assert len(frame) == 1
    return frame.iloc[0]


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_against_enumeration(trials, data):
    """Draw every set of k trials without, and every sequence of k with replacement."""
    k = data.draw(st.integers(1, min(len(trials), 4)))
    (rates,) = scenario_rates([sum(trials)], [len(trials)], k)
    sets = list(itertools.combinations(trials, k))
    sequences = list(itertools.product(trials, repeat=k))
    assert rates[0] == pytest.approx(np.mean(trials))
    assert rates[1] == pytest.approx(np.mean([any(s) for s in sets]))
    assert rates[2] == pytest.approx(np.mean([all(s) for s in sequences]))
    assert rates[3] == pytest.approx(np.mean([all(s) for s in sets]))
    assert rates[3] <= rates[2] + 1e-12 <= rates[0] + 2e-12 <= rates[1] + 3e-12


def test_by_hand():
    passes = {"1": [1, 1, 1], "2": [1, 0, 0], "3": [0, 0, 0], "4": [1, 1, 0]}
    row = only_row(pass_rates(table(passes)))
    assert row["k"] == 3
    assert row["pass_at_1"] == pytest.approx((1 + 1 / 3 + 0 + 2 / 3) / 4)
    assert row["pass_at_k"] == pytest.approx(3 / 4)
    assert row["pass_hat_k"] == pytest.approx((1 + 1 / 27 + 0 + 8 / 27) / 4)
    assert row["pass_hat_k_unbiased"] == pytest.approx(1 / 4)
    assert (row["n_scenarios"], row["n_trials"], row["n_missing"]) == (4, 12, 0)
    for rate in RATES:
        assert row[f"{rate}_low"] <= row[rate] <= row[f"{rate}_high"]


def test_domains_weigh_the_same():
    big = table({str(i): [1, 1] for i in range(9)}, domain="itsm")
    small = table({"1": [0, 0], "2": [0, 1]})
    row = only_row(pass_rates(pd.concat([big, small])))
    assert row["pass_at_1"] == pytest.approx((1.0 + 0.25) / 2)
    assert row["n_scenarios"] == 11


def test_scenarios_of_the_same_id_in_two_domains_stay_apart():
    row = only_row(pass_rates(pd.concat([table({"1": [1]}), table({"1": [0]}, domain="itsm")])))
    assert row["n_scenarios"] == 2


def test_groups_do_not_touch_each_other():
    a, b = table({"1": [1, 0], "2": [0, 1], "3": [0, 0]}), table({"1": [1, 1], "2": [1, 0]}, system="b")
    both = pass_rates(pd.concat([a, b]), rng=4).set_index("system")
    alone = pass_rates(a, rng=4).set_index("system")
    pd.testing.assert_series_equal(both.loc["a"], alone.loc["a"])
    assert list(both.index) == ["a", "b"]


SHORT = {"1": [1, 1, 1], "2": [1, None, 0], "3": [None, None, None], "4": [0, 0, 0]}


def test_short_scenarios_are_excluded_and_counted():
    row = only_row(pass_rates(table(SHORT)))
    assert (row["n_scenarios"], row["n_trials"], row["n_missing"]) == (3, 8, 4)
    assert (row["n_scenarios_k"], row["n_excluded_scenarios"]) == (2, 2)
    assert row["pass_at_1"] == pytest.approx((1 + 1 / 2 + 0) / 3)  # a trial that is there counts
    assert row["pass_at_k"] == row["pass_hat_k"] == 1 / 2
    assert row["policy"] == "exclude"
    assert row["reason"].startswith(
        "4 trials have no value (infra_error 4): left out; 1 scenario has no trial with a value: left out; "
        "1 scenario has fewer than 3 trials: left out of pass@k and pass^k"
    )
    with_two = only_row(pass_rates(table(SHORT), k=2))
    assert (with_two["n_scenarios_k"], with_two["n_excluded_scenarios"]) == (3, 1)
    assert "fewer" not in with_two["reason"]


def test_pass_at_1_is_that_of_k_1():
    """The interval of pass@1 does not know of k, though the k rates have other scenarios."""
    rng = np.random.default_rng(1)
    passes = {str(i): rng.choice([0, 1, None], 4, p=[0.4, 0.4, 0.2]).tolist() for i in range(20)}
    ours, of_one = (only_row(pass_rates(table(passes), k=k)) for k in (None, 1))
    names = ["pass_at_1", "pass_at_1_low", "pass_at_1_high", "n_scenarios", "n_trials"]
    assert ours["n_scenarios_k"] < ours["n_scenarios"]
    assert ours[names].astype(float).tolist() == pytest.approx(of_one[names].astype(float).tolist())


def test_both_policies_of_all_rates():
    row = only_row(pass_rates(table(SHORT), n_resamples=20))
    other = only_row(pass_rates(table(SHORT), n_resamples=20, missing="fail"))
    by_hand = {
        "pass_at_1": (1 + 1 / 3) / 4,
        "pass_at_k": 2 / 4,
        "pass_hat_k": (1 + 1 / 27) / 4,
        "pass_hat_k_unbiased": 1 / 4,
        "gap": (1 - 1 / 27) / 4,
    }
    for name, value in by_hand.items():
        assert row[f"{name}_if_missing_fails"] == pytest.approx(value)
        assert other[name] == other[f"{name}_if_missing_fails"] == pytest.approx(value)
    assert (other["n_scenarios"], other["n_scenarios_k"], other["n_excluded_scenarios"]) == (4, 4, 0)
    assert other["reason"].startswith("4 trials have no value (infra_error 4): counted as failed")
    full = only_row(pass_rates(table({"1": [1, 0], "2": [1, 1]}), n_resamples=20))
    for name in by_hand:
        assert full[name] == full[f"{name}_if_missing_fails"]


def test_reason_counts_statuses():
    frame = table({str(i): [1, 0, None] for i in range(12)})
    missing = frame.index[frame["value"].isna()]
    frame.loc[missing[:5], "status"] = "judge_error"
    frame.loc[missing[5:7], "status"] = "not_applicable"
    row = only_row(pass_rates(frame, n_resamples=20, missing="fail"))
    assert row["reason"].split("; ")[:2] == [
        "10 trials have no value (infra_error 5, judge_error 5): counted as failed",
        "2 trials have no value (not_applicable 2): left out",
    ]
    assert row["n_scenarios_k"] == 10
    assert "2 scenarios have fewer than 3 trials: left out of pass@k and pass^k" in row["reason"]


def test_missing_as_failure():
    passes = {"1": [1, 1, 1], "2": [1, None, 1]}
    row = only_row(pass_rates(table(passes), missing="fail"))
    assert row["pass_at_1"] == pytest.approx((1 + 2 / 3) / 2) == row["pass_at_1_if_missing_fails"]
    assert (row["policy"], row["n_missing"], row["n_excluded_scenarios"]) == ("fail", 1, 0)
    inapplicable = table({"1": [1, 1], "2": [1, None]})
    inapplicable.loc[inapplicable["value"].isna(), "status"] = "not_applicable"
    assert only_row(pass_rates(inapplicable, k=1, missing="fail"))["pass_at_1"] == 1.0


@pytest.mark.parametrize("policy", ["exclude", "fail"])
def test_nothing_scored_is_nan_with_a_reason(policy):
    frame = table({"1": [None, None], "2": [None, None]}).assign(status="not_run")
    row = only_row(pass_rates(frame, missing=policy))
    assert row[[r for r in row.index if r.startswith("pass_")]].isna().all()
    assert row["reason"] == "no trial has a value: not_run"
    assert row["n_missing"] == 4


def test_a_domain_that_was_not_scored_is_named():
    frame = pd.concat([table({"1": [1, 1], "2": [1, 0]}), table({"9": [None, None]}, domain="itsm")])
    row = only_row(pass_rates(frame))
    assert row["pass_at_1"] == pytest.approx(0.75)
    assert row["reason"].startswith(
        "2 trials have no value (infra_error 2): left out; nothing scored in itsm"
    )
    assert row["pass_at_1_if_missing_fails"] == pytest.approx(0.75 / 2)


def test_thresholds():
    frame = table({"1": [0.8, 0.79], "2": [0.7 + 0.1, 1.0]}).assign(metric="turn_taking")
    with pytest.raises(DataFormatError, match="threshold"):
        pass_rates(frame, metric="turn_taking")
    row = only_row(pass_rates(frame, metric="turn_taking", threshold=0.8))
    assert row["pass_at_1"] == pytest.approx(0.75)  # 0.7 + 0.1 reaches 0.8


def test_passes_of_a_judge_are_averaged_before_the_threshold():
    frame = pd.concat([table({"1": [v]}, judge_pass=i) for i, v in enumerate([0.0, 0.5, 1.0])])
    row = only_row(pass_rates(frame, threshold=0.5))
    assert (row["pass_at_1"], row["n_trials"]) == (1.0, 1)


def test_mixtures_are_refused():
    frame = table({"1": [1, 1]})
    mixed = pd.concat([frame, frame.assign(judge="some-model")])
    with pytest.raises(ConfigError, match="mixes judges"):
        pass_rates(mixed)
    assert len(pass_rates(mixed, by=("system", "judge"))) == 2
    not_run = frame.assign(judge="none", status="not_run", value=np.nan, scenario="2")
    assert only_row(pass_rates(pd.concat([frame, not_run])))["n_missing"] == 2
    with pytest.raises(ConfigError, match="mixes conditions"):
        pass_rates(pd.concat([frame, frame.assign(condition="noise")]))
    with pytest.raises(DataFormatError, match="two rows"):
        pass_rates(pd.concat([frame, frame]))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"metric": "eva_q_pass"}, DataFormatError, "no rows of 'eva_q_pass'"),
        ({"k": 0}, ConfigError, "k=0"),
        ({"k": 1.5}, ConfigError, "k=1.5"),
        ({"k": True}, ConfigError, "k=True"),
        ({"threshold": np.nan}, ConfigError, "threshold=nan"),
        ({"threshold": "high"}, ConfigError, "threshold='high'"),
        ({"n_resamples": 0}, ConfigError, "n_resamples"),
        ({"confidence": 1}, ConfigError, "confidence"),
        ({"by": ("value",)}, ConfigError, "'value'"),
        ({"strata": "region"}, DataFormatError, "no column 'region'"),
        ({"missing": "zero"}, ConfigError, "missing='zero'"),
        ({"by": ("model",)}, DataFormatError, "no column 'model'"),
    ],
)
def test_bad_arguments(change, error, message):
    with pytest.raises(error, match=message):
        pass_rates(table({"1": [1, 0]}), **change)


def test_more_k_than_trials():
    row = only_row(pass_rates(table({"1": [1, 0], "2": [1, 1]}), k=5))
    for name in ("pass_at_k", "pass_hat_k", "pass_hat_k_unbiased", "gap"):
        assert np.isnan(row[[name, f"{name}_low", f"{name}_high"]].astype(float)).all()
    assert (row["pass_at_1"], row["n_scenarios"], row["n_scenarios_k"]) == (0.75, 2, 0)
    assert row["reason"] == "no scenario has 5 trials with a value: no pass@k, no pass^k"


def test_a_domain_without_k_trials_is_named():
    frame = pd.concat(
        [table({"1": [1, 1], "2": [1, 0]}), table({"1": [1, None], "2": [0, None]}, domain="itsm")]
    )
    row = only_row(pass_rates(frame))
    assert row["pass_at_1"] == pytest.approx((0.75 + 0.5) / 2)
    assert row["pass_at_k"] == 1.0
    assert "no pass@k and pass^k of itsm" in row["reason"]


def test_table_without_the_optional_columns():
    frame = table({"1": [1, 0], "2": [1, 1]})[["system", "scenario", "trial", "metric", "value"]]
    assert only_row(pass_rates(frame))["pass_at_1"] == pytest.approx(0.75)


def exact(c, n, k):
    """The unrounded pass@k and unbiased pass^k."""
    sets = math.comb(n, k)
    return 1 - Fraction(math.comb(n - c, k), sets), Fraction(math.comb(c, k), sets)


@settings(max_examples=80)
@given(st.data())
def test_against_fractions(data):
    n = data.draw(st.integers(1, 400))
    k, c = data.draw(st.integers(1, n)), data.draw(st.integers(0, n))
    (rates,) = scenario_rates([c], [n], k)
    some, all_of_them = exact(c, n, k)
    assert rates[[0, 1, 3]].tolist() == pytest.approx([c / n, float(some), float(all_of_them)], rel=1e-12)
    if n - c < k:  # too few failures to fill k trials: exactly 1, so that scenarios can be counted
        assert rates[1] == 1
    assert ((rates >= 0) & (rates <= 1) & ~np.signbit(rates)).all()  # no -0 to be printed


@pytest.mark.parametrize("c", [0, 1, 3, 5_000, 9_499, 9_501, 9_997, 9_999, 10_000])
def test_ten_thousand_trials(c):
    """C(10000, 500) is beyond floating point; small chances keep their digits."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (rates,) = scenario_rates([c], [10_000], 500)
    some, all_of_them = exact(c, 10_000, 500)
    assert rates[1] == pytest.approx(float(some), rel=1e-12)
    assert rates[3] == pytest.approx(float(all_of_them), rel=1e-12)
    assert rates[2] == pytest.approx(float(Fraction(c, 10_000) ** 500), rel=1e-12)


def test_one_trial_makes_all_rates_one():
    rates = scenario_rates([0, 1, 3], [1, 4, 7], 1)
    assert (rates == rates[:, :1]).all()
    row = only_row(pass_rates(table({"1": [1], "2": [0], "3": [1]})))
    assert len({row[name] for name in RATES}) == 1
    assert (row["k"], row["gap"], row["gap_low"], row["gap_high"], row["reason"]) == (1, 0, 0, 0, "")


@pytest.mark.parametrize(
    ("passed", "trials", "k"),
    [
        ([1], [2, 2], 1),
        ([1.5], [2], 1),
        ([np.nan], [2], 1),
        ([1], [np.nan], 1),
        ([3], [2], 1),
        ([-1], [2], 1),
        ([1], [2], 3),
        ([1], [2], 0),
        ([1], [2], 1.5),
        (["one"], [2], 1),
        ([np.inf], [np.inf], 1),
    ],
)
def test_bad_counts(passed, trials, k):
    with pytest.raises(ConfigError):
        scenario_rates(passed, trials, k)


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.sampled_from("abcdef"),
        st.lists(st.sampled_from([0, 1, None]), min_size=1, max_size=6),
        min_size=1,
    ),
    st.integers(1, 4),
)
def test_tables_against_enumeration(passes, k):
    """Unequal numbers of trials, some missing: every set of k trials of every scenario."""
    row = only_row(pass_rates(table(passes), k=k, n_resamples=5))
    scored = {s: [v for v in trials if v is not None] for s, trials in passes.items()}
    scored = {s: trials for s, trials in scored.items() if trials}
    sets = [list(itertools.combinations(t, k)) for t in scored.values() if len(t) >= k]
    assert (row["n_scenarios"], row["n_scenarios_k"]) == (len(scored), len(sets))
    assert row["n_excluded_scenarios"] == len(passes) - len(sets)
    assert row["n_trials"] == sum(map(len, scored.values()))
    expected = [
        np.mean([np.mean(t) for t in scored.values()]) if scored else np.nan,
        np.mean([np.mean([any(s) for s in ss]) for ss in sets]) if sets else np.nan,
        np.mean([np.mean(t) ** k for t in scored.values() if len(t) >= k]) if sets else np.nan,
        np.mean([np.mean([all(s) for s in ss]) for ss in sets]) if sets else np.nan,
    ]
    assert row[list(RATES)].tolist() == pytest.approx(expected, nan_ok=True)
    assert row["gap"] == pytest.approx(expected[1] - expected[2], nan_ok=True)
    if sets == [] or len(sets) < len(passes):
        assert row["reason"]


def test_the_gap_is_paired():
    """Its interval is that of the scenarios' own gaps, not the difference of two intervals."""
    rng = np.random.default_rng(2)
    c = rng.integers(0, 6, 40)
    row = only_row(pass_rates(table({str(i): [1] * x + [0] * (5 - x) for i, x in enumerate(c)}), rng=3))
    assert row["gap"] == pytest.approx(row["pass_at_k"] - row["pass_hat_k"])
    gaps = np.where(c > 0, 1.0, 0.0) - (c / 5) ** 5
    plain = scipy.stats.bootstrap((gaps,), np.mean, method="percentile", rng=np.random.default_rng(0))
    ends = [plain.confidence_interval.low, plain.confidence_interval.high]
    assert row[["gap_low", "gap_high"]].tolist() == pytest.approx(ends, abs=0.01)
    unpaired = row["pass_at_k_high"] - row["pass_hat_k_low"]
    assert row["gap_high"] < unpaired - 0.03


@pytest.mark.parametrize("value", [0, 1])
def test_where_all_agree_the_interval_has_no_width_and_says_so(value):
    row = only_row(pass_rates(table({str(i): [value] * 3 for i in range(7)})))
    for name in (*RATES, "gap"):
        assert row[name] == row[f"{name}_low"] == row[f"{name}_high"]
    assert row["pass_at_1"] == row["pass_hat_k"] == value
    assert row["reason"] == "all 7 scenarios are equal: resampling cannot show how far others would be"


def test_rates_without_width_are_named():
    row = only_row(pass_rates(table({"1": [1, 0, 0], "2": [1, 1, 0], "3": [1, 1, 1]})))
    assert row["pass_at_k_low"] == row["pass_at_k_high"] == 1
    assert row["reason"].startswith("pass_at_k: all 3 scenarios are equal")


def test_a_domain_with_one_scenario_has_no_interval():
    frame = pd.concat([table({"1": [1, 0], "2": [1, 1]}), table({"1": [0, 1]}, domain="itsm")])
    row = only_row(pass_rates(frame))
    assert row["pass_at_1"] == pytest.approx((0.75 + 0.5) / 2)
    assert row[[f"{n}_{end}" for n in (*RATES, "gap") for end in ("low", "high")]].isna().all()
    assert row["reason"] == "no interval: a single unit to resample in itsm"
    short = table({"1": [0, 1], "2": [1, None]}, domain="itsm")
    row = only_row(pass_rates(pd.concat([table({"1": [1, 0], "2": [1, 1]}), short])))
    assert row["pass_at_1_low"] < row["pass_at_1_high"]
    assert "of pass@k and pass^k no interval: a single unit to resample in itsm" in row["reason"]


def test_groups_of_several_columns_of_none_and_of_one_name():
    a, b = table({"1": [1, 0], "2": [0, 1]}), table({"1": [1, 1], "2": [1, 0]}, system="b")
    both = pd.concat([a, b, table({"1": [0, 0], "2": [0, 0]}, domain="itsm")])
    apart = pass_rates(both, by=("system", "domain"), n_resamples=20)
    assert apart[["system", "domain", "pass_at_1"]].to_numpy().tolist() == [
        ["a", "airline", 0.5],
        ["a", "itsm", 0.0],
        ["b", "airline", 0.75],
    ]
    pd.testing.assert_frame_equal(
        pass_rates(both, by="system", n_resamples=20), pass_rates(both, n_resamples=20)
    )
    whole = only_row(pass_rates(a, by=(), n_resamples=20))
    assert whole["pass_at_1"] == 0.5
    assert list(whole.index[:2]) == ["metric", "k"]
    per_scenario = pass_rates(a, by=("system", "scenario"), n_resamples=20)
    assert per_scenario["pass_at_1"].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("by", [("system",), ("system", "domain")])
@pytest.mark.parametrize("dtype", ["object", "category", "string"])
def test_missing_labels_are_a_group_and_unused_ones_none(by, dtype):
    frame = pd.concat([table({"1": [1, 0], "2": [0, 0]}), table({"1": [1, 1], "2": [1, 1]}, system="b")])
    frame["system"] = frame["system"].where(frame["system"] == "b").astype(dtype)
    if dtype == "category":
        frame["system"] = frame["system"].cat.add_categories(["never"])
    found = pass_rates(frame, by=by, n_resamples=20)
    assert found["pass_at_1"].tolist() == [1.0, 0.25]
    assert found["system"].isna().tolist() == [False, True]


def test_a_group_cannot_be_called_like_a_result():
    with pytest.raises(ConfigError, match="'confidence'"):
        pass_rates(table({"1": [1, 0]}, confidence="high"), by=("confidence",))


def leaderboard(shared):
    path = shared / "eva-bench" / "leaderboardStats.json"
    if not path.is_file():
        pytest.skip(f"no published leaderboard at {path}")
    return json.loads(path.read_text())["systems"]


# Table 4, EVA-A: pass@1, pass@k and pass^k of the 12 systems, and their ids on the leaderboard.
TABLE_4 = {
    "cohere-plus-gemma-4-26b-plus-voxtral": (0.207, 0.416, 0.060),
    "scribe-realtime-gemini-3-flash-eleven-conversational-v3": (0.490, 0.730, 0.269),
    "ink-whisper-plus-haiku-4-5-plus-sonic-3": (0.234, 0.516, 0.057),
    "nova-3-plus-gpt-5-4-plus-sonic-3": (0.504, 0.809, 0.217),
    "nova-3-plus-gpt-5-4-mini-plus-aura-2": (0.210, 0.448, 0.062),
    "parakeet-1-1-plus-gemma-31b-plus-kokoro": (0.403, 0.748, 0.169),
    "whisper-large-v3-plus-qwen35-27b-plus-voxtral": (0.205, 0.518, 0.033),
    "gemini-3-flash-plus-gemini-3-1-flash-tts": (0.431, 0.812, 0.158),
    "ultravox": (0.270, 0.503, 0.108),
    "gemini-3-1-flash-live": (0.292, 0.552, 0.132),
    "gpt-realtime-1-5": (0.467, 0.710, 0.283),
    "gpt-realtime-mini": (0.163, 0.318, 0.059),
}
PUBLISHED = {"pass_at_1": "pass", "pass_at_k": "pass_at_k", "pass_hat_k": "pass_power_k"}


def test_median_gaps_of_the_paper(shared):
    """Section 4.3: a median of pass@k - pass^k of 0.44 on EVA-A and 0.24 on EVA-X."""
    assert np.median([at_k - hat_k for _, at_k, hat_k in TABLE_4.values()]) == pytest.approx(0.44, abs=0.005)
    systems = {s["id"]: s["clean"] for s in leaderboard(shared)}
    for axis, printed in (("EVA-A", 0.44), ("EVA-X", 0.24)):
        gaps = [
            systems[i][f"{axis}_pass_at_k"]["pooled"]["point"]
            - systems[i][f"{axis}_pass_power_k"]["pooled"]["point"]
            for i in TABLE_4
        ]
        assert np.median(gaps) == pytest.approx(printed, abs=0.005)


def test_published_domains_pool_to_table_4(shared):
    """With domains of equal weight; weights by scenarios would miss the printed digits."""
    weighted_misses = 0
    for system in leaderboard(shared):
        for name, printed in zip(PUBLISHED.values(), TABLE_4.get(system["id"], ()), strict=False):
            domains = system["clean"][f"EVA-A_{name}"]["per_domain"].values()
            points, sizes = ([d[key] for d in domains] for key in ("point", "n"))
            values = np.repeat(points, sizes)[:, None]
            found = pooled_means(values, pd.Series(np.repeat(range(3), sizes)), 5, 0.95, 0)
            assert found.estimate[0] == pytest.approx(printed, abs=0.0005 + 1e-9)
            weighted_misses += abs(values.mean() - printed) > 0.0005 + 1e-9
    assert weighted_misses > 18


def test_published_domain_rates_are_rebuilt(shared):
    """A table in which the passed trials are those published: 5 a scenario, spread as pass@k says.

    pass@1 and pass@k of a domain fix how many trials and scenarios pass, so a table of scores that
    has them must give the published pooled rates.
    """
    rng = np.random.default_rng(0)
    for system in leaderboard(shared)[:3]:
        clean = system["clean"]
        parts = []
        for domain, at_k in clean["EVA-A_pass_at_k"]["per_domain"].items():
            n, passing = at_k["n"], round(at_k["point"] * at_k["n"])
            total = round(clean["EVA-A_pass"]["per_domain"][domain]["point"] * n * 5)
            c = np.zeros(n, dtype=int)
            c[:passing] = 1
            while c.sum() < total:
                c[rng.choice(np.flatnonzero((c > 0) & (c < 5)))] += 1
            parts.append(table({str(i): [1] * x + [0] * (5 - x) for i, x in enumerate(c)}, domain=domain))
        row = only_row(pass_rates(pd.concat(parts), n_resamples=1_000))
        assert row["pass_at_1"] == pytest.approx(clean["EVA-A_pass"]["pooled"]["point"], abs=2e-3)
        pooled = clean["EVA-A_pass_at_k"]["pooled"]
        assert row["pass_at_k"] == pytest.approx(pooled["point"], abs=1e-12)
        ends = [pooled["ci_lower"], pooled["ci_upper"]]
        assert row[["pass_at_k_low", "pass_at_k_high"]].tolist() == pytest.approx(ends, abs=0.012)


def test_published_rates_are_of_this_definition(shared):
    """With n = k = 5 trials pass@k and the unbiased pass^k of a domain are whole scenarios over n;
    only p-hat to the k is not. The published pass@k are whole, the published pass^k are not."""
    ours = scenario_rates([0, 1, 3, 5], [5] * 4, 5)
    assert (ours[:, [1, 3]] % 1 == 0).all()
    whole = {"at": [], "hat": []}
    for system in leaderboard(shared):
        for name, stat in system["clean"].items():
            kind = "at" if name.endswith("pass_at_k") else "hat" if name.endswith("pass_power_k") else None
            for domain in stat["per_domain"].values() if kind else ():
                scenarios = domain["point"] * domain["n"]
                whole[kind].append(abs(scenarios - round(scenarios)) < 1e-6)
    assert len(whole["at"]) >= 72
    assert all(whole["at"])
    assert sum(whole["hat"]) < len(whole["hat"]) / 4  # those that are 0 or near it
