"""Calibration and threshold rules: against direct minimisation, exhaustive search, and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize
from scipy.special import expit

from halflabel import PartialLabels
from halflabel.labels import calibration
from halflabel.labels.calibration import (
    RULES,
    cross_calibrate,
    fill_confident,
    fit_platt,
    require_probabilities,
    require_rule,
    thresholds,
)
from halflabel.labels.metrics import brier

probabilities = hnp.arrays(float, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=st.floats(0.01, 0.99))


def shrunken_loss(theta, z, sign, prior):
    margin = sign * (np.exp(theta[0]) * z + theta[1])
    return np.logaddexp(0, -margin).sum() + 0.5 * ((theta - prior) ** 2).sum()


def test_platt_minimises_the_documented_objective(rng):
    scores = rng.normal(size=(200, 3))
    complete = (rng.random((200, 3)) < expit(np.array([0.5, 2, 4]) * scores + np.array([0, -2, 1]))).astype(float)
    mask = rng.random((200, 3)) < 0.7
    fitted = fit_platt(scores, PartialLabels.from_observed(complete, mask))
    z, sign = (scores - fitted.center) / fitted.spread, 2 * complete - 1
    rate = (complete[mask].sum() + 0.5) / (mask.sum() + 1)
    start = np.array([0.0, np.log(rate / (1 - rate))])
    pooled = minimize(shrunken_loss, start, (z[mask], sign[mask], start), method="BFGS", tol=1e-10).x
    for j in range(3):
        rows = mask[:, j]
        expected = minimize(shrunken_loss, pooled, (z[rows, j], sign[rows, j], pooled), method="BFGS", tol=1e-10).x
        np.testing.assert_allclose([np.log(fitted.slope[j]), fitted.intercept[j]], expected, atol=1e-4)


@pytest.mark.parametrize("ceiling", [1.0, 0.7])
def test_platt_converges_in_a_few_steps_even_where_scores_have_no_information(rng, ceiling, monkeypatch):
    scores = rng.normal(size=(400, 60))
    state = np.where(rng.random(scores.shape) < ceiling * expit(rng.choice([0, 1], 60) * scores - 2), 1, -1)
    sizes, expand = [], calibration._expand
    monkeypatch.setattr(calibration, "_expand", lambda *args: sizes.append(args[0].shape[1]) or expand(*args))
    fitted = fit_platt(
        scores, PartialLabels(state.astype(np.int8), tuple("x" * 60), np.ones(400, bool)), ceiling=ceiling
    )
    assert len(sizes) <= 32  # of the fit to all labels together and of the one per label
    z = (scores - fitted.center) / fitted.spread
    u = fitted.slope * z
    relevant, all_together = state > 0, u + fitted.intercept
    lacking = ceiling * expit(all_together) * expit(-all_together) / (1 - ceiling * expit(all_together))
    slope = np.where(relevant, -expit(-all_together), lacking)  # of the log loss
    # The prior is the same for all labels, so that the gradients of two labels differ by that of the shrinkage.
    for gradient, theta in (((slope * u).sum(axis=0), np.log(fitted.slope)), (slope.sum(axis=0), fitted.intercept)):
        assert gradient + theta == pytest.approx(np.full(60, (gradient + theta).mean()), abs=1e-6)


def ceiled_loss(theta, z, assigned, prior, ceiling):
    p = np.clip(ceiling * expit(np.exp(theta[0]) * z + theta[1]), 1e-300, 1)
    return -np.log(np.where(assigned, p, 1 - p)).sum() + 0.5 * ((theta - prior) ** 2).sum()


@pytest.mark.parametrize("ceiling", [0.3, 0.7, 0.95])
def test_platt_below_a_ceiling_minimises_the_likelihood_of_what_was_assigned(rng, ceiling):
    scores = rng.normal(size=(200, 3))
    relevant = rng.random((200, 3)) < expit(np.array([0.5, 2, 4]) * scores + np.array([0, -2, 1]))
    assigned = relevant & (rng.random((200, 3)) < ceiling)
    fitted = fit_platt(scores, PartialLabels.from_table(assigned), ceiling=ceiling)
    z = (scores - fitted.center) / fitted.spread
    rate = (assigned.sum() + 0.5) / (assigned.size + 1) / ceiling
    start = np.array([0.0, np.log(rate / (1 - rate))])
    pooled = minimize(ceiled_loss, start, (z.ravel(), assigned.ravel(), start, ceiling), method="BFGS", tol=1e-10).x
    for j in range(3):
        arguments = (z[:, j], assigned[:, j], pooled, ceiling)
        starts = pooled + np.array([[0, 0], [0, 2], [-1, -2]])  # the loss is not convex
        found = [minimize(ceiled_loss, s, arguments, method="BFGS", tol=1e-10) for s in starts]
        expected = min(found, key=lambda each: each.fun).x
        np.testing.assert_allclose([np.log(fitted.slope[j]), fitted.intercept[j]], expected, atol=1e-4)


def test_platt_below_a_ceiling_finds_the_probabilities_behind_it(rng):
    slope, intercept, ceiling = np.array([3.0, 6.0]), np.array([-1.0, 1.0]), 0.6
    scores = rng.normal(size=(20_000, 2))
    truth = rng.random((20_000, 2)) < expit(slope * scores + intercept)
    assigned = truth & (rng.random((20_000, 2)) < ceiling)
    p = fit_platt(scores, PartialLabels.from_table(assigned), ceiling=ceiling)(scores)
    np.testing.assert_allclose(p, expit(slope * scores + intercept), atol=0.05)
    quotient = np.minimum(fit_platt(scores, PartialLabels.from_table(assigned))(scores) / ceiling, 1)
    truth = PartialLabels.from_table(truth)
    assert brier(truth, quotient) > brier(truth, p) + 0.005  # no sigmoid levels off at the ceiling


@pytest.mark.parametrize("ceiling", [0.01, 0.2, 1.0])
def test_a_ceiling_below_what_was_seen_stays_finite(ceiling):
    scores, table = np.array([[0.0, 1e9], [0.0, 0.0], [1.0, -1e9]]), [[1, 1], [1, 0], [1, 0]]
    fitted = fit_platt(scores, PartialLabels.from_table(table), ceiling=ceiling)
    p = fitted(np.array([[np.nan, np.nan], [0.0, 1e12], [1.0, -1e12]]))
    assert ((p > 0) & (p < 1)).all()


def test_platt_does_not_see_unknown_entries(rng):
    scores = rng.normal(size=(50, 2))
    labels = PartialLabels.from_observed(rng.integers(0, 2, (50, 2)), rng.random((50, 2)) < 0.5)
    other = np.where(labels.observed, scores, rng.normal(size=(50, 2)) * 100)
    for a, b in zip(vars(fit_platt(scores, labels)).values(), vars(fit_platt(other, labels)).values(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_probabilities_of_a_fold_come_from_the_other_folds(rng):
    scores = rng.normal(size=(60, 2))
    labels = PartialLabels.from_table((rng.random((60, 2)) < expit(2 * scores)).astype(float))
    folds = np.arange(60) % 3 - 1
    p = cross_calibrate(scores, labels, folds, ridge=2.0)
    for fold in range(2):
        own = folds == fold
        np.testing.assert_array_equal(p[own], fit_platt(scores[~own], labels[~own], 2.0)(scores[own]))
    everything = fit_platt(scores, labels, 2.0)(scores)
    np.testing.assert_array_equal(p[folds < 0], everything[folds < 0])
    for single in (np.zeros(60, int), np.full(60, -1)):  # there is no other fold
        np.testing.assert_array_equal(cross_calibrate(scores, labels, single, 2.0), everything)


@pytest.mark.parametrize("ceiling", [1.0, 0.5])
def test_a_step_that_raises_the_loss_is_not_taken(ceiling, rng):
    """From a start far away, full Newton steps overshoot."""
    z = rng.normal(size=(40, 3)) * [0.1, 1, 10]
    sign = np.where(rng.random((40, 3)) < 0.2, 1.0, -1.0)
    prior = np.repeat([[2.5], [6.0]], 3, axis=1)
    expand = calibration._expand
    theta = calibration._newton(z, sign, prior, 1e-3, ceiling)
    start, end = (expand(each, z, sign, prior, 1e-3, ceiling)[0] for each in (prior, theta))
    assert (end < start).all()
    for j in range(3):
        columns = z[:, [j]], sign[:, [j]], prior[:, [j]]
        found = minimize(
            lambda at, columns=columns: expand(at[:, None], *columns, 1e-3, ceiling)[0, 0],
            prior[:, j],
            method="Nelder-Mead",
            options={"maxiter": 2000},
        )
        assert end[j] <= found.fun + 1e-6


def test_separated_labels_stay_finite():
    scores = np.array([[0.0], [0.0], [1.0], [1.0]])
    p = fit_platt(scores, PartialLabels.from_table([[0], [0], [1], [1]]))(scores)
    assert ((p > 0.001) & (p < 0.999)).all()
    assert p[0, 0] < 0.5 < p[3, 0]


def test_without_scores_there_is_the_rate():
    labels = PartialLabels.from_table([[1, None], [1, None], [0, None]])
    p = fit_platt(np.full((3, 2), np.nan), labels)(np.full((3, 2), np.nan))
    np.testing.assert_allclose(p[:, 0], 2.5 / 4)
    np.testing.assert_allclose(p[:, 1], 2.5 / 4)  # never observed: the rate of all labels together


def test_a_label_observed_once_has_its_own_rate_without_scores():
    labels = PartialLabels.from_table([[1, 1], [1, None], [0, None]])
    p = fit_platt(np.full((3, 2), np.nan), labels)(np.full((3, 2), np.nan))
    np.testing.assert_allclose(p[0], [2.5 / 4, 1.5 / 2])


def expected_f1(p, t):
    chosen = p >= t
    return 2 * p[chosen].sum() / (chosen.sum() + p.sum())


def test_between_sure_and_sure_not_the_threshold_is_half_of_the_best_f1():
    p = np.array([[0.98], [0.97], [0.01]])
    best = 2 * (0.98 + 0.97) / (2 + p.sum())
    assert thresholds(p, "micro_f1") == thresholds(p, "macro_f1") == pytest.approx(best / 2)


@given(probabilities)
def test_plug_in_f1_beats_every_other_threshold(P):
    micro, macro = thresholds(P, "micro_f1"), thresholds(P, "macro_f1")
    assert len(set(micro)) == 1
    grid = np.linspace(0, 1, 101)
    assert all(expected_f1(P, micro[0]) >= expected_f1(P, t) - 1e-12 for t in grid)
    for p, t in zip(P.T, macro, strict=True):
        assert all(expected_f1(p, t) >= expected_f1(p, u) - 1e-12 for u in grid)
    np.testing.assert_allclose(thresholds(P, "balanced"), (micro + macro) / 2)


def test_prevalence_predicts_the_expected_number_of_each_label(rng):
    P = rng.beta([0.3, 1, 0.1], [3, 1, 9], size=(400, 3))
    P[rng.random(P.shape) < 0.2] = np.nan
    P[:, 2] = np.where(np.arange(400) < 390, np.nan, 0.01)  # less than half an entry
    predicted = (thresholds(P, "prevalence") <= P).sum(axis=0)
    assert predicted.tolist() == np.rint(np.nansum(P, axis=0)).tolist()


@given(hnp.arrays(float, (8, 3), elements=st.floats(0.01, 0.99), unique=True), st.integers(1, 24))
def test_cardinality_predicts_the_wanted_number(P, count):
    t = thresholds(P, "cardinality", cardinality=count / 8)
    assert (t <= P).sum() == count


def test_cost_is_bayes():
    assert thresholds(np.full((2, 2), 0.5), "cost", cost_ratio=4.0).tolist() == [0.8, 0.8]


def test_cells_that_are_not_open_do_not_count():
    P = np.array([[0.9, np.nan], [0.2, 0.4]])
    assert thresholds(P, "micro_f1")[0] == thresholds(np.array([[0.9], [0.2], [0.4]]), "micro_f1")[0]
    assert thresholds(np.full((2, 1), np.nan), "macro_f1").tolist() == [0.5]


def test_an_unknown_rule_names_the_known_ones():
    with pytest.raises(ValueError, match="unknown threshold rule 'x': choose 'fixed' or one of 'probable', 'micro_f1'"):
        thresholds(np.ones((1, 1)), "x")
    assert set(RULES) == {"probable", "micro_f1", "macro_f1", "balanced", "prevalence", "cardinality", "cost"}


class TestConfident:
    @pytest.mark.parametrize("precision", [0.6, 0.75, 0.9])
    def test_of_all_sets_of_sure_cells_the_largest_is_filled_in_any_order(self, rng, precision):
        for _ in range(20):
            p, order = rng.integers(0, 11, size=12) / 10, rng.permutation(12)
            state = fill_confident(p[:, None], precision)[:, 0]
            for value, sure in ((1, np.where(p >= 0.5, p, 0)), (-1, np.where(p < 0.5, 1 - p, 0))):
                sets = [sure >= cut for cut in np.unique(sure[sure > 0])]
                right = [each.sum() for each in sets if sure[each].mean() >= precision - 1e-12]
                assert (state == value).sum() == max(right, default=0)
            np.testing.assert_array_equal(fill_confident(p[order, None], precision)[:, 0], state[order])

    def test_nan_stays_open(self):
        assert fill_confident(np.array([[np.nan], [0.999]]), 0.9).ravel().tolist() == [0, 1]

    @pytest.mark.parametrize("precision", [0.5, 1.0, 95])
    def test_a_precision_out_of_range_raises(self, precision):
        with pytest.raises(ValueError, match="precision must lie between"):
            fill_confident(np.ones((1, 1)), precision)


@pytest.mark.parametrize("ratio", [-1, 0, np.inf, np.nan])
def test_a_cost_ratio_that_is_not_positive_raises(ratio):
    with pytest.raises(ValueError, match=f"the cost ratio must be a positive number, not {ratio}"):
        thresholds(np.full((2, 2), 0.5), "cost", cost_ratio=ratio)


def test_a_rule_on_scores_has_no_threshold_on_probabilities():
    with pytest.raises(ValueError, match="the rule 'fixed' is a threshold on scores"):
        thresholds(np.full((2, 2), 0.5), "fixed")


@pytest.mark.parametrize("threshold", [np.nan, "0.5"])
def test_a_threshold_that_is_no_number_raises(threshold):
    with pytest.raises(ValueError, match="threshold must be a number, not "):
        require_rule("fixed", threshold=threshold)


def test_the_first_value_outside_0_and_1_is_named():
    require_probabilities(np.array([[0.0, 1.0], [np.nan, 0.5]]), "a table")
    table = np.array([[0.2, 0.3], [0.1, 1.5], [-0.5, 0.1]])
    with pytest.raises(ValueError, match=r"a table must hold .* row 1, column 1 holds 1\.5\."):
        require_probabilities(table, "a table")
    with pytest.raises(ValueError, match=r"row 'y', column 'b' holds 1\.5\."):
        require_probabilities(table, "a table", rows=["x", "y", "z"], columns=["a", "b"])
    with pytest.raises(ValueError, match=r"row 0, column 0 holds -0\.1\."):
        require_probabilities(-table[1:] + 0, "a table")


def test_cells_are_filled_by_the_mean_of_the_surest_by_hand():
    """0.97, 0.93 and 0.8 have the mean 0.9; the next one lowers it. 1 - p has the means 0.95 and 0.9."""
    p = np.array([[0.97], [0.6], [np.nan], [0.8], [0.05], [0.93], [0.15]])
    np.testing.assert_array_equal(fill_confident(p, 0.899)[:, 0], [1, 0, 0, 1, -1, 1, -1])
    np.testing.assert_array_equal(fill_confident(p, 0.94)[:, 0], [1, 0, 0, 0, -1, 1, 0])
    lower = np.where(p == 0.97, 0.5, p)
    np.testing.assert_array_equal(fill_confident(p, 0.92, lower)[:, 0], [0, 0, 0, 0, -1, 1, 0])
    np.testing.assert_array_equal(fill_confident(p, 0.94, None, 1 - p - 0.02)[:, 0], [1, 0, 0, 0, 0, 1, 0])
    np.testing.assert_array_equal(fill_confident(np.array([[0.5]]), 0.51), [[0]])
    assert fill_confident(np.array([[0.75]]), 0.75) == 1
