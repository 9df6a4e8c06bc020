"""Whether a caller takes what it is offered.

An offer is read for what it would do (rebook, standby, cancel, vouchers, ...), when it leaves and
arrives, and what it costs in total. It is judged by the scenario's ``acceptance`` where the
decision tree is machine-readable, else by the reference outcome: what the ground truth ends with is
what this caller would have taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalib.core import Scenario, spoken

# What an agent's sentence is about, by tool. Ordered from the specific to the general.
ACTIONS = (
    ("transfer_to_agent", r"transfer|live agent|supervisor|connect you"),
    ("add_to_standby", r"stand-?\s?by"),
    ("issue_hotel_voucher", r"hotel"),
    ("issue_meal_voucher", r"(?:meal|food) voucher|voucher for (?:a )?(?:meal|food)|\$?(?:12|15"
        r"|25) (?:dollar )?(?:meal )?voucher"),
    ("issue_travel_credit", r"travel credit|\bcredit\b"),
    ("process_refund", r"refund"),
    ("cancel_reservation", r"cancel (?:your|the|that|this|it|flight|only|just)|cancell?ed (?:your|the"
        r"|flight|and)|cancellation of"
     r"|(?:been|is now|is|was) cancell?ed"),
    ("rebook_flight", r"rebook|re-book|move you|moved you|book you|booked (?:you )?on|change you"
        r"|changed (?:you|to)|switch you"
     r"|new flight|put you on (?:the |that )?flight|confirmed on"),
    ("add_baggage_allowance", r"\bbags?\b|baggage"),
    ("add_meal_request", r"meal request|special meal"),
    ("assign_seat", r"\bseat\b"),
)  # fmt: skip
_ACTIONS = tuple((tool, re.compile(p, re.I)) for tool, p in ACTIONS)

# What is sold on top of anything; no scenario is about it.
_EXTRAS = re.compile(
    r"insurance|upgrade|lounge|priority boarding|wi-?fi|car rental|rental car|extra legroom|credit card"
    r"|miles|membership"
    r"|newsletter|survey|loyalty",
    re.I,
)

# Outcomes a caller waits for. Seats, bags and meal requests come along with a new flight.
OUTCOMES = frozenset(
    {
        "rebook_flight",
        "add_to_standby",
        "cancel_reservation",
        "process_refund",
        "issue_travel_credit",
        "issue_hotel_voucher",
        "issue_meal_voucher",
        "transfer_to_agent",
    }
)

_DAY = 24 * 60
# As written and as recognisers write it: "7:15 AM", "7.15 am", "7 15 am", "715am".
_CLOCK = re.compile(r"\b(\d{1,2}?)(?:[:. ]?(\d{2}))?\s*([ap])\.?\s?m\b", re.I)
_NOON = re.compile(r"\b(noon|midnight)\b", re.I)
_MONEY = re.compile(r"\$\s?(\d+(?:,\d{3})*(?:\.\d{1,2})?)|\b(\d+(?:,\d{3})*(?:\.\d{1,2})?) dollars", re.I)


def actions(text: str) -> set[str]:
    """The tools whose effect a text speaks of."""
    return {tool for tool, pattern in _ACTIONS if pattern.search(text)}


def clock_times(text: str) -> list[int]:
    """Times of day named in a text, as minutes after midnight, in order."""
    found = []
    for m in _CLOCK.finditer(text):
        hour = int(m[1]) % 12 + (12 if m[3].lower() == "p" else 0)
        found.append((m.start(), hour * 60 + int(m[2] or 0)))
    found += [(m.start(), 720 if m[1].lower() == "noon" else 0) for m in _NOON.finditer(text)]
    return [minutes for _, minutes in sorted(found)]


def total_cost(text: str) -> float | None:
    """What the caller would have to pay, in dollars; None when the text does not say.

    The sum named nearest to the word "total", else the only sum; what the caller would *get*
    (vouchers, refunds, credit) is no cost.
    """
    costs = " ".join(
        s for s in re.split(r"(?<=[.!?])\s+", text) if not re.search(r"voucher|refund|credit", s, re.I)
    )
    sums = [(m.start(), float((m[1] or m[2]).replace(",", ""))) for m in _MONEY.finditer(costs)]
    if not sums:
        free = re.search(
            r"\b(?:no (?:extra )?(?:charge|cost)|free of charge|(?:is|are|for) free|waived)\b", costs, re.I
        )
        return 0.0 if free else None
    if total := re.search(r"\btotal", costs, re.I):
        return min(sums, key=lambda s: abs(s[0] - total.start()))[1]
    return sums[0][1] if len(sums) == 1 else None


@dataclass(frozen=True)
class Decision:
    """Yes or no, and what to say with a no."""

    accept: bool
    why: str = ""


class Choice:
    """The standards one caller holds offers to."""

    def __init__(self, scenario: Scenario) -> None:
        self.acceptance: dict = scenario.decision_tree.get("acceptance", {})
        self.wanted = {c["name"] for c in scenario.reference_calls} & set(dict(ACTIONS))
        self.outcomes = self.wanted & OUTCOMES
        self.transfer_allowed = self._transfer_allowed(scenario)
        if not self.transfer_allowed:
            self.outcomes -= {"transfer_to_agent"}
        self._departures = _reference_departures(scenario)

    def _transfer_allowed(self, scenario: Scenario) -> bool:
        if "accept_transfer" in self.acceptance:
            return bool(self.acceptance["accept_transfer"])
        rule = str(scenario.decision_tree.get("escalation_behavior", ""))
        return not re.search(
            r"\b(?:do not|don't|never|must (?:not|decline)) .*(?:agent|supervisor|transfer)", rule, re.I
        )

    def judge(self, offer: str) -> Decision:
        """Take or leave an offer."""
        offered = actions(offer)
        named = offered & OUTCOMES - {"transfer_to_agent"}
        if (offered and not offered & self.wanted) or (_EXTRAS.search(offer) and not named):
            return Decision(False, "No, thank you. I don't need that.")
        if "add_to_standby" in named and not self._standby_ok() and "rebook_flight" not in named:
            return Decision(False, "No standby, please. I need a confirmed seat.")
        if named & {"rebook_flight", "add_to_standby"}:
            return self._judge_flight(offer)
        return Decision(True)

    def _standby_ok(self) -> bool:
        return bool(self.acceptance.get("accept_standby", "add_to_standby" in self.wanted))

    def _judge_flight(self, offer: str) -> Decision:
        cost, limit = total_cost(offer), self.acceptance.get("max_total_cost")
        if cost is not None and limit is not None and cost > float(limit):
            return Decision(False, f"That is too expensive. It has to stay under {limit:g} dollars in total.")
        return Decision(True) if self._times_fit(clock_times(offer)) else Decision(False, self._restate())

    def _times_fit(self, times: list[int]) -> bool:
        """Whether a flight's times will do. An offer names departure, then arrival; it may name neither."""
        limits = {
            k: _minutes(v) for k, v in self.acceptance.items() if k.endswith(("_departure", "_arrival"))
        }
        if not times:
            return True
        if not limits:
            # One time alone may be the arrival, the departure having been heard as something else.
            return len(times) < 2 or not self._departures or bool(self._departures & set(times))
        departure, arrival = times[0], times[1] if len(times) > 1 else None
        return limits.get("earliest_departure", 0) <= departure <= limits.get("latest_departure", _DAY) and (
            arrival is None
            or limits.get("earliest_arrival", 0) <= arrival <= limits.get("latest_arrival", _DAY)
        )

    def _restate(self) -> str:
        """What it has to be instead, in the caller's own words."""
        words = {
            "earliest_departure": "leave at {} or later",
            "latest_departure": "leave by {}",
            "latest_arrival": "arrive by {}",
        }
        needs = [
            text.format(spoken.say_time(self.acceptance[k]))
            for k, text in words.items()
            if k in self.acceptance
        ]
        if not needs and self._departures:
            hours, minutes = divmod(min(self._departures), 60)
            needs = [f"leave at {spoken.say_time(f'{hours:02d}:{minutes:02d}')}"]
        need = f" It has to {' and '.join(needs)}." if needs else ""
        return f"No, that one does not work for me.{need} Can you check again?"


def _reference_departures(scenario: Scenario) -> set[int]:
    """Departure times, minutes after midnight, of the journeys that the reference outcome takes."""
    taken = [
        call["arguments"].get("new_journey_id") or call["arguments"].get("journey_id")
        for call in scenario.reference_calls
        if call["name"] in ("rebook_flight", "add_to_standby")
    ]
    journeys = scenario.initial_db.get("journeys", {})
    times = set()
    for journey_id in taken:
        for segment in journeys.get(journey_id, {}).get("segments", [])[:1]:
            for key in ("scheduled_departure", "estimated_departure"):
                if value := segment.get(key):
                    times.add(_minutes(value))
    return times


def _minutes(clock: str) -> int:
    """``"14:25"`` as minutes after midnight."""
    hours, minutes = clock.split(":")[:2]
    return int(hours) * 60 + int(minutes)
