"""Folds, out-of-fold predictions by models that were fitted without the entry, and scorers."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score

from halflabel.labels import PartialLabels
from halflabel.labels.metrics import METRICS
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.model_selection import ItemKFold, entry_folds, item_folds, make_scorer, out_of_fold

N_ITEMS = 40


def make_items(seed=0):
    """Each label is the sign of a feature; a quarter of the entries and the last 5 items are unknown."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ITEMS, 3))
    y = (X > 0).astype(float)
    y[rng.random(y.shape) < 0.25] = np.nan
    y[-5:] = np.nan
    return X, y


def forms(y):
    return [y, pd.DataFrame(y, columns=list("abc")), PartialLabels.from_table(y)]


class Recorder(BaseEstimator):
    """Predicts 1 for new rows, and 5 for every (row, label) whose observed value it was fitted on."""

    def fit(self, X, y):
        self.rows_ = _first_column(X)
        self.state_ = PartialLabels.from_table(y).state
        self.form_ = type(y)
        self.flat_ = np.ndim(y) == 1
        return self

    def predict_proba(self, X):
        known = self.rows_[:, None] == _first_column(X)
        answer = 1.0 + 4.0 * (known.T.astype(int) @ (self.state_ != 0))
        return np.column_stack([0 * answer, answer]) if self.flat_ else answer

    def decision_function(self, X):
        answer = self.predict_proba(X)
        return answer[:, 1] if self.flat_ else answer


class TransductiveRecorder(PartialLabelEstimator):
    """Predicts 1 for every entry that was unknown when it was fitted, 5 for the others."""

    def fit(self, X, y):
        observed = PartialLabels.from_table(y).observed
        assert len(observed) == N_ITEMS  # held-out items stay
        self.label_probabilities_ = 1.0 + 4.0 * observed
        self.label_scores_ = self.label_probabilities_ + 1
        self.transduction_ = self.label_probabilities_[:, 0] if np.ndim(y) == 1 else self.label_probabilities_
        return self

    def predict_proba(self, X):
        raise AssertionError("a transductive estimator must not predict its own rows as new ones")


class Sign(BaseEstimator):
    """Predicts the true labels, or the opposite with ``flip``, without learning."""

    def __init__(self, flip=False):
        self.flip = flip

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-5.0 * np.asarray(X)))
        return 1 - p if self.flip else p

    def predict(self, X):
        return (self.predict_proba(X) > 0.5).astype(int)


class Annotations(PartialLabelEstimator):
    """Predicts 1 for annotated items, 5 for observed entries and 0 for items that are not annotated."""

    def fit(self, X, y):
        self.label_probabilities_ = np.where(y.observed, 5.0, 1.0 * y.annotated[:, None])
        return self


def _first_column(X):
    if sparse.issparse(X):
        return X.toarray()[:, 0]
    return X.iloc[:, 0].to_numpy() if isinstance(X, pd.DataFrame) else np.asarray(X)[:, 0]


# -- folds -------------------------------------------------------------------------


def test_item_folds_cover_the_items_evenly():
    labels = PartialLabels.from_table(make_items()[1])
    folds = item_folds(labels, 4, np.random.default_rng(0))
    assert np.bincount(folds).tolist() == pytest.approx([10] * 4, abs=2)
    assert np.bincount(folds[labels.unlabelled], minlength=4).max() <= 2
    for value in (1, -1):
        counts = np.array([(labels.state[folds == f] == value).sum(axis=0) for f in range(4)])
        assert np.ptp(counts, axis=0).max() <= 3


def test_entry_folds_split_each_label_and_value_evenly():
    labels = PartialLabels.from_table(make_items()[1])
    folds = entry_folds(labels, 3, np.random.default_rng(0))
    assert folds.dtype == np.int8
    np.testing.assert_array_equal(folds < 0, ~labels.observed)
    for value in (1, -1):
        counts = np.array([((labels.state == value) & (folds == f)).sum(axis=0) for f in range(3)])
        assert np.ptp(counts, axis=0).max() <= 1


