"""What a fit takes of the memory, against what it was reckoned to take."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse

from halflabel import AutoLabeler, PartialLabels
from halflabel.methods.auto.budget import BASE, memory
from halflabel.methods.auto.task import EFFORTS, POOL, Effort


def task(rng, n, d, n_labels, share, *, entries=False, density=None, words=False, positive_only=False):
    Z = rng.normal(size=(n, 4))
    X = np.tanh(Z @ rng.normal(size=(4, d))) + rng.normal(size=(n, d))
    if density is not None:
        X = sparse.csr_array(np.where(rng.random(X.shape) < density, X, 0.0))
    if words:
        X = np.maximum(X - 2, 0)
    state = np.where(np.sin(Z) @ rng.normal(size=(4, n_labels)) > 0.5, 1, -1).astype(np.int8)
    state[np.broadcast_to(rng.random((n, n_labels if entries else 1)) >= share, state.shape)] = 0
    names = tuple(f"label{j}" for j in range(n_labels))
    annotated = (state != 0).any(axis=1)
    return X, PartialLabels(np.maximum(state, 0) if positive_only else state, names, annotated, positive_only)


@pytest.mark.parametrize(
    ("sizes", "n_nodes"),
    [
        ({"n": 2_000, "d": 50, "n_labels": 100, "share": 0.1, "words": True}, 2_000),
        ({"n": 4_000, "d": 10, "n_labels": 100, "share": 0.1}, 400),
        ({"n": 2_000, "d": 10, "n_labels": 100, "share": 0.1}, 2_000),
        ({"n": 3_000, "d": 800, "n_labels": 3, "share": 0.1}, 400),
        ({"n": 1_000, "d": 10, "n_labels": 34, "share": 0.5, "entries": True}, 400),
        ({"n": 2_000, "d": 10, "n_labels": 50, "share": 0.5, "positive_only": True}, 400),
        ({"n": 2_000, "d": 10, "n_labels": 30, "share": 0.9, "grouped": True}, 400),
    ],
    ids=["words", "cells", "graph", "features", "entries", "positive-only", "groups"],
)
def test_a_fit_takes_what_it_was_reckoned_to_take(rng, monkeypatch, sizes, n_nodes):
    """With small samples, so that what grows with the table is nearly all there is."""
    monkeypatch.setitem(EFFORTS, "default", Effort(POOL, 10, 40, n_nodes, 300, EFFORTS["default"].guests))
    monkeypatch.setattr("halflabel.methods.auto.ridge.FEW", 100)
    groups = np.arange(sizes["n"]) // 2 if (grouped := sizes.pop("grouped", False)) else None
    X, labels = task(rng, **sizes)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        AutoLabeler().fit(X, labels, groups=groups)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    reckoned = memory(X, labels, "default", grouped=grouped) - BASE
    assert peak <= reckoned <= 1.5 * peak


def test_dearer_efforts_take_more(rng):
    X, labels = task(rng, 3_000, 10, 20, 0.5)
    fast, default, best = (memory(X, labels, effort) for effort in ("fast", "default", "best"))
    assert fast < default < best


def test_sparse_features_take_as_much_as_their_entries(rng):
    X, labels = task(rng, 3_000, 2_000, 4, 0.5, density=0.01)
    dense = X.toarray()
    assert memory(X, labels, "fast") < memory(dense, labels, "fast") - dense.nbytes / 2
