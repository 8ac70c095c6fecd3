"""Matrix completion against the published algorithm: CPU seconds and ratios measured in one run, one thread.

    python benchmarks/mc_speed.py [--medium] [--large]

``--medium`` adds 20 000 items against the published algorithm; ``--large`` takes one million items of 100 features
and 10 labels, 30 % observed, instead: seconds and peak memory of the factored form.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from halflabel import MC1
from halflabel.datasets import load_benchmark
from halflabel.datasets.synthetic import make_low_rank
from halflabel.numerics.losses import BiasedLogistic, Logistic, SideBySide, Squared
from halflabel.numerics.penalties import NuclearNorm
from halflabel.numerics.solvers import factored, fpc, gradient_norm, proximal_gradient
from halflabel.numerics.solvers.factored import _sweep
from halflabel.numerics.solvers.proximal_gradient import _State

FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))

#: Relative distance to the minimum that both must reach, each run as long as it needs, and the limit of published
#: iterations at one weight.
GAP, MOST = 1e-5, 3000


class Problem:
    """Features and signs with gaps, as terms of both objectives."""

    def __init__(self, X, sign, share, label_weight, rng):
        self.X, self.seen = X, rng.random(X.shape) < share
        self.sign = np.where(rng.random(sign.shape) < share, sign, 0.0)
        self.label_weight = label_weight
        OX, OY = self.seen.sum(), np.count_nonzero(self.sign)
        self.step = min(3.8 * OY / label_weight, OX)
        self.bias_step = 3.8 * OY / (label_weight * len(X))
        self.weight = label_weight / OY
        self.features = Squared(np.where(self.seen, X, 0.0), self.seen, 1 / OX)
        self.widths = [sign.shape[1], X.shape[1]]

    def one(self):
        """MC-1 with the row weight that the published step implies."""
        ones = Squared(np.ones((len(self.X), 1)), None, 1 / self.step)
        return SideBySide([Logistic(self.sign, self.weight), self.features, ones], [*self.widths, 1])

    def b(self):
        """MC-b with a ridge too small to matter."""
        return SideBySide([BiasedLogistic(self.sign, self.weight, 1e-9), self.features], self.widths)

    def at(self, bias):
        """MC-b at a bias, or MC-1 where there is none."""
        if not len(bias):
            return self.one()
        return SideBySide([Logistic(self.sign, self.weight, bias), self.features], self.widths)


def cpu(function):
    """Return CPU seconds and the answer."""
    started = time.process_time()
    answer = function()
    return time.process_time() - started, answer


def against_published(name, problem, halvings):
    """Print the CPU seconds of both solvers along one path of weights, each started at its last solution."""
    n = len(problem.X)
    for kind, terms, t in (("MC-1", problem.one(), 0), ("MC-b", problem.b(), problem.widths[0])):
        top = gradient_norm(terms, n)
        ours = theirs = 0.0
        Z, W, bias = np.zeros((n, sum(terms.widths))), np.zeros((n, sum(terms.widths))), np.zeros(t)
        iterations, missed, worst = [0, 0], 0, 0.0
        for k in range(1, halvings + 1):
            penalty = NuclearNorm(top / 2**k)
            best = proximal_gradient(terms, penalty, Z, tol=1e-7, max_iter=20000).objective[-1]
            count = least(terms, penalty, Z, best)
            seconds, found = cpu(lambda a=(terms, penalty, Z), c=count: proximal_gradient(*a, tol=0, max_iter=c))
            worst, Z, ours = max(worst, found.residual), found.x, ours + seconds
            run, _ = published(problem, penalty, W, bias, MOST)
            reached = np.flatnonzero(np.array(run.objective) <= best * (1 + GAP))
            missed += not len(reached)
            count = max(int(reached[0]), 1) if len(reached) else MOST
            seconds, (run, bias) = cpu(lambda W=W, b=bias, p=penalty, c=count: published(problem, p, W, b, c))
            W, theirs = run.x, theirs + seconds
            iterations = [iterations[0] + found.n_iter, iterations[1] + count]
        note = f"; {missed} weights not reached in {MOST} iterations" if missed else ""
        print(
            f"{name} {kind}: ours {ours:.2f} s ({iterations[0]} iterations, its bound of the gap up to {worst:.0e}), ",
            end="",
        )
        print(f"published {theirs:.2f} s ({iterations[1]}): {theirs / ours:.1f} x{note}", flush=True)


def least(terms, penalty, Z, best):
    """Return how many iterations reach the gap, to five."""
    count = 0
    while True:
        count += 5
        if proximal_gradient(terms, penalty, Z, tol=0, max_iter=count).objective[-1] <= best * (1 + GAP):
            return count


def published(problem, penalty, start, bias, count):
    """Run so many published iterations."""
    steps = {"step": problem.step, "bias_step": problem.bias_step}
    return fpc(problem.at, penalty, start, bias, **steps, tol=0, max_iter=count)


def low_rank(n, d, t, r, share, label_weight):
    """Draw a synthetic problem."""
    rng = np.random.default_rng(0)
    data = make_low_rank(n, d, r, t, 0.01, rng).dataset
    return Problem(data.X, data.Y.values(irrelevant=-1.0), share, label_weight, rng)


def yeast():
    """Return standardised Yeast with 40 % observed."""
    data = load_benchmark("yeast", FOLDER)
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    return data, Problem(X, data.Y.values(irrelevant=-1.0), 0.4, 1.0, np.random.default_rng(0))


def median_cpu(function, repeats):
    """Return the median of the CPU seconds of a few calls."""
    return float(np.median([cpu(function)[0] for _ in range(repeats)]))


def iteration(n=100_000):
    """Print one iteration on the whole matrix in units of one product of its size with an m x m matrix."""
    problem = low_rank(n, 106, 10, 5, 0.3, 0.1)
    terms, m = problem.one(), 117
    A, P = np.random.default_rng(0).normal(size=(n, m)), np.eye(m)
    out = np.empty_like(A)
    gemm = median_cpu(lambda: np.matmul(A, P, out=out), 7)
    for share in (0.1, 1e-4):
        state = _State(terms, NuclearNorm(share * gradient_norm(terms, n)), np.zeros((n, m)))
        for _ in range(10):
            state.advance()
        each = median_cpu(state.advance, 7)
        rank = np.linalg.matrix_rank(state.Z[:2000], 1e-9)
        print(f"{n} x {m}, rank {rank}: {each:.3f} s per iteration, {each / gemm:.1f} products of {gemm:.3f} s")


def sweep(n=100_000):
    """Print one sweep of the factored form at rank 12."""
    problem = low_rank(n, 100, 10, 5, 0.3, 0.1)
    terms = problem.one()
    alpha = 0.15 * gradient_norm(terms, n)
    Z = factored(terms, NuclearNorm(alpha), n, rank=12, tol=0, max_iter=2).factors
    seconds = median_cpu(lambda: _sweep(terms, alpha, Z), 5)
    print(f"{n} x 111, 30 % observed, rank {Z.right.shape[1]}: {seconds:.3f} s per sweep")


def large(n=1_000_000):
    """Print seconds and peak memory of the factored form."""
    problem = low_rank(n, 100, 10, 5, 0.3, 0.1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    terms = problem.one()
    penalty = NuclearNorm(0.15 * gradient_norm(terms, n))
    seconds, found = cpu(lambda: factored(terms, penalty, n, rank=12, max_iter=24))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    truth = problem.X[:10000][~problem.seen[:10000]]
    filled = found.factors[:10000, 10:110][~problem.seen[:10000]]
    error = np.linalg.norm(filled - truth) / np.linalg.norm(truth)
    print(f"1 000 000 x 111: {seconds:.0f} s, {found.n_iter} sweeps, bound of the gap {found.residual:.0e}, ", end="")
    print(f"imputation error {error:.2f}; peak {peak:.2f} GiB ({before:.2f} before)")


def main():
    """Run everything on one thread."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--medium", action="store_true")
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    with threadpool_limits(1):
        if options.large:
            large()
            return
        iteration()
        sweep()
        data, problem = yeast()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            X = np.where(problem.seen, data.X, np.nan)
            Y = np.where(problem.sign != 0, problem.sign > 0, np.nan)
            seconds, model = cpu(lambda: MC1(label_weight=1.0, n_folds=2).fit(X, Y))
        tried = len(model.cv_results_["alpha"])
        print(f"yeast, MC-1 fit with 2 folds, {tried} of 14 weights before it stopped: {seconds:.2f} s", flush=True)
        against_published("synthetic 400", low_rank(400, 20, 10, 2, 0.4, 0.1), 8)
        against_published("yeast", problem, 6)
        if options.medium:
            against_published("synthetic 20 000", low_rank(20_000, 100, 10, 5, 0.3, 0.1), 3)


if __name__ == "__main__":
    main()
