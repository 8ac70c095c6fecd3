"""ML-kNN against the paper's pseudo-code, label by label, and on what is unknown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.conftest import half_labelled
from tests.methods.parameters import check_parameters
from tests.oracles.mlknn import left_out, membership, ml_knn, posterior, score_fitted
from tests.public_sets import load_benchmark

from halflabel import PartialLabels
from halflabel.completion.model_file.archive import load_tree, save_tree
from halflabel.completion.model_file.saving import saved_classes
from halflabel.labels.metrics import average_precision
from halflabel.methods.baselines import MLkNN
from halflabel.methods.canonical_order import order_items


def published(k=5, **settings):
    return MLkNN.as_published().set_params(n_neighbors=k, **settings)


@pytest.mark.parametrize("smoothing", [1.0, 0.3])
def test_complete_labels_equal_the_pseudo_code(smoothing, rng):
    X, _, Y = half_labelled(rng)
    new = rng.normal(size=(15, 5))
    model = published(smoothing=smoothing).fit(X, Y)
    for j, y in enumerate(Y.T):
        np.testing.assert_allclose(model.label_scores_[:, j], score_fitted(X, y, 5, smoothing), rtol=1e-12)
        np.testing.assert_allclose(model.decision_function(new)[:, j], ml_knn(X, y, new, 5, smoothing), rtol=1e-12)


@pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
def test_each_label_is_the_paper_s_on_the_items_where_it_is_observed(entries, rng):
    X, Y, _ = half_labelled(rng, entries=entries)
    new = rng.normal(size=(10, 5))
    model = published().fit(X, Y)
    for j, y in enumerate(Y.T):
        seen = ~np.isnan(y)
        np.testing.assert_allclose(model.label_scores_[seen, j], score_fitted(X[seen], y[seen], 5), rtol=1e-12)
        np.testing.assert_allclose(model.label_scores_[~seen, j], ml_knn(X[seen], y[seen], X[~seen], 5), rtol=1e-12)
        np.testing.assert_allclose(model.decision_function(new)[:, j], ml_knn(X[seen], y[seen], new, 5), rtol=1e-12)


@pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
def test_observed_entries_are_judged_without_their_own_contribution(entries, rng):
    X, Y, _ = half_labelled(rng, entries=entries)
    model = published().fit(X, Y)
    for j, y in enumerate(Y.T):
        seen = ~np.isnan(y)
        scores = np.full(Y.shape, np.nan)
        scores[seen, j] = left_out(X[seen], y[seen], 5)
        expected = model.calibration_(scores)[seen, j]
        np.testing.assert_allclose(model.label_probabilities_[seen, j], expected, rtol=1e-10)


def test_with_few_items_all_others_are_neighbours(rng):
    X, Y, _ = half_labelled(rng)
    new = rng.normal(size=(6, 5))
    Y[4:] = np.nan
    Y[:4, 0] = [0, 1, 1, np.nan]
    model = published(10).fit(X, Y)
    assert model.n_neighbors_[0] == 2
    np.testing.assert_allclose(model.decision_function(new)[:, 0], ml_knn(X[:3], Y[:3, 0], new, 2), rtol=1e-12)


@given(st.integers(0, 10_000), st.booleans())
def test_exchanging_relevant_and_irrelevant_mirrors_the_scores(seed, entries):
    X, Y, _ = half_labelled(np.random.default_rng(seed), entries=entries)
    scores, mirrored = (published().fit(X, labels).label_scores_ for labels in (Y, 1 - Y))
    np.testing.assert_allclose(mirrored, 1 - scores, atol=1e-12)


def test_unlabelled_items_are_not_used_as_neighbours(rng):
    X, Y, _ = half_labelled(rng)
    unlabelled = np.isnan(Y).all(axis=1)
    elsewhere = X + np.where(unlabelled, 50.0, 0.0)[:, None]
    a, b = (published().fit(items, Y) for items in (X, elsewhere))
    np.testing.assert_array_equal(a.label_scores_[~unlabelled], b.label_scores_[~unlabelled])
    np.testing.assert_array_equal(a.decision_function(X), b.decision_function(X))


def test_a_new_item_may_have_more_relevant_neighbours_than_any_fitted_one():
    X = np.array([0, 1, -0.4, -0.5, 1.4, 1.5])[:, None]
    y = np.array([1.0, 1, 0, 0, 0, 0])
    model = published(2).fit(X, y)
    np.testing.assert_array_equal(model.tables_[:, :, 0], [[2, 0, 0], [0, 4, 0]])
    np.testing.assert_allclose(model.decision_function([[0.5]]), ml_knn(X, y, [[0.5]], 2))


def test_a_duplicate_of_an_item_is_its_neighbour():
    X = np.repeat(np.arange(6.0), 2)[:, None]
    y = np.tile([0.0, 1.0], 6)  # every item's nearest is its twin, which has the other value
    model = published(1).fit(X, y)
    np.testing.assert_array_equal(model.tables_[:, :, 0], [[6, 0], [0, 6]])


@pytest.mark.parametrize("form", ["dense", "sparse", "turned"])
def test_of_items_at_equal_distance_the_first_are_neighbours(form, rng):
    whole, new = rng.integers(0, 3, size=(120, 3)), rng.integers(0, 3, size=(15, 3))
    Y = (rng.random((120, 2)) < 0.4).astype(float)
    Y[rng.random((120, 2)) < 0.2] = np.nan
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    enter = {"dense": lambda A: A, "sparse": sparse.csr_array, "turned": lambda A: A @ turn}[form]
    entered = enter(whole.astype(float))
    order = order_items(entered, PartialLabels.from_table(Y))
    whole, Y = whole[order], Y[order]
    model = published().fit(entered[order], Y)
    scores = model.decision_function(enter(new.astype(float)))
    for j, y in enumerate(Y.T):
        seen = ~np.isnan(y)
        X, y = whole[seen], y[seen]
        np.testing.assert_allclose(model.label_scores_[seen, j], score_fitted(X, y, 5), rtol=1e-12)
        np.testing.assert_allclose(model.label_scores_[~seen, j], ml_knn(X, y, whole[~seen], 5), rtol=1e-12)
        np.testing.assert_allclose(scores[:, j], ml_knn(X, y, new, 5), rtol=1e-12)


def test_as_published_leaves_features_alone_and_cuts_at_a_half(rng):
    X, Y, _ = half_labelled(rng)
    model = MLkNN.as_published().fit(X, Y)
    np.testing.assert_array_equal(model.scaler_.scale, 1)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X) >= 0.5)


def test_a_saved_model_answers_alike_and_holds_labelled_items_only(rng, tmp_path):
    X, Y, _ = half_labelled(rng)
    new = rng.normal(size=(8, 5))
    model = MLkNN(4).fit(X, Y)
    save_tree(tmp_path / "model", {"model": model}, saved_classes())
    again = load_tree(tmp_path / "model", saved_classes())["model"]
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    np.testing.assert_array_equal(again.predict(new), model.predict(new))
    assert len(again.items_) == (~np.isnan(Y).all(axis=1)).sum()
    assert max(np.size(value) for value in vars(again).values()) == again.items_.size


def test_one_labelled_item_teaches_nothing(rng):
    X, Y, _ = half_labelled(rng)
    Y[1:] = np.nan
    with pytest.warns(UserWarning, match="cannot be learned"):
        model = MLkNN().fit(X, Y)
    assert np.isnan(model.decision_function(X)).all()
    assert ((model.predict_proba(X) > 0) & (model.predict_proba(X) < 1)).all()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"smoothing": 0.0}, "smoothing must be positive and finite, not 0.0"),
        ({"smoothing": np.inf}, "smoothing must be positive and finite, not inf"),
    ],
)
def test_settings_out_of_range_raise(settings, sentence, rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=sentence):
        MLkNN(**settings).fit(X, Y)


def exact_order(X, query, own):
    """All rows by (squared distance, index), from whole numbers below 2^53, which floats hold exactly."""
    X, query = (np.round(A.toarray() * 1e6) for A in (X, query))
    distance = (query**2).sum(axis=1)[:, None] + (X**2).sum(axis=1) - 2 * query @ X.T
    if own:
        np.fill_diagonal(distance, np.inf)
    return np.argsort(distance, axis=1, kind="stable")


@pytest.mark.slow
def test_a_yahoo_set_equals_the_pseudo_code_and_beats_the_rates(public_data):
    """The set's features have six decimals, so that its many equal distances can be computed exactly."""
    if not (public_data / "yahoo-social").is_dir():
        pytest.skip(f"yahoo-social is not in {public_data}")
    train, test = (load_benchmark("yahoo-social", public_data, part=part) for part in ("train", "test"))
    order = order_items(train.X, train.Y)
    train = replace(train, X=train.X[order], Y=train.Y[order])
    with pytest.warns(UserWarning, match=r"2 of 39 labels .* cannot be learned"):
        model = MLkNN.as_published().fit(train.X, train.Y)
    scores = model.decision_function(test.X)
    near, near_new = (exact_order(train.X, A, own=A is train.X)[:, :10] for A in (train.X, test.X))
    for j in np.argsort(-train.Y.rates)[[0, 3, 10]]:
        y = train.Y.relevant[:, j].astype(int)
        training = [(membership(row, y), value) for row, value in zip(near, y, strict=True)]
        by_count = [posterior(training, count, 10, 1.0) for count in range(11)]
        expected = np.array([by_count[membership(row, y)] for row in near_new])
        # The search rounds distances, so that one of several at an equal distance can differ from the exact choice.
        assert np.isclose(scores[:, j], expected, rtol=1e-12, atol=0).mean() > 0.999
    keep, rates = (
        test.Y.relevant.any(axis=1) & (test.Y.state < 0).any(axis=1),
        np.broadcast_to(train.Y.rates, test.Y.shape),
    )
    ranked = np.nan_to_num(scores)  # a label that was never relevant in training comes last
    assert average_precision(test.Y[keep], ranked[keep]) > average_precision(test.Y[keep], rates[keep])
    wrong, wrong_by_rate = ((p != test.Y.relevant).mean() for p in (model.predict(test.X), rates >= 0.5))
    assert wrong < wrong_by_rate


def test_parameters_are_those_of_the_docstring():
    check_parameters(MLkNN(), n_neighbors=1)
