"""The E-step against loops over rows, with dense conditional distributions."""

import numpy as np
import pytest
from papers.tests.oracles import mixture as oracle

from halflabel_papers.comparators import expectation as module
from halflabel_papers.comparators.expectation import Gaussian, Mixture, conditional_means, expectation, group_rows


def gapped(rng, n=14, d=4):
    """Return rows with every number of gaps; some rows share theirs."""
    X = rng.normal(size=(n, d))
    hidden = rng.random((n, d)) < 0.5
    hidden[0], hidden[1], hidden[2:5], hidden[5:7] = True, False, [True, False, False, True], [True, True, True, False]
    return np.where(hidden, np.nan, X)


def mixture_of(rng, weights, d=4):
    parts = []
    for _ in weights:
        root = rng.normal(size=(d, d))
        parts.append(Gaussian.of(rng.normal(size=d), root @ root.T + 0.5 * np.eye(d)))
    return Mixture(np.array(weights), tuple(parts))


def test_a_gaussian_has_its_precision_and_determinant():
    part = Gaussian.of(np.zeros(2), np.array([[2.0, 1.0], [1.0, 5.0]]))
    np.testing.assert_allclose(part.precision, np.array([[5, -1], [-1, 2]]) / 9)
    assert part.log_det == pytest.approx(np.log(9))


def test_rows_with_the_same_gaps_are_in_the_same_block_once(rng):
    observed = np.vstack([~np.isnan(gapped(rng, n=40)), np.eye(4, dtype=bool)])
    blocks = group_rows(observed)
    assert sorted(np.concatenate([block.rows.ravel() for block in blocks])) == list(range(44))
    for block in blocks:
        for rows, pattern, values, gaps in zip(block.rows, block.observed, block.values, block.gaps, strict=True):
            assert (observed[rows] == pattern).all()
            np.testing.assert_array_equal(values, np.flatnonzero(pattern))
            np.testing.assert_array_equal(gaps, np.flatnonzero(~pattern))
            assert (observed == pattern).all(axis=1).sum() == len(rows)
    kinds = {(block.values.shape[1], block.rows.shape[1]) for block in blocks}
    assert len(kinds) == len(blocks)  # whatever can be stacked is stacked


@pytest.mark.parametrize(("cells", "sizes"), [(80, [1, 4, 4, 2, 4, 1]), (79, [1, 3, 1, 3, 3, 3, 1, 1]), (1, 16 * [1])])
def test_a_block_has_a_limited_number_of_cells(cells, sizes, monkeypatch):
    """One row of each of the 16 patterns of four features: each takes 4 (4 + 1) cells."""
    monkeypatch.setattr(module, "BLOCK", cells)
    observed = (np.arange(16)[:, None] & [1, 2, 4, 8]) > 0
    assert [len(block.rows) for block in group_rows(observed)] == sizes


@pytest.mark.parametrize("weights", [[1.0], [0.7, 0.3], [0.2, 0.5, 0.3]])
def test_moments_are_sums_over_rows(weights, rng):
    X, mixture = gapped(rng), mixture_of(rng, weights)
    moments = expectation(mixture, np.nan_to_num(X, nan=7.0), group_rows(~np.isnan(X)))
    log_likelihood, count, shift, scatter = 0.0, 0 * moments.count, 0 * moments.shift, 0 * moments.scatter
    for x in X:
        given = [oracle.conditional(x, part.mean, part.cov) for part in mixture.parts]
        density = np.array([w * np.exp(one[2]) for w, one in zip(weights, given, strict=True)])
        log_likelihood += np.log(density.sum())
        for j, (part, (filled, spread, _)) in enumerate(zip(mixture.parts, given, strict=True)):
            r, z = density[j] / density.sum(), filled - part.mean
            count[j] += r
            shift[j] += r * z
            scatter[j] += r * (np.outer(z, z) + spread)
    assert moments.log_likelihood == pytest.approx(log_likelihood)
    np.testing.assert_allclose(moments.count, count)
    np.testing.assert_allclose(moments.shift, shift, atol=1e-12)
    np.testing.assert_allclose(moments.scatter, scatter, atol=1e-11)


@pytest.mark.parametrize("weights", [[1.0], [0.7, 0.3]])
def test_gaps_get_their_expectation(weights, rng):
    X, mixture = gapped(rng), mixture_of(rng, weights)
    means, covs = ([getattr(part, name) for part in mixture.parts] for name in ("mean", "cov"))
    found = conditional_means(mixture, np.nan_to_num(X, nan=-9.0), group_rows(~np.isnan(X)))
    np.testing.assert_allclose(found, oracle.mixture_means(X, weights, means, covs), atol=1e-12)


def test_both_ways_to_condition_are_the_same(rng):
    X, part = gapped(rng), mixture_of(rng, [1.0]).parts[0]
    for block in group_rows(~np.isnan(X)):
        rows, weight = np.nan_to_num(X)[block.rows], rng.random(len(block.rows))
        a, b = module._condition_by_values(part, block, rows), module._condition_by_gaps(part, block, rows)
        np.testing.assert_allclose(a.z, b.z, atol=1e-11)
        np.testing.assert_allclose(a.log_density, b.log_density, atol=1e-11)
        np.testing.assert_allclose(a.spread(weight), b.spread(weight), atol=1e-11)


def test_a_row_without_density_has_the_weights_of_the_mixture(rng):
    """Its squares overflow. If it is far out for one component only, it belongs to the other one."""
    mixture = mixture_of(rng, [0.7, 0.3])
    X = np.array([[1e200, -1e200, np.nan, 3e199]])
    blocks = group_rows(~np.isnan(X))
    given = [oracle.conditional(X[0] / 1e100, part.mean / 1e100, part.cov)[0] for part in mixture.parts]
    completed = conditional_means(mixture, np.nan_to_num(X), blocks)
    np.testing.assert_allclose(completed[0] / 1e100, 0.7 * given[0] + 0.3 * given[1])
    row = np.array([[1e9, -1e9, 0.0, 3e8]])
    blocks = group_rows(np.ones((1, 4), dtype=bool))
    near = Mixture(np.array([0.7, 0.3]), (Gaussian.of(row[0], np.eye(4)), mixture.parts[1]))
    np.testing.assert_allclose(expectation(near, row, blocks).count, [1, 0])
