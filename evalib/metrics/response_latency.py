"""Response latency: how long the caller waits for the agent, in seconds (paper appendix E.5).

Anchor: from the end of the caller's *last* speech in a turn to the start of the agent's *first*
speech in it, both as positions on the call's one clock. The value is the mean over the turns that
have one; turns with and without a tool call are also given apart.

Only latencies above 0 s and below 1000 s count (rule of the published EVA-Bench runs): an agent
that starts before the caller has finished did not respond, it interrupted, and turn-taking scores
that. How many turns were left out for it is in the reason.

Of a call whose parties ran in-process the times are modelled (``Conversation.cost_model``): they
describe the latency profile, not a machine.
"""

from __future__ import annotations

from evalib.core import Conversation, Scenario, Status
from evalib.metrics.metric import Detail, Metric, Outcome, SubMetric
from evalib.metrics.turn_taking import validate_turns

LONGEST_S = 1000.0
_LOWER_S = SubMetric("s", False)


def mean_latency(conversation: Conversation, scenario: Scenario) -> Outcome:
    """Mean response latency in seconds, with the latency of each turn as evidence."""
    latencies = [
        (turn, turn.latency_s)
        for turn in validate_turns(conversation.turns).values()
        if turn.latency_s is not None
    ]
    counted = [(turn, s) for turn, s in latencies if 0.0 < s < LONGEST_S]
    details = tuple(Detail(turn.index, s, {"has_tool_call": turn.tool_call}) for turn, s in counted)
    left_out = len(latencies) - len(counted)
    if not counted:
        reason = "no turn in which the agent answered after the caller had finished"
        return Outcome(None, Status.NOT_APPLICABLE, reason)
    sub = {
        "with_tool_calls": _mean([s for turn, s in counted if turn.tool_call]),
        "no_tool_calls": _mean([s for turn, s in counted if not turn.tool_call]),
    }
    reason = f"{left_out} of {len(latencies)} turns left out: not in 0 to 1000 s" if left_out else ""
    return Outcome(_mean([s for _, s in counted]), reason=reason, sub=sub, details=details)


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


METRIC = Metric(
    name="response_latency",
    category="diagnostic",
    kind="code",
    compute=mean_latency,
    higher_is_better=False,
    unit="s",
    sub_metrics={"with_tool_calls": _LOWER_S, "no_tool_calls": _LOWER_S},
)
