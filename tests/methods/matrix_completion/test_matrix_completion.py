import warnings
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import half_labelled
from tests.methods.parameters import check_parameters
from tests.oracles.matrix_completion import objective

from halflabel import MC1, MCb, complete
from halflabel.datasets.synthetic import make_low_rank
from halflabel.labels import masking
from halflabel.methods.matrix_completion import matrix_completion

both = pytest.mark.parametrize("method", [MC1, MCb])
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*cannot be learned:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning"),  # many of these tables are tiny
]

FIXED = {"alpha": 3e-3, "label_weight": 0.5, "n_folds": 2}


@cache
def problem(n=120, d=12, t=5, share=0.5, seed=0, items=False):
    """Features and labels with gaps, and both complete."""
    rng = np.random.default_rng(seed)
    drawn = make_low_rank(n, d, 2, t, 0.01, rng)
    X = np.where(rng.random((n, d)) < share, drawn.dataset.X, np.nan)
    X[0], X[:, 0] = np.nan, drawn.dataset.X[:, 0]  # an item with one feature only
    X[0, 0] = drawn.dataset.X[0, 0]
    labels = drawn.dataset.Y
    hide = masking.hide_items if items else masking.hide_entries
    return X, hide(labels, 1 - share, rng), drawn


@cache
def fit_once(method):
    """Fit the problem above with fixed weights, once for all tests that only read the model."""
    X, labels, _ = problem()
    return method(**FIXED).fit(X, labels)


def scaled(X):
    return (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)


