"""Systems compared in pairs: against a plain loop over scenario means, and by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy import stats

from evalib.core import ConfigError, DataFormatError
from evalib.core.scores import SCORE_COLUMNS
from evalib.stats.comparisons import compare_systems
from evalib.stats.multiplicity import holm
from evalib.stats.perturbation import perturbation_tests
from evalib.stats.sign_flip import sign_flip_test

pytestmark = pytest.mark.filterwarnings("error")
SIZES = {"airline": 9, "itsm": 12}
LEVELS = {"a": 0.8, "b": 0.65, "c": 0.6}
SEED = int(np.random.default_rng(0).integers(2**63, size=2)[0])  # of the tests, by default
COLUMNS = [
    *("metric", "domain", "system_a", "system_b", "mean_difference", "low", "high", "mean_a", "mean_b"),
    *("n_scenarios", "n_unpaired", "n_missing", "pvalue", "p_holm", "family_size", "method"),
    *("significant", "stars", "reason"),
]


def study(seed=0, missing=0.05):
    """A synthetic score table: c has not been tried on all scenarios, and some trials are lost."""
    rng = np.random.default_rng(seed)
    rows = []
    for metric in ("faithfulness", "stt_wer"):
        for domain, n in SIZES.items():
            hard = rng.normal(0, 0.2, n)
            for system, level in LEVELS.items():
                for scenario in range(n - 2 if system == "c" else n):
                    for trial in range(4):
                        value = level + hard[scenario] + rng.normal(0, 0.15)
                        if metric == "faithfulness":
                            value = float(np.clip(np.rint(2 * value) / 2, 0, 1))
                        rows.append((system, metric, domain, f"{scenario:02d}", trial, value))
    frame = pd.DataFrame(rows, columns=["system", "metric", "domain", "scenario", "trial", "value"])
    lost = rng.random(len(frame)) < missing
    frame["value"] = frame["value"].mask(lost)
    return frame.assign(
        status=np.where(lost, "judge_error", "ok"), judge="rules", judge_pass=0, condition="clean"
    )


def table(values, metric="m", domain="airline"):
    """From {system: {scenario: values of its trials}}."""
    rows = [
        (system, domain, metric, scenario, trial, value)
        for system, scenarios in values.items()
        for scenario, trials in scenarios.items()
        for trial, value in enumerate(trials)
    ]
    return pd.DataFrame(rows, columns=["system", "domain", "metric", "scenario", "trial", "value"])


@pytest.fixture(scope="module")
def scores():
    return study()


@pytest.fixture(scope="module")
def found(scores):
    return compare_systems(scores)


def differences(scores, row, weights="scenarios"):
    """The scenarios' differences of a row, the long way, and what is counted beside them."""
    rows = scores[scores["metric"] == row["metric"]]
    if row["domain"] != "pooled":
        rows = rows[rows["domain"] == row["domain"]]
    sides = [rows[rows["system"] == row[side]] for side in ("system_a", "system_b")]
    a, b = (side.groupby(["domain", "scenario"])["value"].mean() for side in sides)
    delta = (a - b).dropna()
    both = a.index.intersection(b.index)
    lacking = sum(side.set_index(["domain", "scenario"]).loc[both, "value"].isna().sum() for side in sides)
    counts = {
        "n_scenarios": len(delta),
        "n_unpaired": len(a.index.union(b.index)) - len(delta),
        "n_missing": lacking,
        "mean_a": a[delta.index].mean(),
        "mean_b": b[delta.index].mean(),
    }
    return delta, counts


def test_every_row_by_hand(scores, found):
    assert list(found.columns) == COLUMNS
    assert len(found) == 2 * 3 * 3
    for row in found.to_dict("records"):
        delta, counts = differences(scores, row)
        assert {k: row[k] for k in counts} == pytest.approx(counts, rel=1e-12)
        assert row["mean_difference"] == pytest.approx(delta.mean())
        assert row["mean_difference"] == pytest.approx(row["mean_a"] - row["mean_b"])
        assert row["pvalue"] == pytest.approx(sign_flip_test(delta, rng=SEED).pvalue, rel=1e-9)
        assert row["low"] < row["mean_difference"] < row["high"]
        assert row["reason"] == ""
    pairs = list(zip(found["system_a"], found["system_b"], strict=True))
    assert pairs == list(combinations("abc", 2)) * 6
    assert {"exact lattice", "exact enumeration"} <= set(found["method"])
    assert found["n_missing"].min() > 0
    assert set(found.loc[found["system_b"] == "c", "n_unpaired"]) == {2, 4}


