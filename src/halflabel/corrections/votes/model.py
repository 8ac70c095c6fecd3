r"""The true value behind the votes of several sources: error rates and posteriors, learned together by EM.

An entry :math:`(i, j)` is relevant with probability :math:`\sigma(e^{\theta_j} z_{ij} + b_j)`, where :math:`z` are the
out-of-fold log odds of a model of the features. Source :math:`s` votes with level :math:`k` with probability
:math:`f_{sj}(k \mid t)`, where :math:`t` is the true value. With the weights :math:`u` of votes that depend on each
other (:mod:`halflabel.corrections.votes.dependence`), EM maximises

.. math::
    \sum_{ij} \log \sum_t P(t \mid z_{ij}) \prod_s f_{sj}(v_{sij} \mid t)^{u_{sij}}
    + \sum_{sjtk} \kappa_s \bar f_s(k \mid t) \log f_{sj}(k \mid t)
    - \tfrac{\rho}{2} \sum_j (\theta_j^2 + (b_j - b_{0j})^2)

The rates of a label are shrunk to the common rates :math:`\bar f_s` of their source, with the strength
:math:`\kappa_s` that makes its votes on all labels most likely. The common rates are shrunk to the rates of
a source that is wrong equally often on relevant and on irrelevant entries. Without features and with equal weights it
is the model of Dawid and Skene (1979); with features that of Raykar et al. (JMLR 11, 2010).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, logit

from halflabel._arrays import Floats, Ints, Mask
from halflabel.corrections.votes.dependence import (
    compare_with_chance,
    estimate_correlations,
    mark_votes,
    measure_separation,
    weigh_votes,
)
from halflabel.corrections.votes.difficulty import estimate_easiness
from halflabel.corrections.votes.levels import Levels
from halflabel.labels.calibration import fit_soft
from halflabel.labels.votes import Votes

#: Minimum number of common entries of two sources whose agreement may lower the first weights.
MIN_SHARED = 5

#: Ridge weight of the calibration of the features' log odds, and the strengths of the shrinkage that are compared.
RIDGE, STRENGTHS = 1.0, (3.0, 10.0, 30.0)

#: Maximum number of rounds (shrinkage and weights are fixed within a round) and of steps in one; the tolerances.
MAX_ROUNDS, MAX_STEPS, TOLERANCE, SAME_WEIGHTS = 8, 100, 1e-7, 0.005

#: The number of votes that a source is assumed to have given before, and bounds of its probability of being right.
ASSUMED, BOUNDS = 4.0, (0.2, 0.8)

#: The number of votes by which the common rates of a source are shrunk to equal shares of wrong votes on relevant and
#: irrelevant entries. A rare label has few relevant entries, so that a low sensitivity could explain any votes.
EVEN = 100.0

#: A source is left out if its votes are at least ten times likelier by chance than by an informative source.
CHANCE = 0.1


@dataclass(frozen=True, eq=False)
class SourceFit:
    """The posterior of each entry, and the error rates of each source."""

    #: ``posterior``, ``prior``: shape (n_items, n_labels). P(relevant) with the votes and by the features alone. A
    #: known entry has its value as posterior.
    posterior: Floats
    prior: Floats
    #: Shape (n_sources, n_labels, 2, n_levels). P(level | irrelevant) and P(level | relevant).
    tables: Floats
    #: Shape (n_votes,). The weight of each vote, in the order of ``levels``.
    weights: Floats
    #: Shape (n_sources, n_sources). Of the errors of two sources, given the true value.
    correlations: Floats
    levels: Levels
    #: Shape (2, n_labels). Log-slope and intercept of the features' log odds.
    calibration: Floats
    #: The objective after each step, for each round. Within a round it never falls.
    objectives: tuple[list[float], ...]
    converged: bool
    #: Shape (n_sources,). Sources whose votes look like chance. They have no weight.
    is_chance: Mask
    #: Shape (n_items,). The factor in the weights of all votes on an item, below 1 for a difficult item.
    easiness: Floats

    @property
    def voted(self) -> Mask:
        """Which entries have a vote with a weight, shape (n_items, n_labels): votes that look like chance have none."""
        return self.levels.add((~self.is_chance)[self.levels.sources].astype(np.float64)) > 0

    @property
    def parts(self) -> Floats:
        """The part of each vote in the log odds of the posterior, shape (n_votes,)."""
        return _list_parts(self.levels, self.tables, self.weights)

    def repeat(self, place: Ints) -> SourceFit:
        """Return the fit with copies of sources, which share their weight. ``place`` is the source of each copy."""
        shared = self.weights / np.bincount(place)[self.levels.sources]
        levels, votes = self.levels.repeat(place)
        correlations = self.correlations[np.ix_(place, place)]
        tables, chance = self.tables[place], self.is_chance[place]
        return replace(
            self, tables=tables, weights=shared[votes], correlations=correlations, levels=levels, is_chance=chance
        )

    def calibrate(self, log_odds: Floats) -> Floats:
        """Return P(relevant) of entries without votes from the features' log odds."""
        slope, intercept = np.exp(self.calibration[0]), self.calibration[1]
        return np.asarray(expit(slope * log_odds + intercept))