@pytest.mark.parametrize(
    ("folds", "n_splits", "sentence"),
    [
        (item_folds, 1, "at least 2 and at most the number of labelled items, here 34, but is 1"),
        (item_folds, 41, "at most the number of labelled items, here 34, but is 41"),
        (entry_folds, 128, r"at most the number of observed entries \(and 127\), here \d+, but is 128"),
    ],
)
def test_impossible_numbers_of_folds_raise(folds, n_splits, sentence):
    with pytest.raises(ValueError, match=sentence):
        folds(PartialLabels.from_table(make_items()[1]), n_splits, np.random.default_rng(0))


def test_a_group_is_in_one_fold():
    labels, threads = PartialLabels.from_table(make_items()[1]), np.arange(N_ITEMS) // 3
    folds = item_folds(labels, 4, np.random.default_rng(0), threads)
    assert len(set(zip(threads, folds, strict=True))) == 14
    assert np.bincount(folds).tolist() == pytest.approx([10] * 4, abs=2)


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(0, 20), st.integers(1, 4))
def test_every_fold_gets_a_labelled_item_if_there_are_groups_enough(seed, n_splits, more, n_labels):
    rng = np.random.default_rng(seed)
    threads = np.concatenate([np.arange(n_splits), rng.integers(n_splits + 3, size=more)])
    labels = PartialLabels.from_table(rng.integers(2, size=(len(threads), n_labels)))
    folds = item_folds(labels, n_splits, rng, threads)
    assert set(folds) == set(range(n_splits))
    assert len(set(zip(threads, folds, strict=True))) == len(set(threads))


def test_fewer_groups_than_folds_raise():
    labels = PartialLabels.from_table([1, 0, 1, 0, None, None])
    with pytest.raises(ValueError, match="at most the number of groups with a labelled item, here 2, but is 3"):
        item_folds(labels, 3, np.random.default_rng(0), ["a", "a", "b", "b", "c", None])
    with pytest.raises(ValueError, match="there are 6 items but groups for 2: give one group per item"):
        item_folds(labels, 2, np.random.default_rng(0), ["a", "b"])


def test_item_k_fold_takes_groups_as_scikit_learn_passes_them():
    X, y = make_items()
    threads = [f"thread {i // 3}" if i % 7 else None for i in range(N_ITEMS)]
    for train, test in ItemKFold(4, random_state=0).split(X, y, threads):
        assert not {threads[i] for i in train} & {threads[i] for i in test} - {None}
    scores = cross_val_score(
        Sign(), X, y, groups=threads, scoring=make_scorer("micro_f1"), cv=ItemKFold(3, random_state=0)
    )
    assert len(scores) == 3


def test_item_k_fold_is_the_same_for_every_form_of_labels():
    X, y = make_items()
    splitter = ItemKFold(n_splits=4, random_state=1)
    assert splitter.get_n_splits() == 4
    splits = [list(splitter.split(X, form)) for form in forms(y)]
    for train, test in splits[0]:
        assert sorted([*train, *test]) == list(range(N_ITEMS))
    for other in splits[1:]:
        np.testing.assert_equal(other, splits[0])


# -- out of fold -------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [Recorder(), TransductiveRecorder()])
@pytest.mark.parametrize("form", range(3))
def test_items_are_predicted_by_models_without_their_labels(estimator, form):
    X, y = make_items()
    predictions = out_of_fold(estimator, X, forms(y)[form], by="items", n_splits=4, random_state=0)
    labelled = ~np.isnan(y).all(axis=1)
    assert (predictions[labelled] == 1).all()
    assert np.isnan(predictions[~labelled]).all()


