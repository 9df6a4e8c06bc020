"""Entities as recognisers write them: what Whisper tiny.en made of speech, and what was meant."""

import datetime
import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalib.core import spoken
from evalib.core.spoken.numbers import figures, ordinal

CODES = [
    # a homophone begins the code
    ("My confirmation code is for EDT2S.", "4EDT2S"),
    ("I confirmation code is to Zulu 9 Romeo India 1.", "2Z9RI1"),
    ("Each 5DNSI.", "H5DNSI"),
    ("GXD6 and C.", "GXD6NC"),
    # "a" and "I" are letters among letters
    ("My confirmation code is a 5L QSA.", "A5LQSA"),
    ("My confirmation number is I W X I P A.", "IWXIPA"),
    # cut into tokens in any way, in any case
    ("My confirmation code is mqwxyt.", "MQWXYT"),
    ("F1, 0, EPF", "F10EPF"),
    ("W53 EFR", "W53EFR"),
    ("JFL JOO.", "JFLJOO"),
    ("9.1 DHOD", "91DHOD"),
    # spelling words, misspelled, joined, with a figure attached
    ("My confirmation code is 5 Victor2 Sierra Echo Hotel.", "5V2SEH"),
    ("My confirmation code is Julet08xray Uniform India.", "J08XUI"),
    ("My confirmation number is kilo echolyma1 x-ray kilo.", "KEL1XK"),
    ("My confirmation code is 9, Mike, Yankee, 4, Fox, Drought, 0.", "9MY4F0"),
    ("My confirmation number is India, 1, Foxtrot, 0, X, Ray, Echo.", "I1F0XE"),
    ("5 Victor II Sierra Echo Hotel.", "5V2SEH"),
    ("It's Delta IV Yankee Zulu Zero Echo.", "D4YZ0E"),
    # letters that were explained
    ("My confirmation code is 2M7O as an Oscar, S5.", "2M7OS5"),
    ("I confirmation code is d4yc as in Zulu 0e.", "D4YZ0E"),
    ("1u is in uniform, 3, 3, x is an x-ray, t is in tango.", "1U33XT"),
    ("V for Victor, M like Mike, 1, 2, 3, 4", "VM1234"),
    ("MY CODE IS SIX V O R J U", "6VORJU"),
]


@pytest.mark.parametrize(("heard", "code"), CODES)
def test_codes(heard, code):
    assert spoken.hear_code(heard) == code


@pytest.mark.parametrize(
    "heard",
    [
        "My code is 5LQSA.",  # one short
        "1 2 3 4 5 6 7 8 9",  # too many to say which
        "you see why are oh tea",  # nothing but words
        "I would like a flight from LAX to SFO",
        "Denver, please.",
    ],
)
def test_no_code(heard):
    assert spoken.hear_code(heard) is None


def test_zero_and_oh_are_both_candidates_the_heard_one_first():
    assert spoken.hear_code_candidates("9R0WYO")[:3] == ["9R0WYO", "9R0WY0", "9ROWYO"]
    assert spoken.hear_code("EMPO12", pattern="[A-Z]{3}[0-9]{3}") == "EMP012"
    assert spoken.hear_code_candidates("nothing at all") == []


def test_lengths_other_than_six():
    assert spoken.hear_code("airport code S F O", length=3) == "SFO"
    assert spoken.hear_code("My PIN is 4 8 1 5.", length=4) == "4815"


@pytest.mark.parametrize(
    ("heard", "name"),
    [
        ("My last name is Thompson.", "Thompson"),
        ("Thompson, T-H-O-M-P-S-O-N", "Thompson"),
        ("My last name is Garshof spell G-A-R-C-I-A.", "Garcia"),
        ("My last name is Lindfist spelled l i and d q v i s t.", "Lindqvist"),
        ("My last name is Rodriguez spelled R-O-D-R-I-G-U-E-C", "Rodriguez"),
        ("The last name is Smith, that is spelled as m-i-t-h.", "Smith"),
        ("Hawkins, that's H-A-W-K-IN-S.", "Hawkins"),
        ("My last name is Whitfield spell WHITF iELD.", "Whitfield"),
        ("It's Lee. L-E-E.", "Lee"),
        ("O'Brien, O apostrophe B R I E N", "O'Brien"),
        ("papa alfa tango echolyma", "Patel"),
        ("my last name is kowalski", "Kowalski"),
        ("Yes, that's right.", None),
        ("I need to change my flight.", None),
        ("No.", None),
    ],
)
def test_names(heard, name):
    assert spoken.hear_name(heard) == name


def test_the_name_that_was_asked_for():
    heard = "My first name is Anna, A-N-N-A, and my last name is Lee, L-E-E."
    assert spoken.hear_name(heard, "first") == "Anna"
    assert spoken.hear_name(heard, "last") == "Lee"


@pytest.mark.parametrize(
    ("heard", "address"),
    [
        ("My email is john.smith at gmail.com.", "john.smith@gmail.com"),
        ("Samantha. Rodriguez at Outlook.com.", "samantha.rodriguez@outlook.com"),
        ("Maria underscore Lopez 84 at example.org.", "maria_lopez84@example.org"),
        ("My email is Samantha. Walker 8.4 at gmail.com.", "samantha.walker84@gmail.com"),
        ("reach me at john dot smith at gmail dot com", "john.smith@gmail.com"),
        ("J-O-H-N dot smith at G mail dot com", "john.smith@gmail.com"),
        ("mary-jane at example.com and my name is Mary", "mary-jane@example.com"),
        ("I'm at the gate.", None),
    ],
)
def test_emails(heard, address):
    assert spoken.hear_email(heard) == address


