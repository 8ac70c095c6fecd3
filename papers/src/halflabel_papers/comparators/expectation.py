"""The E-step of Gaussian mixtures on data with gaps. Rows with the same gaps share one factorisation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from halflabel.plugins import Floats, Ints, Mask

#: Maximum number of cells in the temporary arrays of one block, per component.
BLOCK = 2**21


@dataclass(frozen=True, eq=False)
class Gaussian:
    """A normal distribution with mean and covariance, and with the precision and determinant that the E-step needs."""

    mean: Floats
    cov: Floats
    precision: Floats
    log_det: float

    @classmethod
    def of(cls, mean: Floats, cov: Floats) -> Gaussian:
        """Return the normal distribution with this mean and this positive definite covariance."""
        return cls(mean, cov, _invert(cov), float(np.linalg.slogdet(cov)[1]))


@dataclass(frozen=True, eq=False)
class Mixture:
    """Weights that sum to 1, with one Gaussian each."""

    weights: Floats
    parts: tuple[Gaussian, ...]


@dataclass(frozen=True, eq=False)
class Block:
    """Rows with p patterns of gaps. Each pattern has o values, m gaps and c rows."""

    #: Shape (p, c).
    rows: Ints
    #: Shape (p, d).
    observed: Mask
    #: ``values``, ``gaps``: shapes (p, o) and (p, m). Features that are known, and features that are not.
    values: Ints
    gaps: Ints


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over rows that the M-step needs. z is the completed deviation of a row from the mean of the E-step."""

    #: Log-likelihood of the observed cells.
    log_likelihood: float
    #: Shape (k,). Sum of responsibilities.
    count: Floats
    #: Shape (k, d). Sum of E[z], weighted by responsibility.
    shift: Floats
    #: Shape (k, d, d). Sum of E[z z'], weighted by responsibility: conditional means and conditional covariances
    #: contribute to it.
    scatter: Floats


@dataclass(frozen=True, eq=False)
class _Conditional:
    """The distribution of the gaps of a block given its values, under one Gaussian.

    z has shape (p, c, d), the log density of the values shape (p, c); ``spread`` maps weights of the patterns, shape
    (p,), to the weighted sum of their conditional covariances, shape (d, d).
    """

    z: Floats
    log_density: Floats
    spread: Callable[[Floats], Floats]


def group_rows(observed: Mask) -> list[Block]:
    """Group rows so that patterns with equally many values and equally many rows can be stacked."""
    packed = np.packbits(observed, axis=1)
    _, first, member, counts = np.unique(packed, axis=0, return_index=True, return_inverse=True, return_counts=True)
    order, starts = np.argsort(member.ravel(), kind="stable"), np.cumsum(counts) - counts
    patterns = observed[first]
    kinds = np.column_stack([patterns.sum(axis=1), counts])
    blocks = []
    for kind in np.unique(kinds, axis=0):
        which = np.flatnonzero((kinds == kind).all(axis=1))
        at_once = max(1, BLOCK // (observed.shape[1] * (observed.shape[1] + int(kind[1]))))
        for start in range(0, len(which), at_once):
            some = which[start : start + at_once]
            rows = order[starts[some][:, None] + np.arange(kind[1])]
            seen = patterns[some]
            blocks.append(Block(rows, seen, _find_positions(seen), _find_positions(~seen)))
    return blocks


def expectation(mixture: Mixture, X: Floats, blocks: list[Block]) -> Moments:
    """Return the moments of the completed rows under a mixture. Gaps of X may hold anything but NaN."""
    k, d = len(mixture.parts), X.shape[1]
    count, shift, scatter, log_likelihood = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d)), 0.0
    for block, conditionals, responsibilities, log_density in _evaluate(mixture, X, blocks):
        log_likelihood += float(log_density.sum())
        for j, (given, r) in enumerate(zip(conditionals, responsibilities, strict=True)):
            z, weight = given.z.reshape(-1, d), r.reshape(-1, 1)
            count[j] += weight.sum()
            shift[j] += (weight * z).sum(axis=0)
            scatter[j] += (weight * z).T @ z
            if block.gaps.size:
                scatter[j] += given.spread(r.sum(axis=1))
    return Moments(log_likelihood, count, shift, scatter)


