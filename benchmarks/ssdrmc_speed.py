"""The stages of SSDR-MC compared with scikit-learn: ratios of medians, measured in one run on one thread.

    python benchmarks/ssdrmc_speed.py [--sets yeast scene tmc2007-500] [--large]

``--large`` measures only seconds and peak memory, on one million items of 32 features with a given graph.
"""

from __future__ import annotations

import resource
import time

import numpy as np
from _common import choose_unlabelled, load_set, make_parser, time_medians, use_one_thread
from sklearn.manifold._locally_linear import barycenter_weights
from sklearn.neighbors import NearestNeighbors
from sklearn.semi_supervised import LabelSpreading

from halflabel import SSDRMC
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.propagation import minimizer
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.numerics.scaling import Scaler


def solve_anchored(W, Y, observed, prior):
    """Solve the anchored form as the estimator does."""
    weight, target = np.where(observed, 1.0, 0.3), np.where(observed, Y, prior)
    return minimizer(W, target, weight, tol=1e-5, max_iter=300)


def label_share(labels, share, rng):
    """Return (values, mask) with a share of the items labelled."""
    unlabelled = choose_unlabelled(len(labels), share, rng)
    return labels.values(unknown=0.0), np.repeat(~unlabelled[:, None], labels.shape[1], axis=1)


def print_stages(name, repeats=5):
    """Print the times of neighbour search, weights and solver, and of the weights of scikit-learn."""
    data, rng = load_set(name), np.random.default_rng(0)
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    X = Scaler.learn(X, "standard")(X).astype(np.float32, order="C")
    Y, observed = label_share(data.Y, 0.1, rng)
    prior = np.repeat(Y[observed[:, 0]].mean(axis=0)[None], len(Y), axis=0)
    [(knn, (indices, _))] = time_medians(repeats, lambda: neighbors(X, 15))
    (weigh, W), (theirs, _) = time_medians(
        repeats, lambda: reconstruction_weights(X, indices), lambda: barycenter_weights(X, X, indices, reg=1e-3)
    )
    [(solve, solution)] = time_medians(repeats, lambda: solve_anchored(W, Y, observed, prior))
    print(f"{name}: {X.shape[0]} x {X.shape[1]}, {Y.shape[1]} labels, 10 % labelled")
    print(f"  neighbours {knn:.3f} s, P + W {weigh:.3f} s, anchored solve {solve:.3f} s ({solution.n_iter} iterations)")
    print(f"  (P + W + solve) / neighbours = {(weigh + solve) / knn:.3f}")
    print(f"  scikit-learn's barycenter weights / (P + W) = {theirs / weigh:.2f}")
    [(whole, _)] = time_medians(1, lambda: SSDRMC().fit(X, np.where(observed, Y, np.nan)))
    print(f"  the whole default fit, anchor and calibration included: {whole:.2f} s")


def compare_with_label_spreading(repeats=5):
    """Print the times of LabelSpreading for each label of Yeast, and of graph and solver for all labels together."""
    data, rng = load_set("yeast"), np.random.default_rng(0)
    X = np.ascontiguousarray(Scaler.learn(data.X, "standard")(data.X))
    Y, observed = label_share(data.Y, 0.1, rng)
    targets = [np.where(observed[:, j], Y[:, j], -1).astype(int) for j in range(Y.shape[1])]
    graph = NearestNeighbors(n_neighbors=15, algorithm="brute").fit(X).kneighbors_graph(X, mode="connectivity")

    def given_graph(A, B):
        return graph if A is B or A.shape == B.shape else graph[: len(A)]

    def ours():
        indices, _ = neighbors(X, 15)
        W = reconstruction_weights(X, indices)
        return solve_anchored(W, Y, observed, np.full(Y.shape, Y[observed[:, 0]].mean()))

    def spread_each(kernel):
        return [LabelSpreading(kernel=kernel, n_neighbors=15, alpha=0.8).fit(X, t) for t in targets]

    (mine, _), (theirs, _), (once, _) = time_medians(
        repeats, ours, lambda: spread_each("knn"), lambda: spread_each(given_graph)
    )
    print(f"yeast, 14 labels: halflabel {mine:.3f} s, LabelSpreading per label {theirs:.3f} s ({theirs / mine:.1f} x)")
    print(f"  with its graph built once {once:.3f} s ({once / mine:.1f} x)")


def print_large():
    """Print seconds and peak memory of weights and 40 iterations on a million items."""
    rng = np.random.default_rng(0)
    n = 1_000_000
    latent = np.sort(rng.random(n)).astype(np.float32)[:, None]
    X = np.hstack([np.sin((j + 1) * 3 * latent) for j in range(32)]).astype(np.float32)
    X += 0.01 * rng.normal(size=X.shape).astype(np.float32)
    # The neighbours are those along the curve, because the search is not timed here.
    offsets = np.concatenate([np.arange(-8, 0), np.arange(1, 8)])
    indices = np.abs(np.arange(n)[:, None] + offsets)
    indices = np.where(indices >= n, 2 * (n - 1) - indices, indices)
    Y = (X[:, :10] > 0).astype(float)
    observed = np.repeat(rng.random((n, 1)) < 0.1, 10, axis=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    started = time.perf_counter()
    W = reconstruction_weights(X, indices)
    weighted = time.perf_counter()
    solution = solve_anchored(W, Y, observed, np.full(Y.shape, 0.5))
    ended = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"1 000 000 x 32, 10 labels: P + W {weighted - started:.1f} s, solve {ended - weighted:.1f} s ", end="")
    print(
        f"({solution.n_iter} iterations, residual {solution.residual:.1e}); peak {peak:.2f} GiB ({before:.2f} before)"
    )


def main():
    """Run everything on one thread."""
    parser = make_parser(__doc__, sets=("yeast", "scene", "tmc2007-500"))
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    with use_one_thread():
        if options.large:
            return print_large()
        for name in options.sets:
            print_stages(name)
        compare_with_label_spreading()


if __name__ == "__main__":
    main()
