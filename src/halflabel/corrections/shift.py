r"""Another share of relevant entries among gaps than among known entries: a shift of their log odds.

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

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, logsumexp

from halflabel._arrays import Floats, Mask
from halflabel._wording import count, plural
from halflabel.corrections.correction import Correction, Given, Learned
from halflabel.evidence.components import take_components
from halflabel.evidence.drift import measure_drift
from halflabel.evidence.value_selection import is_selected
from halflabel.labels import PartialLabels
from halflabel.methods.canonical_order import order_items

#: The maximum area under the ROC curve with which features separate items with many known entries from items with few.
#: With a larger one, features and not values decide which entries are known. On emotions, scene, enron and msrc it was
#: .68 at most in 32 tables whose entries were chosen by their value or at random, and .80 at least in eight tables
#: whose entries were chosen by a feature.
MAX_SEPARATION = 0.72

#: The maximum mean shift, in log odds. With a larger one (a relevant entry is known twenty times as often), filled
#: values depend on the highest probabilities alone, which no known entries confirm.
MAX_SHIFT = 3.0

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

#: Constant of MacKay's approximation, as in :mod:`halflabel.methods.auto.beta_calibration`.
SPREAD = np.pi / 8


@dataclass(frozen=True, eq=False)
class RateShift(Learned):
    r"""The number that is added to the log odds of an entry because it is unknown.

    If a relevant entry is known with probability :math:`r_1` and an irrelevant one with :math:`r_0`, whatever the item
    is, then Bayes' rule gives, for two entries with the same score,

    .. math::
        \mathrm{logit}\,P(\text{relevant} \mid \text{unknown}) = \mathrm{logit}\,P(\text{relevant} \mid \text{known})
        + \mathrm{logit}\,r_0 - \mathrm{logit}\,r_1

    with one number for each label. The result is the mean of the sigmoid over the uncertainty of this number, in
    MacKay's approximation.
    """

    #: Shape (2, n_labels). For items with a known entry: the mean and the standard deviation.
    with_known: NDArray[np.float64]
    #: Shape (2, n_labels). For items without a known entry, of the fit or new.
    alone: NDArray[np.float64]
    #: Whether known entries and gaps have different scores.
    is_selected: bool = False

    name: ClassVar[str] = "shift"
    part: ClassVar[str] = "rate among the gaps"
    rests_on: ClassVar[str] = "entries were given because of their value"
    estimates_gaps: ClassVar[bool] = True

    def __call__(self, p: Floats, known: PartialLabels) -> Floats:
        """Return the probabilities of unknown entries, from probabilities that hold for known entries."""
        mean, deviation = self._of(known)
        return np.asarray(expit((logit(p) + mean) / np.sqrt(1 + SPREAD * deviation**2)))

    def vary(self, p: Floats, known: PartialLabels, z: float) -> Floats:
        """Return the probabilities of unknown entries if the shift of each label differs by ``z`` deviations."""
        mean, deviation = self._of(known)
        return np.asarray(expit(logit(p) + mean + z * deviation))

    def deviate(self, p: Floats, known: PartialLabels) -> Floats:
        """Return half of the difference that one deviation in either direction makes."""
        low, high = (np.where(known.observed, p, self.vary(p, known, z)) for z in (-1.0, 1.0))
        return np.asarray((high - low) / 2)

    def describe(self, before: Floats, after: Floats, known: PartialLabels) -> str:
        """Return the finding, the assumption and the change."""
        gaps = ~known.observed
        found = "The calibration of gaps was asked for; the scores of given entries and of gaps show no difference."
        if self.is_selected:
            found = "Given entries and gaps have different scores, and the difference is larger than by chance."
        relevant, at_known = (count(round(p[gaps].sum())) for p in (after, before))
        return (
            f"{found} It is assumed that the value of an entry alone decided whether it was given: for example, mostly "
            f"labels that an item has were noted. Of {plural(int(gaps.sum()), 'gap')}, {relevant} are expected to be "
            f"relevant; with the rate of the given entries, {at_known} would be. All "
            'numbers about gaps follow this correction; calibration="as known" leaves it out.'
        )

    def _of(self, known: PartialLabels) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of each entry."""
        rows = np.where(~known.unlabelled[None, :, None], self.with_known[:, None], self.alone[:, None])
        return rows[0], rows[1]


def learn_shift(given: Given, targets: PartialLabels, p: Floats, before: Learned | None) -> RateShift | None:
    """Return the shift of the probabilities of gaps, if known entries were chosen by value.

    "as known" learns nothing. "auto" shifts if the checks find that values, and not features, decided which entries
    are known. "shifted" shifts in any case. An update keeps the shift.
    """
    labels, how = given.labels, given.opened.description.calibration
    if how == "as known" or labels.has_positive_only or labels.observed.all() or targets is not labels:
        return None
    known = labels if given.calibrate_on is None else labels.hide(~given.calibrate_on)
    if not known.observed.any():  # nothing was held out, so that no rate can be estimated
        return None
    selected = is_selected(known.observed, p)
    if isinstance(before, RateShift):
        return replace(before, is_selected=selected)
    if how == "auto" and not (selected and _value_decides(given, known)):
        return None
    shift = replace(estimate_shift(known.observed, ~labels.observed, p), is_selected=selected)
    means = np.stack([shift.with_known[0], shift.alone[0]]).mean(axis=1)
    if how == "auto" and np.abs(means).max() > MAX_SHIFT:
        return None
    return shift


def _value_decides(given: Given, known: PartialLabels) -> bool:
    """Return whether some items are known in part, and features do not separate them from items with few entries."""
    observed, labels = known.observed, given.labels
    if not (observed.any(axis=1) & ~observed.all(axis=1)).any():
        return False
    order, number = order_items(given.opened.X, labels), labels.observed.sum(axis=1)
    components = take_components(given.opened.X[order], np.random.default_rng(0))
    separation = measure_drift(components, (number <= np.median(number))[order], np.random.default_rng(0))
    return separation is None or separation <= MAX_SEPARATION


#: The line of :data:`halflabel.corrections.order.CORRECTIONS`.
SHIFT = Correction("shift", learn_shift, saved=(RateShift,))


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
