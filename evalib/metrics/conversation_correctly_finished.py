"""Conversation correctly finished: 0 when the agent left the caller without an answer.

0 exactly when the call ended in inactivity and the caller spoke last (a tie goes to the agent),
else 1. Paper appendix F.2 ("conversation completion") and table 25.
"""

from __future__ import annotations

from evalib.core import Conversation, Scenario
from evalib.metrics.metric import Metric, Outcome
from evalib.metrics.turn_taking import missed_last_turn


def score_finish(conversation: Conversation, scenario: Scenario) -> Outcome:
    """0.0 when the call hung on the agent, else 1.0."""
    missed = missed_last_turn(conversation.turns, conversation.end_reason)
    reason = "the agent never answered the caller's last words and the call hung" if missed else ""
    return Outcome(float(not missed), reason=reason)


METRIC = Metric(
    name="conversation_correctly_finished",
    category="diagnostic",
    kind="code",
    compute=score_finish,
)
