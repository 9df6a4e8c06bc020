"""Word error rate of the agent's speech recognition (diagnostic, cascade systems; paper E.5).

The reference is what the caller meant to say, the hypothesis what the agent's recogniser wrote,
both normalised by :mod:`evalib.metrics.spoken_normaliser`. The value is the corpus rate of the
call: all substitutions, deletions and insertions over all reference words, so that long turns
weigh more than short ones; it can exceed 1. Aligned with jiwer. For Korean, where words are
written with and without blanks, the units are characters.

Turns without both texts are left out. A turn that the recogniser heard as nothing counts as
deletions. The scripted caller's direction tags are never counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evalib.core import Architecture, Conversation, Scenario, Status
from evalib.metrics.metric import Detail, Metric, Outcome, SubMetric
from evalib.metrics.spoken_normaliser import normalise

_CHARACTER_LANGUAGES = frozenset({"ko"})


@dataclass(frozen=True)
class ErrorCounts:
    """What separates a hypothesis from its reference, in words (characters for Korean)."""

    substitutions: int
    deletions: int
    insertions: int
    reference_length: int

    @property
    def errors(self) -> int:
        return self.substitutions + self.deletions + self.insertions

    def __add__(self, other: ErrorCounts) -> ErrorCounts:
        return ErrorCounts(
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
            self.reference_length + other.reference_length,
        )


def count_errors(reference: str, hypothesis: str, language: str = "en") -> ErrorCounts:
    """Align two raw texts after normalising them.

    Examples
    --------
    >>> count_errors("My code is Z K three.", "My code is ZK4")
    ErrorCounts(substitutions=1, deletions=0, insertions=0, reference_length=5)
    """
    import jiwer

    units = [_units(normalise(text, language), language) for text in (reference, hypothesis)]
    if not units[0]:  # jiwer refuses an empty reference: all that was heard is inserted
        return ErrorCounts(0, 0, len(units[1]), 0)
    found = jiwer.process_words(" ".join(units[0]), " ".join(units[1]))
    return ErrorCounts(found.substitutions, found.deletions, found.insertions, len(units[0]))


def _units(text: str, language: str) -> list[str]:
    return list(text.replace(" ", "")) if language in _CHARACTER_LANGUAGES else text.split()


def score_recognition(conversation: Conversation, scenario: Scenario) -> Outcome:
    """The call's word error rate, with each turn's as evidence."""
    turns = [
        (t, count_errors(t.caller_intended, t.caller_heard, conversation.language))
        for t in conversation.texts
        if t.caller_intended is not None and t.caller_heard is not None
    ]
    total = _sum(counts for _, counts in turns)
    if not total.reference_length:
        return Outcome(None, Status.NOT_APPLICABLE, "no turn has both the caller's words and a transcript")
    n = total.reference_length
    details = tuple(
        Detail(
            t.index,
            counts.errors / counts.reference_length if counts.reference_length else None,
            {"reference": t.caller_intended, "heard": t.caller_heard, "errors": counts.errors},
        )
        for t, counts in turns
    )
    sub: dict[str, float | None] = {
        "substitution_rate": total.substitutions / n,
        "deletion_rate": total.deletions / n,
        "insertion_rate": total.insertions / n,
    }
    return Outcome(total.errors / n, sub=sub, details=details)


def _sum(counts: Iterable[ErrorCounts]) -> ErrorCounts:
    return sum(counts, ErrorCounts(0, 0, 0, 0))


METRIC = Metric(
    name="stt_wer",
    category="diagnostic",
    kind="code",
    compute=score_recognition,
    higher_is_better=False,
    unit="errors per word",
    architectures=frozenset({Architecture.CASCADE}),
    sub_metrics={
        name: SubMetric("errors per word", False)
        for name in ("substitution_rate", "deletion_rate", "insertion_rate")
    },
)
