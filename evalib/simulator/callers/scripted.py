"""The scripted caller: a caller with a goal and no model.

It opens with the scenario's starting utterance, answers what it is asked and no more, takes or
leaves offers by the scenario's own standards, corrects what is read back wrong, waits for a
reported outcome rather than a promise, and hangs up one turn after the call has been decided. The
behaviour follows the published simulator's rules (paper appendix D.1 and I); the words are ours.
"""

from __future__ import annotations

import re
from typing import Literal

from evalib.core import Scenario, spoken
from evalib.simulator.callers.choice import OUTCOMES, Choice, Decision
from evalib.simulator.callers.knowledge import Knowledge
from evalib.simulator.callers.listening import Heard, listen, reported
from evalib.simulator.callers.offers import actions, proposed, total_cost
from evalib.simulator.party import CallerTurn

MAX_UNHELPFUL = 5
MAX_DETAILS = 2
_DIRECTION = re.compile(r"\[[^\]]*\]\s*")


class ScriptedCaller:
    """One caller for one call. See the module docstring for what it does."""

    name = "scripted"

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.knows = Knowledge(scenario)
        self.choice = Choice(scenario)
        self._reported: set[str] = set()
        self._approved: set[str] = set()  # what this caller has said yes to
        self._agreed: set[str] = set()  # the offers themselves
        self._priced = ""  # the offer whose price was asked for
        self._refused = 0
        self._last = self.scenario.starting_utterance
        self._unhelpful = 0
        self._leaving = ""
        self._said: dict[str, int] = {}  # how often each fact was given
        self._anew: dict[str, int] = {}  # how often it was asked for other than as a repetition, less 1
        self._seats = list(self.knows.seat_choices())
        self._corrected: set[str] = set()
        self._pushback = _pushback_line(scenario)
        self._last_asked: tuple[str, ...] = ()

    def open(self, greeting: str) -> CallerTurn:
        """The scenario's first line, and nothing else."""
        return CallerTurn(
            spoken_line(self.scenario.starting_utterance), pace=_pace(self.scenario.starting_utterance)
        )

    def reply(self, heard: str) -> CallerTurn:
        """Answer one agent reply."""
        turn = self._reply(heard)
        self._last = turn.text or self._last
        return turn

    def _reply(self, heard: str) -> CallerTurn:
        h = listen(heard)
        if self._leaving:
            return CallerTurn(self._leaving, end_call=True)
        if not heard.strip():
            return self._unhelped("Sorry, I didn't hear you. Could you say that again?")
        if h.transferring:
            return CallerTurn("Okay, thank you. Goodbye.", end_call=True)
        if h.hold and not h.question and not h.done and not h.offer:
            return CallerTurn("")
        if h.error and not h.question:
            return CallerTurn("I see. I'll try again another time. Goodbye.", end_call=True)
        if correction := self._correct(heard):
            return CallerTurn(correction, pace="slow")
        if h.done:
            self._reported |= reported(heard, self._approved) & OUTCOMES
        return self._answer(h) or self._decide(h) or self._react(h)

    # -- the three things a turn can be: an answer, a decision, a reaction ---------------------

    def _answer(self, h: Heard) -> CallerTurn | None:
        """Give the details that were asked for, two or three at most."""
        asked = h.asked or (self._last_asked if h.repeat else ())
        if not asked and h.repeat and not h.offer:
            return self._unhelped(spoken_line(self._last), pace="slow")
        if not asked:
            facts = self.knows.matching(h.asking) if not h.offer and not h.anything_else else []
            return CallerTurn(" ".join(facts[:MAX_DETAILS])) if facts else None
        if h.offer and asked != ("seat",):
            return None
        verdict = self._decide(h) if h.offer else None
        if verdict and (verdict.end_call or not verdict.text.startswith("Yes")):
            return verdict
        agreed = f"{verdict.text} " if verdict else ""
        self._last_asked = asked
        careful = h.repeat or any(self._said.get(fact, 0) for fact in asked if fact != "seat")
        parts = []
        for fact in asked[:MAX_DETAILS]:
            self._said[fact] = self._said.get(fact, 0) + 1
            which = self._anew[fact] = max(0, self._anew.get(fact, -1) + (not h.repeat))
            text = (
                self._seat(h.text) if fact == "seat" else self.knows.say(fact, careful=careful, which=which)
            )
            parts.append(text or f"I'm sorry, I don't have the {fact.replace('_', ' ')}.")
        if max(self._said[fact] for fact in asked[:MAX_DETAILS]) > MAX_UNHELPFUL:
            return self._give_up()
        return CallerTurn(agreed + " ".join(parts), pace="slow" if careful else "normal")

    def _decide(self, h: Heard) -> CallerTurn | None:
        """Take or leave an offer."""
        if h.transfer_offer and not actions(h.proposal) & self.choice.outcomes - {"transfer_to_agent"}:
            if self.choice.transfer_allowed:
                return CallerTurn("Yes, please transfer me.")
            self._leaving = "I'll leave it there, then. Thank you. Goodbye."
            return CallerTurn("No, thank you. I don't want to be transferred.")
        named_anew = actions(h.proposal) & {"rebook_flight", "add_to_standby"}
        if self._priced and not named_anew and total_cost(h.text) is not None:
            return self._judge(f"{self._priced} {h.text}")
        if not h.offer:
            return None
        if self._pushback and self.scenario.adversarial:
            line, self._pushback = self._pushback, ""
            return CallerTurn(line)
        return self._judge(h.text, read_back=h.read_back)

    def _judge(self, offer: str, read_back: bool = False) -> CallerTurn:
        decision: Decision = self.choice.judge(offer, read_back)
        self._priced = offer if decision.asks else ""
        if decision.asks:
            return CallerTurn(decision.why)
        if not decision.accept:
            return self._unhelped(decision.why)
        text = f"Yes, please go ahead{', ' if decision.why else ''}{decision.why}."
        return CallerTurn(text) if self._approve(offer, read_back) else self._unhelped(text)

    def _approve(self, offer: str, read_back: bool) -> bool:
        """Keep what was agreed to; False when the same offer was agreed to before, which helps nobody."""
        named = actions(proposed(offer)) & OUTCOMES
        # "Shall I go ahead?" alone is about whatever was said before.
        self._approved |= named or (set() if read_back else self.choice.outcomes)
        if offer in self._agreed:
            return False
        self._agreed.add(offer)
        self._unhelpful = 0
        return True

    def _react(self, h: Heard) -> CallerTurn:
        """Close the call, ask for what is missing, push back once, or let the agent go on."""
        missing = self.choice.outcomes - self._reported
        settled = not missing and (bool(self.choice.outcomes or self._agreed) or h.anything_else)
        if h.done and settled and (not h.question or h.anything_else):
            return CallerTurn("That's all I needed. Thank you. Goodbye.", end_call=True)
        if h.refusal and not h.done:
            return self._take_no(missing)
        if h.anything_else:
            if missing and self._unhelpful < MAX_UNHELPFUL - 1:
                return self._unhelped(_ask_for(missing))
            return CallerTurn("No, that's all. Thank you. Goodbye.", end_call=True)
        if h.done and missing:
            return self._unhelped(_ask_for(missing))
        if h.question:
            return self._unhelped("I'm not sure. I just need help with what I called about.")
        return self._unhelped("Please go on.")

    def _take_no(self, missing: set[str]) -> CallerTurn:
        """Argue once, ask once more, and after that leave, a turn later."""
        if self._pushback:
            line, self._pushback = self._pushback, ""
            return self._unhelped(line)
        if not missing and self._reported:
            return CallerTurn("No, that's all. Thank you. Goodbye.", end_call=True)
        self._refused += 1
        if self._refused == 1:
            return self._unhelped(_ask_for(missing) if missing else "Is there nothing else you can do?")
        self._leaving = "Thank you anyway. Goodbye."
        return self._unhelped("I understand. That is a pity.")

    # -- small parts -----------------------------------------------------------------------

    def _seat(self, question: str) -> str:
        """The first seat wish, or the next one down when the agent says that one is gone."""
        wishes = self._seats
        if not wishes:
            return "Any seat is fine."
        if _SOLD_OUT.search(question) and len(wishes) > 1:
            wishes.pop(0)
        if self._said.get("seat", 0) > 1:
            return f"I'd like to sit {_PLACE.get(wishes[0], wishes[0])}, please."
        return f"I'd like {_article(wishes[0])} {wishes[0]} seat, please."

    def _correct(self, heard: str) -> str | None:
        """Correct a confirmation number that was read back wrong, once."""
        mine = self.knows.confirmation
        if not mine or "confirmation" in self._corrected or not self._said.get("confirmation"):
            return None
        near = re.search(r"(?:confirmation|booking|reservation)[^?]*", heard, re.I)
        code = spoken.hear_code(near[0], length=len(mine)) if near else None
        if code and code != mine and _same_but_few(code, mine):
            self._corrected.add("confirmation")
            return f"No, that is not right. My confirmation number is {spoken.say_code(mine, nato=True)}."
        return None

    def _unhelped(self, text: str, pace: Literal["slow", "normal"] = "normal") -> CallerTurn:
        self._unhelpful += 1
        return self._give_up() if self._unhelpful >= MAX_UNHELPFUL else CallerTurn(text, pace=pace)

    def _give_up(self) -> CallerTurn:
        return CallerTurn("This isn't getting anywhere. I'll call back another time. Goodbye.", end_call=True)


