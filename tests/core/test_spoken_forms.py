"""Spoken forms and back: what is said as text is heard as the same thing, and noise is heard as nothing."""

import datetime
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalib.core import spoken

CODES = st.text(string.ascii_uppercase + string.digits, min_size=6, max_size=6)
NAMES = st.text(string.ascii_lowercase, min_size=3, max_size=12).map(str.capitalize)
DATES = st.dates(datetime.date(2024, 1, 1), datetime.date(2029, 12, 31))


@given(CODES)
def test_codes_letter_by_letter(code):
    assert spoken.hear_code(f"My confirmation number is {spoken.say_code(code)}.", length=6) == code


@given(CODES)
def test_codes_in_the_nato_alphabet(code):
    assert (
        spoken.hear_code(f"My confirmation number is {spoken.say_code(code, nato=True)}.", length=6) == code
    )


@given(NAMES, st.booleans())
def test_spelled_names(name, nato):
    said = f"The last name is {name}. That is spelled {spoken.spell_name(name, nato=nato)}."
    assert (spoken.hear_name(said) or "").lower() == name.lower()


@given(DATES)
def test_dates(date):
    assert spoken.hear_date(spoken.say_date(date.isoformat()), near=date.isoformat()) == date.isoformat()


@given(st.integers(0, 23), st.integers(0, 59))
def test_times(hour, minute):
    time = f"{hour:02d}:{minute:02d}"
    assert spoken.hear_time(spoken.say_time(time)) == time


@given(st.integers(0, 999_999))
def test_money(cents):
    assert spoken.hear_money(spoken.say_money(cents / 100)) == pytest.approx(cents / 100)


@given(st.text(string.ascii_uppercase, min_size=2, max_size=2), st.integers(1, 9999))
def test_flights(airline, number):
    flight = f"{airline}{number}"
    assert spoken.hear_flight(f"It is flight {spoken.say_flight(flight)}.") == flight


PEOPLE = st.sampled_from(["john", "maria", "wei", "fatima", "oliver", "smith", "okafor", "nguyen", "garcia"])


@given(PEOPLE, PEOPLE, st.sampled_from(["gmail.com", "example.com", "outlook.com"]))
def test_emails(first, last, host):
    address = f"{first}.{last}@{host}"
    assert spoken.hear_email(f"My email address is {spoken.say_email(address)}.") == address


@given(st.from_regex(r"\+1-[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}", fullmatch=True))
def test_phones(phone):
    heard = spoken.hear_phone(f"My phone number is {spoken.say_phone(phone)}.")
    assert heard is not None
    assert heard.lstrip("+") == phone.replace("-", "").lstrip("+")


@pytest.mark.parametrize(
    ("heard", "code"),
    [
        # what Whisper tiny.en wrote of codes that were spoken to it
        ("My confirmation number is k 7m 2 q x.", "K7M2QX"),
        ("My confirmation number is P 5 GT 7M.", "P5GT7M"),
        ("My confirmation number is H3ZP8D.", "H3ZP8D"),
        ("My confirmation number is B, 6 V N 5 L.", "B6VN5L"),
        ("My confirmation number is n 4sq9v.", "N4SQ9V"),
        ("My confirmation number is tango 2 hotel bravo 6 Romeo.", "T2HB6R"),
        ("It is 6-V-O-R-J-U, thank you.", "6VORJU"),
        ("It's V as in Victor, O as in Oscar, 6, R, J, U.", "VO6RJU"),
        ("double T, four, K, nine, X", "TT4K9X"),
    ],
)
def test_codes_as_a_recogniser_writes_them(heard, code):
    assert spoken.hear_code(heard, length=6) == code


@pytest.mark.parametrize(
    ("heard", "name"),
    [
        ("The last name is Osbourne. That is spelled O-S-B-O-R-N-E.", "Osborne"),
        ("The last name is Whitaker. That is spell WHITAKER.", "Whitaker"),
        (
            "The last name is Osborn. That is spelled Oscar. Sierra Bravo Oscar Romeo November Echo.",
            "Osborne",
        ),
    ],
)
def test_the_spelling_of_a_name_counts_and_not_its_sound(heard, name):
    assert (spoken.hear_name(heard) or "").lower() == name.lower()


NOTHING = ["", "Yes, please go ahead.", "I'm not sure.", "Can you help me with my flight?"]


@pytest.mark.parametrize("heard", NOTHING)
def test_nothing_plausible_is_none(heard):
    assert spoken.hear_code(heard, length=6) is None
    assert spoken.hear_email(heard) is None
    assert spoken.hear_phone(heard) is None
    assert spoken.hear_time(heard) is None
    assert spoken.hear_money(heard) is None
    assert spoken.hear_date(heard) is None
    assert spoken.hear_flight(heard) is None


@given(st.text(max_size=80))
def test_whatever_is_heard_is_an_entity_or_none(heard):
    code = spoken.hear_code(heard, length=6)
    assert code is None or len(code) == 6
    for hear in (
        spoken.hear_name,
        spoken.hear_email,
        spoken.hear_phone,
        spoken.hear_time,
        spoken.hear_flight,
    ):
        assert hear(heard) is None or isinstance(hear(heard), str)
    assert spoken.hear_money(heard) is None or spoken.hear_money(heard) >= 0