WORDS = st.text(string.ascii_lowercase, min_size=2, max_size=8).filter(
    lambda w: spoken.hear_email(f"my email is {w} at x.org") == f"{w}@x.org"  # not "dot", "is", "ten"
)
PIECES = st.one_of(WORDS, st.builds("{}{}".format, WORDS, st.integers(0, 999)))
LOCALS = st.builds(
    lambda pieces, signs: "".join(p + s for p, s in zip(pieces, [*signs, ""], strict=False)),
    st.lists(PIECES, min_size=1, max_size=3),
    st.lists(st.sampled_from("._-+"), min_size=2, max_size=2),
).map(lambda local: local.rstrip("._-+"))


@given(LOCALS, st.sampled_from(["gmail.com", "example.org", "mail.example-air.com"]), st.sampled_from("psn"))
def test_emails_come_back(local, domain, how):
    address = f"{local}@{domain}"
    said = spoken.say_email(address, spelled=how == "s", nato=how == "n")
    assert spoken.hear_email(f"My email is {said}.") == address


@pytest.mark.parametrize(
    ("heard", "number"),
    [
        ("My phone number is 5-55-014772-3.", "5550147723"),
        ("555-014-7723", "5550147723"),
        ("Plus 1, 312, 555-0198.", "+13125550198"),
        ("double five five oh one four seven seven two three", "5550147723"),
        ("You can call me at (312) 555-0198 for that", "3125550198"),
        ("I have 2 bags and 3 friends", None),
    ],
)
def test_phones(heard, number):
    assert spoken.hear_phone(heard) == number


@pytest.mark.parametrize(
    ("heard", "time"),
    [
        ("At 2.25 pm.", "14:25"),
        ("A 225pm", "14:25"),
        ("205 AM", "02:05"),
        ("two oh five p.m.", "14:05"),
        ("two twenty-five in the afternoon", "14:25"),
        ("12 PM", "12:00"),
        ("12:30 at night", "00:30"),
        ("noon", "12:00"),
        ("Midnight.", "00:00"),
        ("seven o'clock in the morning", "07:00"),
        ("14:25", "14:25"),
        ("2:25", None),  # morning or afternoon?
        ("gate 25", None),
    ],
)
def test_times(heard, time):
    assert spoken.hear_time(heard) == time


@pytest.mark.parametrize(
    ("heard", "amount"),
    [
        ("It costs $74.98.", 74.98),
        ("$74.5", 74.05),
        ("$74.50", 74.5),
        ("That costs $1,977 and $0.94.", 1977.94),
        ("seventy four dollars and five cents", 74.05),
        ("one thousand two hundred and fifty dollars", 1250.0),
        ("5 cents", 0.05),
        ("74 dollars and 2 bags", 74.0),
        ("There is no charge.", None),
    ],
)
def test_money(heard, amount):
    assert spoken.hear_money(heard) == amount


@pytest.mark.parametrize(
    ("heard", "date"),
    [
        ("It is on June 18th.", "2026-06-18"),
        ("June 18, 2027.", "2027-06-18"),
        ("the twenty second of February twenty twenty-seven", "2027-02-22"),
        ("on January 2nd", "2027-01-02"),  # the nearest one to near
        ("tomorrow", "2026-12-02"),
        ("6/18", "2026-06-18"),
        ("February 30", None),
        ("may I have a seat", None),
    ],
)
def test_dates(heard, date):
    near = "2026-12-01" if "18" not in heard else "2026-05-01"
    assert spoken.hear_date(heard, near=near) == date


@given(st.dates(datetime.date(2020, 1, 1), datetime.date(2039, 12, 31)))
def test_dates_with_a_year_need_no_reference(date):
    assert spoken.hear_date(spoken.say_date(date.isoformat(), year=True)) == date.isoformat()


def test_a_date_without_a_year_needs_one():
    assert spoken.hear_date("June 18") is None


@pytest.mark.parametrize(
    ("heard", "flight"),
    [
        ("I am on Flight SK-530.", "SK530"),
        ("Flight U A 9.", "UA9"),
        ("I was on Flight S K 6 1 0 from Boston.", "SK610"),
        ("S K five thirty", "SK530"),
        ("flight DL 44 to Boston", "DL44"),
        ("My flight is a 1207.", None),
        ("code KUT629", None),
    ],
)
def test_flights(heard, flight):
    assert spoken.hear_flight(heard) == flight


@given(st.integers(0, 999_999))
def test_number_words_are_read(number):
    num2words = pytest.importorskip("num2words").num2words
    assert figures(num2words(number).replace(",", "")) == str(number)


@pytest.mark.parametrize("n", range(1, 32))
def test_ordinals_are_read(n):
    num2words = pytest.importorskip("num2words").num2words
    assert ordinal(n) == num2words(n, to="ordinal").replace("-", " ")
    assert figures(ordinal(n)) == str(n)


@given(st.text(string.ascii_letters + "'-", min_size=2, max_size=12), st.booleans())
def test_names_with_signs_come_back(name, nato):
    letters = [c for c in name if c.isalpha()]
    assume(len(letters) >= 2 and 2 * len(letters) > len(name) and name[0].isalpha() and name[-1].isalpha())
    heard = spoken.hear_name(f"It is spelled {spoken.spell_name(name, nato=nato)}.")
    assert heard is not None
    assert heard.lower() == name.lower()


def test_accents_are_dropped_when_spelling():
    assert spoken.spell_name("Müller") == "M, U, L, L, E, R"


def test_plain_codes_explain_what_sounds_alike():
    assert spoken.say_code("6VORJU") == "6, V, O, as in Oscar, R, J, U"
    assert spoken.say_code("SFO") == "S, F, O"  # no figure that the O could be
    assert spoken.say_code("6VORJU", nato=True) == "six, Victor, Oscar, Romeo, Juliet, Uniform"
