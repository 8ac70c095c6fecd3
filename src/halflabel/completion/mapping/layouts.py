"""The methods that draw a map, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from sklearn.decomposition import PCA

from halflabel._arrays import Floats
from halflabel.completion.mapping.defaults import METHOD_NAMES
from halflabel.labels import PartialLabels
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.layout import tsne

#: Number of neighbours in the graph of SSDR-MC.
NEIGHBORS = 15


@dataclass(frozen=True, eq=False)
class Scene:
    """The input of a layout."""

    features: Floats  #: Shape (n_items, n_features). The features without the labels.
    joint: Floats  #: Shape (n_items, n_coordinates). Features and log odds of the labels.
    labels: PartialLabels
    n_components: int
    seed: int


def draw_pca(scene: Scene) -> Floats:
    """Return the principal components of features and labels, with fixed signs."""
    return np.asarray(PCA(scene.n_components, random_state=scene.seed).fit_transform(scene.joint))


def draw_tsne(scene: Scene) -> Floats:
    """Return the t-SNE of features and labels, which starts from their principal components."""
    return tsne.lay_out(scene.joint, draw_pca(scene), scene.seed)


def draw_ssdrmc(scene: Scene) -> Floats:
    """Return the spectral embedding of the weights that rebuild features and label scores from neighbours."""
    from halflabel.numerics.graph.embedding import spectral_embedding  # imported here, as below: another map draws
    from halflabel.numerics.graph.weights import reconstruction_weights

    W = reconstruction_weights(scene.joint, neighbors(scene.joint, NEIGHBORS, ties="index")[0])
    return spectral_embedding(W, scene.n_components, rng=np.random.default_rng(scene.seed)).coordinates


def draw_mddm(scene: Scene) -> Floats:
    """Return the projection of the features that depends most on the labels."""
    from halflabel.methods.mddm import MDDM

    model = MDDM(n_components=scene.n_components, null_space="variance", random_state=scene.seed)
    return np.asarray(model.fit(scene.features, scene.labels).transform(scene.features))


#: The methods by their names.
METHODS: Mapping[str, Callable[[Scene], Floats]] = MappingProxyType(
    dict(zip(METHOD_NAMES, (draw_tsne, draw_ssdrmc, draw_mddm, draw_pca), strict=True))
)


def choose_method(n_items: int, n_components: int) -> tuple[str, tuple[str, ...]]:
    """Return the default method, and a sentence if it is not t-SNE."""
    if n_items < tsne.MIN_ITEMS:
        return "pca", (f"Fewer than {tsne.MIN_ITEMS} items are drawn by their principal components.",)
    if n_components > 2:
        why = f"t-SNE draws at most 2 dimensions; the {n_components} dimensions are the spectral embedding of SSDR-MC."
        return "ssdrmc", (why,)
    return "tsne", ()
