"""What a metric is: a name, how to read its number, and a function from a conversation to values.

A metric's function returns one :class:`Outcome`. :meth:`Metric.score` turns it into rows, and
gives every conversation the same rows: what could not be measured is a row with a status and a
reason, never an absent row and never a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evalib.core import Architecture, Conversation, EndReason, Scenario, Status

Category = Literal["accuracy", "experience", "diagnostic", "validation"]
ALL_ARCHITECTURES = frozenset(Architecture)
NO_JUDGE = "none"  # the judge column of a metric whose judge did not run
NOTHING_TO_MEASURE = "nothing in this call that it could be taken from"


@dataclass(frozen=True)
class SubMetric:
    """A number that a metric reports beside its headline.

    `unit` is "" for a share in [0, 1]; `higher_is_better` is None where neither is.
    """

    unit: str = ""
    higher_is_better: bool | None = None


@dataclass(frozen=True)
class Detail:
    """The evidence of one verdict: of one turn, or of the whole call when `turn` is None."""

    turn: int | None
    value: float | None
    evidence: Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What a metric's function found.

    `sub` maps the names of sub-metrics to values; None or absent means that there was nothing to
    measure.
    """

    value: float | None
    status: Status = Status.OK
    reason: str = ""
    sub: Mapping[str, float | None] = field(default_factory=dict)
    details: tuple[Detail, ...] = ()


@dataclass(frozen=True)
class MetricValue:
    """One value of one conversation; `name` carries the suffix of a sub-metric."""

    name: str
    value: float | None
    status: Status
    reason: str = ""
    details: tuple[Detail, ...] = ()


@dataclass(frozen=True)
class Metric:
    """One entry of :data:`evalib.metrics.METRICS`.

    Attributes
    ----------
    name : str
    category : {"accuracy", "experience", "diagnostic", "validation"}
    kind : {"code", "judge"}
        ``"code"`` metrics are deterministic; the others need a judge.
    compute : callable
        ``(conversation, scenario) -> Outcome``.
    threshold : float or None
        At or above it a conversation passes (paper section 3.2.4); None where no pass is defined.
    higher_is_better : bool
    unit : str
        ``""`` for a score in [0, 1], else the unit of the value, e.g. ``"s"``.
    version : str
        Changes when the numbers do.
    architectures : frozenset of Architecture
        The systems it can be taken of.
    sub_metrics : mapping of str to SubMetric
        Without the prefix ``"<name>."`` that their rows carry.
    scores_errors : bool
        It can be taken of a call that broke for infrastructure reasons.
    """

    name: str
    category: Category
    kind: Literal["code", "judge"]
    compute: Callable[[Conversation, Scenario], Outcome] = field(repr=False)
    threshold: float | None = None
    higher_is_better: bool = True
    unit: str = ""
    version: str = "1"
    architectures: frozenset[Architecture] = ALL_ARCHITECTURES
    sub_metrics: Mapping[str, SubMetric] = field(default_factory=dict)
    scores_errors: bool = False

    def score(self, conversation: Conversation, scenario: Scenario) -> list[MetricValue]:
        """The headline value of a conversation, then one value per sub-metric.

        Always the same names in the same order. Values that could not be taken are None and say
        why: ``infra_error`` when the call broke, ``invalid_simulation`` when the validation gate refused
        it, ``not_applicable`` when the architecture has
        nothing the metric reads or the call had nothing to measure.
        """
        outcome = self._outcome(conversation, scenario)
        head = MetricValue(self.name, outcome.value, outcome.status, outcome.reason, outcome.details)
        return [head, *(self._sub_value(name, outcome) for name in self.sub_metrics)]

    def _outcome(self, conversation: Conversation, scenario: Scenario) -> Outcome:
        if conversation.end_reason == EndReason.ERROR and not self.scores_errors:
            return Outcome(None, Status.INFRA_ERROR, f"the call broke: {conversation.error or 'no details'}")
        if conversation.invalid is not None and self.category != "validation":
            return Outcome(None, Status.INVALID_SIMULATION, conversation.invalid)
        if conversation.architecture not in self.architectures:
            supported = ", ".join(a for a in Architecture if a in self.architectures)
            reason = f"taken of {supported} systems only, this one is {conversation.architecture}"
            return Outcome(None, Status.NOT_APPLICABLE, reason)
        return self.compute(conversation, scenario)

    def _sub_value(self, name: str, outcome: Outcome) -> MetricValue:
        full_name = f"{self.name}.{name}"
        value = outcome.sub.get(name)
        if value is not None:
            return MetricValue(full_name, value, Status.OK)
        if outcome.status != Status.OK:
            return MetricValue(full_name, None, outcome.status, outcome.reason)
        return MetricValue(full_name, None, Status.NOT_APPLICABLE, NOTHING_TO_MEASURE)
