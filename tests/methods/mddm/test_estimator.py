"""MDDM: the paper's dense eigenproblem, HSIC itself, gaps, rank, the journal's constraint, kernels, scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import linalg, sparse
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.conftest import half_labelled
from tests.contracts.scikit_learn import each_check, run_check
from tests.methods.parameters import check_parameters
from tests.oracles import mddm as oracle

from halflabel import PartialLabels
from halflabel.methods.baselines import BinaryRelevance
from halflabel.methods.mddm import MDDM, dependence

KERNELS = ["linear", "quadratic", "rbf"]
each_kernel = pytest.mark.parametrize("label_kernel", KERNELS)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@each_check(MDDM(), MDDM(label_kernel="rbf", kernel="rbf"), MDDM(uncorrelated=0.5))
def test_scikit_learn(estimator, check):
    run_check(estimator, check)


def complete(rng, n=70, n_features=12, n_labels=4):
    """Features of unequal scale and mean, and complete labels that depend on them."""
    X = rng.normal(size=(n, n_features)) * np.linspace(0.5, 3, n_features) + 3
    scores = X @ rng.normal(size=(n_features, n_labels)) + rng.normal(size=(n, n_labels))
    return X, (scores > np.quantile(scores, 0.7, axis=0)).astype(float)


def largest_angle(A, B):
    return linalg.subspace_angles(A, B).max(initial=0.0)


# -- the orthonormal projection ----------------------------------------------------


@each_kernel
@pytest.mark.parametrize("n_features", [3, 12, 40])
def test_it_solves_the_dense_eigenproblem(label_kernel, n_features, rng):
    X, Y = complete(rng, n_features=n_features)
    values, vectors = oracle.eigenproblem(X, oracle.label_kernel_matrix(Y, label_kernel))
    model = MDDM(threshold=1, label_kernel=label_kernel).fit(X, Y)
    r = model.rank_
    assert r == (values > 1e-12 * values[0]).sum()
    np.testing.assert_allclose(model.eigenvalues_, values[:r], rtol=1e-10, atol=1e-13 * values[0])
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(r), atol=1e-12)
    for d in range(1, r + 1):  # each direction by itself, the small ones too
        angle = largest_angle(model.components_[d - 1 : d].T, vectors[:, d - 1 : d])
        assert angle < 1e-6, (d, angle)


@each_kernel
def test_hsic_is_equation_1_of_the_projected_items(label_kernel, rng):
    X, Y = complete(rng)
    model = MDDM(2, label_kernel=label_kernel).fit(X, Y)
    Z = model.transform(X)
    assert model.hsic_ == pytest.approx(oracle.hsic(Z @ Z.T, oracle.label_kernel_matrix(Y, label_kernel)), rel=1e-10)


def test_no_other_orthonormal_projection_has_a_larger_hsic(rng):
    X, Y = complete(rng)
    best = MDDM(2).fit(X, Y)
    near = [linalg.qr(best.components_.T + 0.1 * rng.normal(size=(12, 2)), mode="economic")[0] for _ in range(20)]
    L = Y @ Y.T
    assert max(oracle.hsic(X @ P @ P.T @ X.T, L) for P in near) < best.hsic_


def test_one_label_gives_the_difference_of_its_means(rng):
    X, Y = complete(rng, n_labels=1)
    difference = X[Y[:, 0] == 1].mean(axis=0) - X[Y[:, 0] == 0].mean(axis=0)
    direction = MDDM.as_published().fit(X, Y[:, 0]).components_[0]
    assert abs(direction @ difference) == pytest.approx(np.linalg.norm(difference))
    assert direction[np.abs(direction).argmax()] > 0


def test_items_are_projected_as_they_are(rng):
    X, Y = complete(rng)
    model = MDDM(3).fit(X, Y)
    np.testing.assert_allclose(model.transform(X), X @ model.components_.T)


@each_kernel
@pytest.mark.parametrize("settings", [{}, {"uncorrelated": 0.5}, {"null_space": "variance", "n_components": 6}])
def test_sparse_features_equal_dense_ones(label_kernel, settings, rng):
    X, Y = complete(rng)
    X[X < 2] = 0
    dense = MDDM(label_kernel=label_kernel, **settings).fit(X, Y)
    thin = clone(dense).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(thin.components_, dense.components_, atol=1e-9)
    np.testing.assert_allclose(thin.transform(sparse.csr_array(X)), dense.transform(X), atol=1e-8)
    assert isinstance(thin.transform(sparse.csr_array(X)), np.ndarray)


@each_kernel
def test_permuting_items_or_labels_changes_nothing(label_kernel, rng):
    X, Y = complete(rng)
    items, labels = rng.permutation(len(X)), rng.permutation(Y.shape[1])
    a = MDDM(label_kernel=label_kernel).fit(X, Y)
    b = clone(a).fit(X[items], Y[items][:, labels])
    np.testing.assert_allclose(b.components_, a.components_, atol=1e-9)
    np.testing.assert_allclose(b.eigenvalues_, a.eigenvalues_, rtol=1e-9, atol=1e-13 * a.eigenvalues_[0])


def test_where_zero_stands_does_not_matter(rng):
    X, Y = complete(rng)
    X = np.round(X * 64) / 64  # so that the shift itself rounds nothing
    for label_kernel in KERNELS:
        a, b = (MDDM(label_kernel=label_kernel).fit(features, Y) for features in (X, X + 2.0**30))
        np.testing.assert_allclose(b.components_, a.components_, atol=1e-9)


def test_a_weak_dependence_is_distinguished_from_rounding(rng):
    """Singular values 1e-12 of the largest are 1e-24 once squared: the dense eigenproblem cannot see them."""
    X, Y = complete(rng, n_features=3, n_labels=3)
    scales = np.array([1, 1e-6, 1e-12])
    model = MDDM(3).fit(X * scales, Y)
    determinant = np.abs(linalg.det(X.T @ oracle.centring(len(X)) @ Y)) * scales.prod()
    assert np.sqrt(model.eigenvalues_.prod()) == pytest.approx(determinant, rel=1e-2)


# -- how many dimensions -----------------------------------------------------------


@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.9, 0.99, 1.0])
def test_the_threshold_takes_the_fewest_dimensions_that_reach_it(threshold, rng):
    X, Y = complete(rng, n_labels=8)
    model = MDDM(threshold=threshold).fit(X, Y)
    shares = np.cumsum(model.eigenvalues_) / model.eigenvalues_.sum()
    enough = [d for d in range(1, model.rank_ + 1) if shares[d - 1] >= threshold - 1e-15]
    assert model.n_components_ == len(model.components_) == enough[0]


def test_labels_that_add_up_to_one_have_one_dimension_less(rng):
    X, _ = complete(rng)
    Y = np.eye(4)[rng.integers(4, size=len(X))]
    assert MDDM().fit(X, Y).rank_ == 3
    assert MDDM().fit(X * 1e6 + 1e9, Y).rank_ == 3
    assert MDDM().fit(sparse.csr_array(X), Y).rank_ == 3


def test_a_wide_rbf_kernel_has_the_rank_of_the_linear_one(rng):
    """exp(-g d) = 1 - g d to rounding: what lies below the rounding of the Gram matrix is no dependence."""
    X, Y = complete(rng)
    wide, linear = MDDM(label_kernel="rbf", label_gamma=1e-9, threshold=1).fit(X, Y), MDDM(threshold=1).fit(X, Y)
    assert wide.rank_ == linear.rank_ == 4
    np.testing.assert_allclose(wide.eigenvalues_, 2e-9 * linear.eigenvalues_, rtol=1e-5)


def test_more_dimensions_than_the_rank_raise(rng):
    X, Y = complete(rng)
    with pytest.raises(ValueError, match=r"n_components=5, but only 4 of 12 directions .* null_space='variance'"):
        MDDM(5).fit(X, Y)
    with pytest.raises(ValueError, match="n_components=13, but there are only 12 features"):
        MDDM(13, null_space="variance").fit(X, Y)


def test_the_null_space_is_filled_with_principal_directions(rng):
    X, Y = complete(rng)
    model = MDDM(7, null_space="variance").fit(X, Y)
    dependent, rest = model.components_[:4], model.components_[4:]
    np.testing.assert_allclose(dependent, MDDM(4).fit(X, Y).components_)
    deflated = X - X @ dependent.T @ dependent
    expected = PCA(3).fit(deflated).components_
    np.testing.assert_allclose(np.abs((rest * expected).sum(axis=1)), 1, atol=1e-10)
    assert model.hsic_ == pytest.approx(MDDM(4).fit(X, Y).hsic_)


# -- the journal's constraint ------------------------------------------------------


@pytest.mark.parametrize("mu", [0.3, 1.0])
@each_kernel
def test_uncorrelated_solves_the_generalised_eigenproblem(mu, label_kernel, rng):
    X, Y = complete(rng)
    metric = oracle.journal_metric(X, mu)
    values, vectors = oracle.eigenproblem(X, oracle.label_kernel_matrix(Y, label_kernel), metric)
    model = MDDM(4, uncorrelated=mu, label_kernel=label_kernel).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_[:4], values[:4], rtol=1e-10)
    np.testing.assert_allclose(model.components_ @ metric @ model.components_.T, np.eye(4), atol=1e-10)
    assert largest_angle(model.components_.T, vectors[:, :4]) < 1e-6
    Z = model.transform(X)
    assert model.hsic_ == pytest.approx(oracle.hsic(Z @ Z.T, oracle.label_kernel_matrix(Y, label_kernel)), rel=1e-9)


@pytest.mark.parametrize("n_features", [12, 200])
def test_at_one_the_projected_features_are_uncorrelated(n_features, rng):
    X, Y = complete(rng, n_features=n_features)
    Y[50:] = np.nan  # unlabelled items have features, and count
    Z = MDDM(uncorrelated=1.0).fit_transform(X, Y)
    Z = Z - Z.mean(axis=0)
    np.testing.assert_allclose(Z.T @ Z, np.eye(Z.shape[1]), atol=1e-9)


def test_the_kernel_s_features_can_be_uncorrelated_too(rng):
    X, Y = complete(rng)
    Z = MDDM(uncorrelated=1.0, kernel="rbf", gamma=0.02).fit_transform(X, Y)
    np.testing.assert_allclose(np.cov(Z.T) * (len(Z) - 1), np.eye(Z.shape[1]), atol=1e-6)


# -- gaps --------------------------------------------------------------------------


@pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
def test_each_label_is_centred_on_its_own_observed_entries(entries, rng):
    X, Y, _ = half_labelled(rng, entries=entries)
    S = oracle.cross_covariance_with_gaps(X, Y)
    vectors, values, _ = linalg.svd(S, full_matrices=False)
    model = MDDM(threshold=1).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, values**2, rtol=1e-10)
    np.testing.assert_allclose(np.abs((model.components_.T * vectors).sum(axis=0)), 1, atol=1e-10)
    assert model.hsic_ == pytest.approx((values**2).sum() / ((~np.isnan(Y)).any(axis=1).sum() - 1) ** 2)


@each_kernel
def test_unlabelled_items_are_left_out(label_kernel, rng):
    X, Y, _ = half_labelled(rng)
    labelled = ~np.isnan(Y[:, 0])
    with_them = MDDM(label_kernel=label_kernel).fit(X, Y)
    without = MDDM(label_kernel=label_kernel).fit(X[labelled], Y[labelled])
    np.testing.assert_allclose(with_them.components_, without.components_, atol=1e-9)
    assert with_them.hsic_ == pytest.approx(without.hsic_)


@pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
def test_hidden_values_never_change_the_result(entries, rng):
    X, Y, full = half_labelled(rng, entries=entries)
    mask = ~np.isnan(Y)
    other = np.where(mask, full, 1 - full)
    a, b = (MDDM().fit(X, PartialLabels.from_observed(values, mask)) for values in (full, other))
    np.testing.assert_array_equal(a.components_, b.components_)
    frame = pd.DataFrame(Y, columns=list("abc")).astype("Int8")
    np.testing.assert_array_equal(MDDM().fit(X, frame).components_, a.components_)


def test_a_label_with_one_value_adds_nothing(rng):
    X, Y = complete(rng)
    padded = np.column_stack([Y, np.ones(len(Y)), np.full(len(Y), np.nan)])
    padded[3, 4] = np.nan
    a, b = MDDM().fit(X, Y), MDDM().fit(X, padded)
    np.testing.assert_allclose(b.components_, a.components_, atol=1e-12)
    np.testing.assert_allclose(b.eigenvalues_, a.eigenvalues_)


@pytest.mark.parametrize("label_kernel", ["quadratic", "rbf"])
def test_an_unknown_entry_is_the_rate_of_its_label_in_other_label_kernels(label_kernel, rng):
    X, Y = complete(rng, n=40)
    Y[5, 1] = Y[9, 0] = np.nan
    Y[11] = np.nan
    rows = ~np.isnan(Y).all(axis=1)
    filled = np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y)[rows]
    values, vectors = oracle.eigenproblem(X[rows], oracle.label_kernel_matrix(filled, label_kernel))
    model = MDDM(2, label_kernel=label_kernel).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_[:2], values[:2])
    assert largest_angle(model.components_.T, vectors[:, :2]) < 1e-7


def test_positive_only_labels_have_the_directions_of_the_complete_ones_on_average(rng):
    X, Y = complete(rng, n=60)
    whole = dependence.label_covariance(X, Y, np.ones_like(Y, dtype=bool))[0]
    draws = [
        dependence.label_covariance(X, Y * (rng.random(Y.shape) < 0.7), np.ones_like(Y, dtype=bool))[0]
        for _ in range(3000)
    ]
    np.testing.assert_allclose(np.mean(draws, axis=0), 0.7 * whole, atol=0.02 * np.abs(whole).max())
    missing = Y * (rng.random(Y.shape) < 0.7)
    model = MDDM(2).fit(X, PartialLabels.from_positives(np.where(missing > 0, 1.0, 0.0)))
    np.testing.assert_allclose(model.components_, MDDM(2).fit(X, missing).components_)


# -- other label kernels -----------------------------------------------------------


def test_a_given_label_kernel_is_that_of_eq_3(rng):
    X, Y = complete(rng, n=40)
    Y[[3, 8]] = np.nan
    rows = ~np.isnan(Y).all(axis=1)
    A = rng.normal(size=(40, 5))
    values, vectors = oracle.eigenproblem(X[rows], (A @ A.T)[np.ix_(rows, rows)])
    model = MDDM(3, label_kernel=A @ A.T).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_[:3], values[:3])
    assert largest_angle(model.components_.T, vectors[:, :3]) < 1e-7
    assert clone(model).fit(X, Y).rank_ == model.rank_


def test_a_function_of_label_vectors_is_a_label_kernel(rng):
    X, Y = complete(rng)
    named = MDDM(2, label_kernel="quadratic").fit(X, Y)
    given = MDDM(2, label_kernel=lambda Y: (Y @ Y.T + 1) ** 2).fit(X, Y)
    np.testing.assert_allclose(given.components_, named.components_)


@pytest.mark.parametrize("gaps", [False, True])
def test_correlated_labels_are_yc_y(gaps, rng):
    X, Y = complete(rng)
    Y[rng.random(Y.shape) < 0.3 * gaps] = np.nan
    A = rng.normal(size=(4, 3))
    S = oracle.cross_covariance_with_gaps(X, Y)
    values, vectors = linalg.eigh(S @ A @ A.T @ S.T)
    model = MDDM(3, label_correlation=A @ A.T).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:3])
    assert largest_angle(model.components_.T, vectors[:, -3:]) < 1e-7
    same = MDDM(2, label_correlation=np.eye(4)).fit(X, Y)
    np.testing.assert_allclose(np.abs(same.components_), np.abs(MDDM(2).fit(X, Y).components_), atol=1e-9)


def test_a_learned_correlation_joins_labels_that_occur_together(rng):
    X, Y = complete(rng)
    Y[:, 1] = Y[:, 0]
    Q = dependence.correlation_root("learned", Y, np.ones_like(Y, dtype=bool))
    Q = Q @ Q.T
    assert np.linalg.eigvalsh(Q).min() > 0
    assert Q[0, 1] == Q[0, 1:].max()
    assert MDDM(2, label_correlation="learned").fit(X, Y).rank_ >= 2


def test_cca_has_the_canonical_correlations(rng):
    """By the product of both orthonormal bases, another route to the same numbers."""
    X, Y = complete(rng)
    model = MDDM.cca(3).fit(X, Y)
    bases = [linalg.qr(M - M.mean(axis=0), mode="economic")[0] for M in (X, Y)]
    correlations = linalg.svdvals(bases[0].T @ bases[1])
    np.testing.assert_allclose(np.sqrt(model.eigenvalues_), correlations)
    projected = model.transform(X) - model.transform(X).mean(axis=0)
    np.testing.assert_allclose(projected.T @ projected, np.eye(3), atol=1e-10)


def test_labels_without_variance_raise(rng):
    X, Y = complete(rng)
    with pytest.raises(ValueError, match="no label depends on any feature"):
        MDDM().fit(X, np.ones_like(Y))
    with pytest.raises(ValueError, match="no label of any of the 70 items is observed"):
        MDDM().fit(X, np.full_like(Y, np.nan))


# -- kernel MDDM -------------------------------------------------------------------


@each_kernel
def test_kernel_mddm_solves_the_dual(label_kernel, rng):
    X, Y = complete(rng, n=40)
    L = oracle.label_kernel_matrix(Y, label_kernel)
    values, scores = oracle.dual_scores(rbf_kernel(X, gamma=0.05), L)
    model = MDDM(3, kernel="rbf", gamma=0.05, label_kernel=label_kernel).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_[:3], values[:3], rtol=1e-8)
    Z = model.transform(X)
    np.testing.assert_allclose(np.abs(Z), np.abs(scores[:, :3]), atol=1e-7)
    assert model.kernel_error_ == 0
    assert model.hsic_ == pytest.approx(oracle.hsic(Z @ Z.T, L), rel=1e-8)


def test_scores_see_features_through_inner_products_alone(rng):
    """The dual with a linear kernel is the primal: any features with the same Gram matrix give the same scores."""
    X, Y = complete(rng, n=40)
    _, scores = oracle.dual_scores(X @ X.T, Y @ Y.T)
    values, vectors = linalg.eigh(X @ X.T)
    root = vectors * np.sqrt(np.maximum(values, 0))
    primal, rooted = MDDM(3).fit_transform(X, Y), MDDM(3).fit_transform(root, Y)
    np.testing.assert_allclose(np.abs(primal), np.abs(scores[:, :3]), atol=1e-8)
    np.testing.assert_allclose(np.abs(rooted), np.abs(primal), atol=1e-8)


def test_the_nystroem_error_is_measured(rng):
    X, Y = complete(rng, n=300)
    exact, rough, fine = (MDDM(2, kernel="rbf", max_landmarks=m).fit(X, Y) for m in (300, 20, 200))
    assert 0 == exact.kernel_error_ < fine.kernel_error_ < rough.kernel_error_ < 1
    assert MDDM(2).fit(X, Y).kernel_error_ == 0  # there is no kernel
    lost = np.abs(fine.transform(X)) - np.abs(exact.transform(X))
    assert np.abs(lost).max() < 0.1 * np.abs(exact.transform(X)).max()
    assert rough.components_.shape == (2, 20)


# -- settings, errors, scikit-learn ------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"label_kernel": "cubic"}, "label_kernel must be one of 'linear', 'quadratic', 'rbf', not 'cubic'"),
        ({"label_kernel": np.eye(3)}, r"label_kernel must be a matrix of shape \(70, 70\), not of shape \(3, 3\)"),
        ({"label_kernel": -np.eye(70)}, "without negative eigenvalues; its smallest is -1"),
        ({"label_kernel": np.triu(np.ones((70, 70)))}, "symmetric and finite; this one is not"),
        ({"label_correlation": "strong"}, "label_correlation must be one of None, 'learned', 'whitened'"),
        ({"label_correlation": np.eye(5)}, r"label_correlation must be a matrix of shape \(4, 4\)"),
        ({"label_correlation": "learned", "label_kernel": "rbf"}, "label_correlation is for label_kernel='linear'"),
        ({"kernel": "poly"}, "kernel must be one of None, 'rbf', not 'poly'"),
        ({"null_space": "random"}, "null_space must be one of"),
        ({"n_components": 0}, "n_components must be a whole number of at least 1, not 0"),
        ({"n_components": 1.5}, "n_components must be a whole number"),
        ({"max_landmarks": 1}, "max_landmarks must be a whole number of at least 2"),
        ({"threshold": None}, "threshold must lie between 0 and 1"),
        ({"gamma": "x"}, "gamma must be positive and finite"),
        ({"threshold": 1.1}, "threshold must lie between 0 and 1"),
        ({"uncorrelated": -0.1}, "uncorrelated must lie between 0 and 1"),
        ({"gamma": 0}, "gamma must be positive and finite"),
        ({"label_gamma": np.inf}, "label_gamma must be positive and finite"),
        ({"uncorrelated": 1, "null_space": "variance"}, "fills an orthonormal projection only"),
    ],
)
def test_invalid_settings_raise(settings, sentence, rng):
    with pytest.raises(ValueError, match=sentence):
        MDDM(**settings).fit(*complete(rng))


@pytest.mark.parametrize(
    "settings",
    [
        {"label_kernel": np.zeros((70, 70))},
        {"label_kernel": lambda sets: np.zeros((len(sets), len(sets)))},
        {"label_correlation": np.zeros((4, 4))},
    ],
    ids=["kernel", "function", "correlation"],
)
def test_a_label_kernel_of_zeros_has_no_direction(settings, rng):
    with pytest.raises(ValueError, match="no label depends on any feature"):
        MDDM(**settings).fit(*complete(rng))


def test_inputs_stay_as_they_were(rng):
    X, Y, _ = half_labelled(rng)
    before = X.copy(), Y.copy()
    for settings in ({}, {"uncorrelated": 1}, {"n_components": 5, "null_space": "variance"}, {"kernel": "rbf"}):
        MDDM(**settings).fit(X, Y).transform(X)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(Y, before[1])


def test_names_pickle_search_and_pipeline(rng):
    X, Y = complete(rng)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(12)], index=np.arange(70) + 100)
    out = MDDM(2).set_output(transform="pandas").fit_transform(frame, Y)
    assert list(out.columns) == ["mddm0", "mddm1"]
    assert (out.index == frame.index).all()
    model = make_pipeline(StandardScaler(), MDDM(), KNeighborsClassifier(3)).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    search = GridSearchCV(model, {"mddm__n_components": [1, 3], "mddm__uncorrelated": [None, 1.0]}, cv=KFold(3))
    assert np.isfinite(search.fit(X, Y).cv_results_["mean_test_score"]).all()


def test_its_tags_are_those_of_a_projection_by_many_labels():
    tags = MDDM().__sklearn_tags__()
    assert tags.input_tags.sparse
    assert tags.target_tags.required
    assert tags.target_tags.two_d_labels
    assert (tags.classifier_tags.multi_class, tags.classifier_tags.multi_label) == (False, True)


def test_two_items_are_enough():
    model = MDDM().fit([[0.0, 0.0], [3.0, 4.0]], [0, 1])
    np.testing.assert_allclose(model.components_, [[0.6, 0.8]])
    np.testing.assert_allclose(model.transform([[5.0, 0.0]]), [[3.0]])  # and one is for projection
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        MDDM().fit([[3.0, 4.0]], [1])


def test_it_serves_a_method_that_takes_gaps(rng):
    X, Y, _ = half_labelled(rng, entries=True)
    model = make_pipeline(MDDM(), BinaryRelevance(n_folds=2)).fit(X, Y)
    assert model.predict_proba(X).shape == Y.shape


def test_parameters_are_those_of_the_docstring():
    check_parameters(MDDM(n_components=1), max_landmarks=2, n_components=1)
