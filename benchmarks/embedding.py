"""Micro-F1 of a 15-nearest-neighbour vote on embeddings, and the time of the eigenvectors.

Protocol: 35 % of the items keep all their labels. For the other items, the 15 nearest labelled items in d dimensions
vote, and a share of 0.3 of the votes is enough. "features" is the spectral embedding of the weights of SSDR-MC;
"anchored" is that of weights which also reconstruct the soft scores of a fit without the hidden labels (alpha = .5).
The seeds 100 to 109 are used for nothing else.

    python benchmarks/embedding.py [--repeats 10] [--umap] [--time]
"""

from __future__ import annotations

import numpy as np
from _common import choose_unlabelled, load_set, make_parser, time_medians, use_one_thread
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.manifold._locally_linear import null_space
from sklearn.neighbors import NearestNeighbors

from halflabel import SSDRMC, PartialLabels
from halflabel.labels.metrics import micro_f1
from halflabel.numerics.graph.embedding import spectral_embedding
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.numerics.scaling import Scaler

DIMENSIONS = (2, 5, 10)
K = 15
SHARE = 0.35


def score_vote(coordinates, Y, labels, hidden):
    """Return micro-F1 of the vote on the hidden rows."""
    search = NearestNeighbors(n_neighbors=K).fit(coordinates[~hidden])
    near = search.kneighbors(coordinates[hidden], return_distance=False)
    prediction = np.zeros(Y.shape, dtype=int)
    prediction[hidden] = Y[~hidden][near].mean(axis=1) >= 0.3
    return micro_f1(labels.hide(np.broadcast_to(~hidden[:, None], Y.shape)), prediction)


def embed(W, d):
    """Return coordinates of the spectral embedding."""
    return spectral_embedding(W, d, rng=np.random.default_rng(0)).coordinates


def embed_features(X, with_umap):
    """Return {method: {d: coordinates}} of the methods that use features only."""
    indices, _ = neighbors(X, K)
    W = reconstruction_weights(X, indices)
    methods = {
        "all features": lambda d: X,
        "PCA": lambda d: PCA(d, random_state=0).fit_transform(X),
        "LLE (sklearn)": lambda d: LocallyLinearEmbedding(
            n_neighbors=K, n_components=d, eigen_solver="dense"
        ).fit_transform(X),
        "features": lambda d: embed(W, d),
    }
    if with_umap:
        from umap import UMAP

        methods["UMAP"] = lambda d: UMAP(n_neighbors=K, n_components=d, random_state=0, n_jobs=1).fit_transform(X)
    return {name: {d: method(d) for d in DIMENSIONS} for name, method in methods.items()}


def weigh_scores(raw, X, labels, hidden, alpha=0.5):
    """Return the weights that reconstruct features and transductive soft scores."""
    model = SSDRMC().fit(raw, labels.hide(np.broadcast_to(hidden[:, None], labels.shape)))
    indices, _ = neighbors(X, K)
    return reconstruction_weights(X, indices, scores=np.nan_to_num(model.label_scores_), alpha=alpha)


def print_accuracy(name, repeats, scale, with_umap):
    """Print one line per method."""
    data = load_set(name)
    labels = PartialLabels.from_table(data.Y.values())
    Y = labels.values(unknown=0.0)
    X = Scaler.learn(data.X, scale)(data.X)
    fixed = embed_features(X, with_umap)
    results = {method: [] for method in [*fixed, "anchored"]}
    for seed in range(100, 100 + repeats):
        hidden = choose_unlabelled(len(labels), SHARE, np.random.default_rng(seed))
        W = weigh_scores(data.X, X, labels, hidden)
        for method, per_d in [*fixed.items(), ("anchored", {d: embed(W, d) for d in DIMENSIONS})]:
            results[method].append([score_vote(per_d[d], Y, labels, hidden) for d in DIMENSIONS])
    for method, runs in results.items():
        mean, sd = np.mean(runs, axis=0), np.std(runs, axis=0, ddof=1)
        cells = "  ".join(f"{m:.4f} ({s:.4f})" for m, s in zip(mean, sd, strict=True))
        print(f"{name:6} {scale!s:8} {method:14} {cells}", flush=True)


def print_times(n=10_000, d=10):
    """Print the seconds of d eigenvectors of a 3-D manifold in 32 dimensions, of halflabel and of scikit-learn."""
    rng = np.random.default_rng(0)
    Z, B = rng.uniform(size=(n, 3)), rng.normal(size=(3, 32))
    X = np.hstack([Z @ B[:, :16], np.sin(2 * Z @ B[:, 16:])])
    indices, _ = neighbors(X, K)
    A = sparse.eye_array(n, format="csr") - reconstruction_weights(X, indices)
    (ours_s, ours), (theirs_s, (theirs, _)) = time_medians(
        1,
        lambda: spectral_embedding(sparse.csr_array(sparse.eye_array(n) - A), d, rng=rng),
        lambda: null_space((A.T @ A).tocsr(), d, k_skip=1, eigen_solver="arpack", random_state=0),
    )
    cosine = np.linalg.svd(theirs.T @ ours.coordinates / np.sqrt(n), compute_uv=False).min()
    print(f"n={n}, d={d}: halflabel {ours_s:.2f} s, scikit-learn {theirs_s:.2f} s, cosine of the spans {cosine:.8f}")


def main():
    """Print the table."""
    parser = make_parser(__doc__, sets=("scene", "yeast"), repeats=10)
    parser.add_argument("--scale", choices=["standard", "none"], default="standard")
    parser.add_argument("--umap", action="store_true", help="needs umap-learn")
    parser.add_argument("--time", action="store_true", help="the eigenvectors of 10 000 items as well")
    options = parser.parse_args()
    print(f"set    scale    method         d = {DIMENSIONS}: mean (sd) of {options.repeats} splits")
    with use_one_thread():
        for name in options.sets:
            print_accuracy(name, options.repeats, None if options.scale == "none" else "standard", options.umap)
        if options.time:
            print_times()


if __name__ == "__main__":
    main()
