"""The choice of both weights: the errors on hidden entries by hand, and the end of a path."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest
from tests.methods.matrix_completion.test_matrix_completion import problem, scaled

from halflabel import MC1
from halflabel.methods.matrix_completion import weight_choice
from halflabel.methods.matrix_completion.matrix_problem import Data, MatrixProblem
from halflabel.methods.matrix_completion.weight_choice import Fold, Selection, select
from halflabel.numerics.losses import Squared


def test_every_observed_label_is_judged_once_by_a_model_that_did_not_see_it():
    X, labels, _ = problem()
    data = Data(labels.values(irrelevant=-1.0, unknown=0.0), Squared(np.nan_to_num(scaled(X)), ~np.isnan(X), 1.0))
    fold_of = np.arange(labels.state.size).reshape(labels.shape) % 3
    folds = [Fold(labels.observed & (fold_of == k), ~np.isnan(X) & (k == np.arange(12) % 3)) for k in range(3)]
    setting = MatrixProblem(1.0, 1.0, "proximal_gradient", 1e-4, 3000)
    chosen = select(setting, data, folds, [0.5], 3e-3, "labels")
    np.testing.assert_array_equal(~np.isnan(chosen.out_of_fold), labels.observed)
    for fold in folds:  # the hidden value does not matter
        other = Data(np.where(fold.labels, -data.sign, data.sign), data.features)
        again = select(setting, other, [fold], [0.5], 3e-3, "labels")
        np.testing.assert_array_equal(again.out_of_fold[fold.labels], chosen.out_of_fold[fold.labels])


def test_ties_go_to_the_larger_weight_whenever_it_is_tried():
    rest = {"log_loss": 0.5, "label_error": 0.1, "feature_error": np.nan, "n_iter": 5.0}
    chosen = Selection(np.nan, 1.0, np.zeros((1, 1)))
    worse = [
        chosen.add(alpha, 1.0, error, np.full((1, 1), alpha), rest)
        for alpha, error in [(2.0, 0.3), (1.0, 0.1), (0.5, 0.1), (4.0, 0.1), (0.1, 0.2)]
    ]
    assert worse == [False, False, False, False, True]
    assert chosen.alpha == chosen.out_of_fold[0, 0] == 4.0
    assert chosen.table["alpha"] == [2.0, 1.0, 0.5, 4.0, 0.1]


def fit_of(scores, features=None, n_iter=1):
    """Return a solution with these scores; its features are in the columns behind them, before a column of ones."""
    scores = np.asarray(scores, dtype=float)
    features = np.zeros((len(scores), 0)) if features is None else np.asarray(features, dtype=float)
    return SimpleNamespace(scores=scores, Z=np.hstack([9 + scores, features, np.ones((len(scores), 1))]), n_iter=n_iter)


def test_the_errors_on_hidden_entries_by_hand():
    sign = np.array([[1.0, -1.0], [-1.0, 0.0], [1.0, 1.0]])
    X = np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 4.0]])
    data = Data(sign, Squared(X, np.array([[1, 1], [1, 0], [0, 1]], dtype=bool), 1.0))
    folds = [
        Fold(np.array([[1, 0], [0, 0], [0, 1]], dtype=bool), np.array([[1, 0], [0, 0], [0, 1]], dtype=bool)),
        Fold(np.array([[0, 1], [1, 0], [1, 0]], dtype=bool), None),
    ]
    first = fit_of([[0.5, 7], [7, 7], [7, -2]], [[2.0, 7], [7, 7], [7, 1.0]], n_iter=3)
    second = fit_of([[7, -0.1], [0.0, 7], [0.25, 7]], np.full((3, 2), 7.0), n_iter=4)
    scores, rest = weight_choice._score_fits(data, folds, [first, second])
    np.testing.assert_array_equal(scores, [[0.5, -0.1], [0.0, np.nan], [0.25, -2.0]])
    assert rest["label_error"] == 2 / 5  # -2 for a relevant label, and 0, which is no label
    assert rest["feature_error"] == pytest.approx((1 + 9) / (1 + 16))
    assert rest["n_iter"] == 7.0
    _, rest = weight_choice._score_fits(data, folds[1:], [second])
    assert np.isnan(rest["feature_error"])
    nothing = Fold(np.zeros((3, 2), dtype=bool), None)
    assert weight_choice._score_fits(data, [nothing], [second])[1]["label_error"] == 0.0


@dataclass(frozen=True)
class Scripted:
    """A setting whose solutions have given shares of wrong labels: one for each label weight and position."""

    shares: dict
    solver: str = "proximal_gradient"
    tol: float = 1e-4
    calls: list = field(default_factory=list)

    def path(self, data, weight):
        return np.array([2.0**-k for k in range(len(self.shares[weight]))])

    def solve(self, part, weight, alpha, start):
        self.calls.append((weight, alpha, start, self.tol))
        wrong = self.shares[weight][round(-np.log2(alpha))]
        scores = np.where(np.arange(len(part.sign))[:, None] < wrong, -1.0, 1.0)
        return fit_of(scores)


def choose(shares, alpha=None, **changes):
    """Return what was chosen for ten relevant labels in two folds, and the solutions asked for."""
    data = Data(np.ones((10, 1)), Squared(np.zeros((10, 0)), None, 1.0))
    first = np.arange(10)[:, None] % 2 == 0
    setting = Scripted(shares, **changes)
    return select(setting, data, [Fold(first, None), Fold(~first, None)], list(shares), alpha, "labels"), setting.calls


@pytest.mark.parametrize(
    ("wrong", "length", "best"),
    [
        ([8, 2, 3, 4, 5, 6], 5, 1),  # three in a row that are worse
        ([8, 2, 3, 4, 2, 3, 4, 5, 6], 8, 1),  # an equal one starts the count again
        ([8, 2, 3, 4, 1, 3], 6, 4),
        ([3, 4, 5, 6, 7, 2, 9], 7, 5),  # none is better than the first, where Z is 0, before the sixth
        ([3, 3, 4, 4, 4, 4], 6, 0),
    ],
)
def test_a_path_ends_after_three_worse_weights_in_a_row(wrong, length, best):
    chosen, _ = choose({0.5: wrong})
    assert chosen.table["label_error"] == [n / 10 for n in wrong[:length]]
    assert chosen.table["alpha"] == [2.0**-k for k in range(length)]
    assert (chosen.alpha, chosen.best) == (2.0**-best, (wrong[best] / 10, -(2.0**-best)))


def test_every_label_weight_has_its_own_path_and_start():
    chosen, calls = choose({0.5: [6, 3, 4], 2.0: [5, 2, 3, 3, 3, 1]})
    assert chosen.table["label_weight"] == [0.5] * 3 + [2.0] * 5  # the second path ends before its last weight
    assert (chosen.label_weight, chosen.alpha) == (2.0, 0.5)
    np.testing.assert_array_equal(chosen.out_of_fold[:, 0], [-1, -1, *[1] * 8])
    starts = [start is None for *_, start, _ in calls]
    assert starts == [True, True, *[False] * 4, True, True, *[False] * 8]
    assert {tol for *_, tol in calls} == {1e-2}


def test_a_path_does_not_end_by_the_first_error_of_another_label_weight():
    """The best error so far, 0.2, is that of the first path: the second one ends when three are worse."""
    chosen, _ = choose({0.5: [6, 2], 2.0: [5, 4, 3, 3, 3]})
    assert chosen.table["label_weight"] == [0.5] * 2 + [2.0] * 3


@pytest.mark.parametrize(
    ("solver", "tol", "used"), [("proximal_gradient", 1e-4, 1e-2), ("proximal_gradient", 0.5, 0.5), ("fpc", 1e-4, 1e-4)]
)
def test_rough_solutions_are_enough_to_compare_weights(solver, tol, used):
    _, calls = choose({1.0: [6, 3]}, alpha=0.5, solver=solver, tol=tol)
    assert [(alpha, given) for _, alpha, _, given in calls] == [(0.5, used)] * 2


def test_before_the_first_weight_nothing_is_chosen():
    chosen = Selection(np.nan, 0.5, np.zeros((2, 1)))
    assert chosen.best == (np.inf, 0.0)
    rest = {"log_loss": 0.6, "label_error": 0.5, "feature_error": 0.25, "n_iter": 2.0}
    assert not chosen.add(3.0, 0.5, 0.5, np.ones((2, 1)), rest)
    assert (chosen.alpha, chosen.label_weight, chosen.best) == (3.0, 0.5, (0.5, -3.0))
    assert chosen.table == {"alpha": [3.0], "label_weight": [0.5]} | {name: [value] for name, value in rest.items()}


def test_the_log_loss_ignores_where_the_scores_are_and_sees_their_order():
    """Rare labels: every sign of a good order can mean irrelevant, which is no worse than an empty matrix to a sign."""
    rng = np.random.default_rng(0)
    sign = np.where(rng.random((400, 2)) < 0.1, 1.0, -1.0)
    good = -5 + sign + rng.normal(size=sign.shape)
    wrong = [np.mean(np.sign(scores) != sign) for scores in (good, np.full(sign.shape, -1.0))]
    assert wrong[0] == wrong[1]
    empty = weight_choice._log_loss(np.zeros(sign.shape), sign)
    rate = np.mean(sign > 0, axis=0)
    assert empty == pytest.approx(-np.mean(rate * np.log(rate) + (1 - rate) * np.log(1 - rate)), rel=0.02)
    assert weight_choice._log_loss(good, sign) < 0.8 * empty
    assert weight_choice._log_loss(3 * good + 7, sign) == pytest.approx(weight_choice._log_loss(good, sign))
    assert np.isnan(weight_choice._log_loss(np.full(sign.shape, np.nan), sign))


@pytest.mark.filterwarnings("ignore:.* degrees of freedom")
def test_the_default_is_not_worse_than_the_rate_of_each_label():
    """The first weight is the one of Z = 0, whose calibrated scores are these rates."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 8))
    Y = (X[:, :4] + 1.5 * rng.normal(size=(150, 4)) > 1.0).astype(float)
    Y[rng.random(Y.shape) < 0.5] = np.nan
    table = MC1(label_weight=1.0, n_folds=3).fit(X, Y).cv_results_
    assert table["log_loss"].min() <= table["log_loss"][0] < np.log(2)
