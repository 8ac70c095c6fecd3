"""Contracts of every estimator (design: contracts a to l).

A test with the argument ``estimator`` runs for each of the ``ESTIMATORS`` of the module that holds it: another
distribution takes these tests over, and has a list of its own.
"""

from __future__ import annotations

import inspect
import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.conftest import half_labelled
from tests.contracts.scikit_learn import each_check, run_check

from halflabel import MC1, SSDRMC, AutoLabeler, MCb, PartialLabels, Rule
from halflabel.methods.auto import EFFORTS
from halflabel.methods.baselines import BinaryRelevance, MLkNN
from halflabel.methods.vvmr import VVMR, LowRankVVMR

#: One list, reviewed: each estimator once, in a form that is quick on sixty items.
ESTIMATORS = [
    AutoLabeler("fast", members=EFFORTS["default"].members, n_folds=2),
    SSDRMC(n_neighbors=6, solver_tol=1e-10),
    SSDRMC(n_neighbors=6, inference="minimizer", fit_weight=1.0, solver_tol=1e-10),
    SSDRMC(n_neighbors=6, inference="fixed_point", ridge=1e-3, max_alternations=3),
    BinaryRelevance(LogisticRegression(max_iter=1000, tol=1e-8), n_folds=2),
    BinaryRelevance(KNeighborsClassifier(3), n_folds=2),
    MLkNN(n_neighbors=4),
    MC1(alpha=1e-2, label_weight=1.0, n_folds=2),
    MCb(alpha=1e-2, label_weight=1.0, n_folds=2),
    VVMR(alpha=1e-2, n_folds=2),
    VVMR(alpha=1e-2, alpha_manifold=1e-3, label_graph_weight=0.5, n_folds=2, tol=1e-12),
    LowRankVVMR(alpha=1e-2, knee=0.1, width=1.0, n_folds=2, tol=1e-12, max_iter=4000),
    LowRankVVMR(alpha=1e-2, knee=0.1, alpha_trace=1e-3, width=1.0, n_folds=2, tol=1e-12, max_iter=4000),
]

gaps = pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])


def pytest_generate_tests(metafunc):
    """Run a contract for each estimator of its module; the checks of scikit-learn bring their own."""
    if "estimator" in metafunc.fixturenames and "check" not in metafunc.fixturenames:
        metafunc.parametrize("estimator", metafunc.module.ESTIMATORS, ids=lambda e: repr(e)[:40])


pytestmark = [
    pytest.mark.filterwarnings("ignore:.*cannot be learned:UserWarning"),
    pytest.mark.usefixtures("small_forests"),
]


@cache
def fit_once(estimator, entries=False):
    """Fit the estimator once on the table that the fixture `rng` gives; tests that only read the model share it."""
    X, Y, _ = half_labelled(np.random.default_rng(0), entries=entries)
    return clone(estimator).fit(X, Y)


