"""Positive-only labels as the paper codes them, and probabilities of what was not assigned."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from halflabel.arrays import Floats
from halflabel.decision import Calibration
from halflabel.labels import PartialLabels

__all__ = ["AssignedCalibration", "assigned"]

#: No probability of being relevant is higher than this, however rarely positives are assigned.
SURE = 0.999


def assigned(labels: PartialLabels) -> PartialLabels:
    """Return positive-only labels with -1 for what was not assigned in an annotated item.

    Examples
    --------
    >>> assigned(PartialLabels.from_positives([[1.0, 0.0], [np.nan, np.nan]])).state.tolist()
    [[1, -1], [0, 0]]
    """
    state = np.where(labels.annotated[:, None] & (labels.state == 0), -1, labels.state).astype(np.int8)
    return replace(labels, state=state, positive_only=False)


@dataclass(frozen=True)
class AssignedCalibration(Calibration):
    r"""P(relevant) from P(assigned), if each relevant entry was assigned with the same probability.

    Parameters
    ----------
    observed_rate : float
        c, that probability: :math:`P(\mathrm{relevant}) = P(\mathrm{assigned}) / c`.
    """

    observed_rate: float

    @classmethod
    def of(cls, plain: Calibration, observed_rate: float) -> AssignedCalibration:
        """Return a calibration for P(assigned) with c beside it."""
        parts = {field.name: getattr(plain, field.name) for field in fields(Calibration)}
        return cls(**parts, observed_rate=observed_rate)

    def __call__(self, scores: Floats) -> Floats:
        """Return probabilities of being relevant."""
        return np.minimum(super().__call__(scores) / self.observed_rate, SURE)

    def unassigned(self, p: Floats) -> Floats:
        """Return P(relevant) once it is known that the entry was not assigned, from P(relevant) before."""
        return p * (1 - self.observed_rate) / (1 - p * self.observed_rate)
