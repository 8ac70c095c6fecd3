"""Agreement of sources."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.oracles.sources import krippendorff

from halflabel.corrections.votes.tables import measure_agreement
from halflabel.labels.votes import Votes

VOTES = st.sampled_from([0.0, 1.0, 0.25, np.nan])


@given(arrays(float, st.tuples(st.integers(2, 4), st.integers(2, 6)), elements=VOTES))
def test_alpha_is_that_of_a_loop_over_pairs(values):
    units = values[:, (~np.isnan(values)).sum(axis=0) > 1]
    assume(len(np.unique(units[~np.isnan(units)])) > 1)
    found = measure_agreement(Votes(tuple("abcd"[: len(values)]), values[:, :, None]))
    assert found[0] == pytest.approx(krippendorff(values))


def test_alpha_of_a_published_example():
    """The binary example of Krippendorff's note "Computing Krippendorff's alpha-reliability" (2011), part A."""
    a = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    b = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = measure_agreement(Votes(("Meg", "Owen"), np.array([a, b], dtype=float)[:, :, None]))
    assert found[0] == pytest.approx(0.095, abs=5e-4)


def test_alpha_is_missing_without_pairs_and_without_different_votes():
    values = np.array([[[1.0, 1.0], [np.nan, 1.0]], [[np.nan, 1.0], [0.0, 1.0]]])
    assert np.isnan(measure_agreement(Votes(("a", "b"), values))).all()