def test_fewer_entries_than_degrees_of_freedom_are_named():
    X, labels, _ = problem(n=100, d=12, t=3, share=0.1)
    with pytest.warns(UserWarning, match=r"\d+ entries are observed, but a matrix of rank \d+ .* degrees of freedom"):
        MC1(alpha=1e-3, label_weight=0.5, n_folds=2).fit(X, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MC1(**FIXED).fit(*problem()[:2])  # rank 2 and 1084 entries


# -- the objective ---------------------------------------------------------------


@both
def test_the_fit_minimises_the_objective_of_the_docstring(method, rng):
    X, labels, _ = problem(n=25, d=5, t=2)
    model = method(**FIXED, tol=1e-8, max_iter=20000).fit(X, labels)
    Y, Xs = labels.values(irrelevant=-1.0).T, scaled(X).T
    weight = 1.0 if method is MC1 else 0.0

    def value(Z, b):
        ridge = 0.0 if method is MC1 else 0.5 * 0.5e-6 * np.sum(b**2)
        return objective(Z, b, Y, Xs, 3e-3, 0.5, weight) + ridge

    Z, b = (model.left_ @ model.right_.T).T, model.bias_
    least = value(Z, b)
    assert least == pytest.approx(model.solution_.objective[-1], rel=1e-9)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(10):
            move = size * rng.normal(size=Z.shape), size * rng.normal(size=b.shape) * (method is MCb)
            assert value(Z + move[0], b + move[1]) >= least * (1 - 1e-9)
    np.testing.assert_allclose(model.label_scores_, (Z[:2].T + b), atol=1e-9)
    assert model.solution_.residual <= 1e-8


def test_the_hard_row_is_a_row_of_ones():
    X, labels, _ = problem(n=50)
    model = MC1(**FIXED, bias_row_weight=np.inf).fit(X, labels)
    np.testing.assert_allclose((model.left_ @ model.right_.T)[:, -1], 1, atol=1e-9)
    soft = MC1(**FIXED, bias_row_weight=100.0, max_iter=20000).fit(X, labels)
    assert np.corrcoef(model.label_scores_.ravel(), soft.label_scores_.ravel())[0, 1] > 0.99


@both
def test_the_published_algorithm_finds_nearly_the_same_answer(method):
    """The published steps give the row of ones the default weight here: lambda is small enough for that."""
    X, labels, _ = problem()
    ours = fit_once(method)
    theirs = method(**FIXED, solver="fpc").fit(X, labels)
    assert theirs.solution_.residual > ours.solution_.residual
    distance = np.linalg.norm(theirs.label_scores_ - ours.label_scores_) / np.linalg.norm(ours.label_scores_)
    assert distance < 0.1


@pytest.mark.parametrize("label_weight", [0.5, 500.0])
def test_the_published_steps_make_the_ones_exact(label_weight):
    """A step with the inverse weight of the row of ones sets it to 1, as the published algorithm does."""
    X, labels, _ = problem()
    settings = FIXED | {"label_weight": label_weight, "max_iter": 1}
    with pytest.warns(ConvergenceWarning):
        on_label, on_feature, on_row = MC1(**settings, solver="fpc").fit(X, labels).entry_weights_
    assert on_row == pytest.approx(max(on_label / 3.8, on_feature))
    assert (on_row > on_feature) == (label_weight > 1)


# -- choosing weights ---------------------------------------------------------------


@both
def test_cross_validation_learns_the_labels_and_reports_every_setting(method):
    X, labels, drawn = problem(n=100)
    model = method(label_weight=(0.1, 1.0), n_folds=3).fit(X, labels)
    table = model.cv_results_
    assert model.cv_ == "entries"
    assert set(table) == {"alpha", "label_weight", "log_loss", "label_error", "feature_error", "n_iter"}
    best = table["log_loss"].min()
    chosen = (table["alpha"] == model.alpha_) & (table["label_weight"] == model.label_weight_)
    assert table["log_loss"][chosen] == best
    assert model.alpha_ == table["alpha"][table["log_loss"] == best].max()
    first = table["alpha"][table["label_weight"] == 0.1]
    np.testing.assert_allclose(first[:-1] / first[1:], 2)
    unknown = ~labels.observed
    error = np.mean((model.label_scores_ > 0)[unknown] != drawn.dataset.Y.relevant[unknown])
    guess = np.mean(
        drawn.dataset.Y.relevant[unknown] != (np.nanmean(labels.values(), axis=0) > 0.5)[np.where(unknown)[1]]
    )
    assert error < 0.6 * guess
    assert (table["feature_error"] < 1.1).all()


def test_the_path_begins_where_nothing_is_left():
    X, labels, _ = problem()
    model = MC1(label_weight=1.0, n_folds=2).fit(X, labels)
    top = model.cv_results_["alpha"][0]
    assert not MC1(alpha=1.001 * top, label_weight=1.0, n_folds=2).fit(X, labels).left_.any()
    assert MC1(alpha=0.99 * top, label_weight=1.0, n_folds=2).fit(X, labels).left_.any()


@pytest.mark.parametrize("items", [False, True])
def test_folds_hide_what_is_missing(items):
    X, labels, _ = problem(items=items)
    assert MC1(**FIXED).fit(X, labels).cv_ == ("items" if items else "entries")
    assert MC1(**FIXED, cv="items").fit(X, labels).cv_ == "items"


def test_entries_are_easier_than_items():
    """Why the folds must match the gaps: the labels of an item are informative about each other."""
    rng = np.random.default_rng(0)
    Y = np.repeat(rng.random((200, 1)) < 0.5, 6, axis=1) ^ (rng.random((200, 6)) < 0.1)
    X = rng.normal(size=(200, 3))
    errors = {
        cv: MC1(label_weight=1.0, cv=cv, n_folds=3).fit(X, Y.astype(float)).cv_results_["label_error"].min()
        for cv in ("entries", "items")
    }
    assert errors["entries"] < 0.2 < 0.35 < errors["items"]


def test_the_criterion_may_be_the_features():
    X, labels, drawn = problem(n=40)
    by_label = MC1(n_folds=2, label_weight=1.0, criterion="labels")
    by_feature = MC1(n_folds=2, label_weight=1.0, criterion="features")
    errors = {}
    for model in (by_label, by_feature):
        change = model.fit_transform(X, labels) - drawn.dataset.X
        errors[model.criterion] = np.linalg.norm(change[np.isnan(X)])
    table = by_feature.cv_results_
    assert table["feature_error"].min() == table["feature_error"][table["alpha"] == by_feature.alpha_].min()
    assert errors["features"] <= errors["labels"] * 1.05
    complete = MC1(n_folds=2, criterion="features", label_weight=1.0).fit(drawn.dataset.X[:30], labels[:30])
    assert np.isfinite(complete.cv_results_["feature_error"]).all()


# -- features ------------------------------------------------------------------------


@both
def test_known_cells_are_returned_verbatim_and_gaps_are_filled(method):
    X, labels, drawn = problem()
    model = method(**FIXED)
    completed = model.fit_transform(X, labels)
    known = ~np.isnan(X)
    np.testing.assert_array_equal(completed[known], X[known])
    mean = np.where(known, X, np.nanmean(X, axis=0))
    truth = drawn.dataset.X
    assert np.linalg.norm((completed - truth)[~known]) < 0.7 * np.linalg.norm((mean - truth)[~known])
    again = model.transform(X)
    np.testing.assert_array_equal(again[known], X[known])
    assert np.isfinite(again).all()
    smooth = model.denoise(X)
    assert smooth.shape == X.shape
    np.testing.assert_allclose(smooth[~known], again[~known])
    assert np.abs(smooth - X)[known].max() > 0


@both
def test_the_unit_of_a_feature_does_not_matter_when_scaled(method):
    X, labels, _ = problem()
    unit = np.geomspace(1e-3, 1e3, X.shape[1])
    a, b = fit_once(method), method(**FIXED).fit(X * unit + 7, labels)
    np.testing.assert_allclose(a.label_scores_, b.label_scores_, atol=1e-6)
    np.testing.assert_allclose(a.transform(X) * unit + 7, b.transform(X * unit + 7), rtol=1e-6, atol=1e-6)
    raw = method(**FIXED, scale=None).fit(X, labels)
    np.testing.assert_array_equal(raw.scaler_.scale, 1)


def test_complete_and_sparse_features_are_returned_as_they_are(rng):
    X, labels, drawn = problem()
    model = fit_once(MC1)
    np.testing.assert_array_equal(model.transform(drawn.dataset.X), drawn.dataset.X)
    thin = sparse.csr_array(np.where(rng.random(X.shape) < 0.3, drawn.dataset.X, 0.0))
    assert (MC1(**FIXED).fit_transform(thin, labels) != thin).nnz == 0


# -- new items -------------------------------------------------------------------------


@both
def test_an_item_of_the_fit_gets_its_own_scores_back(method):
    X, labels, _ = problem(n=50)
    model = method(**FIXED, tol=1e-8, max_iter=20000).fit(X, labels)
    again = model.fold_in(X, labels)
    assert np.linalg.norm(again - model.label_scores_) <= 1e-6 * np.linalg.norm(again)


def test_an_item_of_a_fit_with_a_hard_row_gets_its_own_scores_back():
    X, labels, _ = problem()
    model = MC1(**FIXED, bias_row_weight=np.inf, tol=1e-10, max_iter=50000).fit(X, labels)
    again = model.fold_in(X, labels)
    assert np.linalg.norm(again - model.label_scores_) <= 1e-3 * np.linalg.norm(again)


@both
def test_new_items_with_any_gaps(method):
    X, labels, drawn = problem(n=300)
    model = method(alpha=1e-3, label_weight=0.1, n_folds=2).fit(X[:200], labels[:200])
    scores = model.decision_function(X[200:])
    np.testing.assert_array_equal(scores, model.fold_in(X[200:]))
    truth = drawn.dataset.Y.relevant[200:]
    assert np.mean((scores > 0) != truth) < 0.25
    few = np.where(np.arange(12) < 2, X[200:], np.nan)  # two features are too few, labels help
    unknown = ~labels.observed[200:]
    bare, informed = model.fold_in(few), model.fold_in(few, labels[200:])
    assert np.mean((informed > 0)[unknown] != truth[unknown]) < np.mean((bare > 0)[unknown] != truth[unknown])
    blank = model.decision_function(np.full((1, X.shape[1]), np.nan))
    assert np.isfinite(blank).all()
    with pytest.raises(ValueError, match="y has 2 labels, but the model was fitted on 5"):
        model.fold_in(X, np.zeros((300, 2)))


# -- tiny, degenerate, invalid -----------------------------------------------------------


@both
@pytest.mark.parametrize("solver", ["auto", pytest.param("fpc", marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.*never observed:UserWarning")
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0], [2.0]], [0, 1]),
        ([[1.0], [2.0], [3.0]], [None, None, 1]),
        ([[0.0], [0.0], [0.0]], [0, 1, None]),
        ([[np.nan], [np.nan], [np.nan]], [0, 1, None]),
        ([[1.0, np.nan], [2.0, 5.0], [np.nan, 5.0], [1.0, 5.0]], [[0, None], [1, None], [None, 1], [1, 0]]),
        (np.arange(12.0).reshape(4, 3), [[0, 1], [1, 0], [1, 1], [0, 0]]),
        (np.random.default_rng(0).normal(size=(4, 30)), [0, 1, None, 1]),
    ],
)
def test_tiny_data_do_not_break_it(method, solver, X, y):
    alpha = None if solver == "auto" else 1e-2
    model = method(alpha, label_weight=1.0, n_folds=2, solver=solver, max_iter=5, tol=1e-2).fit(np.array(X), y)
    assert np.isfinite(model.label_probabilities_).all()
    assert set(np.unique(model.transduction_)) <= {0, 1}
    assert np.isfinite(model.transform(np.array(X))).all()


