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
from scipy.special import expit, logit

from halflabel._arrays import Floats, Mask
from halflabel._wording import count, plural
from halflabel.corrections.correction import Correction, Fitted, Learned
from halflabel.evidence.why_known import CLIP, fit_shifts, tabulate_likelihood
from halflabel.labels import PartialLabels

#: The maximum mean shift, in log odds. With a larger one (a relevant entry is known twenty times as often), filled
#: values depend on the highest probabilities alone, which no known entries confirm.
MAX_SHIFT = 3.0

#: Standard deviation of the relative error that all shifts share. Where values decided in 28 tables of seven sets, it
#: was .17 (``benchmarks/why_known.py --part choose``).
COMMON_ERROR = 0.2

#: Minimum number of items without a known entry that have a shift of their own.
MIN_ITEMS = 50

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
    #: The items of the fit with a known entry that the person brought: an answer to a question changes no other shift.
    #: None for new items, whose known entries decide.
    has_known: Mask | None = None

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
        some = ~known.unlabelled if self.has_known is None else self.has_known
        rows = np.where(some[None, :, None], self.with_known[:, None], self.alone[:, None])
        return rows[0], rows[1]

    def for_new_items(self) -> RateShift:
        """Return the shifts without the items of the fit."""
        return replace(self, has_known=None)


def learn_shift(fit: Fitted, before: Learned | None) -> RateShift | None:
    """Return the shift of the probabilities of gaps, if known entries were chosen by value.

    "as known" learns nothing. "auto" shifts if values, and not features, explain which entries are known. "shifted"
    shifts in any case. An update keeps the shift.
    """
    how, brought = fit.opened.description.calibration, fit.opened.brought
    if how == "as known" or fit.known.has_positive_only or fit.known.observed.all() or fit.has_targets:
        return None
    known = fit.comparable & brought
    if not known.any():  # nothing was held out, so that no rate can be estimated
        return None
    if isinstance(before, RateShift):
        return before
    selected = fit.why.reason == "value"
    if how == "auto" and not selected:
        return None
    shift = estimate_shift(known, ~brought, fit.probabilities)
    shift = replace(shift, is_selected=selected, has_known=np.asarray(brought.any(axis=1)))
    return None if how == "auto" and np.abs(shift.with_known[0].mean()) > MAX_SHIFT else shift


#: The line of :data:`halflabel.corrections.order.CORRECTIONS`.
SHIFT = Correction("shift", learn_shift, saved=(RateShift,))


def estimate_shift(known: Mask, gaps: Mask, p: Floats) -> RateShift:
    """Return the shift of the log odds of gaps against known entries.

    Items with a known entry and items without one are two groups: an annotator has passed over the gaps of the first,
    and may not have examined the second. Where the shift of the second would be too large, both have that of the first.
    ``known`` are the brought entries that probabilities were fitted on, ``gaps`` the entries that were gaps before
    questions were answered, and p probabilities that hold for known entries, by models that were fitted without the
    item.
    """
    p, has_known = np.clip(p, CLIP, 1 - CLIP), np.asarray(known.any(axis=1))
    together = _fit(p, gaps, known | (gaps & has_known[:, None]))
    alone = gaps & ~has_known[:, None]
    found = together if alone.any(axis=1).sum() < MIN_ITEMS else _fit(p, alone, known | alone)
    return RateShift(together, together if np.abs(found[0].mean()) > MAX_SHIFT else found)


def _fit(p: Floats, gaps: Mask, use: Mask) -> Floats:
    mean, deviation = fit_shifts(tabulate_likelihood(p, gaps, use))
    return np.stack([mean, np.hypot(deviation, COMMON_ERROR * mean)])
