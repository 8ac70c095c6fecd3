"""How good the answers are: measured on given entries, each by a model that had not seen it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fill_confident
from halflabel.labels.metrics import auc_per_label, brier, ece, f1_per_label, macro_auc, micro_f1

#: The expected precisions a report answers for.
PRECISIONS = (0.90, 0.95, 0.99)

#: Bins of the calibration curve; the same as those of the calibration error.
BINS = 15


def expected(gaps: Mask, learnable: Mask, probabilities: Floats) -> list[dict[str, float]]:
    """Return how many gaps :func:`halflabel.labels.calibration.fill_confident` fills at each expected precision."""
    n_gaps, p = int(gaps.sum()), np.where(gaps & learnable, probabilities, np.nan)
    filled = [int(np.count_nonzero(fill_confident(p, precision))) for precision in PRECISIONS]
    return [
        {"precision": precision, "filled": n, "share": n / n_gaps if n_gaps else 0.0}
        for precision, n in zip(PRECISIONS, filled, strict=True)
    ]


def filled_as(labels: PartialLabels, state: NDArray[np.int8], probabilities: Floats) -> dict[str, dict[str, float]]:
    """Return, for the gaps filled as relevant and as irrelevant, their number and the expected share of right ones."""
    relevant, irrelevant = (~labels.observed & (state == value) for value in (1, -1))
    return {
        "relevant": {"filled": int(relevant.sum()), "right": _mean(probabilities[relevant])},
        "irrelevant": {"filled": int(irrelevant.sum()), "right": _mean(1 - probabilities[irrelevant])},
    }


def label_rows(
    labels: PartialLabels, learned: PartialLabels, state: NDArray[np.int8], probabilities: Floats, cut: Floats | None
) -> list[dict[str, Any]]:
    """Return what is known about each label, the worst first: those not learned, then by area under the ROC curve.

    Parameters
    ----------
    labels : PartialLabels
        As they were given.
    learned : PartialLabels
        As the method saw them: the same, but for positive-only labels.
    state : ndarray of shape (n_items, n_labels)
        After filling: +1, -1, 0 left unknown.
    probabilities : ndarray of the same shape
        Of relevance in ``learned``, out of fold for observed entries.
    cut : ndarray of shape (n_labels,) or None
        The probability from which on an entry counts as relevant; None if that says nothing about these.
    """
    observed, relevant = labels.observed.sum(axis=0), labels.relevant.sum(axis=0)
    quality = _quality(learned, state, probabilities, cut)
    columns: dict[str, Any] = {
        "name": labels.names,
        "learned": learned.learnable,
        "observed": observed,
        "relevant": relevant,
        "unknown": len(labels) - observed,
        "filled_relevant": (state > 0).sum(axis=0) - relevant,
        **quality,
    }
    order = np.lexsort((relevant, np.where(learned.learnable, quality["auc"], -1.0)))
    return [{key: column[j] for key, column in columns.items()} for j in order]


def overall(labels: PartialLabels, probabilities: Floats, cut: Floats | None) -> dict[str, float]:
    """Return the quality of all learned labels together."""
    learned = labels.hide(np.broadcast_to(~labels.learnable, labels.shape))
    return {
        "entries": int(learned.observed.sum()),
        "micro_f1": np.nan if cut is None else micro_f1(learned, probabilities >= cut),
        "macro_auc": macro_auc(learned, probabilities),
        "brier": brier(learned, probabilities),
        "ece": ece(learned, probabilities, bins=BINS),
        "ece_by_chance": _chance_ece(probabilities[learned.observed]),
    }


def calibration(labels: PartialLabels, probabilities: Floats) -> list[dict[str, float]]:
    """Return the bins of the calibration curve that hold an entry: predicted and observed share, and their number."""
    seen = labels.observed & labels.learnable
    p, right = probabilities[seen], labels.relevant[seen]
    which = np.minimum((p * BINS).astype(np.intp), BINS - 1)
    entries, predicted, relevant = (np.bincount(which, weights=w, minlength=BINS) for w in (None, p, right))
    return [
        {"entries": int(n), "predicted": predicted[b] / n, "observed": relevant[b] / n}
        for b, n in enumerate(entries)
        if n
    ]


def probability_thresholds(model: Any) -> Floats:
    """Return the thresholds as probabilities; the rule "fixed" has them on scores, which calibration maps upwards."""
    cut: Floats = model.thresholds_
    return np.asarray(model.calibration_(cut[None, :])[0]) if model.decision == "fixed" else cut


def _quality(
    labels: PartialLabels, state: NDArray[np.int8], probabilities: Floats, cut: Floats | None
) -> dict[str, Floats]:
    """Rates per label, and AUC, Brier score and F1 where it was learned."""
    error = np.where(labels.observed, (probabilities - labels.relevant) ** 2, 0.0)
    measured = {
        "auc": auc_per_label(labels, probabilities),
        "brier": _ratio(error.sum(axis=0), labels.observed.sum(axis=0)),
        "f1": np.full(len(labels.names), np.nan) if cut is None else f1_per_label(labels, probabilities >= cut),
    }
    return {
        "rate_given": labels.rates,
        "rate_after": _ratio((state > 0).sum(axis=0), (state != 0).sum(axis=0)),
        **{name: np.where(labels.learnable, values, np.nan) for name, values in measured.items()},
    }


def _chance_ece(p: Floats) -> float:
    r"""Calibration error that perfectly calibrated probabilities would show by chance.

    In a bin, the sum of (p - outcome) is nearly normal with variance :math:`\sum p(1 - p)`, whose absolute value
    is :math:`\sqrt{2/\pi}` standard deviations on average.
    """
    which = np.minimum((p * BINS).astype(np.intp), BINS - 1)
    variance = np.bincount(which, weights=p * (1 - p), minlength=BINS)
    return float(np.sqrt(2 / np.pi) * np.sqrt(variance).sum() / len(p)) if len(p) else np.nan


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else np.nan


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)
