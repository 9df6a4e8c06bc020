"""Pooled means: by hand, and against the published leaderboard."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from evalib.stats import pooled_estimate
from evalib.stats.intervals import stratified_interval


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
    assert row["reason"] == "nothing scored in itsm"
    (nothing,) = pooled_estimate(frame[frame["value"].isna()], "turn_taking").to_dict("records")
    assert np.isnan([nothing["estimate"], nothing["low"], nothing["high"]]).all()
    assert nothing["reason"] == "no trial has a value: judge_error"


def test_single_scenario_has_no_interval():
    frame = table([("airline", "1", 0, 1.0), ("itsm", "1", 0, 0.0), ("itsm", "2", 0, 1.0)])
    (row,) = pooled_estimate(frame, "turn_taking").to_dict("records")
    assert row["estimate"] == 0.75
    assert np.isnan(row["low"])
    assert "single" in row["reason"]


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
