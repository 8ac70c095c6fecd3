"""How well labelled and unlabelled items can be separated."""

import numpy as np
import pytest

from halflabel.evidence.drift import measure_drift


@pytest.mark.parametrize("seed", range(3))
def test_equal_sides_cannot_be_separated(seed):
    rng = np.random.default_rng(seed)
    area = measure_drift(rng.normal(size=(400, 5)), rng.random(400) > 0.3, rng)
    assert 0.4 < area < 0.6


def test_a_ring_around_the_labelled_items_is_found(rng):
    """No linear function of the features separates the two sides."""
    X = rng.normal(size=(400, 4))
    labelled = (X[:, :2] ** 2).sum(axis=1) < 1.4
    assert measure_drift(X, ~labelled, rng) > 0.9


def test_only_a_sample_is_used(rng, monkeypatch):
    monkeypatch.setattr("halflabel.evidence.drift.MAX_ITEMS", 30)
    X = rng.normal(size=(300, 2)) + 3 * (np.arange(300) < 100)[:, None]
    assert measure_drift(X, np.arange(300) >= 100, rng) > 0.9


@pytest.mark.parametrize(("n_labelled", "known"), [(19, False), (20, True)])
def test_twenty_items_of_each_side_are_needed(n_labelled, known, rng):
    unlabelled = np.arange(60) >= n_labelled
    assert (measure_drift(rng.normal(size=(60, 2)), unlabelled, rng) is not None) == known
