"""A fit that is kept: parts against refits from scratch, and the update against a new fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg
from sklearn.metrics.pairwise import rbf_kernel

from halflabel import AutoLabeler, PartialLabels
from halflabel.methods.auto.ensemble import MEMBERS
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.kept import KeptFit
from halflabel.methods.auto.kept_members import KEEPERS, solve_by_label


def make_table(rng, n=160, n_labels=4, share=0.4, singles=0.0):
    """Return features, complete labels, and labels of some whole items, and of single entries of other items."""
    X = rng.normal(size=(n, 5))
    Y = (np.tanh(X @ rng.normal(size=(5, n_labels))) + 0.5 * rng.normal(size=(n, n_labels)) > 0).astype(float)
    given = np.repeat(np.arange(n)[:, None] < share * n, n_labels, axis=1) | (rng.random(Y.shape) < singles)
    return X, Y, np.where(given, Y, np.nan)


def answer(rng, Y, given, number):
    """Return the table with some more entries."""
    known, unknown = given.copy(), np.argwhere(np.isnan(given))
    rows, columns = unknown[rng.choice(len(unknown), number, replace=False)].T
    known[rows, columns] = Y[rows, columns]
    return known


def to_labels(table):
    return PartialLabels.from_table(table)


def test_every_member_can_be_kept():
    assert KEEPERS.keys() == MEMBERS.keys()


@pytest.mark.parametrize("n_changed", [0, 3, 30])
def test_regressions_on_nearly_shared_rows_are_those_of_the_normal_equations(n_changed, rng):
    Phi, alphas, n = rng.normal(size=(40, 7)), np.array([0.1, 2.0]), 40
    shared = np.arange(n) < 25
    observed = np.repeat(shared[:, None], 2, axis=1)
    observed[rng.choice(n, n_changed, replace=False), 1] ^= True
    Y = np.where(observed, rng.random((n, 2)) < 0.5, 0.0)
    values, V = linalg.eigh(Phi[shared].T @ Phi[shared])
    coef, left_out = solve_by_label(Phi @ V, values, Folds(np.arange(n), Y, observed, np.zeros(n, int)), shared, alphas)
    for j, alpha in enumerate(alphas):
        rows = np.flatnonzero(observed[:, j])

        def solve(rows, j=j, alpha=alpha):
            A = Phi[rows].T @ Phi[rows] + alpha * np.eye(7)
            return np.linalg.solve(A, Phi[rows].T @ Y[rows, j])

        np.testing.assert_allclose(V @ coef[:, j], solve(rows), atol=1e-9)
        expected = [Phi[i] @ solve(np.delete(rows, at)) for at, i in enumerate(rows)]
        np.testing.assert_allclose(left_out[rows, j], expected, atol=1e-9)


@pytest.mark.parametrize("known", ["items", "items and entries", "half of each item"])
def test_the_regression_after_answers_about_new_items_is_the_exact_one_on_all_rows(known, rng):
    """Against kernel ridge in its dual form, once per left-out row: no map, no eigenvectors, nothing that is kept."""
    X, Y, given = make_table(rng, n=60, singles=0.2 * (known == "items and entries"))
    if known == "half of each item":  # no row has most of its labels
        given[(np.arange(60)[:, None] + np.arange(4)) % 4 < 2] = np.nan
    X[30:] *= 3  # unlike the items of the fit
    X[45] = X[44]  # a twin: the Gram matrix of the new rows is singular
    model = AutoLabeler("fast", members=("kernel",)).fit(X, given)
    now = answer(rng, Y, given, 25)
    now[[44, 45], 1], now[0, 1], now[1, 1] = Y[[44, 45], 1], 1 - now[0, 1], np.nan
    kept, ridge = KeptFit(model, X, to_labels(given)), model.ensemble_.members[0].model.ridge
    change = kept._describe(to_labels(now), np.arange(4))
    fitted = kept._refits["kernel"](change)
    K = rbf_kernel(model.weighting_(X), gamma=0.5 / ridge.features.bandwidth**2) + 1
    now = now[:, kept._order]

    def predict(rows, j):
        a = np.linalg.solve(K[np.ix_(rows, rows)] + ridge.alpha[j] * np.eye(len(rows)), now[rows, j])
        return K[:, rows] @ a

    for j in range(4):
        rows = np.flatnonzero(~np.isnan(now[:, j]))
        np.testing.assert_allclose(fitted.scores[:, j], predict(rows, j), atol=1e-6)
        np.testing.assert_allclose(fitted.model.predict(model._weigh_new(X))[:, j], predict(rows, j), atol=1e-6)
        left_out = [predict(np.delete(rows, at), j)[i] for at, i in enumerate(rows)]
        at = np.searchsorted(change.folds.rows, rows)
        np.testing.assert_allclose(fitted.out_of_fold[at, j], left_out, atol=1e-6)


@pytest.mark.parametrize("member", ["kernel", "harmonic"])  # a tree has no leaf for a far item alone
def test_answers_about_items_unlike_all_others_hardly_change_other_values(member):
    """They may change the rate of their label, as five items among all."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, _, given = make_table(rng, singles=0.05 * (seed % 2))
        X[-5:], given[-5:] = 40 * rng.normal(size=(5, 5)), np.nan
        model = AutoLabeler("fast", members=(member,)).fit(X, given)
        now = given.copy()
        now[-5:, 1] = rng.integers(2, size=5)
        updated = KeptFit(model, X, to_labels(given)).update(to_labels(now))
        change = np.abs(updated.label_probabilities_ - model.label_probabilities_)[:-5]
        assert change.max() < 0.1
        assert change.mean() < 0.01


