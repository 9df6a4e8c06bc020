"""The score table: every number that leaves ``metrics`` is one row of one long table.

Missing is never zero: a row that has no value has a status that says why, and a reason in words.
Composite rules (EVA-A, EVA-X; paper section 3.2.4) live here, below ``stats`` and ``metrics``,
because both need them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

SCORE_COLUMNS = (
    "system",
    "architecture",
    "domain",
    "scenario",
    "trial",
    "condition",
    "metric",
    "judge",
    "judge_pass",
    "value",
    "status",
    "reason",
    "metric_version",
)

KEY_COLUMNS = SCORE_COLUMNS[:6]


class Status(StrEnum):
    """Why a score has a value, or has none."""

    OK = "ok"
    NOT_APPLICABLE = "not_applicable"  # nothing here that the metric could score
    JUDGE_ERROR = "judge_error"  # the judge failed or answered what cannot be read
    INFRA_ERROR = "infra_error"  # the call broke for a reason that is not the agent's
    INVALID_SIMULATION = "invalid_simulation"  # the simulator spoiled the call
    NOT_RUN = "not_run"  # the metric was not asked for, or its judge is not set up


@dataclass(frozen=True)
class Score:
    """One row of the score table."""

    system: str
    architecture: str
    domain: str
    scenario: str
    trial: int
    condition: str
    metric: str
    value: float | None
    status: str = Status.OK
    reason: str = ""
    judge: str = "code"
    judge_pass: int = 0
    metric_version: str = "1"

    def __post_init__(self) -> None:
        if (self.value is None) == (self.status == Status.OK):
            raise ValueError(
                f"score of {self.metric}: status {self.status!r} does not go with value "
                f"{self.value!r}; a value needs status 'ok', no value needs another status"
            )


def score_frame(scores: Iterable[Score]) -> pd.DataFrame:
    """The score table of some rows, with :data:`SCORE_COLUMNS` in order and fixed dtypes."""
    import pandas as pd

    frame = pd.DataFrame([asdict(s) for s in scores], columns=list(SCORE_COLUMNS))
    frame["value"] = frame["value"].astype("float64")
    for column in ("trial", "judge_pass"):
        frame[column] = frame[column].astype("int64")
    for column in set(SCORE_COLUMNS) - {"value", "trial", "judge_pass"}:
        frame[column] = frame[column].astype("object").map(str)
    return frame


@dataclass(frozen=True)
class CompositeRule:
    """A conversation passes when every component reaches its threshold.

    ``components`` maps a metric to its threshold. Comparison is ``>=`` with a tolerance of 1e-9,
    so that 0.95 computed in floating point still reaches 0.95.
    """

    name: str
    components: Mapping[str, float]


EVA_A = CompositeRule("eva_a_pass", {"task_completion": 1.0, "faithfulness": 0.5, "speech_fidelity": 0.95})
EVA_X = CompositeRule("eva_x_pass", {"turn_taking": 0.8, "conversation_progression": 0.5, "conciseness": 0.5})
COMPOSITES = {rule.name: rule for rule in (EVA_A, EVA_X)}

_TOLERANCE = 1e-9


def composite(
    values: Mapping[str, tuple[float | None, str]], rule: CompositeRule
) -> tuple[float | None, str, str]:
    """Apply a pass rule to the scores of one conversation.

    Parameters
    ----------
    values : mapping
        metric -> (value, status). A metric that is absent counts as ``not_run``.
    rule : CompositeRule

    Returns
    -------
    value : float or None
        1.0 or 0.0, or None when it cannot be told. A component that is ``not_applicable`` is left
        out; any other missing component makes the composite unknown, even when another already
        fails, so that the set of scored conversations does not depend on the scores.
    status : str
        ``ok``, or the status of the missing component(s), the gravest first.
    reason : str
        Names the missing components.

    Notes
    -----
    Paper section 3.2.4; treatment of missing components as in the EVA-Bench runs.
    """
    found = {m: values.get(m, (None, Status.NOT_RUN)) for m in rule.components}
    missing = {m: s for m, (v, s) in found.items() if v is None and s != Status.NOT_APPLICABLE}
    if missing:
        gravest = [
            Status.INFRA_ERROR,
            Status.INVALID_SIMULATION,
            Status.JUDGE_ERROR,
            Status.NOT_RUN,
        ]
        status = min(missing.values(), key=lambda s: gravest.index(Status(s)))
        return None, status, ", ".join(f"{m} is {s}" for m, s in missing.items())
    scored = {m: v for m, (v, _) in found.items() if v is not None}
    if not scored:
        return None, Status.NOT_APPLICABLE, "no component applies"
    passed = all(v >= rule.components[m] - _TOLERANCE for m, v in scored.items())
    return float(passed), Status.OK, ""
