"""LDA against scikit-learn's, against the analysis of variance it maximises, and where scikit-learn's breaks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import f_oneway
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from tests.contracts.scikit_learn import each_check, run_check
from tests.methods.parameters import check_parameters

from halflabel import PartialLabels
from halflabel_papers.comparators import LDA


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@each_check(LDA(1))
def test_scikit_learn(estimator, check):
    run_check(estimator, check)


@pytest.fixture
def data(rng):
    """Sixty items, four sets of two labels, means apart."""
    Y = rng.integers(2, size=(60, 2)).astype(float)
    return rng.normal(size=(60, 5)) + Y @ rng.normal(size=(2, 5)) * 2 + 7, Y


def classes(Y):
    """One number per set of labels, by hand."""
    return Y @ 2 ** np.arange(Y.shape[1])


def f_statistics(V, Y):
    return np.array([f_oneway(*(v[classes(Y) == c] for c in np.unique(classes(Y)))).statistic for v in V.T])


def test_directions_equal_scikit_learns(data):
    X, Y = data
    other = LinearDiscriminantAnalysis(n_components=3).fit(X, classes(Y))
    found, expected = LDA(3).fit(X, Y).transform(X), other.transform(X)
    found, expected = (V - V.mean(axis=0) for V in (found, expected))
    np.testing.assert_allclose(
        found / found.std(axis=0), expected * np.sign((found * expected).sum(0)) / expected.std(0)
    )


def test_eigenvalues_are_f_statistics_and_items_of_a_class_vary_by_one(data):
    X, Y = data
    model = LDA(3).fit(X, Y)
    V = model.transform(X)
    np.testing.assert_allclose(model.eigenvalues_, f_statistics(V, Y))
    assert (np.diff(model.eigenvalues_) < 0).all()
    rest = V - pd.DataFrame(V).groupby(classes(Y)).transform("mean").to_numpy()
    np.testing.assert_allclose(rest.T @ rest / (60 - 4), np.eye(3), atol=1e-10)


@given(st.integers(0, 10_000))
def test_no_other_direction_has_a_larger_f(seed):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(40, 4)), rng.integers(2, size=(40, 2)).astype(float)
    first = LDA(1).fit(X, Y).eigenvalues_[0]
    assert first >= f_statistics(X @ rng.normal(size=(4, 10)), Y).max() * (1 - 1e-9)


def test_items_with_an_unknown_label_are_left_out_and_transformed(data):
    X, Y = data
    gaps = Y.copy()
    gaps[:20] = np.nan
    gaps[20:30, 1] = np.nan
    model = LDA(2).fit(X, gaps)
    np.testing.assert_array_equal(model.components_, LDA(2).fit(X[30:], Y[30:]).components_)
    assert model.transform(X).shape == (60, 2)


def test_a_linear_change_of_features_changes_no_map(data, rng):
    X, Y = data
    A = rng.normal(size=(5, 5))
    other, plain = LDA(2).fit(X @ A, Y).transform(X @ A), LDA(2).fit(X, Y).transform(X)
    np.testing.assert_allclose(other * np.sign((other * plain).sum(axis=0)), plain, atol=1e-8)


@pytest.mark.parametrize("value", [0.1, 1000.1])
def test_features_that_stand_still_change_nothing(value, data):
    """The mean of sixty times 0.1 is not 0.1: divided by their deviation, such features would be all there is."""
    X, Y = data
    wide = np.column_stack([X, np.full(60, value)])
    assert np.abs(LinearDiscriminantAnalysis().fit(wide, classes(Y)).scalings_).max() > 1e9
    padded = np.pad(LDA(2).fit(X, Y).components_, [(0, 0), (0, 1)])
    np.testing.assert_allclose(LDA(2).fit(wide, Y).components_, padded, atol=1e-8)
    np.testing.assert_allclose(LDA(2).fit(sparse.csr_array(wide), Y).components_, padded, atol=1e-6)


def test_more_features_than_items(rng):
    X, Y = rng.normal(size=(20, 50)), rng.integers(2, size=(20, 2)).astype(float)
    model = LDA(3).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, f_statistics(model.transform(X), Y))


def test_sparse_features_equal_dense_ones(data):
    X, Y = data
    X = np.where(np.abs(X - 7) < 0.7, 0, X)
    dense, thin = LDA(3).fit(X, Y), LDA(3).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(thin.components_, dense.components_, atol=1e-9)
    np.testing.assert_allclose(thin.eigenvalues_, dense.eigenvalues_)


def test_permuting_items_or_labels_changes_nothing(data, rng):
    X, Y = data
    items = rng.permutation(60)
    moved = LDA(3).fit(X[items], Y[items][:, ::-1])
    np.testing.assert_allclose(moved.components_, LDA(3).fit(X, Y).components_, atol=1e-9)


@pytest.mark.parametrize(
    ("Y", "sentence"),
    [
        ([[1, 0]] * 6, "each of the 6 items with all labels observed has the same set of labels"),
        (
            [[1, 0], [0, 1], [1, 1], [None, 0], [1, None], [0, None]],
            "each of the 3 items .* a set of labels of its own",
        ),
        ([[None, 0], [1, None]] * 3, "all labels are observed, but there is none: fill in their gaps first"),
    ],
)
def test_labels_without_two_classes_raise(Y, sentence, rng):
    with pytest.raises(ValueError, match=sentence):
        LDA(1).fit(rng.normal(size=(6, 3)), Y)


def test_positive_only_labels_raise(rng):
    labels = PartialLabels.from_tags([["a"], ["b"], ["a", "b"]], absent="unknown")
    with pytest.raises(ValueError, match="LDA needs irrelevant entries, but these labels are positive-only"):
        LDA().fit(rng.normal(size=(3, 4)), labels)


@pytest.mark.parametrize("n_components", [0, 4, 1.5])
def test_directions_that_are_not_there_raise(n_components, data):
    with pytest.raises(ValueError, match=r"between 1 and 3, .* \(n_features=5\)"):
        LDA(n_components).fit(*data)


def test_items_of_a_class_that_are_all_alike_have_no_direction():
    X, y = np.repeat([[1.0, 2], [3, 4]], 4, axis=0), [0] * 4 + [1] * 4
    with pytest.raises(ValueError, match="between 1 and 0"):
        LDA(1).fit(X, y)


def test_parameters_are_those_of_the_docstring():
    check_parameters(LDA())
