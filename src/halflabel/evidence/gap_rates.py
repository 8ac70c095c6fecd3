r"""The share of relevant entries among gaps, if known entries were chosen because of their value.

Where an entry is known with a probability that depends on its value alone, the scores of relevant entries have one
distribution, known or not, and the scores of irrelevant entries have another one. The probabilities of gaps are then a
mixture of the two, whose share maximises a likelihood ([1]_). Labels lend each other strength: the shift of each
label's log odds is drawn from a normal distribution that all labels share.

References
----------
.. [1] M. Saerens, P. Latinne, C. Decaestecker, "Adjusting the Outputs of a Classifier to New a Priori Probabilities: A
   Simple Procedure", Neural Computation 14, 2002.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit, logsumexp

from halflabel._arrays import Floats, Mask
from halflabel.methods.rate_shift import RateShift

#: The shifts of log odds that are compared.
SHIFTS: Floats = np.linspace(-6.0, 6.0, 121)

#: The likelihood counts a quarter: probabilities are estimated from the known entries, and their errors are shared by
#: all gaps. The labels' variance is shrunk towards 0 as if there were two more labels without any difference.
DISCOUNT, WITHOUT_DIFFERENCE = 4.0, 2.0

#: Minimum standard deviation of the labels' shifts, and number of steps.
MIN_DEVIATION, STEPS = 0.05, 80

#: Minimum number of items without a known entry that have a shift of their own, and maximum number of gaps of a label
#: that are used.
MIN_ITEMS, MAX_GAPS = 50, 2000


def estimate_shift(known: Mask, gaps: Mask, p: Floats) -> RateShift:
    """Return the shift of the log odds of gaps against known entries.

    Items with a known entry and items without one are two groups: an annotator has passed over the gaps of the first,
    and may not have examined the second. ``known`` are the entries that probabilities were fitted on, ``gaps`` the
    unknown entries, and p probabilities that hold for known entries, by models that were fitted without the item.
    """
    rates = (np.where(known, p, 0.0).sum(axis=0) + 0.5) / (known.sum(axis=0) + 1)
    has_known = np.asarray(known.any(axis=1))
    together = fit_shifts(tabulate_likelihood(p, gaps & has_known[:, None], rates))
    alone = gaps & ~has_known[:, None]
    if alone.any(axis=1).sum() < MIN_ITEMS:
        return RateShift(together, together)
    return RateShift(together, fit_shifts(tabulate_likelihood(p, alone, rates)))


def tabulate_likelihood(p: Floats, gaps: Mask, rates: Floats) -> Floats:
    r"""Return the log likelihood of each label's gaps under each of :data:`SHIFTS`, shape (n_labels, n_shifts).

    With :math:`\pi` the rate of known entries and :math:`\pi'` the one after the shift, a gap of probability p has the
    likelihood ratio :math:`p \pi' / \pi + (1 - p)(1 - \pi') / (1 - \pi)`.
    """
    table = np.zeros((p.shape[1], len(SHIFTS)))
    for j, rate in enumerate(rates):
        values = np.sort(p[gaps[:, j], j])
        step = max(1, -(-len(values) // MAX_GAPS))
        values, shifted = values[step // 2 :: step, None], expit(logit(rate) + SHIFTS)
        ratios = values * (shifted / rate) + (1 - values) * ((1 - shifted) / (1 - rate))
        table[j] = step * np.log(ratios).sum(axis=0)
    return table


def fit_shifts(likelihood: Floats) -> Floats:
    """Return mean and standard deviation of each label's shift given its likelihood, shape (2, n_labels).

    Mean and variance of the labels' common distribution maximise the likelihood, by EM.
    """
    likelihood = likelihood / DISCOUNT
    center, variance = float(SHIFTS[likelihood.sum(axis=0).argmax()]), 1.0
    mean, spread = np.zeros(len(likelihood)), np.zeros(len(likelihood))
    for _ in range(STEPS):
        mean, spread = _take_moments(likelihood - (SHIFTS - center) ** 2 / (2 * variance))
        center = float(mean.mean())
        variance = float((spread + (mean - center) ** 2).sum() / (len(mean) + WITHOUT_DIFFERENCE))
        variance = max(variance, MIN_DEVIATION**2)
    around = -((SHIFTS[:, None] - SHIFTS) ** 2) / (2 * variance)  # of each center
    of_centers = np.sum([logsumexp(row + around, axis=1) for row in likelihood], axis=0)
    of_center = _take_moments(of_centers[None])[1]
    return np.stack([mean, np.sqrt(spread + of_center)])


def _take_moments(log_weights: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of the shifts under each row of weights."""
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    mean = weights @ SHIFTS
    return mean, np.maximum(weights @ SHIFTS**2 - mean**2, 0.0)
