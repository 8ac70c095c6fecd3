"""evaluate(): hide known entries, and see which method would have been right how often."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from halflabel.base import PartialLabelEstimator
from halflabel.completion import refuse_unfit_rate
from halflabel.experiments import positives
from halflabel.experiments.comparison import DEFAULT, compare, usual_methods
from halflabel.labels import PartialLabels
from halflabel.masking import hide_like_gaps, hide_positives
from halflabel.progress import step
from halflabel.table import OpenTable

__all__ = ["IN_WORDS", "Evaluation", "evaluate"]

#: The metrics that may decide.
IN_WORDS = {
    "average_precision": "average precision",
    "macro_auc": "area under the ROC curve",
    "above": "pairs in order",
}

#: Above so many items a sample is evaluated: the comparison refits every method many times.
MAX_ITEMS = 5000


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What :func:`evaluate` measured.

    Attributes
    ----------
    records : DataFrame
        One row per repeat and method, with the metrics on the hidden entries.
    decisive : {"average_precision", "macro_auc", "above"}
        The metric that decides: average precision ranks the labels of an item, which a single label leaves nothing
        to do; there it is the area under the ROC curve. "above" decides for positive-only labels, see
        :func:`halflabel.experiments.positives.compare_positives`.
    summary : DataFrame
        Per method: mean of each metric over the repeats, ``wins`` (repeats in which the default was higher in the
        decisive metric) and ``difference``, ``low``, ``high`` (default minus method in it, with its 95 % interval).
    pattern : str
        What was hidden, in words.
    advice : str
        One sentence.
    caveat : str
        What could not be measured; empty if nothing.
    """

    records: pd.DataFrame
    decisive: str
    summary: pd.DataFrame
    pattern: str
    advice: str
    caveat: str = ""


def evaluate(
    opened: OpenTable,
    *,
    repeats: int = 5,
    share: float = 0.2,
    methods: Mapping[str, PartialLabelEstimator] | None = None,
    observed_rate: float | None = None,
    seed: int = 0,
) -> Evaluation:
    """Hide known entries in the pattern of the table's own gaps, repeat, and compare methods on them.

    Of positive-only labels, a share of what was assigned is hidden.

    Parameters
    ----------
    opened : OpenTable
        From :func:`halflabel.table.open_table`.
    repeats : int
        How often to hide anew, at least 2.
    share : float
        Share of the annotated items that lose entries, see :func:`halflabel.masking.hide_like_gaps`; for
        positive-only labels, of the entries, see :func:`halflabel.masking.hide_positives`.
    methods : mapping of str to estimator, optional
        By default the method behind ``complete``, logistic regression, nearest neighbours and the label's rate.
    observed_rate : float or None
        For positive-only labels: c, as in :func:`halflabel.complete`.
    seed : int

    Raises
    ------
    ValueError
        If there are too few labelled items to hide any, or an observed rate is out of place.
    """
    if repeats < 2:
        raise ValueError(f"repeats must be at least 2, so that there is an interval; it is {repeats}.")
    refuse_unfit_rate(opened.labels, observed_rate)
    rng = np.random.default_rng(seed)
    X, labels, sampled = _sample(opened, rng)
    if (~labels.unlabelled).sum() < 10:
        raise ValueError(
            f"only {(~labels.unlabelled).sum()} items have a label: an evaluation that hides some of them needs 10."
        )
    methods = methods or usual_methods(labels, seed, observed_rate and observed_rate * (1 - share))
    contest: Callable[..., pd.DataFrame] = compare
    if labels.positive_only:
        contest = partial(positives.compare_positives, observed_rate=observed_rate, share=share)
    runs = []
    for repeat in range(repeats):
        step("repeats", repeat, repeats)
        known = (hide_positives if labels.positive_only else hide_like_gaps)(labels, share, rng)
        hidden = labels.hide(known.observed)
        runs.append(contest(methods, X, known, hidden).reset_index().assign(repeat=repeat))
    records = pd.concat(runs, ignore_index=True)
    decisive = _decisive(labels)
    summary = _summary(records, decisive, share)
    caveat = positives.CAVEAT if labels.positive_only else ""
    return Evaluation(
        records, decisive, summary, _pattern(labels, share, sampled), _advice(summary, decisive, repeats), caveat
    )


def _decisive(labels: PartialLabels) -> str:
    if labels.positive_only:
        return positives.SHOWN[0]
    return "average_precision" if len(labels.names) > 1 else "macro_auc"


def _sample(opened: OpenTable, rng: np.random.Generator) -> tuple[object, PartialLabels, bool]:
    n = len(opened.labels)
    if n <= MAX_ITEMS:
        return opened.X, opened.labels, False
    rows = np.sort(rng.choice(n, MAX_ITEMS, replace=False))
    return opened.X[rows], opened.labels[rows], True


def _summary(records: pd.DataFrame, decisive: str, share: float) -> pd.DataFrame:
    """Means per method, and the default against each by the corrected resampled t-test."""
    means = records.drop(columns="repeat").groupby("method", sort=False).mean()
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
    where = f" (in a sample of {MAX_ITEMS} items)" if sampled else ""
    if labels.positive_only:
        return f"{share:.0%} of the labels that were assigned are hidden{where}."
    gappy = (labels.observed.any(axis=1) & ~labels.observed.all(axis=1)).any()
    what = "the entries that another item of the table lacks" if gappy else "all their labels"
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
