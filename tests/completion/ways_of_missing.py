"""Half-labelled tables whose truth is known: entries missing at random, because of their value, or never assigned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from halflabel.datasets import known_entries
from halflabel.labels import PartialLabels

#: Labels as sets of digits: two common ones, two rarer ones, a rare one.
SETS = ((0, 1, 2, 3, 4), (1, 3, 5, 7, 9), (2, 3, 7), (0, 6, 8), (8,))


def draw_digits(rng: np.random.Generator, n: int = 400):
    """Return scanned digits with noise, and which set each belongs to."""
    X, digit = load_digits(return_X_y=True)
    rows = rng.choice(len(X), n, replace=False)
    truth = np.column_stack([np.isin(digit[rows], members) for members in SETS])
    return X[rows] + rng.normal(scale=6, size=(n, 64)), truth.astype(float)


def draw_logistic(rng: np.random.Generator, n: int = 400, n_labels: int = 6):
    """Return normal features, and labels of different rates that are logistic in them."""
    X, weights = rng.normal(size=(n, 12)), rng.normal(scale=0.7, size=(12, n_labels))
    odds = X @ weights + rng.uniform(-4, 0.5, size=n_labels)
    return X, (rng.random(odds.shape) < 1 / (1 + np.exp(-odds))).astype(float)


def know_items(share: float) -> Callable:
    """Return a function that keeps all labels of a random share of the items."""
    return lambda truth, rng: np.where(known_entries.know_items(truth == 1, rng, share), truth, np.nan)


def know_entries(relevant: float, irrelevant: float, **how: Any) -> Callable:
    """Return a function that keeps a share of the relevant and a share of the irrelevant entries."""

    def hide(truth, rng):
        return np.where(known_entries.know_by_value(truth == 1, rng, relevant, irrelevant, **how), truth, np.nan)

    return hide


def assign(truth, c: float, rng: np.random.Generator, annotated: float = 0.5, *, marked=True) -> PartialLabels:
    """Return positive-only labels: in a share of the items, each relevant entry is assigned with probability c.

    Unless they are marked, annotated items without an assigned label look unlabelled.
    """
    assigned = np.where((truth == 1) & (rng.random(truth.shape) < c), 1.0, 0.0)
    assigned[rng.random(len(truth)) >= annotated] = np.nan
    if not marked:
        assigned[~(assigned == 1).any(axis=1)] = np.nan
    return PartialLabels.from_positives(assigned)


def measure_excess(filled, truth) -> float:
    """Return by how much the expected precision of a value is above the share that is right; the larger of both."""
    gaps, p = ~filled.labels.observed, filled.probabilities.to_numpy()
    parts = [(gaps & (filled.state > 0), p, truth), (gaps & (filled.state < 0), 1 - p, 1 - truth)]
    return max((expected[at].mean() - right[at].mean() for at, expected, right in parts if at.any()), default=0.0)
