"""The quality of the predictions of given entries. Each is predicted by a model that was fitted without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Mask
from halflabel._wording import percent
from halflabel.evidence.calibration_error import BINS, measure_calibration
from halflabel.evidence.suspects import has_both_values
from halflabel.labels import PartialLabels
from halflabel.labels.metrics import auc_per_label, brier, f1_per_label, macro_auc, micro_f1

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion import Completion
    from halflabel.completion.evidence import Evidence
    from halflabel.corrections.fit import Fit

#: The expected precisions for which a report counts the gaps that can be filled.
PRECISIONS = (0.90, 0.95, 0.99)

#: The factor, and the number of entries, by which more labelled items must raise the entries to fill in as relevant.
CLEARLY, MIN_MORE = 1.5, 10


def count_fillable(
    gaps: Mask, fill_at: Callable[[float], NDArray[np.int8]], precisions: Sequence[float] = PRECISIONS
) -> list[dict[str, float]]:
    """Return how many gaps can be filled at each expected precision, and how many of them as relevant.

    ``fill_at`` returns the filled values at a precision: :meth:`Evidence.fill_at`.
    """
    n_gaps = int(gaps.sum())
    states = [fill_at(precision) for precision in precisions]
    return [
        {
            "precision": precision,
            "filled": int(np.count_nonzero(state)),
            "relevant": int((state > 0).sum()),
            "share": np.count_nonzero(state) / n_gaps if n_gaps else 0.0,
        }
        for precision, state in zip(precisions, states, strict=True)
    ]


def count_relevant(completion: Completion, precision: float) -> dict[str, Any]:
    """Return how many of the relevant entries among the gaps can be filled in at a precision.

    Returns
    -------
    dict
        ``precision``; ``expected``, the expected number of relevant entries among the gaps; ``filled``, the gaps that
        can be filled in as relevant; ``labelled``, the number of labelled items; ``more``, the smallest multiple of
        this number (up to 16 times) at which clearly more could be filled in, with the number of entries, or None. It
        is estimated from the uncertainty of the calibration, which falls with the root of the number.
    """
    evidence = completion.evidence.of_checked
    filled = int((evidence.fill_at(precision) > 0).sum())
    labelled = int((~evidence.learned_from.unlabelled).sum())
    return {
        "precision": precision,
        "expected": float(evidence.probabilities[~evidence.labels.observed].sum()),
        "filled": filled,
        "labelled": labelled,
        "more": None if evidence.labels.positive_only else _find_more(evidence, precision, filled, labelled),
    }


def _find_more(evidence: Evidence, precision: float, filled: int, labelled: int) -> tuple[int, int] | None:
    """Return a larger number of labelled items and the number of entries that could be filled in, or None."""
    for factor in (2, 4, 8, 16):
        entries = int((evidence.fill_at(precision, factor) > 0).sum())
        if entries >= max(CLEARLY * filled, filled + MIN_MORE):
            return factor * labelled, entries
    return None


def count_filled(completion: Completion) -> dict[str, dict[str, Any]]:
    """Return, for the gaps filled as relevant and as irrelevant, their number and the expected share of right ones.

    The share agrees with :attr:`halflabel.Completion.expected_errors`. ``shown`` is the share in words: a range of 90 %
    where the probabilities of gaps were shifted, because one number would look more exact than it is.
    """
    return {"relevant": _describe_filled(completion, 1), "irrelevant": _describe_filled(completion, -1)}


def _describe_filled(completion: Completion, value: int) -> dict[str, Any]:
    """Return a row of :func:`count_filled`."""
    evidence = completion.evidence
    p = evidence.probabilities[~completion.labels.observed & (completion.state == value)]
    filled, right = len(p), _mean(p if value > 0 else 1 - p)
    shown = percent(right)
    if filled and evidence.fit.estimates_gaps:
        least, most = (percent(1 - wrong / filled) for wrong in evidence.expect_errors_in(value)[["high", "low"]])
        shown = f"{least} to {most}"
    return {"filled": filled, "right": right, "shown": shown}


def describe_labels(evidence: Evidence, thresholds: Floats | None) -> list[dict[str, Any]]:
    """Return counts, rates and quality of each label, the worst first: by area under the ROC curve, if it is measured.

    ``thresholds`` are on the ``learned_probabilities`` of the evidence; None if the ones in use are on others.
    """
    labels, state = evidence.labels, evidence.state
    observed, relevant = labels.observed.sum(axis=0), labels.relevant.sum(axis=0)
    quality = _measure_labels(evidence.learned_from, state, evidence.learned_probabilities, thresholds)
    columns: dict[str, Any] = {
        "name": labels.names,
        "observed": observed,
        "relevant": relevant,
        "unknown": len(labels) - observed,
        "filled_relevant": (state > 0).sum(axis=0) - relevant,
        **quality,
    }
    order = np.lexsort((relevant, quality["auc"]))
    return [{key: column[j] for key, column in columns.items()} for j in order]


def measure_quality(labels: PartialLabels, probabilities: Floats, thresholds: Floats | None) -> dict[str, float]:
    """Return the quality of all learned labels together."""
    learned = labels.hide(np.broadcast_to(~labels.learnable, labels.shape))
    return {
        "entries": int(learned.observed.sum()),
        "micro_f1": np.nan if thresholds is None else micro_f1(learned, probabilities >= thresholds),
        "macro_auc": macro_auc(learned, probabilities),
        "brier": brier(learned, probabilities),
        **measure_calibration(labels, probabilities),
    }


def bin_calibration(labels: PartialLabels, probabilities: Floats) -> list[dict[str, float]]:
    """Return the bins of the calibration curve with an entry: number of entries, predicted and observed share."""
    used = labels.observed & labels.learnable
    p, relevant = probabilities[used], labels.relevant[used]
    which = np.minimum((p * BINS).astype(np.intp), BINS - 1)
    entries, predicted, observed = (np.bincount(which, weights=w, minlength=BINS) for w in (None, p, relevant))
    return [
        {"entries": int(n), "predicted": predicted[b] / n, "observed": observed[b] / n}
        for b, n in enumerate(entries)
        if n
    ]


def read_thresholds(fit: Fit) -> Floats:
    """Return the thresholds on probabilities. The thresholds of the rule "fixed" are converted."""
    model, thresholds = fit.model, fit.thresholds
    on_scores = model.resolve_rule().name == "fixed"
    return np.asarray(model.calibration_(thresholds[None, :])[0]) if on_scores else thresholds


def _measure_labels(
    labels: PartialLabels, state: NDArray[np.int8], probabilities: Floats, thresholds: Floats | None
) -> dict[str, Floats]:
    """Return rates, AUC, Brier score and F1 of each label."""
    error = np.where(labels.observed, (probabilities - labels.relevant) ** 2, 0.0)
    quality = {
        "auc": np.where(has_both_values(labels), auc_per_label(labels, probabilities), np.nan),
        "brier": _ratio(error.sum(axis=0), labels.observed.sum(axis=0)),
        "f1": (
            np.full(len(labels.names), np.nan)
            if thresholds is None
            else f1_per_label(labels, probabilities >= thresholds)
        ),
    }
    return {
        "rate_given": labels.rates,
        "rate_after": _ratio((state > 0).sum(axis=0), (state != 0).sum(axis=0)),
        **quality,
    }


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else np.nan


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)
