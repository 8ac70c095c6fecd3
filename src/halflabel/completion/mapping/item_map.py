"""A map of the items of a completion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

from halflabel._arrays import Floats, Ints
from halflabel.completion.mapping.joint_space import JointSpace, measure_skill, weigh_by_skill
from halflabel.completion.mapping.regions import Region, name_regions
from halflabel.labels import PartialLabels
from halflabel.methods.canonical_order import order_items
from halflabel.numerics.column_order import order_columns
from halflabel.numerics.layout import tsne

if TYPE_CHECKING:
    from halflabel.completion.evidence import Evidence

#: Maximum number of items that are laid out; further items are placed by their neighbours. In the report, as many
#: points are drawn at most.
MAX_LANDMARKS, MAX_OF_REPORT = 20_000, 2000


@dataclass(frozen=True, eq=False)
class ItemMap:
    """The items in a small number of dimensions."""

    #: Shape (n_items, n_components). One row per item, with the ids of the items; of the library of the items.
    coordinates: pd.DataFrame
    #: Shape (n_items, n_components). The same numbers.
    places: Floats
    #: The weight of the labels after it was reduced for predictions without skill.
    label_weight: float
    #: Facts that the reader of the map needs, in sentences.
    notes: tuple[str, ...]
    space: JointSpace
    #: The given labels.
    labels: PartialLabels

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The dense regions of a map of two dimensions, with the labels that are more frequent there."""
        return name_regions(self.places, self.labels) if self.places.shape[1] == 2 else ()


def draw_item_map(
    evidence: Evidence,
    n_components: int = 2,
    *,
    label_weight: float = 1.0,
    max_landmarks: int = MAX_LANDMARKS,
    random_state: int = 0,
) -> ItemMap:
    """Draw the items by t-SNE, or by their principal components: more than two dimensions, and fewer than 10 items.

    Parameters
    ----------
    label_weight : float, default=1.0
        Total variance of the labels' log odds in units of that of the features. 0 draws the features alone. It is
        reduced if out-of-fold predictions have hardly any skill.
    max_landmarks : int, default=20_000
        Maximum number of items that are laid out; others are placed by their nearest neighbours among these.

    Raises
    ------
    ValueError
        If a parameter is not one of those above, if all items are equal, or if they have fewer dimensions.
    """
    _validate_parameters(label_weight, max_landmarks)
    order = order_items(evidence.opened.X, evidence.learned_from)
    X, labels, p = (
        evidence.opened.X[order],
        evidence.learned_from[order],
        evidence.learned_probabilities[order],
    )
    weight = weigh_by_skill(label_weight, measure_skill(labels, p))
    weighting = getattr(evidence.model, "weighting_", None)
    space = JointSpace.learn(X, p, order_columns(labels.state), weight, weighting)
    features = space.describe_features(X)
    joint = np.hstack([features, space.describe_labels(p)])
    largest = min(joint.shape)
    if not 1 <= n_components <= largest:
        raise ValueError(f"a map of these items has between 1 and {largest} dimensions, not {n_components}.")
    drawn, notes = _draw_landmarks(joint, n_components, max_landmarks, random_state)
    notes = (*notes, *_describe_weight(label_weight, weight))
    back, columns = np.argsort(order), [f"dim{j + 1}" for j in range(n_components)]
    places = drawn[back]
    coordinates = evidence.opened.as_given(pd.DataFrame(places, index=evidence.opened.index, columns=columns))
    return ItemMap(coordinates, places, weight, notes, space, labels[back])


def _validate_parameters(label_weight: float, max_landmarks: int) -> None:
    if not (np.isfinite(label_weight) and label_weight >= 0):
        raise ValueError(f"label_weight must be a number of at least 0, not {label_weight!r}.")
    if max_landmarks < tsne.MIN_ITEMS:
        raise ValueError(f"max_landmarks must be at least {tsne.MIN_ITEMS}, not {max_landmarks!r}.")


def lay_out(joint: Floats, n_components: int, seed: int) -> Floats:
    """Return places by principal components with fixed signs, from which t-SNE starts."""
    first: Floats = PCA(n_components, random_state=seed).fit_transform(joint)
    return first if n_components > 2 or len(joint) < tsne.MIN_ITEMS else tsne.lay_out(joint, first, seed)


def _draw_landmarks(joint: Floats, n_components: int, max_landmarks: int, seed: int) -> tuple[Floats, tuple[str, ...]]:
    """Return the places of all items: random landmarks are laid out, and others placed by their neighbours."""
    n = len(joint)
    if n <= max_landmarks:
        return lay_out(joint, n_components, seed), ()
    chosen: Ints = np.sort(np.random.default_rng(seed).choice(n, max_landmarks, replace=False))
    others, drawn = np.setdiff1d(np.arange(n), chosen), np.empty((n, n_components))
    drawn[chosen] = lay_out(joint[chosen], n_components, seed)
    from halflabel.numerics.layout.placement import place

    drawn[others] = place(joint[chosen], drawn[chosen], joint[others])
    return drawn, (f"{max_landmarks:,} random items were laid out; every other item has the place of its neighbours.",)


def _describe_weight(asked: float, used: float) -> tuple[str, ...]:
    if used >= asked:
        return ()
    if used == 0:
        return ("The map shows the features alone: out-of-fold predictions of the labels have no skill.",)
    return (f"The labels have a weight of {used:.2f} on the map: out-of-fold predictions have hardly any skill.",)
