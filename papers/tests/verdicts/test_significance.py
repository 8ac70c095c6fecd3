"""Paired comparisons and ranks: against SciPy by hand, scikit-posthocs and the studentized range itself."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from halflabel_papers.verdicts.significance import ALPHA, adjust_holm, compare_paired, rank_methods

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from scikit_posthocs import posthoc_nemenyi_friedman


# --- two methods -------------------------------------------------------------------------------------------------


def test_test_and_interval_are_the_textbook_ones(rng):
    d = rng.normal(size=12)
    difference, low, high, p = compare_paired(d)
    error = d.std(ddof=1) / np.sqrt(12)
    assert p == pytest.approx(2 * stats.t.sf(abs(d.mean() / error), 11))
    assert difference == pytest.approx(d.mean())
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 11, loc=d.mean(), scale=error))


def test_an_interval_without_zero_is_a_p_below_the_level(rng):
    for shift in np.linspace(0, 1, 20):
        _, low, high, p = compare_paired(rng.normal(shift, 1, size=10))
        assert (low > 0 or high < 0) == (p < ALPHA)


def test_identical_samples_are_no_evidence_and_a_difference_without_spread_is_all_evidence():
    assert compare_paired(np.zeros(7)) == (0, 0, 0, 1)
    assert compare_paired(np.ones(3)) == (1, 1, 1, 0)
    assert compare_paired(np.array([0.1, 0.2, 0.3]) - [0.2, 0.3, 0.4])[-1] < 1e-6  # equal, but for rounding


# --- several methods ---------------------------------------------------------------------------------------------


def table(rng: np.random.Generator, n: int, k: int, strength: float = 1.0) -> pd.DataFrame:
    """Scores with ties (two digits), later methods better on average."""
    scores = rng.normal(size=(n, k)) + strength * np.linspace(0, 2, k)
    return pd.DataFrame(scores.round(1), columns=[f"m{j}" for j in range(k)])


def test_ranks_by_hand():
    scores = pd.DataFrame({"a": [3, 1, 5], "b": [2, 1, 1], "c": [1, 7, 0]}, dtype=float)
    found = rank_methods(scores, greater_is_better=True)
    assert found.mean_ranks.to_dict() == pytest.approx({"a": 4.5 / 3, "b": 6.5 / 3, "c": 7 / 3})
    assert list(found.mean_ranks.index) == ["a", "b", "c"]
    turned = rank_methods(-scores, greater_is_better=False)
    pd.testing.assert_series_equal(found.mean_ranks, turned.mean_ranks)


@pytest.mark.parametrize("seed", range(12))
def test_groups_are_the_decisions_of_scikit_posthocs(seed):
    rng = np.random.default_rng(seed)
    scores = table(rng, n=int(rng.integers(4, 30)), k=int(rng.integers(3, 8)))
    found = rank_methods(scores, greater_is_better=False)
    p = posthoc_nemenyi_friedman(scores)
    together = {frozenset((a, b)) for group in found.groups for a in group for b in group if a != b}
    assert together == {frozenset((a, b)) for a in scores for b in scores if a != b and p.loc[a, b] > ALPHA}


@pytest.mark.parametrize("seed", range(4))
def test_distances_in_critical_differences_give_the_p_values_of_scikit_posthocs(seed):
    """The length itself, not only on which side of it a pair falls."""
    rng = np.random.default_rng(seed)
    scores = table(rng, n=int(rng.integers(5, 25)), k=5)
    found, p = rank_methods(scores, greater_is_better=False), posthoc_nemenyi_friedman(scores)
    for a in scores:
        for b in scores:
            ratio = abs(found.mean_ranks[a] - found.mean_ranks[b]) / found.critical_difference
            # The p of a pair is the upper tail of the studentized range at ratio times its upper 5 % point.
            q = ratio * stats.studentized_range.ppf(1 - ALPHA, 5, np.inf)
            assert p.loc[a, b] == pytest.approx(stats.studentized_range.sf(q, 5, np.inf), abs=1e-9)


@pytest.mark.parametrize("k", range(3, 11))
def test_critical_values_follow_from_the_range_of_normals(k):
    """P(range of k standard normals <= q) = k * integral of pdf(z) (cdf(z) - cdf(z - q))^(k - 1), at q = CD."""
    n = 10
    scores = pd.DataFrame(np.arange(k * n, dtype=float).reshape(n, k))
    q = rank_methods(scores, greater_is_better=True).critical_difference * np.sqrt(12 * n / (k * (k + 1)))
    norm = stats.norm
    inside = integrate.quad(lambda z: k * norm.pdf(z) * (norm.cdf(z) - norm.cdf(z - q)) ** (k - 1), -9, 9)[0]
    assert inside == pytest.approx(1 - ALPHA, abs=1e-7)


def test_critical_values_are_those_of_demsar():
    """JMLR 7, 2006, table 5 (a): q.05 for 3 to 10 methods, printed with three digits, some of them cut, not rounded."""
    printed = [2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for k, q in zip(range(3, 11), printed, strict=True):
        scores = pd.DataFrame(np.arange(6.0 * k).reshape(6, k))
        reach = rank_methods(scores, greater_is_better=True).critical_difference
        assert reach / np.sqrt(k * (k + 1) / 36) == pytest.approx(q, abs=1e-3)


def test_friedman_by_hand(rng):
    """Without ties: 12 / (N k (k + 1)) * sum of squared rank sums - 3 N (k + 1)."""
    n, k = 11, 4
    scores = pd.DataFrame(rng.normal(size=(n, k)))
    found = rank_methods(scores, greater_is_better=True)
    sums = n * found.mean_ranks.to_numpy()
    statistic = 12 / (n * k * (k + 1)) * (sums**2).sum() - 3 * n * (k + 1)
    assert found.statistic == pytest.approx(statistic)
    assert found.p == pytest.approx(stats.chi2.sf(statistic, k - 1))


@given(st.integers(2, 12), st.integers(3, 7), st.integers(0, 10_000))
def test_groups_are_maximal_and_complete(n, k, seed):
    found = rank_methods(table(np.random.default_rng(seed), n, k, 2.0), greater_is_better=True)
    place = {name: i for i, name in enumerate(found.mean_ranks.index)}
    spread = {g: found.mean_ranks[g[-1]] - found.mean_ranks[g[0]] for g in found.groups}
    assert all(width < found.critical_difference for width in spread.values())
    assert {name for group in found.groups for name in group} == set(place)
    for group in found.groups:
        assert [place[name] for name in group] == list(range(place[group[0]], place[group[-1]] + 1))
        for outside in set(place) - set(group):
            wider = [found.mean_ranks[name] for name in (*group, outside)]
            assert max(wider) - min(wider) >= found.critical_difference


def test_blocks_with_nan_are_left_out_and_counted(rng):
    scores = table(rng, 9, 4)
    with_gaps = scores.copy()
    with_gaps.iloc[3, 1] = with_gaps.iloc[6, 0] = np.nan
    found, complete = (
        rank_methods(with_gaps, greater_is_better=True),
        rank_methods(scores.drop(index=[3, 6]), greater_is_better=True),
    )
    assert (found.n, found.left_out, complete.left_out) == (7, 2, 0)
    pd.testing.assert_series_equal(found.mean_ranks, complete.mean_ranks)
    assert (found.p, found.critical_difference) == (complete.p, complete.critical_difference)


def test_nothing_but_ties_is_no_evidence():
    found = rank_methods(pd.DataFrame(np.ones((5, 3)), columns=list("abc")), greater_is_better=True)
    assert (found.statistic, found.p) == (0, 1)
    assert found.groups == (("a", "b", "c"),)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}), "at least 3 methods; there are 2"),
        (pd.DataFrame(np.ones((1, 3))), "at least 2 blocks in which every method has a score; there are 1"),
        (pd.DataFrame(np.ones((2, 3)), columns=["a", "b", "a"]), "same name among a, b, a"),
    ],
)
def test_invalid_tables_raise(scores, message):
    with pytest.raises(ValueError, match=message):
        rank_methods(scores, greater_is_better=True)


def test_holm_rejects_the_same_hypotheses_as_its_step_down_procedure():
    rng = np.random.default_rng(0)
    for _ in range(50):
        p = {str(k): float(v) for k, v in enumerate(rng.random(6) ** 3)}
        rejected = set()
        for k, name in enumerate(sorted(p, key=p.get)):  # step down: stop at the first that is not rejected
            if p[name] > 0.05 / (len(p) - k):
                break
            rejected.add(name)
        assert {name for name, value in adjust_holm(p).items() if value <= 0.05} == rejected
