"""evaluate_table(): hide known entries, and see which method would have been right how often."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from halflabel._arrays import Ints, Matrix
from halflabel._progress import step
from halflabel.completion import default_method, refuse_deaf_method, refuse_unfit_rate
from halflabel.evaluation import positives, wording
from halflabel.evaluation.comparison import DEFAULT, compare, usual_methods
from halflabel.evaluation.learning_curve import learning_curve
from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_like_gaps, hide_positives
from halflabel.methods.base import PartialLabelEstimator
from halflabel.table import OpenTable

Contest = Callable[..., pd.DataFrame]

#: What is known and what is hidden in one repeat.
Split = tuple[PartialLabels, PartialLabels]

#: Above so many items a sample is evaluated: the comparison refits every method many times.
MAX_ITEMS = 5000

#: The learning curve is drawn in so many of the repeats: each takes two fits more.
CURVE_REPEATS = 2


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What :func:`halflabel.evaluate` measured.

    Attributes
    ----------
    records : DataFrame
        One row per repeat and method, with the metrics on the hidden entries.
    decisive : {"average_precision", "macro_auc", "above"}
        The metric that decides: average precision ranks the labels of an item, which a single label leaves nothing
        to do; there it is the area under the ROC curve. "above" decides for positive-only labels, see
        :func:`halflabel.evaluation.positives.compare_positives`.
    summary : DataFrame
        Per method: mean of each metric over the repeats, ``wins`` (repeats in which the default was higher in the
        decisive metric) and ``difference``, ``low``, ``high`` (default minus method in it, with its 95 % interval).
    pattern : str
        What was hidden, in words.
    advice : str
        Which method to use, in one sentence.
    caveat : str
        What could not be measured; empty if nothing.
    trust : str
        What micro-F1 the default's probabilities let expect and what it reached, in one sentence; empty for
        positive-only labels.
    curve : DataFrame or None
        The default with fewer labelled items, see :func:`halflabel.evaluation.learning_curve.learning_curve`:
        ``share``, ``labelled``, the decisive metric, ``micro_f1``, ``repeats``, ``better``. None if it was not asked
        for or labels are positive-only.
    more_labels : str
        Whether more labelled items would help, in one sentence; empty if there is no curve, or one point of it.
    """

    records: pd.DataFrame
    decisive: str
    summary: pd.DataFrame
    pattern: str
    advice: str
    caveat: str = ""
    trust: str = ""
    curve: pd.DataFrame | None = None
    more_labels: str = ""


def evaluate_table(
    opened: OpenTable,
    *,
    repeats: int = 5,
    share: float = 0.2,
    methods: Mapping[str, PartialLabelEstimator] | None = None,
    observed_rate: float | None = None,
    effort: str = "default",
    curve: bool = True,
    seed: int = 0,
) -> Evaluation:
    """Hide known entries in the pattern of the table's own gaps, repeat, and compare methods on them.

    Of positive-only labels, a share of what was assigned is hidden. Groups of items (``group=`` of
    :func:`halflabel.table.open_table`) are hidden as a whole, except there, where entries are hidden one by one.

    Parameters
    ----------
    opened : OpenTable
        From :func:`halflabel.table.open_table`. A prior of it is shown alone and added.
    repeats : int
        How often to hide anew, at least 2.
    share : float
        Share of the annotated items that lose entries, see :func:`halflabel.labels.masking.hide_like_gaps`; for
        positive-only labels, of the entries, see :func:`halflabel.labels.masking.hide_positives`.
    methods : mapping of str to estimator, optional
        By default the method behind ``complete``, SSDR-MC (not for positive-only labels), logistic regression, nearest
        neighbours and the label's rate. The one called "halflabel" is compared with each of the others.
    observed_rate : float or None
        For positive-only labels: c, as in :func:`halflabel.complete`.
    effort : {"fast", "default", "best"}, default="default"
        Of the method behind ``complete``, as there.
    curve : bool, default=True
        Also fit the default with a quarter and half of the labelled items.
    seed : int

    Raises
    ------
    ValueError
        If there are too few labelled items to hide any, no method is called "halflabel", there is no other, or an
        observed rate is out of place.
    """
    if repeats < 2:
        raise ValueError(f"repeats must be at least 2, so that there is an interval; it is {repeats}.")
    refuse_unfit_rate(opened.labels, observed_rate)
    rng = np.random.default_rng(seed)
    sample = _sample(opened, rng)
    X, labels, groups = sample.X, sample.labels, sample.groups
    _refuse(sample, methods)
    splits = [_hide(labels, share, rng, groups) for _ in range(repeats)]
    if methods is None:
        poorest = min((known for known, _ in splits), key=lambda known: int(known.observed.sum(axis=0).min()))
        rate = observed_rate and observed_rate * (1 - share)
        methods = usual_methods(poorest, seed, rate, effort, prior=sample.prior is not None)
    contest: Contest = partial(compare, groups=groups, prior=sample.prior)
    if labels.positive_only:
        contest = partial(
            positives.compare_positives, observed_rate=observed_rate, share=share, groups=groups, prior=sample.prior
        )
    records = _records(methods, X, splits, contest)
    decisive = _decisive(labels)
    summary = _summary(records, decisive, share)
    points = None
    if curve and not labels.positive_only:
        full = records[records["method"] == DEFAULT][list(dict.fromkeys((decisive, "micro_f1")))]
        points = learning_curve(methods[DEFAULT], X, splits[:CURVE_REPEATS], full, rng, groups, sample.prior)
    return Evaluation(
        records,
        decisive,
        summary,
        pattern=_pattern(labels, share, groups, sampled=len(labels) < len(opened.labels)),
        advice=wording.advice(summary, decisive, repeats),
        caveat=positives.caveat(observed_rate) if labels.positive_only else "",
        trust="" if labels.positive_only else _trust(records, share),
        curve=points,
        more_labels="" if points is None else wording.more_labels(points, decisive),
    )


