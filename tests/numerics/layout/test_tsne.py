"""t-SNE by openTSNE on our own neighbours."""

from __future__ import annotations

import numpy as np

from halflabel.numerics.layout.tsne import lay_out


def two_groups(rng, n=40):
    return np.vstack([rng.normal(size=(n, 4)), rng.normal(size=(n, 4)) + 12])


def test_groups_stay_apart_and_one_seed_has_one_result(rng):
    Z = two_groups(rng)
    start = Z[:, :2] - Z[:, :2].mean(axis=0)
    drawn = lay_out(Z, start, 3)
    first, second = (part - part.mean(axis=0) for part in (drawn[:40], drawn[40:]))
    radius = max(np.linalg.norm(part, axis=1).max() for part in (first, second))
    assert np.linalg.norm(drawn[:40].mean(axis=0) - drawn[40:].mean(axis=0)) > radius
    np.testing.assert_array_equal(lay_out(Z, 1024 * start, 3), drawn)  # the scale of the start has no effect


def test_duplicates_and_a_flat_start_have_a_layout():
    Z = np.repeat(np.eye(3), 4, axis=0)
    assert np.isfinite(lay_out(Z, np.zeros((12, 2)), 0)).all()
