"""Sources that make the same errors: their residual correlation, and the weight of each vote that follows."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.special import expit

from halflabel._arrays import Floats, Ints, Mask
from halflabel.corrections.votes.levels import Levels

#: Minimum number of common entries of two sources, and the number of standard errors a correlation must exceed.
MIN_COMMON, MIN_ERRORS = 30, 2.0

#: Correlations are multiplied by n / (n + SHRINK), and eigenvalues of their matrix are at least MIN_EIGENVALUE.
SHRINK, MIN_EIGENVALUE = 10.0, 0.01

#: The least weight of a vote: its source keeps error rates of its own.
MIN_WEIGHT = 0.02

#: Mean and standard deviation of sensitivity + specificity - 1 of a source that is informative.
USUAL = (0.5, 0.3)


def estimate_correlations(levels: Levels, tables: Floats, log_odds: Floats, parts: Floats) -> Floats:
    r"""Return the correlation of the errors of each pair of sources, given the true value.

    For two votes :math:`a, b` on an entry that is relevant with probability :math:`q` by everything but these votes,

    .. math::
        E[e_a e_b] = q (1 - q) \Delta_a \Delta_b + \rho\,(q \sigma_{a1} \sigma_{b1} + (1 - q) \sigma_{a0} \sigma_{b0})

    with :math:`e` a vote minus its expectation, :math:`\Delta` the difference of a source's mean vote between relevant
    and irrelevant entries, and :math:`\sigma` its deviations. :math:`\rho` is fitted by least squares over all entries
    and labels. It is shrunk, and 0 where it does not exceed its standard error by the factor ``MIN_ERRORS``.

    Parameters
    ----------
    tables : ndarray of shape (n_sources, n_labels, 2, n_levels)
        P(level | value).
    log_odds : ndarray of shape (n_items, n_labels)
        Of the posterior.
    parts : ndarray of shape (n_votes,)
        The part of each vote in the log odds.
    """
    means, deviations = describe_votes(levels, tables)
    found, odds = np.eye(levels.shape[0]), levels.take(log_odds)
    for a, b in list_pairs(levels, MIN_COMMON):
        of_a, of_b = _find_common(levels, a, b)
        if np.array_equal(levels.codes[of_a], levels.codes[of_b]):
            found[a, b] = found[b, a] = 1.0
            continue
        q = expit(odds[of_a] - parts[of_a] - parts[of_b])
        first, second = (_standardise(levels, means, deviations, at, q) for at in (of_a, of_b))
        found[a, b] = found[b, a] = _fit_correlation(first, second, q)
    return found


def list_pairs(levels: Levels, min_common: int) -> list[tuple[int, int]]:
    """Return the pairs of sources with a minimum number of common entries."""
    given = mark_votes(levels, np.ones(len(levels.codes)))
    common = sparse.triu(given @ given.T, 1).tocoo()
    return [(int(a), int(b)) for a, b, n in zip(*common.coords, common.data, strict=True) if n >= min_common]


def mark_votes(levels: Levels, values: Floats) -> sparse.csr_array:
    """Return a number of each vote as a sparse table of shape (n_sources, n_entries)."""
    return sparse.csr_array((values, (levels.sources, levels.entries)), (levels.shape[0], np.prod(levels.shape[1:])))


def _find_common(levels: Levels, a: int, b: int) -> tuple[Ints, Ints]:
    """Return the votes of two sources on their common entries."""
    of_a, of_b = levels.find_entries(a), levels.find_entries(b)
    common = np.intersect1d(levels.entries[of_a], levels.entries[of_b], assume_unique=True, return_indices=True)
    return common[1] + of_a.start, common[2] + of_b.start


def describe_votes(levels: Levels, tables: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of the votes of each source and label, for irrelevant and relevant entries.

    Both have the shape (n_sources, n_labels, 2).
    """
    values = np.nan_to_num(levels.values)[:, None, None, :]
    means = (tables * values).sum(axis=-1)
    return means, np.sqrt(np.maximum((tables * values**2).sum(axis=-1) - means**2, 1e-6))