def _refuse(opened: OpenTable, methods: Mapping[str, PartialLabelEstimator] | None) -> None:
    labels = opened.labels
    if methods is not None and (DEFAULT not in methods or len(methods) < 2):
        raise ValueError(f"the methods need one called {DEFAULT!r} and at least one other, to compare it with.")
    if opened.prior is not None:
        refuse_deaf_method(methods[DEFAULT] if methods else default_method())
    n_labelled = int((~labels.unlabelled).sum())
    if n_labelled < 10:
        raise ValueError(f"only {n_labelled} items have a label: an evaluation that hides some of them needs 10.")
    if not labels.positive_only and not labels.learnable.any():
        raise ValueError("no label was observed with both values, 1 and 0: there is nothing to tell apart.")


def _hide(labels: PartialLabels, share: float, rng: np.random.Generator, groups: Ints | None) -> Split:
    positive = labels.positive_only
    known = hide_positives(labels, share, rng) if positive else hide_like_gaps(labels, share, rng, groups)
    return known, labels.hide(known.observed)


def _records(
    methods: Mapping[str, PartialLabelEstimator], X: Matrix, splits: Sequence[Split], contest: Contest
) -> pd.DataFrame:
    runs = []
    for repeat, (known, hidden) in enumerate(splits):
        step("repeats", repeat, len(splits))
        runs.append(contest(methods, X, known, hidden).reset_index().assign(repeat=repeat))
    step("repeats", len(splits), len(splits))
    return pd.concat(runs, ignore_index=True)


def _decisive(labels: PartialLabels) -> str:
    if labels.positive_only:
        return positives.SHOWN[0]
    return "average_precision" if len(labels.names) > 1 else "macro_auc"


def _sample(opened: OpenTable, rng: np.random.Generator) -> OpenTable:
    """Return a table of at most :data:`MAX_ITEMS` items."""
    n = len(opened.labels)
    return opened if n <= MAX_ITEMS else opened.take(np.sort(rng.choice(n, MAX_ITEMS, replace=False)))


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


def _trust(records: pd.DataFrame, share: float) -> str:
    default = records[records["method"] == DEFAULT]
    expected, reached = default["expected_f1"].to_numpy(), default["micro_f1"].to_numpy()
    return wording.trust(expected.mean(), reached.mean(), *_interval(expected - reached, share))


def _pattern(labels: PartialLabels, share: float, groups: Ints | None, sampled: bool) -> str:
    where = f" (in a sample of {MAX_ITEMS} items)" if sampled else ""
    if labels.positive_only:
        return f"{share:.0%} of the labels that were assigned are hidden{where}."
    gappy = (labels.observed.any(axis=1) & ~labels.observed.all(axis=1)).any()
    what = "the entries that another item of the table lacks" if gappy else "all their labels"
    together = "" if groups is None else ", groups as a whole"
    return f"{share:.0%} of the labelled items lost {what}{together}{where}."
