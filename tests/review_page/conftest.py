"""Fits that are made without fitting: values and probabilities as a test needs them."""

import numpy as np
import pytest

from halflabel.review_page.fits import Fit
from halflabel.review_page.queues import Situation


@pytest.fixture(scope="session")
def make_fit():
    def build(given, p, n_records=0, **fields):
        state = np.where(given != 0, given, np.where(p >= 0.5, 1, -1)).astype(np.int8)
        wrong_value = np.where(given > 0, p < 0.5, p >= 0.5)
        flipped = np.where((given != 0) & wrong_value, np.abs(p - 0.5) + 0.5, 0)
        values = {
            "name": f"fit{n_records}",
            "n_records": n_records,
            "effort": "fast",
            "state": state,
            "p": p.astype(np.float32),
            "given": given,
            "flipped": flipped.astype(np.float32),
            "thresholds": np.full(given.shape[1], 0.5),
            "expected": [{"label": "(all labels)", "filled": 1, "expected": 1.0, "low": 0.0, "high": 2.0}],
            "probability_of": "being relevant",
        }
        return Fit(**{**values, **fields})

    return build


@pytest.fixture
def situation(rng, make_fit):
    """Return 40 items with 5 labels, a third of the entries given."""
    given = rng.choice([0, 0, 0, 0, 1, -1], size=(40, 5)).astype(np.int8)
    return Situation(given, np.zeros_like(given), make_fit(given, rng.random((40, 5))))
