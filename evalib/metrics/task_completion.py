"""Task completion: did the call leave the database exactly as a perfect call would have.

Binary and deterministic (paper section 3.2.1, appendix E.3.1). Two things must hold:

- the *authentication gate*: every entry of the scenario's expected session is in the session the
  call reached (more may be there, because several ways of authenticating can be valid);
- the *state*: the normalised final database has the SHA-256 of the expected one. A wrong, a
  missing and an extra change all count.

The evidence of a failure is what the session lacked and where the databases differ.
"""

from __future__ import annotations

from typing import Any

from evalib.core import EVA_A, Conversation, Scenario, Status
from evalib.domains.state import session_satisfied, state_diff, state_hash
from evalib.metrics.call_differences import call_differences
from evalib.metrics.metric import Detail, Metric, Outcome


def score_task(conversation: Conversation, scenario: Scenario) -> Outcome:
    """1.0 when the authentication gate passes and the states are equal, else 0.0."""
    actual = conversation.final_db
    if not actual:
        return Outcome(None, Status.INFRA_ERROR, "the call has no final database on record")
    lacking = _lacking(scenario.expected_session, actual.get("session") or {})
    diff = state_diff(_without_session(scenario.expected_db), _without_session(actual))
    expected_hash, actual_hash = state_hash(scenario.expected_db), state_hash(actual)
    same_state = expected_hash == actual_hash
    value = float(not lacking and same_state)
    evidence: dict[str, Any] = {
        "session_ok": not lacking,
        "session_lacking": lacking,
        "state_ok": same_state,
        "expected_hash": expected_hash,
        "actual_hash": actual_hash,
        "state_diff": diff,
    }
    reason = _summary(lacking, diff)
    if not same_state and conversation.tool_calls:
        evidence["call_differences"] = call_differences(conversation, scenario)
        reason = "; ".join([reason, *evidence["call_differences"]])
    return Outcome(value, reason=reason, details=(Detail(None, value, evidence),))


def _without_session(db: dict[str, Any]) -> dict[str, Any]:
    return {table: content for table, content in db.items() if table != "session"}


def _lacking(expected: dict[str, Any], actual: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The entries of the expected session that the call did not reach."""
    return {
        key: {"expected": value, "actual": actual.get(key)}
        for key, value in expected.items()
        if not session_satisfied({key: value}, actual)
    }


def _summary(lacking: dict[str, Any], diff: dict[str, Any]) -> str:
    """What is wrong, in a few words; "" when nothing is."""
    parts = [f"not authenticated ({', '.join(lacking)})"] if lacking else []
    for how in ("modified", "added", "removed"):
        if tables := diff.get(f"tables_{how}"):
            word = "differs in" if how == "modified" else f"has {how}"
            parts.append(f"state {word} {', '.join(tables)}")
    return "; ".join(parts)


METRIC = Metric(
    name="task_completion",
    category="accuracy",
    kind="code",
    compute=score_task,
    threshold=EVA_A.components["task_completion"],
)
