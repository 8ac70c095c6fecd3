"""Hiding only ever hides, always hides something and always leaves something."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_entries, hide_items, hide_like_gaps, hide_positives

SHAPES = st.tuples(st.integers(3, 12), st.integers(1, 5))


@st.composite
def labels_with_two_relevant_items(draw):
    state = draw(hnp.arrays(np.int8, draw(SHAPES), elements=st.sampled_from([-1, 0, 1])))
    state[:2, 0] = 1
    return PartialLabels(state, tuple(f"l{j}" for j in range(state.shape[1])), (state != 0).any(axis=1))


@pytest.mark.parametrize("hide", [hide_items, hide_entries, hide_positives, hide_like_gaps])
@given(
    labels=labels_with_two_relevant_items(),
    share=st.floats(0.01, 0.99),
    seed=st.integers(0, 2**32 - 1),
)
def test_hides_something_and_leaves_something(hide, labels, share, seed):
    result = hide(labels, share, np.random.default_rng(seed))
    judged = labels.relevant if hide is hide_positives else labels.observed
    hidden = judged & ~result.observed
    assert hidden.any()
    assert result.observed.any()
    np.testing.assert_array_equal(result.state[result.observed], labels.state[result.observed])
    units = hidden.any(axis=1) if hide in (hide_items, hide_like_gaps) else hidden
    if units.sum() > labels.shape[1]:  # otherwise giving one back to each label could leave nothing hidden
        np.testing.assert_array_equal(result.relevant.any(axis=0), labels.relevant.any(axis=0))
