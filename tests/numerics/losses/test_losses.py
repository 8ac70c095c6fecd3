"""Losses against numeric derivatives, majorants, and the best bias by a search."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from halflabel.numerics.losses import (
    BiasedLogistic,
    Logistic,
    SideBySide,
    Squared,
)

SHAPE = (7, 4)


def all_losses(rng):
    seen = rng.random(SHAPE) < 0.6
    sign = np.where(rng.random(SHAPE) < 0.7, rng.choice([-1.0, 1.0], size=SHAPE), 0.0)
    squared = Squared(np.where(seen, rng.normal(size=SHAPE), 0.0), seen, 0.3)
    logistic, biased = Logistic(sign, 0.7, rng.normal(size=4)), BiasedLogistic(sign, 0.7, 1e-3)
    return {
        "squared": squared,
        "complete": Squared(rng.normal(size=SHAPE), None, 0.3),
        "logistic": logistic,
        "biased": biased,
    }


LOSSES = ["squared", "complete", "logistic", "biased"]


@pytest.fixture(params=LOSSES)
def loss(request, rng):
    return all_losses(rng)[request.param]


def derivative(f, Z, i, j, h):
    E = np.zeros_like(Z)
    E[i, j] = h
    return (f(Z + E) - f(Z - E)) / (2 * h)


def test_the_gradient_is_that_of_the_value(loss, rng):
    Z = 2 * rng.normal(size=SHAPE)
    grad = loss.value_and_grad(Z)[1]
    numeric = [[derivative(lambda A: loss.value_and_grad(A)[0], Z, i, j, 1e-5) for j in range(4)] for i in range(7)]
    np.testing.assert_allclose(grad, numeric, atol=1e-8)
    out = np.empty(SHAPE)
    assert loss.value_and_grad(Z, out)[1] is out
    np.testing.assert_allclose(out, grad, rtol=1e-12)


def test_the_lipschitz_constant_holds_and_is_nearly_attained(loss, rng):
    ratios = []
    for size in (0.01, 1.0, 10.0):
        A = np.zeros(SHAPE)
        B = A + size * rng.normal(size=SHAPE)
        move = np.linalg.norm(loss.value_and_grad(A)[1] - loss.value_and_grad(B)[1])
        ratios.append(move / np.linalg.norm(A - B) / loss.lipschitz)
    assert 0.25 < max(ratios) <= 1 + 1e-9


def test_the_constants_of_logistic_terms():
    sign = np.array([[1.0, 0.0, -1.0]])
    for loss in (Logistic(sign, 0.6), BiasedLogistic(sign, 0.6, 1.0)):
        assert loss.lipschitz == 0.15
        np.testing.assert_array_equal(loss.roughness, [1, 1, 1])
    assert BiasedLogistic(np.empty((2, 0)), 0.6, 1.0).bias(np.empty((2, 0))).shape == (0,)


def test_the_curvature_is_the_second_derivative_with_the_bias_held(loss, rng):
    Z = rng.normal(size=SHAPE)
    held = loss.at(Z) if isinstance(loss, BiasedLogistic) else loss
    C = np.broadcast_to(loss.curvature(Z), SHAPE)
    for i, j in [(0, 0), (3, 2), (6, 3)]:
        second = derivative(lambda A, i=i, j=j: held.value_and_grad(A)[1][i, j], Z, i, j, 1e-5)
        assert C[i, j] == pytest.approx(second, abs=1e-8)


def test_the_parts_sum_to_the_whole(loss, rng):
    Z = rng.normal(size=SHAPE)
    parts = loss.split(3)
    assert len(parts) == (1 if isinstance(loss, BiasedLogistic) else 3)
    value, grad = loss.value_and_grad(Z)
    pieces = [part.value_and_grad(Z[rows]) for rows, part in parts]
    assert sum(piece[0] for piece in pieces) == pytest.approx(value)
    np.testing.assert_allclose(np.vstack([piece[1] for piece in pieces]), grad)


def test_roughness_bounds_the_third_derivative(loss, rng):
    Z = 3 * rng.normal(size=SHAPE)
    held = loss.at(Z) if isinstance(loss, BiasedLogistic) else loss
    C = np.broadcast_to(held.curvature(Z), SHAPE)
    third = (np.broadcast_to(held.curvature(Z + 1e-6), SHAPE) - C) / 1e-6
    assert (np.abs(third) <= loss.roughness * C + 1e-6).all()


def test_side_by_side_is_the_sum_of_its_terms(rng):
    losses = all_losses(rng)
    both = SideBySide([losses["logistic"], losses["squared"]], [4, 4])
    Z = rng.normal(size=(7, 8))
    value, grad = both.value_and_grad(Z)
    one, two = losses["logistic"].value_and_grad(Z[:, :4]), losses["squared"].value_and_grad(Z[:, 4:])
    assert value == pytest.approx(one[0] + two[0])
    np.testing.assert_allclose(grad, np.hstack([one[1], two[1]]))
    assert both.lipschitz == max(0.7 / 4, 0.3)
    np.testing.assert_array_equal(both.roughness, [1] * 4 + [0] * 4)
    assert [rows for rows, _ in both.split(4)] == [slice(0, 4), slice(4, 7)]
    with_bias = SideBySide([losses["biased"], losses["squared"]], [4, 4]).split(4)
    assert [rows for rows, _ in with_bias] == [slice(0, 7)]


def test_huge_margins_neither_overflow_nor_lose_the_loss():
    loss = Logistic(np.array([[1.0, 1.0, -1.0, 0.0]]), 1.0)
    value, grad = loss.value_and_grad(np.array([[-1e4, 1e4, 1e4, 1e4]]))
    assert value == pytest.approx(2e4)
    np.testing.assert_allclose(grad, [[-1, 0, 1, 0]])


def test_many_labels_do_not_overflow_the_product_of_their_losses():
    assert Logistic(np.ones((2, 3000)), 1.0).value_and_grad(np.zeros((2, 3000)))[0] == pytest.approx(6000 * np.log(2))


def test_the_bias_is_the_best_one(rng):
    sign = rng.choice([-1.0, 0.0, 1.0], size=(30, 5), p=[0.1, 0.4, 0.5])
    sign[:, 3], sign[:, 4] = 1.0, 0.0  # one class, and nothing observed
    Z = 3 * rng.normal(size=(30, 5))
    Z[:4] = Z[4]  # ties
    loss = BiasedLogistic(sign, 0.2, 1e-3)
    for j in range(5):
        best = minimize_scalar(
            lambda b, j=j: 0.2 * np.logaddexp(0, -sign[:, j] * (Z[:, j] + b))[sign[:, j] != 0].sum() + 5e-4 * b**2,
            options={"xtol": 1e-12},
        )
        assert loss.bias(Z)[j] == pytest.approx(best.x, abs=1e-6)


@pytest.mark.parametrize("start", [0.0, 50.0, -50.0])
def test_a_label_of_one_class_has_a_finite_bias(start):
    """MC-b as published has no minimiser here."""
    loss = BiasedLogistic(np.ones((20, 1)), 1.0, 1e-6)
    loss.bias(np.full((20, 1), start))
    b = loss.bias(np.zeros((20, 1)))
    assert 10 < b[0] < 20
    assert 20 / (1 + np.exp(b[0])) == pytest.approx(1e-6 * b[0], rel=1e-6)
