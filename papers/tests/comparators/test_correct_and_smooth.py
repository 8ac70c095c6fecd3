"""Correct and Smooth against dense inverses, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from papers.tests.oracles.mlgfhf import item_graph
from sklearn.linear_model import LogisticRegression
from tests.conftest import half_labelled
from tests.methods.parameters import check_parameters

from halflabel.methods.baselines import BinaryRelevance
from halflabel_papers.comparators import CorrectAndSmooth


def correct_and_smooth(X, Y, Z, k, s, alpha):
    """Both steps label by label with explicit inverses."""
    A, _ = item_graph(X, k)
    D = A.sum(axis=1)
    errors, F = np.zeros_like(Z), np.zeros_like(Z)
    for j in range(Y.shape[1]):
        u = np.isnan(Y[:, j])
        P = A / D[:, None]
        errors[~u, j] = Y[~u, j] - Z[~u, j]
        errors[u, j] = np.linalg.inv(np.eye(u.sum()) - P[np.ix_(u, u)]) @ P[np.ix_(u, ~u)] @ errors[~u, j]
        H = np.where(u, Z[:, j] + s * errors[:, j], Y[:, j])
        S = A / np.sqrt(np.outer(D, D))
        F[:, j] = (1 - alpha) * np.linalg.inv(np.eye(len(H)) - alpha * S) @ H
    return errors, F


@pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
@pytest.mark.parametrize(("s", "alpha"), [(1.0, 0.8), (0.5, 0.3)])
def test_both_steps_equal_the_oracle(entries, s, alpha, rng):
    X, Y, _ = half_labelled(rng, entries=entries)
    base = LogisticRegression(C=0.5, max_iter=1000)
    model = CorrectAndSmooth(base, 6, correction=s, alpha=alpha, scale=None, n_folds=2).fit(X, Y)
    Z = BinaryRelevance(base, scale=None, n_folds=2).fit(X, Y).label_scores_
    errors, F = correct_and_smooth(X, Y, Z, 6, s, alpha)
    np.testing.assert_allclose(model.label_scores_, F, atol=1e-6)
    np.testing.assert_allclose(model.errors_, errors, atol=1e-6)


def test_without_both_steps_it_is_the_classifier_with_known_labels(rng):
    X, Y, _ = half_labelled(rng)
    model = CorrectAndSmooth(correction=0.0, alpha=0.0, n_neighbors=6, n_folds=2).fit(X, Y)
    base = BinaryRelevance(n_folds=2).fit(X, Y)
    np.testing.assert_allclose(model.label_scores_, np.where(np.isnan(Y), base.label_scores_, Y), atol=1e-8)
    np.testing.assert_allclose(model.predict_proba(X[:3]).shape, (3, Y.shape[1]))


def test_a_new_item_gets_the_weighted_mean_of_its_neighbours(rng):
    X, Y, _ = half_labelled(rng)
    model = CorrectAndSmooth(n_neighbors=4, correction=0.7, alpha=0.6, scale=None, n_folds=2).fit(X, Y)
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    bandwidth = np.sort(distances, axis=1)[:, 4].mean()  # the distance of each item to its fourth neighbour
    new = X[:5] + 0.3 * rng.normal(size=(5, 5))
    squares = ((new[:, None] - X[None]) ** 2).sum(axis=2)
    nearest = np.argsort(squares, axis=1)[:, :4]
    weights = np.exp(-np.take_along_axis(squares, nearest, axis=1) / (2 * bandwidth**2))
    weights /= weights.sum(axis=1, keepdims=True)
    errors, smooth = (np.einsum("ik,ikj->ij", weights, each[nearest]) for each in (model.errors_, model.label_scores_))
    base = BinaryRelevance(scale=None, n_folds=2).fit(X, Y).decision_function(new)
    np.testing.assert_allclose(model.decision_function(new), 0.4 * (base + 0.7 * errors) + 0.6 * smooth, atol=1e-8)


def test_a_new_item_far_away_has_finite_scores(rng):
    X, Y, _ = half_labelled(rng)
    model = CorrectAndSmooth(n_neighbors=6, n_folds=2).fit(X, Y)
    assert np.isfinite(model.decision_function(1e4 * X[:3])).all()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [({"alpha": 1.0}, "alpha must be below 1"), ({"alpha": 1.5}, "alpha"), ({"correction": -1}, "correction")],
)
def test_parameters_outside_of_their_range_raise(parameters, sentence, rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=sentence):
        CorrectAndSmooth(**parameters).fit(X, Y)


def test_parameters_are_those_of_the_docstring():
    check_parameters(CorrectAndSmooth(), n_neighbors=1, n_folds=2)


def test_a_label_that_cannot_be_learned_has_no_score_and_leaves_the_others_as_they_are(rng):
    X, Y, _ = half_labelled(rng)
    model = CorrectAndSmooth(n_neighbors=6, n_folds=2).fit(X, Y)
    with pytest.warns(UserWarning, match="cannot be learned"):
        more = CorrectAndSmooth(n_neighbors=6, n_folds=2).fit(X, np.column_stack([Y, np.full(len(Y), np.nan)]))
    np.testing.assert_allclose(more.label_scores_[:, :3], model.label_scores_, atol=1e-9)
    assert np.isnan(more.label_scores_[:, 3]).all()
    assert not more.errors_[:, 3].any()
