"""Bootstrap of agreement: against a loop with the same resamples, and at the edges."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from evalib.core import ConfigError, DataFormatError
from evalib.stats.agreement import agreement_ci, annotator_agreement, binary_agreement, cohen_kappa

pytestmark = pytest.mark.filterwarnings("error")
LABELS = (1, 2, 3)
RATERS = ("judge", "ann", "bob")


def rated(n_calls=25, turns=3, seed=0, noise=0.25):
    """Synthetic ratings: a truth per turn, which each rater sees with some noise."""
    rng = np.random.default_rng(seed)
    n = n_calls * turns
    truth = rng.choice(LABELS, n, p=(0.2, 0.3, 0.5))
    frame = pd.DataFrame({"call": np.repeat([f"c{i}" for i in range(n_calls)], turns)})
    for rater in RATERS:
        frame[rater] = np.where(rng.random(n) < noise, rng.choice(LABELS, n), truth)
    return frame[rng.random(n) < 0.8].reset_index(drop=True)


def slow_kappa(a, b, k, weights):
    near = np.array(
        [
            [float(i == j) if weights is None else 1 - (abs(i - j) / (k - 1)) ** 2 for j in range(k)]
            for i in range(k)
        ]
    )
    p, q = (np.bincount(np.asarray(x) - 1, minlength=k) / len(x) for x in (a, b))
    observed = np.mean([near[i - 1, j - 1] for i, j in zip(a, b, strict=True)])
    return (observed - p @ near @ q) / (1 - p @ near @ q)


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_equals_a_loop_over_the_same_resamples(weights):
    frame, n_resamples, seed = rated(), 300, 7
    found = agreement_ci(frame, "judge", "ann", "call", LABELS, weights, n_resamples, 0.9, seed)

    calls = [list(zip(g.judge, g.ann, strict=True)) for _, g in frame.groupby("call")]
    # Units are in the order of their contingency tables, last cell first.
    cells = list(itertools.product(LABELS, LABELS))
    calls.sort(key=lambda pairs: [pairs.count(cell) for cell in reversed(cells)])
    draws = []
    for drawn in np.random.default_rng(seed).integers(len(calls), size=(n_resamples, len(calls))):
        a, b = zip(*(pair for i in drawn for pair in calls[i]), strict=True)
        draws.append((slow_kappa(a, b, 3, weights), np.mean(np.equal(a, b)), spearmanr(a, b).statistic))
    low, high = np.quantile(draws, [0.05, 0.95], axis=0)
    assert [found.kappa_low, found.agreement_low, found.rho_low] == pytest.approx(list(low), abs=1e-12)
    assert [found.kappa_high, found.agreement_high, found.rho_high] == pytest.approx(list(high), abs=1e-12)
    point = cohen_kappa(frame.judge, frame.ann, LABELS, weights)
    assert (found.kappa, found.agreement, found.rho) == (point.kappa, point.agreement, point.rho)
    assert (found.n_units, found.n_pairs, found.n_resamples) == (len(calls), len(frame), n_resamples)


def test_many_small_parts_are_the_same_bootstrap_in_law(monkeypatch):
    frame = rated()
    whole = agreement_ci(frame, "judge", "ann", "call", LABELS, "quadratic", rng=1)
    monkeypatch.setattr("evalib.stats.agreement.resampling._CHUNK_CELLS", 1_000)
    parts = agreement_ci(frame, "judge", "ann", "call", LABELS, "quadratic", rng=1)
    assert parts.n_resamples == 10_000
    assert [parts.kappa_low, parts.kappa_high] == pytest.approx([whole.kappa_low, whole.kappa_high], abs=0.01)


def test_neither_row_order_nor_names_of_units_matter():
    frame = rated()
    mixed = frame.sample(frac=1, random_state=1)
    renamed = mixed.assign(call=mixed.call.map({c: i for i, c in enumerate(mixed.call.unique())}))
    for unit in ("call", None):
        first, second, third = (
            agreement_ci(f, "judge", "ann", unit, LABELS, "linear", 500) for f in (frame, mixed, renamed)
        )
        assert first == second == third
    for unit in ("call", None):
        pd.testing.assert_frame_equal(
            annotator_agreement(frame, "judge", ("ann", "bob"), unit, LABELS, None, 300),
            annotator_agreement(renamed, "judge", ("ann", "bob"), unit, LABELS, None, 300),
        )


def test_a_long_table_is_pivoted_as_the_docstring_says():
    frame = rated().assign(turn=lambda f: f.groupby("call").cumcount())
    long = frame.melt(["call", "turn"], list(RATERS), "rater", "rating").sample(frac=1, random_state=3)
    wide = long.pivot(index=["call", "turn"], columns="rater", values="rating").reset_index()
    assert agreement_ci(wide, "judge", "ann", "call", LABELS, None, 100) == agreement_ci(
        frame, "judge", "ann", "call", LABELS, None, 100
    )


def test_whole_conversations_are_resampled():
    """Every turn of a call twice over changes nothing; turns as units would narrow the interval."""
    frame = rated()
    twice = pd.concat([frame, frame])
    by_call = [agreement_ci(f, "judge", "ann", "call", LABELS, None, 2_000) for f in (frame, twice)]
    assert by_call[0].kappa_low == by_call[1].kappa_low
    by_turn = agreement_ci(twice, "judge", "ann", None, LABELS, None, 2_000)
    assert by_turn.kappa_high - by_turn.kappa_low < by_call[1].kappa_high - by_call[1].kappa_low


def test_resamples_without_kappa_are_counted_and_said():
    frame = pd.DataFrame({"call": range(6), "judge": [3, 3, 3, 3, 3, 1], "ann": [3, 3, 3, 3, 3, 1]})
    found = agreement_ci(frame, "judge", "ann", "call", LABELS, "quadratic", rng=0)
    # One call of six is not drawn in (5/6)^6 = 33.5% of resamples, or is all there is: 6^-6.
    assert found.n_undefined / 10_000 == pytest.approx((5 / 6) ** 6, abs=0.02)
    assert found.n_undefined == found.n_undefined_rho
    assert f"kappa is 0/0 in {found.n_undefined} of 10000 resamples" in found.reason
    assert (found.kappa, found.kappa_low, found.kappa_high) == (1.0, 1.0, 1.0)


def test_edges():
    one_class = pd.DataFrame({"call": [1, 2], "judge": [3, 3], "ann": [3, 3]})
    found = agreement_ci(one_class, "judge", "ann", "call", LABELS)
    assert np.isnan([found.kappa, found.kappa_low, found.kappa_high, found.rho]).all()
    assert (found.agreement, found.agreement_low, found.n_undefined) == (1.0, 1.0, 10_000)
    assert found.reason == "kappa and rho are 0/0: all ratings are one label"

    one_unit = pd.DataFrame({"call": [1, 1], "judge": [3, 1], "ann": [3, 1]})
    found = agreement_ci(one_unit, "judge", "ann", "call", LABELS)
    assert (found.kappa, found.n_units, found.n_resamples) == (1.0, 1, 0)
    assert np.isnan([found.kappa_low, found.agreement_low, found.rho_high]).all()
    assert found.reason == "no interval: a single unit to resample"

    for empty in (one_unit[:0], one_unit.assign(ann=None)):
        found = agreement_ci(empty, "judge", "ann", "call", LABELS)
        assert np.isnan([found.kappa, found.agreement_low, found.rho]).all()
        assert (found.n_units, found.n_missing, found.reason) == (0, len(empty), "no pair of ratings")

    part = pd.DataFrame({"call": [1, 2, 3], "judge": [3, 1, 2], "ann": [3, 1, None]})
    found = agreement_ci(part, "judge", "ann", "call", LABELS)
    assert (found.n_units, found.n_pairs, found.n_missing) == (2, 2, 1)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"rater_a": "jugde"}, DataFormatError, "no column 'jugde'"),
        ({"unit": "conversation"}, DataFormatError, "no column 'conversation'"),
        ({"ratings": {"judge": [1]}}, ConfigError, "must be a DataFrame"),
        ({"ratings": rated().assign(call=None)}, DataFormatError, "column 'call' is missing"),
        ({"ratings": pd.concat([rated(), rated()[["ann"]]], axis=1)}, DataFormatError, "2 columns 'ann'"),
        ({"labels": (1, 2)}, DataFormatError, "column 'judge' holds 3"),
        ({"confidence": 1}, ConfigError, "between 0 and 1"),
        ({"n_resamples": 0}, ConfigError, "at least 1"),
        ({"n_resamples": 10.5}, ConfigError, "whole number"),
        ({"confidence": "95%"}, ConfigError, "between 0 and 1"),
        ({"weights": "cubic"}, ConfigError, "'linear' or 'quadratic'"),
    ],
)
def test_what_is_wrong_is_said(change, error, says):
    good = {"ratings": rated(), "rater_a": "judge", "rater_b": "ann", "unit": "call", "labels": LABELS}
    with pytest.raises(error, match=says):
        agreement_ci(**(good | change))


def test_pooled_and_human_rows_are_those_of_the_pairs():
    frame = rated()
    found = annotator_agreement(frame, "judge", ("ann", "bob"), "call", LABELS, "quadratic", 400, rng=2)
    found = found.set_index("pairing")
    both = pd.concat([frame.assign(human=frame[who]) for who in ("ann", "bob")])
    pooled = cohen_kappa(both.judge, both.human, LABELS, "quadratic")
    humans = cohen_kappa(frame.ann, frame.bob, LABELS, "quadratic")
    for name, want in (("IAA-J", pooled), ("IAA-H", humans)):
        row = found.loc[name]
        assert (row.kappa, row.rho, row.agreement) == (want.kappa, want.rho, want.agreement)
        assert (row.n_pairs, row.kappa_draw_sd) == (want.n, 0)
    assert list(found.n_pairs) == [2 * len(frame), len(frame), len(frame)]
    seed = int(np.random.default_rng(2).integers(2**63))
    same = agreement_ci(both, "judge", "human", "call", LABELS, "quadratic", 400, rng=seed)
    assert (found.loc["IAA-J"].kappa_low, found.loc["IAA-J"].rho_high) == (same.kappa_low, same.rho_high)


def test_random_annotator_against_all_choices():
    """All 2^d choices of annotators that matter give the mean and the SD that draws estimate."""
    frame = rated(4, 4, seed=3, noise=0.5)
    differ = list(np.flatnonzero(frame.ann != frame.bob))
    kappas = []
    for choice in itertools.product((0, 1), repeat=len(differ)):
        human = frame.ann.to_numpy().copy()
        human[differ] = np.where(choice, frame.bob.to_numpy()[differ], human[differ])
        kappas.append(cohen_kappa(frame.judge, human, LABELS, "quadratic").kappa)
    assert len(kappas) >= 16
    found = annotator_agreement(
        frame, "judge", ("ann", "bob"), "call", LABELS, "quadratic", 50, n_draws=20_000
    )
    row = found.set_index("pairing").loc["IAA-J random"]
    assert row.kappa == pytest.approx(np.mean(kappas), abs=4 * np.std(kappas) / np.sqrt(20_000))
    assert row.kappa_draw_sd == pytest.approx(np.std(kappas), rel=0.03)
    single = annotator_agreement(frame, "judge", ("ann", "bob"), "call", LABELS, "quadratic", 50, n_draws=1)
    assert min(abs(single.kappa[1] - np.array(kappas))) < 1e-12
    assert single.kappa_draw_sd[1] == 0


def test_random_annotator_interval_against_a_loop():
    frame = rated(30, 1, seed=5, noise=0.4)
    rng = np.random.default_rng(1)
    judge, humans = frame.judge.to_numpy(), frame[["ann", "bob"]].to_numpy()
    draws = []
    for _ in range(4_000):
        drawn = rng.integers(len(frame), size=len(frame))
        human = humans[drawn, rng.integers(2, size=len(frame))]
        draws.append(slow_kappa(judge[drawn], human, 3, "quadratic"))
    row = annotator_agreement(frame, "judge", ("ann", "bob"), "call", LABELS, "quadratic").loc[1]
    # Both ends carry Monte Carlo errors: together about 0.005 for an SD of 0.1.
    assert [row.kappa_low, row.kappa_high] == pytest.approx(
        list(np.quantile(draws, [0.025, 0.975])), abs=0.03
    )


def test_annotations_that_are_missing():
    frame = pd.DataFrame(
        {
            "call": range(5),
            "judge": [3, 1, 2, None, 3],
            "ann": [3, 1, None, 2, None],
            "bob": [3, 2, 2, 2, None],
        }
    )
    found = annotator_agreement(frame, "judge", ("ann", "bob"), "call", LABELS).set_index("pairing")
    assert list(found.n_pairs) == [5, 3, 3]
    assert list(found.n_missing) == [5, 2, 2]
    assert list(found.n_units) == [3, 3, 3]


@pytest.mark.parametrize("rows", [slice(0, 0), slice(0, 1), slice(0, 2)])
def test_few_records_come_with_a_reason(rows):
    frame = pd.DataFrame({"call": [1, 2], "judge": [3, 3], "ann": [3, 3], "bob": [3, 3]})[rows]
    found = annotator_agreement(frame, "judge", ("ann", "bob"), "call", LABELS)
    assert found.kappa.isna().all()
    assert (found.reason != "").all()
    assert list(found.columns[:4]) == ["pairing", "kappa", "kappa_low", "kappa_high"]


@pytest.mark.parametrize(
    "annotators", [("ann",), ("ann", "ann"), ("judge", "ann"), "ann", ("ann", "bob", "cat")]
)
def test_two_annotators_are_needed(annotators):
    with pytest.raises(ConfigError, match="must name two columns"):
        annotator_agreement(rated(), "judge", annotators, "call", LABELS)


def test_draws_of_annotators_without_kappa_are_said():
    """One record in doubt: kappa is 0/0 when the annotator who says 3 is drawn, else 0."""
    frame = pd.DataFrame({"judge": [3, 3], "ann": [3, 3], "bob": [3, 1]})
    row = annotator_agreement(frame, "judge", ("ann", "bob"), None, LABELS, n_resamples=50).loc[1]
    assert row.kappa == 0
    assert row.agreement == pytest.approx(0.75, abs=0.03)
    said = re.search(r"kappa is 0/0 in (\d+) of 1000 draws of annotators", row.reason)
    assert int(said[1]) == pytest.approx(500, abs=80)
    assert row.reason.startswith("rho is 0/0: a rater gave a single label; ")


def test_with_one_annotation_a_record_nothing_is_drawn():
    frame = rated()
    first = frame.index % 2 == 0
    frame = frame.assign(ann=frame.ann.where(first), bob=frame.bob.where(~first))
    found = annotator_agreement(frame, "judge", ("ann", "bob"), "call", LABELS, n_resamples=50)
    want = cohen_kappa(frame.judge, frame.ann.fillna(frame.bob), LABELS)
    assert list(found.n_pairs) == [len(frame), len(frame), 0]
    assert found.kappa[0] == want.kappa
    assert [found.kappa[1], found.rho[1], found.agreement[1]] == pytest.approx(
        [want.kappa, want.rho, want.agreement], abs=1e-12
    )
    assert found.kappa_draw_sd[1] == pytest.approx(0, abs=1e-12)
    assert found.reason[2] == "no pair of ratings"


def test_a_draw_at_least():
    with pytest.raises(ConfigError, match="n_draws=0"):
        annotator_agreement(rated(), "judge", ("ann", "bob"), "call", LABELS, n_draws=0)


def test_binary_agreement_is_that_of_the_cut_ratings():
    frame = rated()
    found = binary_agreement(frame, "judge", ("ann", "bob"), None, LABELS, (2, 3), n_resamples=200, rng=4)
    assert list(found.threshold) == [2, 2, 2, 3, 3, 3]
    for cut in (2, 3):
        passed = frame.assign(**{r: frame[r] >= cut for r in RATERS})
        want = annotator_agreement(passed, "judge", ("ann", "bob"), None, (False, True), None, 200, rng=4)
        pd.testing.assert_frame_equal(
            found[found.threshold == cut].drop(columns="threshold").reset_index(drop=True), want
        )
        assert (
            found[found.threshold == cut].kappa.iloc[2]
            == cohen_kappa(passed.ann, passed.bob, (False, True)).kappa
        )


def test_a_missing_rating_neither_passes_nor_fails():
    frame = rated()
    frame["ann"] = frame.ann.astype("Int64").mask(frame.index < 4)
    found = binary_agreement(frame, "judge", ("ann", "bob"), "call", LABELS, 2, 100)
    assert list(found.n_missing) == [4, 0, 4]


@pytest.mark.parametrize(
    ("threshold", "labels", "says"),
    [
        (1, LABELS, "does not divide"),
        (0.5, LABELS, "does not divide"),
        (4, LABELS, "does not divide"),
        (np.nan, LABELS, "does not divide"),
        ([], LABELS, "must be a number"),
        ("2", LABELS, "must be a number"),
        (2, ("a", "b"), "must be numbers"),
    ],
)
def test_a_threshold_must_cut(threshold, labels, says):
    with pytest.raises(ConfigError, match=says):
        binary_agreement(rated(), "judge", ("ann", "bob"), None, labels, threshold)


def test_arguments_of_the_wrong_kind():
    calls = pd.DataFrame({"judge": [1, 2, 2], "ann": [1, 2, 1], "bob": [1, 1, 2], "call": [[1], [2], [3]]})
    with pytest.raises(DataFormatError, match="'call'"):
        agreement_ci(calls, "judge", "ann", "call", (1, 2), n_resamples=9)
    for annotators in (None, "ann", ("ann",)):
        with pytest.raises(ConfigError, match="annotators"):
            annotator_agreement(calls, "judge", annotators, None, (1, 2), n_resamples=9)
        with pytest.raises(ConfigError, match="annotators"):
            binary_agreement(calls, "judge", annotators, None, (1, 2), 2, n_resamples=9)
    found = binary_agreement(
        calls, "judge", np.array(["ann", "bob"]), None, (1, 2), np.array(2), n_resamples=9
    )
    assert len(found) == 3
