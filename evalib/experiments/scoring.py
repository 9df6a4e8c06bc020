"""``evalib.score``: the score table of a run."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from evalib.core import COMPOSITES, ConfigError, Conversation, Scenario, Score, score_frame

if TYPE_CHECKING:
    import pandas as pd

    from evalib.store.run import Run


def score(
    run: Run,
    metrics: str | Sequence[str] = "default",
    judges: str = "rules",
    judge_passes: int = 1,
    executor: Executor | None = None,
    progress: bool = False,
    save: bool = True,
) -> pd.DataFrame:
    """Score every conversation of a run.

    Parameters
    ----------
    run : Run
    metrics : "default" or sequence of str
        Names in :data:`evalib.metrics.METRICS`.
    judges : {"rules"}
        Judge metrics have no judge yet: their rows carry status ``not_run``.
    judge_passes : int
        Passes per judge.
    executor : concurrent.futures.Executor, optional
    progress : bool
        Show a progress bar.
    save : bool
        Keep the scores with the run, see :meth:`evalib.Run.save_scores`: of the metrics that are not
        asked for, those of an earlier scoring stay.

    Returns
    -------
    DataFrame
        The score table (:data:`evalib.core.SCORE_COLUMNS`) of what was asked for.

    Raises
    ------
    ConfigError
        For a metric or a judge that evalib does not have, or what is no run.
    """
    from tqdm.auto import tqdm

    from evalib.metrics.registry import select
    from evalib.store.run import Run

    if not isinstance(run, Run):
        raise ConfigError(f"{run!r} is no run: give what evalib.simulate or evalib.load_run returns")
    if not isinstance(metrics, str | Sequence) or not metrics:
        raise ConfigError(f"metrics={metrics!r}: give 'default' or names of metrics")
    metrics = metrics if isinstance(metrics, str) else list(metrics)
    select(metrics)  # a metric that is not known is refused before anything is scored
    if judges != "rules" or judge_passes != 1:
        raise ConfigError(
            f"judges={judges!r}, judge_passes={judge_passes}: this version has no judges; use the defaults"
        )
    scenarios = run.scenarios()
    rows: list[Score] = []
    evidence: list[dict[str, Any]] = []
    jobs: Any = ((c, scenarios[c.domain, c.scenario_id], metrics) for c in run)
    scored = (_score_one(j) for j in jobs) if executor is None else executor.map(_score_one, jobs)
    for found in tqdm(scored, total=len(run), disable=not progress, unit="call"):
        rows += found[0]
        evidence += found[1]
    frame = score_frame(rows)
    if save:
        run.save_scores(frame, _details_frame(evidence))
        _save_composites(run)
    return frame


def _save_composites(run: Run) -> None:
    """Composites of what was scored now and, for their other components, before."""
    from evalib.metrics.composites import add_composites

    there = run.scores
    known = set(there["metric"])
    lacking = [
        name for name, rule in COMPOSITES.items() if name not in known and known >= set(rule.components)
    ]
    if lacking:
        whole = add_composites(there)
        run.save_scores(whole[whole["metric"].isin(lacking)])


def _details_frame(evidence: list[dict[str, Any]]) -> pd.DataFrame:
    """Evidence is free-form, so it is kept as JSON text; `turn` may be missing."""
    import json

    import pandas as pd

    frame = pd.DataFrame(
        evidence,
        columns=["system", "domain", "scenario", "trial", "condition", "metric", "turn", "value", "evidence"],
    )
    frame["evidence"] = [json.dumps(e, default=str, sort_keys=True) for e in frame["evidence"]]
    return frame.astype({"turn": "Int64", "value": "float64"})


def _score_one(job: tuple[Conversation, Scenario, Any]) -> tuple[list[Score], list[dict[str, Any]]]:
    from evalib.metrics import score_with_details

    conversation, scenario, metrics = job
    return score_with_details(conversation, scenario, metrics)
