"""A run: its calls, the scenarios they were about, and their scores.

>>> run = load_run("results/demo")  # doctest: +SKIP
>>> run.frame().groupby("system").duration_s.mean()  # doctest: +SKIP
>>> [call.end_reason for call in run.select(system="careful", trial=0)]  # doctest: +SKIP
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalib.core import COMPOSITES, Conversation, Event, Scenario, StoreError
from evalib.store.durable import replace_file, store_errors
from evalib.store.records import check_schema, parse_object, validate
from evalib.store.trial import TrialKey, problem, read_conversation, read_events, trial_folders
from evalib.store.writer import RunInfo, marked_key, read_info, scenario_file

if TYPE_CHECKING:
    import pandas as pd

_TABLES = ("scores", "details")


class Run:
    """The calls of one run, in a stable order: by system, domain, scenario, condition, trial.

    Iterating a stored run reads one call at a time, so that a large run never has to fit in memory.

    Parameters
    ----------
    conversations : iterable of Conversation
    scenarios : iterable of Scenario
        What the calls were about.
    config : mapping, optional
        What decided the results.
    events : mapping of ``Conversation.key`` to list of Event, optional
    seed : int
    planned : int, optional
        Calls that the complete run has.

    Attributes
    ----------
    path : Path or None
        The run folder; None in memory.
    config : dict
    seed : int
    planned : int or None

    Raises
    ------
    StoreError
        When two conversations have the same key.
    """

    path: Path | None = None
    kept_in: object = None  # a temporary folder that must live as long as the run

    def __init__(
        self,
        conversations: Iterable[Conversation] = (),
        scenarios: Iterable[Scenario] = (),
        config: Mapping[str, Any] | None = None,
        *,
        events: Mapping[tuple, Sequence[Event]] | None = None,
        seed: int = 0,
        planned: int | None = None,
    ) -> None:
        self.config = dict(config or {})
        self.seed = seed
        self.planned = planned
        self._scenarios = {(s.domain, s.id): s for s in scenarios}
        self._events = dict(events or {})
        self._calls: dict[TrialKey, Conversation | Path] = {}
        self._tables: dict[str, pd.DataFrame] = {}
        self._frame: pd.DataFrame | None = None
        self._selected = False
        for conversation in conversations:
            key = TrialKey(*conversation.key)
            if key in self._calls:
                raise StoreError(f"two calls have the key {key}: give each system a name of its own")
            self._calls[key] = conversation
        self._calls = _in_order(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[Conversation]:
        return map(_conversation, self._calls.values())

    def __getitem__(self, index: int) -> Conversation:
        return _conversation(list(self._calls.values())[index])

    @property
    def keys(self) -> list[TrialKey]:
        """(system, domain, scenario, trial, condition) of every call, in order."""
        return list(self._calls)

    def events(self, call: Conversation | tuple) -> list[Event]:
        """The timeline of a call.

        Parameters
        ----------
        call : Conversation or tuple
            A call of this run, or its key.
        """
        key = TrialKey(*(call.key if isinstance(call, Conversation) else call))
        if key not in self._calls:
            raise StoreError(f"this run has no call {key}")
        where = self._calls[key]
        if isinstance(where, Path):
            return read_events(where)
        if key not in self._events:
            raise StoreError(f"the timeline of {key} was not kept: simulate into a run folder")
        return list(self._events[key])

    def scenarios(self) -> dict[tuple[str, str], Scenario]:
        """(domain, id) -> the scenario, of every scenario of the run."""
        return dict(self._scenarios)

    def scenario_frame(self) -> pd.DataFrame:
        """One row a scenario, to join to the score table on (domain, scenario).

        Columns: domain, scenario, language, adversarial, n_reference_calls, and every plain value (text,
        number, truth value) of the scenario's context.
        """
        import pandas as pd

        rows = []
        for (domain, scenario_id), scenario in self._scenarios.items():
            own = {
                "domain": domain,
                "scenario": scenario_id,
                "language": scenario.language,
                "adversarial": scenario.adversarial,
                "n_reference_calls": len(scenario.reference_calls),
            }
            told = {n: v for n, v in scenario.context.items() if isinstance(v, str | int | float)}
            rows.append(told | own)
        own_columns = ["domain", "scenario", "language", "adversarial", "n_reference_calls"]
        told_columns = [n for n in dict.fromkeys(n for row in rows for n in row) if n not in own_columns]
        return pd.DataFrame(rows, columns=own_columns + told_columns)

    def frame(self) -> pd.DataFrame:
        """One row a call: its keys, how it ended, how long it took, what was used to make it."""
        import pandas as pd

        if self._frame is None:
            rows = [_row(conversation) for conversation in self]
            self._frame = pd.DataFrame(rows, columns=list(_COLUMNS))
        return self._frame.copy()

    def select(self, **wanted: Any) -> Run:
        """The calls that have the wanted keys, as a run of its own.

        Parameters
        ----------
        system, domain, scenario, trial, condition
            A value, or several as a list, tuple or set.

        Examples
        --------
        >>> run.select(domain="airline", trial=[0, 1])  # doctest: +SKIP
        """
        unknown = wanted.keys() - set(TrialKey._fields)
        if unknown:
            raise StoreError(
                f"cannot select by {', '.join(sorted(unknown))}: use {', '.join(TrialKey._fields)}"
            )
        sets = {n: v if isinstance(v, list | tuple | set | frozenset) else [v] for n, v in wanted.items()}
        chosen = Run(config=self.config, seed=self.seed)
        chosen.path, chosen.kept_in = self.path, self.kept_in
        chosen._selected = True
        chosen._calls = {
            key: where
            for key, where in self._calls.items()
            if all(getattr(key, name) in values for name, values in sets.items())
        }
        about = {(key.domain, key.scenario) for key in chosen._calls}
        chosen._scenarios = {k: s for k, s in self._scenarios.items() if k in about}
        chosen._events = {k: e for k, e in self._events.items() if k in chosen._calls}
        chosen._tables = {name: _rows_of(table, chosen._calls) for name, table in self._tables.items()}
        return chosen

    @property
    def scores(self) -> pd.DataFrame:
        """The score table.

        Raises
        ------
        StoreError
            When the run has not been scored.
        """
        return self._table("scores")

    @property
    def details(self) -> pd.DataFrame:
        """Per-turn scores and the evidence of verdicts, where :meth:`save_scores` was given them."""
        return self._table("details")

    @property
    def scored(self) -> bool:
        """Whether there is a score table."""
        return "scores" in self._tables or (self.path is not None and _file(self.path, "scores").is_file())

    def save_scores(self, scores: pd.DataFrame, details: pd.DataFrame | None = None) -> None:
        """Keep scores: in ``scores.parquet`` of the run folder, or with a run in memory.

        They take the place of the rows of the same metrics, of their sub-metrics and of the composites
        that rest on them; rows of other metrics stay. A selection keeps them in memory, so that they
        never take the place of the whole run's.

        Raises
        ------
        StoreError
            When it cannot be written.
        """
        replaced = _rests_on(set(scores["metric"])) if "metric" in scores else None
        for name, table in (("scores", scores), ("details", details)):
            if table is None:
                continue
            if replaced is not None:
                table = _joined(self._readable(name), table, replaced)
            if self.path is not None and not self._selected:
                path = _file(self.path, name)
                with store_errors(f"write {path}"):
                    replace_file(path, table.to_parquet(None, index=False))
            self._tables[name] = table.copy()

    def _readable(self, name: str) -> pd.DataFrame | None:
        """A table as it is kept; None when there is none, or it is broken and about to be replaced."""
        try:
            return self._stored(name)
        except StoreError:
            return None

    def _stored(self, name: str) -> pd.DataFrame:
        if name not in self._tables:
            if self.path is None or not _file(self.path, name).is_file():
                raise StoreError(f"this run has no {name}: score it first, evalib.score(run)")
            self._tables[name] = _rows_of(_read_table(_file(self.path, name)), self._calls)
        return self._tables[name]

    def _table(self, name: str) -> pd.DataFrame:
        table = self._stored(name)
        if name == "scores":
            scored = table[["system", "domain", "scenario", "trial", "condition"]].drop_duplicates()
            if len(scored) < len(self):
                warnings.warn(
                    f"{len(self) - len(scored)} of {len(self)} calls are not in the score table: "
                    "score the run again",
                    stacklevel=3,
                )
        return table.copy()

    def __repr__(self) -> str:
        where = self.path or "in memory"
        return f"Run({self._count()}, {where}{', a selection' if self._selected else ''})"

    def _repr_html_(self) -> str:
        from evalib.store.run_html import run_html

        return run_html(self, self._count())

    def _count(self) -> str:
        of = f" of {self.planned} planned" if self.planned not in (None, len(self)) else ""
        return f"{len(self)} calls{of}"


def load_run(path: str | os.PathLike[str], *, check_recordings: bool = False) -> Run:
    """Open a run folder.

    Calls are read when they are asked for. A run that was interrupted has the calls that were finished.

    Parameters
    ----------
    path : path-like
    check_recordings : bool
        Hash the recordings too, instead of looking at their sizes only.

    Raises
    ------
    StoreError
        When it is not a run folder, is of a later evalib, or holds trials that are damaged: those are
        named, and never left out in silence.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise StoreError(f"no run folder at {folder}")
    info: RunInfo = read_info(folder)
    run = Run(config=info.config, seed=info.seed, planned=info.planned)
    run.path = folder
    trials, _ = trial_folders(folder)
    damaged = {trial: why for trial in trials if (why := problem(trial, recordings=check_recordings))}
    if damaged:
        first = next(iter(damaged))
        others = ", ".join(str(trial.relative_to(folder)) for trial in damaged)
        raise StoreError(
            f"{len(damaged)} of {len(trials)} trials in {folder} are damaged: {others} (the first: "
            f"{damaged[first]}). Restore them, or resume the run to redo them"
        )
    run._calls = _in_order({marked_key(folder, trial): trial for trial in trials})
    run._scenarios = _read_scenarios(folder, run._calls)
    return run


