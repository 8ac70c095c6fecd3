"""The weights of the members of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from halflabel._arrays import Floats, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fit_platt
from halflabel.numerics.threads import limit_threads

#: Ridge weight of the members' calibrations; larger than that of the ensemble, which is fitted to their results.
RIDGE = 10.0

#: Weight of the distance from equal weights, relative to the log loss of equal weights: a loss of easy labels is small.
SHRINKAGE = 0.07

#: Number of items, or of groups of items, at which the distance has twice this weight. With few, weights are chance.
HALF_UNITS = 20


def learn_weights(log_odds: Floats, relevant: Floats, n_units: int) -> Floats:
    r"""Return the weights of members, from their log odds of entries that they were not fitted to.

    Minimises over :math:`w \ge 0`, for m members and n entries with the values :math:`y_i` of 0 or 1,

    .. math::
        \ell(w) + 0.07 \left(1 + \tfrac{20}{u}\right) \ell\!\left(\tfrac1m\right) \left\|w - \tfrac1m\right\|^2,
        \qquad \ell(w) = \frac1n \sum_i \left[\log(1 + e^{s_i}) - y_i s_i\right],
        \qquad s_i = \sum_k w_k z_{ki}

    The sum of the weights is free: members that make independent errors are together more certain than each alone.

    Parameters
    ----------
    log_odds : ndarray of shape (n_members, n_entries)
        z.
    relevant : ndarray of shape (n_entries,)
        y.
    n_units : int
        u, the number of items or of groups of items: entries of one of them are not independent.

    Returns
    -------
    ndarray of shape (n_members,)
        Equal weights if no entry is given.
    """
    equal = np.full(len(log_odds), 1 / len(log_odds))
    if not relevant.size:
        return equal

    def expand(w: Floats) -> tuple[float, Floats]:
        score = w @ log_odds
        loss = np.mean(np.logaddexp(0, score) - relevant * score)
        return float(loss), log_odds @ (expit(score) - relevant) / len(relevant)

    pull = SHRINKAGE * (1 + HALF_UNITS / n_units) * expand(equal)[0]

    def objective(w: Floats) -> tuple[float, Floats]:
        loss, slope = expand(w)
        return loss + pull * float(((w - equal) ** 2).sum()), slope + 2 * pull * (w - equal)

    bounds = [(0, None)] * len(equal)
    with limit_threads(log_odds.size, 1):  # each step calls LAPACK
        found = minimize(objective, equal, jac=True, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-12})
    return np.asarray(found.x)


def add_without(parts: Sequence[Floats], labels: PartialLabels, out: Mask) -> Floats:
    """Return the sum of members' log odds, with calibrations and weights that are fitted without some items."""
    log_odds = np.array([logit(fit_platt(part[~out], labels[~out], RIDGE)(part)) for part in parts])
    known = labels.observed & ~np.isnan(log_odds).any(axis=0) & ~out[:, None]
    weights = learn_weights(log_odds[:, known], labels.relevant[known].astype(np.float64), int((~out).sum()))
    return np.tensordot(weights, log_odds, 1)
