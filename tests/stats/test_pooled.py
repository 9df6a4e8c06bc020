"""Pooled means: by hand, and against the published leaderboard."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from evalib.core import ConfigError, DataFormatError
from evalib.stats import pass_rates, pooled_estimate
from evalib.stats.intervals import bootstrap_ci, stratified_interval


def table(values, metric="turn_taking"):
    """A score table from (domain, scenario, trial, value)."""
    frame = pd.DataFrame(values, columns=["domain", "scenario", "trial", "value"])
    return frame.assign(
        system="a", metric=metric, status=np.where(frame["value"].isna(), "judge_error", "ok")
    )


def test_trials_then_scenarios_then_domains():
    frame = table(
        [
            ("airline", "1", 0, 0.0),
            ("airline", "1", 1, 1.0),
            ("airline", "1", 2, 0.5),  # scenario mean .5, although it has three trials
            ("airline", "2", 0, 1.0),  # domain mean .75
            ("itsm", "1", 0, 0.2),
            ("itsm", "2", 0, 0.4),
            ("itsm", "3", 0, 0.0),  # .2
        ]
    )
    (row,) = pooled_estimate(frame, "turn_taking").to_dict("records")
    assert row["estimate"] == pytest.approx((0.75 + 0.2) / 2)
    assert (row["n_strata"], row["n_scenarios"], row["n_trials"], row["n_missing"]) == (2, 5, 7, 0)
    expected = stratified_interval(
        [np.array([[0.5], [1.0]]), np.array([[0.2], [0.4], [0.0]])],
        rng=int(np.random.default_rng(0).integers(2**63)),
    )
    assert (row["low"], row["high"]) == (expected[1][0], expected[2][0])
    assert row["low"] < row["estimate"] < row["high"]


def test_by_domain():
    frame = table(
        [("airline", "1", 0, 1.0), ("airline", "2", 0, 0.0), ("itsm", "1", 0, 3.0), ("itsm", "2", 0, 5.0)]
    )
    found = pooled_estimate(frame, "turn_taking", by=("system", "domain")).set_index("domain")["estimate"]
    assert found.to_dict() == {"airline": 0.5, "itsm": 4.0}


def test_missing():
    frame = table(
        [
            ("airline", "1", 0, 1.0),
            ("airline", "1", 1, None),
            ("airline", "2", 0, 0.0),
            ("itsm", "1", 0, None),
        ]
    )
    (row,) = pooled_estimate(frame, "turn_taking").to_dict("records")
    assert (row["estimate"], row["n_missing"], row["policy"]) == (0.5, 2, "exclude")
    assert row["reason"] == "2 trials have no value (judge_error 2): left out; nothing scored in itsm"
    (nothing,) = pooled_estimate(frame[frame["value"].isna()], "turn_taking").to_dict("records")
    assert np.isnan([nothing["estimate"], nothing["low"], nothing["high"]]).all()
    assert nothing["reason"] == "no trial has a value: judge_error"


def test_single_scenario_has_no_interval():
    frame = table([("airline", "1", 0, 1.0), ("itsm", "1", 0, 0.0), ("itsm", "2", 0, 1.0)])
    (row,) = pooled_estimate(frame, "turn_taking").to_dict("records")
    assert row["estimate"] == 0.75
    assert np.isnan(row["low"])
    assert np.isnan([row["high"], row["half_width"], row["longer_arm"]]).all()
    assert row["reason"] == "no interval: a single unit to resample in airline"
    by_domain = pooled_estimate(frame, "turn_taking", by=("system", "domain")).set_index("domain")
    assert by_domain.loc["airline", "reason"] == "no interval: a single unit to resample"
    assert by_domain.loc["itsm", "reason"] == ""


def test_constants_have_no_width_and_say_so():
    frame = table([("airline", str(i), t, 0.1) for i in range(7) for t in range(3)])
    (row,) = pooled_estimate(frame, "turn_taking").to_dict("records")
    assert row["low"] == row["estimate"] == row["high"] == pytest.approx(0.1)
    assert row["half_width"] == row["longer_arm"] == 0
    assert row["reason"] == "all 7 scenarios are equal: resampling cannot show how far others would be"


def test_equal_trials_in_unequal_numbers_have_no_width():
    """Means of one number of equal values can differ in the last bit; the interval must not."""
    frame = table([("airline", str(i), t, 0.1) for i in range(4) for t in range(3 + i)])
    (row,) = pooled_estimate(frame, "turn_taking").to_dict("records")
    assert row["low"] == row["high"]
    assert "equal" in row["reason"]


def test_arms_of_a_skewed_interval():
    frame = table([("airline", str(i), 0, float(i == 0)) for i in range(12)])
    (row,) = pooled_estimate(frame, "turn_taking", rng=5).to_dict("records")
    assert row["half_width"] == pytest.approx((row["high"] - row["low"]) / 2)
    assert row["longer_arm"] == pytest.approx(row["high"] - row["estimate"])
    assert row["longer_arm"] > row["half_width"]
    same = bootstrap_ci(frame["value"], n_resamples=40_000)
    assert row["longer_arm"] == pytest.approx(same.longer_arm, abs=1e-9)  # on the lattice of 1/12


def test_groups_and_arguments():
    frame = table([("airline", str(i), t, i / 10) for i in range(5) for t in range(2)])
    whole = pooled_estimate(frame, "turn_taking", by=(), n_resamples=20)
    named = pooled_estimate(frame, "turn_taking", by="system", n_resamples=20)
    pd.testing.assert_frame_equal(whole, named.drop(columns="system"))
    shuffled = frame.sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(pooled_estimate(shuffled, "turn_taking", by=(), n_resamples=20), whole)
    for change, error, message in (
        ({"n_resamples": 0}, ConfigError, "n_resamples"),
        ({"confidence": 95}, ConfigError, "confidence=95"),
        ({"strata": "region"}, DataFormatError, "'region'"),
        ({"metric": "conciseness"}, DataFormatError, r"no rows of 'conciseness' \(it has turn_taking\)"),
    ):
        with pytest.raises(error, match=message):
            pooled_estimate(frame, **({"metric": "turn_taking"} | change))
    with pytest.raises(DataFormatError, match=r"infinite value of turn_taking for .*'scenario': '1'"):
        pooled_estimate(frame.assign(value=frame["value"].replace(0.1, -np.inf)), "turn_taking")


def test_published_pooled_points(shared):
    """Give every scenario of a domain the domain's published mean: the pooled mean is published."""
    path = shared / "eva-bench" / "leaderboardStats.json"
    if not path.is_file():
        pytest.skip(f"no published leaderboard at {path}")
    rows, published = [], {}
    for system in json.loads(path.read_text())["systems"]:
        stat = system["clean"]["turn_taking"]
        published[system["id"]] = stat["pooled"]["point"]
        rows += [
            (domain, str(i), 0, values["point"], system["id"])
            for domain, values in stat["per_domain"].items()
            for i in range(values["n"])
        ]
    frame = table([r[:4] for r in rows]).assign(system=[r[4] for r in rows])
    found = pooled_estimate(frame, "turn_taking", n_resamples=10).set_index("system")
    assert len(found) == len(published) >= 12
    assert set(found["n_scenarios"]) == {213}
    for system, point in published.items():
        assert found.loc[system, "estimate"] == pytest.approx(point, abs=1e-12)


