"""Whether the error rates of sources can be known."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from halflabel.corrections.votes.support import count_independent, explain_doubt


@given(st.integers(0, 2**31), st.integers(1, 6))
def test_sources_with_the_same_errors_count_as_one(seed, n_sources):
    rng = np.random.default_rng(seed)
    voted, group = rng.random((n_sources, 20, 3)) < 0.6, rng.integers(3, size=n_sources)
    same = (group[:, None] == group).astype(float)
    found = count_independent(voted, same, np.ones(n_sources, dtype=bool))
    for i, j in np.ndindex(found.shape):
        assert found[i, j] == len(set(group[voted[:, i, j]]))


@given(st.integers(0, 2**31), st.integers(1, 5), st.floats(0.1, 1))
def test_rates_are_known_with_three_independent_sources_on_half_of_the_open_entries(seed, n_sources, share):
    rng = np.random.default_rng(seed)
    voted, known = rng.random((n_sources, 40, 2)) < share, rng.random((40, 2)) < 0.3
    weights = rng.random(n_sources) < 0.9
    number = voted[weights].sum(axis=0)[voted.any(axis=0) & ~known]
    has_support = not len(number) or np.mean(number >= 3) > 0.5
    text = explain_doubt(voted, np.eye(n_sources), weights, known)
    assert has_support == (not text) or np.mean(number >= 3) == 0.5