@dataclass(frozen=True, eq=False)
class _Problem:
    """Everything that does not change within a fit."""

    levels: Levels
    z: Floats
    start: Floats  #: Log-slope and intercept that the calibration is shrunk to, shape (2, n_labels).
    used: Mask  #: Entries with a vote or a known value.
    used_sources: Mask  #: Sources whose votes have a weight.
    known: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class _Shrinkage:
    """The common rates of each source, (n_sources, 2, n_levels), and their strengths, (n_sources,)."""

    common: Floats
    strength: Floats

    @property
    def assumed(self) -> Floats:
        return self.strength[:, None, None, None] * self.common[:, None]


@dataclass(frozen=True, eq=False)
class _State:
    """The parameters, and the posterior that follows from them."""

    tables: Floats
    theta: Floats
    q: Floats
    objective: float


def fit_sources(votes: Votes, log_odds: Floats | None = None, known: NDArray[np.int8] | None = None) -> SourceFit:
    """Learn the error rates of sources and the posterior of each entry.

    Parameters
    ----------
    log_odds : ndarray of shape (n_items, n_labels), optional
        Of a model of the features, out of fold for entries with votes; NaN where it has none.
    known : ndarray of int8, shape (n_items, n_labels), optional
        +1 relevant, -1 irrelevant, 0 unknown: entries that are taken as true.

    Examples
    --------
    >>> truth = np.tile([1, 0], 50)[:, None]
    >>> wrong = np.abs(np.arange(100)[:, None, None] - [1, 98, 20]) < [2, 3, 10]  # 3, 4 and 19 votes of three sources
    >>> values = np.where(wrong, 1 - truth[:, :, None], truth[:, :, None]).transpose(2, 0, 1).astype(float)
    >>> fit = fit_sources(Votes(("a", "b", "c"), values))
    >>> (fit.posterior.round() == truth).all(), fit.tables[2, 0, 1].round(1).tolist()
    (np.True_, [0.2, 0.8])
    """
    first, place = _find_copies(votes)
    votes = replace(votes, values=votes.values[first])
    known = np.zeros(votes.values.shape[1:], dtype=np.int8) if known is None else known
    fit = _fit(votes, log_odds, known, np.ones(len(first), dtype=bool))
    others = np.where(fit.levels.take(known) != 0, 0.0, fit.parts)
    factors = compare_with_chance(fit.levels, logit(np.clip(fit.posterior, 1e-9, 1 - 1e-9)), others)
    if (factors < CHANCE).any():
        fit = _fit(votes, log_odds, known, factors >= CHANCE)
    return fit if len(first) == len(place) else fit.repeat(place)


def _find_copies(votes: Votes) -> tuple[Ints, Ints]:
    """Return the first of each set of sources with equal votes everywhere, and the place of each source among these."""
    flat = np.nan_to_num(votes.values, nan=-1.0).reshape(len(votes.values), -1)
    _, first, place = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[place.ravel()]


