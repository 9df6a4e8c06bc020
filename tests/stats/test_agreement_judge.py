"""Accuracy and macro F1 of a judge: against scikit-learn, by hand, and on the published labels."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalib.core import ConfigError, DataFormatError
from evalib.stats.agreement import agreement_ci, cohen_kappa, judge_accuracy

pytestmark = pytest.mark.filterwarnings("error")
LABELS = (1, 2, 3)

pairs = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=30)


@settings(max_examples=40)
@given(pairs)
def test_as_scikit_learn(drawn):
    metrics = pytest.importorskip("sklearn.metrics")
    true, predicted = (list(side) for side in zip(*drawn, strict=True))
    found = judge_accuracy(true, predicted, LABELS)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(true, predicted))
    # Without labels scikit-learn averages over the classes that occur; told them, an absent one is 0.
    assert found.macro_f1 == pytest.approx(metrics.f1_score(true, predicted, average="macro"))
    zero = judge_accuracy(true, predicted, LABELS, absent="zero")
    told = metrics.precision_recall_fscore_support(true, predicted, labels=LABELS, zero_division=0)
    assert zero.macro_f1 == pytest.approx(told[2].mean())
    precision, recall, f1, support = (dict(zip(LABELS, row, strict=True)) for row in told)
    assert zero.support == support
    for label in LABELS:
        assert np.nan_to_num(zero.precision[label]) == pytest.approx(precision[label])
        assert np.nan_to_num(zero.recall[label]) == pytest.approx(recall[label])
        assert np.nan_to_num(zero.f1[label]) == pytest.approx(f1[label])
    occurring = set(true) | set(predicted)
    assert {label for label in LABELS if np.isnan(found.f1[label])} == set(LABELS) - occurring
    assert all(f"class {label} " in found.reason for label in set(LABELS) - occurring)


def test_by_hand_with_an_answer_missing():
    # Class 1: two hits of three true, one of them unanswered. Class 2: one hit, none missed.
    found = judge_accuracy([1, 1, 1, 2, None], [1, 1, None, 2, 2], (1, 2))
    assert (found.n, found.n_missing, found.n_unlabelled) == (3, 1, 1)
    assert (found.accuracy, found.accuracy_missing_wrong) == (1.0, 0.75)
    assert (found.macro_f1, found.macro_f1_missing_wrong) == (1.0, (0.8 + 1) / 2)
    assert (found.support, found.n_predicted) == ({1: 2, 2: 1}, {1: 2, 2: 1})
    assert found.reason == ""


def test_zero_over_zero_is_named():
    found = judge_accuracy(["a", "a", "b"], ["a", "c", "a"], ("a", "b", "c", "d"))
    assert np.isnan(found.precision["b"])
    assert np.isnan(found.recall["c"])
    assert np.isnan(found.f1["d"])
    assert (found.f1["b"], found.f1["c"]) == (0, 0)
    assert found.macro_f1 == pytest.approx(0.5 / 3)
    assert found.reason == (
        "class d is neither true nor predicted: left out of macro F1; "
        "class c is never true: its recall is 0/0; class b is never predicted: its precision is 0/0"
    )
    zero = judge_accuracy(["a", "a", "b"], ["a", "c", "a"], ("a", "b", "c", "d"), absent="zero")
    assert zero.macro_f1 == pytest.approx(0.5 / 4)
    assert "class d is neither true nor predicted: counted as F1 0" in zero.reason


@pytest.mark.parametrize(
    ("true", "predicted", "reason"),
    [
        ([], [], "no record has a true label"),
        ([None, None], [1, 2], "no record has a true label"),
        ([1, 2], [None, None], "no record has an answer"),
    ],
)
@pytest.mark.parametrize("absent", ["exclude", "zero"])
def test_nothing_to_judge(true, predicted, reason, absent):
    found = judge_accuracy(true, predicted, LABELS, absent)
    assert np.isnan([found.accuracy, found.macro_f1]).all()
    assert (found.n, found.reason) == (0, reason)


def test_a_judge_that_answers_nothing_is_wrong_throughout_when_missing_is_wrong():
    found = judge_accuracy([1, 2], [None, None], (1, 2))
    assert (found.accuracy_missing_wrong, found.macro_f1_missing_wrong, found.n_missing) == (0, 0, 2)


def test_one_class_found_throughout():
    found = judge_accuracy([True, True], np.array([1.0, 1.0]), (False, True))
    assert (found.accuracy, found.macro_f1) == (1.0, 1.0)
    assert found.reason == "class False is neither true nor predicted: left out of macro F1"


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (([1, 5], [1, 1], LABELS), DataFormatError, "labels_true holds 5"),
        (([1, 1], [1, "1"], LABELS), DataFormatError, "labels_pred holds '1'"),
        (([1, 1], [1], LABELS), ConfigError, "2 true labels and 1 predicted"),
        (([1, 1], [1, 1], LABELS, "drop"), ConfigError, "'exclude' or 'zero'"),
    ],
)
def test_what_is_wrong_is_said(arguments, error, says):
    with pytest.raises(error, match=says):
        judge_accuracy(*arguments)


def test_shows_as_one_row():
    frame = judge_accuracy([1, 2, 3], [1, 2, 2], LABELS).to_frame()
    assert frame["f1.1"].tolist() == [1.0]


# The published development labels are adjudicated: one rating a record, no judge's and no second
# annotator's. What can be shown on them is that labels go in as they lie in the files.
@pytest.fixture(scope="module")
def validation(shared):
    folder = shared / "eva-bench" / "judge_validation"
    if not folder.is_dir():
        pytest.skip(f"no judge validation data at {folder}")

    def read(metric):
        lines = (folder / f"{metric}.dev.jsonl").read_text().splitlines()
        return pd.DataFrame([json.loads(line) for line in lines])

    return read


@pytest.mark.parametrize(
    ("metric", "labels"),
    [("faithfulness", LABELS), ("conversation_progression", LABELS), ("agent_speech_fidelity", (0, 1))],
)
def test_a_judge_stuck_on_the_commonest_published_label(validation, metric, labels):
    truth = validation(metric)["expected_rating"]
    (stuck, count), *_ = Counter(truth).most_common(1)
    found = judge_accuracy(truth, [stuck] * len(truth), labels)
    assert found.accuracy == count / len(truth)
    assert found.macro_f1 == pytest.approx(2 * count / (count + len(truth)) / len(labels))
    assert found.support == {label: (truth == label).sum() for label in labels}
    stuck_kappa = cohen_kappa(truth, [stuck] * len(truth), labels, "quadratic")
    assert stuck_kappa.kappa == 0
    assert cohen_kappa(truth, truth, labels, "quadratic").kappa == 1


def test_published_turn_labels_are_clustered_by_conversation(validation):
    turns = validation("conciseness").explode("conv_turns")
    turns["human"] = [turn.get("expected_rating") for turn in turns.conv_turns]
    turns = turns[turns.human.notna()]
    # A judge made for this test: right in three turns of four.
    miss = np.arange(len(turns)) % 4 == 0
    turns = turns.assign(made_judge=turns.human.where(~miss, 2))
    found = agreement_ci(turns, "made_judge", "human", "conversation_id", LABELS, "quadratic", 1_000)
    assert found.n_units == turns.conversation_id.nunique()
    assert (found.n_pairs, found.n_missing) == (len(turns), 0)
    assert found.n_pairs > 4 * found.n_units
    assert 0 < found.kappa_low < found.kappa < found.kappa_high < 1
