"""The constants and curves of turn-taking: milliseconds in, scores in [0, 1] out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TurnTakingCurve:
    """The constants of the score, in ms but for ``interrupt_cap`` and ``max_interrupts``.

    Of a pair the second holds for turns with a tool call. Sources: paper tables 20 to 22; the
    bucket bounds ``early_below`` and ``late_from`` paper appendix F.4.
    """

    hard_early: float = -500.0
    sweet_low: float = 500.0
    sweet_high: tuple[float, float] = (2000.0, 3000.0)
    hard_late: tuple[float, float] = (3500.0, 5000.0)
    interrupt_cap: float = 0.5
    max_overlap: float = 2000.0
    max_interrupts: int = 3
    max_yield: float = 2000.0
    early_below: float = 200.0
    late_from: tuple[float, float] = (2750.0, 4000.0)

    def latency_score(self, latency_ms: float, tool_call: bool = False) -> float:
        """Table 21: up from 0 at `hard_early`, 1 over the sweet spot, down to 0 at `hard_late`."""
        sweet_high, hard_late = self.sweet_high[tool_call], self.hard_late[tool_call]
        if latency_ms <= self.hard_early or latency_ms >= hard_late:
            return 0.0
        if latency_ms < self.sweet_low:
            return (latency_ms - self.hard_early) / (self.sweet_low - self.hard_early)
        if latency_ms <= sweet_high:
            return 1.0
        return (hard_late - latency_ms) / (hard_late - sweet_high)

    def overlap_score(self, overlap_ms: float) -> float:
        """Table 22: the longer both spoke at once, the less."""
        return max(0.0, self.interrupt_cap * (1 - overlap_ms / self.max_overlap))

    def count_score(self, n_segments: int) -> float:
        """Table 22: the oftener the agent cut in, the less; `n_segments` >= 1."""
        return max(0.0, self.interrupt_cap * (1 - (n_segments - 1) / (self.max_interrupts - 1)))

    def yield_score(self, yield_ms: float) -> float:
        """Table 20: the sooner the agent stopped when interrupted, the more."""
        return max(0.0, 1 - yield_ms / self.max_yield)

    def bucket(self, latency_ms: float, tool_call: bool = False) -> str:
        """``"early"``, ``"on_time"`` or ``"late"``."""
        if latency_ms < self.early_below:
            return "early"
        return "late" if latency_ms >= self.late_from[tool_call] else "on_time"


PAPER = TurnTakingCurve()
