"""Pass rates against the enumeration of trials, by hand, and against the published leaderboard."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalib.core import ConfigError, DataFormatError
from evalib.stats import pass_rates, scenario_rates
from evalib.stats.pass_rates import RATES


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


def test_short_scenarios_are_excluded_and_counted():
    passes = {"1": [1, 1, 1], "2": [1, None, 1], "3": [None, None, None], "4": [0, 0, 0]}
    row = only_row(pass_rates(table(passes)))
    assert (row["n_scenarios"], row["n_excluded_scenarios"]) == (2, 2)
    assert (row["n_trials"], row["n_missing"]) == (6, 4)
    assert row["pass_at_1"] == pytest.approx(1 / 2)
    assert row["pass_at_1_if_missing_fails"] == pytest.approx((1 + 2 / 3 + 0 + 0) / 4)
    assert row["policy"] == "exclude"
    with_two = only_row(pass_rates(table(passes), k=2))
    assert (with_two["n_scenarios"], with_two["n_excluded_scenarios"]) == (3, 1)


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
    assert row["reason"] == "nothing scored in itsm"


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
        ({"missing": "zero"}, ConfigError, "missing='zero'"),
        ({"by": ("model",)}, DataFormatError, "no column 'model'"),
    ],
)
def test_bad_arguments(change, error, message):
    with pytest.raises(error, match=message):
        pass_rates(table({"1": [1, 0]}), **change)


def test_more_k_than_trials():
    row = only_row(pass_rates(table({"1": [1, 0]}), k=5))
    assert np.isnan(row["pass_at_k"])
    assert row["reason"] == "no scenario has 5 trials with a value"


def test_table_without_the_optional_columns():
    frame = table({"1": [1, 0], "2": [1, 1]})[["system", "scenario", "trial", "metric", "value"]]
    assert only_row(pass_rates(frame))["pass_at_1"] == pytest.approx(0.75)


def test_published_rates_are_of_this_definition(shared):
    """With n = k = 5 trials pass@k and the unbiased pass^k of a domain are whole scenarios over n;
    only p-hat to the k is not. The published pass@k are whole, the published pass^k are not."""
    path = shared / "eva-bench" / "leaderboardStats.json"
    if not path.is_file():
        pytest.skip(f"no published leaderboard at {path}")
    ours = scenario_rates([0, 1, 3, 5], [5] * 4, 5)
    assert (ours[:, [1, 3]] % 1 == 0).all()
    whole = {"at": [], "hat": []}
    for system in json.loads(path.read_text())["systems"]:
        for name, stat in system["clean"].items():
            kind = "at" if name.endswith("pass_at_k") else "hat" if name.endswith("pass_power_k") else None
            for domain in stat["per_domain"].values() if kind else ():
                scenarios = domain["point"] * domain["n"]
                whole[kind].append(abs(scenarios - round(scenarios)) < 1e-6)
    assert len(whole["at"]) >= 72
    assert all(whole["at"])
    assert sum(whole["hat"]) < len(whole["hat"]) / 4  # those that are 0 or near it
