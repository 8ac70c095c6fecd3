"""Matrix completion compared with the published algorithm: CPU seconds and ratios, measured in one run on one thread.

    python benchmarks/mc_speed.py [--small] [--medium] [--large]

``--small`` compares on 400 synthetic items only; ``--medium`` adds 20 000 items. ``--large`` measures only seconds and
peak memory of the factored form, on one million items with 100 features and 10 labels, 30 % observed.
"""

from __future__ import annotations

import resource

import numpy as np
from _common import load_set, make_parser, time_cpu, time_medians, use_one_thread

from halflabel import MC1
from halflabel.datasets.synthetic import make_low_rank
from halflabel.numerics.losses import BiasedLogistic, Logistic, SideBySide, Squared
from halflabel.numerics.penalties import NuclearNorm
from halflabel.numerics.solvers import factored, fpc, gradient_norm, proximal_gradient
from halflabel.numerics.solvers.factored import _sweep
from halflabel.numerics.solvers.proximal_gradient import _State

#: The relative distance to the minimum that both must reach, and the iteration limit of the published algorithm.
GAP, MAX_PUBLISHED = 1e-5, 3000


class Problem:
    """Features and signs with gaps, as terms of both objectives."""

    def __init__(self, X, sign, share, label_weight, rng):
        self.X, self.observed = X, rng.random(X.shape) < share
        self.sign = np.where(rng.random(sign.shape) < share, sign, 0.0)
        self.label_weight = label_weight
        OX, OY = self.observed.sum(), np.count_nonzero(self.sign)
        self.step = min(3.8 * OY / label_weight, OX)
        self.bias_step = 3.8 * OY / (label_weight * len(X))
        self.weight = label_weight / OY
        self.features = Squared(np.where(self.observed, X, 0.0), self.observed, 1 / OX)
        self.widths = [sign.shape[1], X.shape[1]]

    def terms_of_mc1(self):
        """Return the terms of MC-1 with the row weight that the published step size implies."""
        ones = Squared(np.ones((len(self.X), 1)), None, 1 / self.step)
        return SideBySide([Logistic(self.sign, self.weight), self.features, ones], [*self.widths, 1])

    def terms_of_mcb(self):
        """Return the terms of MC-b with a negligible ridge."""
        return SideBySide([BiasedLogistic(self.sign, self.weight, 1e-9), self.features], self.widths)

    def terms_at(self, bias):
        """Return the terms of MC-b at a fixed bias, or those of MC-1 if there is no bias."""
        if not len(bias):
            return self.terms_of_mc1()
        return SideBySide([Logistic(self.sign, self.weight, bias), self.features], self.widths)


def compare_with_published(name, problem, halvings):
    """Print the CPU seconds of both solvers along a path of weights; each starts at its previous solution."""
    n = len(problem.X)
    for kind, terms, t in (("MC-1", problem.terms_of_mc1(), 0), ("MC-b", problem.terms_of_mcb(), problem.widths[0])):
        top = gradient_norm(terms, n)
        ours = theirs = 0.0
        Z, W, bias = np.zeros((n, sum(terms.widths))), np.zeros((n, sum(terms.widths))), np.zeros(t)
        iterations, missed, worst = [0, 0], 0, 0.0
        for k in range(1, halvings + 1):
            penalty = NuclearNorm(top / 2**k)
            best = proximal_gradient(terms, penalty, Z, tol=1e-7, max_iter=20000).objective[-1]
            count = count_iterations(terms, penalty, Z, best)
            seconds, solution = time_cpu(
                lambda a=(terms, penalty, Z), c=count: proximal_gradient(*a, tol=0, max_iter=c)
            )
            worst, Z, ours = max(worst, solution.residual), solution.x, ours + seconds
            run, _ = run_published(problem, penalty, W, bias, MAX_PUBLISHED)
            reached = np.flatnonzero(np.array(run.objective) <= best * (1 + GAP))
            missed += not len(reached)
            count = max(int(reached[0]), 1) if len(reached) else MAX_PUBLISHED
            seconds, (run, bias) = time_cpu(lambda W=W, b=bias, p=penalty, c=count: run_published(problem, p, W, b, c))
            W, theirs = run.x, theirs + seconds
            iterations = [iterations[0] + solution.n_iter, iterations[1] + count]
        note = f"; {missed} weights not reached in {MAX_PUBLISHED} iterations" if missed else ""
        print(
            f"{name} {kind}: halflabel {ours:.2f} s ({iterations[0]} iterations, bound of the gap up to {worst:.0e}), ",
            end="",
        )
        print(f"published {theirs:.2f} s ({iterations[1]}): {theirs / ours:.1f} x{note}", flush=True)


