"""CCA against scikit-learn's iterative one, against its own definition, and the contracts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cross_decomposition import CCA as Iterative
from tests.contracts.scikit_learn import each_check, run_check

from halflabel_papers.comparators import CanonicalCorrelation


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@each_check(CanonicalCorrelation(1))
def test_scikit_learn(estimator, check):
    run_check(estimator, check)


@pytest.fixture
def data(rng):
    X = rng.normal(size=(80, 6))
    return X, (X @ rng.normal(size=(6, 3)) + rng.normal(size=(80, 3)) > 0).astype(float)


def test_the_directions_are_those_of_scikit_learn(data):
    X, Y = data
    own = CanonicalCorrelation(3, ridge=0.0).fit(X, Y)
    other = Iterative(3, tol=1e-12, max_iter=20000).fit(X, Y)
    scores, reference = own.transform(X), other.transform(X)
    for a, b in zip(scores.T, reference.T, strict=True):
        assert abs(np.corrcoef(a, b)[0, 1]) == pytest.approx(1, abs=1e-6)


def test_eigenvalues_are_squared_correlations(data):
    X, Y = data
    model = CanonicalCorrelation(2, ridge=0.0).fit(X, Y)
    Z = model.transform(X)
    Z = Z - Z.mean(axis=0)
    np.testing.assert_allclose(Z.T @ Z, np.eye(2), atol=1e-10)
    for z, squared in zip(Z.T, model.eigenvalues_, strict=True):
        residual = z - np.column_stack([np.ones(80), Y]) @ np.linalg.lstsq(np.column_stack([np.ones(80), Y]), z)[0]
        assert 1 - residual @ residual / (z @ z) == pytest.approx(squared)


def test_there_are_as_many_directions_as_labels_have(data):
    with pytest.raises(ValueError, match="n_components must be a whole number between 1 and 3"):
        CanonicalCorrelation(4).fit(*data)
