"""The base of the linear projections, by a projection that only records what it is fitted to."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from tests.conftest import half_labelled

from halflabel import PartialLabels
from halflabel.methods.baselines import MLkNN
from halflabel_papers.comparators import LPP, MLSI, CanonicalCorrelation
from halflabel_papers.comparators.projection import LabelledProjection, LinearProjection, whitening


class Recorder(LabelledProjection):
    def __init__(self, n_components=1):
        self.n_components = n_components

    def _validate_parameters(self):
        self._require_components(self.n_features_in_)

    def _fit(self, X, Y):
        self.given = X, Y
        self._project(np.ones(self.n_components), -np.eye(X.shape[1])[:, : self.n_components])
        return self


def test_unlabelled_items_are_left_out():
    X = np.arange(8.0).reshape(4, 2)
    model = Recorder().fit(X, [[1, 0], [None, None], [0, 1], [None, None]])
    np.testing.assert_array_equal(model.given[0], X[[0, 2]])
    np.testing.assert_array_equal(model.given[1], [[1, 0], [0, 1]])


def test_items_that_are_observed_in_part_raise():
    sentence = r"Recorder needs .*, but of item 1 1 of 3 are observed \(this is so for 2 items\)"
    with pytest.raises(ValueError, match=sentence):
        Recorder().fit(np.eye(4), [[1, 0, 1], [None, None, 0], [None, None, None], [1, None, 0]])


def test_labels_are_needed_with_irrelevant_entries():
    with pytest.raises(ValueError, match="This Recorder estimator requires y to be passed, but the target y is None"):
        Recorder().fit(np.eye(2), None)
    with pytest.raises(ValueError, match="positive-only"):
        Recorder().fit(np.eye(2), PartialLabels.from_positives([[1], [0]]))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Recorder().fit(np.eye(2), [1, 0, 1])


def test_two_items_are_the_minimum():
    assert Recorder().fit(np.eye(2), [1, 0]).components_.shape == (1, 2)
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        Recorder().fit(np.eye(2)[:1], [1])


def test_the_number_of_directions_is_limited():
    for n_components in (1, 3):
        assert len(Recorder(n_components).fit(np.eye(3), [1, 0, 1]).components_) == n_components
    sentence = r"n_components must be a whole number between 1 and 3, .* \(n_features=3\), not"
    for n_components in (0, 4, 1.5, None):
        with pytest.raises(ValueError, match=sentence):
            Recorder(n_components).fit(np.eye(3), [1, 0, 1])


def test_the_number_of_features_is_limited():
    model = LinearProjection()
    assert model._enter(sparse.csr_array((2, 10_000))).shape == (2, 10_000)
    sentence = r"matrices of features by features, 0\.9 GB each for 10700 features: reduce them to at most 10000 first"
    with pytest.raises(ValueError, match=sentence):
        model._enter(sparse.csr_array((2, 10_700)))
    with pytest.raises(ValueError, match=r"0\.8 GB each for 10001"):
        model._enter(sparse.csr_array((2, 10_001)))


def test_items_are_multiplied_by_directions_with_a_positive_largest_entry(rng):
    model, X = Recorder(), rng.normal(size=(5, 3))
    model.fit(X, [1, 0, 1, 0, 1])
    W = np.array([[3.0, 1.0], [-4.0, -2.0], [0.0, 5.0]])
    model._project(np.array([7.0, 6.0]), W)
    np.testing.assert_array_equal(model.components_, [[-3, 4, 0], [1, -2, 5]])
    assert model.components_.flags.c_contiguous
    np.testing.assert_array_equal(model.eigenvalues_, [7, 6])
    for items in (X, sparse.csr_array(X)):
        np.testing.assert_allclose(model.transform(items), X @ model.components_.T)
    assert model.get_feature_names_out().tolist() == ["recorder0", "recorder1"]
    with pytest.raises(ValueError, match="X has 2 features, but Recorder is expecting 3"):
        model.transform(X[:, :2])


def test_tags():
    tags = Recorder().__sklearn_tags__()
    assert (tags.input_tags.sparse, tags.target_tags.required, tags.target_tags.two_d_labels) == (True, True, True)
    assert (tags.classifier_tags.multi_class, tags.classifier_tags.multi_label) == (False, True)
    assert LinearProjection().__sklearn_tags__().input_tags.sparse


@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_whitening_makes_the_loaded_matrix_the_identity(ridge, rng):
    half = rng.normal(size=(6, 4))
    B = half @ half.T
    S = whitening(B, ridge)
    assert S.shape == (6, 4)
    np.testing.assert_allclose(S.T @ (B + ridge * np.trace(B) / 6 * np.eye(6)) @ S, np.eye(4), atol=1e-10)
    np.testing.assert_allclose(np.linalg.matrix_rank(np.hstack([S, half])), 4)


def test_directions_below_a_share_of_the_largest_are_null():
    assert whitening(np.diag([5.0, 6e-10, 4e-10, 0.0])).shape == (4, 2)
    assert whitening(np.zeros((3, 3))).shape == (3, 0)
    np.testing.assert_array_equal(np.abs(whitening(4 * np.eye(2))), np.eye(2) / 2)


@pytest.mark.parametrize("kind", [LPP, MLSI, CanonicalCorrelation])
def test_frames_pipelines_and_clones(kind, rng):
    X, Y, _ = half_labelled(rng)
    model = kind(2).set_output(transform="pandas")
    out = model.fit_transform(pd.DataFrame(X, columns=list("abcde")), pd.DataFrame(Y, columns=list("xyz")))
    assert out.columns.tolist() == [f"{kind.__name__.lower()}{k}" for k in range(2)]
    assert (model.components_[np.arange(2), np.abs(model.components_).argmax(axis=1)] > 0).all()
    assert make_pipeline(clone(kind(2)), MLkNN(4)).fit(X, Y).predict(X).shape == (60, 3)
