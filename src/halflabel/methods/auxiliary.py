"""A fit with the additional arguments that a method accepts: groups, a prior, the entries that calibrate."""

from __future__ import annotations

from typing import Any

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel.labels import PartialLabels
from halflabel.methods.base import PartialLabelEstimator


def fit_with_auxiliary(
    model: PartialLabelEstimator,
    X: Matrix,
    labels: PartialLabels,
    *,
    groups: Ints | None = None,
    prior: Floats | None = None,
    calibrate_on: Mask | None = None,
) -> Any:
    """Fit a method, with each further argument only if it accepts it, and return it."""
    given = {"groups": groups, "prior": prior, "calibrate_on": calibrate_on}
    accepted = {name: value for name, value in given.items() if value is not None and name in model.auxiliary}
    return model.fit(X, labels, **accepted)
