"""Whether a caller takes what it is offered.

An offer is read for what it would do, when and where it flies and what it costs
(:mod:`~evalib.simulator.callers.offers`). It is judged by the scenario's ``acceptance`` where the
decision tree is machine-readable, else by the reference outcome: what the ground truth ends with is
what this caller would have taken. Only what was heard counts against an offer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalib.core import Scenario, spoken
from evalib.domains.airline.airports import city
from evalib.simulator.callers import offers
from evalib.simulator.callers.escalation import transfer_allowed
from evalib.simulator.callers.offers import ACTIONS, EXTRAS, actions

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
_FLIGHTS = frozenset({"rebook_flight", "add_to_standby"})


@dataclass(frozen=True)
class Decision:
    """Yes or no, and what to say with it; `asks` when the caller has to know the price first."""

    accept: bool
    why: str = ""
    asks: bool = False


class Choice:
    """The standards one caller holds offers to."""

    def __init__(self, scenario: Scenario) -> None:
        tree = scenario.decision_tree or {}
        self.acceptance: dict = {k: v for k, v in (tree.get("acceptance") or {}).items() if v is not None}
        self.wanted = {c["name"] for c in scenario.reference_calls} & set(dict(ACTIONS))
        self.outcomes = self.wanted & OUTCOMES
        rule = str(tree.get("escalation_behavior") or "")
        self.transfer_allowed = bool(self.acceptance.get("accept_transfer", transfer_allowed(rule)))
        if not self.transfer_allowed:
            self.outcomes -= {"transfer_to_agent"}
        self._departures = _reference_departures(scenario)
        self._now = scenario.now
        self._asked_price = False
        self._gained: dict[str, float] = {}

    def judge(self, offer: str, read_back: bool = False) -> Decision:
        """Take or leave an offer; a read-back of the booking is not measured by what a new flight must be."""
        said = offers.proposed(offer) or offer
        offered = actions(said)
        named = offered & OUTCOMES - {"transfer_to_agent"}
        extra = EXTRAS.search(said)
        # "The 12:45 PM would cost $117. Would that work?" offers a flight without a word for it.
        if not offered and not read_back and offers.clock_times(said):
            offered = named = {"rebook_flight"}
        if (offered and not offered & self.wanted) or (extra and not named):
            return Decision(False, "No, thank you. I don't need that.")
        if "add_to_standby" in named and not self._standby_ok() and "rebook_flight" not in named:
            return Decision(False, "No standby, please. I need a confirmed seat.")
        why = self._too_dear(said) or self._too_little(said)
        if not why and named & _FLIGHTS and (wrong := self._misfits(said)):
            why = self._restate(wrong)
        if why:
            return Decision(False, why)
        if named & _FLIGHTS and self._price_unsaid(said):
            self._asked_price = True
            return Decision(False, "How much would that be in total?", asks=True)
        return Decision(True, f"but without the {extra[0].lower()}" if extra else "")

    def _standby_ok(self) -> bool:
        return bool(self.acceptance.get("accept_standby", "add_to_standby" in self.wanted))

    # -- money -------------------------------------------------------------------------------------

    def _price_unsaid(self, said: str) -> bool:
        """Whether a limit is set and no cost was said; asked once, for it may have been misheard."""
        return (
            "max_total_cost" in self.acceptance and not self._asked_price and offers.total_cost(said) is None
        )

    def _too_dear(self, said: str) -> str:
        cost, limit = offers.total_cost(said), self.acceptance.get("max_total_cost")
        if cost is None or limit is None or cost <= float(limit):
            return ""
        most = f"stay within {spoken.say_money(float(limit))}" if float(limit) else "cost me nothing"
        return f"That is too expensive. It has to {most} in total."

    def _too_little(self, said: str) -> str:
        for kind in ("refund", "credit"):
            least, gain = self.acceptance.get(f"min_{kind}"), offers.total_gain(said, kind)
            if least is None or gain is None:
                continue
            if re.search(r"\balso\b|additional|another|as well|\bplus\b", said, re.I):
                gain += self._gained.get(kind, 0.0)
            self._gained[kind] = gain
            if gain < float(least):
                return f"That is not enough. It has to be {spoken.say_money(float(least))} or more."
        return ""

    # -- the flight ----------------------------------------------------------------------------------

    def _misfits(self, said: str) -> list[str]:
        """The keys of ``acceptance`` that a flight goes against; "" stands for the reference departure."""
        wanted = self.acceptance
        origins, destinations = offers.airports(said)
        named = {
            "origin": origins,
            "destination": destinations,
            "date": offers.dates(said, self._now),
            "fare_class": offers.fare_classes(said),
        }
        wrong = [
            key for key, values in named.items() if key in wanted and values and wanted[key] not in values
        ]
        stops = offers.stops(said) or 0
        wrong += ["nonstop"] if wanted.get("nonstop") and stops else []
        wrong += ["max_stops"] if stops > int(wanted.get("max_stops", stops)) else []
        return wrong + self._wrong_times(said)

    def _wrong_times(self, said: str) -> list[str]:
        """An offer names departure, then arrival; it may name neither."""
        limits = {
            k: _minutes(v) for k, v in self.acceptance.items() if k.endswith(("_departure", "_arrival"))
        }
        if not limits:
            # One time alone may be the arrival, the departure having been heard as something else.
            times = offers.clock_times(said)
            fits = len(times) < 2 or not self._departures or self._departures & set(times)
            return [] if fits else [""]
        departure, arrival = offers.departure_and_arrival(said)
        wrong = []
        for key, limit in limits.items():
            at = departure if key.endswith("_departure") else arrival
            if at is not None and (at < limit if key.startswith("earliest") else at > limit):
                wrong.append(key)
        return wrong

    def _restate(self, wrong: list[str]) -> str:
        """What it has to be instead, in the caller's own words."""
        say = {
            "origin": lambda v: f"leave from {city(v)}",
            "destination": lambda v: f"go to {city(v)}",
            "date": lambda v: f"be on {spoken.say_date(v)}",
            "fare_class": lambda v: f"be in {v.replace('_', ' ')}",
            "nonstop": lambda v: "be nonstop",
            "max_stops": lambda v: f"have {v} stops at most",
            "earliest_departure": lambda v: f"leave at {spoken.say_time(v)} or later",
            "latest_departure": lambda v: f"leave by {spoken.say_time(v)}",
            "earliest_arrival": lambda v: f"arrive at {spoken.say_time(v)} or later",
            "latest_arrival": lambda v: f"arrive by {spoken.say_time(v)}",
        }
        needs = [say[key](self.acceptance[key]) for key in wrong if key]
        if not needs:
            hours, minutes = divmod(min(self._departures), 60)
            needs = [f"leave at {spoken.say_time(f'{hours:02d}:{minutes:02d}')}"]
        return f"No, that one does not work for me. It has to {' and '.join(needs)}. Can you check again?"


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
