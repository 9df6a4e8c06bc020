"""Tool-call validity: the share of tool calls whose form was right (paper appendix E.5).

A call is malformed when its response says that the tool does not exist, that it could not be run,
or that a parameter was missing or not of its type, pattern, enumeration or bounds. That the thing
asked for does not exist or is not allowed is a matter of content and never counts.

Which error types are about form is read from the declarations of the domain's tools, so that
every one of them counts. (The published implementation misses most of those of the ITSM and HR
domains, so its numbers are higher there.) A call without tool calls has nothing to score.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

from evalib.core import ConfigError, Conversation, Scenario, Status
from evalib.metrics.metric import Detail, Metric, Outcome, SubMetric

GENERAL_FORMAT_ERRORS = frozenset(
    {"tool_not_found", "function_not_found", "execution_error", "invalid_parameter"}
)


@cache
def format_errors(domain: str) -> frozenset[str]:
    """The error types of a domain's tools that are about the form of a call.

    Raises
    ------
    ConfigError
        When evalib has no tools for the domain.
    """
    from evalib.domains.executor import tools

    declared = {p.error_type for tool in tools(domain) for p in tool.parameters}
    return GENERAL_FORMAT_ERRORS | declared


def score_tool_calls(conversation: Conversation, scenario: Scenario) -> Outcome:
    """1 minus the share of malformed calls; the malformed calls are the evidence."""
    calls = conversation.tool_calls
    if not calls:
        return Outcome(None, Status.NOT_APPLICABLE, "the agent called no tool")
    try:
        of_form = format_errors(conversation.domain)
    except ConfigError as exc:
        return Outcome(None, Status.NOT_RUN, f"cannot tell errors of form from others: {exc}")
    malformed = [c for c in calls if not c.ok and c.response.get("error_type") in of_form]
    details = tuple(
        Detail(
            c.turn,
            0.0,
            {"tool": c.name, "error_type": c.response["error_type"], "arguments": c.arguments},
        )
        for c in malformed
    )
    counts = Counter(str(c.response["error_type"]) for c in malformed)
    return Outcome(
        1 - len(malformed) / len(calls),
        reason=", ".join(f"{n} x {error}" for error, n in sorted(counts.items())),
        sub={"num_tool_calls": float(len(calls)), "num_malformed": float(len(malformed))},
        details=details,
    )


METRIC = Metric(
    name="tool_call_validity",
    category="diagnostic",
    kind="code",
    compute=score_tool_calls,
    sub_metrics={
        "num_tool_calls": SubMetric("count", None),
        "num_malformed": SubMetric("count", False),
    },
)
