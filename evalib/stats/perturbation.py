"""What perturbed speech does to scores: paired tests of every metric against the clean baseline.

Trials are averaged within a scenario and a condition, the baseline is subtracted, and the mean of
the scenarios' differences is tested by sign flips (paper appendix G.2, Table 32, Figure 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalib.core import ConfigError, DataFormatError
from evalib.stats.arguments import check_columns
from evalib.stats.intervals import Rng
from evalib.stats.paired_scores import Arms, Settings, check_names, paired_tests, scenario_means
from evalib.stats.sign_flip import Alternative, Exact
from evalib.stats.trial_values import columns_of

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = (
    *("metric", "domain", "condition", "mean_delta", "low", "high", "baseline_mean", "perturbed_mean"),
    *("n_scenarios", "n_unpaired", "n_missing", "pvalue", "p_holm", "family_size", "method"),
    *("significant", "stars", "reason"),
)
_RESERVED = {"metric", "domain", "condition", "scenario", "trial", "value", "status", "stratum", "judge_pass"}


def perturbation_tests(
    scores: pd.DataFrame,
    family: Sequence[str] | None = None,
    metrics: Sequence[str] | str | None = None,
    by: Sequence[str] = ("system",),
    baseline: str = "clean",
    conditions: Sequence[str] | None = None,
    domains: bool = True,
    pooled: bool = True,
    pooled_weights: Literal["scenarios", "domains"] = "scenarios",
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    n_bootstrap: int = 1_000,
    confidence: float = 0.95,
    exact: Exact = "auto",
    alpha: float = 0.05,
    rng: Rng = None,
) -> pd.DataFrame:
    """Test each perturbation of each metric against the baseline, per domain and pooled.

    Parameters
    ----------
    scores : DataFrame
        A score table with a column ``condition``.
    family : sequence of str, optional
        Columns that a family of tests has in common; Holm's correction is within families. Of
        `by`, ``"metric"``, ``"domain"`` and ``"condition"``. Pooled rows never share a family with
        rows of a domain. Default: `by`, ``"metric"`` and ``"domain"``, the conditions of one metric in one
        domain, three of them in the paper, as its appendix G.2 describes. ``("system",
        "metric")``: conditions x domains, nine in the paper: Holm over these nine gives every
        corrected p of single domains that its leaderboard publishes, over three hardly any. Pooled
        rows are a family of three either way.
    metrics : sequence of str, optional
        Default: all of the table.
    by : sequence of str
        Columns that tell apart what is tested.
    baseline : str
        The condition that the others are compared with.
    conditions : sequence of str, optional
        Default: all others of the table.
    domains, pooled : bool
        Which rows are wanted. A table without a column ``domain`` has pooled rows only.
    pooled_weights : {"scenarios", "domains"}
        ``"scenarios"``: the pooled mean is the plain mean over all scenarios' differences (G.2).
        ``"domains"``: domains count equally, however many scenarios they have; the bootstrap
        resamples within domains. The same where domains have equally many paired scenarios.
    alternative, n_resamples, exact
        As of :func:`evalib.stats.sign_flip_test`. "less": the perturbation lowers the score.
    n_bootstrap : int
        Resamples of scenarios for the percentile interval of the mean difference.
    confidence, alpha : float
        Of the interval; at which an adjusted p-value is significant (below it).
    rng : numpy Generator, int or None
        None is a fixed seed. A row's numbers do not depend on the other rows of the table.

    Returns
    -------
    DataFrame
        Columns of `by`, ``metric, domain, condition``; ``mean_delta`` (perturbed - baseline),
        ``low, high`` (its interval), ``baseline_mean, perturbed_mean`` (over the paired
        scenarios), all in the metric's unit; ``n_scenarios`` (with a value under both
        conditions), ``n_unpaired`` (under one only: left out), ``n_missing`` (trials without a
        value, of scenarios tried under both conditions); ``pvalue, p_holm, family_size`` (tests
        made), ``method, significant`` (NA where no test was made), ``stars`` (* p_holm < 0.05,
        ** < 0.01, *** < 0.001), ``reason``. A condition that a group has not been tried under is
        a row of NaN with the reason.

    Raises
    ------
    DataFormatError
        When a column, a metric or a condition is not in the table, a trial has two rows, or a
        value is infinite.
    ConfigError
        When rows mix judges of a metric, or an argument is out of range.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     [("a", s, 0, c, "task_completion", v - (c == "noise") / 2)
    ...      for s, v in enumerate([1.0, 0.5, 1.0, 1.0, 0.5, 1.0]) for c in ("clean", "noise")],
    ...     columns=["system", "scenario", "trial", "condition", "metric", "value"],
    ... )
    >>> found = perturbation_tests(table)
    >>> print(found[["domain", "mean_delta", "n_scenarios", "pvalue", "stars"]].to_string(index=False))
    domain  mean_delta  n_scenarios  pvalue stars
    pooled        -0.5            6 0.03125     *
    """
    by = columns_of(by)
    family = [*by, "metric", "domain"] if family is None else columns_of(family)
    settings = Settings(
        domains, pooled, pooled_weights, alternative, n_resamples, n_bootstrap, confidence, exact, alpha
    )
    check_columns(scores, [], "scores")
    if reserved := sorted(_RESERVED.intersection(by)):
        raise ConfigError(
            f"by must not hold {reserved[0]!r}: rows are per metric, domain and condition anyway"
        )
    check_names(family, by, ["condition"])
    if "condition" not in scores:
        raise DataFormatError("the score table has no column 'condition': there is nothing to compare")
    levels = settings.levels(scores)
    names = _compared(scores, baseline, conditions)
    pairs = np.array([(i, 0) for i in range(1, len(names))])
    arms = Arms("condition", names, pairs, {"condition": names[1:]}, "under")
    table = paired_tests(scenario_means(scores, metrics, by, arms), by, family, levels, settings, rng)
    return table.rename(
        columns={"mean_difference": "mean_delta", "mean_a": "perturbed_mean", "mean_b": "baseline_mean"}
    )[[*by, *_COLUMNS]]


def _compared(scores: pd.DataFrame, baseline: str, conditions: Sequence[str] | None) -> list[str]:
    """The baseline and the conditions to compare with it."""
    if n_without := int(scores["condition"].isna().sum()):
        raise DataFormatError(f"{n_without} rows of the score table have no condition: give them one")
    present = sorted(map(str, scores["condition"].unique()))
    if isinstance(conditions, str):
        conditions = [conditions]
    chosen = [c for c in present if c != baseline] if conditions is None else list(dict.fromkeys(conditions))
    if absent := [c for c in (baseline, *chosen) if c not in present]:
        raise DataFormatError(
            f"the score table has no condition {absent[0]!r}; it has {', '.join(present) or 'none'}"
        )
    if not chosen and present == [baseline]:
        raise ConfigError(
            f"the score table has {baseline!r} only: add scores under other conditions to compare with it"
        )
    if not chosen or baseline in chosen:
        raise ConfigError(f"no condition to compare with the baseline {baseline!r}: name others")
    return [baseline, *chosen]