def test_a_task_of_one_class_is_named_and_its_bias_stays_finite():
    X, labels, _ = problem()
    Y = labels.values()
    Y[Y[:, 1] == 0, 1] = np.nan
    with pytest.warns(UserWarning, match="cannot be learned"):
        model = MCb(**FIXED).fit(X, Y)
    assert 3 < model.bias_[1] < 20
    assert np.isfinite(model.label_probabilities_).all()


def test_a_feature_that_was_never_observed_is_named():
    X, labels, _ = problem()
    X = X.copy()
    X[:, 4] = np.nan
    with pytest.warns(UserWarning, match="1 of 12 features were never observed, the first of them number 4"):
        model = MC1(**FIXED).fit(X, labels)
    assert (np.abs(model.transform(X)[:, 4]) < 1e-6).all()


def test_a_limit_of_iterations_is_reported():
    X, labels, _ = problem()
    with pytest.warns(ConvergenceWarning, match="MC1: The solver stopped at its iteration limit"):
        MC1(alpha=1e-4, label_weight=1.0, n_folds=2, max_iter=2).fit(X, labels)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"alpha": 0}, "alpha must be positive, not 0"),
        ({"label_weight": (1.0, -1.0)}, "label_weight must be positive, one number or several .*, not -1.0"),
        ({"label_weight": ()}, r"label_weight must be positive, one number or several .*, not \(\)"),
        ({"bias_row_weight": 0.0}, "bias_row_weight must be positive"),
        ({"cv": "rows"}, "cv must be one of 'auto', 'entries', 'items', not 'rows'"),
        ({"solver": "svd"}, "solver must be one of 'auto', 'fpc', not 'svd'"),
        ({"criterion": "f1"}, "criterion must be one of 'log_loss', 'labels', 'features', not 'f1'"),
        ({"scale": "auto"}, "scale must be 'standard' or None, not 'auto'"),
        ({"solver": "fpc", "bias_row_weight": np.inf}, "solver='fpc' does not support a hard row"),
    ],
)
def test_settings_that_cannot_be_meant_raise(settings, sentence):
    X, labels, _ = problem()
    with pytest.raises(ValueError, match=sentence):
        MC1(**settings).fit(X, labels)