def conditional_means(mixture: Mixture, X: Floats, blocks: list[Block]) -> Floats:
    """Return the expectation of every cell given the values of its row. Gaps of X may hold anything but NaN."""
    completed = np.empty_like(X)
    for block, conditionals, responsibilities, _ in _evaluate(mixture, X, blocks):
        parts = zip(mixture.parts, conditionals, responsibilities, strict=True)
        completed[block.rows] = sum(r[:, :, None] * (part.mean + given.z) for part, given, r in parts)
    return completed


def _evaluate(
    mixture: Mixture, X: Floats, blocks: list[Block]
) -> Iterator[tuple[Block, list[_Conditional], Floats, Floats]]:
    """Yield blocks with their conditionals, responsibilities (k, p, c) and log density (p, c)."""
    log_weights = np.log(mixture.weights)
    for block in blocks:
        rows = X[block.rows]
        # Both functions return the same. The function with the smaller inverse is cheaper.
        given_values = _condition_by_values if block.values.shape[1] <= block.gaps.shape[1] else _condition_by_gaps
        with np.errstate(over="ignore", invalid="ignore"):
            conditionals = [given_values(part, block, rows) for part in mixture.parts]
        joint = np.stack([w + given.log_density for w, given in zip(log_weights, conditionals, strict=True)])
        log_density = logsumexp(joint, axis=0)
        # A row whose density is 0 under every component gets the weights of the mixture as responsibilities.
        lost = np.isneginf(log_density)
        shares = np.exp(joint - np.where(lost, 0.0, log_density))
        yield block, conditionals, np.where(lost, mixture.weights[:, None, None], shares), log_density


def _condition_by_values(part: Gaussian, block: Block, rows: Floats) -> _Conditional:
    r"""Condition by :math:`\Sigma_{oo}^{-1}`, which is cheap for rows with more gaps than values."""
    at = block.values
    seen = part.cov[at[:, :, None], at[:, None, :]]
    inverse = _invert(seen)
    known = np.take_along_axis(rows, at[:, None, :], axis=2) - part.mean[at][:, None, :]
    score = known @ inverse
    log_det = np.linalg.slogdet(seen)[1]

    def spread(weight: Floats) -> Floats:
        explained = part.cov @ _embed(weight, inverse, at, len(part.mean)) @ part.cov
        return np.asarray(weight.sum() * part.cov - explained)

    return _Conditional(score @ part.cov[at], _log_density(log_det, (score * known).sum(axis=2), at), spread)


def _condition_by_gaps(part: Gaussian, block: Block, rows: Floats) -> _Conditional:
    r"""Condition by :math:`\Lambda_{mm}^{-1}`, the conditional covariance, which is cheap for rows with fewer gaps."""
    at = block.gaps
    hidden = part.precision[at[:, :, None], at[:, None, :]]
    covariance = _invert(hidden)
    z = np.where(block.observed[:, None, :], rows - part.mean, 0.0)
    slope = z @ part.precision
    pull = np.take_along_axis(slope, at[:, None, :], axis=2)
    np.put_along_axis(z, np.broadcast_to(at[:, None, :], pull.shape), -pull @ covariance, axis=2)
    log_det = part.log_det + np.linalg.slogdet(hidden)[1]

    def spread(weight: Floats) -> Floats:
        return _embed(weight, covariance, at, len(part.mean))

    return _Conditional(z, _log_density(log_det, (slope * z).sum(axis=2), block.values), spread)


def _invert(matrices: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrices), dtype=np.float64)


def _log_density(log_det: Floats, distance: Floats, values: Ints) -> Floats:
    distance = np.where(np.isnan(distance), np.inf, distance)  # NaN is the difference of two squares that overflowed
    return np.asarray(-0.5 * (values.shape[1] * np.log(2 * np.pi) + log_det[:, None] + distance))


def _embed(weight: Floats, matrices: Floats, at: Ints, d: int) -> Floats:
    """Return the weighted sum of small matrices, each at its rows and columns ``at`` of a (d, d) matrix."""
    cells = at[:, :, None] * d + at[:, None, :]
    total = np.bincount(cells.ravel(), (weight[:, None, None] * matrices).ravel(), minlength=d * d)
    return np.asarray(total.reshape(d, d))


def _find_positions(mask: Mask) -> Ints:
    """Return the positions of the true cells of each row of a mask. All rows have the same number of true cells."""
    return np.nonzero(mask)[1].reshape(len(mask), -1)
