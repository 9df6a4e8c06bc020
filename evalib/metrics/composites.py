"""EVA-A and EVA-X: whether a conversation passes on every component (paper section 3.2.4).

The rules and thresholds live in :mod:`evalib.core`; here they meet score rows. Several passes of a
judge over one conversation are averaged before the rule is applied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evalib.core import (
    COMPOSITES,
    KEY_COLUMNS,
    SCORE_COLUMNS,
    CompositeRule,
    ConfigError,
    DataFormatError,
    Score,
    Status,
    composite,
    score_frame,
)
from evalib.metrics.metric import NO_JUDGE

if TYPE_CHECKING:
    import pandas as pd

COMPOSITE_VERSION = "1"
_COMPONENTS = frozenset(m for rule in COMPOSITES.values() for m in rule.components)


def composite_scores(scores: Sequence[Score], thresholds: Mapping[str, float] | None = None) -> list[Score]:
    """The composite rows of *one* conversation.

    Parameters
    ----------
    scores : sequence of Score
        Its rows. A composite is left out when a component has no row at all.
    thresholds : mapping of str to float, optional
        Thresholds of components other than the paper's.
    """
    by_metric: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        by_metric[score.metric].append(score)
    rules = [_with_thresholds(rule, thresholds) for rule in COMPOSITES.values()]
    return [_composite_row(by_metric, rule) for rule in rules if set(rule.components) <= set(by_metric)]


def add_composites(scores: pd.DataFrame, thresholds: Mapping[str, float] | None = None) -> pd.DataFrame:
    """The score table with the rows ``eva_a_pass`` and ``eva_x_pass`` of every conversation.

    Parameters
    ----------
    scores : DataFrame
        A score table; one of your own needs the columns ``system, scenario, trial, metric, value``
        and gets the others (:data:`evalib.core.SCORE_COLUMNS`) as of a clean run of one domain.
        Composite rows that it holds already are replaced.
    thresholds : mapping of str to float, optional
        Thresholds of components other than the paper's, e.g. ``{"turn_taking": 0.9}``.

    Returns
    -------
    DataFrame
        The rows of `scores`, then the composites'. A composite's ``judge`` names the judges of
        its components. A conversation in which a component is missing gets a row without a value
        and the component's status; one that has no row of a component at all gets ``not_run``.

    Raises
    ------
    DataFormatError
        When a column is absent that cannot be filled in.
    ConfigError
        When a threshold is not that of a component, or a conversation's rows of a metric come
        from several judges.
    """
    if unknown := set(thresholds or ()) - _COMPONENTS:
        raise ConfigError(
            f"thresholds: {', '.join(sorted(unknown))} is no component of a composite; "
            f"they are {', '.join(sorted(_COMPONENTS))}"
        )
    kept = _with_all_columns(scores)
    kept = kept[~kept["metric"].isin(list(COMPOSITES))]
    rules = [_with_thresholds(rule, thresholds) for rule in COMPOSITES.values()]
    conversations: dict[tuple, dict[str, list[Score]]] = {}
    for key in kept[list(KEY_COLUMNS)].drop_duplicates().itertuples(index=False, name=None):
        conversations[key] = defaultdict(list)
    for row in kept.loc[kept["metric"].isin(_COMPONENTS), list(SCORE_COLUMNS)].itertuples(index=False):
        score = _score_of(row)
        conversations[tuple(getattr(row, c) for c in KEY_COLUMNS)][score.metric].append(score)
    added = [
        replace(_composite_row(found, rule), **dict(zip(KEY_COLUMNS, key, strict=True)))
        for key, found in conversations.items()
        for rule in rules
    ]
    return _concat(kept, score_frame(added))


_NEEDED = ("system", "scenario", "trial", "metric", "value")
_USUAL = {
    "architecture": "",
    "domain": "all",
    "condition": "clean",
    "judge": "",
    "judge_pass": 0,
    "reason": "",
    "metric_version": "",
}


def _with_all_columns(scores: pd.DataFrame) -> pd.DataFrame:
    """The table with every column that a score has; an absent status follows from the value."""
    if absent := [c for c in _NEEDED if c not in scores]:
        raise DataFormatError(
            f"the score table has no column {absent[0]!r}; it has {', '.join(map(str, scores.columns))}"
        )
    filled = scores.copy()
    if "status" not in filled:
        filled["status"] = filled["value"].isna().map({True: str(Status.NOT_RUN), False: str(Status.OK)})
    for column, usual in _USUAL.items():
        if column not in filled:
            filled[column] = usual
        elif filled[column].isna().any():
            filled[column] = filled[column].astype(object).where(filled[column].notna(), usual)
    return filled


def _concat(kept: pd.DataFrame, added: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    return pd.concat([kept, added], ignore_index=True) if len(kept) else added


def _with_thresholds(rule: CompositeRule, thresholds: Mapping[str, float] | None) -> CompositeRule:
    own = {m: t for m, t in (thresholds or {}).items() if m in rule.components}
    return CompositeRule(rule.name, {**rule.components, **own})


def _score_of(row) -> Score:
    values = row._asdict()
    value = values["value"]
    return Score(**{**values, "value": None if value != value else float(value)})  # NaN is not itself


def _composite_row(by_metric: Mapping[str, Sequence[Score]], rule: CompositeRule) -> Score:
    components = {m: by_metric[m] for m in rule.components if by_metric.get(m)}
    means = {m: _mean_over_passes(rows) for m, rows in components.items()}
    value, status, reason = composite({m: (v, s) for m, (v, s, _) in means.items()}, rule)
    notes = [note for _, _, note in means.values() if note]
    model = next((rows[0] for rows in components.values()), _NOBODY)
    return replace(
        model,
        metric=rule.name,
        value=value,
        status=str(status),
        reason="; ".join([reason, *notes] if reason else notes),
        judge=_judges(row for rows in components.values() for row in rows),
        judge_pass=0,
        metric_version=COMPOSITE_VERSION,
    )


_NOBODY = Score("", "", "", "", 0, "", "", None, Status.NOT_RUN)


def _mean_over_passes(rows: Sequence[Score]) -> tuple[float | None, str, str]:
    """Value, status and a note on one metric of one conversation."""
    ran = [r for r in rows if r.status != Status.NOT_RUN]
    if len({r.judge for r in ran}) > 1:
        raise ConfigError(
            f"{rows[0].metric} of {rows[0].system}, {rows[0].domain} {rows[0].scenario} has scores of "
            f"several judges ({', '.join(sorted({r.judge for r in ran}))}): keep the rows of one of them"
        )
    values = [r.value for r in ran if r.value is not None]
    if not values:
        return None, (ran or rows)[0].status, ""
    missing = len(ran) - len(values)
    note = f"{rows[0].metric}: {missing} of {len(ran)} judge passes have no value" if missing else ""
    return sum(values) / len(values), Status.OK, note


def _judges(rows: Iterable[Score]) -> str:
    """The judges that a composite rests on: "code" when it needs none, "none" when none ran."""
    judges = {row.judge for row in rows} - {"code"}
    ran = judges - {NO_JUDGE}
    return "+".join(sorted(ran)) or (NO_JUDGE if judges else "code")
