"""Hide known labels, compare methods on them, and recommend one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd

from halflabel._arguments import accept_keys
from halflabel._progress import step
from halflabel.completion import check_observed_rate, check_prior_support
from halflabel.evaluation.comparison import COMMON_RULE, DEFAULT, RATE, build_default, build_methods, compare
from halflabel.evaluation.hiding import IN_WORDS, HiddenEntries, HiddenPositives, Hiding, Split
from halflabel.evaluation.learning_curve import (
    CURVE_REPEATS,
    MIN_DIFFERENCE,
    describe_curve,
    learning_curve,
    sample_items,
)
from halflabel.labels import PartialLabels
from halflabel.labels.intervals import resampled_interval
from halflabel.labels.names import Effort
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.masked_targets import Fits
from halflabel.methods.own import as_method
from halflabel.methods.validation import RandomState, as_seed
from halflabel.table import Description, OpenTable, open_table
from halflabel.table.columns import Keys
from halflabel.table.unlearned import leave_unlearned

if TYPE_CHECKING:
    from halflabel.labels.partial import LabelsLike
    from halflabel.table.opened import ItemsLike

#: Minimum number of labelled items.
MIN_LABELLED = 10


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The results of :func:`halflabel.evaluate`.

    Parameters
    ----------
    records : DataFrame
        One row per repeat and method, with the metrics on the hidden labels.
    decisive : {"average_precision", "macro_auc", "above"}
        The metric that decides which method is better: average precision ranks the labels of an item; for a single
        label it is the area under the ROC curve, which ranks items. "above" decides for positive-only labels, see
        :meth:`halflabel.evaluation.hiding.HiddenPositives.score`.
    summary : DataFrame
        Per method: mean of each metric over the repeats, ``wins`` (repeats in which the default was higher in the
        decisive metric) and ``difference``, ``low``, ``high`` (default minus method in it, with its 95 % interval).
    pattern : str
        The hidden labels, in words.
    advice : str
        Which method to use, in one sentence.
    warning : str
        The figures that could not be measured. Empty if all were measured.
    trust : str
        The micro-F1 that is expected from the default's probabilities, compared with the measured one. Empty for
        positive-only labels.
    curve : DataFrame or None
        The default with fewer labelled items, see :func:`halflabel.evaluation.learning_curve.learning_curve`:
        ``share``, ``labelled``, the decisive metric, ``micro_f1``, ``repeats``, ``better``. None if it was not asked
        for or labels are positive-only.
    more_labels : str
        Whether more labelled items would help, in one sentence. Empty if the curve has fewer than two points.
    """

    records: pd.DataFrame
    decisive: str
    summary: pd.DataFrame
    pattern: str
    advice: str
    warning: str = ""
    trust: str = ""
    curve: pd.DataFrame | None = None
    more_labels: str = ""


@accept_keys(Description)
def evaluate(
    items: ItemsLike,
    Y: LabelsLike | None = None,
    *,
    methods: Mapping[str, Fits | type | str] | None = None,
    repeats: int = 5,
    share: float = 0.2,
    observed_rate: float | None = None,
    effort: Effort = "default",
    curve: bool = True,
    random_state: RandomState = 0,
    **keys: Unpack[Keys],
) -> Evaluation:
    """Hide known entries in the pattern of the table's own gaps, predict them, and compare methods.

    Of positive-only labels, a share of the assigned labels is hidden. Groups of items (``group``) are hidden as a
    whole, except there, where entries are hidden one by one.

    Parameters
    ----------
    items, Y : DataFrame, path or array-like
        As in :func:`halflabel.complete`: a table that holds the labels, or features and labels apart.
    methods : mapping of str to method, optional
        Methods as in :func:`halflabel.complete`. The method behind ``complete`` is "halflabel", unless one of them has
        this name; it is compared with each other method. By default with SSDR-MC (not for positive-only labels),
        logistic regression, nearest neighbours and the label's rate.
    repeats : int, default=5
        Number of random splits, at least 2.
    share : float, default=0.2
        Share of the annotated items that lose entries, see :func:`halflabel.labels.masking.hide_like_gaps`; for
        positive-only labels, of the entries, see :func:`halflabel.labels.masking.hide_positives`.
    observed_rate : float in (0, 1], optional
        For positive-only labels the label frequency c, as in :func:`halflabel.complete`.
    effort : {"fast", "default", "best"}, default="default"
        Effort of the method behind ``complete``.
    curve : bool, default=True
        Also fit that method with a quarter and half of the labelled items.
    random_state : int, Generator, RandomState or None, default=0
        Decides which entries are hidden.
    **keys
        The keys of :func:`halflabel.open_table`: the roles of columns, and the meaning of cells.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError
        If there are too few labelled items to hide any, "halflabel" is the only method, or ``observed_rate`` is given
        although labels are not positive-only.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> songs = pd.DataFrame({"tempo": np.tile([60.5, 122.5], 20) + np.arange(40) / 10})
    >>> songs["dance"] = np.where(np.arange(40) < 30, songs["tempo"] > 100, np.nan)
    >>> methods = {"halflabel": "MLkNN", "regression": LogisticRegression()}
    >>> evaluate(songs, labels=["dance"], methods=methods, repeats=2, curve=False).pattern
    '20% of the labelled items lost all their labels.'
    """
    opened, seed = open_table(items, Y, **keys), as_seed(random_state)
    if repeats < 2:
        raise ValueError(f"repeats must be at least 2, so that there is an interval; it is {repeats}.")
    check_observed_rate(opened.labels, observed_rate)
    opened = _leave_positive_only(leave_unlearned(opened))
    rng = np.random.default_rng(seed)
    sample = sample_items(opened, rng)
    hiding = choose_hiding(sample, share, observed_rate)
    splits = [hiding.hide(rng) for _ in range(repeats)]
    rate = observed_rate and observed_rate * (1 - share)
    if methods is None:
        compared = build_methods(_find_sparsest(splits), seed, rate, effort, prior=sample.prior is not None)
    else:
        default = {} if DEFAULT in methods else {DEFAULT: build_default(seed, rate, effort)}
        compared = {**default, **{name: as_method(one, COMMON_RULE, seed) for name, one in methods.items()}}
    _check_input(sample, compared)
    records = _compare_splits(compared, sample, splits, hiding)
    of_default = records[records["method"] == DEFAULT]
    points = None
    if curve and hiding.curve_metrics:
        full, some = of_default[list(dict.fromkeys(hiding.curve_metrics))], splits[:CURVE_REPEATS]
        points = learning_curve(compared[DEFAULT], sample.X, some, hiding, full, rng, sample.groups, sample.prior)
    summary = _summarize(records, hiding.decisive, share)
    where = f" (in a sample of {len(sample.labels)} items)" if sample is not opened else ""
    return Evaluation(
        records,
        hiding.decisive,
        summary,
        pattern=f"{hiding.describe()}{where}.",
        advice=recommend(summary, hiding.decisive, repeats),
        warning=hiding.warning,
        trust=hiding.check_probabilities(of_default),
        curve=points,
        more_labels="" if points is None else describe_curve(points, hiding.decisive),
    )


