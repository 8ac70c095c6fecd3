"""The members' mathematics against slow forms of it; held-out labels are not used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from tests.conftest import half_labelled
from tests.methods.auto.conftest import make_task
from tests.oracles import auto as oracle

from halflabel.methods.auto import trees as flat
from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.ensemble import MEMBERS, uses_graph
from halflabel.methods.auto.graph import connect
from halflabel.methods.auto.harmonic import harmonic
from halflabel.methods.auto.kernel import kernel
from halflabel.methods.auto.logistic import logistic
from halflabel.methods.auto.member import Items
from halflabel.methods.auto.task import Task
from halflabel.methods.auto.tree_members import boosting

SMALL = replace(EFFORTS["default"], n_trees=20, n_landmarks=100)

#: So small that every bound binds on ninety items.
TIGHT = replace(SMALL, n_landmarks=12, max_nodes=50, max_tree_items=15)


def small_task(rng, *, n=90, entries=False, effort=SMALL):
    X, Y, _ = half_labelled(rng, n, entries=entries)
    return make_task(X, Y, effort, n_folds=3)


# -- trees -----------------------------------------------------------------------


@pytest.mark.parametrize("thin", [False, True], ids=["dense", "sparse"])
def test_flat_trees_predict_as_those_of_scikit_learn(rng, monkeypatch, thin):
    X, Y = rng.normal(size=(50, 4)), rng.random((50, 3))
    X[np.abs(X) < 0.5] = 0
    grown = []

    class Kept(flat.ExtraTreeRegressor):
        def fit(self, *given, **options):
            grown.append(super().fit(*given, **options))
            return self

    monkeypatch.setattr(flat, "ExtraTreeRegressor", Kept)
    bags = [rng.choice(50, 30, replace=False) for _ in range(5)]
    A = sparse.csr_array(X) if thin else X
    trees = flat.grow(A, Y, bags, np.arange(5), min_leaf=2, max_leaves=None)
    new = rng.normal(size=(20, 4))
    ends = [[oracle.leaf_of(model.tree_, row) for row in new] for model in grown]
    expected = np.mean([model.tree_.value[end][:, :, 0] for model, end in zip(grown, ends, strict=True)], axis=0)
    np.testing.assert_allclose(trees.predict(sparse.csr_array(new) if thin else new), expected, atol=1e-6)


def test_beyond_some_labels_splits_see_mixtures_and_leaves_the_labels(rng):
    X = rng.normal(size=(200, 1))
    Y = np.repeat((X[:, [0]] > 0).astype(float), 40, axis=1)
    Y[:, 20:] = 1 - Y[:, 20:]
    trees = flat.grow(X, Y, [np.arange(200)] * 10, np.arange(10), min_leaf=1, max_leaves=None)
    assert trees.values.shape[1] == 40
    answer = trees.predict(X)
    np.testing.assert_allclose(answer, Y, atol=1e-6)


def test_leaves_are_bounded(rng):
    X, Y = rng.normal(size=(100, 3)), rng.random((100, 2))
    trees = flat.grow(X, Y, [np.arange(100)] * 2, np.arange(2), min_leaf=1, max_leaves=7)
    assert len(trees.values) == 14


# -- members ---------------------------------------------------------------------


def flip(task: Task, items: np.ndarray) -> Task:
    """Return the task with all observed entries of some labelled items inverted, in the same folds."""
    state = task.labels.state.copy()
    state[task.folds.rows[items]] *= -1
    labels = replace(task.labels, state=state)
    folds = replace(task.folds, Y=labels[task.folds.rows].values(unknown=0.0))
    return replace(task, labels=labels, folds=folds)


@pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
@pytest.mark.parametrize("effort", [SMALL, TIGHT], ids=["small", "tight"])
@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_scores_every_cell(rng, name, effort, entries):
    task = small_task(rng, entries=entries, effort=effort)
    fitted, folds = MEMBERS[name](task), task.folds
    assert fitted.scores.shape == (90, 3)
    assert fitted.out_of_fold.shape == folds.Y.shape
    assert np.isfinite(fitted.scores).all()
    assert np.isfinite(fitted.out_of_fold).all()
    new = rng.normal(size=(7, 5))
    assert np.isfinite(fitted.model.predict(Items(new, task.graph.neighbourhood.transition(new)))).all()
    predicted = expit(fitted.out_of_fold) if name in ("boosting", "logistic") else fitted.out_of_fold
    error = ((predicted - folds.Y)[folds.observed] ** 2).mean()
    rates = np.broadcast_to(task.labels.rates, folds.Y.shape)
    assert error < ((rates - folds.Y)[folds.observed] ** 2).mean()


@pytest.mark.parametrize("name", MEMBERS)
def test_the_graph_is_built_for_the_members_that_use_it(rng, monkeypatch, name):
    calls = []
    monkeypatch.setattr("halflabel.methods.auto.graph.connect", lambda *a: calls.append("graph") or connect(*a))
    MEMBERS[name](small_task(rng))
    assert bool(calls) == uses_graph([name])


def test_a_single_labelled_item_has_no_out_of_fold_score(rng):
    X, Y, _ = half_labelled(rng)
    Y[1:] = np.nan
    task = make_task(X, Y, SMALL, seed=0)
    for member in (kernel, harmonic, boosting, logistic):
        assert np.isnan(member(task).out_of_fold).all()


# -- nodes -------------------------------------------------------------------
