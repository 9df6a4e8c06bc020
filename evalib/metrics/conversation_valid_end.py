"""Conversation valid end: did the simulation end as a call ends (validation; paper D.1.1).

Valid: the caller ended the call; or it hung because the agent never answered the caller's last
words, which is the agent's failing and must be scored, not repeated. Everything else (a time
limit, an error, silence on the caller's side) is not, and the trial is to be simulated again.

One addition to the published rule: an agent that left, by handing the caller over or by hanging up
on them, has ended the call itself. The published runs never end like that; to simulate such a call
again would hide what the agent did.
"""

from __future__ import annotations

from evalib.core import Conversation, EndReason, Scenario
from evalib.metrics.metric import Metric, Outcome
from evalib.metrics.turn_taking import missed_last_turn


def score_end(conversation: Conversation, scenario: Scenario) -> Outcome:
    """1.0 for a valid end, else 0.0."""
    ended = conversation.end_reason
    if missed_last_turn(conversation.turns, ended):
        return Outcome(1.0, reason="the agent never answered the caller's last words")
    valid = ended in (EndReason.GOODBYE, EndReason.TRANSFER, EndReason.AGENT_HANGUP)
    return Outcome(float(valid), reason="" if valid else f"the call ended by {ended}")


METRIC = Metric(
    name="conversation_valid_end",
    category="validation",
    kind="code",
    compute=score_end,
    threshold=1.0,
    scores_errors=True,
)