@pytest.mark.parametrize("singles", [0.0, 0.1])
@pytest.mark.parametrize("member", sorted(MEMBERS))
def test_doubtful_answers_make_no_probability_worse(member, singles):
    """Neither those of the gaps that are left nor those of the known values, as a queue of questions asks them."""
    scores = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, Y, given = make_table(rng, singles=singles)
        X[70:] *= rng.uniform(1, 4, size=(90, 1))
        model = AutoLabeler("fast", members=(member,)).fit(X, given)
        p, known = model.label_probabilities_, ~np.isnan(given)
        asked = np.unravel_index(np.argsort(np.where(known, 1, np.abs(p - 0.5)), axis=None)[:40], Y.shape)
        now = given.copy()
        now[asked] = Y[asked]
        after = KeptFit(model, X, to_labels(given)).update(to_labels(now)).label_probabilities_
        losses = np.array([(p - Y) ** 2, (after - Y) ** 2])
        scores.append([losses[:, known].mean(axis=1), losses[:, np.isnan(now)].mean(axis=1)])
    before, after = np.moveaxis(scores, 2, 0)
    assert (after < 1.1 * before).all()
    assert (after.mean(axis=0) < 1.02 * before.mean(axis=0)).all()


@pytest.mark.parametrize("member", ["kernel", "harmonic", "boosting"])
def test_a_label_with_the_entries_of_the_fit_is_fitted_as_in_the_fit(member, rng):
    """An entry is changed and changed back: nothing but rounding may remain. Splits, map and graph are the same."""
    X, _, given = make_table(rng)
    model = AutoLabeler("default", members=(member,)).fit(X, given)
    kept = KeptFit(model, X, to_labels(given))
    columns = np.arange(4)
    fitted = kept._refits[member](kept._describe(to_labels(given), columns))
    before = model.ensemble_.members[0].model
    items = model._weigh_new(X)
    np.testing.assert_allclose(fitted.model.predict(items), before.predict(items), atol=2e-4)
    if member != "harmonic":  # which predicts its own nodes by their values
        np.testing.assert_allclose(fitted.scores, before.predict(items), atol=2e-4)


def test_the_mean_of_a_leaf_follows_corrections_and_no_new_entries(rng):
    """By hand: with all leaves searched one by one, each part without the items of its fold."""
    X, Y, given = make_table(rng, n=60)
    model = AutoLabeler("fast", members=("trees",)).fit(X, given)
    kept, now = KeptFit(model, X, to_labels(given)), answer(rng, Y, given, 9)
    now[[0, 3], 1] = 1 - now[[0, 3], 1]
    change = kept._describe(to_labels(now), np.arange(4))
    after = kept._refits["trees"](change).model
    weighted, difference = model.weighting_(X), np.nan_to_num(now - given)[:, kept._order]
    before = model.ensemble_.members[0].model
    for number, (part, part_after) in enumerate(zip(before.parts, after.parts, strict=True)):
        [leaves, *_] = part.find(weighted)
        for leaf in np.unique(leaves[leaves >= 0]):
            bag = (leaves == leaf) & (model.folds_ >= 0) & (model.folds_ != number)
            expected = part.values[leaf] + difference[bag].sum(axis=0) / max(bag.sum(), 1)
            np.testing.assert_allclose(part_after.values[leaf], expected, atol=1e-6)


@pytest.mark.parametrize("singles", [0.0, 0.1])
def test_an_update_depends_on_all_entries_and_not_on_their_order(singles, rng):
    X, Y, given = make_table(rng, singles=singles)
    model = AutoLabeler("default", members=("kernel", "harmonic", "trees")).fit(X, given)
    kept, some = KeptFit(model, X, to_labels(given)), answer(rng, Y, given, 4)
    more = answer(rng, Y, some, 4)
    kept.update(to_labels(some))
    again, once = kept.update(to_labels(more)), KeptFit(model, X, to_labels(given)).update(to_labels(more))
    np.testing.assert_array_equal(again.label_probabilities_, once.label_probabilities_)
    unchanged = kept.update(to_labels(given))
    np.testing.assert_array_equal(unchanged.label_probabilities_, model.label_probabilities_)
    known = ~np.isnan(more)
    np.testing.assert_array_equal(again.transduction_[known], more[known])


