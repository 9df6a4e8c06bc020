"""The report of a run: its tables as text, its pictures as files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evalib.core import KEY_COLUMNS, EndReason, Status

if TYPE_CHECKING:
    import pandas as pd

    from evalib.core import Conversation
    from evalib.store.run import Run

# What a pass is for metrics that have no composite of their own here.
MAX_FAILURES_SHOWN = 20
PASSES = ("task_completion", "turn_taking", "eva_a_pass", "eva_x_pass")


@dataclass
class Report:
    """Tables and pictures of one run.

    Attributes
    ----------
    run : Run
    pass_rates : DataFrame
        pass@1, pass@k and pass^k per system and criterion, with intervals over scenarios.
    metrics : DataFrame
        Mean of every headline metric per system, with its interval, n and what is missing why.
    ends : DataFrame
        How calls ended, per system, and how often one had to be simulated again before.
    failures : DataFrame
        Calls that did not complete their task, and what was wrong; calls without a score, and why.
    figures : list of Path
        Pictures that were written; empty without a folder to write to.
    """

    run: Run
    pass_rates: pd.DataFrame
    metrics: pd.DataFrame
    ends: pd.DataFrame
    failures: pd.DataFrame
    figures: list[Path] = field(default_factory=list)

    def __str__(self) -> str:
        n = str(len(self.run))
        if self.run.planned not in (None, len(self.run)):
            n += f" of {self.run.planned} planned"
        if broken := sum(c.end_reason == EndReason.ERROR for c in self.run):
            n += f" ({broken} of them broke and have no scores)"
        fidelity = ", ".join(sorted({c.fidelity for c in self.run}))
        parts = [
            f"Calls: {n}. Fidelity {fidelity}. Scenarios, callers and voices are synthetic; the latencies of "
            "agents that run in this process are modelled.",
            "\nPass rates (pass^k: rate to the power k; percentile bootstrap over scenarios, 95%)\n"
            + _text(self.pass_rates),
            "\nMetrics (mean of scenario means, domains weighted equally; interval over scenarios)\n"
            + _text(self.metrics),
            "\nHow calls ended\n" + _text(self.ends),
        ]
        if len(self.failures):
            shown = self.failures.head(MAX_FAILURES_SHOWN)
            more = len(self.failures) - len(shown)
            parts.append("\nCalls that did not complete their task\n" + _text(shown))
            parts += [f"... and {more} more, in Report.failures"] if more else []
        if self.figures:
            parts.append("\nPictures\n" + "\n".join(f"  {p}" for p in self.figures))
        return "\n".join(parts)

    __repr__ = __str__


def report(run: Run, scores: pd.DataFrame | None = None, out: str | Path | None = None) -> Report:
    """Put a scored run into tables and pictures.

    Parameters
    ----------
    run : Run
    scores : DataFrame, optional
        Its score table; default: the one that is stored with it.
    out : path, optional
        Folder for the pictures; none are drawn without it.

    Returns
    -------
    Report
    """
    scores = run.scores if scores is None else scores
    rates = _pass_rate_table(scores)
    made = Report(run, _shown_rates(rates), _metric_table(scores), _ends(run), _failures(scores))
    if out is not None:
        made.figures = draw_figures(run, scores, rates, Path(out))
    return made


def _ends(run: Run) -> pd.DataFrame:
    calls = run.frame().assign(simulated_again=lambda f: f["attempt"] - 1)
    grouped = calls.groupby(["system", "end_reason"], observed=True)
    return grouped.agg(calls=("trial", "size"), simulated_again=("simulated_again", "sum")).reset_index()


def _failures(scores: pd.DataFrame) -> pd.DataFrame:
    """Calls whose task completion is not 1, with the reason; the ones without a value too."""
    rows = scores[(scores["metric"] == "task_completion") & (scores["value"] != 1.0)]
    columns = ["system", "domain", "scenario", "trial", "status", "reason"]
    return rows[columns].rename(columns={"reason": "what was wrong"}).reset_index(drop=True)


def _pass_rate_table(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per system and criterion, as :func:`evalib.stats.pass_rates` gives them."""
    import pandas as pd

    from evalib.metrics import METRICS
    from evalib.stats import pass_rates

    rows = []
    for metric in PASSES:
        threshold = METRICS[metric].threshold if metric in METRICS else None
        table = pass_rates(scores, metric=metric, threshold=threshold)
        rows.append(table.assign(criterion=metric if threshold is None else f"{metric} >= {threshold:g}"))
    return pd.concat(rows, ignore_index=True)


def _shown_rates(rates: pd.DataFrame) -> pd.DataFrame:
    shown = rates[["system", "criterion", "k"]].copy()
    for column, title in (("pass_at_1", "pass@1"), ("pass_at_k", "pass@k"), ("pass_hat_k", "pass^k")):
        shown[title] = [
            _interval(*row)
            for row in rates[[column, f"{column}_low", f"{column}_high"]].itertuples(index=False)
        ]
    return shown.assign(
        scenarios=rates["n_scenarios"],
        trials=rates["n_trials"],
        missing=rates["n_missing"],
        note=["; ".join(filter(None, _notes(row))) for row in rates.itertuples()],
    )