def _leave_positive_only(opened: OpenTable) -> OpenTable:
    """Return a mixed table without its positive-only labels: no entry of them is known to be irrelevant."""
    if not opened.labels.is_mixed:
        return opened
    others = np.array(opened.labels.names, dtype=object)[~np.asarray(opened.labels.positives)]
    return opened.keep_labels(others.tolist())


def choose_hiding(opened: OpenTable, share: float, observed_rate: float | None) -> Hiding:
    """Return how labels of this kind are hidden."""
    if opened.labels.positive_only:
        return HiddenPositives(opened.labels, share, observed_rate)
    return HiddenEntries(opened.labels, share, opened.groups)


def recommend(summary: pd.DataFrame, decisive: str, repeats: int) -> str:
    """Return which method to use, in one sentence."""
    others = summary.drop(index=DEFAULT)
    name = str(others[decisive].idxmax())
    best = others.loc[name]
    difference = (
        f"default minus {name}: {best['difference']:+.3f} {IN_WORDS[decisive]}, "
        f"95 % interval {best['low']:+.3f} to {best['high']:+.3f}"
    )
    if best["low"] > 0:
        wins = f"{best['wins']:.0f} of {repeats} repeats"
        return f"Use the default: it was better than the best other method, {name}, in {wins} ({difference})."
    if best["high"] < 0:
        return f"Use {name}: on this table it is better than the default ({difference})."
    if RATE in others.index and summary[decisive].max() - others.loc[RATE, decisive] < MIN_DIFFERENCE:
        return (
            "No method is clearly better than the rate of each label: the features may contain little information "
            f"about the labels ({difference})."
        )
    return f"On this table neither the default nor {name} is clearly better ({difference}): use either."


def _check_input(opened: OpenTable, methods: Mapping[str, PartialLabelEstimator]) -> None:
    labels = opened.labels
    if len(methods) < 2:
        raise ValueError(f"the methods need at least one other than {DEFAULT!r}, to compare it with.")
    if opened.prior is not None:
        check_prior_support(methods[DEFAULT])
    n_labelled = int((~labels.unlabelled).sum())
    if n_labelled < MIN_LABELLED:
        raise ValueError(
            f"only {n_labelled} items have a label: an evaluation that hides some of them needs {MIN_LABELLED}."
        )


def _find_sparsest(splits: Sequence[Split]) -> PartialLabels:
    """Return the known labels whose rarest label has the fewest observed entries."""
    return min((known for known, _ in splits), key=lambda known: int(known.observed.sum(axis=0).min()))


def _compare_splits(
    methods: Mapping[str, PartialLabelEstimator], opened: OpenTable, splits: Sequence[Split], hiding: Hiding
) -> pd.DataFrame:
    runs = []
    for repeat, split in enumerate(splits):
        step("repeats", repeat, len(splits))
        run = compare(methods, opened.X, split, hiding, opened.groups, opened.prior)
        runs.append(run.reset_index().assign(repeat=repeat))
    step("repeats", len(splits), len(splits))
    return pd.concat(runs, ignore_index=True)


def _summarize(records: pd.DataFrame, decisive: str, share: float) -> pd.DataFrame:
    """Return means per method, and the differences between the default and each method."""
    means = records.drop(columns="repeat").groupby("method", sort=False).mean()
    runs = records.pivot(index="repeat", columns="method", values=decisive)
    for name in means.index.drop(DEFAULT, errors="ignore"):
        difference = (runs[DEFAULT] - runs[name]).to_numpy()
        low, high = resampled_interval(difference, share)
        means.loc[name, ["difference", "low", "high", "wins"]] = [difference.mean(), low, high, (difference > 0).sum()]
    return means
