"""Statements of Goldberg et al. (2010) about their algorithms, about EM, about kernels, and about exact recovery."""

from __future__ import annotations

import numpy as np

from halflabel.datasets.benchmark import Dataset
from halflabel.datasets.synthetic import make_low_rank
from halflabel.labels.rules import Rule
from halflabel.methods.canonical_order import order_items
from halflabel.methods.matrix_completion import MC1
from halflabel.numerics.losses import BiasedLogistic, Logistic, SideBySide, Squared
from halflabel.numerics.penalties import NuclearNorm
from halflabel.numerics.scaling import Scaler
from halflabel.numerics.solvers import Solution
from halflabel.numerics.solvers.factors import gradient_norm
from halflabel.numerics.solvers.fpc import fpc
from halflabel.numerics.solvers.proximal_gradient import proximal_gradient
from halflabel.plugins import Floats, Mask
from halflabel_papers.comparators import GaussianMixtureImputer

#: Share of the largest weight with a solution other than 0.
SHARE_OF_TOP = 0.05

#: Maximum number of columns of a kernel.
MAX_LANDMARKS = 100


class Objective:
    """Eq. (2) of MC-b, or eq. (3) of MC-1 with the soft row of ones that the published step implies."""

    def __init__(self, data: Dataset, rng: np.random.Generator, kind: str, share: float) -> None:
        X, sign = np.asarray(data.X), data.Y.values(irrelevant=-1.0)
        seen = rng.random(X.shape) < share
        self.sign = np.where(rng.random(sign.shape) < share, sign, 0.0)
        n_X, n_Y = int(seen.sum()), int(np.count_nonzero(self.sign))
        self.weight, self.step, self.bias_step = 1 / n_Y, min(3.8 * n_Y, n_X), 3.8 * n_Y / len(X)
        self.features = Squared(np.where(seen, X, 0.0), seen, 1 / n_X)
        self.widths, self.n = [sign.shape[1], X.shape[1]], len(X)
        self.bias = np.zeros(sign.shape[1] if kind == "MC-b" else 0)
        terms = self.joint()
        self.penalty = NuclearNorm(SHARE_OF_TOP * gradient_norm(terms, self.n))

    def joint(self) -> SideBySide:
        """Return the smooth terms with the bias eliminated (MC-b) or with the row of ones (MC-1)."""
        if len(self.bias):
            return SideBySide([BiasedLogistic(self.sign, self.weight, 1e-9), self.features], self.widths)
        ones = Squared(np.ones((self.n, 1)), None, 1 / self.step)
        return SideBySide([Logistic(self.sign, self.weight), self.features, ones], [*self.widths, 1])

    def at(self, bias: Floats) -> SideBySide:
        """Return the smooth terms at a fixed bias."""
        if not len(bias):
            return self.joint()
        return SideBySide([Logistic(self.sign, self.weight, bias), self.features], self.widths)

    def start(self) -> Floats:
        """Return zeros of the shape of Z."""
        return np.zeros((self.n, sum(self.widths) + (not len(self.bias))))

    def run_published(self, start: Floats, bias: Floats, penalty: NuclearNorm, count: int) -> tuple[Solution, Floats]:
        """Return the end of a number of published iterations at one weight."""
        steps = {"step": self.step, "bias_step": self.bias_step}
        return fpc(self.at, penalty, start, bias, **steps, tol=0, max_iter=count)


def follow_objective(
    data: Dataset, rng: np.random.Generator, *, kind: str, algorithm: str, iterations: int, share: float
) -> dict[str, float]:
    """Return log10 of the relative distance of the objective from its minimum after a number of iterations.

    The algorithm is the published iteration at the last weight only ("plain"), or along the published path of weights
    ("continuation").
    """
    problem = Objective(data, rng, kind, share)
    best = proximal_gradient(problem.joint(), problem.penalty, problem.start(), tol=1e-10, max_iter=20000).objective[-1]
    value = _run(problem, algorithm, iterations)
    return {"log10_gap": float(np.log10(max(value / best - 1, 1e-12)))}