def _read_scenarios(folder: Path, calls: Iterable[TrialKey]) -> dict[tuple[str, str], Scenario]:
    found = {}
    for path in sorted((folder / "scenarios").glob("*/*.json")):
        with store_errors(f"read {path}"):
            data = parse_object(path.read_bytes(), path)
        check_schema(data, path)
        scenario = validate(Scenario, data, path)
        found[scenario.domain, scenario.id] = scenario
    for key in calls:
        if (key.domain, key.scenario) not in found:
            lacking = scenario_file(folder, key.domain, key.scenario)
            raise StoreError(f"{folder} lacks the scenario of its call {key}: restore {lacking}")
    return dict(sorted(found.items(), key=lambda item: [_natural(part) for part in item[0]]))


def _conversation(where: Conversation | Path) -> Conversation:
    return read_conversation(where) if isinstance(where, Path) else where


def _in_order(calls: dict[TrialKey, Any]) -> dict[TrialKey, Any]:
    def position(key: TrialKey) -> tuple:
        texts = (key.system, key.domain, key.scenario, key.condition)
        return (*map(_natural, texts), key.trial)

    return {key: calls[key] for key in sorted(calls, key=position)}


def _natural(text: str) -> tuple:
    """Orders ``1.2.1`` before ``1.10.1``."""
    parts = re.split(r"([0-9]+)", text)
    return tuple(int(part) if i % 2 else part for i, part in enumerate(parts)), text


