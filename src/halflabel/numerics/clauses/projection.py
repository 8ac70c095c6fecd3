"""The closest probabilities that obey clauses, by cyclic projections with a dual variable per clause and item."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from halflabel._arrays import Floats
from halflabel.numerics.clauses.clause import Clause, States
from halflabel.numerics.clauses.forest import find_parents, project_forest

#: Log odds of a label that is known.
CERTAIN = 40.0

#: Sweeps over all clauses end when no log odds changes by more than this, or after this number. An item whose clauses
#: nearly imply one another needs thousands; other items are done by then, so that its sweeps cost little.
TOLERANCE, MAX_SWEEPS = 1e-6, 30_000

#: Maximum number of steps to the root of one equation, and its tolerance.
MAX_STEPS, ROOT_TOLERANCE = 60, 1e-11


def project(log_odds: Floats, states: States, clauses: Sequence[Clause]) -> Floats:
    r"""Return the log odds of the closest probabilities that obey every clause.

    .. math::
        \min_m \sum_j \mathrm{KL}\bigl(m_j \,\|\, p_j\bigr) \quad \text{such that} \quad
        \sum_{l \in r} m_l \le 1 \text{ or } = 1 \text{ for each clause } r

    where KL is that of two Bernoulli distributions, :math:`m_l` the probability of a literal, and :math:`p_j` the given
    probability. In log odds, the solution is :math:`z - \sum_r \lambda_r a_r`. Each step solves one clause for its
    :math:`\lambda_r` (Bregman 1967; Hildreth 1957 for squared distances): half a difference for an implication, and
    the root of a monotone function for more literals. Implications that are a forest are solved exactly.

    The log loss of an item whose labels are valid never grows: :math:`\mathrm{KL}(y \| m) \le \mathrm{KL}(y \| p) -
    \mathrm{KL}(m \| p)` (Csiszár 1975). Probabilities that obey the clauses do not change.

    Parameters
    ----------
    log_odds : ndarray of shape (n_items, n_labels)
    states : ndarray of int8, shape (n_items, n_labels)
        The known labels, with all that follows from them, see :func:`halflabel.numerics.clauses.clause.propagate`.
    """
    known = states != 0
    parents = find_parents(clauses, log_odds.shape[1])
    if parents is not None:
        # A known label and the labels that follow never break an implication together with an unknown one.
        return project_forest(np.where(known, CERTAIN * states, log_odds), parents)
    z = np.where(known, CERTAIN * states, log_odds).T.copy()  # one row per label, so that a clause reads whole rows
    duals = np.zeros((len(clauses), z.shape[1]))
    active = np.arange(z.shape[1])
    for _ in range(MAX_SWEEPS):
        part, dual, moved = z[:, active], duals[:, active], np.zeros(len(active))
        for clause, own in zip(clauses, dual, strict=True):
            literals = clause.signs[:, None] * part[clause.columns]
            change = solve_clause(literals + own, clause) - own
            part[clause.columns] -= clause.signs[:, None] * change
            own += change
            np.maximum(moved, np.abs(change), out=moved)
        z[:, active], duals[:, active] = part, dual
        active = active[moved > TOLERANCE]
        if not len(active):
            break
    return np.asarray(np.where(known, CERTAIN * states, z.T))


def solve_clause(literals: Floats, clause: Clause) -> Floats:
    """Return the number to subtract from the log odds of literals, shape (n_literals, n_items), to obey a clause."""
    low = -np.inf if clause.exact else 0.0
    if len(literals) == 2:
        return np.asarray(np.maximum(literals.sum(axis=0) / 2, low))
    excess = expit(literals).sum(axis=0) - 1
    wrong = np.flatnonzero((excess > 0) | ((excess < 0) & clause.exact))
    shift = np.zeros(literals.shape[1])
    if len(wrong):
        shift[wrong] = _find_root(literals[:, wrong])
    return np.asarray(np.maximum(shift, low))


def _find_root(z: Floats) -> Floats:
    """Return the s for which the sum of sigmoid(z - s) is 1, by Newton's method within bounds."""
    s: Floats
    two = np.partition(z, -2, axis=0)[-2:]
    low, high = two.mean(axis=0), two[1] + np.log(len(z) - 1)  # two literals alone reach 1; all, as large as the first
    s = low.copy()
    for _ in range(MAX_STEPS):
        p = expit(z - s)
        excess, slope = p.sum(axis=0) - 1, (p * (1 - p)).sum(axis=0)
        if np.abs(excess).max() <= ROOT_TOLERANCE:
            break
        low, high = np.where(excess > 0, s, low), np.where(excess > 0, high, s)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = s + excess / slope
        inside = (step > low) & (step < high) & (np.abs(excess) > ROOT_TOLERANCE)
        s = np.where(np.abs(excess) <= ROOT_TOLERANCE, s, np.where(inside, step, (low + high) / 2))
    return s
