"""The part of a completion that the page needs."""

from __future__ import annotations

import numpy as np

from halflabel import PartialLabels
from halflabel.review_page.fits import Fit


def test_a_label_that_was_not_learned_keeps_its_given_values():
    labels = PartialLabels(np.array([[1, 1], [1, -1], [1, 0]], dtype=np.int8), ("only 1", "learned"), np.ones(3, bool))
    state, p = np.array([[1], [-1], [1]], dtype=np.int8), np.array([[0.9], [0.2], [0.7]], dtype=np.float32)
    part = Fit(state, p, labels.state[:, 1:], np.full((3, 1), 0.1, np.float32), p, "")
    whole = part.spread(["learned"], labels)
    np.testing.assert_array_equal(whole.state, [[1, 1], [1, -1], [1, 1]])
    np.testing.assert_allclose(whole.shown_p, [[1, 0.9], [1, 0.2], [1, 0.7]])
    np.testing.assert_allclose(whole.flipped, [[0, 0.1]] * 3)
    np.testing.assert_allclose(whole.wrong, [[0, 0.1], [0, 0.2], [0, 0.3]], atol=1e-6)
    assert part.spread(["only 1", "learned"], labels) is part
