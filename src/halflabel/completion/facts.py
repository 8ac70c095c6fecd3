"""The facts about a completion that checks read."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats, Ints
from halflabel.corrections.fit import Fit
from halflabel.evidence.checks import Facts
from halflabel.evidence.expected_errors import Predictions
from halflabel.labels import PartialLabels
from halflabel.table import OpenTable


def collect_facts(
    opened: OpenTable,
    fit: Fit,
    measured_on: PartialLabels,
    calibrated_on: PartialLabels,
    learned_probabilities: Floats,
    observed_rate: float | None,
    drift: float | None,
) -> Facts:
    """Return the facts that checks read."""
    labels, whole, groups = opened.labels, opened.written_labels, opened.groups
    assigned, unlabelled = whole.relevant.sum(axis=1)[whole.annotated], int((~whole.annotated).sum())
    lacking = 0
    if observed_rate is not None:
        from halflabel.evidence.missed_items import count_lacking_items  # imported here: for positive-only labels

        lacking = count_lacking_items(assigned, unlabelled, observed_rate)
    return Facts(
        labels=labels,
        measured_on=measured_on,
        calibrated_on=calibrated_on,
        learned_probabilities=learned_probabilities,
        observed_rate=observed_rate,
        why=fit.why_known,
        drift=drift,
        n_groups=None if groups is None else len(np.unique(groups[~measured_on.unlabelled])),
        lacking=lacking,
        broken_rules=fit.valid_rows.mark_broken(labels.state),
        notes=opened.notes,
        estimates_gaps=fit.estimates_gaps,
        sentences=fit.sentences,
        doubt=fit.doubt,
    )


def collect_predictions(fit: Fit, learned_probabilities: Floats, order: Ints, observed_rate: float) -> Predictions:
    """Return the predictions of known entries, in canonical order."""
    held_out = fit.held_out[order]
    p = np.where(held_out, np.minimum(learned_probabilities[order] / observed_rate, 1.0), np.nan)
    alone = None if fit.has_targets else fit.alone
    return Predictions(p, None if alone is None else np.where(held_out, alone[order], np.nan), observed_rate)
