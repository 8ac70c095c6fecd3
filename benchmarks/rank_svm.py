"""Rank-SVM: how fast its gap closes, and the three competitors of Qian and Davidson (2010) on Yeast and Scene.

    python benchmarks/rank_svm.py [--splits 2] [--share 0.35] [--sets yeast scene]
    python benchmarks/rank_svm.py --solver [--items 846 1200]

Protocol: as in ssdrmc_accuracy.py: a random share of the items keeps all its labels, the rest is the test set.
"natural" cuts at the method's own threshold, "card" at the count of labels per labelled item, "rule" is the default
rule of the library on calibrated probabilities.

``--solver`` fits Yeast at C = 1000 once and prints seconds of this process, iterations, duality gap and the peak of the
memory that NumPy allocated; beside it the method of Frank and Wolfe, with which the paper solves the dual, in as much
time and in ten times as much. That is run without biases, which spares it the paper's linear program per iteration.
"""

from __future__ import annotations

import argparse
import os
import time
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from halflabel.datasets import load_benchmark
from halflabel.labels.metrics import micro_f1, ranking_loss
from halflabel.methods.baselines import MLGFHF, RankSVM
from halflabel.methods.baselines.rank_svm import BIAS
from halflabel.numerics.kernels import mean_distance, nystroem
from halflabel.numerics.solvers.pair_ranking import PairHinge, pair_ranking

FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def methods():
    """Return the competitors with the settings of the comparison, and what cuts their scores naturally."""
    return {
        "RankSVM": (RankSVM.as_published(), 0.0),
        "PCA (90 %) + RankSVM": (make_pipeline(PCA(0.9), RankSVM.as_published()), 0.0),
        "RankSVM, C = 1": (RankSVM.as_published().set_params(C=1.0), 0.0),
        "ML-GFHF, no label graph": (MLGFHF.as_published().set_params(label_graph_weight=0.0), 0.5),
        "ML-GFHF": (MLGFHF.as_published(), 0.5),
    }


def split(data, share, seed):
    """Return the labels of the labelled items, those of the rest, and which are the rest."""
    unlabelled = np.ones(len(data.Y), bool)
    unlabelled[np.random.default_rng(seed).permutation(len(data.Y))[: round(share * len(data.Y))]] = False
    mask = np.repeat(unlabelled[:, None], data.Y.shape[1], axis=1)
    return data.Y.hide(mask), data.Y.hide(~mask), unlabelled


def one_fit(model, natural, data, share, seed):
    """Return micro-F1 at three cuts, the ranking loss and seconds of this process."""
    known, hidden, unlabelled = split(data, share, seed)
    last = model[-1] if hasattr(model, "steps") else model
    last.set_params(decision="micro_f1")
    started = time.process_time()
    model.fit(data.X, known)
    seconds = time.process_time() - started
    S = np.nan_to_num(last.label_scores_)
    count = round(np.nansum(known.rates) * unlabelled.sum())
    cut = np.sort(S[unlabelled], axis=None)[::-1][count]
    answers = (natural <= S, cut < S, last.transduction_)
    f1 = [micro_f1(hidden, answer.astype(int)) for answer in answers]
    return [*f1, ranking_loss(hidden[unlabelled], S[unlabelled]), seconds]


def accuracy(sets, share, splits):
    """Print the mean of every method over splits."""
    for name in sets:
        data = load_benchmark(name, FOLDER)
        print(f"{name}, {share:.0%} labelled, {splits} splits: micro-F1 natural / card / rule, ranking loss, seconds")
        for method, (model, natural) in methods().items():
            rows = np.array([one_fit(model, natural, data, share, seed) for seed in range(splits)])
            print(f"  {method:24}", "  ".join(f"{value:.3f}" for value in rows.mean(axis=0)))


def yeast_problem(n_items):
    """Return features of the kernel and the loss for the first items of a permutation that have pairs."""
    data = load_benchmark("yeast", FOLDER)
    rows = np.random.default_rng(0).permutation(len(data.Y))[:n_items]
    state = data.Y.state[rows]
    paired = (state > 0).any(axis=1) & (state < 0).any(axis=1)
    state, X = state[paired], data.X[rows[paired]]
    rng = np.random.default_rng(0)
    features = nystroem(X, mean_distance(data.X, rng), len(X), rng)
    Phi = features(X)
    Phi[:, -1] *= np.sqrt(BIAS)
    return Phi, PairHinge(state > 0, state < 0, 1000 / ((state > 0).sum(axis=1) * (state < 0).sum(axis=1)))


def frank_wolfe(Phi, loss, seconds):
    """Return the best objective and dual value of the paper's method, with exact steps, and its iterations."""
    B, W = np.zeros(loss.upper.shape), np.zeros((Phi.shape[1], loss.upper.shape[1]))
    pairs = loss.upper[:, :, None] & loss.lower[:, None, :]
    best, bound, n_iter, started = np.inf, 0.0, 0, time.process_time()
    while time.process_time() - started < seconds:
        F = Phi @ W
        size = (W**2).sum() / 2
        best, bound = min(best, size + loss.value(F)), max(bound, B[loss.upper].sum() - size)
        short = loss.weight[:, None, None] * (pairs & (F[:, :, None] - F[:, None, :] < 1))
        toward = short.sum(axis=2) - short.sum(axis=1) - B
        move = Phi.T @ toward
        gain = toward[loss.upper].sum() - (W * move).sum()
        length = min(1.0, gain / (move**2).sum())
        B, W, n_iter = B + length * toward, W + length * move, n_iter + 1
    return best, bound, n_iter


def solver(sizes):
    """Print seconds, iterations, gap and memory of the solver and of a whole fit."""
    for n_items in sizes:
        Phi, loss = yeast_problem(n_items)
        started = time.process_time()
        found = pair_ranking(Phi, loss)
        seconds = time.process_time() - started
        n_pairs = int((loss.upper.sum(axis=1) * loss.lower.sum(axis=1)).sum())
        print(f"yeast, {len(Phi)} items with pairs, {n_pairs} pairs, C = 1000")
        print(f"  ADMM {seconds:.2f} s, {found.n_iter} iterations, gap {found.residual:.1e}")
        unbiased = Phi[:, :-1]
        optimum = pair_ranking(unbiased, loss, tol=1e-4).objective[-1]
        for times in (1, 10):
            best, bound, n_iter = frank_wolfe(unbiased, loss, times * seconds)
            print(f"  Frank-Wolfe {times * seconds:.2f} s, {n_iter} iterations, over the optimum: ", end="")
            print(f"objective {best / optimum:.3g}, dual {bound / optimum:.3g}")
        data = load_benchmark("yeast", FOLDER)
        known = split(data, n_items / len(data.Y), 0)[0]
        tracemalloc.start()
        started = time.process_time()
        RankSVM.as_published().fit(data.X, known)
        seconds = time.process_time() - started
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"  a whole fit, 3 folds included, {seconds:.2f} s, peak memory {peak / 1e6:.0f} MB")


def main():
    """Run everything on one thread."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=["yeast", "scene"])
    parser.add_argument("--share", type=float, default=0.35)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--solver", action="store_true")
    parser.add_argument("--items", nargs="+", type=int, default=[846, 1200])
    options = parser.parse_args()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if options.solver:
            solver(options.items)
        else:
            accuracy(options.sets, options.share, options.splits)


if __name__ == "__main__":
    main()
