"""Groups are numbered by value, and equal rows are found, dense or sparse."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from halflabel.labels.groups import find_duplicates, number_groups

SMALL = hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.sampled_from([-1.0, 0, 1]))


@pytest.mark.parametrize(
    "values",
    [
        [3, 1, 3, 2, 1],
        ["c", "a", "c", "b", "a"],
        pd.Series(["c", "a", "c", "b", "a"], index=[9, 9, 9, 0, 1], dtype="category"),
        pd.to_datetime(["2020-03-01", "2020-01-01", "2020-03-01", "2020-02-01", "2020-01-01"]),
    ],
)
def test_equal_values_are_one_group_numbered_as_they_appear(values):
    assert number_groups(values, 5).tolist() == [0, 1, 0, 2, 1]


@pytest.mark.parametrize(
    "values",
    [[1.0, np.nan, 1.0, np.nan], ["a", None, "a", np.nan], pd.array([1, None, 1, pd.NA], dtype="Int64")],
)
def test_a_missing_value_is_a_group_of_its_own(values):
    assert number_groups(values, 4).tolist() == [0, 1, 0, 2]


def test_one_value_per_item_is_needed():
    with pytest.raises(ValueError, match="there are 3 items but groups for 2: give one group per item"):
        number_groups([1, 2], 3)


@given(SMALL)
def test_duplicates_are_the_rows_that_numpy_finds_equal(X):
    expected = (X[:, None] == X).all(axis=2)
    groups = find_duplicates(X)
    np.testing.assert_array_equal(groups[:, None] == groups, expected)
    np.testing.assert_array_equal(groups, number_groups(groups, len(X)))  # numbered as they appear
    np.testing.assert_array_equal(find_duplicates(sparse.csr_array(X)), groups)


def test_minus_zero_and_missing_values_are_equal_to_themselves():
    X = np.array([[0.0, np.nan], [-0.0, np.nan], [0.0, 1.0], [0.0, -np.nan]])
    assert find_duplicates(X).tolist() == [0, 0, 1, 0]
    assert find_duplicates(sparse.csr_array(X)).tolist() == [0, 0, 1, 0]


def test_the_way_a_sparse_row_is_stored_does_not_matter():
    stored = (np.array([2.0, 1.0, 1.0, 2.0, 0.0, 0.5, 0.5]), np.array([1, 0, 0, 1, 2, 0, 0]), np.array([0, 2, 5, 7]))
    X = sparse.csr_matrix(stored, shape=(3, 3))
    X.data[5:] = [0.5, 0.0]
    assert find_duplicates(X).tolist() == [0, 0, 1]
    assert X.nnz == 7  # as it was
    assert find_duplicates(sparse.coo_array(X)).tolist() == [0, 0, 1]


def test_columns_and_values_are_distinguished():
    assert find_duplicates(sparse.csr_array(np.array([[0, 1.0], [1.0, 0], [0, 2.0], [0, 0]]))).tolist() == [0, 1, 2, 3]
    assert find_duplicates(np.array([[1, 2], [1, 2]], dtype=np.int8)).tolist() == [0, 0]
