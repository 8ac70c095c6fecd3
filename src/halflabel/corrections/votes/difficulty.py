r"""Items differ in difficulty: the votes on an item have a weight that all of its labels state together.

The log odds of a source's votes are multiplied by the easiness :math:`\tau_i > 0` of the item (Whitehill et al., 2009):

.. math:: f_\tau(k \mid t) \propto (f(k \mid 0) f(k \mid 1))^{1/2} (f(k \mid t) / f(k \mid 1 - t))^{\tau / 2}

Its logarithm is normal around 0, with the most likely standard deviation of ``SPREADS``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from halflabel._arrays import Floats
from halflabel.corrections.votes.levels import Levels

#: Values of the log of the easiness, and standard deviations that are compared.
NODES, SPREADS = np.linspace(-1.6, 1.6, 9), (0.4, 0.6, 0.8)

#: Items are equally difficult unless a spread makes the votes likelier by this difference of log likelihoods.
MIN_GAIN = 3.0


def estimate_easiness(levels: Levels, tables: Floats, weights: Floats, eta: Floats, known: NDArray[np.int8]) -> Floats:
    """Return the factor of the log likelihood ratios of all votes on each item, shape (n_items,).

    The tables are for items of ordinary difficulty, and ``eta`` are log odds by the features.
    """
    logs = np.stack([_score_items(levels, _temper(tables, np.exp(x)), weights, eta, known) for x in NODES])
    priors = [-0.5 * (NODES / spread) ** 2 for spread in SPREADS]
    joint = [logs + (prior - logsumexp(prior))[:, None] for prior in priors]
    totals = [float(logsumexp(each, axis=0).sum()) for each in joint]
    if max(totals) < float(logs[len(NODES) // 2].sum()) + MIN_GAIN:
        return np.ones(len(eta))
    best = joint[int(np.argmax(totals))]
    return np.asarray(np.exp(NODES @ np.exp(best - logsumexp(best, axis=0))))


def _temper(tables: Floats, easiness: float) -> Floats:
    """Return the log rates on items of some easiness."""
    logs = np.log(np.maximum(tables, 1e-300))
    middle = logs.mean(axis=2, keepdims=True)
    raised = middle + easiness * (logs - middle)
    return np.asarray(raised - logsumexp(raised, axis=-1, keepdims=True))


def _score_items(levels: Levels, logs: Floats, weights: Floats, eta: Floats, known: NDArray[np.int8]) -> Floats:
    """Return the log likelihood of all votes on each item."""
    no, yes = (levels.add(weights * levels.look_up(logs[:, :, t])) for t in (0, 1))
    open_ = np.logaddexp(no, yes + eta) - np.logaddexp(0, eta)
    return np.asarray(np.select([known > 0, known < 0], [yes, no], open_).sum(axis=1))
