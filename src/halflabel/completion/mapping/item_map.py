"""A map of the items of a completion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Ints
from halflabel.completion.mapping.defaults import LABEL_WEIGHT, MAX_LANDMARKS
from halflabel.completion.mapping.joint_space import JointSpace, measure_skill, weigh_by_skill
from halflabel.completion.mapping.layouts import METHODS, Scene, choose_method
from halflabel.completion.mapping.regions import Region, name_regions
from halflabel.labels import PartialLabels
from halflabel.methods.canonical_order import order_items
from halflabel.numerics.column_order import order_columns
from halflabel.numerics.layout.tsne import MIN_ITEMS

if TYPE_CHECKING:
    from halflabel.completion.evidence import Evidence


@dataclass(frozen=True, eq=False)
class ItemMap:
    """The items in a small number of dimensions."""

    #: Shape (n_items, n_components). One row per item, with the ids of the items; of the library of the items.
    coordinates: pd.DataFrame
    #: Shape (n_items, n_components). The same numbers.
    places: Floats
    #: A name of :data:`halflabel.completion.mapping.defaults.METHOD_NAMES`.
    method: str
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

    @property
    def region_table(self) -> pd.DataFrame:
        """The regions as a table with one row for each label that names a region.

        Columns: region (a number), centre (the id of an item), items (their number), label, lift (how many times as
        frequent as elsewhere), low, high.
        """
        ids = self.coordinates.index if isinstance(self.coordinates, pd.DataFrame) else range(len(self.places))
        rows = [
            (number, ids[region.centre], region.n_items, each.label, each.lift, each.low, each.high)
            for number, region in enumerate(self.regions)
            for each in region.lifts
        ]
        return pd.DataFrame(rows, columns=["region", "centre", "items", "label", "lift", "low", "high"])


def draw_item_map(
    evidence: Evidence,
    n_components: int = 2,
    *,
    method: str | None = None,
    label_weight: float = LABEL_WEIGHT,
    max_landmarks: int = MAX_LANDMARKS,
    random_state: int = 0,
) -> ItemMap:
    """Draw the items in a small number of dimensions.

    Parameters
    ----------
    method : {"tsne", "ssdrmc", "mddm", "pca"}, optional
        By default t-SNE for at most 2 dimensions and the spectral embedding of SSDR-MC for more.
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
    _validate_parameters(method, label_weight, max_landmarks)
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
    name, notes = (method, ()) if method is not None else choose_method(len(joint), n_components)
    scene = Scene(features, joint, labels, n_components, random_state)
    drawn, notes_of_size = _draw_landmarks(scene, name, max_landmarks)
    notes = (*notes, *notes_of_size, *_describe_weight(label_weight, weight))
    back, columns = np.argsort(order), [f"dim{j + 1}" for j in range(n_components)]
    places = drawn[back]
    coordinates = evidence.opened.as_given(pd.DataFrame(places, index=evidence.opened.index, columns=columns))
    return ItemMap(coordinates, places, name, weight, notes, space, labels[back])


def _validate_parameters(method: str | None, label_weight: float, max_landmarks: int) -> None:
    if method is not None and method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}.")
    if not (np.isfinite(label_weight) and label_weight >= 0):
        raise ValueError(f"label_weight must be a number of at least 0, not {label_weight!r}.")
    if max_landmarks < MIN_ITEMS:
        raise ValueError(f"max_landmarks must be at least {MIN_ITEMS}, not {max_landmarks!r}.")


def _draw_landmarks(scene: Scene, method: str, max_landmarks: int) -> tuple[Floats, tuple[str, ...]]:
    """Return the places of all items: of random landmarks by the method, of others by their neighbours."""
    n = len(scene.joint)
    if n <= max_landmarks:
        return METHODS[method](scene), ()
    chosen: Ints = np.sort(np.random.default_rng(scene.seed).choice(n, max_landmarks, replace=False))
    part = replace(scene, features=scene.features[chosen], joint=scene.joint[chosen], labels=scene.labels[chosen])
    others = np.setdiff1d(np.arange(n), chosen)
    drawn = np.empty((n, scene.n_components))
    drawn[chosen] = METHODS[method](part)
    from halflabel.numerics.layout.placement import place

    drawn[others] = place(part.joint, drawn[chosen], scene.joint[others])
    return drawn, (f"{max_landmarks:,} random items were laid out; every other item has the place of its neighbours.",)


def _describe_weight(asked: float, used: float) -> tuple[str, ...]:
    if used >= asked:
        return ()
    if used == 0:
        return ("The map shows the features alone: out-of-fold predictions of the labels have no skill.",)
    return (f"The labels have a weight of {used:.2f} on the map: out-of-fold predictions have hardly any skill.",)
