"""Learning curve: the default method on subsets of the labelled items."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from halflabel._arrays import Floats, Ints
from halflabel._progress import step
from halflabel.evaluation.hiding import IN_WORDS, HiddenEntries, Hiding, Split
from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_items
from halflabel.methods.auxiliary import fit_with_auxiliary
from halflabel.methods.base import PartialLabelEstimator
from halflabel.table import OpenTable

#: Shares of the labelled items that keep their labels, in addition to all labelled items. Each subset is a part of
#: the subset before.
SHARES = (0.5, 0.25)

#: Minimum number of labelled items (or groups) without a hidden entry at a point of the curve.
MIN_ITEMS = 10

#: Maximum number of items. A sample of a larger table is evaluated, because methods are fitted many times.
MAX_ITEMS = 5000

#: Number of repeats in which the learning curve is measured: each takes two additional fits.
CURVE_REPEATS = 2

#: Smaller differences in a metric do not count as a difference.
MIN_DIFFERENCE = 0.01


def learning_curve(
    method: PartialLabelEstimator,
    X: Any,
    splits: Sequence[Split],
    hiding: Hiding,
    full: pd.DataFrame,
    rng: np.random.Generator,
    groups: Ints | None = None,
    prior: Floats | None = None,
) -> pd.DataFrame:
    """Fit a method with a quarter and half of the labelled items, and score it on the same hidden entries.

    The other items keep their features and become unlabelled. Items with a hidden entry keep their labels, so that a
    point differs from the next one in the labels of *other* items only. Whole groups lose their labels.

    Parameters
    ----------
    method : estimator
    X : features of all items
    splits : sequence of Split
        One per repeat.
    hiding : Hiding
        Scores the method.
    full : DataFrame
        Per split, the metrics of the method with all labels of ``known``. The first metric is decisive.
    groups : ndarray of int, shape (n_items,), optional
    prior : ndarray of shape (n_items, n_labels), optional

    Returns
    -------
    DataFrame
        One row per share that leaves 10 labelled items (or groups) without a hidden entry, in rising order, the last
        one 1. Columns: ``share``, ``labelled`` (items with a label), the columns of ``full``, all means over the
        splits; ``repeats``, their number, and ``better``, the number of splits in which the first metric was higher
        than at the share before.

    Notes
    -----
    Costs up to two fits per split.
    """
    group_of = np.arange(X.shape[0]) if groups is None else groups
    shares = [share for share in SHARES if all(_has_enough_items(split, share, group_of) for split in splits)]
    points = []
    for repeat, split in enumerate(splits):
        points.append({"repeat": repeat, "share": 1.0, "labelled": _count_labelled(split.known), **full.iloc[repeat]})
        fewer = split.known
        for done, share in enumerate(shares, start=repeat * len(shares)):
            step("learning curve", done, len(splits) * len(shares))
            fewer = _keep_labels(fewer, split.hidden, round(share * _count_labelled(split.known)), rng, group_of)
            values = hiding.score(fit_clone(method, X, fewer, groups, prior), Split(fewer, split.hidden))
            points.append({"repeat": repeat, "share": share, "labelled": _count_labelled(fewer), **values})
    return _average_points(pd.DataFrame(points)[["repeat", "share", "labelled", *full.columns]], str(full.columns[0]))


def measure_learning_curve(
    opened: OpenTable,
    method: PartialLabelEstimator,
    repeats: int = CURVE_REPEATS,
    share: float = 0.2,
    random_state: int = 0,
) -> pd.DataFrame:
    """Hide entries of an open table, fit the method with all and with fewer labelled items, and score it.

    The result is as of :func:`learning_curve`. Raises for positive-only labels, because every metric of the comparison
    needs irrelevant entries.
    """
    if opened.labels.positive_only:
        raise ValueError(
            "a learning curve needs entries that are known to be irrelevant, and positive-only labels have none: "
            "hl.evaluate counts which of the hidden tags are found."
        )
    rng = np.random.default_rng(random_state)
    sample = sample_items(opened, rng)
    hiding = HiddenEntries(sample.labels, share, sample.groups)
    splits = [hiding.hide(rng) for _ in range(repeats)]
    fitted = [fit_clone(method, sample.X, split.known, sample.groups, sample.prior) for split in splits]
    scores = [hiding.score(model, split) for model, split in zip(fitted, splits, strict=True)]
    full = pd.DataFrame(scores)[list(dict.fromkeys(hiding.curve_metrics))]
    return learning_curve(method, sample.X, splits, hiding, full, rng, sample.groups, sample.prior)


def sample_items(opened: OpenTable, rng: np.random.Generator) -> OpenTable:
    """Return a table of at most :data:`MAX_ITEMS` items."""
    n = len(opened.labels)
    return opened if n <= MAX_ITEMS else opened.take(np.sort(rng.choice(n, MAX_ITEMS, replace=False)))


def describe_curve(curve: pd.DataFrame, decisive: str) -> str:
    """Return whether more labelled items would help. Empty if the curve has one point, or cannot be measured."""
    if len(curve) < 2 or curve[decisive].isna().any():
        return ""
    before, now = curve.iloc[-2], curve.iloc[-1]
    x, y, metric = before[decisive], now[decisive], IN_WORDS[decisive]
    rise, factor = y - x, now["labelled"] / before["labelled"]
    change = f"raised {metric} from {x:.3f} to {y:.3f}" if rise > 0 else f"did not raise {metric} ({x:.3f}, {y:.3f})"
    counts = f"from {before['labelled']:,.0f} to {now['labelled']:,.0f}"
    start = f"{'Doubling' if 1.8 < factor < 2.2 else 'Raising'} the labelled items {counts} {change}"
    if rise < MIN_DIFFERENCE:
        return f"{start}: more labels would help little."
    if now["better"] < now["repeats"]:
        return f"{start}, but not in every repeat: more labels may help."
    return f"{start}: more labels would help."


def fit_clone(
    method: PartialLabelEstimator,
    X: Any,
    known: PartialLabels,
    groups: Ints | None = None,
    prior: Floats | None = None,
) -> Any:
    """Fit a copy without its warnings, because they are about fewer labels than the user has."""
    with warnings.catch_warnings(), threadpool_limits(1, user_api="blas"):  # thousands of small fits
        warnings.simplefilter("ignore")
        return fit_with_auxiliary(clone(method), X, known, groups=groups, prior=prior)


def _average_points(points: pd.DataFrame, metric: str) -> pd.DataFrame:
    curve = points.drop(columns="repeat").groupby("share").mean()
    runs = points.pivot(index="share", columns="repeat", values=metric)
    rise = runs.diff()
    better = (rise > 0).sum(axis=1).where(rise.notna().any(axis=1))
    return curve.assign(repeats=runs.shape[1], better=better).reset_index()


def _count_labelled(labels: PartialLabels) -> int:
    return int((~labels.unlabelled).sum())


def _has_enough_items(split: Split, share: float, group_of: Ints) -> bool:
    """Whether a share of the labelled items (and groups) exceeds the items with a hidden entry by enough."""
    labelled = ~split.known.unlabelled
    keep = labelled & ~split.hidden.unlabelled
    counts = ((rows.sum(), len(np.unique(group_of[rows]))) for rows in (labelled, keep))
    return all(share * n >= kept + MIN_ITEMS for n, kept in zip(*counts, strict=True))


def _keep_labels(
    known: PartialLabels, hidden: PartialLabels, wanted: int, rng: np.random.Generator, group_of: Ints
) -> PartialLabels:
    """Hide labels until about the wanted number of items has some. Items with a hidden entry keep their labels."""
    rest = known.hide(np.broadcast_to(~hidden.unlabelled[:, None], known.shape))
    excess = _count_labelled(known) - wanted
    if excess <= 0 or len(np.unique(group_of[~rest.unlabelled])) < 2:  # one large group was hidden, or one is left
        return known
    return known.hide(rest.observed & ~hide_items(rest, excess / _count_labelled(rest), rng, group_of).observed)
