"""The scenario: a caller with a goal, the database the agent's tools work on, and the ground truth.

One scenario is one published-format EVA-Bench record with its placeholders resolved for one
language (loading and resolving live in :mod:`evalib.domains`). Paper section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

DOMAINS = ("airline", "itsm", "medical_hr")
LANGUAGES = ("en", "fr", "fr-CA", "es", "de", "hi", "ko")


@dataclass(frozen=True)
class Scenario:
    """One call to simulate.

    Attributes
    ----------
    id : str
        Record id, unique within its domain.
    domain : str
        One of :data:`DOMAINS`.
    now : str
        The date and time of the call, ``"YYYY-MM-DD HH:MM TZ"``.
    starting_utterance : str
        The caller's first line.
    goal : dict
        ``high_level_user_goal``, ``decision_tree``, ``information_required``.
    caller : dict
        ``name``, ``gender``, ``user_persona``, ... (the record's ``user_config``).
    initial_db, expected_db : dict
        The database before the call and the one a perfect call leaves; the latter also holds
        ``session``, the authentication the call must reach.
    reference_calls : list of dict
        ``{"name", "arguments"}``, the tool calls that lead from one to the other.
    context : dict
        The record's ``scenario_context``: premise, priorities or intents, adversarial vector.
    language : str
        One of :data:`LANGUAGES`.
    source : str
        ``"builtin"`` (synthetic, ours) or the folder it was read from.
    """

    id: str
    domain: str
    now: str
    starting_utterance: str
    goal: dict[str, Any]
    caller: dict[str, Any]
    initial_db: dict[str, Any]
    expected_db: dict[str, Any]
    reference_calls: list[dict[str, Any]]
    context: dict[str, Any] = field(default_factory=dict)
    language: str = "en"
    source: str = "builtin"

    @property
    def date(self) -> str:
        """The day of the call, ``YYYY-MM-DD``."""
        return self.now.split(" ", 1)[0]

    @property
    def decision_tree(self) -> dict[str, Any]:
        return self.goal.get("decision_tree", {})

    @property
    def information(self) -> dict[str, Any]:
        """What the caller knows and may be asked for."""
        return self.goal.get("information_required", {})

    @property
    def expected_session(self) -> dict[str, Any]:
        return self.expected_db.get("session") or {}

    @property
    def adversarial(self) -> bool:
        """True when the caller tries to get what the policy does not allow."""
        ctx = self.context
        return bool(
            ctx.get("adversarial_vector")
            or ctx.get("adversarial_tactic")
            or ctx.get("category") in ("adversarial", "adversarial_intent")
        )

    def __repr__(self) -> str:
        return f"Scenario({self.domain} {self.id}: {self.starting_utterance!r})"
