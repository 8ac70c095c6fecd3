"""Stages of SSDR-MC against what a user could pick instead: ratios of medians measured in one run, one thread.

    python benchmarks/ssdrmc_speed.py [--large]

``--large`` takes one million items of 32 features with their graph given instead: seconds and peak memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.manifold._locally_linear import barycenter_weights
from sklearn.neighbors import NearestNeighbors
from sklearn.semi_supervised import LabelSpreading
from threadpoolctl import threadpool_limits

from halflabel import SSDRMC
from halflabel.datasets import load_benchmark
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.propagation import minimizer
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.numerics.scaling import Scaler

FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def median_seconds(function, repeats=5):
    """Return the median of the wall seconds of a few calls, and the last answer."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        answer = function()
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds)), answer


def anchored(W, Y, observed, prior):
    """Solve the anchored form as the estimator does."""
    weight, target = np.where(observed, 1.0, 0.3), np.where(observed, Y, prior)
    return minimizer(W, target, weight, tol=1e-5, max_iter=300)


def half(labels, share, rng):
    """Return (values, mask) with a share of the items labelled."""
    observed = np.zeros(labels.shape, bool)
    observed[rng.permutation(len(labels))[: round(share * len(labels))]] = True
    return labels.values(unknown=0.0), observed


def stages(name, repeats):
    """Print neighbour search, weights and solve, and scikit-learn's weights."""
    data, rng = load_benchmark(name, FOLDER), np.random.default_rng(0)
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    X = Scaler.learn(X, "standard")(X).astype(np.float32, order="C")
    Y, observed = half(data.Y, 0.1, rng)
    prior = np.repeat(Y[observed[:, 0]].mean(axis=0)[None], len(Y), axis=0)
    knn, (indices, _) = median_seconds(lambda: neighbors(X, 15), repeats)
    weigh, W = median_seconds(lambda: reconstruction_weights(X, indices), repeats)
    solve, solution = median_seconds(lambda: anchored(W, Y, observed, prior), repeats)
    theirs, _ = median_seconds(lambda: barycenter_weights(X, X, indices, reg=1e-3), repeats)
    print(f"{name}: {X.shape[0]} x {X.shape[1]}, {Y.shape[1]} labels, 10 % labelled")
    print(f"  neighbours {knn:.3f} s, P + W {weigh:.3f} s, anchored solve {solve:.3f} s ({solution.n_iter} iterations)")
    print(f"  (P + W + solve) / neighbours = {(weigh + solve) / knn:.3f}")
    print(f"  scikit-learn's barycenter weights / (P + W) = {theirs / weigh:.2f}")
    whole, _ = median_seconds(lambda: quiet_fit(X, Y, observed), 1)
    print(f"  the whole default fit, prior and calibration included: {whole:.2f} s")


def quiet_fit(X, Y, observed):
    """Fit the default."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SSDRMC().fit(X, np.where(observed, Y, np.nan))


def against_label_spreading(repeats):
    """Print LabelSpreading label by label on Yeast against neighbours + weights + anchored solve of all labels."""
    data, rng = load_benchmark("yeast", FOLDER), np.random.default_rng(0)
    X = np.ascontiguousarray(Scaler.learn(data.X, "standard")(data.X))
    Y, observed = half(data.Y, 0.1, rng)
    targets = [np.where(observed[:, j], Y[:, j], -1).astype(int) for j in range(Y.shape[1])]
    graph = NearestNeighbors(n_neighbors=15, algorithm="brute").fit(X).kneighbors_graph(X, mode="connectivity")

    def given_graph(A, B):
        return graph if A is B or A.shape == B.shape else graph[: len(A)]

    def ours():
        indices, _ = neighbors(X, 15)
        W = reconstruction_weights(X, indices)
        return anchored(W, Y, observed, np.full(Y.shape, Y[observed[:, 0]].mean()))

    def loop(kernel):
        return [LabelSpreading(kernel=kernel, n_neighbors=15, alpha=0.8).fit(X, t) for t in targets]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine, _ = median_seconds(ours, repeats)
        theirs, _ = median_seconds(lambda: loop("knn"), repeats)
        once, _ = median_seconds(lambda: loop(given_graph), repeats)
    print(f"yeast, all 14 labels: ours {mine:.3f} s, LabelSpreading one by one {theirs:.3f} s ({theirs / mine:.1f} x)")
    print(f"  with its graph built once {once:.3f} s ({once / mine:.1f} x)")


def large():
    """Print seconds and peak memory of weights and 40 iterations on a million items."""
    rng = np.random.default_rng(0)
    n = 1_000_000
    latent = np.sort(rng.random(n)).astype(np.float32)[:, None]
    X = np.hstack([np.sin((j + 1) * 3 * latent) for j in range(32)]).astype(np.float32)
    X += 0.01 * rng.normal(size=X.shape).astype(np.float32)
    # Neighbours along the curve stand in for a search, which is not what is timed.
    offsets = np.concatenate([np.arange(-8, 0), np.arange(1, 8)])
    indices = np.abs(np.arange(n)[:, None] + offsets)
    indices = np.where(indices >= n, 2 * (n - 1) - indices, indices)
    Y = (X[:, :10] > 0).astype(float)
    observed = np.repeat(rng.random((n, 1)) < 0.1, 10, axis=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    started = time.perf_counter()
    W = reconstruction_weights(X, indices)
    weighed = time.perf_counter()
    solution = anchored(W, Y, observed, np.full(Y.shape, 0.5))
    ended = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"1 000 000 x 32, 10 labels: P + W {weighed - started:.1f} s, solve {ended - weighed:.1f} s ", end="")
    print(
        f"({solution.n_iter} iterations, residual {solution.residual:.1e}); peak {peak:.2f} GiB ({before:.2f} before)"
    )


def main():
    """Run everything on one thread."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    with threadpool_limits(1):
        if options.large:
            large()
            return
        stages("yeast", 7)
        stages("scene", 7)
        against_label_spreading(5)
        stages("tmc2007-500", 3)


if __name__ == "__main__":
    main()
