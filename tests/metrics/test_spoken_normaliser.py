"""The normaliser: our own examples, num2words, and published entities that people labelled."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalib.metrics.spoken_normaliser import normalise

SAME = [
    # spoken form, as a recogniser writes it, both normalised
    ("Q X seven R two M", "QX7R2M", "qx 7 r 2 m"),
    ("my code is B K four four zero T", "My code is BK440T.", "my code is bk 440 t"),
    ("A P M two nine", "APM29", "apm 29"),
    ("flight S K seven oh three", "Flight SK703", "flight sk 703"),
    ("flight four twelve", "flight 412", "flight 412"),
    ("J-O-H-N", "J O H N", "john"),
    ("five five five, one two one two", "555-1212", "5551212"),
    ("voucher M E L dash K four", "voucher MEL-K4", "voucher mel k 4"),
    ("one hundred and fifteen dollars", "$115", "115 dollars"),
    ("a thousand two hundred dollars and five cents", "$1,200.05", "1200 dollars and 5 cents"),
    ("twenty percent", "20%", "20 percent"),
    ("three point five", "3.5", "3 point 5"),
    ("at four p m", "at 4:00 P.M.", "at 4 pm"),
    ("eight fifty five a m", "8:55 AM", "855 am"),
    ("nine oh five", "09:05", "905"),
    ("four o'clock", "4:00", "4"),
    ("March twenty-fifth", "March 25", "march 25"),
    ("the twenty fifth of March", "the 25th of March", "the 25 of march"),
    ("June third twenty twenty six", "June 3, 2026", "june 32026"),
    ("the second option", "the 2nd option", "the 2nd option"),
    ("john dot smith at example dot com", "john.smith@example.com", "john dot smith at example dot com"),
    ("It's fine, thanks!", "it’s fine thanks", "its fine thanks"),
    ("[slow] Um, yes, uh, please.", "yes please", "yes please"),
    ("two million", "2 million", "2000000"),
    ("seat twenty one A", "seat 21A", "seat 21 a"),
    ("seat four A. I think so", "seat 4A, I think so", "seat 4 a i think so"),
    ("salt & pepper", "salt and pepper", "salt and pepper"),
]
DIFFERENT = [
    ("Q X seven R two M", "QX7R2N"),
    ("nine one five", "nine fifty"),
    ("fifteen dollars", "fifty dollars"),
    ("June third", "June thirteenth"),
    ("A. Okafor", "I. Okafor"),
    ("at eight a m", "at eight p m"),
    ("zero four one two", "four one two"),  # the zero of a PIN counts
    ("I want a seat", "I want eight seats"),
    ("john dot smith", "john smith"),
]


@pytest.mark.parametrize(("spoken", "written", "expected"), SAME)
def test_spellings_of_one_sound(spoken, written, expected):
    assert normalise(spoken) == expected
    assert normalise(written) == expected


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_sounds_stay_different(one, other):
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize("text", ["", "   ", "[slow]", "...", "um, uh", "[a] [b]"])
def test_nothing_said(text):
    assert normalise(text) == ""


def test_ordinary_sentences_keep_their_words():
    text = "I have a question about the bag I checked, and I am at the gate."
    assert normalise(text) == "i have a question about the bag i checked and i am at the gate"


def test_other_languages_lose_case_and_punctuation_alone():
    assert normalise("[slow] Zwei, bitte: 25-mal!", "de") == "zwei bitte 25 mal"
    assert normalise("हाँ, ठीक है।", "hi") == "हाँ ठीक है"


@given(st.text(max_size=60), st.sampled_from(["en", "fr", "ko"]))
def test_any_text(text, language):
    once = normalise(text, language)
    assert once == once.strip()
    assert "  " not in once


def test_number_words_against_num2words():
    num2words = pytest.importorskip("num2words").num2words
    for n in (*range(0, 2100), 10_000, 12_345, 100_001, 999_999, 1_000_000, 2_500_017):
        assert normalise(num2words(n)) == str(n)
        assert normalise(num2words(n, to="ordinal")) == num2words(n, to="ordinal_num")
        if n >= 1000:
            assert normalise(num2words(n, to="year")) == str(n)


def test_published_entities_that_people_labelled(shared):
    """What annotators called correctly transcribed should mostly normalise to the same, and what
    they called wrong should not. Equality is stricter than they were ("Flight 700" for "700")."""
    path = shared / "eva-bench" / "judge_validation" / "key_entity_transcription.dev.jsonl"
    if not path.is_file():
        pytest.skip(f"no published entity labels at {path}")
    pairs = [
        (entity["correct"], normalise(entity["value"]) == normalise(entity["transcribed_value"]))
        for line in path.read_text().splitlines()
        for turn in json.loads(line)["labels"]
        for entity in turn["entities"]
        if isinstance(entity.get("transcribed_value"), str)
    ]
    right = [same for correct, same in pairs if correct]
    wrong = [same for correct, same in pairs if not correct]
    assert len(right) > 150
    assert len(wrong) > 70
    assert sum(right) / len(right) > 0.88  # 155 of 172 when written
    assert sum(wrong) / len(wrong) < 0.04  # 2 of 79