def _notes(row) -> list[str]:
    """What a reader of one line of rates must know beside it."""
    notes = [row.reason]
    if row.n_missing and row.n_scenarios and row.pass_at_1_if_missing_fails != row.pass_at_1:
        notes.append(f"pass@1 if missing trials failed: {row.pass_at_1_if_missing_fails:.3f}")
    return [*notes, _agreement_note(row)]


def _agreement_note(row) -> str:
    """Resampling scenarios that all agree always gives the same: say what the data allow at most."""
    from evalib.stats import binomial_interval

    if row.pass_at_1_low != row.pass_at_1_high or row.pass_at_1 not in (0.0, 1.0):
        return ""
    n = row.n_scenarios
    if row.pass_at_1 == 1.0:
        what = f"at least {binomial_interval(n, n, alternative='lower').low:.2f}"
    else:
        what = f"at most {binomial_interval(0, n, alternative='upper').high:.2f}"
    return f"one-sided binomial 95% bound of pass@1: {what}"


def _metric_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Headline metrics: pooled mean and interval, calls with a value, statuses of the others."""
    import pandas as pd

    from evalib.metrics import METRICS
    from evalib.stats import pooled_estimate

    rows = []
    headline = scores[scores["metric"].isin(METRICS)]
    for (system, metric), part in headline.groupby(["system", "metric"], sort=False, observed=True):
        ok = part[part["status"] == Status.OK]
        missing = part.loc[part["status"] != Status.OK, "status"].value_counts()
        shown = "-"
        if len(ok):
            pooled = pooled_estimate(part, str(metric)).iloc[0]
            shown = _interval(pooled["estimate"], pooled["low"], pooled["high"])
        rows.append(
            {
                "system": system,
                "category": METRICS[str(metric)].category,
                "metric": metric,
                "mean": shown,
                "unit": METRICS[str(metric)].unit,
                "calls": len(ok),
                "without a value": ", ".join(f"{count} {status}" for status, count in missing.items()),
            }
        )
    return pd.DataFrame(rows)


def draw_figures(run: Run, scores: pd.DataFrame, rates: pd.DataFrame, out: Path) -> list[Path]:
    """Draw the pictures of a run into `out`: pass rates, latencies, one timeline per system."""
    from evalib import plots
    from evalib.core import StoreError
    from evalib.store.names import safe_name

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise StoreError(f"cannot write pictures to {out}: {exc.strerror or exc}") from exc
    made = []

    def save(ax, name: str) -> None:
        path = out / f"{name}.png"
        ax.figure.savefig(path, dpi=120, bbox_inches="tight", metadata={"Software": None})
        made.append(path)
        _close(ax.figure)

    shown = rates[rates["pass_at_1"].notna()]
    for criterion, part in shown.groupby("criterion", sort=False):
        note = f"pass: {criterion}; {int(part['n_trials'].sum())} simulated calls, synthetic callers"
        save(plots.pass_rate_bars(part, note=note), f"pass_rates_{str(criterion).split(' ')[0]}")
    if (scores.loc[scores["metric"] == "response_latency", "status"] == Status.OK).any():
        save(plots.latency_distribution(list(run)), "latency")
    for call in _telling_calls(run, scores):
        save(plots.timeline(call), f"timeline_{safe_name(call.system)}")
    return made


def _telling_calls(run: Run, scores: pd.DataFrame) -> list[Conversation]:
    """The call with the lowest turn-taking score, and the same call of every other system."""
    rows = scores[(scores["metric"] == "turn_taking") & (scores["status"] == Status.OK)]
    if rows.empty:
        _, domain, scenario, trial, condition = run[0].key
    else:
        worst = rows.sort_values(["value", *KEY_COLUMNS], kind="stable").iloc[0]
        domain, scenario, trial, condition = (worst[c] for c in ("domain", "scenario", "trial", "condition"))
    return list(run.select(domain=domain, scenario=scenario, trial=trial, condition=condition))


def _close(figure) -> None:
    import matplotlib.pyplot as plt

    plt.close(figure)


def _interval(estimate: float, low: float, high: float) -> str:
    import math

    return "-" if math.isnan(estimate) else f"{estimate:.3f} [{low:.3f}, {high:.3f}]"


def _text(frame: pd.DataFrame) -> str:
    """A table as text, every column flush left."""
    cells = [list(frame.columns), *frame.astype(str).to_numpy().tolist()]
    widths = [max(len(row[i]) for row in cells) for i in range(len(frame.columns))]
    lines = ("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in cells)
    return "\n".join(line.rstrip() for line in lines)
