"""MDDM compared with the dense D x D eigenproblem: ratios of medians, measured in one run on one thread.

    python benchmarks/mddm_speed.py [--gaps]

``--gaps`` measures the scale of labels with gaps instead: the observed share of each label is random between .01 and 1,
and the number is the dependence of three directions on the *complete* labels, as a share of the best attainable one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from _common import load_set, make_parser, time_medians, use_one_thread
from scipy import linalg, sparse
from sklearn.metrics.pairwise import rbf_kernel

from halflabel.methods.mddm import MDDM
from halflabel.methods.mddm.dependence import cross_covariance, directions, label_covariance, linear_factor


def project_dense(X, Y, d):
    """Return P from dense X and Y: all eigenvectors of the D x D matrix X'HLHX."""
    S = (X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0))
    return linalg.eigh(S @ S.T)[1][:, ::-1][:, :d]


def project_thin(X, Y):
    """Return P from X and Y as the estimator does."""
    return directions(*label_covariance(X, Y, np.ones(Y.shape, bool)))[0]


def print_tmc(repeats):
    """Print the ratio of the eigen steps on tmc2007-500, and of the whole fit."""
    data = load_set("tmc2007-500")
    Y, X = data.Y.values(), data.X
    dense = X.toarray()
    (thin, P), (full, E), (thin_dense, _), (fit, _) = time_medians(
        repeats,
        lambda: project_thin(X, Y),
        lambda: project_dense(dense, Y, Y.shape[1]),
        lambda: project_thin(dense, Y),
        lambda: MDDM().fit(X, data.Y),
    )
    print(f"tmc2007-500: {X.shape[0]} x {X.shape[1]}, {Y.shape[1]} labels, {X.nnz} nonzero values")
    print(f"  X, Y -> P: thin {thin:.4f} s, dense D x D {full:.4f} s: {full / thin:.1f} x; ", end="")
    print(f"largest principal angle {linalg.subspace_angles(P, E[:, : P.shape[1]]).max():.1e}")
    print(f"  thin from dense X, centring included, {thin_dense:.4f} s: {full / thin_dense:.1f} x")
    print(f"  a whole fit, validation included, {fit:.4f} s: {full / fit:.1f} x")


def print_rbf_labels(rows=2000):
    """Print the seconds of the RBF label kernel on all items, and its difference from the N x N form on a subset."""
    data = load_set("tmc2007-500")
    n_sets = len(np.unique(data.Y.state, axis=0))
    [(seconds, model)] = time_medians(1, lambda: MDDM(label_kernel="rbf").fit(data.X, data.Y))
    print(f"tmc2007-500, RBF label kernel: {n_sets} label sets, {seconds:.2f} s, rank {model.rank_}, ", end="")
    subset = np.random.default_rng(0).permutation(len(data.Y))[:rows]
    X, labels = data.X[subset].toarray(), data.Y[subset]
    model = MDDM(threshold=1, label_kernel="rbf").fit(X, labels)
    Xc, L = X - X.mean(axis=0), rbf_kernel(labels.values())
    M = Xc.T @ L @ Xc
    ours = (model.components_.T * model.eigenvalues_[: model.n_components_]) @ model.components_
    values = linalg.eigvalsh(M)[::-1][: model.n_components_]
    print(f"d = {model.n_components_}")
    print(
        f"  {rows} items compared with N x N: |difference| / |X'HLHX| = {linalg.norm(ours - M) / linalg.norm(M):.1e}, ",
        end="",
    )
    print(f"eigenvalues {np.abs(model.eigenvalues_[: len(values)] - values).max() / values[0]:.1e} of the largest")


def print_large():
    """Print seconds and memory of the fit on yahoo-arts-full, in a process without other data."""
    data = load_set("yahoo-arts-full")
    with tempfile.TemporaryDirectory() as folder:
        sparse.save_npz(Path(folder) / "X.npz", sparse.csr_matrix(data.X))
        np.save(Path(folder) / "Y.npy", data.Y.values())
        subprocess.run([sys.executable, __file__, "--child", folder], check=True)
    D = data.X.shape[1]
    print(f"  one D x D matrix would take {8 * D * D / 1e9:.2f} GB (computed)")


def fit_stored(folder):
    """Fit the arrays that ``print_large`` stored, without a previous fit in this process."""
    X, Y = sparse.load_npz(folder / "X.npz"), np.load(folder / "Y.npy")
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak; ru_maxrss would include the parent's
    before = read_kilobytes("VmRSS")
    [(seconds, model)] = time_medians(1, lambda: MDDM().fit(X, Y))
    growth = read_kilobytes("VmHWM") - before
    print(
        f"yahoo-arts-full: {X.shape[0]} x {X.shape[1]} sparse, d = {model.n_components_}: fit {seconds:.3f} s, ", end=""
    )
    print(f"peak memory {growth / 1e3:+.0f} MB over {before / 1e3:.0f} MB")


def read_kilobytes(name):
    """Return a value of the status file of this process (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def print_gaps(sets, repeats, d=3):
    """Print the share of the best attainable dependence by the power of (N - 1)/(n_j - 1) that scales label j."""
    print("share of the best dependence, mean (standard error), by power of (N - 1)/(n_j - 1): 0, 0.5, 1")
    for name in sets:
        data = load_set(name)
        X, Y = data.X, data.Y.values()
        S, _ = cross_covariance(X, linear_factor(Y, np.ones(Y.shape, bool)))
        best = (linalg.svdvals(S)[:d] ** 2).sum()
        shares = np.array([measure_gaps(X, Y, S, d, seed) for seed in range(repeats)]) / best
        error = shares.std(axis=0, ddof=1) / np.sqrt(repeats)
        print(f"  {name:13}", "  ".join(f"{m:.3f} ({e:.3f})" for m, e in zip(shares.mean(axis=0), error, strict=True)))


def measure_gaps(X, Y, S, d, seed):
    """Hide entries, a random share of each label, and return the dependence on the complete Y per power."""
    rng = np.random.default_rng(seed)
    observed = rng.random(Y.shape) < np.exp(rng.uniform(np.log(0.01), 0, Y.shape[1]))
    C = linear_factor(Y * observed, observed)  # includes the power 0.5
    ratio = (observed.any(axis=1).sum() - 1) / np.maximum(observed.sum(axis=0) - 1, 1)
    with_gaps, _ = cross_covariance(X, C)
    projections = [
        linalg.svd(with_gaps * ratio ** (power - 0.5), full_matrices=False)[0][:, :d] for power in (0, 0.5, 1)
    ]
    return [((P.T @ S) ** 2).sum() for P in projections]


def main():
    """Run everything on one thread."""
    sets = ("yeast", "scene", "emotions", "yahoo-arts", "yahoo-health")
    parser = make_parser(__doc__, sets=sets, repeats=10)
    parser.add_argument("--gaps", action="store_true", help="on these sets, with these repeats")
    parser.add_argument("--child", type=Path, metavar="FOLDER", help="used by the script itself")
    options = parser.parse_args()
    with use_one_thread():
        if options.child:
            fit_stored(options.child)
        elif options.gaps:
            print_gaps(options.sets, options.repeats)
        else:
            print_tmc(15)
            print_rbf_labels()
            print_large()


if __name__ == "__main__":
    main()
