"""Turn-taking: did the agent speak at the right time.

Every turn that both sides spoke in gets a score in [0, 1] from its timestamps alone, by who cut in
on whom (paper appendix E.4.3, table 20):

==========================  ==========================================================
nobody interrupted          the latency curve of table 21 (more lenient with a tool call)
the agent interrupted       the least of overlap, count and recovery, table 22, at most 0.5
the caller interrupted      how soon the agent stopped
both                        the lesser of the two
==========================  ==========================================================

The conversation's score is the mean over its turns. The greeting (turn 0) is never scored, nor is
a turn that only one side spoke in, such as the caller's goodbye. Three rules stand above the mean
(rules of the published EVA-Bench runs): a turn for which the agent had to be nudged scores 0; a
call that hung because the agent never answered the caller's last words scores 0 as a whole; and
where there is nothing to score, there is no score.

Latency is the start of the agent's first speech minus the end of the caller's last speech in the
turn; it is negative when the agent starts early.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from evalib.core import EVA_X, ConfigError, Conversation, DataFormatError, EndReason, Scenario, Status, Turn
from evalib.core.conversation import SpeechSegment
from evalib.metrics.metric import Detail, Metric, Outcome
from evalib.metrics.turn_curve import PAPER, TurnTakingCurve
from evalib.metrics.turn_timing import SUB_METRICS, pretool_speech_rate, timing_summary


@dataclass(frozen=True)
class TurnTakingResult:
    """The turn-taking of one conversation.

    Attributes
    ----------
    score : float or None
        In [0, 1], rounded to 4 decimals; None when there was nothing to score.
    per_turn : dict of int to float
        Turn index -> score, for the turns that were scored.
    per_turn_reason : dict of int to str
        ``"latency"``, ``"agent_interrupt"``, ``"user_interrupt"``, ``"dual_interrupt"`` or
        ``"turn_end_fallback"``.
    evidence : dict of int to dict
        The measured times and the sub-scores of each scored turn.
    missed_turn : bool
        The agent never answered the caller's last words, and the call hung.
    reason : str
        Why the score is None, or 0 whatever the turns scored.
    status : Status
    """

    score: float | None
    per_turn: dict[int, float] = field(default_factory=dict)
    per_turn_reason: dict[int, str] = field(default_factory=dict)
    evidence: dict[int, dict[str, Any]] = field(default_factory=dict)
    missed_turn: bool = False
    reason: str = ""
    status: Status = Status.OK


def score_turns(
    turns: Sequence[Turn], ended: str = EndReason.GOODBYE, curve: TurnTakingCurve = PAPER
) -> TurnTakingResult:
    """Score the turn-taking of one conversation.

    Parameters
    ----------
    turns : sequence of Turn
        In any order; each index once.
    ended : str
        How the call ended, a value of :class:`evalib.core.EndReason`.
    curve : TurnTakingCurve

    Raises
    ------
    ConfigError
        When `ended` is no end reason.
    DataFormatError
        When a segment is not a finite (start_s, end_s) with start <= end, the segments of a side
        are not in order, or two turns have one index.

    Examples
    --------
    >>> from evalib.core import Turn
    >>> score_turns([Turn(1, caller=[(0.0, 2.0)], agent=[(3.0, 5.0)])]).score
    1.0
    >>> score_turns([]).status
    <Status.NOT_APPLICABLE: 'not_applicable'>
    """
    by_index = validate_turns(turns)
    missed = missed_last_turn(by_index.values(), ended)
    per_turn: dict[int, float] = {}
    reasons: dict[int, str] = {}
    evidence: dict[int, dict[str, Any]] = {}
    for index, turn in by_index.items():
        if index == 0 or not (turn.fallback or (turn.caller and turn.agent)):
            continue
        value, reasons[index], evidence[index] = _score_turn(turn, by_index.get(index - 1), curve)
        per_turn[index] = round(value, 4)
    score: float | None
    status, reason = Status.OK, ""
    if missed:
        score, reason = 0.0, "the agent never answered the caller's last words and the call hung"
    elif per_turn:
        score = round(sum(per_turn.values()) / len(per_turn), 4)
    else:
        score, status = None, Status.NOT_APPLICABLE
        reason = "no turn after the greeting in which both sides spoke"
    return TurnTakingResult(score, per_turn, reasons, evidence, missed, reason, status)


def validate_turns(turns: Iterable[Turn]) -> dict[int, Turn]:
    """The turns by index, in order of index, once their times make sense."""
    by_index: dict[int, Turn] = {}
    for turn in sorted(turns, key=lambda t: t.index):
        if turn.index in by_index:
            raise DataFormatError(f"turn {turn.index} is there twice: give each turn its own index")
        for side, segments in (("caller", turn.caller), ("agent", turn.agent)):
            previous_start = float("-inf")
            for start, end in segments:
                if not (isfinite(start) and isfinite(end) and previous_start <= start <= end):
                    raise DataFormatError(
                        f"turn {turn.index}, {side} speech ({start}, {end}): segments must be finite "
                        "(start_s, end_s) in seconds, start <= end, in order of start"
                    )
                previous_start = start
        by_index[turn.index] = turn
    return by_index


def missed_last_turn(turns: Iterable[Turn], ended: str) -> bool:
    """Whether the call hung on the agent: it ended in inactivity, and the caller spoke last.

    A tie between the two last ends goes to the agent.
    """
    reasons = [str(r) for r in EndReason]
    if ended not in reasons:
        raise ConfigError(f"ended={ended!r} is no end of a call: use one of {', '.join(reasons)}")
    turns = list(turns)
    caller_end = max((s.end_s for t in turns for s in t.caller), default=float("-inf"))
    agent_end = max((s.end_s for t in turns for s in t.agent), default=float("-inf"))
    return ended == EndReason.INACTIVITY and caller_end > agent_end


def _score_turn(
    turn: Turn, previous: Turn | None, curve: TurnTakingCurve
) -> tuple[float, str, dict[str, Any]]:
    """Score, reason and evidence of one turn (table 20)."""
    evidence: dict[str, Any] = {"has_tool_call": turn.tool_call}
    if turn.fallback:
        return 0.0, "turn_end_fallback", evidence
    scores: dict[str, float] = {}
    if turn.agent_interrupts:
        scores["agent_interrupt"] = _agent_interrupt_score(turn, curve, evidence)
    if turn.caller_interrupts and previous is not None and previous.agent:
        yield_ms = max(0.0, _ms(max(s.end_s for s in previous.agent) - turn.caller[0].start_s))
        scores["user_interrupt"] = curve.yield_score(yield_ms)
        evidence |= {"yield_ms": yield_ms, "yield_score": scores["user_interrupt"]}
    if not scores:
        latency_ms = _ms(turn.latency_s or 0.0)
        scores["latency"] = curve.latency_score(latency_ms, turn.tool_call)
        evidence |= {"latency_ms": latency_ms, "latency_score": scores["latency"]}
    reason = "dual_interrupt" if len(scores) == 2 else next(iter(scores))
    return min(scores.values()), reason, evidence


def _agent_interrupt_score(turn: Turn, curve: TurnTakingCurve, evidence: dict[str, Any]) -> float:
    """The least of the three sub-scores of table 22; the evidence is written into `evidence`."""
    overlaps = [[_overlap_ms(agent, caller) for caller in turn.caller] for agent in turn.agent]
    overlap_ms = round(sum(map(sum, overlaps)), 3)
    n_segments = sum(any(ms > 1.0 for ms in row) for row in overlaps)
    score = curve.overlap_score(overlap_ms)
    evidence |= {"overlap_ms": overlap_ms, "overlap_score": score, "n_interrupt_segments": n_segments}
    if n_segments:
        evidence["interrupt_count_score"] = curve.count_score(n_segments)
        score = min(score, evidence["interrupt_count_score"])
    recovery_ms = _recovery_ms(turn)
    if recovery_ms is not None:
        evidence["post_interrupt_latency_ms"] = recovery_ms
        recovery_score = curve.latency_score(recovery_ms, turn.tool_call)
        evidence["post_interrupt_latency_score"] = recovery_score
        score = min(score, recovery_score)
    return score


def _recovery_ms(turn: Turn) -> float | None:
    """Silence between the caller's last words and the agent's next start.

    None when the agent was speaking as the caller finished, or did not start again.
    """
    caller_end = turn.caller[-1].end_s
    if any(s.start_s <= caller_end < s.end_s for s in turn.agent):
        return None
    return next((_ms(s.start_s - caller_end) for s in turn.agent if s.start_s > caller_end), None)


def _overlap_ms(a: SpeechSegment, b: SpeechSegment) -> float:
    return max(0.0, _ms(min(a.end_s, b.end_s) - max(a.start_s, b.start_s)))


def _ms(seconds: float) -> float:
    """Milliseconds, rounded to the microsecond: 0.2 s is 200 ms, not 199.99999999999997."""
    return round(seconds * 1000.0, 3)


def score_conversation_turns(conversation: Conversation, scenario: Scenario) -> Outcome:
    """The metric's function: :func:`score_turns` with its sub-metrics and evidence."""
    result = score_turns(conversation.turns, conversation.end_reason)
    details = tuple(
        Detail(i, v, {"reason": result.per_turn_reason[i], **result.evidence[i]})
        for i, v in result.per_turn.items()
    )
    sub = {
        **timing_summary(conversation.turns, result.evidence),
        "pretool_speech_rate": pretool_speech_rate(conversation.trace),
    }
    return Outcome(result.score, result.status, result.reason, sub, details)


METRIC = Metric(
    name="turn_taking",
    category="experience",
    kind="code",
    compute=score_conversation_turns,
    threshold=EVA_X.components["turn_taking"],
    sub_metrics=SUB_METRICS,
)
