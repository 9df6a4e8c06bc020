"""The metrics that need a judge: named here, with what is known of them, and not measured yet.

Their rows carry the status ``not_run`` and never a number. Categories and thresholds: paper
section 3.2 and appendices D and E. Speakability reads the text that an agent wrote before it was
spoken; speech-to-speech systems have none.
"""

from __future__ import annotations

from evalib.core import EVA_A, EVA_X, Architecture, Conversation, Scenario, Status
from evalib.metrics.metric import ALL_ARCHITECTURES, Category, Metric, Outcome

REASON = "this metric needs a judge, and judges come with a later version of evalib"
_TEXT_BEFORE_SYNTHESIS = frozenset({Architecture.CASCADE, Architecture.HYBRID})


def _not_run(conversation: Conversation, scenario: Scenario) -> Outcome:
    return Outcome(None, Status.NOT_RUN, REASON)


def _judged(
    name: str,
    category: Category,
    threshold: float | None = None,
    architectures: frozenset[Architecture] = ALL_ARCHITECTURES,
) -> Metric:
    return Metric(
        name, category, "judge", _not_run, threshold=threshold, architectures=architectures, version="0"
    )


METRICS = (
    _judged("faithfulness", "accuracy", EVA_A.components["faithfulness"]),
    _judged("speech_fidelity", "accuracy", EVA_A.components["speech_fidelity"]),
    _judged("conciseness", "experience", EVA_X.components["conciseness"]),
    _judged("conversation_progression", "experience", EVA_X.components["conversation_progression"]),
    _judged("speakability", "diagnostic", architectures=_TEXT_BEFORE_SYNTHESIS),
    _judged("key_entity_accuracy", "diagnostic"),
    _judged("user_behavioral_fidelity", "validation", 1.0),
    # Fails when any turn is rated lowest: a rule on turns, not a threshold on the mean.
    _judged("user_speech_fidelity", "validation"),
)
