"""What a completion draws from random samples of its items does not depend on the order of the rows."""

import numpy as np
import pandas as pd
import pytest

from halflabel import complete

N_ITEMS = 90


@pytest.fixture(scope="module")
def pair():
    """A completion, that of the same rows in another order, and this order."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ITEMS, 4))
    Y = (X[:, :2] + 0.5 * rng.normal(size=(N_ITEMS, 2)) > 0).astype(float)
    Y[rng.random(N_ITEMS) < 0.5] = np.nan
    frame = pd.DataFrame(np.hstack([X, Y]), columns=[*"abcd", "x", "y"], index=[f"item {i}" for i in range(N_ITEMS)])
    order = rng.permutation(N_ITEMS)
    return *(complete(table, labels=["x", "y"], effort="fast") for table in (frame, frame.iloc[order])), order


def test_filled_at_a_precision(pair):
    filled, moved, order = pair
    lowered = filled.evidence.resampled_calibration.curves.std(axis=0)
    assert (lowered > 0).any()
    np.testing.assert_array_equal(moved.evidence.resampled_calibration.curves.std(axis=0), lowered)
    np.testing.assert_array_equal(moved.evidence.fill_at(0.8), filled.evidence.fill_at(0.8)[order])


def test_expected_errors(pair):
    pd.testing.assert_frame_equal(pair[1].expected_errors, pair[0].expected_errors, check_exact=True)


def test_drift(pair):
    assert pair[1].evidence.facts.drift == pair[0].evidence.facts.drift is not None


def test_questions(pair, monkeypatch):
    monkeypatch.setattr("halflabel.evidence.questions.MAX_UNLABELLED", 20)
    pd.testing.assert_frame_equal(pair[1].next_to_label(30), pair[0].next_to_label(30))
