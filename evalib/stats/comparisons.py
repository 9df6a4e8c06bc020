"""Is one system better than another on the same scenarios? Paired tests of every pair.

A scenario that is hard is hard for both systems: what it takes from both cancels in their
difference, which two separate intervals do not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalib.core import ConfigError, DataFormatError
from evalib.stats.arguments import check_columns
from evalib.stats.intervals import Rng
from evalib.stats.paired_scores import Arms, Settings, check_names, paired_tests, scenario_means
from evalib.stats.sign_flip import Alternative, Exact
from evalib.stats.trial_values import columns_of, refuse_unhashable

if TYPE_CHECKING:
    import pandas as pd

_RESERVED = {"metric", "domain", "scenario", "trial", "value", "status", "stratum", "judge_pass"}


def compare_systems(
    scores: pd.DataFrame,
    metrics: Sequence[str] | str | None = None,
    reference: str | None = None,
    unit: str = "system",
    by: Sequence[str] | str = (),
    family: Sequence[str] | str | None = None,
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
    r"""Test each pair of systems in each metric, per domain and pooled, scenario by scenario.

    With :math:`\bar{x}_{si}` the mean over the trials of system s in scenario i, and the n
    scenarios in which both systems have a value,

    .. math:: \bar{d} = \frac{1}{n} \sum_i d_i, \qquad d_i = \bar{x}_{ai} - \bar{x}_{bi}

    is tested by flipping the signs of the :math:`d_i` (exactly where possible): were the systems
    exchangeable, each difference could as well have had the other sign. The interval is a
    percentile bootstrap over scenarios.

    Parameters
    ----------
    scores : DataFrame
        A score table. Scenarios are the same for two systems when `domain` and `scenario` are.
    metrics : sequence of str, optional
        Default: all of the table.
    reference : str, optional
        The system that all others are compared with: rows are other minus reference. Default: all
        pairs, in the order of their names, first minus second.
    unit : str
        The column of what is compared.
    by : sequence of str
        Columns that tell apart what is compared separately. A table of several conditions needs
        ``"condition"`` here: conditions are never mixed.
    family : sequence of str, optional
        Columns that a family of tests has in common; Holm's correction is within families. Of
        `by`, ``"metric"``, ``"domain"`` and the two columns of the pair. Pooled rows never share a
        family with rows of a domain. Default: `by`, ``"metric"`` and ``"domain"``: the pairs.
    domains, pooled : bool
        Which rows are wanted. A table without a column ``domain`` has pooled rows only.
    pooled_weights : {"scenarios", "domains"}
        Whether all scenarios count equally in the pooled mean, or all domains.
    alternative, n_resamples, exact
        As of :func:`evalib.stats.sign_flip_test`. "greater": a scores higher than b.
    n_bootstrap : int
        Resamples of scenarios for the interval of the mean difference.
    confidence, alpha : float
        Of the interval; at which an adjusted p-value is significant (below it).
    rng : numpy Generator, int or None
        None is a fixed seed. A row's numbers, but for `p_holm`, do not depend on the other rows.

    Returns
    -------
    DataFrame
        Columns of `by`, ``metric, domain, system_a, system_b`` (named after `unit`);
        ``mean_difference`` (a - b), ``low, high`` (its interval), ``mean_a, mean_b`` (over the
        paired scenarios), all in the metric's unit; ``n_scenarios`` (with a value of both),
        ``n_unpaired`` (of one only, or tried and without a value: left out), ``n_missing`` (trials
        without a value, of scenarios tried by both); ``pvalue, p_holm, family_size`` (tests made),
        ``method, significant`` (NA where no test was made), ``stars`` (* p_holm < 0.05, ** < 0.01,
        *** < 0.001), ``reason``. A system that a group lacks is a row of NaN with the reason.

    Raises
    ------
    DataFormatError
        When a column, a metric or the reference is not in the table, a trial has two rows, a row
        names no system, or a value is infinite.
    ConfigError
        When there is one system only, rows mix conditions or judges, or an argument is out of range.

    Notes
    -----
    The paper sets the systems' intervals side by side (section 4.3), and gives differences with
    intervals between architectures only (Table 24, :func:`evalib.stats.architecture_contrasts`).
    The test here is that of its appendix G.2, with systems in place of conditions. Two intervals
    may overlap where the paired difference is clear.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     [(name, s, 0, "task_completion", v - (name == "hasty") / 4)
    ...      for s, v in enumerate([1.0, 0.5, 0.75, 1.0, 0.5, 0.25]) for name in ("careful", "hasty")],
    ...     columns=["system", "scenario", "trial", "metric", "value"],
    ... )
    >>> found = compare_systems(table)
    >>> columns = ["system_a", "system_b", "mean_difference", "n_scenarios", "pvalue"]
    >>> print(found[columns].to_string(index=False))
    system_a system_b  mean_difference  n_scenarios  pvalue
     careful    hasty             0.25            6 0.03125
    """
    by = columns_of(by)
    settings = Settings(
        domains, pooled, pooled_weights, alternative, n_resamples, n_bootstrap, confidence, exact, alpha
    )
    _check_groups(unit, by)
    side_a, side_b = f"{unit}_a", f"{unit}_b"
    family = [*by, "metric", "domain"] if family is None else columns_of(family)
    check_names(family, by, [side_a, side_b])
    check_columns(scores, [unit], "scores")
    levels = settings.levels(scores)
    reference = None if reference is None else str(reference)
    names = _systems(scores, unit, reference)
    if reference is None:
        pairs = list(combinations(range(len(names)), 2))
    else:
        pairs = [(i, names.index(reference)) for i, name in enumerate(names) if name != reference]
    labels = {side: [names[pair[i]] for pair in pairs] for i, side in enumerate((side_a, side_b))}
    arms = Arms(unit, names, np.array(pairs), labels, "of")
    return paired_tests(scenario_means(scores, metrics, by, arms), by, family, levels, settings, rng)


def _check_groups(unit: str, by: list[str]) -> None:
    if not isinstance(unit, str) or unit in _RESERVED or unit == "condition":
        hint = ": perturbation_tests compares conditions" if unit == "condition" else ""
        raise ConfigError(f"unit={unit!r} must be the column of what is compared, such as 'system'{hint}")
    if taken := [c for c in by if c in _RESERVED or c == unit]:
        raise ConfigError(f"by must not hold {taken[0]!r}: rows are per metric, domain and pair anyway")


def _systems(scores: pd.DataFrame, unit: str, reference: str | None) -> list[str]:
    """The names of what is compared, sorted."""
    refuse_unhashable(scores, [unit])
    if n_without := int(scores[unit].isna().sum()):
        raise DataFormatError(f"{n_without} rows of the score table have no {unit}: give them one")
    names = sorted(map(str, scores[unit].unique()))
    if not names:
        raise DataFormatError("the score table has no rows: add the scores of two systems or more")
    if reference is not None and reference not in names:
        raise DataFormatError(f"the score table has no {unit} {reference!r}; it has {', '.join(names)}")
    if len(names) == 1:
        raise ConfigError(f"the score table has one {unit} only ({names[0]!r}): add another to compare with")
    return names
