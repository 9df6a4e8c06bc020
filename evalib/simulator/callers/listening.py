"""What a caller makes of the agent's words: which of a few things is the agent doing?

A scripted caller needs no understanding beyond this: is it being asked for something, offered
something, told that something is done, or told that it cannot be done? Keyword rules over the
recogniser's text, so that a call costs no model. They are written for spoken service English, not
for the wording of our own reference agent alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from evalib.simulator.callers import offers

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
    ("destination", r"(?<!from )(?:where|which (?:city|airport))\b(?:(?!\bfrom\b|\bleav|\bdepart)[^?])*"
        r"(?:\b(?:fly|flying|go|going|travel|travelling|head(?:ing)?)\b(?![^?]*\bfrom\b)"
        r"|\bto(?= *(?:[?.,]|$)))|\bwhere to\b|\bto\W*[?]|destination|arrival (?:city|airport)"),
    ("origin", r"(?:where|which (?:city|airport)).*(?:\bfrom\b|\bleav\w+|\bdepart\w*)|from (?:where"
        r"|which|what)\b|departure (?:city|airport)|origin"),
    ("date", r"(?:what|which) (?:date|day)|when (?:would|do|are) you|travel date|date of (?:travel"
        r"|the flight)"),
    ("reason", r"what (?:is|'s) the reason|why do you"),
)  # fmt: skip
_ASKED = tuple((name, re.compile(pattern, re.I)) for name, pattern in ASKED)

_OFFER = re.compile(
    r"(?:shall|should|may) (?:i|we)\b(?! have| ask| get)|would you like (?:me|that|us|to (?:proceed|go|book"
    r"|take|be|do|keep|move))"
    r"|do you want|want me to|is that (?:correct|right|ok)"
    r"|(?:does|would|will) (?:that|this|it)"
    r" (?:work|sound|suit)|go ahead|can i (?:book|go|move|issue|proceed)|okay (?:to|with)"
    r"|all right with you",
    re.I,
)
_OPEN = re.compile(
    r"(?:and |so |okay,? )?(?:(?:from|to|on|for|at|in) )?(?:what|which|where|when|who|how)\b", re.I
)  # asks for a fact, offers nothing
_REPEAT = re.compile(
    r"(?:did ?n(?:'?t| not)) (?:catch|get|hear)|could(?:n'?t| not) find|say (?:that|it) again|repeat|phonetic"
    r"|spell"
    r"|one more time"
    r"|can(?:'t|not) find|no (?:booking|reservation)|does(?:n'?t| not) match|slowly",
    re.I,
)
# The agent did not get what the caller said: nothing is refused, something has to be said again.
_REPAIR = re.compile(
    r"(?:ca|could ?|did ?)n(?:'?|o)t (?:quite )?(?:hear|catch|understand) "
    r"|can ?not (?:hear|catch|understand) |did ?n(?:'?|o)t get (?:that|it|your|the)\b"
    r"|trouble (?:hearing|understanding|finding)\b"
    r"|(?:unable|not able) to (?:hear|understand)\b"
    r"|(?:(?:ca|could ?|does ?|do ?|did ?)n(?:'?|o)t|can ?not|unable to|not able to) "
    r"(?:find|locate|see|pull up|verify|match|recogni[sz]e) (?:\w+ ){0,3}"
    r"(?:reservation|booking|record|confirmation|code|account|name)\b"
    r"|\bno (?:reservation|booking|record)\b",
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
    r"all set|(?:\bis|\bare|\w're|has been|have been|been|it'?s) (?:now )?(?:confirmed|booked|re-?booked"
    r"|changed|moved|cancell?ed|added|issued|processed|refunded|completed|assigned|updated|done)"
    r"|i(?:'ve| have) (?:\w+ ){0,3}(?:moved|booked|re-?booked|changed|cancell?ed|added|issued|processed"
    r"|refunded|assigned|placed|put|noted)|\bdone\b|successfully",
    re.I,
)
# A report of something just done, which counts even where nobody asked the caller first. That a flight
# "is confirmed" may be how things stood before the call.
_JUST_DONE = re.compile(
    r"\bi(?:'ve| have)(?: now| just| also| successfully| already"
    r"| gone ahead and)? (?:moved|re-?booked|booked|changed"
    r"|cancell?ed|issued|processed|refunded|placed|put|added)"
    r"|\b(?:you|we)(?:'re| are| have been)(?: now| successfully)+ (?:re-?booked"
    r"|booked|confirmed|moved|changed|on )"
    r"|\byou have been (?:re-?booked|moved|added)"
    r"|\b(?:has|have) (?:now |just |successfully )*been (?:issued|processed|refunded|re-?booked"
    r"|added|cancell?ed)",
    re.I,
)
_ALL_DONE = re.compile(r"all set|\bdone\b|been (?:completed|processed)|successfully", re.I)
_BEFORE_THE_CALL = re.compile(
    r"by the airline|because|due to|\b(?:see|found|shows?|looks|record)\b|sorry|unfortunately|called off",
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
    r"|(?:i'?ll|i will|let me|going to) (?:now |just )?(?:(?:transfer|connect) you\b|put you through)"
    r"|you(?:'ll| will) (?:now )?be (?:transferred|connected)"
    r"|connecting you"
    r"|(?:hold|wait) while i (?:transfer|connect)",
    re.I,
)
# An offer that is made as a statement.
_PROPOSAL = re.compile(
    r"(?<!if )(?<!what )(?<!whether )\b(?:i|we)(?: can| could|'d be able to|'m able to)"
    r"(?: also| then| instead)? (?:re-?book|book|move|switch|change you|put you|place you|offer"
    r"|issue|give you|get you|cancel|refund|transfer|connect|process|add you)"
    r"|\b(?:i|we)(?: do)? have (?:the|a|an|another|one|space|seats?) "
    r"|\bthere(?:'s| is| are) (?:a|an|another|one|still|also|space|seats?)\b.*\b(?:seats?|flights?|space)\b"
    r"|\bthe next (?:available )?(?:flight|one)\b|\b(?:how|what) about\b"
    r"|\bif you(?:'d| would)? (?:like|want|prefer|wish)\b",
    re.I,
)
# Reading back what is known: a yes to it approves of nothing.
_READ_BACK = re.compile(r"is that (?:correct|right)", re.I)
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
    proposal: str  # the text without what is refused and without how things stand
    asking: str  # the sentences that ask something
    question: bool
    asked: tuple[str, ...]
    offer: bool
    read_back: bool  # the offer is no more than a read-back to be confirmed
    repeat: bool
    hold: bool
    done: bool
    error: bool
    refusal: bool
    transfer_offer: bool
    transferring: bool
    anything_else: bool


@lru_cache(maxsize=2048)  # an agent says much the same in every trial
def listen(text: str) -> Heard:
    """Understand one agent reply."""
    question = bool(_QUESTION.search(text))
    transferring = "?" not in text and any(
        _TRANSFERRING.search(c) and not re.search(r"\bif you\b", c, re.I)
        for c in offers.clauses(text)
        if not offers.is_refused(c)
    )
    # Only the sentence that asks is searched for what it asks: a report may mention a phone.
    sentences = [s for s in _sentences(text) if _QUESTION.search(s)]
    asking = " ".join(sentences)
    repeat = bool(_REPEAT.search(text))
    asked = tuple(name for name, p in _ASKED if p.search(asking))
    proposal = offers.proposed(text)
    news = [c for c in offers.clauses(proposal) if not _ANYTHING_ELSE.search(c) and not _DONE.search(c)]
    # "Which of them would you like?" asks for a choice that a yes does not make.
    choose = any(_OPEN.match(s) and not _PROPOSAL.search(s) for s in sentences)
    stated = not asked and not transferring and not choose and any(_PROPOSAL.search(c) for c in news)
    offering = [
        s for s in sentences if _OFFER.search(s) and not _OPEN.match(s) and not _ANYTHING_ELSE.search(s)
    ]
    return Heard(
        text=text,
        proposal=proposal,
        asking=asking,
        question=question,
        asked=asked,
        offer=stated or bool(offering),
        read_back=not stated and bool(offering) and all(_READ_BACK.search(s) for s in offering),
        repeat=bool(_REPAIR.search(text)) or (repeat and (bool(asked) or question)),
        hold=bool(_HOLD.search(text)) and "?" not in text,
        done=bool(_DONE.search(text)),
        error=bool(_ERROR.search(text)),
        refusal=bool(_REFUSAL.search(text)),
        transfer_offer=bool(_TRANSFER.search(proposal)) and (question or stated) and not transferring,
        transferring=transferring,
        anything_else=bool(_ANYTHING_ELSE.search(text)),
    )


def reported(text: str, approved: set[str]) -> set[str]:
    """The tools whose work a text reports as done.

    What this caller said yes to may be reported in any words; anything else must have been done just
    now, and a standing fact ("you are booked on", "was cancelled by the airline") is no report.
    """
    found: set[str] = set()
    for sentence in _sentences(text):
        if not _DONE.search(sentence):
            continue
        about = offers.actions(sentence)
        if not about and _ALL_DONE.search(sentence):
            found |= approved
        standing = _BEFORE_THE_CALL.search(sentence)
        found |= about if _JUST_DONE.search(sentence) and not standing else about & approved
        if (
            standing
            and "cancel_reservation" in about
            and not re.search(r"\bi(?:'ve| have)\b", sentence, re.I)
        ):
            found -= {"cancel_reservation"}
    return found


def _sentences(text: str) -> list[str]:
    return [s for s in re.split(r"(?<=[.!?])\s+", text) if s]
