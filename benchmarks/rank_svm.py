"""Rank-SVM: the speed of its solver, and the three competitors of Qian and Davidson (2010) on Yeast and Scene.

    python benchmarks/rank_svm.py [--repeats 2] [--share 0.35] [--sets yeast scene]
    python benchmarks/rank_svm.py --solver [--items 846 1200]

Protocol, as in ssdrmc_accuracy.py: a random share of the items keeps all its labels, the rest is the test set.
"natural" cuts scores at the threshold of the method, "card" at the number of labels per labelled item, and "rule" is
the default threshold rule of halflabel on calibrated probabilities.

``--solver`` fits Yeast once with C = 1000 and prints CPU seconds, iterations, the duality gap, and the peak of the
memory that NumPy allocated. It is compared with the method of Frank and Wolfe, which the paper uses for the dual, in
the same time and in ten times that time. That method is run without biases, so that it needs no linear program in each
iteration.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
from _common import choose_unlabelled, load_set, make_parser, split_labels, time_cpu, use_one_thread
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from halflabel.labels.metrics import micro_f1, ranking_loss
from halflabel.numerics.kernels import mean_distance, nystroem
from halflabel_papers.comparators import MLGFHF, RankSVM
from halflabel_papers.comparators.pair_ranking import PairHinge, pair_ranking
from halflabel_papers.comparators.rank_svm import BIAS


def make_methods():
    """Return the competitors with the settings of the comparison, and the natural thresholds of their scores."""
    return {
        "RankSVM": (RankSVM.as_published(), 0.0),
        "PCA (90 %) + RankSVM": (make_pipeline(PCA(0.9), RankSVM.as_published()), 0.0),
        "RankSVM, C = 1": (RankSVM.as_published().set_params(C=1.0), 0.0),
        "ML-GFHF, no label graph": (MLGFHF.as_published().set_params(label_graph_weight=0.0), 0.5),
        "ML-GFHF": (MLGFHF.as_published(), 0.5),
    }


def score_fit(model, natural, data, share, seed):
    """Return micro-F1 at three thresholds, the ranking loss and the CPU seconds."""
    unlabelled = choose_unlabelled(len(data.Y), share, np.random.default_rng(seed))
    known, hidden = split_labels(data.Y, unlabelled)
    last = model[-1] if hasattr(model, "steps") else model
    last.set_params(rule="micro_f1")
    seconds, _ = time_cpu(lambda: model.fit(data.X, known))
    S = np.nan_to_num(last.label_scores_)
    count = round(np.nansum(known.rates) * unlabelled.sum())
    cut = np.sort(S[unlabelled], axis=None)[::-1][count]
    predictions = (natural <= S, cut < S, last.transduction_)
    f1 = [micro_f1(hidden, prediction.astype(int)) for prediction in predictions]
    return [*f1, ranking_loss(hidden[unlabelled], S[unlabelled]), seconds]


def print_accuracy(sets, share, repeats):
    """Print the mean of every method over random splits."""
    for name in sets:
        data = load_set(name)
        print(f"{name}, {share:.0%} labelled, {repeats} splits: micro-F1 natural / card / rule, ranking loss, seconds")
        for method, (model, natural) in make_methods().items():
            rows = np.array([score_fit(model, natural, data, share, seed) for seed in range(repeats)])
            print(f"  {method:24}", "  ".join(f"{value:.3f}" for value in rows.mean(axis=0)))


def make_problem(n_items):
    """Return features of the kernel and the loss for random items of Yeast that have pairs."""
    data = load_set("yeast")
    rows = np.random.default_rng(0).permutation(len(data.Y))[:n_items]
    state = data.Y.state[rows]
    paired = (state > 0).any(axis=1) & (state < 0).any(axis=1)
    state, X = state[paired], data.X[rows[paired]]
    rng = np.random.default_rng(0)
    features = nystroem(X, mean_distance(data.X, rng), len(X), rng)
    Phi = features(X)
    Phi[:, -1] *= np.sqrt(BIAS)
    return Phi, PairHinge(state > 0, state < 0, 1000 / ((state > 0).sum(axis=1) * (state < 0).sum(axis=1)))


def run_frank_wolfe(Phi, loss, seconds):
    """Return the best objective and dual value of the method of the paper with exact steps, and its iterations."""
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


def print_solver(sizes):
    """Print seconds, iterations, gap and memory of the solver and of a whole fit."""
    for n_items in sizes:
        Phi, loss = make_problem(n_items)
        seconds, solution = time_cpu(lambda Phi=Phi, loss=loss: pair_ranking(Phi, loss))
        n_pairs = int((loss.upper.sum(axis=1) * loss.lower.sum(axis=1)).sum())
        print(f"yeast, {len(Phi)} items with pairs, {n_pairs} pairs, C = 1000")
        print(f"  ADMM {seconds:.2f} s, {solution.n_iter} iterations, gap {solution.residual:.1e}")
        unbiased = Phi[:, :-1]
        optimum = pair_ranking(unbiased, loss, tol=1e-4).objective[-1]
        for times in (1, 10):
            best, bound, n_iter = run_frank_wolfe(unbiased, loss, times * seconds)
            print(f"  Frank-Wolfe {times * seconds:.2f} s, {n_iter} iterations, over the optimum: ", end="")
            print(f"objective {best / optimum:.3g}, dual {bound / optimum:.3g}")
        print_fit(n_items)


def print_fit(n_items):
    """Print CPU seconds and memory of a whole fit on Yeast."""
    data = load_set("yeast")
    unlabelled = choose_unlabelled(len(data.Y), n_items / len(data.Y), np.random.default_rng(0))
    known, _ = split_labels(data.Y, unlabelled)
    tracemalloc.start()
    seconds, _ = time_cpu(lambda: RankSVM.as_published().fit(data.X, known))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"  a whole fit, 3 folds included, {seconds:.2f} s, peak memory {peak / 1e6:.0f} MB")


def main():
    """Run everything on one thread."""
    parser = make_parser(__doc__, sets=("yeast", "scene"), repeats=2)
    parser.add_argument("--share", type=float, default=0.35)
    parser.add_argument("--solver", action="store_true")
    parser.add_argument("--items", nargs="+", type=int, default=[846, 1200])
    options = parser.parse_args()
    with use_one_thread():
        if options.solver:
            print_solver(options.items)
        else:
            print_accuracy(options.sets, options.share, options.repeats)


if __name__ == "__main__":
    main()
