"""Random filled values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from halflabel.evidence.filled_samples import sample_filled

TABLES = arrays(np.int8, st.tuples(st.integers(1, 30), st.integers(1, 3)), elements=st.integers(-1, 1))


@given(filled=TABLES, n=st.integers(1, 12), seed=st.integers(0, 3))
def test_there_are_as_many_values_as_there_are_up_to_n_half_of_them_yes(filled, n, seed):
    chosen = sample_filled(filled, n, seed)
    assert not chosen.duplicated().any()
    values = filled[chosen["position"], chosen["column"]]
    yes, no = ((filled == value).sum() for value in (1, -1))
    assert 0 not in values
    assert len(values) == min(n, yes + no)
    assert (values == 1).sum() == min(yes, max(n - n // 2, n - no))


@pytest.mark.parametrize("value", [1, -1])
def test_every_value_is_as_probable_as_any_other(value):
    filled = np.full((5, 2), value, dtype=np.int8)
    drawn = [sample_filled(filled, 3, seed) @ (2, 1) for seed in range(500)]
    assert np.abs(np.bincount(np.concatenate(drawn)) - 150).max() < 50
