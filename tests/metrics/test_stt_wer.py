"""Word error rate: by hand, and against an edit distance of our own making."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalib.core import Architecture, TurnText
from evalib.metrics.stt_wer import METRIC, count_errors


def values(conversation, scenario):
    return {v.name.partition(".")[2]: v for v in METRIC.score(conversation, scenario)}


def texts(*pairs):
    return [TurnText(i, caller_intended=a, caller_heard=b) for i, (a, b) in enumerate(pairs, start=1)]


def test_perfect(make_conversation, make_scenario):
    found = values(make_conversation(), make_scenario())
    assert [v.value for v in found.values()] == [0.0, 0.0, 0.0, 0.0]


def test_corpus_rate_by_hand(make_conversation, make_scenario):
    pairs = (
        ("I want to change my flight", "I want to chain my flights"),  # 2 substitutions in 6
        ("yes", "yes please"),  # 1 insertion in 1
        ("not that one", "not"),  # 2 deletions in 3
    )
    found = values(make_conversation(texts=texts(*pairs)), make_scenario())
    assert found[""].value == pytest.approx(5 / 10)  # not the mean of 1/3, 1 and 2/3
    assert found["substitution_rate"].value == pytest.approx(0.2)
    assert found["insertion_rate"].value == pytest.approx(0.1)
    assert found["deletion_rate"].value == pytest.approx(0.2)
    assert [d.value for d in found[""].details] == [pytest.approx(v) for v in (1 / 3, 1.0, 2 / 3)]


def test_heard_as_nothing_is_deleted_and_unheard_is_left_out(make_conversation, make_scenario):
    found = values(
        make_conversation(texts=texts(("two words", ""), ("more", None), (None, "x"))), make_scenario()
    )
    assert found[""].value == 1.0
    assert found["deletion_rate"].value == 1.0
    assert len(found[""].details) == 1


def test_words_out_of_nothing_are_inserted(make_conversation, make_scenario):
    found = values(
        make_conversation(texts=texts(("[sigh]", "thank you"), ("two words", "two words"))), make_scenario()
    )
    assert found["insertion_rate"].value == 1.0  # 2 over 2; a rate can reach and pass 1
    assert found[""].details[0].value is None


@pytest.mark.parametrize("pairs", [[], [("a", None)], [("[tag]", "")]])
def test_nothing_to_compare(make_conversation, make_scenario, pairs):
    found = values(make_conversation(texts=texts(*pairs)), make_scenario())
    assert {v.status for v in found.values()} == {"not_applicable"}


@pytest.mark.parametrize("architecture", [Architecture.HYBRID, Architecture.S2S])
def test_cascade_only(make_conversation, make_scenario, architecture):
    found = values(make_conversation(architecture=architecture), make_scenario())
    assert {v.status for v in found.values()} == {"not_applicable"}
    assert "cascade" in found[""].reason


def test_spelling_is_not_error(make_conversation, make_scenario):
    pairs = (("My code is Q X seven R two M, and it's four p m.", "my code is QX7R2M and its 4:00 PM"),)
    assert values(make_conversation(texts=texts(*pairs)), make_scenario())[""].value == 0.0


def test_korean_counts_characters():
    counts = count_errors("안녕 하세요", "안녕하세오", "ko")
    assert (counts.errors, counts.reference_length) == (1, 5)


def _distance(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    @cache
    def d(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(d(i - 1, j) + 1, d(i, j - 1) + 1, d(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return d(len(a), len(b))


_words = st.lists(st.sampled_from(["gate", "flight", "seat", "bag"]), max_size=8)


@settings(deadline=None)
@given(_words, _words)
def test_edit_distance_twin(reference, hypothesis):
    counts = count_errors(" ".join(reference), " ".join(hypothesis))
    assert counts.errors == _distance(tuple(reference), tuple(hypothesis))
    assert counts.reference_length == len(reference)
    assert counts.insertions - counts.deletions == len(hypothesis) - len(reference)