def test_sparse_features_with_gaps_raise():
    X, labels, _ = problem()
    with pytest.raises(ValueError, match="sparse X holds NaN, but its absent entries are zeros"):
        MC1(**FIXED).fit(sparse.csr_array(X), labels)


@pytest.mark.parametrize(("n", "d", "limit"), [(3_000, 100_000, "cells"), (5_000, 5_000, "smaller side")])
def test_tables_that_are_too_large_raise_with_the_way_on(n, d, limit):
    X = sparse.csr_array((np.ones(2), ([0, 5], [1, 3])), shape=(n, d))
    y = np.arange(n) % 2
    with pytest.raises(ValueError, match=rf"{n} items x {d + 2} columns are too many .* {limit}"):
        MC1(**FIXED, scale=None).fit(X, y)
    reduced = TruncatedSVD(2, random_state=0).fit_transform(X)
    assert MC1(**FIXED).fit(reduced, y).label_scores_.shape == (n, 1)


def test_a_large_table_with_gaps_is_completed_by_the_default_instead(monkeypatch):
    X, labels, _ = problem()
    monkeypatch.setattr(matrix_completion, "MAX_SIDE", 3)
    with pytest.raises(ValueError, match=r"the smaller side at most 3\): .*, or use halflabel\.complete\."):
        MC1(**FIXED).fit(X, labels)
    assert not complete(X, labels, effort="fast").probabilities.isna().any(axis=None)


