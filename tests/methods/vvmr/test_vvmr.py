"""VVMR against the dense Kronecker system of eq. (7), with and without gaps, and its behaviour at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import half_labelled, in_canonical_order
from tests.methods.parameters import check_parameters
from tests.oracles.vvmr import equation_7, gram, masked_equation_7

from halflabel import PartialLabels
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.vvmr import VVMR
from halflabel.methods.vvmr.problem import MANIFOLDS, graph_operator
from halflabel.numerics.graph.output_kernel import output_kernel

PLAIN = {"width": 0.7, "n_folds": 2, "scale": None}


def dense(model, X, Y):
    """Everything that the printed equations need, and the scores of all items by them."""
    observed = ~np.isnan(Y)
    annotated = np.flatnonzero(observed.any(axis=1))
    signs = np.where(observed, 2 * Y - 1, -1.0)[annotated]
    G = gram(X, model.bandwidth_)
    L = graph_operator(X, model.manifold, model.n_neighbors).toarray()
    Q = output_kernel(signs, model.label_graph_weight, normalize=model.label_graph == "normalized").matrix()
    weights = (model.setting_.alpha, model.setting_.alpha_manifold)
    if observed[annotated].all():
        A = equation_7(G, L, Q, signs, annotated, *weights)
    else:
        A = masked_equation_7(G, L, Q, signs, observed[annotated], annotated, *weights)
    return G @ A @ Q


@pytest.mark.parametrize("manifold", MANIFOLDS)
@pytest.mark.parametrize("label_graph_weight", [0.0, 0.5])
@pytest.mark.parametrize("alpha_manifold", [0.0, 1e-3])
@pytest.mark.parametrize("entries", [False, True])
def test_scores_solve_the_kronecker_system(manifold, label_graph_weight, alpha_manifold, entries, rng):
    X, Y, _ = half_labelled(rng, n_labels=4, entries=entries)
    model = VVMR(
        1e-3,
        alpha_manifold=alpha_manifold,
        label_graph_weight=label_graph_weight,
        manifold=manifold,
        tol=1e-12,
        **PLAIN,
    )
    model.fit(X, Y)
    np.testing.assert_allclose(model.label_scores_, dense(model, X, Y), atol=1e-8)
    assert model.solution_.residual < 1e-11


# -- other kernels and graphs --------------------------------------------------------


def test_a_given_graph_of_labels_is_q(rng):
    X, Y, _ = half_labelled(rng, n_labels=3)
    W = np.array([[0.0, 1, 0], [1, 0, 2], [0, 2, 0]])
    Q = output_kernel(np.ones((2, 3)), 0.4, normalize=True, graph=sparse.csr_array(W)).matrix()
    root = np.diag(1 / np.sqrt(W.sum(axis=1)))
    inverse = np.linalg.pinv(np.eye(3) - root @ W @ root)
    np.testing.assert_allclose(Q, 0.4 * inverse / (np.trace(inverse) / 3) + 0.6 * np.eye(3))
    model = VVMR(1e-3, label_graph_weight=0.4, label_graph=W, **PLAIN).fit(X, Y)
    assert np.abs(model.label_scores_ - VVMR(1e-3, **PLAIN).fit(X, Y).label_scores_).max() > 1e-3


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"manifold": np.eye(3), "alpha_manifold": 0.1}, r"manifold must be a graph of shape \(60, 60\), not of shape"),
        ({"manifold": -np.ones((60, 60)), "alpha_manifold": 0.1}, "manifold must hold weights of edges, symmetric and"),
        (
            {"label_graph": np.triu(np.ones((3, 3))), "label_graph_weight": 0.5},
            "label_graph must hold weights",
        ),
    ],
)
def test_invalid_kernels_and_graphs_raise(settings, sentence, rng):
    X, Y, _ = half_labelled(rng)
    X, Y = X[:60, :5], Y[:60, :3]
    with pytest.raises(ValueError, match=sentence):
        VVMR(1e-3, **settings).fit(X, Y)


def test_the_raw_label_graph_is_the_papers_q(rng):
    X, Y, _ = half_labelled(rng, n_labels=6)
    model = VVMR(1e-3, alpha_manifold=1e-4, label_graph_weight=0.5, label_graph="raw", **PLAIN).fit(X, Y)
    np.testing.assert_allclose(model.label_scores_, dense(model, X, Y), atol=1e-8)
    signs = 2.0 * Y[~np.isnan(Y).any(axis=1)] - 1
    raw, normal = (output_kernel(signs, 0.5, normalize=flag) for flag in (False, True))
    assert raw.values.min() == pytest.approx(0.5)
    assert normal.values.mean() == pytest.approx(1.0)
    assert raw.values.max() < normal.values.max()


def test_few_landmarks_answer_as_the_same_features_do(rng):
    X, Y, _ = half_labelled(rng, n=120)
    model = VVMR(1e-2, max_exact=20, n_landmarks=20, n_folds=2).fit(X, Y)
    assert 0 < model.model_.features.error < 1
    C = model.model_.features(model.scaler_(X))[:, :-1]
    rows = ~np.isnan(Y).any(axis=1)
    weights = np.linalg.solve(
        C[rows].T @ C[rows] + rows.sum() * 1e-2 * np.eye(C.shape[1]), C[rows].T @ (2 * Y[rows] - 1)
    )
    np.testing.assert_allclose(model.label_scores_, C @ weights, atol=1e-8)


def test_held_out_scores_are_those_of_a_refit_with_the_item_unlabelled(rng):
    X, Y = in_canonical_order(*half_labelled(rng)[:2])
    settings = {"alpha_manifold": 1e-3, "n_folds": 3, "rule": "fixed"}
    model = VVMR(1e-3, **settings).fit(X, Y)
    labels = PartialLabels.from_table(Y)
    rows = np.flatnonzero(~labels.unlabelled)
    folds = folds_of_labelled(labels[rows], 3, np.random.default_rng(0))
    hidden = rows[folds == 1]
    without = labels.hide(np.isin(np.arange(len(Y)), hidden)[:, None])
    refit = VVMR(1e-3, **settings).fit(X, without)
    expected = model.calibration_(refit.label_scores_[hidden])
    np.testing.assert_allclose(model.label_probabilities_[hidden], expected, atol=1e-8)


def test_unlabelled_items_matter_only_with_a_graph(rng):
    X, Y, _ = half_labelled(rng)
    rows = ~np.isnan(Y).any(axis=1)
    for weight, same in ((0.0, True), (1e-2, False)):
        model = VVMR(1e-3, alpha_manifold=weight, **PLAIN).fit(X, Y)
        width = model.bandwidth_ / unit(X[rows])
        alone = VVMR(1e-3, alpha_manifold=weight, **PLAIN | {"width": width}).fit(X[rows], Y[rows])
        assert np.allclose(alone.decision_function(X), model.label_scores_, atol=1e-8) == same


def unit(X):
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    return distances.sum() / (len(X) * (len(X) - 1))


def test_cross_validation_chooses_among_all_candidates(rng):
    X, Y, _ = half_labelled(rng, n=100)
    model = VVMR((10.0, 1e-3), width=(1e-3, 1.0), n_folds=3).fit(X, Y)
    table = model.cv_results_
    assert list(zip(table["width"], table["alpha"], strict=True)) == [(1e-3, 10), (1e-3, 1e-3), (1, 10), (1, 1e-3)]
    total = table["pu_f1"] + table["macro_auc"]
    best = int(np.argmax(total))
    assert (table["alpha"][best], table["width"][best]) == (model.setting_.alpha, model.setting_.width)
    assert model.setting_.width == 1.0
    assert model.bandwidth_ == pytest.approx(unit(model.scaler_(X)))


def test_one_factorisation_serves_every_weight_and_fold(rng, monkeypatch):
    from halflabel.methods.vvmr import problem

    calls = []
    original = problem.nystroem
    monkeypatch.setattr(problem, "nystroem", lambda *args, **named: calls.append(1) or original(*args, **named))
    X, Y, _ = half_labelled(rng)
    VVMR((1e-3, 1e-2), alpha_manifold=(0.0, 1e-4), width=(0.5, 1.0), n_folds=3).fit(X, Y)
    assert len(calls) == 2


def test_an_unfinished_solve_warns(rng):
    X, Y, _ = half_labelled(rng, entries=True)
    with pytest.warns(ConvergenceWarning, match="VVMR: The solver stopped at its iteration limit"):
        VVMR(1e-4, label_graph_weight=0.5, max_iter=1, n_folds=2).fit(X, Y)


def test_a_single_annotated_item_is_fitted(rng):
    y = np.full(10, np.nan)
    y[4] = 1
    with pytest.warns(UserWarning, match="cannot be learned"):
        model = VVMR().fit(rng.normal(size=(10, 2)), y)
    assert model.setting_.alpha == 6e-4


def test_sparse_items_stay_sparse(rng):
    X, Y, _ = half_labelled(rng)
    model = VVMR(1e-2, n_folds=2).fit(sparse.csr_array(X), Y)
    assert sparse.issparse(model.model_.features.landmarks)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"alpha": 0.0}, "alpha must be positive, one number or several to choose from, not 0.0"),
        ({"width": (1.0, -1.0)}, "width must be positive, .*, not -1.0"),
        ({"alpha_manifold": -1.0}, "alpha_manifold must be at least 0, .*, not -1.0"),
        ({"label_graph_weight": 1.0}, "at 1 the output kernel is singular"),
        ({"manifold": "knn"}, "manifold must be one of 'normalized', 'laplacian', 'reconstruction', not 'knn'"),
        ({"label_graph": "scaled"}, "label_graph must be one of 'normalized', 'raw'"),
    ],
)
def test_invalid_settings_raise(settings, sentence, rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=sentence):
        VVMR(**settings).fit(X, Y)


def test_parameters_are_those_of_the_docstring():
    check_parameters(VVMR(), n_neighbors=1, max_exact=2, n_landmarks=2, n_folds=2)
