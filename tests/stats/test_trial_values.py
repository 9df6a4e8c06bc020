"""One value per trial, whatever the table's dtypes, index and order; what cannot be read is named."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from evalib.core import ConfigError, DataFormatError, Score, Status, score_frame
from evalib.stats import pass_rates, pooled_estimate
from evalib.stats.trial_values import groups_of, missing_note, trial_values


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def scores():
    """Two systems, two domains with the same scenario ids, two trials, two metrics; one missing."""
    rows = [
        Score(s, "cascade", d, i, t, "clean", m, value=float((len(s) + t + int(i)) % 2), judge="rules")
        for s in ("a", "bb")
        for d in ("airline", "itsm")
        for i in ("1", "2")
        for t in (0, 1)
        for m in ("eva_a_pass", "eva_a_pass.part")
    ]
    rows[0] = Score(
        "a", "cascade", "airline", "1", 0, "clean", "eva_a_pass", None, "infra_error", "x", "rules"
    )
    return score_frame(rows)


PLAIN = trial_values(scores(), "eva_a_pass")


def same(frame, expected=PLAIN, **how):
    found = trial_values(frame, how.pop("metric", "eva_a_pass"), **how)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_categorical=False)


def test_what_it_gives():
    assert list(PLAIN) == ["system", "stratum", "scenario", "trial", "value", "status"]
    assert len(PLAIN) == 16
    assert PLAIN["value"].isna().tolist() == [True] + [False] * 15
    assert PLAIN.loc[0].tolist()[:4] == ["a", "airline", "1", 0]
    assert PLAIN["status"].tolist() == ["infra_error"] + ["ok"] * 15
    assert PLAIN.loc[1, "value"] == (1 + 1 + 1) % 2
    same(scores(), PLAIN.assign(value=trial_values(scores(), "eva_a_pass.part")["value"], status="ok"),
         metric="eva_a_pass.part")  # fmt: skip


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "boolean", object, "category", "float32", "Float32"])
def test_dtypes_of_values(dtype):
    frame = scores()
    values = frame["value"]
    if dtype == "boolean":
        values = values.astype("Int64")
    same(frame.assign(value=values.astype(dtype)))


def test_plain_bools_and_objects_that_are_numbers():
    frame = scores()[lambda f: f["value"].notna()]
    expected = trial_values(frame, "eva_a_pass")
    for values in (
        frame["value"].astype(bool),
        frame["value"].astype(int),
        frame["value"].map({0.0: False, 1.0: np.True_}).astype(object),
        frame["value"].map(Fraction).astype(object),
    ):
        same(frame.assign(value=values), expected)
    with_none = scores()
    same(with_none.assign(value=with_none["value"].astype(object).where(with_none["value"].notna(), None)))
    same(with_none.assign(value=with_none["value"].astype(object).where(with_none["value"].notna(), pd.NA)))


@pytest.mark.parametrize("dtype", ["category", "string", object])
def test_dtypes_of_labels(dtype):
    frame = scores()
    for column in ("system", "domain", "scenario", "metric", "status", "judge", "condition"):
        frame[column] = frame[column].astype(dtype)
        if dtype == "category":
            frame[column] = frame[column].cat.add_categories(["unused"])
    same(frame)
    rates = pass_rates(frame, n_resamples=20)
    assert rates["system"].tolist() == ["a", "bb"]
    assert rates["pass_at_1"].tolist() == pass_rates(scores(), n_resamples=20)["pass_at_1"].tolist()


def test_dtypes_of_trials():
    for dtype in ("Int64", "int8", "float", "category"):
        same(scores().astype({"trial": dtype}))


def test_any_order_and_index():
    frame = scores()
    same(frame.sample(frac=1, random_state=1))
    same(frame.set_axis([0] * len(frame)))
    same(frame.set_axis(pd.Index(["same"] * len(frame), name="value")))
    same(frame.set_index(["system", "trial"], drop=False).rename_axis([None, None]))
    with pytest.raises(DataFormatError, match=r"no column 'trial'.*reset_index\(\)"):
        trial_values(frame.set_index(["architecture", "trial"]), "eva_a_pass")


def test_the_input_is_left_as_it_is():
    frame = scores()
    kept = frame.copy(deep=True)
    for call in (trial_values, pooled_estimate):
        call(frame, "eva_a_pass")
    pass_rates(frame, n_resamples=20)
    pass_rates(frame, n_resamples=20, missing="fail")
    pd.testing.assert_frame_equal(frame, kept)
    found = trial_values(frame, "eva_a_pass")
    found["value"] = 9.0
    pd.testing.assert_frame_equal(frame, kept)


def test_statuses():
    frame = scores()
    same(frame.assign(status=[Status(s) for s in frame["status"]]))
    same(frame.assign(status=[str(s) for s in frame["status"]]))
    with pytest.raises(DataFormatError, match="unknown status 'crashed': use one of ok, "):
        trial_values(frame.assign(status="crashed"), "eva_a_pass")
    unused = frame.assign(status=frame["status"].where(frame["metric"] == "eva_a_pass", "crashed"))
    same(unused)  # rows of other metrics are not read


@pytest.mark.parametrize("absent", [None, np.nan, pd.NA])
def test_rows_without_a_status_go_by_their_value(absent):
    frame = scores()
    expected = PLAIN.assign(status=["not_run"] + ["ok"] * 15)
    same(frame.drop(columns="status"), expected)
    same(frame.assign(status=pd.Series([absent] * len(frame), dtype=object)), expected)


def test_a_value_that_is_not_ok_does_not_count_and_ok_needs_a_value():
    frame = scores()
    frame.loc[0, "value"] = 1.0  # beside its infra_error
    same(frame)
    frame.loc[0, ["value", "status"]] = [np.nan, "ok"]
    same(frame, PLAIN.assign(status=["not_run"] + ["ok"] * 15))


def test_what_is_no_number_is_named():
    frame = scores()
    words = frame["value"].astype(object)
    words.iloc[2] = "high"
    with pytest.raises(DataFormatError, match=r"eva_a_pass has values that are no numbers \('high'\)"):
        trial_values(frame.assign(value=words), "eva_a_pass")
    for values in (frame["value"].astype("string"), frame["value"].astype(str).astype("category"), 1j):
        with pytest.raises(DataFormatError, match="no numbers"):
            trial_values(frame.assign(value=values), "eva_a_pass")
    with pytest.raises(DataFormatError, match="no numbers"):
        trial_values(frame.assign(value=pd.Timestamp("2026-01-01")), "eva_a_pass")


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_infinite_values_are_refused_where_they_are(infinity):
    frame = scores()
    frame.loc[2, "value"] = infinity
    for call in (lambda: pooled_estimate(frame, "eva_a_pass"), lambda: pass_rates(frame, threshold=0.5)):
        with pytest.raises(DataFormatError, match=r"infinite value of eva_a_pass for .*'trial': 1"):
            call()
    frame.loc[2, "status"] = "infra_error"
    assert pass_rates(frame, n_resamples=20)["n_missing"].tolist() == [2, 0]


def test_passes_of_a_judge():
    first = scores().assign(value=lambda f: f["value"].where(f["value"].isna(), 0.25), judge_pass=0)
    second = scores().assign(value=lambda f: f["value"].where(f["value"].isna(), 0.75), judge_pass=1)
    second.loc[2, ["value", "status"]] = [np.nan, "judge_error"]
    for passes in ([first, second], [second, first]):
        found = trial_values(pd.concat(passes), "eva_a_pass")
        assert found["value"].isna().tolist() == [True] + [False] * 15
        assert found["value"].iloc[1:3].tolist() == [0.25, 0.5]
        assert found["status"].tolist() == ["infra_error"] + ["ok"] * 15
    spoilt = first.copy()
    spoilt.loc[2, ["value", "status"]] = [np.nan, "judge_error"]
    second.loc[2, ["value", "status"]] = [0.75, "ok"]
    found = trial_values(pd.concat([spoilt, second]), "eva_a_pass")
    assert found.loc[1, ["value", "status"]].tolist() == [0.75, "ok"]  # one pass is enough
    apart = trial_values(pd.concat([first, second]), "eva_a_pass", by=("system", "judge_pass"))
    assert len(apart) == 32


def test_groups():
    assert len(trial_values(scores(), "eva_a_pass", by="system")) == 16
    same(scores(), by="system")
    same(scores(), by=["system", "system"])
    alone = scores()[lambda f: f["system"] == "a"]
    found = trial_values(alone, "eva_a_pass", by=())
    assert list(found) == ["stratum", "scenario", "trial", "value", "status"]
    ((key, group),) = groups_of(found, ())
    assert (key, len(group)) == ({}, 8)
    with pytest.raises(DataFormatError, match="two rows"):
        trial_values(scores(), "eva_a_pass", by=())
    with pytest.raises(ConfigError, match="by names 'value'"):
        trial_values(scores(), "eva_a_pass", by=("value",))


def test_scenarios_without_domains():
    frame = scores()[lambda f: f["domain"] == "itsm"].drop(columns="domain")
    found = trial_values(frame, "eva_a_pass")
    assert set(found["stratum"]) == {"all"}
    assert pass_rates(frame, n_resamples=20)["n_scenarios"].tolist() == [2, 2]
    with pytest.raises(DataFormatError, match="two rows"):  # ids of two domains, domains thrown away
        trial_values(scores().drop(columns="domain"), "eva_a_pass")


def test_other_strata_keep_scenarios_of_domains_apart():
    frame = scores().assign(region="north")
    frame["trial"] += np.where(frame["domain"] == "itsm", 2, 0)
    with pytest.raises(ConfigError, match="scenario '1' is in several domains of one region"):
        trial_values(frame, "eva_a_pass", strata="region")
    frame["scenario"] = frame["domain"] + frame["scenario"]
    found = pooled_estimate(frame, "eva_a_pass", strata="region", n_resamples=20)
    assert found[["n_strata", "n_scenarios"]].to_numpy().tolist() == [[1, 4], [1, 4]]


@pytest.mark.parametrize(
    ("column", "name"), [("scenario", "scenario"), ("trial", "trial"), ("domain", "domain")]
)
def test_rows_that_belong_nowhere_are_refused(column, name):
    frame = scores()
    frame[column] = frame[column].astype(object).mask(frame.index == 4)
    with pytest.raises(DataFormatError, match=f"no {name}"):
        trial_values(frame, "eva_a_pass")


def test_tables_that_cannot_be_read():
    with pytest.raises(DataFormatError, match=r"no rows of 'x' \(it has eva_a_pass, eva_a_pass\.part\)"):
        trial_values(scores(), "x")
    with pytest.raises(DataFormatError, match="no rows of 'eva_a_pass', nor of any other metric"):
        trial_values(score_frame([]), "eva_a_pass")
    with pytest.raises(DataFormatError, match=r"two rows of eva_a_pass for \{'system': 'a'"):
        trial_values(pd.concat([scores(), scores()]), "eva_a_pass")
    with pytest.raises(DataFormatError, match="is a dict"):
        trial_values(scores().to_dict(), "eva_a_pass")
    with pytest.raises(DataFormatError, match="two columns 'value'"):
        trial_values(pd.concat([scores(), scores()[["value"]]], axis=1), "eva_a_pass")
    with pytest.raises(DataFormatError, match="no column 'metric'"):
        trial_values(scores().drop(columns="metric"), "eva_a_pass")
    with pytest.raises(ConfigError, match=r"mixes judges of eva_a_pass \(model, rules\)"):
        trial_values(pd.concat([scores(), scores().assign(judge="model")]), "eva_a_pass")
    with pytest.raises(ConfigError, match="mixes conditions"):
        trial_values(pd.concat([scores(), scores().assign(condition="noisy")]), "eva_a_pass")


def test_notes_on_missing_trials():
    statuses = ["judge_error"] * 17 + ["infra_error"] * 40
    assert missing_note(pd.Series(statuses)) == (
        "57 trials have no value (infra_error 40, judge_error 17): left out"
    )
    assert missing_note(pd.Series(["not_run"])) == "1 trial has no value (not_run 1): left out"
    assert missing_note(pd.Series([], dtype=object)) == ""


@pytest.mark.parametrize("column", ["domain", "status", "judge", "judge_pass", "condition"])
def test_a_column_twice_is_refused(column):
    frame = scores()
    with pytest.raises(DataFormatError, match=f"two columns '{column}'"):
        trial_values(pd.concat([frame, frame[[column]]], axis=1), "task")


@pytest.mark.parametrize("names", [None, 3, [["system"]]])
def test_what_is_no_name(names):
    with pytest.raises(ConfigError, match="name of a column"):
        trial_values(scores(), "task", by=names)
    with pytest.raises((ConfigError, DataFormatError)):
        trial_values(scores(), "task", strata=names)
    with pytest.raises(ConfigError, match="metric="):
        trial_values(scores(), ["task"])


def test_values_that_are_lists():
    frame = scores()
    frame["value"] = [[1.0]] * len(frame)
    with pytest.raises(DataFormatError, match="no numbers"):
        trial_values(frame, frame["metric"].iloc[0])


def test_draws_do_not_depend_on_the_order_of_categories():
    rng = np.random.default_rng(0)
    d, s, t = (a.ravel() for a in np.mgrid[0:2, 0:5, 0:3])
    frame = pd.DataFrame({"domain": d, "scenario": s, "trial": t}).astype(str)
    frame = frame.assign(metric="m", system="a", value=rng.random(len(d)))
    turned = frame.copy()
    for column in ("domain", "scenario", "trial"):
        turned[column] = pd.Categorical(frame[column], categories=frame[column].unique()[::-1])
    wanted = pooled_estimate(frame, "m", n_resamples=50)
    pd.testing.assert_frame_equal(pooled_estimate(turned, "m", n_resamples=50), wanted, check_exact=True)


@pytest.mark.parametrize("scale", [1e308, 1e-300])
def test_values_that_cannot_be_squared(scale):
    frame = pd.DataFrame({"scenario": [0, 1, 2], "trial": 0, "metric": "m", "value": scale, "system": "a"})
    with pytest.raises(ConfigError, match="cannot be squared"):
        pooled_estimate(frame, "m")


@pytest.mark.parametrize("function", [pooled_estimate, pass_rates])
def test_groups_are_not_hidden_by_what_is_found(function):
    frame = pd.DataFrame({"scenario": [0, 1], "trial": 0, "metric": "m", "value": 1.0, "confidence": "high"})
    with pytest.raises(ConfigError, match="by names 'confidence'"):
        function(frame, metric="m", by="confidence")


@pytest.mark.parametrize("function", [pooled_estimate, pass_rates])
def test_too_few_resamples_are_told(function):
    frame = pd.DataFrame({"scenario": range(6), "trial": 0, "metric": "m", "value": [0.0, 1.0] * 3})
    reasons = function(frame, metric="m", by=(), n_resamples=5)["reason"]
    assert reasons.tolist() == ["an end is the outermost of 5 resamples: take more"]


@pytest.mark.parametrize("column", ["scenario", "trial", "domain"])
def test_an_id_as_text_and_as_number_is_not_two(column):
    frame = pd.DataFrame({"scenario": [1, 1], "trial": [1, 1], "domain": [1, 1], "metric": "m", "value": 1.0})
    frame[column] = pd.Series([1, "1"], dtype=object)
    with pytest.raises(DataFormatError, match=f"{column} '1' is there as text and as a number"):
        trial_values(frame, "m", by=())


@pytest.mark.parametrize("column", ["scenario", "trial", "system", "domain", "judge", "metric"])
def test_labels_that_are_lists(column):
    frame = scores()
    frame[column] = [[1]] * len(frame)
    with pytest.raises(DataFormatError, match=f"column '{column}' holds an unhashable type"):
        trial_values(frame, "task")


def test_ids_that_cannot_be_sorted():
    frame = pd.DataFrame({"trial": 0, "metric": "m", "value": [1.0, 0.0], "scenario": [(1, 2), 3]})
    with pytest.raises(DataFormatError, match="cannot be sorted"):
        trial_values(frame, "m", by=())


def test_two_rows_of_a_trial_are_refused_with_what_tells_them_apart():
    frame = pd.DataFrame(
        {"system": ["a", "b"], "scenario": "s", "trial": 0, "metric": "m", "value": [1.0, 0.0], "domain": "d"}
    )
    with pytest.raises(DataFormatError, match=r"'domain': 'd'.*they differ in system: add it to by"):
        trial_values(frame, "m", by=())
    with pytest.raises(DataFormatError, match="keep one of them"):
        trial_values(frame.assign(system="a"), "m")