def test_small_samples_agree_with_scipy(scores, found):
    rows = found[(found["domain"] == "airline") & (found["metric"] == "stt_wer")].to_dict("records")
    assert len(rows) == 3
    for row in rows:
        delta, _ = differences(scores, row)
        other = stats.permutation_test(
            (delta, np.zeros(len(delta))), lambda x, y: np.mean(x - y), permutation_type="samples"
        )
        assert row["pvalue"] == pytest.approx(other.pvalue, rel=1e-9)


def test_the_interval_is_a_percentile_bootstrap_of_scenarios(scores, found):
    """Against scipy's, which draws other resamples: within the error of 1,000 of them."""
    z = []
    for row in found[found["domain"] == "pooled"].to_dict("records"):
        delta, _ = differences(scores, row)
        other = stats.bootstrap(
            (delta,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(1)
        )
        # Error of a 2.5% quantile of 1,000 normal draws: 0.084 standard deviations.
        error = 0.084 * other.standard_error
        z += [(row["low"] - other.confidence_interval.low) / error]
        z += [(row["high"] - other.confidence_interval.high) / error]
    assert np.abs(z).max() < 4


def test_pairs_of_one_metric_in_one_domain_are_a_family(scores, found):
    for _, rows in found.groupby(["metric", "domain"]):
        assert rows["p_holm"].to_numpy() == pytest.approx(holm(rows["pvalue"]))
        assert set(rows["family_size"]) == {3}
    wide = compare_systems(scores, family=())
    for pooled, rows in wide.groupby(wide["domain"] == "pooled"):
        assert rows["p_holm"].to_numpy() == pytest.approx(holm(rows["pvalue"]))
        assert set(rows["family_size"]) == {6 if pooled else 12}
    own = compare_systems(scores, family=("metric", "domain", "system_a", "system_b"))
    assert (own["p_holm"] == own["pvalue"]).all()


@pytest.mark.parametrize("exact", ["auto", False])
def test_the_swap_of_two_systems_flips_the_sign_and_keeps_p(scores, exact):
    two = scores[scores["system"] != "c"]
    found = compare_systems(two, exact=exact)
    back = compare_systems(two.assign(system=two["system"].map({"a": "b", "b": "a"})), exact=exact)
    assert set(found["method"]) == ({"exact lattice", "exact enumeration"} if exact else {"monte carlo"})
    for ours, theirs in (("mean_difference", "mean_difference"), ("low", "high"), ("high", "low")):
        assert back[ours].to_numpy() == pytest.approx(-found[theirs].to_numpy(), rel=1e-9)
    assert (back["mean_a"] == found["mean_b"]).all()
    same = ["pvalue", "p_holm", "n_scenarios", "n_unpaired", "n_missing", "method", "stars"]
    assert_frame_equal(back[same], found[same], rtol=1e-12)


def test_a_reference_is_subtracted_from_all_others(scores, found):
    against = compare_systems(scores, reference="b")
    assert set(zip(against["system_a"], against["system_b"], strict=True)) == {("a", "b"), ("c", "b")}
    assert set(against["family_size"]) == {2}
    ab, cb = (against[against["system_a"] == s].reset_index(drop=True) for s in "ac")
    pair = found.groupby(["system_a", "system_b"])
    same = ["mean_difference", "low", "high", "mean_a", "mean_b", "n_unpaired", "pvalue"]
    assert_frame_equal(ab[same], pair.get_group(("a", "b"))[same].reset_index(drop=True), rtol=1e-12)
    bc = pair.get_group(("b", "c"))
    assert cb["mean_difference"].to_numpy() == pytest.approx(-bc["mean_difference"].to_numpy())
    assert cb["pvalue"].to_numpy() == pytest.approx(bc["pvalue"].to_numpy())
    one_sided = compare_systems(scores, reference="b", alternative="greater", pooled=False)
    exact = one_sided["method"].str.startswith("exact") & (one_sided["mean_difference"] > 0)
    two_sided = against[against["domain"] != "pooled"].reset_index(drop=True)
    assert exact.sum() >= 3
    assert (2 * one_sided["pvalue"][exact]).to_numpy() == pytest.approx(two_sided["pvalue"][exact].to_numpy())


def test_systems_are_compared_as_conditions_are(scores):
    """The same numbers when the systems are renamed to conditions of one system."""
    renamed = scores.assign(condition=scores["system"], system="s")
    expected = perturbation_tests(renamed, baseline="a")
    found = compare_systems(scores, reference="a")
    assert found["system_a"].tolist() == expected["condition"].tolist()
    for ours, theirs in (("mean_difference", "mean_delta"), ("mean_a", "perturbed_mean"), ("low", "low")):
        assert found[ours].tolist() == expected[theirs].tolist()
    assert found["p_holm"].tolist() == expected["p_holm"].tolist()


def test_domains_with_equal_weight(scores):
    weighted = compare_systems(scores, pooled_weights="domains", domains=False)
    for row in weighted.to_dict("records"):
        delta, _ = differences(scores, row)
        assert row["mean_difference"] == pytest.approx(delta.groupby(level="domain").mean().mean())


def test_neither_row_order_nor_dtypes_nor_other_systems_matter(scores, found):
    shuffled = scores.sample(frac=1, random_state=3).set_index(np.zeros(len(scores)))
    assert_frame_equal(compare_systems(shuffled), found)
    kinds = {c: "category" for c in ("system", "metric", "domain", "scenario", "status")}
    plain = compare_systems(scores.astype(kinds | {"value": "Float64"}))
    assert_frame_equal(plain, found, check_dtype=False, check_categorical=False)
    two = compare_systems(scores[scores["system"] != "a"], metrics="stt_wer")
    keys = ["metric", "domain", "system_a", "system_b"]
    rows = found.merge(two[keys], on=keys)
    same = ["mean_difference", "low", "high", "pvalue", "n_scenarios", "n_unpaired", "n_missing"]
    assert_frame_equal(two[same], rows[same], rtol=1e-12)


def test_missing_and_unpaired_scenarios_are_counted():
    nan = np.nan
    frame = table(
        {
            "a": {1: [1.0, nan], 2: [1.0, 1.0], 3: [1.0], 4: [nan, nan]},
            "b": {1: [0.5, 0.5], 2: [0.0, nan], 4: [1.0, 1.0], 5: [1.0]},
        }
    )
    row = compare_systems(frame, domains=False).iloc[0]
    assert (row["mean_difference"], row["mean_a"], row["mean_b"]) == (0.75, 1.0, 0.25)
    # 3 and 5 are of one system, 4 has no value of a; 1 + 1 + 2 trials lack one.
    assert (row["n_scenarios"], row["n_unpaired"], row["n_missing"]) == (2, 3, 4)
    assert row["pvalue"] == 0.5


def test_what_cannot_be_compared_says_why():
    frame = pd.concat(
        [
            table({"a": {1: [1.0], 2: [0.0]}, "b": {1: [1.0], 2: [0.0]}, "c": {8: [1.0], 9: [1.0]}}),
            table({"a": {1: [1.0], 2: [1.0]}}, domain="itsm"),
        ]
    )
    found = compare_systems(frame).set_index(["domain", "system_a", "system_b"])
    assert found["reason"].to_dict() == {
        ("airline", "a", "b"): "all deltas are zero",
        ("airline", "a", "c"): "no scenario has a value of both 'a' and 'c'",
        ("airline", "b", "c"): "no scenario has a value of both 'b' and 'c'",
        ("itsm", "a", "b"): "no trial of 'b'",
        ("itsm", "a", "c"): "no trial of 'c'",
        ("itsm", "b", "c"): "no trial of 'b'",
        ("pooled", "a", "b"): "no paired scenario in itsm; all deltas are zero",
        ("pooled", "a", "c"): "no scenario has a value of both 'a' and 'c'",
        ("pooled", "b", "c"): "no scenario has a value of both 'b' and 'c'",
    }
    assert found["pvalue"].notna().tolist() == [True] + 5 * [False] + [True, False, False]
    assert found["significant"].isna().tolist() == found["pvalue"].isna().tolist()
    assert found.loc[("airline", "a", "c"), "n_unpaired"] == 4
    assert found["family_size"].tolist() == [1, 1, 1, 0, 0, 0, 1, 1, 1]


def test_conditions_are_compared_apart(scores):
    both = pd.concat([scores, study(seed=5).assign(condition="noise")])
    with pytest.raises(ConfigError, match="mixes conditions"):
        compare_systems(both)
    found = compare_systems(both, by="condition")
    assert list(found.columns) == ["condition", *COLUMNS]
    clean = found[found["condition"] == "clean"].drop(columns="condition").reset_index(drop=True)
    assert_frame_equal(clean, compare_systems(scores), rtol=1e-12)


def test_other_units_and_a_full_score_table(scores, found):
    renamed = compare_systems(scores.rename(columns={"system": "agent"}), unit="agent")
    assert_frame_equal(
        renamed.rename(columns={"agent_a": "system_a", "agent_b": "system_b"}), found, rtol=1e-12
    )
    full = scores.assign(architecture="cascade", reason="", metric_version="1")[list(SCORE_COLUMNS)]
    assert_frame_equal(compare_systems(full), found)
    numbered = scores.assign(system=scores["system"].map({"a": 1, "b": 2, "c": 3}))
    assert set(compare_systems(numbered, reference=2, domains=False, n_bootstrap=5)["system_b"]) == {"2"}


@pytest.mark.parametrize(
    ("change", "arguments", "error", "message"),
    [
        (lambda f: f[f["system"] == "a"], {}, ConfigError, r"one system only \('a'\)"),
        (lambda f: f[:0], {}, DataFormatError, "no rows"),
        (lambda f: f.drop(columns="system"), {}, DataFormatError, "no column 'system'"),
        (lambda f: f.drop(columns="trial"), {}, DataFormatError, "no column 'trial'"),
        (lambda f: f.drop(columns="metric"), {}, DataFormatError, "no column 'metric'"),
        (lambda f: f.assign(system=None), {}, DataFormatError, "no system: give"),
        (lambda f: f.assign(system=[["a"]] * len(f)), {}, DataFormatError, "unhashable"),
        (lambda f: pd.concat([f, f]), {}, DataFormatError, "two rows"),
        (lambda f: f.assign(judge=np.resize(["x", "y"], len(f))), {}, ConfigError, "mixes judges"),
        (lambda f: f.assign(value=np.inf, status="ok"), {}, DataFormatError, "infinite"),
        (lambda f: f.assign(domain="pooled"), {}, DataFormatError, "'pooled'"),
        (lambda f: f.assign(low="x"), {"by": "low"}, ConfigError, "'low' would be two columns"),
        (lambda f: f.rename(columns={"system": "mean"}), {"unit": "mean"}, ConfigError, "'mean_a' would be"),
        (None, {"reference": "z"}, DataFormatError, "no system 'z'; it has a, b, c"),
        (None, {"metrics": ["nothing"]}, DataFormatError, "no rows of 'nothing'"),
        (None, {"metrics": []}, ConfigError, "names no metric"),
        (None, {"by": ("system",)}, ConfigError, "by must not hold 'system'"),
        (None, {"by": ("domain",)}, ConfigError, "by must not hold 'domain'"),
        (None, {"unit": "condition"}, ConfigError, "perturbation_tests"),
        (None, {"unit": "domain"}, ConfigError, "unit='domain'"),
        (None, {"unit": None}, ConfigError, "unit=None"),
        (None, {"family": ("judge",)}, ConfigError, "family"),
        (None, {"domains": False, "pooled": False}, ConfigError, "no rows"),
        (None, {"domains": "no"}, ConfigError, "domains"),
        (None, {"pooled_weights": "equal"}, ConfigError, "pooled_weights"),
        (None, {"alternative": "worse"}, ConfigError, "alternative"),
        (None, {"exact": "never"}, ConfigError, "exact"),
        (None, {"alpha": 0}, ConfigError, "alpha"),
        (None, {"confidence": 95}, ConfigError, "confidence"),
        (None, {"n_resamples": 0}, ConfigError, "n_resamples"),
        (None, {"n_bootstrap": 0}, ConfigError, "n_bootstrap"),
    ],
)
def test_refusals(scores, change, arguments, error, message):
    frame = scores if change is None else change(scores)
    with pytest.raises(error, match=message) as raised:
        compare_systems(frame, **arguments)
    assert "\n" not in str(raised.value)
