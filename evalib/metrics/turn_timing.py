"""The sub-metrics of turn-taking: how fast, how often too early or too late, who cut in on whom.

Taken over the evaluable turns: after the greeting, both sides spoke; turns with interruptions
count, with their latencies, which may be negative. What a call has none of (the yield time of a
call without interruptions) is None, not 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evalib.core import TraceEntry, Turn
from evalib.metrics.metric import SubMetric
from evalib.metrics.turn_curve import PAPER, TurnTakingCurve

_LOWER_MS = SubMetric("ms", False)
_LOWER_RATE = SubMetric("", False)
_HIGHER = SubMetric("", True)

SUB_METRICS: dict[str, SubMetric] = {
    "on_time_rate": _HIGHER,
    "early_rate": _LOWER_RATE,
    "late_rate": _LOWER_RATE,
    "mean_latency_ms": _LOWER_MS,
    "p50_latency_ms": _LOWER_MS,
    "p90_latency_ms": _LOWER_MS,
    "agent_interruption_rate": _LOWER_RATE,
    "agent_interruption_count": SubMetric("count", False),
    "agent_interruption_mean_overlap_ms": _LOWER_MS,
    "agent_interruption_mean_overlap_score": _HIGHER,
    "agent_interruption_mean_count_score": _HIGHER,
    "agent_interruption_mean_post_latency_ms": _LOWER_MS,
    "agent_interruption_mean_post_latency_score": _HIGHER,
    "user_interruption_rate": SubMetric("", None),
    "user_interruption_mean_yield_ms": _LOWER_MS,
    "user_interruption_mean_yield_score": _HIGHER,
    "fallback_nudge_rate": _LOWER_RATE,
    "fallback_nudge_count": SubMetric("count", False),
    "pretool_speech_rate": SubMetric("", None),
}


def timing_summary(
    turns: Iterable[Turn], evidence: Mapping[int, Mapping[str, Any]], curve: TurnTakingCurve = PAPER
) -> dict[str, float | None]:
    """The sub-metrics that turns and the evidence of their scores give.

    Parameters
    ----------
    turns : iterable of Turn
    evidence : mapping
        ``TurnTakingResult.evidence`` of the same turns.

    Returns
    -------
    dict
        The names of :data:`SUB_METRICS` but ``pretool_speech_rate``. Rates are shares of the
        evaluable turns, but ``fallback_nudge_rate``, a share of the turns in which the agent
        spoke. ``agent_interruption_count`` counts turns.
    """
    turns = list(turns)
    evaluable = [t for t in turns if t.index != 0 and t.caller and t.agent]
    latencies = [round(1000.0 * (t.latency_s or 0.0), 3) for t in evaluable]
    buckets = [curve.bucket(ms, t.tool_call) for ms, t in zip(latencies, evaluable, strict=True)]
    spoken = sum(bool(t.agent) for t in turns)
    nudged = sum(t.fallback for t in turns)
    found = [evidence.get(t.index, {}) for t in evaluable]

    def rate(count: int) -> float | None:
        return count / len(evaluable) if evaluable else None

    def mean(key: str) -> float | None:
        return _mean([e[key] for e in found if key in e])

    return {
        **{f"{b}_rate": rate(buckets.count(b)) for b in ("on_time", "early", "late")},
        "mean_latency_ms": _mean(latencies),
        "p50_latency_ms": _percentile(latencies, 0.5),
        "p90_latency_ms": _percentile(latencies, 0.9),
        "agent_interruption_rate": rate(sum(t.agent_interrupts for t in evaluable)),
        "agent_interruption_count": float(sum(t.agent_interrupts for t in evaluable)),
        "agent_interruption_mean_overlap_ms": mean("overlap_ms"),
        "agent_interruption_mean_overlap_score": mean("overlap_score"),
        "agent_interruption_mean_count_score": mean("interrupt_count_score"),
        "agent_interruption_mean_post_latency_ms": mean("post_interrupt_latency_ms"),
        "agent_interruption_mean_post_latency_score": mean("post_interrupt_latency_score"),
        "user_interruption_rate": rate(sum(t.caller_interrupts for t in evaluable)),
        "user_interruption_mean_yield_ms": mean("yield_ms"),
        "user_interruption_mean_yield_score": mean("yield_score"),
        "fallback_nudge_rate": nudged / spoken if spoken else None,
        "fallback_nudge_count": float(nudged),
    }


def pretool_speech_rate(trace: Sequence[TraceEntry]) -> float | None:
    """Share of the groups of tool calls that the agent announced before making them.

    A group is a run of calls with no speech between them; it is announced when the agent said
    something after the group before it and after the caller's last words. None without calls.
    """
    announced: list[bool] = []
    agent_spoke = in_group = False
    for entry in trace:
        if entry.role == "tool_call":
            if not in_group:
                announced.append(agent_spoke)
            in_group, agent_spoke = True, False
        elif entry.role in ("caller", "agent") and str(entry.content or "").strip():
            in_group, agent_spoke = False, entry.role == "agent"
    return sum(announced) / len(announced) if announced else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _percentile(values: Sequence[float], p: float) -> float | None:
    """The value at index ``int(p * n)`` of the sorted values, as in the published runs."""
    return sorted(values)[min(len(values) - 1, int(p * len(values)))] if values else None
