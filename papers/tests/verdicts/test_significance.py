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


def test_the_t_test_is_the_textbook_one(rng):
    first, second = rng.normal(size=(2, 12))
    found = compare_paired(first, second)
    d = first - second
    t = d.mean() / (d.std(ddof=1) / np.sqrt(12))
    assert found.t == pytest.approx(t)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), 11))
    assert found.difference == pytest.approx(d.mean())
    assert found.low < found.difference < found.high


def test_a_known_order_of_wins():
    found = compare_paired([1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 2.0, 4.0, 3.0, 3.0])
    assert (found.wins, found.losses, found.ties, found.n) == (3, 1, 1, 5)


def test_swapping_the_methods_turns_everything_round(rng):
    first, second = rng.normal(size=(2, 9))
    one, other = compare_paired(first, second), compare_paired(second, first)
    assert other.difference == -one.difference
    assert other.t == pytest.approx(-one.t)
    assert other.p == pytest.approx(one.p)
    assert (other.wins, other.losses) == (one.losses, one.wins)
    # The bootstrap draws other samples, so that its ends agree only up to its own error.
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=0.1 * (one.high - one.low))


def test_the_interval_covers_at_about_its_level(rng):
    samples = rng.normal(0.3, 1, size=(60, 40))
    covered = [found.low <= 0.3 <= found.high for found in (compare_paired(d, np.zeros(40)) for d in samples)]
    assert 0.85 <= np.mean(covered) < 1


def test_the_interval_of_many_pairs_is_the_normal_one(rng):
    d = rng.exponential(size=3000)
    found = compare_paired(d, np.zeros(3000))
    reach = 1.96 * d.std() / np.sqrt(3000)
    assert (found.low, found.high) == pytest.approx((d.mean() - reach, d.mean() + reach), abs=0.15 * reach)


def test_identical_samples_are_no_evidence(rng):
    scores = rng.normal(size=7)
    found = compare_paired(scores, scores)
    assert (found.difference, found.low, found.high, found.t, found.p, found.ties) == (0, 0, 0, 0, 1, 7)


def test_a_difference_without_spread_is_all_evidence():
    found = compare_paired([2.0, 3.0, 4.0], [1.0, 2.0, 3.0])
    assert (found.difference, found.low, found.high, found.t, found.p) == (1, 1, 1, np.inf, 0)
    assert compare_paired([0.1, 0.2, 0.3], [0.2, 0.3, 0.4]).t < -1e6  # the same, but for rounding


def test_two_pairs_have_an_interval():
    found = compare_paired([1.0, 3.0], [0.0, 0.0])
    assert (found.low, found.high) == (1, 3)


def test_pairs_with_nan_are_left_out_and_counted(rng):
    first, second = rng.normal(size=(2, 10))
    with_gaps = first.copy()
    with_gaps[[2, 5]] = np.nan
    keep = ~np.isnan(with_gaps)
    found, complete = compare_paired(with_gaps, second), compare_paired(first[keep], second[keep])
    assert (found.n, found.left_out, complete.left_out) == (8, 2, 0)
    assert (found.p, found.low, found.high) == (complete.p, complete.low, complete.high)


def test_the_seed_decides_the_interval(rng):
    first, second = rng.normal(size=(2, 20))
    assert compare_paired(first, second) == compare_paired(first, second, seed=0)
    assert compare_paired(first, second).low != compare_paired(first, second, seed=1).low


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1.0], [2.0], "at least 2 pairs without NaN; there are 1"),
        ([1.0, np.nan, 2.0], [np.nan, 1.0, 2.0], "there are 1"),
        ([1.0, 2.0], [1.0, 2.0, 3.0], r"not \(2,\) and \(3,\)"),
        ([[1.0, 2.0]], [[1.0, 2.0]], "two equally long lists"),
        ([1.0, np.inf], [1.0, 2.0], "a score is infinite"),
    ],
)
def test_invalid_pairs_raise(first, second, message):
    with pytest.raises(ValueError, match=message):
        compare_paired(first, second)


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
