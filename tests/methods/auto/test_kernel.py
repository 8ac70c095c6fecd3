"""The kernel regression: what is held out, and the shares of examples."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import linalg
from sklearn.metrics.pairwise import rbf_kernel

from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.kernel import KernelRegression, kernel
from halflabel.methods.auto.member import Items
from halflabel.methods.auto.ridge import fit_ridge
from halflabel.methods.contributions import Examples
from halflabel.numerics.kernels import nystroem


def make_task(rng, n_labelled=9, *, grouped=False, fold=None):
    """Return twelve items, the first ones with labels and gaps, and an exact kernel map."""
    X = rng.normal(size=(12, 2))
    relevant, observed = rng.random((2, n_labelled, 2)) < 0.6
    observed[0] = True
    fold = np.arange(n_labelled) % 3 if fold is None else np.array(fold)
    folds = Folds(np.arange(n_labelled), 1.0 * (relevant & observed), observed, fold, 3 * grouped)
    return SimpleNamespace(X=X, folds=folds, kernel_map=nystroem(X, 1.0, 99, rng), rng=lambda name: rng)


def refit(task, rows, j, alpha):
    """Return the kernel ridge regression of label j on some rows, at all items."""
    X, Y = task.X, task.folds.Y
    K = rbf_kernel(X[rows], gamma=0.5) + 1 + alpha * np.eye(len(rows))
    return (rbf_kernel(X, X[rows], gamma=0.5) + 1) @ linalg.solve(K, Y[rows, j])


def test_each_observed_entry_is_left_out_alone(rng):
    task = make_task(rng)
    fitted, observed = kernel(task), task.folds.observed
    alpha = fitted.model.ridge.alpha
    for j in range(2):
        known = np.flatnonzero(observed[:, j])
        whole = refit(task, known, j, alpha[j])
        np.testing.assert_allclose(fitted.scores[:, j], whole, atol=1e-6)
        for i in range(9):
            expected = refit(task, known[known != i], j, alpha[j])[i]
            assert fitted.out_of_fold[i, j] == pytest.approx(expected, abs=1e-6)
    np.testing.assert_allclose(fitted.model.predict(Items(task.X, None)), fitted.scores)


def test_groups_are_left_out_with_their_fold(rng):
    task = make_task(rng, grouped=True)
    fitted, folds = kernel(task), task.folds
    for j in range(2):
        alpha = fitted.model.ridge.alpha[j]
        known = np.flatnonzero(folds.observed[:, j])
        np.testing.assert_allclose(fitted.scores[:, j], refit(task, known, j, alpha), atol=1e-6)
        for fold in range(3):
            own = folds.fold == fold
            expected = refit(task, known[folds.fold[known] != fold], j, alpha)[:9]
            np.testing.assert_allclose(fitted.out_of_fold[own, j], expected[own], atol=1e-6)


@pytest.mark.parametrize(("n_labelled", "held_out"), [(1, False), (2, True)])
def test_a_single_item_cannot_be_left_out(n_labelled, held_out, rng):
    task = make_task(rng, n_labelled)
    task.folds.observed[:] = True
    fitted = kernel(task)
    assert np.isfinite(fitted.scores).all()
    assert np.isfinite(fitted.out_of_fold).all() == held_out
    assert np.isnan(fitted.out_of_fold).all() != held_out


def test_a_single_group_cannot_be_left_out(rng):
    fitted = kernel(make_task(rng, 4, grouped=True, fold=[-1] * 4))
    assert np.isnan(fitted.out_of_fold).all()
    assert np.isfinite(fitted.scores).all()


def test_the_shares_of_examples_add_up_to_the_prediction(rng):
    """With y in place of y minus its mean, they would be the prediction itself."""
    X, Y = rng.normal(size=(30, 2)), (rng.random((30, 1)) < 0.4) * 1.0
    model, loo = fit_ridge(nystroem(X, 1.0, 99, rng), X, Y, np.ones((30, 1), bool), rng)
    new = rng.normal(size=(1, 2))
    shares = KernelRegression(model).find_carriers(Items(new, None), 0, -1, Examples(X, Y[:, 0] > 0)).examples
    constant = KernelRegression(model).find_carriers(Items(new, None), 0, -1, Examples(X, np.arange(30) == 3)).examples
    weight = constant[3] / (1 - 1 / 30)
    assert shares[3] == pytest.approx(weight * (Y[3, 0] - Y.mean()))
    weights = shares / (Y[:, 0] - Y.mean())
    assert weights @ Y[:, 0] == pytest.approx(model.predict(new)[0, 0])
    rest = Examples(np.delete(X, 5, axis=0), np.delete(Y[:, 0], 5) > 0)
    assert KernelRegression(model).find_carriers(Items(new, None), 0, -1, None).examples is None
    mean = rest.relevant.mean()
    left_out = KernelRegression(model).find_carriers(Items(X[[5]], None), 0, -1, rest).examples
    assert left_out / (rest.relevant - mean) @ rest.relevant == pytest.approx(loo[5, 0])  # as it was scored out of fold