def _fit(votes: Votes, log_odds: Floats | None, known: NDArray[np.int8], used: Mask) -> SourceFit:
    """Return the fit to sources of which none is a copy. Only the votes of ``used`` sources have a weight."""
    counted = replace(votes, values=np.where(used[:, None, None], votes.values, np.nan))
    problem = _pose(votes, counted, log_odds, known)
    shrinkage, weights = _assume(problem.levels), _weigh_agreement(problem, counted)
    state = _expect(problem, _spread(shrinkage, problem), problem.start, weights, shrinkage)
    correlations, objectives, converged = np.eye(len(used)), [], False
    for _ in range(MAX_ROUNDS):
        state, path = _maximise(problem, state, weights, shrinkage)
        objectives.append(path)
        correlations, changed = _find_dependence(problem, state, weights)
        shrinkage = _shrink(problem.levels, _count(problem, state.q, weights))
        converged = bool(np.abs(changed - weights).max(initial=0.0) < SAME_WEIGHTS) and len(objectives) > 1
        if converged:
            break
        weights = changed
        state = _expect(problem, state.tables, state.theta, weights, shrinkage)
    tables = _normalise(_count(problem, state.q, np.ones_like(weights)) + shrinkage.assumed)
    eta = np.exp(state.theta[0]) * problem.z + state.theta[1]
    easiness = estimate_easiness(problem.levels, tables, weights, eta, known)
    weights = weights * easiness[problem.levels.entries // known.shape[1]]
    state = _expect(problem, tables, state.theta, weights, shrinkage)  # the rates count every vote once
    return SourceFit(
        posterior=state.q,
        prior=expit(eta),
        tables=tables,
        weights=weights,
        correlations=correlations,
        levels=problem.levels,
        calibration=state.theta,
        objectives=tuple(objectives),
        converged=converged,
        is_chance=~used,
        easiness=easiness,
    )


def _pose(votes: Votes, counted: Votes, log_odds: Floats | None, known: NDArray[np.int8]) -> _Problem:
    shape = known.shape
    z = np.full(shape, np.nan) if log_odds is None else log_odds
    rate = logit(np.clip(counted.means, 0.02, 0.98))
    start = np.stack([np.zeros(shape[1]), np.where(np.isnan(z).all(axis=0), rate, 0.0)])
    used = np.asarray(counted.given.any(axis=(1, 2)))
    return _Problem(Levels.cut(votes), np.nan_to_num(z), start, counted.voted | (known != 0), used, known)


def _assume(levels: Levels) -> _Shrinkage:
    """Return the rates before any vote is counted: a higher level is likelier for a relevant entry."""
    share = levels.count(np.ones(len(levels.codes))).sum(axis=1)
    share = share / np.maximum(share.sum(axis=1, keepdims=True), 1)
    value = np.clip(np.nan_to_num(levels.values), *BOUNDS)
    common = np.stack([1 - value, value], axis=1) * np.maximum(share, 0.05)[:, None]
    return _Shrinkage(_normalise(np.where(levels.exist[:, None], common, 0.0)), np.full(len(share), STRENGTHS[1]))


def _spread(shrinkage: _Shrinkage, problem: _Problem) -> Floats:
    """Return the common rates of each source as the rates of each label."""
    return np.repeat(shrinkage.common[:, None], problem.z.shape[1], axis=1)


def _maximise(problem: _Problem, state: _State, weights: Floats, shrinkage: _Shrinkage) -> tuple[_State, list[float]]:
    """Return the state at the end of EM, and the objective after each step."""
    path = [state.objective]
    for _ in range(MAX_STEPS):
        tables = _normalise(_count(problem, state.q, weights) + shrinkage.assumed)
        q = np.where(problem.used, state.q, 0.0)
        theta = fit_soft(problem.z, q, problem.used, problem.start, RIDGE)
        state = _expect(problem, tables, theta, weights, shrinkage)
        path.append(state.objective)
        if path[-1] - path[-2] <= TOLERANCE * abs(path[-2]):
            break
    return state, path


def _expect(problem: _Problem, tables: Floats, theta: Floats, weights: Floats, shrinkage: _Shrinkage) -> _State:
    """Return the posterior under these parameters, and the objective."""
    logs = np.log(np.maximum(tables, 1e-300))
    no, yes = (problem.levels.add(weights * problem.levels.look_up(logs[:, :, t])) for t in (0, 1))
    eta = np.exp(theta[0]) * problem.z + theta[1]
    known = problem.known
    q = np.select([known > 0, known < 0], [1.0, 0.0], expit(eta + yes - no))
    mixed = no + np.logaddexp(0, eta + yes - no)
    likelihood = np.select([known > 0, known < 0], [yes + eta, no], mixed) - np.logaddexp(0, eta)
    penalty = (shrinkage.assumed * np.where(shrinkage.assumed > 0, logs, 0.0)).sum()
    penalty -= RIDGE / 2 * ((theta - problem.start) ** 2).sum()
    return _State(tables, theta, q, float(likelihood[problem.used].sum() + penalty))


def _count(problem: _Problem, q: Floats, weights: Floats) -> Floats:
    """Return the expected number of votes per source, label, value and level."""
    share = problem.levels.take(q)
    return np.stack([problem.levels.count(weights * each) for each in (1 - share, share)], axis=2)


def _normalise(counts: Floats) -> Floats:
    return np.asarray(counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1e-300))


