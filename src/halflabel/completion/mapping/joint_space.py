"""The space that a map draws: features joined with the log odds of the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import logit

from halflabel._arrays import Floats, Ints, is_sparse
from halflabel.labels import PartialLabels
from halflabel.methods.auto.features import Coordinates, Weighting

#: Probabilities nearer to 0 or 1 count as equal: their log odds would only measure the confidence of the calibration.
CLIP = 0.005

#: Labels have their whole weight if out-of-fold probabilities lower the Brier score of their rates by this share.
ENOUGH_SKILL = 0.05


@dataclass(frozen=True, eq=False)
class JointSpace:
    """Maps items to coordinates: principal components of the features, and centred log odds of the labels."""

    weighting: Weighting  #: The units of the features.
    components: Coordinates
    center: Floats  #: Shape (n_components,). Mean of the components.
    label_order: Ints  #: Shape (n_labels,). The canonical order of the labels.
    label_center: Floats  #: Shape (n_labels,). Mean of the log odds, in this order.
    label_scale: float  #: Factor of the log odds.

    @classmethod
    def learn(
        cls, X: Any, probabilities: Floats, label_order: Ints, weight: float, weighting: Weighting | None = None
    ) -> Self:
        """Learn the space in which the log odds have ``weight`` times the total variance of the features.

        Parameters
        ----------
        X : matrix of shape (n_items, n_features)
        probabilities : ndarray of shape (n_items, n_labels)
            Out of fold for observed entries: no label may have an effect on the place of its own item.
        label_order : ndarray of int, shape (n_labels,)
        weighting : Weighting, optional
            The units that a method used; by default they are learned.

        Raises
        ------
        ValueError
            If all items are equal.
        """
        weighting = weighting or Weighting.learn(X, "auto")
        components = Coordinates.learn(weighting(X), np.random.default_rng(0))
        plain = cls(weighting, components, np.zeros(1), label_order, np.zeros(1), 1.0)
        features, labels = plain.describe_features(X), plain.describe_labels(probabilities)
        of_features, of_labels = features.var(axis=0).sum(), labels.var(axis=0).sum()
        if not of_features + of_labels * weight > 0:
            what = "the same features and the same labels" if weight else "the same features"
            raise ValueError(f"all items have {what}: a map needs items that differ.")
        scale = np.sqrt(weight * (of_features or of_labels) / (of_labels or 1.0))
        return cls(weighting, components, features.mean(axis=0), label_order, labels.mean(axis=0), float(scale))

    def describe_features(self, X: Any) -> Floats:
        """Return the features as centred components. A missing value becomes the mean of its column."""
        weighted = self.weighting(X)
        if not is_sparse(weighted):
            weighted = np.nan_to_num(weighted)
        Z = self.components(weighted)
        return np.asarray(Z.toarray() if is_sparse(Z) else Z, dtype=np.float64) - self.center

    def describe_labels(self, probabilities: Floats) -> Floats:
        """Return the scaled log odds of the labels. Without a weight, there are no columns."""
        if self.label_scale == 0:
            return np.empty((len(probabilities), 0))
        p = np.nan_to_num(probabilities[:, self.label_order], nan=0.5)
        return np.asarray((logit(np.clip(p, CLIP, 1 - CLIP)) - self.label_center) * self.label_scale)


def measure_skill(labels: PartialLabels, probabilities: Floats) -> float:
    """Return the share by which probabilities lower the Brier score of the labels' rates, on observed entries.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1], [0], [1], [0]])
    >>> measure_skill(labels, np.array([[1.0], [0.0], [1.0], [0.0]])), measure_skill(labels, np.full((4, 1), 0.5))
    (1.0, 0.0)
    """
    used = labels.observed & labels.learnable & ~np.isnan(probabilities)
    relevant, rates = labels.relevant, np.broadcast_to(labels.rates, labels.shape)
    of_rates = float(((rates - relevant)[used] ** 2).sum())
    return 1 - float(((probabilities - relevant)[used] ** 2).sum()) / of_rates if of_rates > 0 else 0.0


def weigh_by_skill(weight: float, skill: float) -> float:
    """Return the weight of the labels, reduced if their predictions have hardly any skill.

    Otherwise, noise would be scaled up to the variance of the features, and the map would show groups that are not in
    the data.

    Examples
    --------
    >>> [weigh_by_skill(1.0, skill) for skill in (0.4, 0.025, -0.01)]
    [1.0, 0.5, 0.0]
    """
    return weight * min(1.0, max(0.0, skill) / ENOUGH_SKILL)