@pytest.mark.parametrize("estimator", [Recorder(), TransductiveRecorder()])
@pytest.mark.parametrize("form", range(3))
def test_entries_are_predicted_by_models_without_them(estimator, form):
    X, y = make_items()
    predictions = out_of_fold(estimator, X, forms(y)[form], by="entries", n_splits=3, random_state=0)
    np.testing.assert_array_equal(predictions, np.where(np.isnan(y), np.nan, 1))


def test_a_held_out_item_of_positive_only_labels_counts_as_not_annotated():
    labels = PartialLabels.from_tags([["a"], ["b"], [], ["a", "b"], [], ["b"], None, None], absent="unknown")
    predictions = out_of_fold(Annotations(), np.zeros((8, 1)), labels, by="items", n_splits=2, random_state=0)
    assert (predictions[:6] == 0).all()
    assert np.isnan(predictions[6:]).all()


def test_a_held_out_entry_of_positive_only_labels_counts_as_not_assigned():
    labels = PartialLabels.from_tags([["a"], ["b"], [], ["a", "b"], ["a"], ["b"], None, None], absent="unknown")
    predictions = out_of_fold(Annotations(), np.zeros((8, 1)), labels, by="entries", n_splits=2, random_state=0)
    np.testing.assert_array_equal(predictions, np.where(labels.observed, 1.0, np.nan))


class Threads(PartialLabelEstimator):
    """Predicts 1 if an item's thread, in the first column of X, had no observed entry when it was fitted, else 5."""

    def fit(self, X, y):
        known = PartialLabels.from_table(y).observed.any(axis=1)
        answer = 1.0 + 4.0 * np.isin(X[:, 0], X[known, 0])
        self.label_probabilities_ = np.tile(answer[:, None], (1, np.shape(y)[1]))
        return self


def test_items_are_predicted_by_models_without_the_labels_of_their_group():
    _, y = make_items()
    threads = np.arange(N_ITEMS) // 3
    X = np.column_stack([threads, np.ones(N_ITEMS)])
    labelled = ~np.isnan(y).all(axis=1)
    predictions = out_of_fold(Threads(), X, y, groups=threads, n_splits=4, random_state=0)
    assert (predictions[labelled] == 1).all()
    assert (out_of_fold(Threads(), X, y, n_splits=4, random_state=0)[labelled] == 5).any()


@pytest.mark.parametrize("by", ["items", "entries"])
@pytest.mark.parametrize("estimator", [Recorder(), TransductiveRecorder()])
def test_a_single_label_gives_one_column(by, estimator):
    X, y = make_items()
    predictions = out_of_fold(estimator, X, y[:, 0], by=by, random_state=0)
    np.testing.assert_array_equal(predictions[:, 0], np.where(np.isnan(y[:, 0]), np.nan, 1))
    assert predictions.shape == (N_ITEMS, 1)


@pytest.mark.parametrize("form", [pd.DataFrame, sparse.csr_array])
@pytest.mark.parametrize("by", ["items", "entries"])
def test_features_may_be_sparse_or_a_frame(form, by):
    X, y = make_items()
    plain = out_of_fold(Recorder(), X, y, by=by, random_state=0)
    np.testing.assert_array_equal(out_of_fold(Recorder(), form(X), y, by=by, random_state=0), plain)


@pytest.mark.parametrize("by", ["items", "entries"])
def test_the_method_chooses_the_attribute(by):
    X, y = make_items()
    seen = ~np.isnan(y)
    for method, expected in (("predict_proba", 1), ("decision_function", 2), ("predict", 1)):
        predictions = out_of_fold(TransductiveRecorder(), X, y, by=by, random_state=0, method=method)
        assert (predictions[seen] == expected).all()
    assert (
        out_of_fold(Recorder(), X, y[:, 0], by=by, random_state=0, method="decision_function")[seen[:, 0]] == 1
    ).all()


