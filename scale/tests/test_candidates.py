"""Candidates and shares of neighbours against loops."""

from __future__ import annotations

import numpy as np
import pytest
from scale.tests.oracle import neighbour_shares
from scipy import sparse

from halflabel_scale.candidates import choose_candidates, share_neighbours


@pytest.fixture
def similar():
    rng = np.random.default_rng(0)
    return rng.normal(size=(9, 9)), sparse.csr_array((rng.random((9, 7)) < 0.3).astype(float))


@pytest.mark.parametrize("k", [1, 4, 20])
def test_shares_of_neighbours(similar, k):
    similarity, Y = similar
    found = share_neighbours(sparse.csr_array(similarity), Y, k)
    np.testing.assert_allclose(found.toarray(), neighbour_shares(similarity, Y.toarray(), k), atol=1e-12)
    others = np.where(np.eye(9), 0, similarity)
    left_out = share_neighbours(similarity, Y, k, own=np.arange(9)).toarray()
    np.testing.assert_allclose(left_out, neighbour_shares(others, Y.toarray(), k), atol=1e-12)


@pytest.mark.parametrize("k", [1, 3, 20])
def test_candidates_are_the_highest_scores_and_the_labels_of_neighbours(similar, k):
    scores, shares = similar[0][:, :7], share_neighbours(similar[0], similar[1], 1)
    found = choose_candidates(scores, shares, k)
    for row in range(9):
        expected = set(np.argsort(-scores[row])[:k]) | set(np.flatnonzero(shares[[row]].toarray()))
        assert set(found.ids[found.rows == row]) == expected
    np.testing.assert_array_equal(found.score, scores[found.rows, found.ids])
    np.testing.assert_array_equal(found.share, shares.toarray()[found.rows, found.ids])
