"""The number of wrong values that the demo states, over many draws of its gaps."""

import numpy as np
import pytest

from halflabel.completion import complete
from halflabel.datasets import load_digits_tags
from halflabel.evaluation.demo import ENTRIES_HIDDEN, ITEMS_HIDDEN
from halflabel.labels.masking import hide_entries, hide_items


@pytest.mark.slow
def test_the_number_of_wrong_values_lies_in_its_band_over_many_draws():
    """Half of the tags of one scan in ten are known, in twenty draws. The calibration of known entries, which other
    tags of the scan made sure, states .88 of the wrong values of scans without any."""
    digits = load_digits_tags()
    held, expected, number = [], [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        known = hide_entries(hide_items(digits.Y, ITEMS_HIDDEN, rng), ENTRIES_HIDDEN, rng)
        filled = complete(np.asarray(digits.X), known, effort="fast", random_state=seed)
        wrong = int(((filled.state > 0) != digits.Y.relevant).sum())
        band = filled.evidence.estimated_errors.iloc[-1]
        held.append(band["low"] <= wrong <= band["high"])
        expected.append(band["expected"])
        number.append(wrong)
    assert np.mean(held) >= 0.8
    assert np.sum(expected) == pytest.approx(np.sum(number), rel=0.06)
