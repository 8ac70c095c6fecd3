"""The member for words: against SSDR-MC, whose inference it is, and as a guest of the pool."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from tests.conftest import half_labelled

from halflabel import SSDRMC, AutoLabeler, PartialLabels
from halflabel.labels.metrics import brier
from halflabel.methods.auto import pool as pools
from halflabel.methods.auto import reconstruction as member
from halflabel.methods.auto.pool import pool
from halflabel.methods.auto.reconstruction import reconstruction
from halflabel.methods.auto.task import EFFORTS, Items, Task


@pytest.fixture
def words(rng):
    """Counts of 200 words, five of which go with each label; 60 of 150 items are labelled."""
    complete = (rng.random((150, 3)) < 0.4).astype(float)
    rate = np.full((150, 200), 0.05)
    for j in range(3):
        rate[:, 5 * j : 5 * (j + 1)] += 0.3 * complete[:, [j]]
    Y = complete.copy()
    Y[60:] = np.nan
    return rng.poisson(rate) * (1 + rng.random(rate.shape)), Y, complete


@pytest.fixture
def exactly(monkeypatch):
    monkeypatch.setattr(member, "TOL", 1e-10)
    monkeypatch.setattr(member, "MAX_ITER", 1000)


@pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
def test_it_is_the_anchored_inference_of_ssdrmc(rng, exactly, entries):
    X, Y, _ = half_labelled(rng, 90, entries=entries)
    fitted = reconstruction(Task(X, PartialLabels.from_table(Y), EFFORTS["default"], seed=3))
    whole = SSDRMC(scale=None, solver_tol=1e-10, max_iter=1000).fit(X, Y)
    np.testing.assert_allclose(fitted.scores, whole.label_scores_, atol=1e-6)
    new = X[:7] + 0.1
    np.testing.assert_allclose(fitted.model.predict(Items(new, None)), whole.decision_function(new), atol=1e-6)


def test_items_outside_the_graph_are_scored_as_new_ones(rng, exactly):
    X, Y, _ = half_labelled(rng, 90)
    task = Task(X, PartialLabels.from_table(Y), replace(EFFORTS["default"], n_nodes=50), seed=3)
    fitted, outside = reconstruction(task), np.setdiff1d(np.arange(90), task.nodes)
    assert len(outside) == 40
    np.testing.assert_allclose(fitted.scores[outside], fitted.model.predict(Items(X[outside], None)))


def test_it_takes_sparse_words(words, exactly):
    X, Y, _ = words
    kinds = (X, sparse.csr_array(X))
    fits = [reconstruction(Task(A, PartialLabels.from_table(Y), EFFORTS["default"], seed=3)) for A in kinds]
    np.testing.assert_allclose(fits[0].scores, fits[1].scores, atol=1e-6)
    answers = [fit.model.predict(Items(new, None)) for fit in fits for new in (X[:7], sparse.csr_array(X[:7]))]
    np.testing.assert_allclose(answers, np.broadcast_to(answers[0], (4, 7, 3)), atol=1e-6)


@pytest.mark.parametrize("ahead", [True, False])
def test_a_guest_is_heard_only_if_it_is_ahead_of_the_others(rng, monkeypatch, ahead):
    X, Y, complete = half_labelled(rng)
    labels, members = PartialLabels.from_table(Y), dict(pools.MEMBERS)

    def knows(task):
        base = members["kernel"](task)
        told = complete if ahead else 1 - complete
        return replace(base, scores=told, out_of_fold=told[task.rows] + rng.normal(0, 0.1, task.Y.shape))

    monkeypatch.setattr(pools, "MEMBERS", members | {"guest": knows})
    alone, visited = (
        pool(Task(X, labels, EFFORTS["fast"], seed=1), ("kernel",), guests) for guests in ((), ("guest",))
    )
    assert list(visited.brier) == (["kernel", "guest"] if ahead else ["kernel"])
    assert len(visited.pool.voices) == 1 + ahead
    hidden = PartialLabels.from_observed(complete, np.isnan(Y))
    if ahead:
        assert brier(hidden, 1 / (1 + np.exp(-visited.log_odds))) < brier(hidden, 1 / (1 + np.exp(-alone.log_odds)))
    else:
        np.testing.assert_array_equal(visited.log_odds, alone.log_odds)


def test_guests_come_for_words_and_where_no_members_are_named(words, monkeypatch):
    X, Y, complete = words
    asked = []
    monkeypatch.setattr(
        "halflabel.methods.auto.estimator.pool",
        lambda task, names, guests: asked.append(guests) or pool(task, names, guests),
    )
    small = replace(EFFORTS["default"], n_trees=10)
    monkeypatch.setitem(EFFORTS, "default", small)
    model = AutoLabeler().fit(X, Y)
    AutoLabeler(scale="standard").fit(X, Y)
    AutoLabeler(members=small.members).fit(X, Y)
    AutoLabeler("fast").fit(X, Y)
    assert asked == [("reconstruction",), (), (), ()]
    assert brier(PartialLabels.from_observed(complete, np.isnan(Y)), model.label_probabilities_) < 0.2
    assert model.predict_proba(X[:5]).shape == (5, 3)