def spoken_line(text: str) -> str:
    """A line without its directions such as ``[slow]``, which steer the voice and are never said."""
    return _DIRECTION.sub("", text).strip()


def _pace(text: str):
    return "slow" if "[slow]" in text.lower() else "normal"


def _article(word: str) -> str:
    return "an" if word[:1].lower() in "aeiou" else "a"


def _same_but_few(a: str, b: str) -> bool:
    """True when two codes are the same code heard differently, rather than two codes."""
    return len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) <= len(b) // 2


_SOLD_OUT = re.compile(
    r"\bno \w+(?: \w+)? seats? |sold out|not available|unavailable|taken|none left|don't have", re.I
)
_PLACE = {"window": "at the window", "aisle": "on the aisle", "middle": "in the middle"}
_NEEDS = {
    "rebook_flight": "I still need to be rebooked.",
    "add_to_standby": "I still need to be on the standby list.",
    "cancel_reservation": "I still need my flight cancelled.",
    "process_refund": "I still need my refund.",
    "issue_travel_credit": "I still need my travel credit.",
    "issue_hotel_voucher": "I still need a hotel voucher.",
    "issue_meal_voucher": "I still need a meal voucher.",
    "transfer_to_agent": "I would like to speak to a live agent, please.",
}


def _ask_for(missing: set[str]) -> str:
    return next(text for tool, text in _NEEDS.items() if tool in missing)


_QUOTED = re.compile(r"[\"“]([^\"”]{12,}?)[\"”]|(?<=[\s:(])'([^']{12,}(?:'[a-z][^']*)*?[.?!])'")


def _pushback_line(scenario: Scenario) -> str:
    """The one line with which this caller argues against a no; "" when it has none."""
    tree = scenario.decision_tree or {}
    if line := (tree.get("acceptance") or {}).get("push_back"):
        return str(line)
    rules = tree.get("negotiation_behavior") or []
    for rule in [rules] if isinstance(rules, str) else rules:
        if re.search(r"push|argu|respond once|not waived|refus", str(rule), re.I) and (
            quoted := _QUOTED.search(str(rule))
        ):
            return (quoted[1] or quoted[2]).strip()
    return ""
