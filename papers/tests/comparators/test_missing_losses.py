"""Losses for missing positives: the authors' formulas, their slopes, the entries of each round, and planted data."""

from __future__ import annotations

import numpy as np
import pytest
from papers.tests.oracles import missing_losses as oracle

from halflabel import PartialLabels
from halflabel.labels.metrics import macro_auc
from halflabel_papers.comparators import SPLC, EntropyMaximisation, Hill, LargeLoss, NonNegativePU
from halflabel_papers.comparators.changing_targets import find_largest, find_lowest
from halflabel_papers.comparators.missing_losses import lose_nonnegative

METHODS = [Hill(), SPLC(), LargeLoss(rejected=0.01), EntropyMaximisation(), NonNegativePU(observed_rate=0.6)]


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
    method = EntropyMaximisation(entropy_weight=0.3, pseudo_weight=0.7)
    pseudo = find_lowest(P, rest, (0.9 * rest.sum(axis=0) / 5).astype(int))
    for loss, soft in zip(list_losses(method, positive, rest, P), (np.zeros_like(rest), pseudo), strict=True):
        expected = add(lambda z, t, s, p: oracle.entropy(z, t, s, p, 0.3, 0.7), Z, known, positive, soft, P)
        assert loss(Z)[0] == pytest.approx(expected)


@pytest.mark.parametrize("prior", [0.2, 0.9])
def test_the_risk_of_positive_and_unlabelled_data(prior, rng):
    Z, positive = rng.normal(size=(20, 2)), rng.random((20, 2)) < 0.4
    value, _ = lose_nonnegative(Z, positive, np.ones_like(positive), np.full(2, prior))
    assert value == pytest.approx(20 * sum(oracle.nonnegative(Z[:, j], positive[:, j], prior) for j in range(2)))


def test_large_losses_and_low_probabilities_are_found(case, rng):
    Z, _, rest = case
    P = rng.random(Z.shape)
    largest = find_largest(P, rest, 4)
    assert largest.sum() == 4
    assert P[largest].min() > P[rest & ~largest].max()
    counts = np.array([1, 0, 2])
    lowest = find_lowest(P, rest, counts)
    np.testing.assert_array_equal(lowest.sum(axis=0), counts)
    for j in (0, 2):
        assert P[lowest[:, j], j].max() < P[(rest & ~lowest)[:, j], j].min()


def test_a_rejected_entry_has_no_loss(case, rng):
    Z, positive, rest = case
    P = rng.random(Z.shape)
    _, second = list_losses(LargeLoss(rejected=3 / Z.size), positive, rest, P)
    rejected = find_largest(P, rest, 3)
    assert (second(Z)[1][rejected] == 0).all()
    assert (second(Z)[1][rest & ~rejected] > 0).all()


@pytest.mark.parametrize("method", METHODS, ids=lambda each: type(each).__name__)
def test_missing_positives_are_found_on_planted_data(method):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 4))
    Y = X @ rng.normal(size=(4, 3)) > 0.5
    assigned = Y & (rng.random(Y.shape) < 0.6)
    model = method.fit(X, PartialLabels.from_positives(assigned.astype(float)))
    hidden = PartialLabels.from_table(np.where(assigned, np.nan, Y))
    assert macro_auc(hidden, model.label_scores_) > 0.95
