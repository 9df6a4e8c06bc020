"""Spoken forms of entities: how a caller says a code, a name, a date, and how to hear it back.

``say_*`` and ``spell_name`` give the text that a voice speaks; ``hear_*`` finds the entity in what a
recogniser wrote, and gives None when nothing plausible is there. English.
"""

from evalib.core.spoken.codes import hear_code, hear_code_candidates
from evalib.core.spoken.emails import hear_email
from evalib.core.spoken.hear import hear_date, hear_flight, hear_money, hear_phone, hear_time
from evalib.core.spoken.names import hear_name
from evalib.core.spoken.say import (
    say_code,
    say_date,
    say_email,
    say_flight,
    say_money,
    say_phone,
    say_time,
    spell_name,
)

__all__ = [
    "hear_code",
    "hear_code_candidates",
    "hear_date",
    "hear_email",
    "hear_flight",
    "hear_money",
    "hear_name",
    "hear_phone",
    "hear_time",
    "say_code",
    "say_date",
    "say_email",
    "say_flight",
    "say_money",
    "say_phone",
    "say_time",
    "spell_name",
]
