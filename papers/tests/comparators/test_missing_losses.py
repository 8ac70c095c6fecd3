"""Losses for missing positives: the authors' formulas, their slopes, the entries of each round, and planted data."""

from __future__ import annotations

import numpy as np
import pytest
from papers.tests.oracles import missing_losses as oracle

from halflabel import PartialLabels
from halflabel.labels.metrics import macro_auc
from halflabel_papers.comparators import SPLC, Hill

METHODS = [Hill(), SPLC()]


@pytest.fixture
def case(rng):
    Z, draw = rng.normal(scale=2, size=(40, 3)), rng.random((40, 3))
    return Z, draw < 0.4, draw > 0.5  # some entries are unknown


def list_losses(method, positive, rest, P):
    """The loss of the first round, and of the second one after the probabilities P."""
    rounds = method._list_rounds(positive, rest)
    yield next(rounds)
    try:
        yield rounds.send(P)
    except StopIteration:
        return


@pytest.mark.parametrize("method", METHODS, ids=lambda each: type(each).__name__)
def test_the_slope_is_that_of_the_loss(method, case, rng):
    Z, positive, rest = case
    for loss in list_losses(method, positive, rest, rng.random(Z.shape)):
        step = 1e-6
        numeric = np.zeros(Z.shape)
        for place in np.ndindex(Z.shape):
            moved = np.zeros(Z.shape)
            moved[place] = step
            numeric[place] = (loss(Z + moved)[0] - loss(Z - moved)[0]) / (2 * step)
        np.testing.assert_allclose(loss(Z)[1], numeric, atol=1e-7)


def add(function, Z, known, *arrays):
    return sum(function(Z[i], *(a[i] for a in arrays)) for i in zip(*np.nonzero(known), strict=True))


def test_the_losses_are_those_of_the_authors(case, rng):
    Z, positive, rest = case
    known, P = positive | rest, rng.random(Z.shape)
    (hill,) = list_losses(Hill(), positive, rest, P)
    assert hill(Z)[0] == pytest.approx(add(oracle.hill, Z, known, positive))
    first, second = list_losses(SPLC(), positive, rest, P)
    assert first(Z)[0] == pytest.approx(add(oracle.splc, Z, known, positive, np.zeros_like(rest)))
    assert second(Z)[0] == pytest.approx(add(oracle.splc, Z, known, positive, rest & (P > 0.6)))


@pytest.mark.parametrize("method", METHODS, ids=lambda each: type(each).__name__)
def test_missing_positives_are_found_on_planted_data(method):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 4))
    Y = X @ rng.normal(size=(4, 3)) > 0.5
    assigned = Y & (rng.random(Y.shape) < 0.6)
    model = method.fit(X, PartialLabels.from_positives(assigned.astype(float)))
    hidden = PartialLabels.from_table(np.where(assigned, np.nan, Y))
    assert macro_auc(hidden, model.label_scores_) > 0.95