def _standardise(
    levels: Levels, means: Floats, deviations: Floats, at: Ints, q: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the residuals of some votes, the difference of their means, and their deviations, shape (2, n)."""
    source, label = levels.sources[at], levels.labels[at]
    low, high = means[source, label].T
    return levels.of_votes[at] - (q * high + (1 - q) * low), high - low, deviations[source, label].T


def _fit_correlation(a: tuple[Floats, Floats, Floats], b: tuple[Floats, Floats, Floats], q: Floats) -> float:
    products = a[0] * b[0] - q * (1 - q) * a[1] * b[1]
    scale = (1 - q) * a[2][0] * b[2][0] + q * a[2][1] * b[2][1]
    total = float((scale**2).sum())
    rho = float((products * scale).sum()) / total
    error = np.sqrt(float((((products - rho * scale) * scale) ** 2).sum())) / total
    if rho <= MIN_ERRORS * error:
        return 0.0
    return float(min(rho * len(q) / (len(q) + SHRINK), 1.0))


def weigh_votes(correlations: Floats, separation: Floats, levels: Levels) -> Floats:
    r"""Return the weight of each vote in the sum of log likelihood ratios, shape (n_votes,).

    On each entry they are the weights of linear discriminant analysis, relative to independent sources:
    :math:`u_s = (R^{-1} \delta)_s / \delta_s` with the correlations :math:`R` of the sources that voted, and
    :math:`\delta` their separation of relevant from irrelevant entries in standard deviations. Two copies have one half
    each, and a source that repeats a better source with noise has none.

    Parameters
    ----------
    correlations : ndarray of shape (n_sources, n_sources)
    separation : ndarray of shape (n_sources,)
    """
    weights = np.ones(len(levels.codes))
    for members in list_groups(correlations):
        votes = np.flatnonzero(np.isin(levels.sources, members))
        entries, place = np.unique(levels.entries[votes], return_inverse=True)
        at = np.searchsorted(members, levels.sources[votes]), place
        given = np.zeros((len(members), len(entries)), dtype=bool)
        given[at] = True
        weights[votes] = weigh_group(correlations[np.ix_(members, members)], separation[members], given)[at]
    return weights


def list_groups(correlations: Floats) -> list[Ints]:
    """Return the sets of sources that correlations connect, without sets of one source."""
    component = csgraph.connected_components(sparse.csr_array(correlations != 0), directed=False)[1]
    found = np.flatnonzero(np.bincount(component) > 1)
    return [np.flatnonzero(component == k) for k in found]


def weigh_group(correlations: Floats, separation: Floats, given: Mask) -> Floats:
    """Return the weights of votes of correlated sources, one solve per set of sources that voted on an entry.

    The correlations and separations are as in :func:`weigh_votes`; ``given`` and the result have the shape (n_sources,
    n_entries).
    """
    patterns, place = np.unique(given, axis=1, return_inverse=True)
    weights = np.ones(patterns.shape)
    matrix = _make_definite(correlations)
    for column, pattern in enumerate(patterns.T):
        present = np.flatnonzero(pattern)
        if len(present) > 1:
            weights[present, column] = _solve(matrix[np.ix_(present, present)], separation[present])
    return np.asarray(weights[:, place.ravel()])


def _solve(matrix: Floats, separation: Floats) -> Floats:
    delta = np.where(np.abs(separation) < 1e-3, 1e-3, separation)
    return np.clip(np.linalg.solve(matrix, delta) / delta, MIN_WEIGHT, 1.0)


def _make_definite(matrix: Floats) -> Floats:
    """Return the nearest usable matrix of correlations: eigenvalues from below, ones on the diagonal."""
    values, vectors = np.linalg.eigh(matrix)
    raised = (vectors * np.maximum(values, MIN_EIGENVALUE)) @ vectors.T
    scale = np.sqrt(np.diag(raised))
    return np.asarray(raised / np.outer(scale, scale))


def measure_separation(tables: Floats, levels: Levels) -> Floats:
    """Return how many standard deviations the mean votes on relevant and irrelevant entries differ, per source."""
    means, deviations = describe_votes(levels, tables)
    by_label = (means[..., 1] - means[..., 0]) / np.sqrt((deviations**2).mean(axis=-1))
    sizes = levels.count_votes()
    return np.asarray((by_label * sizes).sum(axis=1) / np.maximum(sizes.sum(axis=1), 1e-9))


def compare_with_chance(levels: Levels, log_odds: Floats, parts: Floats) -> Floats:
    r"""Return the Bayes factor of each source: how much likelier its votes are if it is informative than by chance.

    On label :math:`j` the votes are regressed on the probability :math:`q` by everything but these votes. The slope is
    sensitivity + specificity - 1, which is 0 for chance and has a normal prior (``USUAL``) otherwise. Where the votes
    cannot decide, the factor is near 1. Parameters as of :func:`estimate_correlations`.
    """
    number = np.maximum(levels.count_votes(), 1)

    def add(parts: Floats) -> Floats:
        return np.asarray(levels.count(parts).sum(axis=2))

    def centre(each: Floats) -> Floats:
        return np.asarray(each - (add(each) / number)[levels.sources, levels.labels])

    v, p = centre(levels.of_votes), centre(expit(levels.take(log_odds) - parts))
    variance = np.maximum(add(v**2) / number, 1e-3)
    information = np.maximum((add(p**2) / variance).sum(axis=1), 1e-9)
    slope, spread = (add(v * p) / variance).sum(axis=1) / information, information**-0.5
    mean, deviation = USUAL
    wide = np.hypot(deviation, spread)
    logs = np.log(spread / wide) + ((slope / spread) ** 2 - ((slope - mean) / wide) ** 2) / 2
    return np.asarray(np.exp(np.minimum(logs, 700.0)))