VECTOR_VALUED = [VVMR(alpha=1e-2, n_folds=2), LowRankVVMR(alpha=1e-2, knee=0.1, width=1.0, n_folds=2)]
PLAIN = [AutoLabeler("fast", n_folds=2), SSDRMC(n_neighbors=3)]
COMPLETIONS = [kind(alpha=1e-2, label_weight=1.0, n_folds=2, tol=1e-2) for kind in (MC1, MCb)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@each_check(*PLAIN, MLkNN(n_neighbors=3), COMPLETIONS[0], VECTOR_VALUED[1], siblings=(COMPLETIONS[1], VECTOR_VALUED[0]))
def test_scikit_learn(estimator, check):
    run_check(estimator, check)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@each_check(BinaryRelevance(n_folds=2), all_containers=True)
def test_scikit_learn_with_all_sparse_containers(estimator, check):
    run_check(estimator, check)


@gaps
def test_hidden_values_never_change_the_result(estimator, entries, rng):
    X, Y, complete = half_labelled(rng, entries=entries)
    mask = ~np.isnan(Y)
    other = np.where(mask, complete, 1 - complete)
    a, b = fit_once(estimator, entries), clone(estimator).fit(X, PartialLabels.from_observed(other, mask))
    np.testing.assert_array_equal(a.label_probabilities_, b.label_probabilities_)
    np.testing.assert_array_equal(a.transduction_, b.transduction_)


def test_every_form_of_labels_gives_the_same_fit(estimator, rng):
    X, Y, _ = half_labelled(rng, entries=True)  # for PartialLabels see the test above
    model = clone(estimator).fit(X, pd.DataFrame(Y, columns=list("abc")).astype("Int8"))
    np.testing.assert_array_equal(model.label_probabilities_, fit_once(estimator, entries=True).label_probabilities_)


@gaps
def test_the_contracts_are_about_a_fit_that_learned_every_label(estimator, entries):
    """With a weight that leaves nothing of the scores, most contracts would hold without a reason."""
    assert (fit_once(estimator, entries).label_scores_.std(axis=0) > 0.01).all()


@gaps
def test_known_entries_are_returned_verbatim(estimator, entries, rng):
    _, Y, _ = half_labelled(rng, entries=entries)
    filled = fit_once(estimator, entries).transduction_
    known = ~np.isnan(Y)
    np.testing.assert_array_equal(filled[known], Y[known])
    assert set(np.unique(filled)) <= {0, 1}


def test_observed_entries_have_out_of_fold_scores_and_probabilities(estimator, rng):
    X, Y, _ = half_labelled(rng, entries=True)
    Y[:, 2] = np.where(np.isnan(Y[:, 2]), np.nan, 1)
    model = clone(estimator).fit(X, Y)
    held_out, known = model.out_of_fold_scores_, ~np.isnan(Y)
    assert np.isnan(held_out[~known]).all()
    assert np.isnan(held_out[:, 2]).all()
    assert np.isfinite(held_out[:, :2][known[:, :2]]).mean() > 0.9  # a fold without a label's one value has no score
    expected = model.calibration_(held_out)
    np.testing.assert_array_equal(model.label_probabilities_[known], expected[known])
    assert "out_of_fold_scores_" not in model.to_state()


def test_complete_labels_need_no_mask(estimator, rng):
    X, _, complete = half_labelled(rng, n=30)
    a = clone(estimator).fit(X, complete)
    b = clone(estimator).fit(X, PartialLabels.from_observed(complete, np.ones(complete.shape, bool)))
    np.testing.assert_array_equal(a.label_scores_, b.label_scores_)
    assert not np.isnan(a.label_probabilities_).any()


#: What a fit stores per item; new items are separate.
PER_ITEM = (
    "label_scores_",
    "out_of_fold_scores_",
    "label_probabilities_",
    "transduction_",
    "folds_",
    "left_",
    "field_",
)


def tie_items(X, Y):
    """Give every fifth item the features of its neighbour, and half of these its labels too, with ties to break."""
    X, Y = X.round(1), Y.copy()
    X[::5], Y[::10] = X[1::5], Y[1::10]
    return X, Y


@pytest.mark.parametrize(("entries", "ties"), [(False, False), (True, False), (True, True)])
def test_the_order_of_the_items_changes_no_bit(estimator, entries, ties, rng):
    X, Y, _ = half_labelled(rng, entries=entries)
    X, Y = tie_items(X, Y) if ties else (X, Y)
    items, new = rng.permutation(len(X)), rng.normal(size=(7, 5)).round(1)
    a = clone(estimator).fit(X, Y) if ties else fit_once(estimator, entries)
    b = clone(estimator).fit(X[items], Y[items])
    for name in (name for name in PER_ITEM if hasattr(a, name)):
        one, other = getattr(a, name), getattr(b, name)[np.argsort(items)]
        if ties:  # items that are equal in everything may change places
            one, other = sort_equal_items(X, Y, one), sort_equal_items(X, Y, other)
        np.testing.assert_array_equal(other, one, err_msg=name)
    np.testing.assert_array_equal(b.thresholds_, a.thresholds_)
    np.testing.assert_array_equal(b.predict_proba(new), a.predict_proba(new))


def sort_equal_items(X, Y, table):
    """Return the rows of a table, sorted among items that are equal in features and labels."""
    same = np.unique(np.hstack([X, np.nan_to_num(Y, nan=9)]), axis=0, return_inverse=True)[1].ravel()
    columns = np.asarray(table, dtype=float).reshape(len(table), -1)
    return columns[np.lexsort([*columns.T, same])]


@gaps
def test_the_order_of_the_labels_changes_nothing_but_rounding(estimator, entries, rng):
    X, Y, _ = half_labelled(rng, entries=entries)
    labels, items, new = [2, 0, 1], rng.permutation(len(X)), rng.normal(size=(7, 5))
    a, b = fit_once(estimator, entries), clone(estimator).fit(X[items], Y[items][:, labels])
    for name in ("label_scores_", "out_of_fold_scores_", "label_probabilities_"):
        np.testing.assert_allclose(getattr(b, name), getattr(a, name)[items][:, labels], atol=1e-6, err_msg=name)
    np.testing.assert_allclose(b.thresholds_, a.thresholds_[labels], atol=1e-6)
    np.testing.assert_allclose(b.predict_proba(new), a.predict_proba(new)[:, labels], atol=1e-6)
    np.testing.assert_array_equal(b.transduction_, a.transduction_[items][:, labels])


@gaps
def test_the_order_of_the_features_changes_nothing_but_rounding(estimator, entries, rng):
    X, Y, _ = half_labelled(rng, entries=entries)
    features, items, new = rng.permutation(5), rng.permutation(len(X)), rng.normal(size=(7, 5))
    a, b = fit_once(estimator, entries), clone(estimator).fit(X[items][:, features], Y[items])
    np.testing.assert_allclose(b.label_probabilities_, a.label_probabilities_[items], atol=1e-6)
    np.testing.assert_allclose(b.predict_proba(new[:, features]), a.predict_proba(new), atol=1e-6)


def test_nothing_observed_is_an_error(estimator, rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match="no label of any of the 60 items is observed"):
        clone(estimator).fit(X, np.full_like(Y, np.nan))


@pytest.mark.parametrize("value", [-1, 2, np.inf])
def test_an_impossible_value_is_an_error(estimator, value, rng):
    X, Y, _ = half_labelled(rng)
    Y[3, 1] = value
    with pytest.raises(ValueError, match=r"label 'label1' holds .* \(row 3\), but a label is 1"):
        clone(estimator).fit(X, Y)


def test_the_same_random_state_gives_the_same_bits_and_inputs_stay_as_they_were(estimator, rng):
    X, Y, _ = half_labelled(rng)
    X_before, Y_before = X.copy(), Y.copy()
    again = clone(estimator).fit(X, Y)
    again.predict(X)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(Y, Y_before)
    assert isinstance(estimator.random_state, int)
    assert again.label_probabilities_.tobytes() == fit_once(estimator).label_probabilities_.tobytes()


@pytest.mark.parametrize("scale", ["standard", None])
def test_sparse_features_equal_dense_ones(estimator, scale, rng):
    X, Y, _ = half_labelled(rng)
    X[np.abs(X) < 0.8] = 0
    dense = clone(estimator).set_params(scale=scale).fit(X, Y)
    thin = clone(estimator).set_params(scale=scale).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(thin.label_scores_, dense.label_scores_, atol=1e-6)
    expected = dense.predict_proba(X)
    np.testing.assert_allclose(thin.predict_proba(sparse.csr_array(X)), expected, atol=1e-5)
    np.testing.assert_allclose(thin.predict_proba(X), expected, atol=1e-5)
    np.testing.assert_allclose(dense.predict_proba(sparse.csr_array(X)), expected, atol=1e-5)


def test_the_declared_arguments_are_those_of_fit(estimator):
    assert {"X", "y"} | estimator.auxiliary == set(inspect.signature(estimator.fit).parameters)


def test_clone_pickle_search_and_pipeline(estimator, rng):
    X, Y, _ = half_labelled(rng)
    pipeline = make_pipeline(StandardScaler(), clone(estimator))
    rules = {f"{type(estimator).__name__.lower()}__rule": [Rule("cost", ratio=2)]}
    search = GridSearchCV(pipeline, rules, cv=2).fit(X, Y)
    assert np.isfinite([search.cv_results_[f"split{k}_test_score"] for k in (0, 1)]).all()
    model = search.best_estimator_
    assert model[-1].rule == Rule("cost", ratio=2)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_cross_val_predict_cannot_recode_labels_in_silence(estimator, rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises((ValueError, AttributeError)):
        cross_val_predict(clone(estimator), X, Y, cv=2, method="predict_proba")


def test_predict_is_a_function_of_the_row(estimator, rng):
    model = fit_once(estimator)
    new = rng.normal(size=(9, 5))
    together = model.predict_proba(new)
    alone = np.vstack([model.predict_proba(row[None]) for row in new])
    np.testing.assert_allclose(alone, together, atol=1e-10)
    order = rng.permutation(9)
    np.testing.assert_array_equal(model.predict(new[order]), model.predict(new)[order])


def test_a_one_dimensional_target_is_one_label(estimator, rng):
    X, Y, _ = half_labelled(rng, n=40)
    flat, table = clone(estimator).fit(X, Y[:, 0]), clone(estimator).fit(X, Y[:, [0]])
    assert flat.transduction_.shape == (40,)
    assert flat.predict(X).shape == (40,)
    np.testing.assert_allclose(flat.predict_proba(X)[:, 1], table.predict_proba(X)[:, 0])


def test_a_label_seen_with_one_value_gets_its_rate(estimator, rng):
    X, Y, _ = half_labelled(rng)
    Y[~np.isnan(Y[:, 1]), 1] = 0
    Y[:, 2] = np.nan
    with pytest.warns(UserWarning, match=r"2 of 3 labels .* cannot be learned .“label1” and “label2”"):
        model = clone(estimator).fit(X, Y)
    assert np.isnan(model.label_scores_[:, 1:]).all()
    seen = (~np.isnan(Y[:, 1])).sum()
    np.testing.assert_allclose(model.label_probabilities_[:, 1], 0.5 / (seen + 1))
    assert np.ptp(model.label_probabilities_[:, 2]) == 0


def test_two_labelled_items_are_enough(estimator, rng):
    X, Y, _ = half_labelled(rng)
    Y[2:] = np.nan
    model = clone(estimator)
    if isinstance(getattr(model, "classifier", None), KNeighborsClassifier):
        model.set_params(classifier__n_neighbors=1)
    p = model.fit(X, Y).label_probabilities_
    assert ((p > 0) & (p < 1)).all()


def test_where_zero_stands_does_not_matter(estimator, rng):
    X, Y, _ = half_labelled(rng)
    base, moved = fit_once(estimator), clone(estimator).fit(X + 1e6, Y)
    np.testing.assert_allclose(moved.label_scores_, base.label_scores_, atol=1e-4)
    np.testing.assert_allclose(moved.predict_proba(X + 1e6), base.predict_proba(X), atol=1e-4)


def test_features_beyond_squaring_raise(estimator, rng):
    X, Y, _ = half_labelled(rng)
    X[:, 3] *= 1e160
    with pytest.raises(ValueError, match="feature 3 has values too large to be squared"):
        clone(estimator).fit(X, Y)


def test_an_observed_entry_without_an_out_of_fold_score_gets_the_rate(rng):
    X, Y, _ = half_labelled(rng)
    rows = np.flatnonzero(~np.isnan(Y[:, 0]))
    Y[rows, 0] = 0
    Y[rows[3], 0] = 1  # without its item the label has one value only, and nothing to learn
    model = BinaryRelevance().fit(X, Y)
    assert model.label_probabilities_[rows[3], 0] == model.calibration_.fallback[0]
