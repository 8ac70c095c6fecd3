"""LowRankVVMR compared with the published Algorithm 1: CPU seconds and ratios, measured in one run on one thread.

    python benchmarks/vvmr_speed.py [--seconds 50] [--sets yeast tmc2007-500] [--large]

``--large`` measures only 25 000 items of tmc2007-500, of which 10 000 are annotated, with 1 000 landmarks.
"""

from __future__ import annotations

import time

import numpy as np
from _common import load_set, make_parser, time_cpu, use_one_thread

from halflabel import PartialLabels
from halflabel.labels.masking import hide_positives
from halflabel.labels.positive_only import mark_unassigned
from halflabel.methods.vvmr import LowRankVVMR
from halflabel.methods.vvmr.problem import InputKernel, Problem, graph_operator
from halflabel.numerics.graph.output_kernel import OutputKernel, output_kernel
from halflabel.numerics.kernels import mean_distance
from halflabel.numerics.solvers.low_rank_plus_sparse import RecoveryProblem, recover
from halflabel_papers.published.continuation import Continuation, PublishedTerms

#: Penalties and iterations per stage of Algorithm 1; the paper does not state them.
RHOS, STAGE = (1e-3, 1e-2, 1e-1, 1.0), 2500


def sample(name, n_items, n_annotated, seed=0):
    """Return (X, positive-only labels): the first rows are annotated, and 30 % of their positives are missing."""
    data, rng = load_set(name), np.random.default_rng(seed)
    items = rng.permutation(data.X.shape[0])[:n_items]
    table = data.Y.values()[items]
    table[n_annotated:] = np.nan
    return data.X[items], hide_positives(PartialLabels.from_table(table), 0.3, rng)


def make_problem(X, L, labels, output, width, max_landmarks=4000):
    """Return the problem of one kernel width, factorised."""
    rng = np.random.default_rng(0)
    rows = np.flatnonzero(labels.annotated)
    kernel = InputKernel.learn(X, rows, L, width * mean_distance(X, rng), max_landmarks, rng)
    Y = mark_unassigned(labels).values(irrelevant=-1.0, unknown=-1.0)[rows]
    everything = np.ones(Y.shape, dtype=bool)
    return Problem(kernel, output, np.arange(len(rows)), Y, everything, everything)


def compare_with_published(seconds, alpha=1e-5, mu=1e-3):
    """Run Algorithm 1 for a number of CPU seconds, and halflabel to the accuracy that it reached, and to 1e-6."""
    X, labels = sample("yeast", 1500, 500)
    L = graph_operator(X, "laplacian", 5)
    Y = mark_unassigned(labels).values(irrelevant=-1.0)[:500]
    coupled = output_kernel(Y, 0.5, normalize=False)
    for name, output in (("Q of the label graph", coupled), ("Q = I/2", OutputKernel(np.full(Y.shape[1], 0.5), None))):
        once, problem = time_cpu(lambda output=output: make_problem(X, L, labels, output, np.sqrt(0.5)))
        bases, kernel = time_cpu(lambda problem=problem: problem.at(alpha, alpha))
        print(f"yeast, {name}: factorisation {once:.2f} s, bases of the annotated rows {bases:.2f} s")
        terms = RecoveryProblem(kernel, Y, problem.free, mu, mu / np.sqrt(len(Y)))
        best = recover(terms, tol=1e-12, max_iter=5000).solution
        print(f"  minimum {best.objective[-1]:.8f}, relative duality gap {best.residual:.0e}")
        for tol in (1e-4, 1e-6):
            needed, solution = time_cpu(lambda terms=terms, tol=tol: recover(terms, tol=tol).solution)
            excess = solution.objective[-1] / best.objective[-1] - 1
            print(
                f"  to a gap of {tol:.0e}: {needed:.3f} s, {solution.n_iter} iterations, {excess:.0e} above the minimum"
            )
        if output is coupled:
            print_published(problem, terms, best.objective[-1], alpha, seconds, once + bases)


