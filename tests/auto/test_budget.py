"""What a fit takes of the memory, against what it was reckoned to take."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse

from halflabel import AutoLabeler, PartialLabels
from halflabel.auto.budget import BASE, memory


def task(rng, n, d, n_labels, share, *, entries=False, density=None):
    Z = rng.normal(size=(n, 4))
    X = np.tanh(Z @ rng.normal(size=(4, d))) + rng.normal(size=(n, d))
    if density is not None:
        X = sparse.csr_array(np.where(rng.random(X.shape) < density, X, 0.0))
    state = np.where(np.sin(Z) @ rng.normal(size=(4, n_labels)) > 0.5, 1, -1).astype(np.int8)
    state[np.broadcast_to(rng.random((n, n_labels if entries else 1)) >= share, state.shape)] = 0
    names = tuple(f"label{j}" for j in range(n_labels))
    return X, PartialLabels(state, names, (state != 0).any(axis=1))


@pytest.mark.parametrize(
    ("sizes", "effort"),
    [
        ({"n": 12_000, "d": 20, "n_labels": 300, "share": 0.1}, "fast"),
        ({"n": 6_000, "d": 800, "n_labels": 5, "share": 0.3}, "fast"),
        ({"n": 4_000, "d": 20, "n_labels": 300, "share": 0.2, "entries": True}, "fast"),
        ({"n": 4_000, "d": 20, "n_labels": 400, "share": 0.1}, "default"),
    ],
    ids=["cells", "features", "entries", "graph"],
)
def test_a_fit_takes_what_it_was_reckoned_to_take(rng, sizes, effort):
    X, labels = task(rng, **sizes)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        AutoLabeler(effort).fit(X, labels)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= memory(X, labels, effort) <= 1.6 * peak + BASE


def test_dearer_efforts_take_more(rng):
    X, labels = task(rng, 3_000, 10, 20, 0.5)
    fast, default, best = (memory(X, labels, effort) for effort in ("fast", "default", "best"))
    assert fast < default < best


def test_sparse_features_take_as_much_as_their_entries(rng):
    X, labels = task(rng, 3_000, 2_000, 4, 0.5, density=0.01)
    dense = X.toarray()
    assert memory(X, labels, "fast") < memory(dense, labels, "fast") - dense.nbytes / 2
