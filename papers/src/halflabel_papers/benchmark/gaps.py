"""The ways of missing: which labels a method gets, and which entries are scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD

from halflabel.datasets import known_entries as ways
from halflabel.labels import PartialLabels
from halflabel.plugins import Floats, Mask, Matrix, is_sparse
from halflabel_papers.protocols import remove_positives

#: From (labels, features, rate, options, rng) to gaps.
Way = Callable[[PartialLabels, Matrix, float, Mapping[str, Any], np.random.Generator], "Gaps"]


@dataclass(frozen=True)
class Gaps:
    """The labels of one run."""

    #: The labels that the method gets.
    known: PartialLabels
    #: The true values of the entries that are scored; all others are unknown.
    scored: PartialLabels
    #: The label frequency c: the share of the relevant entries of annotated items that were assigned.
    frequency: float = 1.0


def hide_items(
    labels: PartialLabels, X: Matrix, rate: float, options: Mapping[str, Any], rng: np.random.Generator
) -> Gaps:
    """Q: a share ``rate`` of the items is labelled, and the other items are scored."""
    return _keep(labels, ways.know_items(labels.relevant, rng, rate))


def hide_entries(
    labels: PartialLabels, X: Matrix, rate: float, options: Mapping[str, Any], rng: np.random.Generator
) -> Gaps:
    """G: a share ``rate`` of the entries is known, at random, and the other entries are scored."""
    return _keep(labels, ways.know_entries(labels.relevant, rng, rate))


def hide_by_value(
    labels: PartialLabels, X: Matrix, rate: float, options: Mapping[str, Any], rng: np.random.Generator
) -> Gaps:
    """V: a share ``rate`` of the relevant and ``rate / ratio`` of the irrelevant entries is known."""
    return _keep(labels, ways.know_by_value(labels.relevant, rng, rate, rate / options["ratio"]))


def hide_by_features(
    labels: PartialLabels, X: Matrix, rate: float, options: Mapping[str, Any], rng: np.random.Generator
) -> Gaps:
    """F: a share ``rate`` of the entries is known, more of items with a high first principal component."""
    return _keep(labels, ways.know_by_feature(labels.relevant, rng, rate, find_component(X), single=True))


def drop_positives(
    labels: PartialLabels, X: Matrix, rate: float, options: Mapping[str, Any], rng: np.random.Generator
) -> Gaps:
    """Z: a share ``annotated`` of the items has assigned labels only, without a share ``rate`` of the relevant ones."""
    annotated = _choose_items(len(labels), options["annotated"], rng)
    known = remove_positives(labels, annotated, rate, rng, absent="irrelevant")
    return Gaps(known, labels.hide(annotated[:, None]), 1 - rate)


def keep_one_positive(
    labels: PartialLabels, X: Matrix, rate: float, options: Mapping[str, Any], rng: np.random.Generator
) -> Gaps:
    """S: of a share ``rate`` of the items one relevant label is assigned, and no other (Cole et al. 2021)."""
    annotated = _choose_items(len(labels), rate, rng)
    order = np.where(labels.relevant, rng.random(labels.shape), -1.0)
    one = (order == order.max(axis=1, keepdims=True)) & labels.relevant
    state = np.where(labels.relevant & ~one, -1, labels.state)
    known = replace(labels, state=np.where(annotated[:, None], state, 0), annotated=annotated & labels.annotated)
    relevant = labels.relevant[annotated]
    return Gaps(known, labels.hide(annotated[:, None]), float(relevant.any(axis=1).sum() / max(relevant.sum(), 1)))


#: The ways of missing by the name that a board uses.
WAYS: Mapping[str, Way] = {
    each.__name__: each
    for each in (hide_items, hide_entries, hide_by_value, hide_by_features, drop_positives, keep_one_positive)
}


def open_unassigned(labels: PartialLabels) -> PartialLabels:
    """Return positive-only labels: an entry that was not assigned is unknown, in an annotated item."""
    return replace(labels, state=np.maximum(labels.state, 0), positives=True)


def drop_features(X: Matrix, share: float, rng: np.random.Generator) -> Matrix:
    """Return the features with only a share of the single values observed, and NaN in place of the other values."""
    if share == 1:
        return X
    dense = X.toarray() if is_sparse(X) else X
    return np.where(rng.random(dense.shape) < share, dense, np.nan)


def find_component(X: Matrix) -> Floats:
    """Return the first principal component of the standardised features, with a gap at the mean."""
    dense = np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
    sd = np.nanstd(dense, axis=0)
    scaled = np.nan_to_num((dense - np.nanmean(dense, axis=0)) / np.where(sd > 0, sd, 1.0))
    return np.asarray(TruncatedSVD(1, random_state=0).fit_transform(scaled)[:, 0])


def _keep(labels: PartialLabels, known: Mask) -> Gaps:
    """Return the known entries, and all others to be scored."""
    return Gaps(labels.hide(~known), labels.hide(known))


def _choose_items(n_items: int, share: float, rng: np.random.Generator) -> Mask:
    """Return a share of the items, in exact number: with the same generator, a larger share adds items."""
    chosen = np.zeros(n_items, dtype=bool)
    chosen[rng.permutation(n_items)[: round(share * n_items)]] = True
    return chosen