def test_labels_reach_the_estimator_in_the_form_in_which_they_were_given():
    X, y = make_items()
    frame = pd.DataFrame(y, columns=list("abc"), index=pd.Index(range(100, 140)))

    class Checks(Recorder):
        def fit(self, X, y):
            assert list(y.columns) == list("abc")
            assert set(y.index) <= set(frame.index)
            return super().fit(X, y)

    for by in ("items", "entries"):
        out_of_fold(Checks(), X, frame, by=by)


def test_each_observed_entry_is_predicted_from_the_other_items():
    """A classifier of scikit-learn that predicts the rate of the training labels gives leave-one-out rates."""
    y = np.array([1.0, 0.0, 0.0, 1.0, 0.0])
    predictions = out_of_fold(DummyClassifier(), np.zeros((5, 1)), y, n_splits=5)
    np.testing.assert_allclose(predictions[:, 0], (2 - y) / 4)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"by": "rows"}, "by must be 'items' or 'entries', not 'rows'"),
        ({"method": "score"}, "method must be one of 'predict_proba', 'decision_function', 'predict', not 'score'"),
        ({"by": "entries", "groups": range(N_ITEMS)}, "groups are held out as whole items: use by='items'"),
        ({"groups": [0] * N_ITEMS}, "at most the number of groups with a labelled item, here 1, but is 5"),
        ({"n_splits": 36}, "at most the number of labelled items, here 34, but is 36"),
    ],
)
def test_invalid_arguments_of_out_of_fold_raise(arguments, sentence):
    X, y = make_items()
    with pytest.raises(ValueError, match=sentence):
        out_of_fold(Recorder(), X, y, **arguments)


def test_predictions_of_the_wrong_shape_raise():
    class Short(Sign):
        def predict_proba(self, X):
            return np.zeros((len(X), 2))

    X, y = make_items()
    with pytest.raises(
        ValueError,
        match=r"Short.predict_proba returned an array of shape \(\d, 2\), but the labels have shape \(\d, 3\)",
    ):
        out_of_fold(Short(), X, y)


# -- scorers -----------------------------------------------------------------------


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("form", range(3))
def test_scorers_work_in_cross_validation_and_higher_is_better(name, form):
    X, y = make_items()
    cv = ItemKFold(3, random_state=0)
    good, bad = (
        cross_val_score(Sign(flip), X, forms(y)[form], scoring=make_scorer(name), cv=cv) for flip in (False, True)
    )
    assert (good > bad).all()


def test_losses_are_negated():
    X, y = make_items()
    assert -1 <= make_scorer("brier")(Sign(flip=True), X, y) < -0.5
    assert make_scorer("micro_f1")(Sign(), X, y) == 1


@pytest.mark.parametrize("form", range(3))
def test_grid_search_finds_the_better_model(form):
    X, y = make_items()
    search = GridSearchCV(
        Sign(), {"flip": [True, False]}, scoring=make_scorer("brier"), cv=ItemKFold(3, random_state=0)
    )
    assert search.fit(X, forms(y)[form]).best_params_ == {"flip": False}


def test_a_scorer_takes_a_single_label():
    X, y = make_items()
    model = Recorder().fit(X[:5], y[:5, 0])
    assert make_scorer("micro_f1")(_Flat(), X, y[:, 0]) == 1
    with pytest.raises(ValueError, match="probabilities must lie between 0 and 1"):
        make_scorer("brier")(model, X, y[:, 0])


class _Flat(Sign):
    def predict(self, X):
        return super().predict(X)[:, 0]


def test_scorers_are_named_and_can_be_pickled_for_parallel_searches():
    scorer = make_scorer("macro_f1")
    assert repr(scorer) == "make_scorer('macro_f1')"
    assert pickle.loads(pickle.dumps(scorer)) == scorer  # noqa: S301


def test_an_unknown_metric_raises_with_the_names_of_all():
    with pytest.raises(ValueError, match="there is no metric 'accuracy'; there are micro_f1, macro_f1,"):
        make_scorer("accuracy")
