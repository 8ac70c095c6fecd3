"""Methods side by side on labels that were assigned and then hidden, where nobody knows what is irrelevant."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logit
from scipy.stats import rankdata

from halflabel._arrays import Floats, Ints, Mask
from halflabel._progress import step
from halflabel.evaluation.comparison import WITHOUT_PRIOR, fitted
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import thresholds
from halflabel.labels.metrics import macro_auc
from halflabel.labels.positive_only import LearnsFromPositives, assigned, assume
from halflabel.methods.base import PartialLabelEstimator

#: Metrics that are shown, the first one decides.
SHOWN = ("above", "recall", "filled", "mean_rank", "median_rank", "pu_f1")

_UNOBSERVED = (
    "Precision cannot be observed: of a label that was not assigned nobody knows whether it is wrong to fill it in. "
    "Recall and ranks are those of labels that were assigned, and hidden for this; a pair is in order if an item whose "
    "label was hidden is placed above one that was never given it."
)
_F1_AT_A_RATE = (
    "PU-F1 estimates F1 on all relevant entries, if {:.0%} of them were assigned; it can exceed 1, by chance or "
    "because more were."
)
_F1_WITHOUT_RATE = (
    "PU-F1 is a lower bound of F1: filling in anything but a hidden label counts as wrong (--observed-rate)."
)


def caveat(observed_rate: float | None) -> str:
    """Say what cannot be observed, and what PU-F1 is instead.

    PU-F1 is :math:`2h / (v f + n)`, from f entries filled in, n hidden, h of them filled in, and the share v of
    :func:`visible_share`. Without an observed rate v is 1 and PU-F1 at most 1. With one, :math:`h / (v f)` estimates a
    precision, and is not held below 1: in few entries chance may carry it there, and if more was assigned than the
    rate says v is too small. Cut off at 1, the mean over repeats would be too low where only chance was at work, and
    the reader would not learn that the rate does not fit the table.
    """
    return f"{_UNOBSERVED} {_F1_AT_A_RATE.format(observed_rate) if observed_rate is not None else _F1_WITHOUT_RATE}"


def visible_share(observed_rate: float | None, share: float) -> float:
    r"""Return which part of the relevant entries that are unknown after hiding was hidden, and so can be seen.

    Of all relevant entries c were assigned and s of those hidden: :math:`sc / (1 - c(1 - s))`. Without c it is taken
    as 1, as if nothing else had been forgotten.

    Examples
    --------
    >>> visible_share(1.0, 0.2), visible_share(None, 0.2), round(visible_share(0.7, 0.2), 3)
    (1.0, 1.0, 0.318)
    """
    c = 1.0 if observed_rate is None else observed_rate
    return 1 / (1 + (1 - c) / (share * c))


def compare_positives(
    methods: Mapping[str, PartialLabelEstimator],
    X: Any,
    known: PartialLabels,
    hidden: PartialLabels,
    *,
    observed_rate: float | None,
    share: float,
    groups: Ints | None = None,
    prior: Floats | None = None,
) -> pd.DataFrame:
    r"""Fit every method on ``known`` and look for the entries that are relevant in ``hidden``.

    A method that cannot learn from positives is fitted as if what was not assigned were irrelevant. All give
    P(assigned), by models that have not seen the item, and all are read alike, see
    :func:`halflabel.labels.positive_only.assume`: c (1 - share) of the relevant entries are assigned after hiding, and
    a plug-in threshold decides. A method that learns from positives reads its own scores, of others the log odds are
    taken.

    Parameters
    ----------
    methods : mapping of str to estimator
    X : features of all items
    known, hidden : PartialLabels
        Positive-only; what was hidden is relevant in ``hidden``.
    observed_rate : float or None
        c, the share of the relevant entries that were assigned before any was hidden.
    share : float
        Of those, how many were hidden.
    groups, prior : ndarray or None
        As in :func:`halflabel.evaluation.comparison.compare`.

    Returns
    -------
    DataFrame
        One row per method. ``above``: how often a hidden entry is placed above one of the same label that was never
        assigned, mean over labels. ``recall``: share of the hidden entries that are filled in. ``filled``: entries
        of annotated items that are. ``mean_rank``, ``median_rank``: place of a hidden entry among the unknown labels
        of its item, 1 the first, ties in the middle. ``pu_f1``: :math:`2 TP / (v \cdot \mathrm{filled} +
        \mathrm{hidden})` with v from :func:`visible_share`; without c a lower bound of F1, because whatever else is
        filled in counts as wrong, with it an estimate that can exceed 1, see :func:`caveat`.
        ``recall_at_half``: recall if P(assigned) is cut at .5, as if what was not assigned
        were irrelevant. ``seconds``.
    """
    after = None if observed_rate is None else observed_rate * (1 - share)
    judged = _judged(known, hidden)
    open_entries = known.annotated[:, None] & ~known.relevant
    rows = {}
    for done, (name, method) in enumerate(methods.items()):
        step("comparing methods", done, len(methods))
        started = time.perf_counter()
        fit = partial(fitted, method, X, groups=groups, prior=None if name == WITHOUT_PRIOR else prior)
        p, found = _answer(method, fit, known, after)
        seconds = time.perf_counter() - started
        values = {"above": macro_auc(judged, p), **_ranks(p, open_entries, hidden.relevant)}
        measure = partial(_found, open_entries, hidden.relevant, visible_share(observed_rate, share))
        naive = measure(p >= 0.5)["recall"]
        rows[name] = {**values, **measure(found), "recall_at_half": naive, "seconds": seconds}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")


def _answer(
    method: PartialLabelEstimator, fit: Callable[..., Any], known: PartialLabels, observed_rate: float | None
) -> tuple[Floats, Mask]:
    """Return P(assigned), out of fold for annotated items, and the entries that are filled in."""
    if isinstance(method, LearnsFromPositives):
        model = fit(known=known)
        return model.assume(None).probabilities, model.assume(observed_rate).filled
    seen = assigned(known)
    p = np.asarray(fit(known=seen).label_probabilities_)
    scores = np.where(seen.learnable, logit(p), np.nan)
    return p, assume(scores, seen, observed_rate, partial(thresholds, rule="micro_f1")).filled


def _judged(known: PartialLabels, hidden: PartialLabels) -> PartialLabels:
    """Return hidden entries as relevant and those never assigned to an annotated item as irrelevant."""
    never = known.annotated[:, None] & ~known.relevant
    state = np.where(hidden.relevant, 1, np.where(never, -1, 0)).astype(np.int8)
    return PartialLabels(state, known.names, known.annotated.copy())


def _ranks(p: Floats, open_entries: Mask, hidden: Mask) -> dict[str, float]:
    ranks = rankdata(np.where(open_entries, -p, np.inf), axis=1)[hidden]
    return {"mean_rank": float(ranks.mean()), "median_rank": float(np.median(ranks))}


def _found(open_entries: Mask, hidden: Mask, visible: float, filled: Mask) -> dict[str, float]:
    n_filled, n_hidden, hits = int((filled & open_entries).sum()), int(hidden.sum()), int((filled & hidden).sum())
    return {"recall": hits / n_hidden, "filled": n_filled, "pu_f1": 2 * hits / (visible * n_filled + n_hidden)}
