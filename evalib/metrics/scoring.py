"""From a conversation to rows of the score table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalib.core import ConfigError, Conversation, Scenario, Score
from evalib.metrics.composites import composite_scores
from evalib.metrics.metric import NO_JUDGE, Metric, MetricValue
from evalib.metrics.registry import select


def score_conversation(
    conversation: Conversation, scenario: Scenario, metrics: str | Sequence[str] = "default"
) -> list[Score]:
    """Score one conversation.

    Parameters
    ----------
    conversation : Conversation
    scenario : Scenario
        The one the call was about; it holds the expected state and session.
    metrics : str or sequence of str
        ``"default"`` for every metric, or names of :data:`evalib.metrics.METRICS`.

    Returns
    -------
    list of Score
        A row for each metric and sub-metric, whether it has a value or not, and one for each
        composite all of whose components were asked for. The rows of a metric whose judge did not
        run carry the judge ``"none"``.

    Raises
    ------
    ConfigError
        When a metric is unknown or the scenario is not the conversation's.
    """
    return score_with_details(conversation, scenario, metrics)[0]


def score_with_details(
    conversation: Conversation, scenario: Scenario, metrics: str | Sequence[str] = "default"
) -> tuple[list[Score], list[dict[str, Any]]]:
    """Like :func:`score_conversation`, and the evidence behind the verdicts.

    Returns
    -------
    scores : list of Score
    details : list of dict
        ``system, domain, scenario, trial, condition, metric, turn, value, evidence``; `turn` is
        None for evidence of the whole call.
    """
    chosen = select(metrics)
    if (scenario.domain, scenario.id) != (conversation.domain, conversation.scenario_id):
        raise ConfigError(
            f"the conversation is about {conversation.domain} {conversation.scenario_id}, the scenario "
            f"given is {scenario.domain} {scenario.id}: pass the scenario the call was about"
        )
    taken = [(metric, value) for metric in chosen for value in metric.score(conversation, scenario)]
    scores = [_row(conversation, metric, value) for metric, value in taken]
    details = [row for _, value in taken for row in _detail_rows(conversation, value)]
    return scores + composite_scores(scores), details


def _row(conversation: Conversation, metric: Metric, value: MetricValue) -> Score:
    return Score(
        system=conversation.system,
        architecture=str(conversation.architecture),
        domain=conversation.domain,
        scenario=conversation.scenario_id,
        trial=conversation.trial,
        condition=conversation.condition,
        metric=value.name,
        value=value.value,
        status=str(value.status),
        reason=value.reason,
        judge="code" if metric.kind == "code" else NO_JUDGE,
        metric_version=metric.version,
    )


def _detail_rows(conversation: Conversation, value: MetricValue) -> list[dict[str, Any]]:
    system, domain, scenario, trial, condition = conversation.key
    return [
        {
            "system": system,
            "domain": domain,
            "scenario": scenario,
            "trial": trial,
            "condition": condition,
            "metric": value.name,
            "turn": detail.turn,
            "value": detail.value,
            "evidence": dict(detail.evidence),
        }
        for detail in value.details
    ]
