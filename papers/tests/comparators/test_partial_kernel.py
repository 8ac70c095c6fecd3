"""The kernel of items with gaps: against loops over shared features, and with a label that is no linear function."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.methods.parameters import check_parameters

from halflabel import MC1
from halflabel.labels.metrics import macro_auc
from halflabel.labels.partial import PartialLabels
from halflabel_papers.comparators.partial_kernel import PartialKernel

#: Of two vectors of d features without gaps, in the unit s.
COMPLETE = {
    "polynomial": lambda x, z, d, s: polynomial_kernel(x, z, degree=2, gamma=1 / (d * s**2), coef0=1),
    "rbf": lambda x, z, d, s: rbf_kernel(x, z, gamma=1 / (2 * d * s**2)),
    "linear": lambda x, z, d, s: linear_kernel(x, z) / (d * s**2),
}


def gapped(rng, n=20, d=6, share=0.4):
    X = rng.normal(size=(n, d))
    hidden = rng.random((n, d)) < share
    hidden[0], hidden[1] = True, False
    return np.where(hidden, np.nan, X), X


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([PartialKernel()])
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kernel", COMPLETE)
@pytest.mark.parametrize("min_shared", [0.0, 0.5, 1.0])
def test_the_kernel_of_two_items_is_that_of_the_features_that_they_share(kernel, min_shared, rng):
    X, _ = gapped(rng)
    model = PartialKernel(kernel, width=1.5, min_shared=min_shared, max_landmarks=7, scale=None).fit(X)
    gram, seen, known = model.transform(X), ~np.isnan(X), ~np.isnan(model.landmarks_)
    for i, j in np.ndindex(20, 7):
        shared = seen[i] & known[j]
        if shared.sum() >= max(min_shared * 6, 1):
            pair = (X[[i]][:, shared], model.landmarks_[[j]][:, shared])
            assert gram[i, j] == pytest.approx(COMPLETE[kernel](*pair, shared.sum(), 1.5)[0, 0])
        else:
            assert np.isnan(gram[i, j])


def test_features_are_standardised_by_their_known_cells(rng):
    X, _ = gapped(rng)
    Z = (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)
    given, own = PartialKernel(scale=None).fit(Z), PartialKernel().fit(10 * X + 3)
    np.testing.assert_allclose(own.transform(10 * X + 3), given.transform(Z))


@pytest.mark.parametrize("max_landmarks", [5, 100])
def test_another_order_of_the_items_changes_no_bit(max_landmarks, rng):
    X, items = gapped(rng)[0], rng.permutation(20)
    model, moved = (PartialKernel(max_landmarks=max_landmarks).fit(each) for each in (X, X[items]))
    assert model.landmarks_.shape == (min(max_landmarks, 20), 6)
    np.testing.assert_array_equal(moved.transform(X), model.transform(X))


def test_a_label_that_is_a_product_of_features_needs_the_kernel(rng):
    scores = rng.normal(size=(150, 2))
    X = np.repeat(scores, 8, axis=1) + 0.3 * rng.normal(size=(150, 16))
    X[rng.random(X.shape) < 0.3] = np.nan
    truth = (scores[:, :1] * scores[:, 1:] > 0) * 1.0
    known = np.where(rng.random(truth.shape) < 0.5, truth, np.nan)
    hidden = PartialLabels.from_table(np.where(np.isnan(known), truth, np.nan))
    settings = {"label_weight": 1.0, "n_folds": 2}
    linear, kernel = MC1(**settings), make_pipeline(PartialKernel(max_landmarks=30), MC1(**settings))
    aucs = [macro_auc(hidden, model.fit(X, known).predict_proba(X)) for model in (linear, kernel)]
    assert aucs[0] < 0.65 < 0.85 < aucs[1]


def test_parameters_are_those_of_the_docstring():
    check_parameters(PartialKernel(), max_landmarks=1)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"kernel": "cosine"}, "kernel must be one of 'polynomial', 'rbf', 'linear', not 'cosine'"),
        ({"width": 0.0}, "width must be positive"),
        ({"min_shared": -0.1}, "min_shared must be at least 0"),
        ({"scale": "robust"}, "scale must be 'auto', 'standard' or None, not 'robust'"),
    ],
)
def test_invalid_settings_raise(settings, sentence, rng):
    with pytest.raises(ValueError, match=sentence):
        PartialKernel(**settings).fit(gapped(rng)[0])


def test_tables_without_a_meaning_raise(rng):
    X, _ = gapped(rng)
    with pytest.raises(ValueError, match=r"no cell of X is known: PartialKernel needs values that items share\."):
        PartialKernel().fit(np.full((3, 2), np.nan))
    with pytest.raises(TypeError, match="PartialKernel got sparse X, in which an absent cell is a zero and not a gap"):
        PartialKernel().fit(sparse.csr_array(np.nan_to_num(X)))
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="feature 2 holds inf in row 3"):
        PartialKernel().fit(X)
