"""evaluate(): hide known entries, and see which method would have been right how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from halflabel.base import PartialLabelEstimator
from halflabel.experiments.comparison import DEFAULT, SHOWN, compare, usual_methods
from halflabel.labels import PartialLabels
from halflabel.masking import hide_like_gaps
from halflabel.progress import step
from halflabel.table import OpenTable

__all__ = ["IN_WORDS", "Evaluation", "evaluate"]

#: The metrics that may decide.
IN_WORDS = {"average_precision": "average precision", "macro_auc": "area under the ROC curve"}

#: Above so many items a sample is evaluated: the comparison refits every method many times.
MAX_ITEMS = 5000


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What :func:`evaluate` measured.

    Attributes
    ----------
    records : DataFrame
        One row per repeat and method, with the metrics on the hidden entries.
    decisive : {"average_precision", "macro_auc"}
        The metric that decides: average precision ranks the labels of an item, which a single label leaves nothing
        to do; there it is the area under the ROC curve.
    summary : DataFrame
        Per method: mean of each metric over the repeats, ``wins`` (repeats in which the default was higher in the
        decisive metric) and ``difference``, ``low``, ``high`` (default minus method in it, with its 95 % interval).
    pattern : str
        What was hidden, in words.
    advice : str
        One sentence.
    """

    records: pd.DataFrame
    decisive: str
    summary: pd.DataFrame
    pattern: str
    advice: str


def evaluate(
    opened: OpenTable,
    *,
    repeats: int = 5,
    share: float = 0.2,
    methods: Mapping[str, PartialLabelEstimator] | None = None,
    seed: int = 0,
) -> Evaluation:
    """Hide known entries in the pattern of the table's own gaps, repeat, and compare methods on them.

    Parameters
    ----------
    opened : OpenTable
        From :func:`halflabel.table.open_table`.
    repeats : int
        How often to hide anew, at least 2.
    share : float
        Share of the annotated items that lose entries, see :func:`halflabel.masking.hide_like_gaps`.
    methods : mapping of str to estimator, optional
        By default the method behind ``complete``, logistic regression, nearest neighbours and the label's rate.
    seed : int

    Raises
    ------
    ValueError
        If the labels are positive-only (what was hidden cannot be told from what is irrelevant), or there
        are too few labelled items to hide any.
    """
    if repeats < 2:
        raise ValueError(f"repeats must be at least 2, so that there is an interval; it is {repeats}.")
    if opened.labels.positive_only:
        raise ValueError(
            "these labels are positive-only: of an entry that is not assigned nobody knows whether it is wrong to fill "
            "it, so that precision cannot be measured. Say --absent irrelevant if somebody checked every tag."
        )
    rng = np.random.default_rng(seed)
    X, labels, sampled = _sample(opened, rng)
    if (~labels.unlabelled).sum() < 10:
        raise ValueError(
            f"only {(~labels.unlabelled).sum()} items have a label: an evaluation that hides some of them needs 10."
        )
    methods = methods or usual_methods(labels, seed)
    runs = []
    for repeat in range(repeats):
        step("repeats", repeat, repeats)
        known = hide_like_gaps(labels, share, rng)
        hidden = labels.hide(known.observed)
        runs.append(compare(methods, X, known, hidden).reset_index().assign(repeat=repeat))
    records = pd.concat(runs, ignore_index=True)
    decisive = "average_precision" if len(labels.names) > 1 else "macro_auc"
    summary = _summary(records, decisive, share)
    advice = _advice(summary, decisive, repeats)
    return Evaluation(records, decisive, summary, _pattern(labels, share, sampled), advice)


def _sample(opened: OpenTable, rng: np.random.Generator) -> tuple[object, PartialLabels, bool]:
    n = len(opened.labels)
    if n <= MAX_ITEMS:
        return opened.X, opened.labels, False
    rows = np.sort(rng.choice(n, MAX_ITEMS, replace=False))
    return opened.X[rows], opened.labels[rows], True


def _summary(records: pd.DataFrame, decisive: str, share: float) -> pd.DataFrame:
    """Means per method, and the default against each by the corrected resampled t-test."""
    means = records.groupby("method", sort=False)[[*SHOWN, "micro_f1_at_half", "seconds"]].mean()
    runs = records.pivot(index="repeat", columns="method", values=decisive)
    for name in means.index.drop(DEFAULT, errors="ignore"):
        difference = (runs[DEFAULT] - runs[name]).to_numpy()
        low, high = _interval(difference, share)
        means.loc[name, ["difference", "low", "high", "wins"]] = [difference.mean(), low, high, (difference > 0).sum()]
    return means


def _interval(difference: np.ndarray[tuple[int], np.dtype[np.float64]], share: float) -> tuple[float, float]:
    """95 % interval of a mean over repeated random splits (Nadeau & Bengio 2003): repeats share training items."""
    n = len(difference)
    scale = difference.std(ddof=1) * np.sqrt(1 / n + share / (1 - share))
    reach = stats.t.ppf(0.975, n - 1) * scale
    return float(difference.mean() - reach), float(difference.mean() + reach)


def _pattern(labels: PartialLabels, share: float, sampled: bool) -> str:
    partial = (labels.observed.any(axis=1) & ~labels.observed.all(axis=1)).mean()
    what = "all their labels" if not partial else "the entries that another item of the table lacks"
    where = f" (in a sample of {MAX_ITEMS} items)" if sampled else ""
    return f"{share:.0%} of the labelled items lost {what}{where}."


def _advice(summary: pd.DataFrame, decisive: str, repeats: int) -> str:
    """Say which method to use, in one sentence."""
    others = summary.drop(index=DEFAULT)
    name = str(others[decisive].idxmax())
    best = others.loc[name]
    span = f"{IN_WORDS[decisive]} {best['difference']:+.3f}, 95 % interval {best['low']:+.3f} to {best['high']:+.3f}"
    if best["low"] > 0:
        won = f"in {best['wins']:.0f} of {repeats} repeats"
        return f"Use the default: it beat the best alternative, {name}, {won} ({span})."
    if best["high"] < 0:
        return f"Use {name}: on this table it is better than the default ({span})."
    if summary.loc[DEFAULT, decisive] - summary[decisive].min() < 0.01:
        return f"Nothing beats the rate of each label by a margin: the features may say little about labels ({span})."
    return f"The default and {name} cannot be told apart on this table ({span}); the default also draws and explains."
