"""The metrics of the papers that halflabel does not print, on observed entries, and the table of all metrics.

The rules of :mod:`halflabel.labels.metrics` hold: the arguments, unknown entries, ties and positive-only labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from halflabel.labels import PartialLabels, metrics
from halflabel.labels.metrics import Metric, mean_of_numbers, rank_entries, read_answer, read_predicted
from halflabel.plugins import Mask

__all__ = [
    "METRICS",
    "coverage",
    "hamming_loss",
    "one_error",
    "rankable",
    "ranking_loss",
]


# -- predicted labels ------------------------------------------------------------


def hamming_loss(labels: PartialLabels, predicted: ArrayLike) -> float:
    """Share of wrong entries among all observed entries. Every entry counts the same.

    On entries that were hidden from a method this is, times 100, the "transductive label error" that
    Goldberg et al. (2010) print.
    """
    wrong = labels.relevant != read_predicted(labels, predicted)
    return mean_of_numbers(wrong[labels.observed])


def rankable(labels: PartialLabels) -> Mask:
    """Items with both a relevant and an irrelevant observed entry.

    Ranking metrics count other labelled items as scikit-learn does. Papers of the ML-kNN
    tradition leave them out, which is ``ranking_loss(labels[keep], scores[keep])`` with
    ``keep = rankable(labels)``.
    """
    return np.asarray((labels.state > 0).any(axis=1) & (labels.state < 0).any(axis=1))


def ranking_loss(labels: PartialLabels, scores: ArrayLike) -> float:
    """Share of the pairs (relevant, irrelevant) of an item that are ranked wrong, averaged over items.

    A tied pair is ranked wrong. An item without a pair counts 0, as in scikit-learn's ``label_ranking_loss``.
    """
    values = read_answer(labels, scores, "scores")
    n_relevant = labels.relevant.sum(axis=1)
    n_irrelevant = labels.observed.sum(axis=1) - n_relevant
    irrelevant_above = rank_entries(values, labels.observed) - rank_entries(values, labels.relevant)
    wrong = np.nansum(irrelevant_above, axis=1)
    return mean_of_numbers((wrong / np.maximum(n_relevant * n_irrelevant, 1))[~labels.unlabelled])


def one_error(labels: PartialLabels, scores: ArrayLike) -> float:
    """Share of items whose highest score belongs to an irrelevant entry.

    Of several entries tied at the top, an irrelevant one makes the error. Items
    without a relevant entry are left out: nothing could be right there.
    """
    values = read_answer(labels, scores, "scores")
    top = np.where(labels.observed, values, -np.inf).max(axis=1, keepdims=True)
    wrong = ((labels.state < 0) & (values == top)).any(axis=1)
    return mean_of_numbers(wrong[labels.relevant.any(axis=1)])


def coverage(labels: PartialLabels, scores: ArrayLike) -> float:
    """Mean number of steps from the top of an item's ranking down to its last relevant entry.

    The top is step 0, as in Zhang and Zhou's papers, and an item without a relevant entry counts 0.
    scikit-learn's ``coverage_error`` calls the top 1 (such an item 0 as well), so that it is larger by
    the share of items with a relevant entry.
    """
    ranks = rank_entries(read_answer(labels, scores, "scores"), labels.observed)
    steps = np.where(labels.relevant, ranks, 1.0).max(axis=1) - 1
    return mean_of_numbers(steps[~labels.unlabelled])


# -- the table ---------------------------------------------------------------------

_OWN = (
    Metric("hamming_loss", hamming_loss, "labels", False),
    Metric("ranking_loss", ranking_loss, "scores", False),
    Metric("one_error", one_error, "scores", False),
    Metric("coverage", coverage, "scores", False),
)
_FIRST = ("micro_f1", "macro_f1")

#: Every metric by name, in reading order.
METRICS: Mapping[str, Metric] = MappingProxyType(
    {name: metrics.METRICS[name] for name in _FIRST}
    | {metric.name: metric for metric in _OWN}
    | {name: metric for name, metric in metrics.METRICS.items() if name not in _FIRST}
)
