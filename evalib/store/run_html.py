"""How a run shows itself in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalib.store.run import Run


def run_html(run: Run, count: str) -> str:
    """One line on the run, then a table with one row a system, domain and condition."""
    frame = run.frame()
    made = [f"{name} {', '.join(sorted(frame[name].unique()))}" for name in ("fidelity", "clock")]
    facts = [
        count,
        f"{frame['scenario'].groupby(frame['domain']).nunique().sum()} scenarios",
        *(made if len(frame) else []),
        f"seed {run.seed}",
        "scored" if run.scored else "not scored",
        str(run.path or "in memory"),
    ]
    head = ("system", "domain", "condition", "calls", "mean duration", "turns", "tool calls", "ended by")
    rows = [
        (*group, len(calls), *_means(calls), _ends(calls))
        for group, calls in frame.groupby(["system", "domain", "condition"])
    ]
    body = "".join(_line("td", row) for row in rows)
    return (
        f"<div><b>Run</b>: {escape(' · '.join(facts))}"
        f"<table><thead>{_line('th', head)}</thead><tbody>{body}</tbody></table></div>"
    )


def _line(tag: str, cells: tuple[Any, ...]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"


def _means(calls: Any) -> tuple[str, str, str]:
    means = calls[["duration_s", "n_turns", "n_tool_calls"]].mean()
    return f"{means.iloc[0]:.0f} s", f"{means.iloc[1]:.1f}", f"{means.iloc[2]:.1f}"


def _ends(calls: Any) -> str:
    counts = calls["end_reason"].value_counts().sort_index()
    return ", ".join(f"{reason} {n}" for reason, n in counts.items())
