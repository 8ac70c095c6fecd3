"""The losses of features: squares of scaled values, or bits and counts as they are, each with a fixed offset."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats, Mask
from halflabel.numerics.losses import Bits, Counts, Entrywise, Huber, Kind, Squared

#: The losses by name; None is the squared loss, which has a term of its own.
FEATURE_LOSSES = ("squared", "huber", "logistic", "poisson")

#: The parabola of the Poisson loss begins at this multiple of the largest count.
BEYOND = 2.0


def is_scaled(name: str) -> bool:
    """Return whether features are centred and divided by their standard deviation before the loss."""
    return name in ("squared", "huber")


def make_kind(name: str, largest: float) -> Kind | None:
    """Return the loss of one value, where ``largest`` is the largest observed count."""
    kinds: dict[str, Kind | None] = {"squared": None, "huber": Huber(), "logistic": Bits()}
    return Counts(BEYOND * largest) if name == "poisson" else kinds[name]


def learn_offset(name: str, X: Floats) -> tuple[Floats, float]:
    """Return the z of each feature's mean (NaN is missing), and the largest value. The mean is that of an empty Z.

    Half an observation of each kind is added, so that a feature of one value has a finite offset.
    """
    largest = float(np.nanmax(X, initial=1.0))
    kind = make_kind(name, largest)
    if is_scaled(name) or kind is None:
        return np.zeros(X.shape[1]), largest
    total, count = np.nansum(X, axis=0), (~np.isnan(X)).sum(axis=0)
    return kind.link((total + 0.5) / (count + 1)), largest


def require_kind(name: str, X: Floats) -> None:
    """Raise if a value is outside the domain of the loss."""
    if is_scaled(name):
        return
    with np.errstate(invalid="ignore"):
        wrong = (X < 0) | (np.floor(X) != X) | ((X > 1) & (name == "logistic"))
    wrong &= ~np.isnan(X)
    if not wrong.any():
        return
    row, feature = np.argwhere(wrong)[0]
    wanted = "0 and 1" if name == "logistic" else "counts 0, 1, 2 and so on"
    raise ValueError(
        f"feature_loss={name!r} is for features of {wanted}, but feature {feature} holds {X[row, feature]:g}: use "
        "feature_loss='squared', or fit these features apart."
    )


def make_feature_term(
    kind: Kind | None, values: Floats, observed: Mask | None, offset: Floats | float
) -> Squared | Entrywise:
    """Return the term of weight 1, where ``values`` are 0 in unobserved entries."""
    if kind is None:
        return Squared(values, observed, 1.0)
    return Entrywise(kind, values, observed, 1.0, offset)
