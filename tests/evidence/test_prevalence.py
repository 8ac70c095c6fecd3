"""Prevalence: an unbiased estimate whatever the probabilities, and an interval that holds the truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import binomtest, norm

from halflabel.evidence.label_frequency import Share
from halflabel.evidence.prevalence import Correction, Prevalence, count_questions, estimate_shifted
from halflabel.labels.intervals import wilson_interval

N = 600


def draw(seed, n_known=100, noise=1.0, rate=0.0):
    """Return values, probabilities that are worth something unless ``noise`` is large, and which items are known."""
    rng = np.random.default_rng(seed)
    score = rng.normal(rate, 2, N)
    y = rng.random(N) < expit(score)
    return y, expit(score + noise * rng.normal(size=N)), rng.permutation(N) < n_known


def estimate(y, p, known, confidence=0.9):
    return Correction.fit(y[known], p[known]).estimate(y, p, known, confidence)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_prediction_powered_mean_of_the_unknown_items(seed):
    """The formula of PPI++, eq. (4), for the unknown items; the known items are counted."""
    y, p, known = draw(seed)
    weight = Correction.fit(y[known], p[known]).weight
    unknown = weight * p[~known].mean() + (y[known] - weight * p[known]).mean()
    expected = (y[known].sum() + (~known).sum() * unknown) / N
    assert estimate(y, p, known).share == pytest.approx(expected)


def test_the_weight_minimises_the_variance_of_the_rest():
    y, p, known = draw(0)
    y, p = y[known].astype(float), p[known]
    fitted = Correction.fit(y > 0, p)
    y, p = np.append(y, [1, 0]), np.append(p, [p.mean()] * 2)
    variances = {weight: np.var(y - weight * p) for weight in np.linspace(0, 1, 1001)}
    assert fitted.weight == pytest.approx(min(variances, key=variances.get), abs=0.001)
    assert fitted.gain == pytest.approx(np.var(y) / min(variances.values()), rel=1e-5)


@pytest.mark.parametrize("change", [lambda p: p / 3, lambda p: np.sqrt(p), lambda p: 1 - p, lambda p: 0 * p + 0.9])
def test_wrong_probabilities_do_not_bias_it(change):
    draws = [draw(seed) for seed in range(150)]
    errors = [estimate(y, change(p), known).share - y.mean() for y, p, known in draws]
    assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(len(errors))


@pytest.mark.parametrize(("n_known", "rate", "noise"), [(50, 0, 1), (100, -3, 0.5), (300, 0, 0.2), (300, -3, 9)])
def test_the_interval_holds_the_truth_nine_times_in_ten(n_known, rate, noise):
    held = []
    for seed in range(300):
        y, p, known = draw(seed, n_known, noise, rate)
        found = estimate(y, p, known)
        held.append(found.low <= y.mean() <= found.high)
    assert binomtest(sum(held), len(held), 0.9).pvalue > 1e-3


def test_good_probabilities_make_the_interval_narrow_and_bad_ones_do_not_make_it_wide():
    y, p, known = draw(1, noise=0.1)
    good, bad = estimate(y, p, known), estimate(y, np.random.default_rng(0).random(N), known)
    alone = estimate(y, np.full(N, 0.5), known)
    assert good.high - good.low < 0.85 * (alone.high - alone.low)
    assert bad.high - bad.low == pytest.approx(alone.high - alone.low, rel=0.05)


@given(st.integers(0, 2**32 - 1), st.integers(1, N), st.floats(0.5, 0.99))
def test_known_values_bound_every_number(seed, n_known, confidence):
    y, p, known = draw(seed, n_known)
    found = estimate(y, p, known, confidence)
    assert (y & known).mean() - 1e-12 <= found.low <= found.share <= found.high <= 1 - (~y & known).mean() + 1e-12
    assert n_known < N or found.low == found.share == found.high == y.mean()


def test_the_order_of_the_items_changes_nothing(rng):
    y, p, known = draw(5)
    order = rng.permutation(N)
    again = estimate(y[order], p[order], known[order])
    assert (again.share, again.low, again.high) == pytest.approx(
        tuple(getattr(estimate(y, p, known), name) for name in ("share", "low", "high"))
    )


def test_a_share_of_assigned_entries_becomes_one_of_relevant_entries():
    assigned, rate = Prevalence(10, 5, 0.3, 0.2, 0.6), Share(0.5, 0.4, 0.625)
    exact = assigned.divide(Share(0.5, 0.5, 0.5))
    assert (exact.share, exact.low, exact.high) == pytest.approx((0.6, 0.4, 1.0))
    both, of_rate = assigned.divide(rate), Prevalence(10, 5, 0.3, 0.3, 0.3).divide(rate)
    assert (of_rate.low, of_rate.high) == pytest.approx((0.3 / 0.625, 0.3 / 0.4))
    assert np.log(0.6 / both.low) == pytest.approx(np.hypot(np.log(0.6 / exact.low), np.log(0.6 / of_rate.low)))
    nothing = Prevalence(10, 5, 0.0, 0.0, 0.2).divide(rate)
    assert (nothing.share, nothing.low, nothing.high) == pytest.approx((0.0, 0.0, 0.5))


@pytest.mark.parametrize("c", [0.3, 0.8])
def test_all_assigned_entries_leave_the_chance_of_the_assignment(rng, c):
    """Nine of ten intervals of 90 % hold the number of relevant items, where each was assigned with probability c."""
    shares = rng.binomial(120, c, size=2000) / 300
    found = [Prevalence(300, 300, x, x, x).divide(Share(c, c, c), norm.ppf(0.95)) for x in shares]
    assert 0.88 <= np.mean([each.low <= 0.4 <= each.high for each in found]) <= 0.93


@pytest.mark.parametrize("half_width", [0.02, 0.05, 0.1])
def test_the_number_of_questions_is_the_smallest_that_is_enough(half_width):
    n = count_questions(half_width)
    widths = [np.diff(wilson_interval(0.5, each, norm.ppf(0.95))).item() for each in (n - 1, n)]
    assert widths[1] <= 2 * half_width < widths[0]


def test_the_share_under_a_rate_of_the_gaps_lies_in_its_interval():
    """Nine of ten intervals of 90 % hold the share; without the uncertainty of the rate they are too narrow."""
    held = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        right, z = rng.beta(0.5, 2, 400), rng.normal()
        relevant, known = rng.random(400) < right, rng.random(400) < 0.2
        p = expit(logit(right) - 0.3 * z)
        of_shift = (expit(logit(p) + 0.3) - expit(logit(p) - 0.3)) / 2
        found = estimate_shifted(relevant, known, p, of_shift, 0.9)
        held.append(found.low <= relevant.mean() <= found.high)
        narrow = estimate_shifted(relevant, known, p, np.zeros(400), 0.9)
        assert found.low <= narrow.low <= found.share <= narrow.high <= found.high
    assert 0.85 <= np.mean(held) <= 0.95
