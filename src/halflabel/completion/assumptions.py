"""For positive-only labels: what another label frequency would change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from halflabel.completion.caution import fill_at_precision
from halflabel.completion.trust import count_above
from halflabel.evidence.warnings import is_exceeded
from halflabel.labels.positive_only import LearnsFromPositives

if TYPE_CHECKING:
    from halflabel.completion.result import Completion

#: Label frequencies to compare where the true one is unknown.
USUAL_RATES = (0.4, 0.55, 0.7, 0.85, 1.0)


def compare_frequencies(completion: Completion) -> pd.DataFrame:
    """Return the number of filled and of expected relevant entries for several label frequencies.

    The expected number is missing where more was assigned than the label frequency.
    """
    columns, model = ["observed_rate", "filled", "expected", "threshold"], completion.model
    if not completion.labels.positive_only or not isinstance(model, LearnsFromPositives):
        return pd.DataFrame(columns=columns)
    gaps, precision, rows = ~completion.labels.observed, completion.min_precision, []
    for rate in sorted({*USUAL_RATES, completion.observed_rate or 1.0}):
        found = model.assume(rate)
        filled, cut = found.filled, float(found.thresholds.mean())
        if precision is not None:
            filled, cut = fill_at_precision(completion, found.probabilities, precision, rate) > 0, np.nan
        expected = (
            np.nan
            if is_exceeded(**count_above(completion, rate), observed_rate=rate)
            else found.probabilities[gaps].sum()
        )
        rows.append([rate, int(filled.sum()), float(expected), cut])
    return pd.DataFrame(rows, columns=columns)
