import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from tests.methods.auto.conftest import coupled, log_loss
from tests.oracles.residuals import objective

from halflabel.labels import PartialLabels
from halflabel.methods.auto import coupling
from halflabel.methods.auto.residuals import refine


def test_items_are_assigned_to_folds_of_equal_size():
    labels = PartialLabels.from_table(np.eye(24, 2))
    for seed in range(6):
        folds = coupling.CouplingData.prepare(labels, np.zeros((24, 2)), 4, np.random.default_rng(seed)).folds
        assert np.bincount(folds).tolist() == [6, 6, 6, 6]


def test_items_of_a_group_are_in_one_fold():
    labels, groups = PartialLabels.from_table(np.eye(24, 2)), np.arange(24) // 3 + 7
    folds = coupling.CouplingData.prepare(labels, np.zeros((24, 2)), 4, np.random.default_rng(0), groups).folds
    assert (folds.reshape(8, 3) == folds[::3, None]).all()
    assert np.bincount(folds[::3]).tolist() == [2, 2, 2, 2]


def test_only_entries_with_log_odds_and_labels_with_both_values_are_used():
    gap = np.nan
    labels = PartialLabels.from_table([[1, 1, 1], [0, 1, gap], [gap, 1, 0], [1, 1, gap]])
    log_odds = np.array([[0.5, 1.0, gap], [gap, 1.0, 1.0], [1.0, 1.0, gap], [-2.0, 1.0, 1.0]])
    data = coupling.CouplingData.prepare(labels, log_odds, 2, np.random.default_rng(0))
    assert len(data.rows) == 0  # of the first label no irrelevant entry is left
    log_odds[1, 0] = 0.25
    data = coupling.CouplingData.prepare(labels, log_odds, 2, np.random.default_rng(0))
    assert data.rows.tolist() == [0, 1, 3]
    assert data.labels.state.tolist() == [[1, 0, 0], [-1, 0, 0], [1, 0, 0]]
    np.testing.assert_array_equal(data.base, [[0.5, 1.0, 0.0], [0.25, 1.0, 1.0], [-2.0, 1.0, 1.0]])
    np.testing.assert_allclose(data.residual[:, 0], [1 - expit(0.5), -expit(0.25), 1 - expit(-2.0)])
    assert not data.residual[:, 1:].any()


def test_coupling_minimises_the_objective_in_its_docstring(rng):
    labels, _, base = coupled(rng, n=60)
    model = refine(labels, base, rng, n_trees=0).model.coupling
    for j in range(4):
        best = np.array([model.intercept[j], model.slope[j], *model.weights.toarray()[j]])

        def value(theta, j=j):
            return objective(labels.values(), base, model.ridge, j, theta[0], theta[1], theta[2:])

        slopes = [(value(best + step) - value(best - step)) / 2e-4 for step in 1e-4 * np.eye(len(best))]
        np.testing.assert_allclose(slopes, 0, atol=2e-3)


def test_newton_survives_separable_labels_on_a_wild_scale(rng):
    Z = np.column_stack([np.ones(50), 1e3 * rng.normal(size=50)])
    theta = coupling._newton(Z, (Z[:, 1] > 0) * 1.0, np.full(2, 1e-3), np.array([0.0, 1.0]), np.array([0.0, -1.0]))
    assert np.isfinite(theta).all()
    assert theta[1] > 0


def test_a_label_is_no_partner_of_its_own(rng, monkeypatch):
    monkeypatch.setattr(coupling, "MAX_PARTNERS", 4)
    chosen = dict(coupling._choose_partners(rng.normal(size=(50, 6)), np.arange(6)))  # weak statistics
    assert [len(set(partners) - {label}) for label, partners in chosen.items()] == [4] * 6


