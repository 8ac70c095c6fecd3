"""Blocks of features: what is read from which cells, and the sentence for a cell that does not fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from halflabel.table.blocks import learn_words, read_matrix, read_numbers, read_one_hot, read_vectors, read_words


def test_numbers_stand_side_by_side_in_the_order_that_was_asked_for():
    frame = pd.DataFrame({"a": [1.0, None], "b": ["3", "4"]})
    np.testing.assert_array_equal(read_numbers(frame, ["b", "a"]), [[3, 1], [4, np.nan]])
    assert read_numbers(frame, []).shape == (2, 0)


def test_a_category_has_one_indicator():
    column = pd.Series(["x", None, "y", "z", 1.0], dtype=object)
    np.testing.assert_array_equal(
        read_one_hot(column, ["x", "y", "1"]), [[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]]
    )


class TestVectors:
    def test_lists_of_one_length_are_an_array(self):
        for cells in ([[1, 2], [3, None]], [np.array([1.0, 2.0]), np.array([3.0, np.nan])], [(1, 2), (3, None)]):
            np.testing.assert_array_equal(read_vectors(pd.Series(cells)), [[1, 2], [3, np.nan]])
        assert read_vectors(pd.Series([[1.0]]), 1).tolist() == [[1.0]]

    @pytest.mark.parametrize(
        ("cells", "width", "sentence"),
        [
            ([[1, 2], [3]], None, "row 1 of the vector column 'v' has a vector of 1 numbers, but every row needs 2"),
            ([[1], [3, 4]], None, "row 1 of the vector column 'v' has a vector of 2 numbers, but every row needs 1"),
            ([[], [3, 4]], None, "row 0 of the vector column 'v' has a vector of 0 numbers, but every row needs 2"),
            ([[1, 2], None], None, "row 1 of the vector column 'v' has no vector, but every row needs 2"),
            ([[], []], None, "row 0 .* has a vector of 0 numbers, but every row needs 1"),
            ([[1, 2], [3, 4]], 3, "row 0 .* has a vector of 2 numbers, but every row needs 3"),
            ([[1, 2], [3, np.inf]], None, "row 1 of the vector column 'v' holds inf at position 1"),
            ([[1, 2], "x"], None, r"the vector column 'v' holds 'x' \(row 1\), but it must hold one list of numbers"),
            ([[1, 2], ["x", 1]], None, r"the vector column 'v' holds \['x', 1\] \(row 1\)"),
            ([1.5, 2.5], None, r"the vector column 'v' holds 1\.5 \(row 0\)"),
        ],
    )
    def test_the_first_row_that_does_not_fit_is_named(self, cells, width, sentence):
        with pytest.raises(ValueError, match=sentence):
            read_vectors(pd.Series(cells, name="v"), width)


class TestWords:
    texts = pd.Series(["Café noir", "cafe blanc cafe", None, "noir"])

    def test_words_of_two_rows_are_kept_without_accents_and_case(self):
        words, idf = learn_words(self.texts)
        assert words == ("cafe", "noir")
        np.testing.assert_allclose(idf, 1 + np.log(5 / 3))

    def test_weights_are_normed_logarithms_of_counts(self):
        matrix = read_words(self.texts, ("cafe", "noir"), np.array([1.0, 2.0])).toarray()
        np.testing.assert_allclose(matrix, [[1 / 5**0.5, 2 / 5**0.5], [1, 0], [0, 0], [0, 1]])
        twice = read_words(pd.Series(["cafe noir Café"]), ("cafe", "noir"), np.array([1.0, 2.0])).toarray()
        np.testing.assert_allclose(twice[0, 0] / twice[0, 1], (1 + np.log(2)) / 2)

    @pytest.mark.parametrize("texts", [["red", "green", None], [None, None], ["a", "a"]])
    def test_words_of_single_rows_are_an_error(self, texts):
        with pytest.raises(ValueError, match="no word of the text column 'lyrics' is in 2 rows or more"):
            learn_words(pd.Series(texts, name="lyrics"))


class TestMatrix:
    def test_it_is_read_as_doubles_dense_or_sparse(self):
        dense = read_matrix(np.array([[1, 2], [3, 4]]), "ab", 2)
        assert dense.dtype == np.float64
        thin = read_matrix(sparse.coo_matrix([[0, 2], [3, 0]]), "ab", 2)
        assert isinstance(thin, sparse.csr_array)
        assert thin.dtype == np.float64
        assert np.isnan(read_matrix(np.array([[np.nan, 1.0]]), "ab", 1)[0, 0])  # filled later

    def test_its_shape_is_that_of_the_table(self):
        for names, rows in (("ab", 3), ("abc", 2)):
            with pytest.raises(ValueError, match=r"the matrix has shape \(2, 2\), but"):
                read_matrix(np.zeros((2, 2)), names, rows)

    @pytest.mark.parametrize("bad", [np.inf, -np.inf])
    def test_infinity_is_named_by_row_and_feature(self, bad):
        X = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [3.0, bad, 0.0]])
        for matrix, kind in ((X, "the matrix"), (sparse.csr_array(X), "the sparse matrix")):
            with pytest.raises(ValueError, match=f"{kind} holds {bad} in row 2, feature 'b'"):
                read_matrix(matrix, "abc", 3)

    def test_a_gap_in_a_sparse_matrix_is_an_error(self):
        X = sparse.csr_array(np.array([[0.0, np.nan], [1.0, 0.0]]))
        with pytest.raises(ValueError, match="holds nan in row 0, feature 'b': gaps are filled in dense matrices only"):
            read_matrix(X, "ab", 2)
