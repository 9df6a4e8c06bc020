"""What a caller makes of the agent's words: which of a few things is the agent doing?

A scripted caller needs no understanding beyond this: is it being asked for something, offered
something, told that something is done, or told that it cannot be done? Keyword rules over the
recogniser's text, so that a call costs no model. They are written for spoken service English, not
for the wording of our own reference agent alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_QUESTION = re.compile(
    r"\?|\b(?<!to )(?:could|can|may|would|will|do|did|shall|should|what|which|where|when|who|is that"
    r"|are you|have you)"
    r" (?:you|i|we|your|is|are|the|seat|date|day|would|that|correct|a)\b|\bplease (?:tell|give|spell|say"
    r"|repeat|provide|confirm)\b",
    re.I,
)

# Ordered: the first fact whose words all occur in a question is the one asked for. "first name"
# stands before "name", and "flight number" before "number".
ASKED = (
    ("confirmation", r"confirmation|booking (?:code|reference|number)|reservation (?:code|number)"
        r"|record locator"),
    ("first_name", r"first name"),
    ("last_name", r"last name|surname|family name"),
    ("full_name", r"(?:full|your) name"),
    # Two kinds of seat in a question are a question for the seat, also where "seat" was heard as "seed".
    ("seat", r"seat\b.*\b(?:prefer|window|aisle|middle|like|want)|(?:window|aisle|middle)"
        r".*\b(?:seat|window|aisle|middle)\b"),
    ("meal", r"meal (?:preference|request|type)|special meal|dietary"),
    ("phone", r"\bphone\b|telephone|call back number|contact number"),
    ("email", r"e-?mail"),
    ("birth", r"date of birth|birth ?date|born"),
    ("flight", r"flight number|which flight"),
    ("destination", r"(?:where|which (?:city|airport)).*(?:fly|go|travel|to)\b|destination|arrival (?:city"
        r"|airport)"),
    ("origin", r"(?:where|which (?:city|airport)).*(?:from|leav)|departure (?:city|airport)|origin"),
    ("date", r"(?:what|which) (?:date|day)|when (?:would|do|are) you|travel date|date of (?:travel"
        r"|the flight)"),
    ("reason", r"what (?:is|'s) the reason|why do you"),
)  # fmt: skip
_ASKED = tuple((name, re.compile(pattern, re.I)) for name, pattern in ASKED)

_OFFER = re.compile(
    r"(?:shall|should|may) (?:i|we) (?!have|ask|get)|would you like (?:me|that|us|to (?:proceed|go|book"
    r"|take|be|do|keep|move))"
    r"|do you want|want me to|is that (?:correct|right|ok)"
    r"|does that (?:work|sound)|go ahead|can i (?:book|go|move|issue|proceed)|okay (?:to|with)"
    r"|all right with you",
    re.I,
)
_OPEN = re.compile(
    r"(?:and |so |okay,? )?(?:what|which|where|when|who|how)\b", re.I
)  # asks for a fact, offers nothing
_REPEAT = re.compile(
    r"didn'?t (?:catch|get|hear)|could(?:n'?t| not) find|say (?:that|it) again|repeat|phonetic|spell"
    r"|one more time"
    r"|can(?:'t|not) find|no (?:booking|reservation)|does(?:n'?t| not) match|slowly",
    re.I,
)
_HOLD = re.compile(
    r"one moment|just a (?:moment|second)|let me (?:check|look|see|pull|find|try)|please (?:hold|wait)"
    r"|bear with me"
    r"|i'?ll (?:look|check|pull|go ahead|do|book)|i am (?:looking|checking)|i'?m (?:looking|checking"
    r"|processing)",
    re.I,
)
_DONE = re.compile(
    r"all set|(?:is|are|has been|have been|been|it'?s) (?:now )?(?:confirmed|booked|rebooked|changed|moved"
    r"|cancell?ed|added|issued"
    r"|processed|refunded|completed|assigned|updated|done)|i(?:'ve| have) (?:\w+ )?(?:moved|booked"
    r"|rebooked|changed|cancell?ed|added"
    r"|issued|processed|refunded|assigned|placed|put|noted)|\bdone\b|successfully",
    re.I,
)
_ERROR = re.compile(
    r"(?:encountered|having|there (?:was|is)) an? (?:error|technical|system)|something went wrong"
    r"|system is down",
    re.I,
)
_REFUSAL = re.compile(
    r"(?:can(?:'t|not)|could ?n(?:'t|ot)|unable|not able|not allowed|not permitted|not eligible"
    r"|do(?:es)? not (?:allow|cover|qualify)"
    r"|won'?t be able|against (?:our )?policy|nothing (?:more|else) i can)",
    re.I,
)
_TRANSFER = re.compile(
    r"transfer|live agent|supervisor|connect you|human agent|specialist|representative", re.I
)
_TRANSFERRING = re.compile(
    r"(?:i'?m|i am|am|now|you(?:'re| are) being) (?:now )?(?:transferr|connect)\w*|transferring you"
    r"|connecting you"
    r"|(?:hold|wait) while i (?:transfer|connect)",
    re.I,
)
_ANYTHING_ELSE = re.compile(
    r"(?:any ?thing|something) else|further assistance|other (?:questions|requests)", re.I
)


@dataclass(frozen=True)
class Heard:
    """One agent reply, understood.

    ``asked`` names the facts asked for, in the order of :data:`ASKED`. The flags are not
    exclusive: an agent may report an outcome and offer the next step in one breath.
    """

    text: str
    asking: str  # the sentences that ask something
    question: bool
    asked: tuple[str, ...]
    offer: bool
    repeat: bool
    hold: bool
    done: bool
    error: bool
    refusal: bool
    transfer_offer: bool
    transferring: bool
    anything_else: bool


def listen(text: str) -> Heard:
    """Understand one agent reply."""
    question = bool(_QUESTION.search(text))
    transferring = bool(_TRANSFERRING.search(text)) and "?" not in text
    # Only the sentence that asks is searched for what it asks: a report may mention a phone.
    sentences = [s for s in _sentences(text) if _QUESTION.search(s)]
    asking = " ".join(sentences)
    repeat = bool(_REPEAT.search(text))
    asked = tuple(name for name, p in _ASKED if p.search(asking))
    return Heard(
        text=text,
        asking=asking,
        question=question,
        asked=asked,
        offer=any(_OFFER.search(s) and not _OPEN.match(s) for s in sentences),
        repeat=repeat and (bool(asked) or question),
        hold=bool(_HOLD.search(text)) and "?" not in text,
        done=bool(_DONE.search(text)),
        error=bool(_ERROR.search(text)),
        refusal=bool(_REFUSAL.search(text)),
        transfer_offer=bool(_TRANSFER.search(text)) and question and not transferring,
        transferring=transferring,
        anything_else=bool(_ANYTHING_ELSE.search(text)),
    )


def _sentences(text: str) -> list[str]:
    return [s for s in re.split(r"(?<=[.!?])\s+", text) if s]
