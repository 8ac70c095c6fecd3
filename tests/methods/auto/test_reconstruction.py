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


@pytest.mark.parametrize("better", [True, False])
def test_an_optional_member_is_included_only_if_it_is_better_than_the_others(rng, monkeypatch, better):
    X, Y, complete = half_labelled(rng)
    members = dict(ensemble.MEMBERS)

    def optional(task):
        base = members["kernel"](task)
        scores = complete if better else 1 - complete
        noise = rng.normal(0, 0.1, base.out_of_fold.shape)
        return replace(base, scores=scores, out_of_fold=scores[task.folds.rows] + noise)

    monkeypatch.setattr(ensemble, "MEMBERS", members | {"optional": optional})
    without, tried = (
        fit_ensemble(make_task(X, Y, EFFORTS["fast"], seed=1), ("kernel",), names) for names in ((), ("optional",))
    )
    assert list(tried.brier) == (["kernel", "optional"] if better else ["kernel"])
    assert len(tried.model.members) == 1 + better
    hidden = PartialLabels.from_observed(complete, np.isnan(Y))
    if better:
        assert brier(hidden, expit(tried.log_odds)) < brier(hidden, expit(without.log_odds))
    else:
        np.testing.assert_array_equal(tried.log_odds, without.log_odds)


def test_optional_members_are_tried_for_word_features_if_no_members_are_named(words, monkeypatch):
    X, Y, complete = words
    tried = []
    monkeypatch.setattr(
        "halflabel.methods.auto.estimator.fit_ensemble",
        lambda task, names, optional: tried.append(optional) or fit_ensemble(task, names, optional),
    )
    small = replace(EFFORTS["default"], n_trees=40)
    monkeypatch.setitem(EFFORTS, "default", small)
    model = AutoLabeler().fit(X, Y)
    AutoLabeler(scale="standard").fit(X, Y)
    AutoLabeler(members=small.members).fit(X, Y)
    AutoLabeler("fast").fit(X, Y)
    assert tried == [("reconstruction",), (), (), ()]
    assert brier(PartialLabels.from_observed(complete, np.isnan(Y)), model.label_probabilities_) < 0.2
    assert model.predict_proba(X[:5]).shape == (5, 3)
