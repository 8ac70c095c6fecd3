"""Micro-F1 of a 15-nearest-neighbour vote on embeddings, and the time of the eigenvectors.

Protocol: 35 % of the items keep all their labels; the vote of the 15 nearest of them in d dimensions, cut at 0.3, is
scored on the others. "features" is the spectral embedding of SSDR-MC's weights; "anchored" that of weights which also
rebuild the soft scores of a fit that never saw a hidden label (alpha = .5). Seeds 100-109 were used for nothing else.

    python benchmarks/embedding.py [--splits 10] [--umap] [--time]
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.manifold._locally_linear import null_space
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from halflabel import SSDRMC, PartialLabels
from halflabel.datasets import load_benchmark
from halflabel.labels.metrics import micro_f1
from halflabel.numerics.graph.embedding import spectral_embedding
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.numerics.scaling import Scaler

DIMENSIONS = (2, 5, 10)
K = 15
FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def unlabelled(n, seed, share=0.35):
    """Tell which items lose their labels."""
    order = np.random.default_rng(seed).permutation(n)
    return ~np.isin(np.arange(n), order[: round(share * n)])


def vote(coordinates, Y, labels, hidden):
    """Return micro-F1 of the vote on the hidden rows."""
    search = NearestNeighbors(n_neighbors=K).fit(coordinates[~hidden])
    near = search.kneighbors(coordinates[hidden], return_distance=False)
    answer = np.zeros(Y.shape, dtype=int)
    answer[hidden] = Y[~hidden][near].mean(axis=1) >= 0.3
    return micro_f1(labels.hide(np.broadcast_to(~hidden[:, None], Y.shape)), answer)


def spectral(W, d):
    """Return coordinates of the spectral embedding."""
    return spectral_embedding(W, d, rng=np.random.default_rng(0)).coordinates


def unsupervised(X, with_umap):
    """Return {method: {d: coordinates}} of the methods that see features only."""
    indices, _ = neighbors(X, K)
    W = reconstruction_weights(X, indices)
    methods = {
        "all features": lambda d: X,
        "PCA": lambda d: PCA(d, random_state=0).fit_transform(X),
        "LLE (sklearn)": lambda d: LocallyLinearEmbedding(
            n_neighbors=K, n_components=d, eigen_solver="dense"
        ).fit_transform(X),
        "features": lambda d: spectral(W, d),
    }
    if with_umap:
        from umap import UMAP

        methods["UMAP"] = lambda d: UMAP(n_neighbors=K, n_components=d, random_state=0, n_jobs=1).fit_transform(X)
    return {name: {d: method(d) for d in DIMENSIONS} for name, method in methods.items()}


def anchored(raw, X, labels, hidden, alpha=0.5):
    """Return the weights that rebuild features and transductive soft scores."""
    model = SSDRMC().fit(raw, labels.hide(np.broadcast_to(hidden[:, None], labels.shape)))
    indices, _ = neighbors(X, K)
    return reconstruction_weights(X, indices, scores=np.nan_to_num(model.label_scores_), alpha=alpha)


def accuracy(name, splits, scale, with_umap):
    """Print one line per method."""
    data = load_benchmark(name, FOLDER)
    labels = PartialLabels.from_table(data.Y.values())
    Y = labels.values(unknown=0.0)
    X = Scaler.learn(data.X, scale)(data.X)
    fixed = unsupervised(X, with_umap)
    results = {method: [] for method in [*fixed, "anchored"]}
    for seed in range(100, 100 + splits):
        hidden = unlabelled(len(labels), seed)
        W = anchored(data.X, X, labels, hidden)
        for method, per_d in [*fixed.items(), ("anchored", {d: spectral(W, d) for d in DIMENSIONS})]:
            results[method].append([vote(per_d[d], Y, labels, hidden) for d in DIMENSIONS])
    for method, runs in results.items():
        mean, sd = np.mean(runs, axis=0), np.std(runs, axis=0, ddof=1)
        cells = "  ".join(f"{m:.4f} ({s:.4f})" for m, s in zip(mean, sd, strict=True))
        print(f"{name:6} {scale!s:8} {method:14} {cells}", flush=True)


def timing(n=10_000, d=10):
    """Print the seconds of d eigenvectors of a 3-D manifold in 32 dimensions, ours and scikit-learn's."""
    rng = np.random.default_rng(0)
    Z, B = rng.uniform(size=(n, 3)), rng.normal(size=(3, 32))
    X = np.hstack([Z @ B[:, :16], np.sin(2 * Z @ B[:, 16:])])
    indices, _ = neighbors(X, K)
    A = sparse.eye_array(n, format="csr") - reconstruction_weights(X, indices)
    start = time.perf_counter()
    ours = spectral_embedding(sparse.csr_array(sparse.eye_array(n) - A), d, rng=rng)
    ours_s = time.perf_counter() - start
    start = time.perf_counter()
    theirs, _ = null_space((A.T @ A).tocsr(), d, k_skip=1, eigen_solver="arpack", random_state=0)
    theirs_s = time.perf_counter() - start
    angle = np.linalg.svd(theirs.T @ ours.coordinates / np.sqrt(n), compute_uv=False).min()
    print(f"n={n}, d={d}: ours {ours_s:.2f} s, scikit-learn's {theirs_s:.2f} s, least cosine between spans {angle:.8f}")


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--sets", nargs="*", default=["scene", "yeast"])
    parser.add_argument("--scale", choices=["standard", "none"], default="standard")
    parser.add_argument("--umap", action="store_true", help="needs umap-learn")
    parser.add_argument("--time", action="store_true", help="the eigenvectors of 10 000 items as well")
    arguments = parser.parse_args()
    print(f"set    scale    method         d = {DIMENSIONS}: mean (sd) of {arguments.splits} splits")
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for name in arguments.sets:
            accuracy(name, arguments.splits, None if arguments.scale == "none" else "standard", arguments.umap)
        if arguments.time:
            timing()


if __name__ == "__main__":
    main()
