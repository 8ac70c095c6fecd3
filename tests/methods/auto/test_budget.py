"""The peak memory of a fit, against its bound."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse

from halflabel import AutoLabeler, PartialLabels
from halflabel.methods.auto.budget import BASE, estimate_memory
from halflabel.methods.auto.effort import DEFAULT_MEMBERS, EFFORTS, TEXT_MEMBERS, Effort


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
    ("sizes", "max_nodes"),
    [
        pytest.param(
            {"n": 2_000, "d": 50, "n_labels": 100, "share": 0.1, "words": True}, 2_000, marks=pytest.mark.slow
        ),
        ({"n": 1_000, "d": 10, "n_labels": 40, "share": 0.1}, 200),
        pytest.param({"n": 1_000, "d": 10, "n_labels": 100, "share": 0.1}, 1_000, marks=pytest.mark.slow),
        pytest.param({"n": 3_000, "d": 800, "n_labels": 3, "share": 0.1}, 400, marks=pytest.mark.slow),
        pytest.param({"n": 1_000, "d": 10, "n_labels": 34, "share": 0.5, "entries": True}, 400, marks=pytest.mark.slow),
        ({"n": 400, "d": 10, "n_labels": 20, "share": 0.5, "positive_only": True}, 200),
        ({"n": 400, "d": 10, "n_labels": 12, "share": 0.5, "grouped": True}, 200),
    ],
    ids=["words", "cells", "graph", "features", "entries", "positive-only", "groups"],
)
def test_the_peak_is_below_the_bound_and_above_a_third_of_it(rng, monkeypatch, sizes, max_nodes):
    """With small samples, so that most of the memory is for arrays that grow with the table."""
    small = Effort(DEFAULT_MEMBERS, 10, 10, 10, 40, max_nodes, 300, TEXT_MEMBERS)
    monkeypatch.setitem(EFFORTS, "default", small)
    for module in ("ridge", "budget"):
        monkeypatch.setattr(f"halflabel.methods.auto.{module}.MAX_ITEMS", 100)
    groups = np.arange(sizes["n"]) // 2 if (grouped := sizes.pop("grouped", False)) else None
    X, labels = task(rng, **sizes)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        AutoLabeler().fit(X, labels, groups=groups)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    estimate = estimate_memory(X, labels, "default", grouped=grouped) - BASE
    assert peak <= estimate <= 3 * peak


def test_a_larger_effort_needs_more_memory(rng):
    X, labels = task(rng, 3_000, 10, 20, 0.5)
    fast, default, best = (estimate_memory(X, labels, effort) for effort in ("fast", "default", "best"))
    assert fast < default < best


def test_sparse_features_need_memory_for_their_entries_only(rng):
    X, labels = task(rng, 3_000, 2_000, 4, 0.5, density=0.01)
    dense = X.toarray()
    assert estimate_memory(X, labels, "fast") < estimate_memory(dense, labels, "fast") - dense.nbytes / 2
