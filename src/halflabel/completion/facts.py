"""The facts about a completion that checks read, and the effect of other label frequencies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Ints
from halflabel.corrections.correction import States
from halflabel.corrections.fit import Fit, find_held_out
from halflabel.evidence.checks import Facts, Result, count_above, is_exceeded
from halflabel.evidence.expected_errors import Predictions
from halflabel.evidence.missed_items import count_lacking_items
from halflabel.evidence.value_selection import is_selected
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import LearnsFromPositives
from halflabel.methods.auto import AutoLabeler
from halflabel.table import OpenTable

#: Label frequencies to compare where the true one is unknown.
USUAL_RATES = (0.4, 0.55, 0.7, 0.85, 1.0)

#: The columns of the effect of other label frequencies.
ASSUMED = ["observed_rate", "filled", "expected", "threshold"]

#: Checks of the stated label frequency, or of P(assigned): they do not contradict the values for other frequencies.
OF_STATED_RATE = ("more-assigned", "look-unlabelled", "calibration")


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
    selected = not labels.positive_only and is_selected(
        calibrated_on.observed & find_held_out(fit.model), fit.before_estimate
    )
    return Facts(
        labels=labels,
        measured_on=measured_on,
        calibrated_on=calibrated_on,
        learned_probabilities=learned_probabilities,
        observed_rate=observed_rate,
        is_selected=selected,
        drift=drift,
        n_groups=None if groups is None else len(np.unique(groups[~measured_on.unlabelled])),
        lacking=0 if observed_rate is None else count_lacking_items(assigned, unlabelled, observed_rate),
        broken_rules=fit.valid_rows.mark_broken(labels.state),
        notes=opened.notes,
        estimates_gaps=fit.estimates_gaps,
        sentences=fit.sentences,
        doubt=fit.doubt,
    )


def collect_predictions(fit: Fit, learned_probabilities: Floats, order: Ints, observed_rate: float) -> Predictions:
    """Return the predictions of known entries, in canonical order."""
    held_out = find_held_out(fit.model)[order]
    p = np.where(held_out, np.minimum(learned_probabilities[order] / observed_rate, 1.0), np.nan)
    alone = fit.model.predict_alone() if isinstance(fit.model, AutoLabeler) and not fit.has_targets else None
    return Predictions(p, None if alone is None else np.where(held_out, alone[order], np.nan), observed_rate)


def tabulate_assumptions(
    facts: Facts,
    model: LearnsFromPositives,
    contradictions: Sequence[Result],
    fill: Callable[[Floats, float], States] | None,
) -> pd.DataFrame:
    """Return the effect of the label frequency c on positive-only labels.

    Columns: observed_rate, filled (gaps filled in as relevant), expected (relevant entries expected among the gaps;
    missing where a check contradicts it), threshold (on the probability of being relevant, its mean over labels;
    missing where a precision decides instead). If a precision decides, ``fill`` returns the
    filled values for other probabilities and another frequency.
    """
    others, rows = any(each["code"] not in OF_STATED_RATE for each in contradictions), []
    for rate in sorted({*USUAL_RATES, facts.observed_rate or 1.0}):
        found = model.assume(rate)
        filled, cut = found.filled, float(found.thresholds.mean())
        if fill is not None:
            filled, cut = fill(found.probabilities, rate) > 0, np.nan
        against = others or is_exceeded(**count_above(facts, rate), observed_rate=rate)
        expected = np.nan if against else float(found.probabilities[~facts.labels.observed].sum())
        rows.append([rate, int(filled.sum()), expected, cut])
    return pd.DataFrame(rows, columns=ASSUMED)
