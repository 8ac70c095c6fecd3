"""Multi-label metrics on the observed entries of partial labels.

Every function takes ``(labels, answer)``: :class:`~halflabel.labels.PartialLabels` and
an array of the same shape, which holds 0/1 for the metrics of labels, scores (higher
means more relevant) for the metrics of rankings, and P(relevant) for the metrics of probabilities.

Unknown entries never count, whatever the answer holds there. Items and labels without observed entries are left out.
Where nothing is left to measure, the result is NaN. On complete labels the results equal scikit-learn's, where it has
the metric. Tied scores always count against the method in rankings of labels, and half in an AUC.

Positive-only labels raise an error: as long as no entry is known to be irrelevant,
the answer "everything is relevant" would have no error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.partial import LabelsLike
from halflabel.labels.ranks import rank_rows

__all__ = [
    "METRICS",
    "Metric",
    "auc_per_label",
    "average_precision",
    "brier",
    "ece",
    "f1_per_label",
    "macro_auc",
    "macro_f1",
    "micro_f1",
]


# -- predicted labels ------------------------------------------------------------


def micro_f1(labels: LabelsLike, predicted: ArrayLike) -> float:
    """F1 of all observed entries pooled: 2 TP / (2 TP + FP + FN), or 0 if nothing is relevant or predicted.

    Examples
    --------
    >>> micro_f1([[1, 0], [1, None]], [[1, 1], [1, 1]])
    0.8
    """
    labels = PartialLabels.from_table(labels)
    hits, relevant, chosen = _counts(labels, predicted)
    if not labels.state.any():
        return np.nan
    return float(2 * hits.sum() / max(relevant.sum() + chosen.sum(), 1))


def macro_f1(labels: LabelsLike, predicted: ArrayLike) -> float:
    """Mean of :func:`f1_per_label` over the labels with an observed entry.

    A label without any relevant and any predicted entry counts 0, as in scikit-learn's
    ``f1_score(average="macro", zero_division=0)``.
    """
    return mean_of_numbers(f1_per_label(labels, predicted))


def f1_per_label(labels: LabelsLike, predicted: ArrayLike) -> Floats:
    """F1 of each label, 2 TP / (2 TP + FP + FN) over its observed entries.

    0 where nothing is relevant nor predicted, NaN where nothing is observed.
    """
    labels = PartialLabels.from_table(labels)
    hits, relevant, chosen = _counts(labels, predicted)
    f1 = 2 * hits / np.maximum(relevant + chosen, 1)
    return np.where(labels.observed.any(axis=0), f1, np.nan)


# -- rankings of the labels of an item ---------------------------------------------


def average_precision(labels: LabelsLike, scores: ArrayLike) -> float:
    """Label-ranking average precision: mean precision at the ranks of an item's relevant entries, averaged over items.

    The precision at a rank is the share of relevant entries among the entries that score as high or higher.
    An item without a relevant entry counts 1, as in scikit-learn's ``label_ranking_average_precision_score``.
    """
    labels = PartialLabels.from_table(labels)
    values = read_answer(labels, scores, "scores")
    n_relevant = labels.relevant.sum(axis=1)
    precision = rank_entries(values, labels.relevant) / rank_entries(values, labels.observed)
    of_item = np.where(n_relevant > 0, np.nansum(precision, axis=1) / np.maximum(n_relevant, 1), 1.0)
    return mean_of_numbers(of_item[~labels.unlabelled])


# -- rankings of the items of a label ----------------------------------------------


def macro_auc(labels: LabelsLike, scores: ArrayLike) -> float:
    """Mean of :func:`auc_per_label` over the labels with both values observed."""
    return mean_of_numbers(auc_per_label(labels, scores))


def auc_per_label(labels: LabelsLike, scores: ArrayLike) -> Floats:
    """Share of the pairs (relevant, irrelevant item) of each label in the right order, ties half.

    NaN for a label that was not observed with both values.
    """
    labels = PartialLabels.from_table(labels)
    values = read_answer(labels, scores, "scores")
    n_relevant = labels.relevant.sum(axis=0)
    n_irrelevant = labels.observed.sum(axis=0) - n_relevant
    ranks = rank_rows(values.T, labels.observed.T).T
    rank_sum = np.where(labels.relevant, ranks, 0.0).sum(axis=0)
    return divide(rank_sum - n_relevant * (n_relevant + 1) / 2, n_relevant * n_irrelevant)


# -- probabilities -----------------------------------------------------------------


def brier(labels: LabelsLike, probabilities: ArrayLike) -> float:
    """Mean squared difference between P(relevant) and the observed value (1 or 0), all observed entries pooled."""
    labels = PartialLabels.from_table(labels)
    p = read_answer(labels, probabilities, "probabilities")
    return mean_of_numbers((p - labels.relevant)[labels.observed] ** 2)


def ece(labels: LabelsLike, probabilities: ArrayLike, *, bins: int = 15) -> float:
    """Calibration error as expected over all observed entries pooled.

    The bins have equal width, ``[k / bins, (k + 1) / bins)``, and the last bin is closed. The error of a bin is the
    distance between its mean probability and its share of relevant entries. The result is the mean of these errors,
    weighted by the number of entries.
    """
    labels = PartialLabels.from_table(labels)
    p = read_answer(labels, probabilities, "probabilities")[labels.observed]
    excess = p - labels.relevant[labels.observed]
    which = np.minimum((p * bins).astype(np.intp), bins - 1)
    return float(np.abs(np.bincount(which, weights=excess)).sum() / len(p)) if len(p) else np.nan


# -- the table that reports and scorers use ------------------------------------------

Needs = Literal["labels", "scores", "probabilities"]


@dataclass(frozen=True)
class Metric:
    """A metric, the answer that it needs, and the better direction.

    Parameters
    ----------
    name : str
    function : callable (labels, answer) -> float
    needs : {"labels", "scores", "probabilities"}
        The content of the answer.
    greater_is_better : bool
    """

    name: str
    function: Callable[[PartialLabels, ArrayLike], float]
    needs: Needs
    greater_is_better: bool


_IN_READING_ORDER = (
    Metric("micro_f1", micro_f1, "labels", True),
    Metric("macro_f1", macro_f1, "labels", True),
    Metric("average_precision", average_precision, "scores", True),
    Metric("macro_auc", macro_auc, "scores", True),
    Metric("brier", brier, "probabilities", False),
    Metric("ece", ece, "probabilities", False),
)

#: Every metric by name, in reading order.
METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _IN_READING_ORDER})


# -- shared helpers ----------------------------------------------------------------


def read_answer(labels: PartialLabels, answer: ArrayLike, needs: Needs) -> Floats:
    """Return the answer as floats. Raise with the reason if it is invalid at an observed entry."""
    if labels.positive_only:
        raise ValueError(
            "these labels are positive-only: no entry is known to be irrelevant, so that the answer 'everything is "
            "relevant' would have no error. Measure on labels with irrelevant entries; if absent means irrelevant, "
            "read them with PartialLabels.from_table or from_tags(..., absent='irrelevant')."
        )
    values = np.asarray(answer, dtype=np.float64)
    if values.shape != labels.shape:
        raise ValueError(
            f"the {needs} have shape {values.shape}, but the labels have shape {labels.shape}: "
            "give one row per item and one column per label."
        )
    accepted, demand = _DEMANDS[needs]
    wrong = labels.observed & ~accepted(values)
    if wrong.any():
        item, label = np.argwhere(wrong)[0]
        raise ValueError(
            f"{demand}, but item {item} has {values[item, label]:g} for the label {labels.names[label]!r}, which is "
            f"observed ({wrong.sum()} of {labels.observed.sum()} observed entries are like this)."
        )
    return values


_DEMANDS: Mapping[str, tuple[Callable[[Floats], Mask], str]] = {
    "labels": (lambda v: (v == 0) | (v == 1), "predicted labels must be 0 or 1 (apply a threshold to scores first)"),
    "scores": (lambda v: ~np.isnan(v), "scores must be numbers (fill in the missing scores first)"),
    "probabilities": (lambda v: (v >= 0) & (v <= 1), "probabilities must lie between 0 and 1 (calibrate scores first)"),
}


def read_predicted(labels: PartialLabels, predicted: ArrayLike) -> Mask:
    return np.asarray(read_answer(labels, predicted, "labels") == 1)


def _counts(labels: PartialLabels, predicted: ArrayLike) -> tuple[Ints, Ints, Ints]:
    """Return per label the numbers of true positives, of relevant entries and of positive predictions."""
    chosen = read_predicted(labels, predicted) & labels.observed
    return (chosen & labels.relevant).sum(axis=0), labels.relevant.sum(axis=0), chosen.sum(axis=0)


def rank_entries(values: Floats, among: Mask) -> Floats:
    """Rank the entries of ``among`` in each row, the highest value first, ties all last, NaN outside ``among``."""
    return rank_rows(-values, among, ties_last=True)


def divide(part: ArrayLike, whole: Ints) -> Floats:
    ratio: Floats = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return ratio


def mean_of_numbers(values: Floats | Mask) -> float:
    """Mean of the values that are not NaN, or NaN if all are."""
    numbers = values[~np.isnan(values)]
    return float(numbers.mean()) if len(numbers) else np.nan
