"""ROLE against its two losses, with finite differences and a numerical minimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from halflabel import PartialLabels
from halflabel.methods.baselines import BinaryRelevance
from halflabel_papers.comparators import ROLE
from halflabel_papers.comparators.role import Losses

C, K_WEIGHT = 0.8, 7.0


@pytest.fixture
def state(rng):
    """Twelve items, three labels: a third assigned, some unknown."""
    return rng.choice([1.0, -1.0, -1.0, 0.0], size=(12, 3), p=[0.3, 0.3, 0.3, 0.1])


def cross_entropy(a, b):
    return -a * np.log(b) - (1 - a) * np.log(1 - b)


def loss(learner, teacher, state, k):
    """Each of the two losses, by the docstring: of ``learner``, while ``teacher`` stays as it is."""
    (n, L), known = state.shape, state != 0
    value = cross_entropy(teacher, learner)[known].sum() - np.log(learner)[state > 0].sum()
    return value / n + K_WEIGHT * ((learner[known].sum() / n - k) / L) ** 2


def of_weights(W, X, labels, state, k):
    """The loss of the model with its ridge."""
    W = W.reshape(-1, state.shape[1])
    return loss(expit(X @ W[:-1] + W[-1]), labels, state, k) + (W[:-1] ** 2).sum() / (2 * C * len(X))


@pytest.mark.parametrize("frequency", [0.4, 1.0, 3.0], ids=["too few", "near", "too many"])
def test_estimated_labels_minimise_their_loss(frequency, state, rng):
    """Frequencies above 1 stand for a count below that of the model."""
    F = expit(rng.normal(size=state.shape))
    losses = Losses.of(state, frequency, K_WEIGHT)
    known = state != 0
    k = (state > 0).sum() / 12 / frequency

    def value(logits):
        Y = F.copy()
        Y[known] = expit(logits)
        return loss(Y, F, state, k)

    Y = losses.estimate_labels(F)
    assert ((Y > 0) & (Y < 1)).all()
    best = minimize(value, np.zeros(known.sum()), method="BFGS", options={"gtol": 1e-7})
    np.testing.assert_allclose(Y[known], expit(best.x), atol=1e-5)
    slope = approx_fprime(np.log(Y[known] / (1 - Y[known])), value, 1e-7)
    np.testing.assert_allclose(slope, 0, atol=1e-5)


@pytest.mark.parametrize("m", [-60.0, -3.0, -1.0, 0.0, 0.7, 40.0])
def test_the_root_between_0_and_1_solves_its_equation(m, state, rng):
    """Of an unassigned entry with m = -1, the two terms of the other root cancel each other."""
    F, losses = expit(rng.normal(size=state.shape)), Losses.of(state, 0.6, K_WEIGHT)
    y, p = losses._root(F, m), losses.positive
    np.testing.assert_allclose(m * y**2 - (1 + p + m) * y + F + p, 0, atol=1e-12 * max(1, abs(m)))
    assert ((y >= 0) & (y <= 1)).all()


def test_the_loss_of_the_model_and_its_gradient(state, rng):
    labels, Z = rng.random(state.shape), rng.normal(size=state.shape)
    losses = Losses.of(state, 0.6, K_WEIGHT)
    value, slope = losses.of_model(labels, Z)
    k = (state > 0).sum() / 12 / 0.6

    def written_down(flat):
        return loss(expit(flat.reshape(Z.shape)), labels, state, k)

    assert value == pytest.approx(written_down(Z.ravel()))
    np.testing.assert_allclose(slope.ravel(), approx_fprime(Z.ravel(), written_down, 1e-7), atol=1e-6)


def test_at_the_fixed_point_neither_can_lower_its_loss(state, rng):
    X = rng.normal(size=(12, 2))
    losses, k = Losses.of(state, 0.6, K_WEIGHT), (state > 0).sum() / 12 / 0.6
    solution = losses.alternate(X, C, 1e-7, 500, 10)
    assert solution.residual <= 1e-7
    assert len(solution.objective) == solution.n_iter + 1
    W = solution.x
    Y = losses.estimate_labels(expit(X @ W[:-1] + W[-1]))
    slope = approx_fprime(W.ravel(), lambda flat: of_weights(flat, X, Y, state, k), 1e-7)
    np.testing.assert_allclose(slope, 0, atol=2e-6)
    assert solution.objective[-1] == pytest.approx(of_weights(W.ravel(), X, Y, state, k))
    near = [of_weights((W + 0.1 * rng.normal(size=W.shape)).ravel(), X, Y, state, k) for _ in range(5)]
    assert min(near) > solution.objective[-1]


@pytest.fixture
def planted(rng):
    """A linear model; half of what is relevant is assigned."""
    X = rng.normal(size=(120, 2))
    truth = 2 * X @ rng.normal(size=(2, 3)) - 0.5 + 0.3 * rng.normal(size=(120, 3)) > 0
    return X, truth, (truth & (rng.random(truth.shape) < 0.5)).astype(float)


def test_a_planted_model_is_recovered_better_than_with_assumed_negatives(planted):
    X, truth, assigned = planted
    model = ROLE(C=10.0, observed_rate=0.5, n_folds=2).fit(X, PartialLabels.from_positives(assigned))
    negative = BinaryRelevance(n_folds=2).fit(X, assigned).label_scores_
    errors = [np.square(P - truth).mean() for P in (model.label_scores_, negative)]
    assert errors[0] < 0.7 * errors[1]


def test_a_large_weight_holds_both_counts(planted):
    X, _, assigned = planted
    model = ROLE(observed_rate=0.5, count_weight=1e4, n_folds=2).fit(X, PartialLabels.from_positives(assigned))
    estimated = Losses.of(2 * assigned - 1, 0.5, 1e4).estimate_labels(model.label_scores_)
    for table in (model.label_scores_, estimated):
        assert table.sum(axis=1).mean() == pytest.approx(2 * assigned.sum() / 120, rel=0.02)


def test_too_few_rounds_are_reported(planted):
    X, _, assigned = planted
    with pytest.warns(ConvergenceWarning, match="ROLE: The solver stopped at its iteration limit"):
        model = ROLE(n_folds=2, max_rounds=2).fit(X, assigned)
    assert model.solution_.n_iter == 2


def test_settings_out_of_range_raise(planted):
    X, _, assigned = planted
    for name in ("count_weight", "tol", "C"):
        with pytest.raises(ValueError, match=f"{name} must be positive"):
            ROLE(**{name: 0.0}).fit(X, assigned)
    with pytest.raises(ValueError, match="observed_rate must be above 0"):
        ROLE(observed_rate=0.0).fit(X, assigned)
