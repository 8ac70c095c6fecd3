"""What more labels would bring: the default, fitted with fewer of those that are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Ints
from halflabel._progress import step
from halflabel.evaluation.comparison import fitted, measured
from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_items
from halflabel.methods.base import PartialLabelEstimator

#: Shares of the labelled items that stay, before all of them do; each is drawn from the one before.
SHARES = (0.5, 0.25)

#: A point of the curve needs so many labelled items (or groups) without a hidden entry.
LEAST = 10


def learning_curve(
    method: PartialLabelEstimator,
    X: Any,
    splits: Sequence[tuple[PartialLabels, PartialLabels]],
    full: pd.DataFrame,
    rng: np.random.Generator,
    groups: Ints | None = None,
    prior: Floats | None = None,
) -> pd.DataFrame:
    """Fit a method with a quarter and half of the labelled items, and score it on the same hidden entries.

    The other items stay among the features, unlabelled. Items with a hidden entry keep what they show, so that a point
    differs from the next one in the labels of *other* items only. Whole groups lose their labels.

    Parameters
    ----------
    method : estimator
    X : features of all items
    splits : sequence of (PartialLabels, PartialLabels)
        What is known and what is hidden, once per repeat.
    full : DataFrame
        Per split, the metrics wanted, of the method with all labels of ``known``.
    rng : numpy.random.Generator
    groups : ndarray of int, shape (n_items,), optional
    prior : ndarray of shape (n_items, n_labels), optional

    Returns
    -------
    DataFrame
        One row per share that leaves 10 labelled items (or groups) without a hidden entry, in rising order, the last
        one 1. Columns: ``share``, ``labelled`` (items with a label), the columns of ``full``, all means over the
        splits; ``repeats`` and ``better``, how many there were, and in how many of them the first metric was higher
        than at the share before.

    Notes
    -----
    Costs up to two fits per split.
    """
    together = np.arange(X.shape[0]) if groups is None else groups
    shares = [share for share in SHARES if all(_leaves_enough(*split, share, together) for split in splits)]
    points = []
    for repeat, (known, hidden) in enumerate(splits):
        points.append({"repeat": repeat, "share": 1.0, "labelled": _labelled(known), **full.iloc[repeat]})
        fewer = known
        for done, share in enumerate(shares, start=repeat * len(shares)):
            step("learning curve", done, len(splits) * len(shares))
            fewer = _thinned(fewer, hidden, round(share * _labelled(known)), rng, together)
            values = measured(fitted(method, X, fewer, groups, prior), hidden)
            points.append({"repeat": repeat, "share": share, "labelled": _labelled(fewer), **values})
    return _means(pd.DataFrame(points)[["repeat", "share", "labelled", *full.columns]], str(full.columns[0]))


def _means(points: pd.DataFrame, metric: str) -> pd.DataFrame:
    curve = points.drop(columns="repeat").groupby("share").mean()
    runs = points.pivot(index="share", columns="repeat", values=metric)
    rise = runs.diff()
    better = (rise > 0).sum(axis=1).where(rise.notna().any(axis=1))
    return curve.assign(repeats=runs.shape[1], better=better).reset_index()


def _labelled(labels: PartialLabels) -> int:
    return int((~labels.unlabelled).sum())


def _leaves_enough(known: PartialLabels, hidden: PartialLabels, share: float, together: Ints) -> bool:
    """Whether that share holds all that must stay, and some items (and groups) more to draw."""
    labelled = ~known.unlabelled
    must_stay = labelled & ~hidden.unlabelled
    counts = ((rows.sum(), len(np.unique(together[rows]))) for rows in (labelled, must_stay))
    return all(share * n >= least + LEAST for n, least in zip(*counts, strict=True))


def _thinned(
    known: PartialLabels, hidden: PartialLabels, wanted: int, rng: np.random.Generator, together: Ints
) -> PartialLabels:
    """Leave labels to about so many items; those with a hidden entry keep theirs."""
    rest = known.hide(np.broadcast_to(~hidden.unlabelled[:, None], known.shape))
    excess = _labelled(known) - wanted
    if excess <= 0 or len(np.unique(together[~rest.unlabelled])) < 2:  # a large group went at once, or one is left
        return known
    return known.hide(rest.observed & ~hide_items(rest, excess / _labelled(rest), rng, together).observed)
