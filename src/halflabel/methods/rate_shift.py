"""Another share of relevant entries among gaps than among known entries: a shift of their log odds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from halflabel._arrays import Floats, Mask

#: Constant of MacKay's approximation, as in :mod:`halflabel.methods.auto.beta_calibration`.
SPREAD = np.pi / 8


@dataclass(frozen=True, eq=False)
class RateShift:
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
    #: Shape (n_labels,). The factor of the log odds, where the labels of the fit were votes with errors.
    slope: NDArray[np.float64] | None = None

    def __call__(self, p: Floats, has_known: Mask) -> Floats:
        """Return the probabilities of unknown entries.

        p holds for known entries, and ``has_known`` states whether the item has a known entry.
        """
        mean, deviation = self._of(has_known)
        return np.asarray(expit((self._scale(p) + mean) / np.sqrt(1 + SPREAD * deviation**2)))

    def vary(self, p: Floats, has_known: Mask, z: float) -> Floats:
        """Return the probabilities of unknown entries if the shift of each label differs by ``z`` deviations."""
        mean, deviation = self._of(has_known)
        return np.asarray(expit(self._scale(p) + mean + z * deviation))

    def _scale(self, p: Floats) -> Floats:
        return np.asarray(logit(p) if self.slope is None else self.slope * logit(p))

    def _of(self, has_known: Mask) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of each entry."""
        rows = np.where(has_known[None, :, None], self.with_known[:, None], self.alone[:, None])
        return rows[0], rows[1]