def test_ridge_and_coupling_from_a_sample_are_near_those_from_all(rng, monkeypatch):
    labels, Y, base = coupled(rng, n=1500)
    whole = refine(labels, base, np.random.default_rng(1), n_trees=0)
    monkeypatch.setattr(coupling, "MAX_ITEMS", 500)
    monkeypatch.setattr(coupling, "MAX_LABELS", 2)
    part = refine(labels, base, np.random.default_rng(1), n_trees=0)
    gaps = ~labels.observed
    assert not np.array_equal(part.log_odds, whole.log_odds)
    assert log_loss(Y, part.log_odds, gaps) < log_loss(Y, whole.log_odds, gaps) + 0.01


def test_the_ridge_weights_fall_from_ten_thousand_in_equal_ratios():
    np.testing.assert_allclose(np.diff(np.log10(coupling.RIDGES)), -0.5)
    np.testing.assert_allclose(coupling.RIDGES[[0, -1]], [1e4, 10**-1.5])


def test_the_ridge_weight_has_the_least_out_of_fold_loss(rng, monkeypatch):
    labels, _, base = coupled(rng, n=60)
    monkeypatch.setattr(coupling, "RIDGES", np.array([100.0, 0.3, 1e-6]))
    data = coupling.CouplingData.prepare(labels, base, 3, rng)
    losses = []
    for ridge in coupling.RIDGES:
        loss = 0.0
        for fold in range(3):
            train, rest = data.folds != fold, data.folds == fold
            for j in (0, 2):
                Z = np.column_stack([np.ones(60), base[:, j], np.delete(data.residual, j, axis=1)])
                y, seen, weight = labels.relevant[:, j], labels.observed[:, j], np.array([1.0, 1.0, *[ridge] * 3])
                prior = np.array([0.0, 1.0, 0.0, 0.0, 0.0])

                def value(theta, Z=Z[train & seen], y=y[train & seen], weight=weight, prior=prior):
                    return np.logaddexp(0, Z @ theta).sum() - y @ (Z @ theta) + weight @ (theta - prior) ** 2 / 2

                eta = Z[rest & seen] @ minimize(value, prior, tol=1e-9).x
                loss += np.logaddexp(0, np.where(y[rest & seen], -eta, eta)).sum()
        losses.append(loss)
    assert coupling._choose_ridge(data, np.arange(60), np.array([0, 2])) == coupling.RIDGES[np.argmin(losses)]
    assert np.argmin(losses) == 1


def test_partners_are_those_of_the_score_test(rng, monkeypatch):
    residual = rng.normal(size=(40, 7)) * (rng.random((40, 7)) < 0.6) * [1, 2, 1, 5, 1, 0, 1]
    monkeypatch.setattr(coupling, "MAX_PARTNERS", 6)
    every = {j: partners.tolist() for j, partners in coupling._choose_partners(residual, np.array([1, 4]))}
    assert every == {1: [0, 2, 3, 4, 5, 6], 4: [0, 1, 2, 3, 5, 6]}
    monkeypatch.setattr(coupling, "MAX_PARTNERS", 3)
    for j, partners in coupling._choose_partners(residual, np.arange(7)):
        statistic = {
            k: abs((residual[:, j] * residual[:, k]).sum()) / np.sqrt((residual[:, j] ** 2 * residual[:, k] ** 2).sum())
            for k in range(7)
            if k not in (j, 5) and j != 5
        }
        if statistic:  # without a residual all are 0
            assert partners.tolist() == sorted(sorted(statistic, key=statistic.get)[-3:])


def test_a_step_beyond_the_minimum_is_halved():
    """One separable item on a huge scale: the whole step of Newton's method would raise the objective."""
    Z, weight, prior = np.array([[1.0, 60.0], [1.0, -60.0]]), np.array([1e-3, 1e-3]), np.array([0.0, 1.0])
    theta = coupling._newton(Z, np.array([0.0, 1.0]), weight, prior, prior)
    p = expit(Z @ theta)
    np.testing.assert_allclose(Z.T @ (p - [0.0, 1.0]) + weight * (theta - prior), 0, atol=1e-3)
    assert theta[1] < 0
