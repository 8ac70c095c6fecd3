"""Statements of Zhao & Guo (2015): Algorithm 1 against the minimum, and recovery before learning."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import rbf_kernel

from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import mark_unassigned
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.vvmr.problem import InputKernel, Problem, graph_operator
from halflabel.numerics.graph.output_kernel import output_kernel
from halflabel.numerics.kernels import mean_distance
from halflabel.numerics.solvers.low_rank_plus_sparse import RecoveryProblem, recover
from halflabel.plugins import Floats, stored
from halflabel_papers.published.continuation import Continuation, PublishedTerms

#: The paper's weights for figure 2, and the penalties of Algorithm 1 as shares of the last one: the paper names none.
ALPHA, TRACE, SHARES = 1e-5, 1e-3, (1e-3, 1e-2, 1e-1, 1.0)


def follow_objective(
    data: Dataset, rng: np.random.Generator, *, algorithm: str, iterations: int, items: int, rho: float = 1.0
) -> dict[str, float]:
    """Return log10 of the relative distance of eq. (11) from its minimum after a number of iterations.

    Parameters
    ----------
    algorithm : {"continuation", "one penalty", "plain"}
        Algorithm 1 with four penalties, with the last one only, or without acceleration.
    rho : float
        The last penalty.
    """
    terms, problem = _make_terms(data, rng, items)
    best = recover(terms, tol=1e-10, max_iter=5000).solution.objective[-1]
    rhos = [rho * share for share in (SHARES[-1:] if algorithm == "one penalty" else SHARES)]
    run = Continuation(problem, rhos, accelerated=algorithm != "plain")
    run.run(max(1, iterations // len(rhos)))
    value = problem.objective(run.theta.A, run.theta.E)
    return {"log10_gap": float(np.log10(max(value / best - 1, 1e-12)))}


def _make_terms(data: Dataset, rng: np.random.Generator, items: int) -> tuple[RecoveryProblem, PublishedTerms]:
    """Return eq. (11) on a sample, a third of it labelled with 30 % of the positives missing, in both forms."""
    rows = rng.permutation(len(data.Y))[:items]
    X = stored(data.X[rows], as_sparse=False)
    known = np.arange(items // 3)
    Y = np.where(data.Y.relevant[rows[known]] & (rng.random((len(known), data.Y.shape[1])) >= 0.3), 1.0, -1.0)
    width = np.sqrt(0.5) * mean_distance(X, rng)
    L = graph_operator(X, "laplacian", 5)
    kernel = InputKernel.learn(X, known, L, width, items, rng)
    free, output = Y < 0, output_kernel(Y, 0.5, normalize=False)
    problem = Problem(kernel, output, known, Y, np.ones_like(free), free)
    slope = TRACE / np.sqrt(max(Y.shape))
    terms = RecoveryProblem(problem.at(ALPHA, ALPHA), Y, free, TRACE, slope)
    published = PublishedTerms(
        kernel.rows @ kernel.rows.T, kernel.operator, kernel.annotated[problem.rows], output.matrix(), Y, free, ALPHA,
        ALPHA, TRACE, slope,
    )  # fmt: skip
    return terms, published


class TwoStages(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    r"""Recover the labels first, then learn: the method without the connection that the paper's title claims.

    Stage 1 minimises :math:`\|Z\|_* + \lambda \sum E` over :math:`Z = Y + E`, :math:`E \ge 0`, with :math:`\lambda` of
    the text, from the labels alone. Stage 2 is kernel ridge regression of Z with an RBF kernel.

    Parameters
    ----------
    ridge : float, default=0.01
        Weight of stage 2, times the number of labelled items.
    width : float, default=1.0
        Bandwidth of the kernel, in units of the mean distance.
    n_folds : int, default=3
        Folds of labelled items for the out-of-fold scores.
    n_iter : int, default=200
        Iterations of stage 1 (alternating directions).
    """

    def __init__(self, ridge: float = 0.01, *, width: float = 1.0, n_folds: int = 3, n_iter: int = 200) -> None:
        self.ridge = ridge
        self.width = width
        self.n_folds = n_folds
        self.n_iter = n_iter

    def fit(self, X: Any, y: PartialLabels) -> Self:
        """Recover the labels of the annotated items, and fit the regression to them."""
        rows, dense = np.flatnonzero(y.annotated), stored(X, as_sparse=False)
        known, self.X_ = y[rows], dense[rows]
        self.gamma_ = 1 / (2 * (self.width * mean_distance(dense, np.random.default_rng(0))) ** 2)
        K = rbf_kernel(self.X_, gamma=self.gamma_)
        self.weights_ = self._learn(K, known)
        self.out_of_fold_scores_ = np.full(y.shape, np.nan)
        folds = folds_of_labelled(mark_unassigned(known), self.n_folds, np.random.default_rng(0))
        for fold in np.unique(folds):
            held, rest = folds == fold, folds != fold
            weights = self._learn(K[np.ix_(rest, rest)], known[rest])
            self.out_of_fold_scores_[rows[held]] = K[np.ix_(held, rest)] @ weights
        return self

    def _learn(self, K: Floats, known: PartialLabels) -> Floats:
        """Return the weights of the items."""
        Z = recover_labels(np.where(known.relevant, 1.0, -1.0), self.n_iter)
        return np.asarray(linalg.solve(K + self.ridge * len(K) * np.eye(len(K)), Z, assume_a="pos"))

    def decision_function(self, X: Any) -> Floats:
        """Return the regression of new items."""
        return np.asarray(rbf_kernel(stored(X, as_sparse=False), self.X_, gamma=self.gamma_) @ self.weights_)

    def predict(self, X: Any) -> Floats:
        """Return 1 where the regression is positive."""
        return (self.decision_function(X) >= 0).astype(float)


def recover_labels(Y: Floats, n_iter: int) -> Floats:
    r"""Return Z of :math:`\min \|Z\|_* + \lambda \sum E` over :math:`Z = Y + E`, :math:`E \ge 0`.

    :math:`\lambda = 1/\sqrt{\max(l, n)}`, as in the text. Entries of +1 keep their values: only absent ones may be
    missing positives. The solver is the alternating direction method of multipliers.
    """
    slope, step = 1 / np.sqrt(max(Y.shape)), 0.1 * linalg.norm(Y, 2)
    E, U = np.zeros_like(Y), np.zeros_like(Y)
    for _ in range(n_iter):
        left, s, right = linalg.svd(Y + E - U, full_matrices=False)
        Z = (left * np.maximum(s - step, 0)) @ right
        E = np.where(Y < 0, np.maximum(Z - Y + U - slope * step, 0), 0.0)
        U += Z - Y - E
    return np.asarray(Y + E)