def print_published(problem, terms, minimum, alpha, seconds, once):
    """Print the accuracy that Algorithm 1 reaches, and the time of halflabel for the same accuracy."""
    kernel, Q = problem.kernel, problem.output.matrix()
    G, weights = kernel.rows @ kernel.rows.T, (alpha, alpha, terms.trace, terms.slope)
    run = Continuation(
        PublishedTerms(G, kernel.operator, kernel.annotated, Q, terms.Y, terms.free, *weights), rhos=RHOS
    )
    started, stages = time.process_time(), []
    for rho in RHOS:
        left = seconds - (time.process_time() - started)
        stages.append(run_for(run, rho, left))
    A, E = run.theta.A, run.theta.E
    spent, above = time.process_time() - started, run.terms.objective(A, E) / minimum - 1
    print(f"  Algorithm 1: {spent:.1f} s, {sum(stages)} iterations, {100 * above:.1f} % above the minimum")
    n_iter = 5
    while run_admm(terms, n_iter).solution.objective[-1] > (1 + above) * minimum:
        n_iter += 5
    needed, _ = time_cpu(lambda: run_admm(terms, n_iter))
    print(
        f"  halflabel reaches this after {needed:.3f} s ({n_iter} iterations): {spent / needed:.0f} x per solve, ",
        end="",
    )
    print(f"{(spent + once) / (needed + once):.0f} x with the factorisation included in both", flush=True)


def run_admm(terms, n_iter):
    """Run ``n_iter`` iterations with their certificates."""
    return recover(terms, tol=0.0, max_iter=n_iter, rescue=False)


def run_for(run, rho, seconds):
    """Run one stage until its iterations or the seconds are used up; return the number of iterations."""
    started, done = time.process_time(), 0
    for _ in run.iterate(rho, STAGE):
        done += 1
        if time.process_time() - started > seconds:
            break
    return done


def print_cross_validation(sets):
    """Print the seconds of a whole fit; 2 widths, 2 graph weights, 3 alphas, 3 knees and 2 folds are 72 solves."""
    grid = {"alpha": (2e-4, 6e-4, 2e-3), "knee": (0.05, 0.1, 0.2), "alpha_manifold": (0.0, 1e-5), "width": (0.5, 1.0)}
    for name in sets:
        X, labels = sample(name, 1500, 500)
        for trace in (0.0, 1e-3):
            model = LowRankVVMR(**grid, alpha_trace=trace, n_folds=2)
            seconds, _ = time_cpu(lambda model=model, X=X, labels=labels: model.fit(X, labels))
            solves = 2 * len(model.cv_results_["alpha"])
            print(f"{name}, 1500 items, trace weight {trace:g}: fit with {solves} solves {seconds:.2f} s", flush=True)


def print_large():
    """Print the seconds for 25 000 items with 1 000 landmarks; those of the neighbour search are separate."""
    X, labels = sample("tmc2007-500", 25_000, 10_000)
    knn, L = time_cpu(lambda: graph_operator(X, "normalized", 5))
    output = OutputKernel(np.full(labels.shape[1], 0.5), None)
    features, problem = time_cpu(lambda: make_problem(X, L, labels, output, 1.0, max_landmarks=1000))
    basis, kernel = time_cpu(lambda: problem.at(3e-4, 3e-6))
    terms = RecoveryProblem(kernel, problem.Y, problem.free, 3e-3, 2 * 0.05 / len(problem.Y))
    solve, solution = time_cpu(lambda: recover(terms).solution)
    predict, _ = time_cpu(lambda: problem.kernel.model(kernel.weights(solution.x)).predict(X[:3000]))
    total = features + basis + solve + predict
    print(f"l = 10 000, N = 25 000, m = 1 000: features and spectrum {features:.2f} s, basis {basis:.2f} s, ", end="")
    print(f"solve {solve:.2f} s ({solution.n_iter} iterations, gap {solution.residual:.0e}), ", end="")
    print(f"3 000 predictions {predict:.2f} s: {total:.2f} s; neighbour search {knn:.1f} s in addition; ", end="")
    print(f"share of the kernel's diagonal that is lost {problem.kernel.features.error:.2f}")


def main():
    """Run everything on one thread."""
    parser = make_parser(__doc__, sets=("yeast", "tmc2007-500"))
    parser.add_argument("--seconds", type=float, default=50.0, help="CPU seconds for Algorithm 1")
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    with use_one_thread():
        if options.large:
            return print_large()
        print_cross_validation(options.sets)
        compare_with_published(options.seconds)


if __name__ == "__main__":
    main()
