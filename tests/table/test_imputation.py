"""What missing numbers become: low-rank completion where it is seen to pay, else the mean; saved and used again."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.conftest import half_labelled

import halflabel as hl
from halflabel import PartialLabels
from halflabel.methods.impute import SoftImputer
from halflabel.table import FeatureEncoder, Roles, imputation
from halflabel.table.imputation import MAX_FEATURES, MAX_ROWS, MIN_ROWS, Filling

pytestmark = pytest.mark.usefixtures("one_member")


def low_rank(rng, n=80, d=6, share=0.2):
    """Return (X with gaps, X complete) of rank 2 plus a little noise, features in different units."""
    complete = rng.normal(size=(n, 2)) @ rng.normal(size=(2, d)) + 0.1 * rng.normal(size=(n, d))
    complete = complete * np.logspace(-2, 3, d) + np.arange(d)
    return np.where(rng.random((n, d)) < share, np.nan, complete), complete


def by_mean(X):
    return np.where(np.isnan(X), np.nanmean(X, axis=0), X)


def test_gaps_are_filled_as_soft_impute_folds_rows_in(rng):
    X, complete = low_rank(rng)
    filling, imputer = Filling.learn(X), SoftImputer().fit(X)
    np.testing.assert_allclose(filling(X), imputer.transform(X), rtol=1e-12)
    gaps, spread = np.isnan(X), complete.std(axis=0)
    error, error_of_mean = (np.square((one - complete) / spread)[gaps].mean() for one in (filling(X), by_mean(X)))
    assert error < 0.2 * error_of_mean
    errors = imputer.cv_results_["error"]  # the first weight fills with the mean
    assert filling.error**2 == pytest.approx(errors.min() / errors[0])


def test_a_row_is_filled_alone_and_known_cells_stay(rng):
    X, _ = low_rank(rng)
    filling = Filling.learn(X)
    new, _ = low_rank(rng, n=20, share=0.6)
    new[4] = np.nan
    filled = filling(new)
    np.testing.assert_allclose(np.vstack([filling(row[None]) for row in new]), filled, rtol=1e-9)
    np.testing.assert_array_equal(filled[~np.isnan(new)], new[~np.isnan(new)])
    np.testing.assert_allclose(filled[4], np.nanmean(X, axis=0), rtol=1e-9)


@pytest.mark.parametrize("case", ["few rows", "one feature", "many features", "noise", "no gaps to learn from"])
def test_the_mean_is_kept_where_completion_is_not_seen_to_pay(case, rng):
    X, _ = low_rank(rng, n=MIN_ROWS - 1 if case == "few rows" else 60)
    if case == "one feature":
        X = X[:, :1]
    elif case == "many features":
        X = np.tile(X, MAX_FEATURES // 6 + 1)
    elif case == "noise":
        X = np.where(np.isnan(X), np.nan, rng.normal(size=X.shape))
    elif case == "no gaps to learn from":
        X = np.nan_to_num(X)
    filling = Filling.learn(X)
    assert len(filling.components) == 0
    assert filling.way == "filled with the mean of the feature"
    new = np.where(rng.random(X.shape) < 0.5, np.nan, X)
    np.testing.assert_allclose(filling(new), np.where(np.isnan(new), np.nanmean(X, axis=0), X), rtol=1e-12)


def test_limits_are_reached():
    """Thirty rows, two features and three hundred are enough; a value of 1e150 is too large."""
    X = np.outer(np.arange(30.0), np.arange(1.0, 3.0))
    X[3, 0] = np.nan
    assert len(Filling.learn(X).components) > 0
    assert len(Filling.learn(X[1:]).components) == 0
    wide = np.hstack([X, np.full((30, 298), np.nan), np.tile(X[:, 1:], 298)])
    assert len(Filling.learn(wide).components) > 0
    assert len(Filling.learn(np.hstack([wide, X[:, 1:]])).components) == 0
    assert (imputation.MAX_VALUE, MIN_ROWS, MAX_FEATURES) == (1e150, 30, 300)
    large = np.hstack([X, X[:, 1:] * 0 + 1e150])
    assert not Filling.learn(large).components[:, 2].any()
    np.testing.assert_array_equal(imputation._sample_rows(2000), np.arange(2000))
    sample = imputation._sample_rows(2001)
    assert len(np.unique(sample)) == len(sample) == 2000
    assert (np.diff(sample) > 0).all()


def test_a_completion_as_good_as_the_maximum_error_is_used(rng, monkeypatch):
    X, _ = low_rank(rng)
    error = Filling.learn(X).error
    monkeypatch.setattr(imputation, "MAX_ERROR", error)
    assert Filling.learn(X).error == error
    monkeypatch.setattr(imputation, "MAX_ERROR", np.nextafter(error, 0))
    by_mean = Filling.learn(X)
    assert (len(by_mean.components), by_mean.alpha, by_mean.error) == (0, 1.0, 1.0)


@pytest.mark.parametrize(("errors", "share"), [([4.0, 1.0, 9.0], 0.5), ([0.0, 0.0], 1.0)])
def test_the_error_is_a_share_of_the_mean_s(errors, share):
    scaler = SimpleNamespace(center=np.array([5.0]), scale=np.array([2.0]))
    imputer = SimpleNamespace(
        scaler_=scaler, components_=np.array([[3.0]]), cv_results_={"error": np.array(errors)}, alpha_=0.7
    )
    plain = Filling(np.array([1.0, 7.0]), np.ones(2), np.empty((0, 2)))
    filling = plain._use_imputer(imputer, np.array([True, False]))
    assert (filling.error, filling.alpha) == (share, 0.7)
    assert (filling.means.tolist(), filling.spreads.tolist()) == ([5, 7], [2, 1])
    assert filling.components.tolist() == [[3, 0]]
    assert plain.means.tolist() == [1, 7]


def test_a_feature_with_one_value_is_filled_with_it():
    assert Filling.learn(np.array([[6.0, np.nan], [np.nan, np.nan]]))(np.full((1, 2), np.nan)).tolist() == [[6, 0]]


def test_without_number_features_there_is_nothing_to_fill():
    filling = Filling()
    assert (filling.means.shape, filling.spreads.shape, filling.components.shape) == ((0,), (0,), (0, 0))
    assert filling(np.empty((3, 0))).shape == (3, 0)
    assert filling.way == "filled with the mean of the feature"


def test_features_that_cannot_take_part_keep_their_mean(rng):
    X, _ = low_rank(rng)
    empty, constant, huge = np.full(80, np.nan), np.full(80, 4.0), np.full(80, 1.0)
    constant[3], huge[5], huge[6] = np.nan, 1e200, np.nan
    filling = Filling.learn(np.column_stack([empty, X, constant, huge]))
    assert len(filling.components) > 0
    filled = filling(np.column_stack([empty, X, constant, huge]))
    assert (filled[:, 0] == 0).all()
    np.testing.assert_allclose(filled[:, -2], 4.0)
    assert filled[6, -1] == pytest.approx(1e200 / 79)
    assert np.isfinite(filled).all()
    plain = np.column_stack([X, constant])
    np.testing.assert_allclose(filled[7:, 1:-1], Filling.learn(plain)(plain)[7:])


def test_completion_is_learned_from_a_sample_of_many_rows(rng):
    X, complete = low_rank(rng, n=MAX_ROWS + 500)
    filling = Filling.learn(X)
    gaps, spread = np.isnan(X), complete.std(axis=0)
    assert np.square((filling(X) - complete) / spread)[gaps].mean() < 0.1
    np.testing.assert_array_equal(Filling.learn(X)(X), filling(X))


def test_the_user_is_informed(rng):
    X, _ = low_rank(rng)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(z=np.nan)
    encoder = FeatureEncoder.learn(frame, Roles(numeric=tuple("abcdefz")))
    gaps = int(np.isnan(X).sum()) + 80
    share = f"{encoder.filling.error:.0%}"
    assert encoder.notes == (
        f"7 features with missing values ({gaps} cells; 'a', 'b', 'c', 'd', 'e', 'f' and 'z'): filled by low-rank "
        f"completion (SoftImputer; {share} of the error of the mean on hidden cells), 1 without any value with 0.",
    )


def test_numbers_vectors_and_a_matrix_are_completed_together(rng):
    X, _ = low_rank(rng)
    vectors = [[None if np.isnan(v) else v for v in row] for row in X[:, 2:4]]
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "v": vectors, "c": ["x", "y"] * 40})
    encoder = FeatureEncoder.learn(frame, Roles(numeric=("a", "b"), vectors="v", categorical=("c",)), X[:, 4:])
    filled = encoder.transform(frame, X[:, 4:])
    np.testing.assert_allclose(filled[:, :6], Filling.learn(X)(X))
    np.testing.assert_array_equal(filled[:, 6:], np.tile(np.eye(2), (40, 1)))


def test_a_saved_model_fills_new_tables_as_before(tmp_path, rng):
    X, Y, _ = half_labelled(rng)
    X = X[:, [0, 1, 2, 3, 4, 0, 1]] + 0.05 * rng.normal(size=(60, 7))  # some features predict others
    holed = np.where(rng.random(X.shape) < 0.15, np.nan, X)
    names = list("abcdefg")
    frame = pd.DataFrame(holed, columns=names).join(pd.DataFrame(Y, columns=["p", "q", "r"]))
    filled = hl.complete(frame, labels=["p", "q", "r"])
    assert len(filled.predictor.encoder.filling.components) > 0
    assert any("low-rank completion" in note for note in filled.opened.notes)
    pd.testing.assert_frame_equal(filled.table[names], frame[names])  # the user's table keeps its gaps
    filled.save(tmp_path / "m.halflabel")
    again = hl.load(tmp_path / "m.halflabel")
    new = pd.DataFrame(np.where(rng.random((9, 7)) < 0.3, np.nan, X[:9]), columns=names)
    pd.testing.assert_frame_equal(again.predict_proba(new), filled.predictor.predict_proba(new))
    alone = pd.concat([again.predict_proba(new.iloc[[i]]) for i in range(9)])
    pd.testing.assert_frame_equal(alone, again.predict_proba(new), atol=1e-9)


def test_two_features_are_enough_to_complete(rng):
    X = np.outer(rng.normal(size=80), [1.0, 2.0]) + 0.01 * rng.normal(size=(80, 2))
    X[:30:3, 0], X[1:30:3, 1] = np.nan, np.nan
    filled = Filling.learn(X)(X)
    np.testing.assert_allclose(filled[:30:3, 0], X[:30:3, 1] / 2, atol=0.3)
    assert np.corrcoef(filled[:30:3, 0], X[:30:3, 1])[0, 1] > 0.99


# -- missing cells as features -----------------------------------------------------------


def gaps_by_label(rng, n=120, depends=True):
    """Return noise with gaps, and a label that shows in the gaps of the first two columns, which come together."""
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 4)) + (0 if depends else 1.5 * y[:, None])
    together = rng.random(n) < (np.where(y, 0.85, 0.15) if depends else 0.5)
    X[together, :2] = np.nan
    X[rng.random(n) < 0.3, 2] = np.nan
    return X, PartialLabels.from_table(np.where(np.arange(n) < 80, y, np.nan)[:, None])


def test_missing_cells_are_features_where_they_predict_a_label(rng):
    X, labels = gaps_by_label(rng)
    filling = Filling.learn(X, labels)
    assert filling.marked == (0, 2)  # one of the two columns that are missing together
    np.testing.assert_array_equal(filling(X)[:, 4:], np.isnan(X[:, [0, 2]]))
    np.testing.assert_array_equal(filling(X)[:, :4], Filling.learn(X)(X))
    order = rng.permutation(len(X))
    assert Filling.learn(X[order], labels[order]).marked == (0, 2)


@pytest.mark.parametrize("case", ["at random", "complete", "rarely", "few items", "large values", "without labels"])
def test_missing_cells_are_no_features_where_they_predict_nothing(case, rng):
    X, labels = gaps_by_label(rng, depends=case != "at random")
    if case == "complete":
        X = np.nan_to_num(X)
    elif case == "rarely":
        X[2:] = np.nan_to_num(X[2:])
    elif case == "few items":
        X, labels = X[60:110], labels[60:110]
    elif case == "large values":
        X[0, 3] = 1e200
    assert Filling.learn(X, None if case == "without labels" else labels).marked == ()


@pytest.mark.parametrize("missing", ["if labelled", "if unlabelled", "if unlabelled or relevant"])
def test_a_column_whose_cells_are_missing_alike_in_all_labelled_or_unlabelled_items_is_not_marked(missing, rng):
    X, labels = gaps_by_label(rng)
    unlabelled, relevant = labels.unlabelled, labels.relevant[:, 0]
    rows = {"if labelled": ~unlabelled, "if unlabelled": unlabelled}.get(missing, unlabelled | relevant)
    X[rows, 3] = np.nan
    assert Filling.learn(X, labels).marked == (0, 2)


def test_of_positive_only_labels_the_absent_entries_count(rng):
    X, labels = gaps_by_label(rng)
    assigned = PartialLabels.from_positives(np.where(labels.observed, labels.relevant, np.nan))
    assert Filling.learn(X, assigned).marked == (0, 2)


def test_a_table_whose_gaps_show_the_label_is_completed_saved_and_used_again(rng, tmp_path):
    X, labels = gaps_by_label(rng)
    items = pd.DataFrame(X, columns=list("abcd")).assign(has=labels.values().ravel())
    filled = hl.complete(items, labels=["has"])
    right = filled.table["has"][80:] == np.arange(80, 120) % 2
    assert right.mean() > 0.75
    encoder = filled.evidence.opened.encoder
    assert encoder.feature_names == ("a", "b", "c", "d", "a is missing", "c is missing")
    assert "and 2 further features of missing cells" in encoder.notes[0]
    filled.save(tmp_path / "m.halflabel")
    new = items[list("abcd")].head(9)
    again = hl.load(tmp_path / "m.halflabel").predict_proba(new)
    pd.testing.assert_frame_equal(again, filled.predictor.predict_proba(new))
