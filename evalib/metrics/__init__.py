"""Metrics: what is measured of a conversation, one module per metric.

``METRICS`` maps every metric's name to its :class:`Metric`; :func:`score_conversation` gives the
rows of the score table, :func:`add_composites` the EVA-A and EVA-X rows of a whole table. Metrics
read a :class:`evalib.core.Conversation` and its :class:`evalib.core.Scenario`, wherever they came
from.
"""

from evalib.metrics import turn_taking
from evalib.metrics.composites import add_composites
from evalib.metrics.metric import Detail, Metric, MetricValue, SubMetric
from evalib.metrics.registry import METRICS
from evalib.metrics.scoring import score_conversation, score_with_details
from evalib.metrics.spoken_normaliser import normalise

__all__ = [
    "METRICS",
    "Detail",
    "Metric",
    "MetricValue",
    "SubMetric",
    "add_composites",
    "normalise",
    "score_conversation",
    "score_with_details",
    "turn_taking",
]