_COLUMNS: dict[str, Callable[[Conversation], Any]] = {
    "system": lambda c: c.system,
    "architecture": lambda c: str(c.architecture),
    "domain": lambda c: c.domain,
    "scenario": lambda c: c.scenario_id,
    "trial": lambda c: c.trial,
    "condition": lambda c: c.condition,
    "end_reason": lambda c: str(c.end_reason),
    "duration_s": lambda c: c.duration_s,
    "n_turns": lambda c: len(c.turns),
    "n_tool_calls": lambda c: len(c.tool_calls),
    "n_tool_errors": lambda c: sum(not call.ok for call in c.tool_calls),
    "fidelity": lambda c: c.fidelity,
    "clock": lambda c: c.clock,
    "language": lambda c: c.language,
    "seed": lambda c: c.seed,
    "attempt": lambda c: c.attempt,
    "invalid": lambda c: c.invalid,
    "error": lambda c: c.error,
}


def _row(conversation: Conversation) -> dict[str, Any]:
    return {name: value(conversation) for name, value in _COLUMNS.items()}


def _file(run: Path, table: str) -> Path:
    return run / f"{table}.parquet"


def _read_table(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as exc:  # pyarrow's errors are ValueErrors
        raise StoreError(f"{path} cannot be read ({exc}): score the run again") from exc


def _rests_on(metrics: set[str]) -> Callable[[str], bool]:
    """Whether a metric is one of these, a part of one, or a composite that rests on one."""
    composites = {name for name, rule in COMPOSITES.items() if metrics & set(rule.components)}
    return lambda metric: metric in metrics | composites or metric.partition(".")[0] in metrics


def _joined(old: pd.DataFrame | None, new: pd.DataFrame, replaced: Callable[[str], bool]) -> pd.DataFrame:
    """`new` behind the rows of `old` that it does not replace."""
    import pandas as pd

    if old is None or "metric" not in old:
        return new
    kept = old[[not replaced(metric) for metric in old["metric"]]]
    return pd.concat([kept, new], ignore_index=True) if len(kept) else new


def _rows_of(table: pd.DataFrame, calls: Iterable[TrialKey]) -> pd.DataFrame:
    """The rows of these calls, of a table with the key columns; any other table as it is."""
    if not set(TrialKey._fields) <= set(table.columns):
        return table
    import pandas as pd

    keys = pd.MultiIndex.from_tuples(list(calls), names=list(TrialKey._fields))
    there = pd.MultiIndex.from_frame(table[list(TrialKey._fields)])
    return table[there.isin(keys)].reset_index(drop=True)
