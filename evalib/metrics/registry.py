"""All metrics by name."""

from __future__ import annotations

from collections.abc import Sequence

from evalib.core import ConfigError
from evalib.metrics import (
    authentication_success,
    conversation_correctly_finished,
    conversation_valid_end,
    judged,
    response_latency,
    stt_wer,
    task_completion,
    tool_call_validity,
    turn_taking,
)
from evalib.metrics.metric import Category, Metric

_ORDER: tuple[Category, ...] = ("accuracy", "experience", "diagnostic", "validation")
_CODE = (
    task_completion.METRIC,
    turn_taking.METRIC,
    authentication_success.METRIC,
    response_latency.METRIC,
    stt_wer.METRIC,
    tool_call_validity.METRIC,
    conversation_correctly_finished.METRIC,
    conversation_valid_end.METRIC,
)
METRICS: dict[str, Metric] = {
    m.name: m for m in sorted((*_CODE, *judged.METRICS), key=lambda m: _ORDER.index(m.category))
}


def select(metrics: str | Sequence[str] = "default") -> list[Metric]:
    """The metrics asked for: ``"default"`` for all, one name, or a list of names.

    Raises
    ------
    ConfigError
        When a name is not that of a metric.
    """
    if metrics == "default":
        return list(METRICS.values())
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if unknown := [n for n in names if n not in METRICS]:
        raise ConfigError(f"unknown metric {unknown[0]!r}: the metrics are {', '.join(METRICS)}")
    return [METRICS[n] for n in dict.fromkeys(names)]
