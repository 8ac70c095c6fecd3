"""t-SNE of coordinates, by openTSNE, from our own search for neighbours."""

from __future__ import annotations

from concurrent.futures import Future
from threading import Event, Thread
from typing import Any

import numpy as np

from halflabel._arrays import Floats, Ints
from halflabel._progress import step
from halflabel.numerics.graph.neighbors import neighbors

#: The effective number of neighbours of an item, and the number of searched neighbours for each effective one.
PERPLEXITY, NEIGHBORS_PER_PERPLEXITY = 30, 3

#: The factor of all attractions in the first phase.
EXAGGERATION = 12

#: Iterations of the two phases. More iterations spread a map, and hardly change its neighbourhoods.
ITERATIONS = (50, 150)

#: Accuracy of Barnes and Hut's approximation of the repulsions. The default of openTSNE takes twice the time.
THETA = 0.8

#: Maximum number of items for the tree of Barnes and Hut. Above it, interpolation on a grid takes less time.
MAX_TREE = 5000

#: Number of iterations after which a phase ends if there was an interrupt.
CHECK_EVERY = 10

#: Minimum number of items of a t-SNE.
MIN_ITEMS = 10

#: Standard deviation of the first coordinate before the first iteration.
START = 1e-4


def lay_out(Z: Floats, start: Floats, seed: int) -> Floats:
    """Return coordinates in which neighbours in ``Z`` are neighbours, t-SNE (van der Maaten & Hinton 2008).

    Attractions act between the 90 nearest neighbours, from our own exact search, with a perplexity of 30. One thread
    computes them, so that one seed has one result. Z has at least :data:`MIN_ITEMS` items. ``start`` is the first
    layout, of any scale, and has the shape of the result.

    References
    ----------
    .. [1] L. van der Maaten and G. Hinton, "Visualizing data using t-SNE", JMLR 2008.
    .. [2] P. Poličar, M. Stražar and B. Zupan, "openTSNE: a modular Python library for t-SNE", JSS 2024.
    """
    from openTSNE import TSNEEmbedding  # most commands draw no map

    method = "bh" if len(Z) <= MAX_TREE else "fft"
    scaled = start * (START / max(float(start[:, 0].std()), np.finfo(float).tiny))
    affinities = _attract(*_search(Z))
    embedding = TSNEEmbedding(
        scaled, affinities, negative_gradient_method=method, theta=THETA, n_jobs=1, random_state=seed
    )
    early, main = ITERATIONS
    step("drawing the map", 0, early + main)
    embedding = _optimize(embedding, early, exaggeration=EXAGGERATION, momentum=0.8, learning_rate="auto")
    step("drawing the map", early, early + main)
    embedding = _optimize(embedding, main, exaggeration=1, momentum=0.8, learning_rate="auto")
    step("drawing the map", early + main, early + main)
    return np.array(embedding, dtype=np.float64)


def _optimize(embedding: Any, iterations: int, **phase: Any) -> Any:
    """Optimise in a thread, which no signal interrupts: openTSNE crashes if one comes while it makes a tree."""
    optimized: Future[Any] = Future()
    stopped = Event()
    options = {"callbacks": lambda *_: stopped.is_set(), "callbacks_every_iters": CHECK_EVERY, **phase}

    def optimize() -> None:
        try:
            optimized.set_result(embedding.optimize(iterations, **options))
        except BaseException as error:  # the thread that waits for the result raises the error
            optimized.set_exception(error)

    try:
        Thread(target=optimize).start()  # the interpreter waits for it before it ends
        return optimized.result()
    finally:
        stopped.set()


def _search(Z: Floats) -> tuple[Ints, Floats]:
    return neighbors(Z, min(PERPLEXITY * NEIGHBORS_PER_PERPLEXITY, len(Z) - 1))


def _attract(indices: Ints, distances: Floats) -> object:
    """Return openTSNE's affinities of neighbours that were found before."""
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    perplexity = indices.shape[1] / NEIGHBORS_PER_PERPLEXITY
    index = PrecomputedNeighbors(indices.astype(np.int64), distances.astype(np.float64))
    return PerplexityBasedNN(knn_index=index, perplexity=perplexity, n_jobs=1)