@pytest.mark.parametrize("function", [pooled_estimate, pass_rates])
def test_a_group_without_a_domain_of_the_others_is_told(function):
    """Its mean is over fewer domains, which its rows alone cannot show."""
    d, s, t = (a.ravel() for a in np.mgrid[0:2, 0:3, 0:2])
    frame = pd.DataFrame({"domain": d, "scenario": s, "trial": t, "value": (s + t) % 2}).astype(
        {"domain": str}
    )
    frame = frame.assign(metric="m", workflow="of " + frame["domain"])
    both = pd.concat([frame.assign(system="a"), frame[frame["domain"] == "0"].assign(system="b")])
    found = function(both, metric="m", n_resamples=100)["reason"]
    assert found.str.contains("nothing scored in 1").tolist() == [False, True]
    for by in (["system", "domain"], ["system", "workflow"]):  # there it is by design
        assert not function(both, metric="m", by=by, n_resamples=100)["reason"].str.contains("nothing").any()


def test_scenarios_that_only_others_have_are_told():
    rows = [(system, "d", s, 0, "m", 1.0) for system in "ab" for s in range(10)]
    frame = pd.DataFrame(rows, columns=["system", "domain", "scenario", "trial", "metric", "value"])
    part = frame[(frame["system"] == "a") | (frame["scenario"] < 7)]
    for function in (pooled_estimate, pass_rates):
        found = function(part, metric="m", n_resamples=10).set_index("system")
        assert "3 of 10 scenarios that others have are not in the table" in found.loc["b", "reason"]
        assert "not in the table" not in found.loc["a", "reason"]
    apart = frame.assign(workflow=frame["scenario"] % 2)  # no scenario in common: by design
    assert not pooled_estimate(apart, "m", by=("system", "workflow"))["reason"].str.contains("not in").any()