def test_the_shares_of_an_answered_item_add_up_to_the_part_of_the_trees(rng):
    X, Y, given = make_table(rng, n=60)
    now = given.copy()
    now[-1, 2] = Y[-1, 2]
    model = KeptFit(AutoLabeler("fast", members=("trees",)).fit(X, given), X, to_labels(given)).update(to_labels(now))
    shares = [model.find_carriers(X[[i]], to_labels(now)[[i]], 2, i)["trees"].features.sum() for i in (50, -1)]
    parts = model.contributions_["trees"][[50, -1], 2]
    assert np.diff(shares) == pytest.approx(np.diff(parts), abs=1e-5)


def test_labels_without_an_answer_stay_as_they_are(rng):
    X, Y, given = make_table(rng)
    model = AutoLabeler("fast").fit(X, given)
    now = given.copy()
    now[-1, 2] = Y[-1, 2]
    updated = KeptFit(model, X, to_labels(given)).update(to_labels(now))
    others = [0, 1, 3]
    np.testing.assert_array_equal(updated.label_scores_[:, others], model.label_scores_[:, others])
    np.testing.assert_array_equal(updated.predict_proba(X)[:, others], model.predict_proba(X)[:, others])
    assert not np.array_equal(updated.label_scores_[:, 2], model.label_scores_[:, 2])


def test_the_answer_about_an_entry_hardly_changes_its_own_probability(rng):
    """It is out of fold: only the rate of the label, which values far away in the graph have, contains the answer."""
    X, _, given = make_table(rng)
    kept = KeptFit(AutoLabeler("default").fit(X, given), X, to_labels(given))
    pair = []
    for value in (0.0, 1.0):
        now = given.copy()
        now[-1, 2] = value
        pair.append(kept.update(to_labels(now)))
    np.testing.assert_allclose(*(each.label_probabilities_[-1, 2] for each in pair), atol=1e-3)
    assert pair[0].predict_proba(X)[-1, 2] < pair[1].predict_proba(X)[-1, 2]


def test_an_item_of_a_group_joins_the_fold_of_the_group(rng):
    X, Y, given = make_table(rng)
    groups = np.arange(160) % 80  # each labelled item has a twin among the last ones
    model = AutoLabeler("fast").fit(X, given, groups=groups)
    now = given.copy()
    now[[100, 159], 0] = Y[[100, 159], 0]
    folds = KeptFit(model, X, to_labels(given), groups)._describe(to_labels(now), np.array([0])).folds
    assert folds.fold[folds.rows == 100] == model.folds_[20]
    assert folds.fold[folds.rows == 159] >= 0


def test_what_only_a_new_fit_can_learn_is_an_error(rng):
    X, Y, given = make_table(rng, n=60)
    given[:, 3] = np.where(np.isnan(given[:, 3]), np.nan, 1)
    with pytest.warns(UserWarning, match="cannot be learned"):
        model = AutoLabeler("fast").fit(X, given)
    now = given.copy()
    now[-1, 3] = 0
    with pytest.raises(ValueError, match=r"label 'label3' can be learned .*: give all entries to fit"):
        KeptFit(model, X, to_labels(given)).update(to_labels(now))
    prior = AutoLabeler("fast").fit(X, Y, prior=np.full(Y.shape, 0.5))
    with pytest.raises(ValueError, match="the fit has a prior"):
        KeptFit(prior, X, to_labels(Y))
    positives = PartialLabels.from_positives(Y)
    with pytest.raises(ValueError, match="positive-only"):
        KeptFit(AutoLabeler("fast").fit(X, positives), X, positives)


@pytest.mark.slow  # twelve fits
@pytest.mark.parametrize("singles", [0.0, 0.05])
@pytest.mark.parametrize("effort", ["fast", "default"])
def test_an_update_is_about_as_near_to_a_new_fit_as_another_random_state(effort, singles):
    """The stated tolerance, after answers about a fifth as many entries as were known.

    With five folds: ten of them halve what another random state changes, and not what an update leaves out.
    """
    near, far = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, Y, given = make_table(rng, n=200, singles=singles)
        now = answer(rng, Y, given, 60)
        updated = KeptFit(AutoLabeler(effort, n_folds=5).fit(X, given), X, to_labels(given)).update(to_labels(now))
        fits = [AutoLabeler(effort, n_folds=5, random_state=state).fit(X, now) for state in (0, 1)]
        gap = np.isnan(now)
        near.append(np.abs(updated.label_probabilities_ - fits[0].label_probabilities_)[gap].mean())
        far.append(np.abs(fits[1].label_probabilities_ - fits[0].label_probabilities_)[gap].mean())
    assert np.mean(near) < 1.7 * np.mean(far) < 0.1
