"""What a reference agent has learnt in a call: values it saw in tool results, journeys, the booking."""

from __future__ import annotations

from typing import Any


class Memory:
    """Everything the tools told the agent so far.

    Attributes
    ----------
    values : set of str
        Every scalar seen in a successful response; an argument found here needs no asking.
    journeys : dict
        journey_id -> the journey as the tools described it.
    reservation : dict
        The reservation that was opened, {} before.
    """

    def __init__(self, now: str) -> None:
        self.now = now
        self.values: set[str] = {now.split(" ", 1)[0]}
        self.journeys: dict[str, dict[str, Any]] = {}
        self.reservation: dict[str, Any] = {}
        self.disruption: dict[str, Any] = {}

    def learn(self, response: dict[str, Any]) -> None:
        if response.get("status") == "error":
            return
        self._walk(response)
        self.reservation = response.get("reservation") or self.reservation
        self.disruption = response.get("disruption") or self.disruption

    def _walk(self, node: Any) -> None:
        if isinstance(node, dict):
            if "journey_id" in node and isinstance(node.get("segments"), list):
                merged = self.journeys.setdefault(node["journey_id"], {})
                merged.update({k: v for k, v in node.items() if k not in merged or k == "segments"})
            for value in node.values():
                self._walk(value)
        elif isinstance(node, list):
            for value in node:
                self._walk(value)
        elif node is not None:
            self.values.add(str(node))

    def knows(self, value: Any) -> bool:
        if isinstance(value, list):
            return all(str(v) in self.values for v in value)
        return str(value) in self.values

    def booking(self, journey_id: str) -> dict[str, Any]:
        """The booking of a journey in the open reservation, {} when there is none."""
        bookings = self.reservation.get("bookings", [])
        return next((b for b in bookings if b["journey_id"] == journey_id), {})
