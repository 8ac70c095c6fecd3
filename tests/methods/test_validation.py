"""Checks of parameters: each raises a sentence with the parameter, its range and its value."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from halflabel.methods.mddm.dependence import require_semidefinite
from halflabel.methods.validation import (
    read_graph,
    read_square,
    require,
    require_choice,
    require_not_negative,
    require_positive,
    require_share,
    require_whole,
)


@pytest.mark.parametrize("value", [2, np.int64(2), 7])
def test_whole_numbers_of_python_and_of_numpy_are_valid(value):
    require_whole(SimpleNamespace(n_folds=value), n_folds=2)


@pytest.mark.parametrize("value", [1, 2.0, None, "2", np.nan])
def test_anything_else_is_not(value):
    with pytest.raises(ValueError, match="n_folds must be a whole number of at least 2, not"):
        require_whole(SimpleNamespace(n_folds=value), n_folds=2)


def test_every_named_parameter_is_checked():
    model = SimpleNamespace(n_folds=2, max_iter=0)
    require_whole(model, n_folds=2)
    with pytest.raises(ValueError, match="max_iter must be"):
        require_whole(model, n_folds=2, max_iter=1)


def test_a_choice_may_be_none():
    require_choice(SimpleNamespace(kernel=None), kernel=(None, "rbf"))
    with pytest.raises(ValueError, match="kernel must be one of None, 'rbf', not 'linear'"):
        require_choice(SimpleNamespace(kernel="linear"), kernel=(None, "rbf"))


@pytest.mark.parametrize("value", [0.0, -1, np.nan, "1", None])
def test_what_is_not_positive(value):
    with pytest.raises(ValueError, match="alpha must be positive, not"):
        require_positive(SimpleNamespace(alpha=value), "alpha")


def test_infinity_and_none_are_valid_only_with_the_option():
    model = SimpleNamespace(alpha=np.inf, width=None, tol=np.float32(1e-3))
    require_positive(model, "alpha", "tol")
    require_positive(model, "width", optional=True)
    with pytest.raises(ValueError, match="alpha must be positive and finite, not inf"):
        require_positive(model, "alpha", finite=True)
    with pytest.raises(ValueError, match="alpha must be at least 0 and finite, not inf"):
        require_not_negative(model, "alpha", finite=True)


def test_of_several_values_the_first_invalid_one_is_named():
    model = SimpleNamespace(alpha=(1.0, 0.0, -1.0), rank=np.array([2, 3]), empty=())
    require_whole(model, several=True, rank=2)
    with pytest.raises(ValueError, match=r"alpha must be positive, one number or several to choose from, not 0\.0"):
        require_positive(model, "alpha", several=True)
    with pytest.raises(ValueError, match=r"alpha must be at least 0, .* not -1\.0"):
        require_not_negative(model, "alpha", several=True)
    with pytest.raises(ValueError, match=r"empty must be positive, .* not \(\)"):
        require_positive(model, "empty", several=True)


@pytest.mark.parametrize("value", [0, 1, 0.5])
def test_a_share(value):
    require_share(SimpleNamespace(share=value), "share")
    with pytest.raises(ValueError, match=r"share must lie between 0 and 1, not 1\.01"):
        require_share(SimpleNamespace(share=1.01), "share")
    with pytest.raises(ValueError, match=r"share must lie between 0 and 1, not -0\.01"):
        require_share(SimpleNamespace(share=-0.01), "share")


def test_a_reason_follows_the_value():
    with pytest.raises(ValueError, match=r"^p must be odd, not 2: even ones have no middle\.$"):
        require(SimpleNamespace(p=2), "p", lambda p: p % 2 == 1, "be odd", reason="even ones have no middle")


NO_MATRICES = [None, 3, True, [["a"]], [[1, 2], [3]], object(), np.nan, [None], np.ones(3), {}, [[]]]


@pytest.mark.parametrize("given", NO_MATRICES, ids=lambda given: type(given).__name__)
@pytest.mark.parametrize("read", [read_square, read_graph, require_semidefinite])
def test_anything_but_a_square_matrix_is_named(read, given):
    with pytest.raises(ValueError, match=r"^weights must be a (matrix|graph) of shape \(3, 3\), not "):
        read("weights", given, 3)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array, sparse.coo_array, pd.DataFrame, np.ndarray.tolist])
def test_any_container_of_a_matrix_is_read(convert):
    W = np.array([[2, 1, 0], [1, 0, 3], [0, 3, 0]])
    np.testing.assert_array_equal(read_graph("weights", convert(W), 3).toarray(), W - np.diag([2, 0, 0]))
    np.testing.assert_array_equal(require_semidefinite("weights", convert(W @ W), 3), W @ W)


def test_a_graph_is_symmetric_but_for_rounding():
    rng = np.random.default_rng(0)
    Y = rng.random((30, 5))
    W = np.abs(Y.T @ Y) * (1 + 1e-12 * rng.normal(size=(5, 5)))
    assert (W != W.T).any()
    read = read_graph("label_graph", W, 5).toarray()
    np.testing.assert_array_equal(read, read.T)
    np.testing.assert_allclose(read, W - np.diag(W.diagonal()), rtol=1e-11, atol=1e-12)
    for size in (1.0, 1e-9, 1e9):
        with pytest.raises(ValueError, match="symmetric and not negative"):
            read_graph("label_graph", size * np.array([[0, 1], [1.001, 0]]), 2)
