"""From scores to calibrated probabilities to 0/1: the pure last step of every ``fit``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import Calibrated, fit_platt
from halflabel.labels.positive_only import Assumption, Calibrate, assume, lower_unassigned
from halflabel.labels.rules import Rule


@dataclass(frozen=True, eq=False)
class Decision:
    """The results of a fit that follow from its scores. Every table has shape (n_items, n_labels)."""

    #: NaN for a label that was not observed with both values.
    scores: Floats
    #: Scores of the observed entries by models that were fitted without them; NaN elsewhere.
    out_of_fold: Floats
    #: From scores to probabilities.
    calibration: Calibrated
    #: Of being relevant; of observed entries from their out-of-fold scores.
    probabilities: Floats
    #: Shape (n_labels,).
    thresholds: Floats
    #: The filled table; observed entries keep their values.
    relevant: Mask
    #: For positive-only labels: probabilities of being assigned.
    assigned: Floats | None = None

    def select(self, labels: Ints) -> Decision:
        """Return the decision about some labels, in this order."""
        tables = {name: np.take(getattr(self, name), labels, axis=1) for name in _TABLES}
        assigned = None if self.assigned is None else np.take(self.assigned, labels, axis=1)
        calibration = self.calibration.select(labels)
        return Decision(**tables, calibration=calibration, thresholds=self.thresholds[labels], assigned=assigned)


#: Fields of a decision with one value per item and label.
_TABLES = ("scores", "out_of_fold", "probabilities", "relevant")


def decide(
    labels: PartialLabels,
    scores: Floats,
    out_of_fold: Floats,
    rule: Rule,
    calibrate: Callable[[Floats, PartialLabels], Calibrated] = fit_platt,
    alone: Calibrated | None = None,
) -> Decision:
    """Calibrate scores, choose thresholds on the unknown entries and fill these.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    scores : ndarray of the same shape
        The method's scores of all items.
    out_of_fold : ndarray of the same shape
        Scores of the observed entries by models that were fitted without them; NaN where there is none.
    calibrate : callable
        From out-of-fold scores and labels to a calibration.
    alone : Calibrated, optional
        The calibration of items without an observed entry, where other labels of an item change the scores of all other
        items.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1], [0], [1], [0], [None]])
    >>> scores = np.array([[2.0], [-1.0], [1.0], [-2.0], [1.5]])
    >>> decide(labels, scores, scores, Rule("micro_f1")).relevant.ravel().astype(int).tolist()
    [1, 0, 1, 0, 1]
    """
    scores = np.where(labels.learnable, scores, np.nan)
    out_of_fold = np.where(labels.observed & labels.learnable, out_of_fold, np.nan)
    calibration = calibrate(out_of_fold, labels)
    p = calibration(np.where(labels.observed, out_of_fold, scores))
    if alone is not None:
        p[labels.unlabelled] = alone(scores[labels.unlabelled])
    chosen, relevant = fill(labels, scores, p, rule, _cardinality(labels))
    return Decision(scores, out_of_fold, calibration, p, chosen, relevant)


def fill(labels: PartialLabels, scores: Floats, p: Floats, rule: Rule, cardinality: float) -> tuple[Floats, Mask]:
    """Return the thresholds of a rule on the unknown entries, and the filled table.

    ``cardinality`` is the expected number of relevant labels per item.
    """
    chosen = choose_thresholds(labels, p, rule, cardinality)
    return chosen, np.where(labels.observed, labels.relevant, rule.apply(scores, p, chosen))


def choose_thresholds(labels: PartialLabels, p: Floats, rule: Rule, cardinality: float) -> Floats:
    """Return the thresholds of a rule on the unknown entries, or on all entries if every entry is known."""
    unknown = ~labels.observed
    undecided = unknown if unknown.any() else np.ones_like(unknown)
    return rule.choose(np.where(undecided & labels.learnable, p, np.nan), cardinality)


def decide_new(
    scores: Floats,
    rule: Rule,
    calibration: Calibrated,
    thresholds: Floats,
    known: PartialLabels | None = None,
    observed_rate: float | None = None,
) -> tuple[Mask, Floats]:
    """Return which entries of new items are relevant, and their probabilities.

    With ``known``, from :func:`mark_unassigned`, probabilities of entries that were not assigned are lowered as in
    :func:`decide_relevant`. ``observed_rate`` is None if labels are not positive-only, or if nothing is assumed.
    """
    p = calibration(scores)
    if observed_rate is not None and known is not None:
        p = lower_unassigned(p, known, observed_rate)
    return rule.apply(scores, p, thresholds), p


def decide_relevant(
    assigned: Decision,
    labels: PartialLabels,
    observed_rate: float | None,
    rule: Rule,
    calibrate: Calibrate = fit_platt,
) -> Decision:
    """Decide which entries are relevant, given the decision about being assigned.

    ``assigned`` is from :func:`decide` on ``labels``, which :func:`halflabel.labels.positive_only.mark_unassigned`
    codes. ``calibrate`` makes a calibration under a label frequency.
    """
    assumption = assume_frequency(labels, assigned.scores, assigned.out_of_fold, observed_rate, rule, calibrate)
    return replace(
        assigned,
        calibration=assumption.calibration,
        probabilities=assumption.probabilities,
        thresholds=assumption.thresholds,
        relevant=labels.relevant | assumption.filled,
        assigned=assigned.probabilities,
    )


def assume_frequency(
    labels: PartialLabels,
    scores: Floats,
    out_of_fold: Floats,
    observed_rate: float | None,
    rule: Rule,
    calibrate: Calibrate = fit_platt,
) -> Assumption:
    """Return the results from scores of being assigned under an assumed label frequency c.

    Parameters
    ----------
    labels, observed_rate, rule, calibrate
        As in :func:`decide_relevant`.
    scores, out_of_fold : ndarray of shape (n_items, n_labels)
        As in :class:`Decision`.

    Notes
    -----
    Thresholds come from items that are not annotated: all items come from the same source.
    """

    def choose(p: Floats) -> Floats:
        return rule.choose(np.where(labels.learnable, p, np.nan), _cardinality(labels) / (observed_rate or 1.0))

    unseen = np.where(labels.observed, out_of_fold, scores)
    assumption = assume(unseen, labels, observed_rate, choose, calibrate)
    if rule.name != "fixed":
        return assumption
    above = rule.apply(scores, assumption.probabilities, assumption.thresholds)
    return replace(assumption, filled=~labels.relevant & above)


def _cardinality(labels: PartialLabels) -> float:
    """Return the expected number of relevant labels per item."""
    return float(np.nansum(labels.rates))
