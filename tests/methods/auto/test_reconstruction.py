"""The member for text features: against SSDR-MC, which has the same inference, and as an optional member."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from tests.conftest import half_labelled
from tests.methods.auto.conftest import make_task

from halflabel import SSDRMC, AutoLabeler, PartialLabels
from halflabel.labels.metrics import brier
from halflabel.methods.auto import ensemble
from halflabel.methods.auto import reconstruction as member
from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.ensemble import fit_ensemble
from halflabel.methods.auto.member import Items
from halflabel.methods.auto.reconstruction import reconstruction

pytestmark = pytest.mark.usefixtures("small_forests")


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
    fitted = reconstruction(make_task(X, Y))
    whole = SSDRMC(scale=None, solver_tol=1e-10, max_iter=1000).fit(X, Y)
    np.testing.assert_allclose(fitted.scores, whole.label_scores_, atol=1e-6)
    new = X[:7] + 0.1
    np.testing.assert_allclose(fitted.model.predict(Items(new, None)), whole.decision_function(new), atol=1e-6)


def test_items_outside_the_graph_are_scored_as_new_ones(rng, exactly):
    X, Y, _ = half_labelled(rng, 90)
    task = make_task(X, Y, replace(EFFORTS["default"], max_nodes=50))
    fitted, outside = reconstruction(task), task.nodes.others
    assert len(outside) == 40
    np.testing.assert_allclose(fitted.scores[outside], fitted.model.predict(Items(X[outside], None)))


def test_it_takes_sparse_features(words, exactly):
    X, Y, _ = words
    kinds = (X, sparse.csr_array(X))
    fits = [reconstruction(make_task(A, Y)) for A in kinds]
    np.testing.assert_allclose(fits[0].scores, fits[1].scores, atol=1e-6)
    scores = [fit.model.predict(Items(new, None)) for fit in fits for new in (X[:7], sparse.csr_array(X[:7]))]
    np.testing.assert_allclose(scores, np.broadcast_to(scores[0], (4, 7, 3)), atol=1e-6)


@pytest.mark.parametrize("right", [True, False])
def test_a_certain_member_has_the_larger_weight_and_a_wrong_one_the_smaller(rng, monkeypatch, right):
    X, Y, complete = half_labelled(rng, 400)
    members = dict(ensemble.MEMBERS)

    def other(task):
        base = members["kernel"](task)
        scores = complete if right else rng.permuted(1 - complete, axis=0)
        return replace(
            base, scores=scores, out_of_fold=scores[task.folds.rows] + rng.normal(0, 0.1, task.folds.Y.shape)
        )

    monkeypatch.setattr(ensemble, "MEMBERS", members | {"other": other})
    without, both = (
        fit_ensemble(make_task(X, Y, EFFORTS["fast"], seed=1), names) for names in (("kernel",), ("kernel", "other"))
    )
    hidden = PartialLabels.from_observed(complete, np.isnan(Y))
    errors = [brier(hidden, expit(fitted.log_odds)) for fitted in (both, without)]
    if right:
        assert errors[0] < errors[1]
        assert both.weights["other"] > both.weights["kernel"]
    else:
        assert both.weights["other"] < both.weights["kernel"] / 2
        assert len(both.model.members) == 1 + (both.weights["other"] > 0)


def test_text_members_are_added_for_word_features_if_no_members_are_named(words, monkeypatch):
    X, Y, complete = words
    tried = []
    monkeypatch.setattr(
        "halflabel.methods.auto.fit.fit_ensemble",
        lambda task, names: tried.append("reconstruction" in names) or fit_ensemble(task, names),
    )
    small = replace(EFFORTS["default"], n_trees=20)
    monkeypatch.setitem(EFFORTS, "default", small)
    monkeypatch.setitem(EFFORTS, "fast", replace(EFFORTS["fast"], n_trees=5))
    model = AutoLabeler().fit(X, Y)
    for other in (AutoLabeler(scale="standard"), AutoLabeler(members=small.members), AutoLabeler("fast")):
        other.set_params(n_folds=2).fit(X, Y)
    assert tried == [True, False, False, False]
    assert brier(PartialLabels.from_observed(complete, np.isnan(Y)), model.label_probabilities_) < 0.2
    assert model.predict_proba(X[:5]).shape == (5, 3)
