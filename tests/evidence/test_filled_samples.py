"""Random filled values of each label."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from halflabel.evidence.filled_samples import sample_filled

TABLES = arrays(np.int8, st.tuples(st.integers(1, 30), st.integers(1, 3)), elements=st.integers(-1, 1))


@given(filled=TABLES, n=st.integers(1, 12), seed=st.integers(0, 3))
def test_each_label_has_as_many_filled_entries_as_there_are_up_to_n_half_of_them_relevant(filled, n, seed):
    names = [f"label {j}" for j in range(filled.shape[1])]
    chosen = sample_filled(filled, names, n, seed)
    assert not chosen.duplicated().any()
    for j in range(filled.shape[1]):
        values = filled[chosen["position"][chosen["column"] == j], j]
        yes, no = ((filled[:, j] == value).sum() for value in (1, -1))
        assert 0 not in values
        assert len(values) == min(n, yes + no)
        assert (values == 1).sum() == min(yes, max(n - n // 2, n - no))


@given(filled=TABLES, seed=st.integers(0, 3))
def test_a_label_has_the_same_sample_whatever_the_other_labels_are(filled, seed):
    names = [f"label {j}" for j in range(filled.shape[1])]
    whole, alone = sample_filled(filled, names, 5, seed), sample_filled(filled[:, -1:], names[-1:], 5, seed)
    assert whole["position"][whole["column"] == len(names) - 1].tolist() == alone["position"].tolist()


@pytest.mark.parametrize("value", [1, -1])
def test_every_entry_is_as_probable_as_any_other(value):
    filled = np.full((10, 1), value, dtype=np.int8)
    counts = np.bincount(np.concatenate([sample_filled(filled, ["a"], 3, seed)["position"] for seed in range(500)]))
    assert np.abs(counts - 150).max() < 50