def _weigh_agreement(problem: _Problem, counted: Votes) -> Floats:
    """Return the weights of votes if sources share all that their votes have in common: copies cannot decide alone."""
    levels = problem.levels
    is_counted = problem.used_sources[levels.sources]
    given = mark_votes(levels, is_counted.astype(np.float64))
    residuals = mark_votes(levels, (levels.of_votes - counted.means[levels.labels]) * is_counted)
    enough = (given @ given.T).toarray() >= MIN_SHARED
    spread = (residuals.multiply(residuals) @ given.T).toarray()
    correlations = (residuals @ residuals.T).toarray() / np.sqrt(np.maximum(spread * spread.T, 1e-12))
    correlations = np.where(enough, correlations, 0.0)
    np.fill_diagonal(correlations, 1.0)
    return weigh_votes(correlations, np.ones(levels.shape[0]), levels) * is_counted


def _find_dependence(problem: _Problem, state: _State, weights: Floats) -> tuple[Floats, Floats]:
    """Return the correlations of the sources, and the weights of the votes that follow."""
    levels = problem.levels
    parts = _list_parts(levels, state.tables, weights)
    q = np.clip(state.q, 1e-9, 1 - 1e-9)
    others = np.where(levels.take(problem.known) != 0, 0.0, parts)
    correlations = estimate_correlations(levels, state.tables, logit(q), others)
    separation, used = measure_separation(state.tables, levels), problem.used_sources
    correlations = np.where(used[:, None] & used, correlations, np.eye(len(used)))
    return correlations, weigh_votes(correlations, separation, levels) * used[levels.sources]


def _list_parts(levels: Levels, tables: Floats, weights: Floats) -> Floats:
    logs = np.log(np.maximum(tables, 1e-300))
    return weights * levels.look_up(logs[:, :, 1] - logs[:, :, 0])


def _shrink(levels: Levels, counts: Floats) -> _Shrinkage:
    """Return the common rates of each source, and the strength that makes its votes on all labels most likely."""
    counted = counts.sum(axis=1) + _assume(levels).common * ASSUMED
    common = _normalise(counted + EVEN * _even_out(levels, counted))
    strength = [max(STRENGTHS, key=lambda k: _score_strength(k, own, of_source))
                for own, of_source in zip(counts, common, strict=True)]  # fmt: skip
    return _Shrinkage(common, np.array(strength))


def _even_out(levels: Levels, counts: Floats) -> Floats:
    """Return the rates of sources whose votes are wrong equally often on relevant and on irrelevant entries."""
    upper = np.nan_to_num(levels.values)[:, None] >= 0.5
    of_upper, of_lower = counts * upper, counts * ~upper
    right = of_lower[:, 0].sum(axis=-1) + of_upper[:, 1].sum(axis=-1)
    share = right / counts.sum(axis=(1, 2))
    mass = np.stack([1 - share, share], axis=1)[:, :, None]
    return np.asarray(_normalise(of_upper) * mass + _normalise(of_lower) * (1 - mass))


def _score_strength(strength: float, counts: Floats, common: Floats) -> float:
    """Return the log likelihood of the votes of a source if its rates per label are drawn around its common rates."""
    alpha = np.maximum(strength * common, 1e-9)[None]
    size = counts.sum(axis=-1)
    whole = gammaln(alpha.sum(axis=-1)) - gammaln(alpha.sum(axis=-1) + size)
    return float(whole.sum() + (gammaln(counts + alpha) - gammaln(alpha)).sum())
