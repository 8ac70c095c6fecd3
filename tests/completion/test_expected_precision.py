"""An expected precision holds for the relevant values, too, where a label cannot be predicted better than to 90 %."""

from __future__ import annotations

import numpy as np
import pytest

import halflabel as hl


def clusters(seed, ceiling, n=1500, n_features=24, n_clusters=24, n_labels=8):
    """Return features, labels that an item of the right cluster has with probability ``ceiling``, and what is given."""
    rng = np.random.default_rng(seed)
    which = rng.integers(n_clusters, size=n)
    X = 1.2 * rng.normal(size=(n_clusters, n_features))[which] + 0.5 * rng.normal(size=(n, n_features))
    inside = rng.random((n_clusters, n_labels)) < 0.3
    Y = (inside[which] & (rng.random((n, n_labels)) < ceiling)).astype(float)
    return X, Y, np.where((rng.random(n) < 0.3)[:, None], Y, np.nan)


@pytest.mark.parametrize(("seed", "ceiling"), [(0, 0.9), pytest.param(1, 0.9, marks=pytest.mark.slow), (0, 0.98)])
def test_values_of_both_kinds_are_as_often_right_as_expected(seed, ceiling):
    X, Y, given = clusters(seed, ceiling)
    filled = hl.complete(X, given, min_precision=0.95, effort="fast")
    gaps = np.isnan(given)
    for value in (1, 0):
        chosen = gaps & (filled.state == (1 if value else -1))
        wrong = int((Y[chosen] != value).sum())
        allowed = 0.05 * chosen.sum()
        assert wrong <= allowed + 3 * np.sqrt(allowed) + 1
    n_relevant = int((gaps & (filled.state > 0)).sum())
    assert n_relevant > 500 if ceiling > 0.95 else n_relevant < 500
