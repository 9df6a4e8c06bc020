"""The report of a run: its tables as text, its pictures as files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evalib.core import KEY_COLUMNS, Status

if TYPE_CHECKING:
    import pandas as pd

    from evalib.store.run import Run

# What a pass is for metrics that have no composite of their own here.
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
        How calls ended, per system.
    figures : list of Path
        Pictures that were written; empty without a folder to write to.
    """

    run: Run
    pass_rates: pd.DataFrame
    metrics: pd.DataFrame
    ends: pd.DataFrame
    figures: list[Path] = field(default_factory=list)

    def __str__(self) -> str:
        n = len(self.run)
        fidelity = ", ".join(sorted({c.fidelity for c in self.run}))
        parts = [
            f"{n} calls, fidelity {fidelity}. Scenarios, callers and voices are synthetic; the latencies "
            f"of agents "
            "that run in this process are modelled.",
            "\nPass rates (percentile bootstrap over scenarios, 95%)\n" + _text(self.pass_rates),
            "\nMetrics (mean over calls; interval over scenarios)\n" + _text(self.metrics),
            "\nHow calls ended\n" + _text(self.ends),
        ]
        if self.figures:
            parts.append("\nPictures\n" + "\n".join(f"  {p}" for p in self.figures))
        return "\n".join(parts)


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
    ends = run.frame().groupby(["system", "end_reason"], observed=True).size().rename("calls").reset_index()
    made = Report(run, _shown_rates(rates), _metric_table(scores), ends)
    if out is not None:
        made.figures = draw_figures(run, scores, rates, Path(out))
    return made


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
        note=rates["reason"],
    )


def _metric_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Headline metrics: mean, interval over scenarios, n, and the count of every status that is not ok."""
    import numpy as np
    import pandas as pd

    from evalib.metrics import METRICS
    from evalib.stats import bootstrap_ci

    rows = []
    headline = scores[scores["metric"].isin(METRICS)]
    for (system, metric), part in headline.groupby(["system", "metric"], sort=False, observed=True):
        ok = part[part["status"] == Status.OK]
        missing = part.loc[part["status"] != Status.OK, "status"].value_counts()
        shown = "-"
        if len(ok):
            per_scenario = ok.groupby(["domain", "scenario"], observed=True)["value"].mean()
            ci = bootstrap_ci(per_scenario.to_numpy(), rng=np.random.default_rng(0))
            shown = _interval(ci.estimate, ci.low, ci.high)
        rows.append(
            {
                "system": system,
                "category": METRICS[str(metric)].category,
                "metric": metric,
                "mean": shown,
                "unit": METRICS[str(metric)].unit,
                "n": len(ok),
                "without a value": ", ".join(f"{count} {status}" for status, count in missing.items()),
            }
        )
    return pd.DataFrame(rows)


def draw_figures(run: Run, scores: pd.DataFrame, rates: pd.DataFrame, out: Path) -> list[Path]:
    """Draw the pictures of a run into `out`: pass rates, latencies, one timeline per system."""
    from evalib import plots
    from evalib.core import StoreError

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
        save(plots.pass_rate_bars(part), f"pass_rates_{str(criterion).split(' ')[0]}")
    if (scores.loc[scores["metric"] == "response_latency", "status"] == Status.OK).any():
        save(plots.latency_distribution(list(run)), "latency")
    for system in sorted({c.system for c in run}):
        save(plots.timeline(_telling_call(run, scores, system)), f"timeline_{system}")
    return made


def _telling_call(run: Run, scores: pd.DataFrame, system: str):
    """The call of a system with the most to see: the lowest turn-taking score, else the first."""
    calls = run.select(system=system)
    rows = scores[
        (scores["system"] == system) & (scores["metric"] == "turn_taking") & (scores["status"] == Status.OK)
    ]
    if rows.empty:
        return calls[0]
    worst = rows.sort_values(["value", *KEY_COLUMNS], kind="stable").iloc[0]
    return next(
        c
        for c in calls
        if (c.domain, c.scenario_id, c.trial, c.condition)
        == (worst["domain"], worst["scenario"], worst["trial"], worst["condition"])
    )


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
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells)
