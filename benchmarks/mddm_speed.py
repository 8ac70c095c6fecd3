"""MDDM against the dense D x D eigenproblem: ratios of medians measured in one run, one thread.

    python benchmarks/mddm_speed.py [--gaps]

``--gaps`` measures instead how the scale of labels with gaps is chosen: the share of the best attainable dependence on
the *complete* labels that three directions carry, when the labels' observed shares are drawn from .01 to 1.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import linalg, sparse
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

from halflabel.datasets import load_benchmark
from halflabel.methods.mddm import MDDM
from halflabel.methods.mddm.dependence import cross_covariance, directions, linear_factor

FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def median_seconds(repeats, *functions):
    """Return the median wall seconds and the last answer of each function; they take turns, so that noise is shared."""
    seconds, answers = np.empty((repeats, len(functions))), [None] * len(functions)
    for repeat in range(repeats):
        for k, function in enumerate(functions):
            started = time.perf_counter()
            answers[k] = function()
            seconds[repeat, k] = time.perf_counter() - started
    return zip(np.median(seconds, axis=0), answers, strict=True)


def dense_route(X, Y, d):
    """From dense X and Y to P: X'HLHX formed as a D x D matrix, then all its eigenvectors."""
    S = (X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0))
    return linalg.eigh(S @ S.T)[1][:, ::-1][:, :d]


def thin_route(X, Y):
    """From X and Y to P as the estimator does."""
    C = linear_factor(Y, np.ones(Y.shape, bool))
    S, size = cross_covariance(X, C)
    return directions(S, size * linalg.norm(C))[0]


def tmc(repeats):
    """Print the ratio of the eigen steps on tmc2007-500, and of the whole fit."""
    data = load_benchmark("tmc2007-500", FOLDER)
    Y, X = data.Y.values(), data.X
    dense = X.toarray()
    (thin, P), (full, E), (thin_dense, _), (fit, _) = median_seconds(
        repeats,
        lambda: thin_route(X, Y),
        lambda: dense_route(dense, Y, Y.shape[1]),
        lambda: thin_route(dense, Y),
        lambda: MDDM().fit(X, data.Y),
    )
    print(f"tmc2007-500: {X.shape[0]} x {X.shape[1]}, {Y.shape[1]} labels, {X.nnz} values that are not 0")
    print(f"  X, Y -> P: thin {thin:.4f} s, dense D x D {full:.4f} s: {full / thin:.1f} x; ", end="")
    print(f"largest principal angle {linalg.subspace_angles(P, E[:, : P.shape[1]]).max():.1e}")
    print(f"  thin from dense X, centring included, {thin_dense:.4f} s: {full / thin_dense:.1f} x")
    print(f"  a whole fit, validation included, {fit:.4f} s: {full / fit:.1f} x")


def rbf_labels(rows=2000):
    """Print the seconds of the RBF label kernel on all items, and its distance from the N x N form on some."""
    data = load_benchmark("tmc2007-500", FOLDER)
    n_sets = len(np.unique(data.Y.state, axis=0))
    [(seconds, model)] = median_seconds(1, lambda: MDDM(label_kernel="rbf").fit(data.X, data.Y))
    print(f"tmc2007-500, RBF label kernel: {n_sets} label sets, {seconds:.2f} s, rank {model.rank_}, ", end="")
    some = np.random.default_rng(0).permutation(len(data.Y))[:rows]
    X, labels = data.X[some].toarray(), data.Y[some]
    model = MDDM(threshold=1, label_kernel="rbf").fit(X, labels)
    Xc, L = X - X.mean(axis=0), rbf_kernel(labels.values())
    M = Xc.T @ L @ Xc
    ours = (model.components_.T * model.eigenvalues_[: model.n_components_]) @ model.components_
    values = linalg.eigvalsh(M)[::-1][: model.n_components_]
    print(f"d = {model.n_components_}")
    print(
        f"  {rows} items against N x N: |difference| / |X'HLHX| = {linalg.norm(ours - M) / linalg.norm(M):.1e}, ",
        end="",
    )
    print(f"eigenvalues {np.abs(model.eigenvalues_[: len(values)] - values).max() / values[0]:.1e} of the largest")


def large():
    """Print seconds and memory of the fit on yahoo-arts-full, in a process that holds nothing else."""
    data = load_benchmark("yahoo-arts-full", FOLDER)
    with tempfile.TemporaryDirectory() as folder:
        sparse.save_npz(Path(folder) / "X.npz", sparse.csr_matrix(data.X))
        np.save(Path(folder) / "Y.npy", data.Y.values())
        subprocess.run([sys.executable, __file__, "--child", folder], check=True)
    D = data.X.shape[1]
    print(f"  one D x D matrix would take {8 * D * D / 1e9:.2f} GB (computed)")


def child(folder):
    """Fit what ``large`` stored; the first fit, with nothing warm."""
    X, Y = sparse.load_npz(folder / "X.npz"), np.load(folder / "Y.npy")
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far; ru_maxrss would remember the parent's
    before = kilobytes("VmRSS")
    started = time.perf_counter()
    model = MDDM().fit(X, Y)
    seconds = time.perf_counter() - started
    growth = kilobytes("VmHWM") - before
    print(
        f"yahoo-arts-full: {X.shape[0]} x {X.shape[1]} sparse, d = {model.n_components_}: fit {seconds:.3f} s, ", end=""
    )
    print(f"peak memory {growth / 1e3:+.0f} MB over {before / 1e3:.0f} MB")


def kilobytes(name):
    """Return a line of Linux's account of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def gaps(splits=10, d=3):
    """Print the share of the best attainable dependence by the power of (N - 1)/(n_j - 1) that scales label j."""
    print("share of the best dependence, mean (standard error), by power of (N - 1)/(n_j - 1): 0, 0.5, 1")
    for name in ("yeast", "scene", "emotions", "yahoo-arts", "yahoo-health"):
        data = load_benchmark(name, FOLDER)
        X, Y = data.X, data.Y.values()
        S, _ = cross_covariance(X, linear_factor(Y, np.ones(Y.shape, bool)))
        best = (linalg.svdvals(S)[:d] ** 2).sum()
        shares = np.array([gap_run(X, Y, S, d, seed) for seed in range(splits)]) / best
        error = shares.std(axis=0, ddof=1) / np.sqrt(splits)
        print(f"  {name:13}", "  ".join(f"{m:.3f} ({e:.3f})" for m, e in zip(shares.mean(axis=0), error, strict=True)))


def gap_run(X, Y, S, d, seed):
    """Hide entries, each label's share at random, and return the dependence on all of Y per power."""
    rng = np.random.default_rng(seed)
    observed = rng.random(Y.shape) < np.exp(rng.uniform(np.log(0.01), 0, Y.shape[1]))
    C = linear_factor(Y * observed, observed)  # holds the power 0.5
    ratio = (observed.any(axis=1).sum() - 1) / np.maximum(observed.sum(axis=0) - 1, 1)
    with_gaps, _ = cross_covariance(X, C)
    found = [linalg.svd(with_gaps * ratio ** (power - 0.5), full_matrices=False)[0][:, :d] for power in (0, 0.5, 1)]
    return [((P.T @ S) ** 2).sum() for P in found]


def main():
    """Run everything on one thread."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gaps", action="store_true")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with threadpool_limits(1):
        if options.child:
            child(options.child)
        elif options.gaps:
            gaps()
        else:
            tmc(15)
            rbf_labels()
            large()


if __name__ == "__main__":
    main()
