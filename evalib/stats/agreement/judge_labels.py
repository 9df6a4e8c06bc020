"""Accuracy and F1 of a judge against labels taken as the truth (paper Table 16)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError
from evalib.stats.agreement.labels import MISSING, declared_labels, positions
from evalib.stats.result import Result


@dataclass(frozen=True)
class JudgeAccuracy(Result):
    """A judge against the truth; the dicts hold one number for each declared label.

    Attributes
    ----------
    accuracy : float
        Share of answered records that are right, 0 to 1.
    macro_f1 : float
        Mean of F1 over classes, each with equal weight, of the answered records.
    accuracy_missing_wrong, macro_f1_missing_wrong : float
        The same when a record without an answer counts as wrong: missed by its class, claimed by none.
    precision, recall, f1 : dict
        NaN where 0/0: precision of a class never predicted, recall of one never true, F1 of one
        that is neither.
    support, n_predicted : dict of int
        Answered records of each class by truth, and by the judge.
    n, n_missing, n_unlabelled : int
        Answered records; those with a truth and no answer; those without a truth, left out.
    reason : str
        Which numbers are missing, or classes left out of the mean, and why.
    """

    accuracy: float
    macro_f1: float
    accuracy_missing_wrong: float
    macro_f1_missing_wrong: float
    precision: dict[Any, float]
    recall: dict[Any, float]
    f1: dict[Any, float]
    support: dict[Any, int]
    n_predicted: dict[Any, int]
    n: int
    n_missing: int
    n_unlabelled: int
    reason: str = ""


def judge_accuracy(
    labels_true: Iterable[Any],
    labels_pred: Iterable[Any],
    labels: Iterable[Any],
    absent: Literal["exclude", "zero"] = "exclude",
) -> JudgeAccuracy:
    r"""Accuracy, macro F1 and the figures of each class of a judge's labels.

    F1 of a class is :math:`2TP / (2TP + FP + FN)`, so it is 0, not missing, for a class that is true
    somewhere and never predicted, or the other way round.

    Parameters
    ----------
    labels_true, labels_pred : sequences of the same length
        The truth and the judge's answer for each record; None and NaN are missing.
    labels : sequence
        All classes, in order. Found by equality, as in :func:`cohen_kappa`.
    absent : {"exclude", "zero"}
        What a declared class that is neither true nor predicted anywhere (F1 is 0/0) adds to the
        macro mean: nothing, the mean being over the others (``"exclude"``), or a 0 that counts
        (``"zero"``, as scikit-learn does when told the labels). ``reason`` names such classes.

    Returns
    -------
    JudgeAccuracy

    Raises
    ------
    ConfigError
        When lengths differ or an argument is not known.
    DataFormatError
        When a label is not among `labels`.

    Notes
    -----
    Paper: Table 16 prints accuracy and macro F1 of candidate judges in per cent; these are shares.

    Examples
    --------
    >>> found = judge_accuracy([1, 1, 2, 3], [1, 2, 2, None], labels=(1, 2, 3))
    >>> round(found.accuracy, 3), found.accuracy_missing_wrong, round(found.macro_f1, 3), found.n_missing
    (0.667, 0.5, 0.667, 1)
    >>> found.reason
    'class 3 is neither true nor predicted: left out of macro F1'
    """
    if absent not in ("exclude", "zero"):
        raise ConfigError(f"absent={absent!r} is not known: use 'exclude' or 'zero'")
    classes = declared_labels(labels)
    true, predicted = (
        positions(labels_true, classes, "labels_true"),
        positions(labels_pred, classes, "labels_pred"),
    )
    if len(true) != len(predicted):
        raise ConfigError(f"{len(true)} true labels and {len(predicted)} predicted: one of each per record")
    labelled = true != MISSING
    answered = labelled & (predicted != MISSING)
    k, n, n_labelled = len(classes), int(answered.sum()), int(labelled.sum())
    hits = np.bincount(true[answered & (true == predicted)], minlength=k)
    support = np.bincount(true[answered], minlength=k)
    claimed = np.bincount(predicted[answered], minlength=k)
    f1 = _share(2 * hits, support + claimed)
    all_f1 = _share(2 * hits, np.bincount(true[labelled], minlength=k) + claimed)

    def named(numbers: NDArray) -> dict[Any, Any]:
        return dict(zip(classes, numbers.tolist(), strict=True))

    return JudgeAccuracy(
        accuracy=float(_share(hits.sum(), n)),
        macro_f1=_macro(f1, absent),
        accuracy_missing_wrong=float(_share(hits.sum(), n_labelled)),
        macro_f1_missing_wrong=_macro(all_f1, absent),
        precision=named(_share(hits, claimed)),
        recall=named(_share(hits, support)),
        f1=named(f1),
        support=named(support),
        n_predicted=named(claimed),
        n=n,
        n_missing=n_labelled - n,
        n_unlabelled=len(true) - n_labelled,
        reason=_reason(classes, support, claimed, n_labelled, absent),
    )


def _share(part: Any, whole: Any) -> NDArray[np.float64]:
    whole = np.asarray(whole, dtype=float)
    return np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0)


def _macro(f1: NDArray[np.float64], absent: str) -> float:
    """Mean over classes; without any record there is none, whatever the rule."""
    there = f1[~np.isnan(f1)]
    if not len(there):
        return float("nan")
    return float(there.sum() / (len(there) if absent == "exclude" else len(f1)))


def _reason(
    classes: list[Any], support: NDArray[np.intp], claimed: NDArray[np.intp], n_labelled: int, absent: str
) -> str:
    if not support.any():
        return "no record has a true label" if not n_labelled else "no record has an answer"
    effect = "left out of macro F1" if absent == "exclude" else "counted as F1 0 in macro F1"
    cases = (
        ((support == 0) & (claimed == 0), f"neither true nor predicted: {effect}"),
        ((support == 0) & (claimed > 0), "never true: its recall is 0/0"),
        ((support > 0) & (claimed == 0), "never predicted: its precision is 0/0"),
    )
    return "; ".join(f"class {classes[c]} is {what}" for where, what in cases for c in np.flatnonzero(where))