def count_iterations(terms, penalty, Z, best):
    """Return the number of iterations that reach the gap, rounded up to a multiple of five."""
    count = 0
    while True:
        count += 5
        if proximal_gradient(terms, penalty, Z, tol=0, max_iter=count).objective[-1] <= best * (1 + GAP):
            return count


def run_published(problem, penalty, start, bias, count):
    """Run ``count`` iterations of the published algorithm."""
    steps = {"step": problem.step, "bias_step": problem.bias_step}
    return fpc(problem.terms_at, penalty, start, bias, **steps, tol=0, max_iter=count)


def make_synthetic(n, d, t, r, share, label_weight):
    """Return a synthetic problem of low rank."""
    rng = np.random.default_rng(0)
    data = make_low_rank(n, d, r, t, 0.01, rng).dataset
    return Problem(data.X, data.Y.values(irrelevant=-1.0), share, label_weight, rng)


def load_yeast():
    """Return Yeast, and its problem with standardised features and 40 % of the entries observed."""
    data = load_set("yeast")
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    return data, Problem(X, data.Y.values(irrelevant=-1.0), 0.4, 1.0, np.random.default_rng(0))


def median_cpu(function, repeats):
    """Return the median of the CPU seconds of a few calls."""
    [(seconds, _)] = time_medians(repeats, function)
    return seconds


def print_iteration(n=100_000):
    """Print the time of one iteration on the full matrix, in units of its product with an m x m matrix."""
    problem = make_synthetic(n, 106, 10, 5, 0.3, 0.1)
    terms, m = problem.terms_of_mc1(), 117
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


def print_sweep(n=100_000):
    """Print the time of one sweep of the factored form at rank 12."""
    problem = make_synthetic(n, 100, 10, 5, 0.3, 0.1)
    terms = problem.terms_of_mc1()
    alpha = 0.15 * gradient_norm(terms, n)
    Z = factored(terms, NuclearNorm(alpha), n, rank=12, tol=0, max_iter=2).factors
    seconds = median_cpu(lambda: _sweep(terms, alpha, Z), 5)
    print(f"{n} x 111, 30 % observed, rank {Z.right.shape[1]}: {seconds:.3f} s per sweep")


def print_large(n=1_000_000):
    """Print seconds and peak memory of the factored form."""
    problem = make_synthetic(n, 100, 10, 5, 0.3, 0.1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    terms = problem.terms_of_mc1()
    penalty = NuclearNorm(0.15 * gradient_norm(terms, n))
    seconds, solution = time_cpu(lambda: factored(terms, penalty, n, rank=12, max_iter=24))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    truth = problem.X[:10000][~problem.observed[:10000]]
    filled = solution.factors[:10000, 10:110][~problem.observed[:10000]]
    error = np.linalg.norm(filled - truth) / np.linalg.norm(truth)
    print(
        f"1 000 000 x 111: {seconds:.0f} s, {solution.n_iter} sweeps, bound of the gap {solution.residual:.0e}, ",
        end="",
    )
    print(f"imputation error {error:.2f}; peak {peak:.2f} GiB ({before:.2f} before)")


def print_fit(data, problem):
    """Print the seconds of a whole fit of MC-1 on Yeast."""
    X = np.where(problem.observed, data.X, np.nan)
    Y = np.where(problem.sign != 0, problem.sign > 0, np.nan)
    seconds, model = time_cpu(lambda: MC1(label_weight=1.0, n_folds=2).fit(X, Y))
    n_weights = len(model.cv_results_["alpha"])
    print(f"yeast, MC-1 fit with 2 folds, {n_weights} of 14 weights until it stopped: {seconds:.2f} s", flush=True)


def main():
    """Run everything on one thread."""
    parser = make_parser(__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--medium", action="store_true")
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    with use_one_thread():
        if options.large:
            return print_large()
        if not options.small:
            print_iteration()
            print_sweep()
            print_fit(*load_yeast())
        compare_with_published("synthetic 400", make_synthetic(400, 20, 10, 2, 0.4, 0.1), 8)
        if not options.small:
            compare_with_published("yeast", load_yeast()[1], 6)
        if options.medium:
            compare_with_published("synthetic 20 000", make_synthetic(20_000, 100, 10, 5, 0.3, 0.1), 3)


if __name__ == "__main__":
    main()
