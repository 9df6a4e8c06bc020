"""From a frame to values and the groups they belong to, for the analyses of one metric (icc, anova)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError, DataFormatError, Status
from evalib.stats.arguments import as_floats, check_columns, refuse_unsquarable
from evalib.stats.trial_values import counted, refuse_unhashable, statuses_of

if TYPE_CHECKING:
    import pandas as pd

_ONE_OF_EACH = ("metric", "condition", "judge")
_TRIAL = ("system", "domain", "scenario", "trial")  # what tells a trial of a score table apart
# Of these one and the same level is found in several domains; ids of anything else are a domain's own.
_CROSSED = {"system", "architecture", "trial", "domain", "status", "judge_pass", *_ONE_OF_EACH}


@dataclass(frozen=True)
class Observations:
    """Values of one metric, in an order that does not hang on that of the rows.

    ``codes`` has the level of each value in each factor, numbered in the order of the labels;
    ``names`` the text of each of these levels. ``notes`` say what was done to the rows.
    """

    values: NDArray[np.float64]
    codes: list[NDArray[np.intp]]
    names: list[list[str]]
    n_missing: int
    notes: list[str]


def observations(
    data: pd.DataFrame, response: str, factors: Sequence[Sequence[str]], center_by: str | None = None
) -> Observations:
    """The values that count, by the levels of each factor; the levels of `center_by` come last.

    A row whose ``status`` is not ok is missing. Passes of a judge over one trial are averaged: they
    are no independent values. Not so where ``trial`` or ``judge_pass`` is itself in a factor. Ids
    that occur in several domains are taken within domains.

    Raises
    ------
    DataFormatError, ConfigError
        As :func:`evalib.stats.icc_oneway`.
    """
    factors = [list(f) for f in factors] + ([] if center_by is None else [[center_by]])
    labels = list(dict.fromkeys(c for f in factors for c in f))
    used = [c for c in (*_ONE_OF_EACH, *_TRIAL, "judge_pass", "status") if c in getattr(data, "columns", ())]
    check_columns(data, [response, *labels, *used], "data")
    if response in labels:
        raise ConfigError(
            f"{response!r} is both the response and a label: values differ from themselves in none"
        )
    values = as_floats(data[response], response)
    refuse_unsquarable(values, response)
    missing = np.isnan(values)
    kept = ~missing if "status" in labels else statuses_of(data, missing) == Status.OK
    frame, values = data.loc[kept].reset_index(drop=True), values[kept]
    for column in labels:
        if frame[column].isna().any():
            raise DataFormatError(f"column {column!r} has no label in a row with a value: fill or drop it")
    refuse_unhashable(frame, [c for c in used if c not in labels])
    refuse_mixtures(frame, labels)
    notes = []
    own = factors if center_by is None else factors[:-1]
    if "domain" in frame and not any("domain" in f for f in own):
        # Beside scenarios, which are a domain's own, the other factor is what they are crossed with.
        for factor in [f for f in own if "scenario" in f] or own:
            if note := _repeated(frame, factor):
                factor.insert(0, "domain")
                notes.append(note)
    order = np.lexsort([values, *(codes_of(frame, [c]) for c in reversed(labels))])
    frame, values = frame.iloc[order].reset_index(drop=True), values[order]
    if {"trial", "judge_pass"} <= {*used} - {*labels}:
        frame, values, note = _passes_averaged(frame, values, labels)
        notes += [note] if note else []
    codes = [codes_of(frame, f) for f in factors]
    return Observations(
        values, codes, [_names(frame, f, c) for f, c in zip(factors, codes, strict=True)],
        int((~kept).sum()), notes,
    )  # fmt: skip


def refuse_mixtures(frame: pd.DataFrame, kept_apart: Sequence[str]) -> None:
    """Raise ConfigError when rows come from several metrics, conditions or judges.

    A row without a judge is no other judge's.
    """
    for column in _ONE_OF_EACH:
        if column in frame and column not in kept_apart:
            found = frame[column].dropna().unique() if column == "judge" else frame[column].unique()
            if len(found) > 1:
                raise ConfigError(
                    f"the data mix {column}s ({', '.join(sorted(map(str, found)))}): keep the rows of one"
                )


def codes_of(frame: pd.DataFrame, columns: Sequence[str]) -> NDArray[np.intp]:
    """0, 1, ... for the combinations of labels that occur, in the order of the labels."""
    import pandas as pd

    codes = np.zeros(len(frame), dtype=np.intp)
    for column in columns:
        try:
            level, names = pd.factorize(frame[column], sort=True, use_na_sentinel=False)
        except TypeError as error:
            raise DataFormatError(f"column {column!r} must hold numbers or strings: {error}") from error
        codes = codes * len(names) + level
    return np.unique(codes, return_inverse=True)[1].reshape(-1) if len(columns) > 1 else codes


def _repeated(frame: pd.DataFrame, factor: list[str]) -> str:
    """What to say when ids of a factor occur in several domains; "" when they do not."""
    if _CROSSED.issuperset(factor):
        return ""
    homes = frame[["domain", *factor]].drop_duplicates()
    shared = homes.loc[homes.duplicated(factor), factor].drop_duplicates()
    if shared.empty:
        return ""
    if frame["domain"].isna().any():
        raise DataFormatError("column 'domain' has no label in a row with a value: fill or drop it")
    name = ":".join(map(str, factor))
    return (
        f"{counted(len(shared), f'{name} id occurs', f'{name} ids occur')} in several domains: counted as "
        f"different {name}s (if they are the same, drop the column 'domain')"
    )


def _passes_averaged(
    frame: pd.DataFrame, values: NDArray[np.float64], labels: list[str]
) -> tuple[pd.DataFrame, NDArray[np.float64], str]:
    """One value per trial: the mean of its judge passes, and what to say of it."""
    keys = list(dict.fromkeys([*labels, *(c for c in _TRIAL if c in frame)]))
    trials = codes_of(frame, keys)
    counts = np.bincount(trials)
    passes = codes_of(frame, ["judge_pass"])
    if len(values) == len(counts) or len(np.unique(passes)) < 2:
        return frame, values, ""
    pairs = trials * (int(passes.max()) + 1) + passes
    _, first, times = np.unique(pairs, return_index=True, return_counts=True)
    if (times > 1).any():
        pair = frame.loc[pairs == pairs[first[times > 1][0]]]
        raise DataFormatError(_twice(pair, [*keys, "judge_pass"]))
    means = np.bincount(trials, weights=values) / counts
    _, first = np.unique(trials, return_index=True)
    note = (
        f"{len(values)} passes of the judge averaged over {len(counts)} trials: passes of a trial are not "
        "independent"
    )
    return frame.iloc[first].reset_index(drop=True), means, note


def _twice(rows: pd.DataFrame, keys: list[str]) -> str:
    where = ", ".join(f"{c} {v}" for c, v in rows[keys].iloc[0].items())
    return f"two rows of {where}: {told_apart(rows, keys, 'keep the rows of one, or make it a label')}"


def told_apart(rows: pd.DataFrame, keys: Sequence[Any], cure: str) -> str:
    """What to do about rows of the same keys: name the columns in which they differ, if any do."""
    differ = [
        str(c)
        for c in rows.columns
        if c not in keys and c not in ("value", "status") and rows[c].astype(str).nunique() > 1
    ]
    if not differ:
        return "they are the same score twice, drop one"
    return f"they differ in {', '.join(differ)}: {cure}"


def _names(frame: pd.DataFrame, columns: list[str], codes: NDArray[np.intp]) -> list[str]:
    """The text of each level, in the order of the codes."""
    _, first = np.unique(codes, return_index=True)
    return [" ".join(map(str, row)) for row in frame[columns].iloc[first].itertuples(index=False)]
