"""Authentication success: did the agent get past the gate (paper appendix E.5).

1 when every entry of the scenario's expected session is in the session the call reached, text
compared without letter case; the same rule as the gate of task completion. Not applicable where
the scenario expects no authentication.

Sub-metrics, over the agent's calls of authentication tools:

- ``first_try``: 1 when authenticated and no authentication call failed;
- ``num_auth_calls``: how many were made, and ``num_auth_calls_on_failure`` the same, of calls that
  were not authenticated in the end;
- ``distinct_tools_per_call``: different authentication tools over authentication calls; 1 when no
  tool was called twice.
"""

from __future__ import annotations

from evalib.core import Conversation, Scenario, Status
from evalib.domains.state import session_satisfied
from evalib.metrics.metric import Detail, Metric, Outcome, SubMetric

# The tools that change the session and nothing else, by domain (EVA-Bench agent definitions).
AUTH_TOOLS: dict[str, frozenset[str]] = {
    "airline": frozenset({"get_reservation"}),
    "itsm": frozenset(
        {"verify_employee_auth", "initiate_otp_auth", "verify_otp_auth", "verify_manager_auth"}
    ),
    "medical_hr": frozenset(
        {"verify_employee_auth", "verify_provider_auth", "initiate_otp_auth", "verify_otp_auth"}
    ),
}


def score_authentication(conversation: Conversation, scenario: Scenario) -> Outcome:
    """1.0 when the expected session was reached, else 0.0."""
    expected = scenario.expected_session
    if not expected:
        return Outcome(None, Status.NOT_APPLICABLE, "the scenario expects no authentication")
    if not conversation.final_db:
        return Outcome(None, Status.INFRA_ERROR, "the call has no final database on record")
    success = session_satisfied(expected, conversation.final_db.get("session"))
    tools = AUTH_TOOLS.get(conversation.domain, frozenset())
    calls = [c for c in conversation.tool_calls if c.name in tools]
    failed = sum(not c.ok for c in calls)
    n = len(calls)
    sub: dict[str, float | None] = {
        "first_try": float(success and not failed),
        "num_auth_calls": float(n),
        "distinct_tools_per_call": len({c.name for c in calls}) / n if n else None,
        "num_auth_calls_on_failure": None if success else float(n),
    }
    details = tuple(Detail(c.turn, float(c.ok), {"tool": c.name, "arguments": c.arguments}) for c in calls)
    reason = "" if success else f"not authenticated after {n} calls, {failed} of them failed"
    return Outcome(float(success), reason=reason, sub=sub, details=details)


METRIC = Metric(
    name="authentication_success",
    category="diagnostic",
    kind="code",
    compute=score_authentication,
    sub_metrics={
        "first_try": SubMetric("", True),
        "num_auth_calls": SubMetric("count", False),
        "distinct_tools_per_call": SubMetric("", True),
        "num_auth_calls_on_failure": SubMetric("count", None),
    },
)
