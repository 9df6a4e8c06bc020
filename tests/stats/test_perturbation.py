"""Perturbation tests: against a plain loop over groups, and by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy import stats

from evalib.core import ConfigError, DataFormatError
from evalib.core.scores import SCORE_COLUMNS
from evalib.stats.multiplicity import holm
from evalib.stats.perturbation import perturbation_tests
from evalib.stats.sign_flip import sign_flip_test

pytestmark = pytest.mark.filterwarnings("error")
SIZES = {"airline": 12, "itsm": 9, "medical_hr": 10}
CONDITIONS = ("clean", "accent", "noise", "accent+noise")
SEED = int(np.random.default_rng(0).integers(2**63, size=2)[0])  # of the tests, by default
COLUMNS = [
    *("system", "metric", "domain", "condition", "mean_delta", "low", "high", "baseline_mean"),
    *("perturbed_mean", "n_scenarios", "n_unpaired", "n_missing", "pvalue", "p_holm", "family_size"),
    *("method", "significant", "stars", "reason"),
]


def study(systems=("a", "b"), metrics=("faithfulness", "stt_wer"), missing=0.05, seed=0):
    """A synthetic score table: 5 clean and 3 perturbed trials, fewer scenarios perturbed than clean."""
    rng = np.random.default_rng(seed)
    rows = []
    for system in systems:
        for metric in metrics:
            for domain, n in SIZES.items():
                for condition in CONDITIONS:
                    clean = condition == "clean"
                    for scenario in range(n + 4 if clean else n):
                        for trial in range(5 if clean else 3):
                            shift = 0.0 if clean else 0.15
                            value = rng.normal(1 - shift, 0.2)
                            if metric == "faithfulness":
                                value = np.clip(np.rint(2 * value) / 2, 0, 1)
                            rows.append((system, metric, domain, condition, f"{scenario:02d}", trial, value))
    names = ["system", "metric", "domain", "condition", "scenario", "trial", "value"]
    frame = pd.DataFrame(rows, columns=names)
    lost = rng.random(len(frame)) < missing
    frame["value"] = frame["value"].mask(lost)
    return frame.assign(status=np.where(lost, "judge_error", "ok"), judge="rules", judge_pass=0)


def table(rows, metric="m"):
    """From (domain, scenario, trial, condition, value), of one system."""
    frame = pd.DataFrame(rows, columns=["domain", "scenario", "trial", "condition", "value"])
    return frame.assign(system="a", metric=metric)


def by_hand(frame, system, metric, domain, condition, weights="scenarios"):
    """One row, the long way."""
    rows = frame[(frame["system"] == system) & (frame["metric"] == metric)]
    if domain != "pooled":
        rows = rows[rows["domain"] == domain]
    means, tried, lacking = {}, {}, 0
    for c in ("clean", condition):
        part = rows[rows["condition"] == c]
        tried[c] = {key for key, _ in part.groupby(["domain", "scenario"])}
        means[c] = part.dropna(subset="value").groupby(["domain", "scenario"])["value"].mean()
    both = tried["clean"] & tried[condition]
    for c in ("clean", condition):
        part = rows[(rows["condition"] == c) & rows["value"].isna()]
        lacking += sum((d, s) in both for d, s in zip(part["domain"], part["scenario"], strict=True))
    delta = (means[condition] - means["clean"]).dropna()
    weighted = delta
    if weights == "domains":
        size = delta.groupby(level="domain").transform("size")
        weighted = delta * len(delta) / (delta.index.get_level_values("domain").nunique() * size)
    return {
        "mean_delta": weighted.mean(),
        "n_scenarios": len(delta),
        "n_unpaired": len(tried["clean"] | tried[condition]) - len(delta),
        "n_missing": lacking,
        "baseline_mean": means["clean"][delta.index].mean(),
        "perturbed_mean": means[condition][delta.index].mean(),
        "pvalue": sign_flip_test(weighted.sample(frac=1, random_state=1), rng=SEED).pvalue,
    }, delta


@pytest.fixture(scope="module")
def scores():
    return study()


@pytest.fixture(scope="module")
def found(scores):
    return perturbation_tests(scores)


def test_every_row_by_hand(scores, found):
    assert list(found.columns) == COLUMNS
    assert len(found) == 2 * 2 * 4 * 3
    for row in found[found["system"] == "b"].to_dict("records"):
        expected, _ = by_hand(scores, row["system"], row["metric"], row["domain"], row["condition"])
        assert {k: row[k] for k in expected} == pytest.approx(expected, rel=1e-9)
        assert row["mean_delta"] == pytest.approx(row["perturbed_mean"] - row["baseline_mean"])
        assert row["low"] < row["mean_delta"] < row["high"]
    assert set(found["method"]) == {"exact lattice", "exact enumeration", "monte carlo"}
    assert found["n_missing"].min() > 0
    assert found["n_unpaired"].min() >= 4
    assert (found["reason"] == "").all()


def test_domains_with_equal_weight(scores):
    found = perturbation_tests(scores, pooled_weights="domains")
    pooled = found[found["domain"] == "pooled"]
    for row in pooled.to_dict("records"):
        key = (row["system"], row["metric"], "pooled", row["condition"])
        expected, delta = by_hand(scores, *key, weights="domains")
        assert row["mean_delta"] == pytest.approx(delta.groupby(level="domain").mean().mean())
        assert row["pvalue"] == pytest.approx(expected["pvalue"])
        assert row["mean_delta"] == pytest.approx(row["perturbed_mean"] - row["baseline_mean"])
    others = found[found["domain"] != "pooled"].reset_index(drop=True)
    plain = perturbation_tests(scores, pooled=False)
    assert_frame_equal(others, plain)


def test_weights_make_no_difference_where_domains_are_alike():
    frame = study(missing=0)
    frame = frame[(frame["condition"] == "clean") | (frame["scenario"].astype(int) < 8)]
    plain, weighted = (perturbation_tests(frame, pooled_weights=w) for w in ("scenarios", "domains"))
    columns = ["mean_delta", "pvalue", "p_holm", "method", "baseline_mean"]
    assert_frame_equal(plain[columns], weighted[columns], rtol=1e-12)


def test_the_interval_is_a_percentile_bootstrap_of_scenarios(scores, found):
    """Against scipy's, which draws other resamples: within the error of 1,000 of them."""
    rows = found[found["domain"].isin(["pooled", "airline"])].to_dict("records")
    z = []
    for row in rows[:12]:
        _, delta = by_hand(scores, row["system"], row["metric"], row["domain"], row["condition"])
        other = stats.bootstrap(
            (delta,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
        )
        # Error of a 2.5% quantile of 1,000 normal draws: 0.084 standard deviations.
        error = 0.084 * other.standard_error
        z += [(row["low"] - other.confidence_interval.low) / error]
        z += [(row["high"] - other.confidence_interval.high) / error]
    assert np.abs(z).max() < 4


# --- families


def test_three_conditions_are_a_family(found):
    for _, rows in found.groupby(["system", "metric", "domain"]):
        assert rows["p_holm"].to_numpy() == pytest.approx(holm(rows["pvalue"]))
        assert set(rows["family_size"]) == {3}


def test_nine_of_all_domains_are_a_family_on_request(scores):
    found = perturbation_tests(scores, family=("system", "metric"))
    for (_, _, pooled), rows in found.groupby(["system", "metric", found["domain"] == "pooled"]):
        assert rows["p_holm"].to_numpy() == pytest.approx(holm(rows["pvalue"]))
        assert set(rows["family_size"]) == {3 if pooled else 9}


def test_one_family_of_everything(scores):
    found = perturbation_tests(scores, family=(), domains=False)
    assert found["p_holm"].to_numpy() == pytest.approx(holm(found["pvalue"]))


def test_stars_and_significance():
    rows = []
    for scenario in range(14):
        for condition, n_worse in (("clean", 0), ("all", 14), ("most", 10), ("some", 8), ("none", 0)):
            rows.append(("airline", scenario, 0, condition, 1.0 - (scenario < n_worse)))
    found = perturbation_tests(table(rows), domains=False).set_index("condition")
    assert found["pvalue"].to_dict() == {"all": 2 / 2**14, "most": 2 / 2**10, "some": 2 / 2**8, "none": 1.0}
    assert found["p_holm"].to_dict() == {"all": 8 / 2**14, "most": 6 / 2**10, "some": 4 / 2**8, "none": 1.0}
    assert found["stars"].to_dict() == {"all": "***", "most": "**", "some": "*", "none": ""}
    assert found["significant"].to_dict() == {"all": True, "most": True, "some": True, "none": False}
    assert found.loc["none", "reason"] == "all deltas are zero"
    assert found.loc["none", ["low", "high"]].tolist() == [0, 0]
    stricter = perturbation_tests(table(rows), domains=False, alpha=6 / 2**10)  # below, not at
    assert stricter["significant"].sum() == 1


def test_one_sided(scores, found):
    less = perturbation_tests(scores, alternative="less")
    exact = found["method"].str.startswith("exact") & (found["mean_delta"] < 0)
    assert exact.sum() > 10
    assert less["pvalue"][exact].to_numpy() == pytest.approx(found["pvalue"][exact].to_numpy() / 2)


# --- a row's numbers are its own


def test_rows_do_not_depend_on_other_rows(scores, found):
    more = pd.concat([scores, study(systems=("0", "z"), metrics=("faithfulness", "other"), seed=9)])
    more.loc[len(more)] = {"system": "z", "metric": "other", "domain": "airline", "condition": "clean"} | {
        "scenario": "99", "trial": 0, "value": 0.5, "status": "ok", "judge": "rules", "judge_pass": 0
    }  # fmt: skip
    keys = ["system", "metric", "domain", "condition"]
    again = perturbation_tests(more.reset_index(drop=True)).merge(found[keys], on=keys)
    assert_frame_equal(again, found, rtol=1e-12)
    for condition in CONDITIONS[1:]:
        one = perturbation_tests(scores, metrics="stt_wer", conditions=[condition], domains=False)
        rows = found.merge(one[keys], on=keys)
        same = ["mean_delta", "low", "high", "pvalue", "n_scenarios", "n_unpaired", "n_missing"]
        assert_frame_equal(one[same], rows[same], rtol=1e-12)


def test_row_order_index_and_dtypes_do_not_matter(scores, found):
    shuffled = scores.sample(frac=1, random_state=3).set_index(np.zeros(len(scores)))
    assert_frame_equal(perturbation_tests(shuffled), found)
    kinds = {c: "category" for c in ("system", "metric", "domain", "condition", "scenario", "status")}
    plain = perturbation_tests(scores.astype(kinds | {"value": "Float64"}))
    assert_frame_equal(plain, found, check_dtype=False, check_categorical=False)


def test_the_seed(scores, found):
    carlo = found["method"] == "monte carlo"
    other = perturbation_tests(scores, rng=1)
    assert (other["pvalue"][carlo] != found["pvalue"][carlo]).any()
    assert (other["pvalue"][~carlo] == found["pvalue"][~carlo]).all()
    assert (other["low"] != found["low"]).any()
    assert_frame_equal(perturbation_tests(scores, rng=np.random.default_rng(1)), other)


def test_rounding_of_means_is_no_difference():
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last bit: taken for differences,
    nine of them would give p = 0.004."""
    rows = []
    for scenario in range(9):
        rows += [("airline", scenario, t, "clean", v) for t, v in enumerate([0.1, 0.2, 0.3])]
        rows += [("airline", scenario, t, "noise", v) for t, v in enumerate([0.3, 0.2, 0.1])]
    assert (0.1 + 0.2 + 0.3) != (0.3 + 0.2 + 0.1)
    for row in perturbation_tests(table(rows)).to_dict("records"):
        assert (row["pvalue"], row["mean_delta"], row["reason"]) == (1.0, 0.0, "all deltas are zero")


def test_scenarios_of_two_domains_with_one_name_are_two():
    rows = [
        (d, s, 0, c, v)
        for s in range(3)
        for d, c, v in (("x", "clean", 1.0), ("x", "noise", 0.0), ("y", "clean", 0.0), ("y", "noise", 1.0))
    ]
    found = perturbation_tests(table(rows)).set_index("domain")
    assert found["mean_delta"].to_dict() == {"x": -1.0, "y": 1.0, "pooled": 0.0}
    assert found.loc["pooled", "n_scenarios"] == 6


# --- what is missing is said


def test_conditions_that_were_not_tried():
    rows = [("airline", s, 0, "clean", 1.0) for s in range(6)]
    rows += [("itsm", s, 0, c, 0.5 + (c == "clean") / 2) for s in range(6) for c in ("clean", "noise")]
    rows += [("csm", s, 0, "noise", 1.0) for s in range(2)]
    found = perturbation_tests(table(rows)).set_index("domain")
    assert found["reason"].to_dict() == {
        "airline": "no trial under 'noise'",
        "csm": "no trial under 'clean'",
        "itsm": "",
        "pooled": "no paired scenario in airline, csm",
    }
    assert found["n_unpaired"].to_dict() == {"airline": 6, "csm": 2, "itsm": 0, "pooled": 8}
    assert found["family_size"].to_dict() == {"airline": 0, "csm": 0, "itsm": 1, "pooled": 1}
    assert found["pvalue"].isna().to_dict() == {"airline": True, "csm": True, "itsm": False, "pooled": False}
    assert found["significant"].isna().tolist() == found["pvalue"].isna().tolist()
    assert found["method"].to_dict()["airline"] == "none"
    for name in ("mean_delta", "low", "high", "baseline_mean", "perturbed_mean", "p_holm"):
        assert found[name].isna().tolist() == found["pvalue"].isna().tolist()


def test_scores_that_are_all_missing():
    frame = table([("airline", s, 0, c, 1.0) for s in range(3) for c in ("clean", "noise")])
    frame["status"] = np.where(frame["condition"] == "noise", "judge_error", "ok")
    for row in perturbation_tests(frame).to_dict("records"):
        assert row["reason"] == "no scenario has a value under both 'clean' and 'noise'"
        assert (row["n_scenarios"], row["n_unpaired"], row["n_missing"]) == (0, 3, 3)
        assert np.isnan(row["pvalue"])


def test_one_scenario():
    frame = table([("airline", 1, 0, "clean", 1.0), ("airline", 1, 0, "noise", 0.5)])
    row = perturbation_tests(frame).iloc[0]
    assert (row["mean_delta"], row["pvalue"]) == (-0.5, 1.0)
    assert np.isnan(row["low"])
    assert (
        row["reason"]
        == "1 nonzero deltas: no p below 1.0 is possible; no interval: a single unit to resample"
    )


def test_other_groups_and_no_domain(scores):
    frame = scores.assign(language=np.where(scores["system"] == "a", "en", "fr")).drop(
        columns=["system", "domain"]
    )
    frame["scenario"] = scores["domain"] + frame["scenario"]
    found = perturbation_tests(frame, by=("language",), family=("language", "metric"))
    assert set(found["domain"]) == {"pooled"}
    expected = perturbation_tests(scores, domains=False)
    same = ["mean_delta", "pvalue", "p_holm", "n_scenarios"]
    assert_frame_equal(found[same], expected[same], rtol=1e-12)


def test_columns_may_be_named_alone_or_not_at_all(scores):
    named = perturbation_tests(scores, by="system", family="system", metrics="stt_wer", domains=False)
    assert_frame_equal(
        named, perturbation_tests(scores, family=["system"], metrics=["stt_wer"], domains=False)
    )
    one = perturbation_tests(scores[scores["system"] == "a"], by=(), family=("metric", "domain"))
    assert list(one.columns) == COLUMNS[1:]
    assert len(one) == 2 * 4 * 3


def test_other_baselines(scores):
    found = perturbation_tests(scores, baseline="noise", conditions=["clean"], domains=False)
    back = perturbation_tests(scores, conditions=["noise"], domains=False)
    assert found["mean_delta"].to_numpy() == pytest.approx(-back["mean_delta"].to_numpy())
    assert found["pvalue"].to_numpy() == pytest.approx(back["pvalue"].to_numpy())


def test_a_full_score_table_is_read(scores):
    full = scores.assign(architecture="cascade", reason="", metric_version="1")[list(SCORE_COLUMNS)]
    assert_frame_equal(perturbation_tests(full), perturbation_tests(scores))


# --- refusals


def renamed(frame, column, old, new):
    return frame.assign(**{column: frame[column].replace(old, new)})


@pytest.mark.parametrize(
    ("change", "arguments", "error", "message"),
    [
        (lambda f: f.drop(columns="condition"), {}, DataFormatError, "no column 'condition'"),
        (lambda f: f.drop(columns="trial"), {}, DataFormatError, "no column 'trial'"),
        (lambda f: f.drop(columns="system"), {}, DataFormatError, "no column 'system'"),
        (lambda f: pd.concat([f, f]), {}, DataFormatError, "two rows"),
        (lambda f: f.assign(judge=np.resize(["x", "y"], len(f))), {}, ConfigError, "mixes judges"),
        (lambda f: f[f["condition"] == "clean"], {}, ConfigError, "has 'clean' only"),
        (lambda f: f[f["condition"] != "clean"], {}, DataFormatError, "no condition 'clean'"),
        (lambda f: f[:0], {}, DataFormatError, "no condition 'clean'; it has none"),
        (lambda f: renamed(f, "domain", "itsm", "pooled"), {}, DataFormatError, "'pooled'"),
        (lambda f: renamed(f, "domain", "itsm", None), {}, DataFormatError, "no domain"),
        (lambda f: renamed(f, "condition", "noise", None), {}, DataFormatError, "no condition: give"),
        (lambda f: f.assign(value=np.inf, status="ok"), {}, DataFormatError, "infinite"),
        (None, {"metrics": ["nothing"]}, DataFormatError, "no rows of 'nothing'"),
        (None, {"conditions": ["rain"]}, DataFormatError, "no condition 'rain'"),
        (None, {"conditions": ["clean"]}, ConfigError, "no condition to compare"),
        (None, {"family": ("system", "judge")}, ConfigError, "family"),
        (None, {"metrics": []}, ConfigError, "names no metric"),
        (None, {"conditions": []}, ConfigError, "no condition to compare"),
        (None, {"by": ("domain",)}, ConfigError, "by must not hold 'domain'"),
        (None, {"by": ("judge",)}, DataFormatError, "two rows"),
        (None, {"domains": False, "pooled": False}, ConfigError, "no rows"),
        (None, {"pooled_weights": "equal"}, ConfigError, "pooled_weights"),
        (None, {"alternative": "worse"}, ConfigError, "alternative"),
        (None, {"alpha": 0}, ConfigError, "alpha"),
        (None, {"confidence": 95}, ConfigError, "confidence"),
        (None, {"n_resamples": 0}, ConfigError, "n_resamples"),
        (None, {"n_bootstrap": 0}, ConfigError, "n_bootstrap"),
        (None, {"exact": "never"}, ConfigError, "exact"),
    ],
)
def test_refusals(scores, change, arguments, error, message):
    frame = scores if change is None else change(scores)
    with pytest.raises(error, match=message) as raised:
        perturbation_tests(frame, **arguments)
    assert "\n" not in str(raised.value)


def test_arguments_of_the_wrong_kind(scores):
    few = {"n_bootstrap": 5, "domains": False}
    assert_frame_equal(
        perturbation_tests(scores, by=["system", "system"], **few), perturbation_tests(scores, **few)
    )
    with pytest.raises(DataFormatError, match="DataFrame"):
        perturbation_tests(None)
    with pytest.raises(DataFormatError, match="infinite"):
        perturbation_tests(scores.assign(value=np.inf, status="ok"))
    for arguments, message in (
        ({"domains": "no"}, "domains"),
        ({"pooled": 1}, "pooled"),
        ({"alpha": "a"}, "alpha"),
        ({"confidence": None}, "confidence"),
        ({"n_bootstrap": 2.5}, "n_bootstrap"),
        ({"n_resamples": "a"}, "n_resamples"),
        ({"by": [1], "family": ["system"]}, "family"),
    ):
        with pytest.raises(ConfigError, match=message):
            perturbation_tests(scores, **arguments)


def test_the_family_follows_by():
    frame = study(systems=("a",), metrics=("faithfulness",)).rename(columns={"system": "stack"})
    found = perturbation_tests(frame, by="stack", n_bootstrap=5)
    assert_frame_equal(
        found, perturbation_tests(frame, by="stack", family=("stack", "metric", "domain"), n_bootstrap=5)
    )
    assert set(found["family_size"]) == {3}
