"""The facts about a completion that checks read, and the effect of other label frequencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from halflabel.completion.sure_values import fill_sure
from halflabel.corrections.fit import find_held_out
from halflabel.evidence.drift import measure_drift
from halflabel.evidence.missed_items import count_lacking_items
from halflabel.evidence.selection import is_selected
from halflabel.evidence.warnings import Facts, count_above, is_exceeded
from halflabel.labels.positive_only import LearnsFromPositives

if TYPE_CHECKING:
    from halflabel.completion.evidence import Evidence

#: Label frequencies to compare where the true one is unknown.
USUAL_RATES = (0.4, 0.55, 0.7, 0.85, 1.0)

#: Checks of the stated label frequency, or of P(assigned): they do not contradict the values for other frequencies.
OF_STATED_RATE = ("more-assigned", "look-unlabelled", "calibration")


def collect_facts(evidence: Evidence) -> Facts:
    """Return the facts that checks read."""
    fit, measured, groups, c = evidence.fit, evidence.measured_on, evidence.opened.groups, evidence.observed_rate
    whole = evidence.opened.written_labels
    assigned, unlabelled = whole.relevant.sum(axis=1)[whole.annotated], int((~whole.annotated).sum())
    return Facts(
        labels=evidence.labels,
        measured_on=measured,
        calibrated_on=evidence.calibrated_on,
        learned_probabilities=evidence.learned_probabilities,
        observed_rate=c,
        is_selected=_are_known_selected(evidence),
        drift=measure_drift(evidence.components, measured.unlabelled[evidence.order], np.random.default_rng(0)),
        n_groups=None if groups is None else len(np.unique(groups[~measured.unlabelled])),
        lacking=0 if c is None else count_lacking_items(assigned, unlabelled, c),
        broken_rules=fit.valid_rows.mark_broken(evidence.labels.state),
        notes=evidence.opened.notes,
        estimates_gaps=fit.estimates_gaps,
        sentences=fit.sentences,
        doubt=fit.doubt,
    )


def _are_known_selected(evidence: Evidence) -> bool:
    """Return whether known entries differ from gaps, so that they were probably chosen because of their value."""
    if evidence.labels.positive_only:
        return False
    known = evidence.calibrated_on.observed & find_held_out(evidence.model)
    return is_selected(known, evidence.fit.before_estimate)


def tabulate_assumptions(evidence: Evidence) -> pd.DataFrame:
    """Return the effect of the label frequency c on positive-only labels.

    Columns: observed_rate, filled (gaps filled in as relevant), expected (relevant entries expected among the gaps;
    missing where a check contradicts it), threshold (on the probability of being relevant, its mean over labels;
    missing where a precision decides instead). Empty for other labels.
    """
    columns = ["observed_rate", "filled", "expected", "threshold"]
    if not evidence.labels.positive_only or not isinstance(evidence.model, LearnsFromPositives):
        return pd.DataFrame(columns=columns)
    rates = sorted({*USUAL_RATES, evidence.observed_rate or 1.0})
    return pd.DataFrame([_assume(evidence, evidence.model, rate) for rate in rates], columns=columns)


def _assume(evidence: Evidence, model: LearnsFromPositives, rate: float) -> list[float]:
    found, learned = model.assume(rate), evidence.learned_from
    filled, cut = found.filled, float(found.thresholds.mean())
    if evidence.min_precision is not None:
        filled, cut = fill_sure(evidence, found.probabilities, evidence.min_precision, rate) > 0, np.nan
    others = [each for each in evidence.contradictions if each["code"] not in OF_STATED_RATE]
    above = count_above(evidence.labels, learned, evidence.learned_probabilities, rate)
    against = others or is_exceeded(**above, observed_rate=rate)
    expected = np.nan if against else float(found.probabilities[~evidence.labels.observed].sum())
    return [rate, int(filled.sum()), expected, cut]