def _run(problem: Objective, algorithm: str, iterations: int) -> float:
    Z, bias = problem.start(), problem.bias
    top = problem.penalty.weight / SHARE_OF_TOP
    path = [problem.penalty.weight]
    while algorithm == "continuation" and path[0] < 0.25 * top:
        path.insert(0, 4 * path[0])
    for weight in path[:-1]:
        run, bias = problem.run_published(Z, bias, NuclearNorm(weight), max(1, iterations // (2 * len(path))))
        Z = run.x
    left = max(1, iterations - (len(path) - 1) * max(1, iterations // (2 * len(path))))
    return problem.run_published(Z, bias, problem.penalty, left)[0].objective[-1]


def follow_path(data: Dataset, rng: np.random.Generator, *, together: bool, weights: int = 14) -> dict[str, float]:
    """Return the iterations of MC-1 at a number of weights, each half of the last: in one run, or each from zero."""
    problem = Objective(data, rng, "MC-1", 0.4)
    Z, top, total = problem.start(), problem.penalty.weight / SHARE_OF_TOP, 0
    for k in range(weights):
        start = Z if together else problem.start()
        run = proximal_gradient(problem.joint(), NuclearNorm(top / 2**k), start, tol=1e-3, max_iter=20000)
        Z, total = run.x, total + run.n_iter
    return {"iterations": float(total)}


def impute(data: Dataset, rng: np.random.Generator, *, reading: str, omega: float) -> dict[str, float]:
    """Return the imputation error of a Gaussian in one of three readings of EM.

    The reading is the conditional mean at convergence ("converged") or after three iterations ("3 iterations"), or a
    draw from the conditional distribution at convergence ("one draw").
    """
    X = np.asarray(data.X, dtype=np.float64)
    gaps = rng.permutation(X.size).reshape(X.shape) >= round(omega * X.size)
    seen = np.where(gaps, np.nan, X)
    model = GaussianMixtureImputer(1, max_iter=3 if reading == "3 iterations" else 200).fit(seen)
    filled = model.transform(seen)
    if reading == "one draw":
        filled = filled + model.scaler_.scale * _draw_residuals(model.mixture_.parts[0].cov, gaps, rng)
    return {"imputation_error": float(np.linalg.norm((filled - X)[gaps]) / np.linalg.norm(X[gaps]))}


def _draw_residuals(cov: Floats, gaps: Mask, rng: np.random.Generator) -> Floats:
    """Return a draw, around the conditional mean, of the missing values of each item, and 0 for known values."""
    noise = np.zeros(gaps.shape)
    for i in np.flatnonzero(gaps.any(axis=1)):
        missing = gaps[i]
        known, cross = ~missing, cov[np.ix_(missing, ~missing)]
        left = cov[np.ix_(missing, missing)] - cross @ np.linalg.solve(cov[np.ix_(known, known)], cross.T)
        noise[i, missing] = rng.multivariate_normal(np.zeros(missing.sum()), (left + left.T) / 2, method="eigh")
    return noise


def learn_products(
    data: Dataset, rng: np.random.Generator, *, omega: float, min_shared: float | None = None
) -> dict[str, float]:
    """Return the label error of MC-1 where each label is the sign of a product of two linear functions of the features.

    ``omega`` is the share of the features, and of the items with labels. With ``min_shared``, the entries of
    :func:`map_by_kernel` replace the features.
    """
    X, shape = np.asarray(data.X), (data.X.shape[1], data.Y.shape[1])
    truth = (X @ rng.normal(size=shape)) * (X @ rng.normal(size=shape)) > 0
    Y = np.where(rng.random((len(X), 1)) < omega, truth, np.nan)
    features = np.where(rng.random(X.shape) < omega, X, np.nan)
    if min_shared is not None:
        features = map_by_kernel(features, min_shared)
    model = MC1(criterion="labels", label_weight=1.0, rule=Rule("fixed", threshold=0.0)).fit(features, Y)
    return {"hamming_loss": float(np.mean((model.transduction_ != truth)[np.isnan(Y)]))}


def map_by_kernel(X: Floats, min_shared: float) -> Floats:
    r"""Return the quadratic kernel :math:`(m + 1)^2` of items with gaps (section 5) with a random sample of them.

    m is the mean of :math:`x_k x'_k` over the features k that two items share, after each is standardised. An entry is
    NaN where they share none, or a smaller part than ``min_shared``; 1 is the reading of the paper.
    """
    items = X[order_items(X)]
    scaler = Scaler.learn(items, "standard")
    chosen = np.random.default_rng(0).permutation(len(items))[:MAX_LANDMARKS]
    own, others = (scaler(each) for each in (X, items[np.sort(chosen)]))
    count = (~np.isnan(own) * 1.0) @ (~np.isnan(others) * 1.0).T
    with np.errstate(divide="ignore", invalid="ignore"):
        gram = (np.nan_to_num(own) @ np.nan_to_num(others).T / count + 1) ** 2
    return np.where(count >= max(min_shared * X.shape[1], 1.0), gram, np.nan)


def recover(data: Dataset, rng: np.random.Generator, *, rank: int, omega: float) -> dict[str, float]:
    """Return MC-1's imputation error without noise, and the observed feature entries over the degrees of freedom.

    A matrix of rank r with n items and d features has r (n + d - r) degrees of freedom.
    """
    n, d = data.X.shape
    whole = make_low_rank(n, d, rank, data.Y.shape[1], 0.0, rng).dataset
    X, Y = np.asarray(whole.X), whole.Y.values()
    gaps = rng.random(X.shape) >= omega
    Y[rng.random(Y.shape) >= omega] = np.nan
    model = MC1(scale=None, criterion="features", label_weight=0.01, rule=Rule("fixed", threshold=0.0))
    filled = model.fit(np.where(gaps, np.nan, X), Y).transform(np.where(gaps, np.nan, X))
    error = np.linalg.norm((filled - X)[gaps]) / np.linalg.norm(X[gaps])
    return {"relative_error": float(error), "entries_per_freedom": float((~gaps).sum() / (rank * (n + d - rank)))}