def test_sparse_new_items_that_would_not_fit_in_memory_come_in_parts():
    X = sparse.csr_array((np.ones(2), ([0, 5], [1, 3])), shape=(300_000, 1_000))
    model = MC1(**FIXED, scale=None).fit(X[:20], np.arange(20) % 2)
    with pytest.raises(ValueError, match=r"would take 2\.4 GB: give at most 200000 items at a time\."):
        model.predict(X)
    assert len(model.predict(X[:100])) == 100


@both
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_as_published(method):
    X, labels, _ = problem(n=24, d=5, t=2)
    model = method.as_published().set_params(label_weight=1.0, n_folds=2, max_iter=100).fit(X, labels)
    ratios = model.cv_results_["alpha"][:-1] / model.cv_results_["alpha"][1:]
    np.testing.assert_allclose(ratios, 4)
    np.testing.assert_array_equal(model.thresholds_, np.nextafter(0, 1))  # a score has to exceed 0
    assert model.scaler_.scale.max() == 1
    unknown = ~labels.observed
    np.testing.assert_array_equal(model.transduction_[unknown], (model.label_scores_ > 0)[unknown])


# -- public sets ---------------------------------------------------------------------------


@pytest.mark.slow
def test_yeast_with_entries_hidden_reproduces_the_paper(public_data):
    """The paper prints 16.1 % label error for MC-b at 40 % observed; one mask and two folds here."""
    from tests.public_sets import load_benchmark

    data, rng = load_benchmark("yeast", public_data), np.random.default_rng(0)
    labels = masking.hide_entries(data.Y, 0.6, rng)
    X = np.where(rng.random(data.X.shape) < 0.4, data.X, np.nan)
    model = MC1(label_weight=1.0, n_folds=2).fit(X, labels)
    unknown = ~labels.observed
    error = np.mean((model.label_scores_ > 0)[unknown] != data.Y.relevant[unknown])
    assert error <= 0.182


def test_where_nothing_is_left_of_z_no_label_is_relevant(rng):
    X, Y, _ = half_labelled(rng, entries=True)
    model = MC1(alpha=1e3, label_weight=1.0, n_folds=2, rule="fixed").fit(X, Y)
    assert not model.label_scores_.any()
    assert not model.transduction_[np.isnan(Y)].any()
    assert not model.predict(X).any()


def test_parameters_are_those_of_the_docstring():
    check_parameters(MC1(), n_folds=2, max_iter=1)
    check_parameters(MCb())
