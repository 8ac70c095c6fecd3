"""The problem on arrays: observed entries, terms, the path of weights, and the call of a solver."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg

from halflabel._arrays import Floats, Mask
from halflabel.numerics.losses import BiasedLogistic, Logistic, SideBySide, Squared
from halflabel.numerics.penalties import NuclearNorm
from halflabel.numerics.solvers import Solution, Status
from halflabel.numerics.solvers.davis_yin import davis_yin
from halflabel.numerics.solvers.factors import Factors, factorize, gradient_norm
from halflabel.numerics.solvers.fpc import fpc
from halflabel.numerics.solvers.proximal_gradient import proximal_gradient

#: Number of times that the largest weight of the path is halved.
HALVINGS = 13

#: Ratio of two weights of the published path, and its last weight.
PUBLISHED_RATIO, PUBLISHED_END = 0.25, 1e-5

#: Relative gap that is enough for cross-validation, and for the larger weights on the way to a given one.
ROUGH = 1e-2


@dataclass(frozen=True, eq=False)
class Data:
    """The observed labels and features."""

    #: Shape (n, t). +1 relevant, -1 irrelevant, 0 unknown.
    sign: Floats
    #: The loss of the d features with weight 1.
    features: Squared

    @property
    def seen(self) -> tuple[int, int]:
        """Numbers of observed labels and features, each at least 1."""
        mask = self.features.observed
        cells = len(self.sign) * self.features.target.shape[1] if mask is None else int(mask.sum())
        return max(int(np.count_nonzero(self.sign)), 1), max(cells, 1)

    def without(self, labels: Mask, features: Mask | None) -> Data:
        """Return the same data with some labels, and some features, unknown."""
        kept = self.features
        if features is not None:
            mask = ~features if kept.observed is None else kept.observed & ~features
            kept = replace(kept, target=np.where(mask, kept.target, 0.0), observed=mask)
        return Data(np.where(labels, 0.0, self.sign), kept)


@dataclass(frozen=True, eq=False)
class Completed:
    """A solution at one weight."""

    #: Shape (n, m). Columns: labels, features, and the ones of MC-1.
    Z: Floats
    #: Shape (t,). b of MC-b, zeros for MC-1.
    bias: Floats
    #: The smooth part of the objective.
    terms: SideBySide
    #: ``objective``, ``residual``, ``n_iter``, ``status``: As in :class:`halflabel.numerics.solvers.Solution`.
    objective: tuple[float, ...]
    residual: float
    n_iter: int
    status: Status

    @property
    def scores(self) -> Floats:
        """Label scores, z + b."""
        return np.asarray(self.Z[:, : len(self.bias)] + self.bias)

    @property
    def factors(self) -> Factors:
        """Factors of Z = U V^T."""
        return factorize(self.Z)


@dataclass(frozen=True)
class MatrixProblem:
    r"""The problem, and how it is solved."""

    #: Weight of an entry of the row of ones, in units of an observed feature; ``inf`` is the hard constraint, None is
    #: MC-b.
    row_weight: float | None
    #: Ridge on the bias of MC-b, in units of :math:`\lambda`.
    ridge: float
    #: One of "proximal_gradient", "davis_yin", "fpc".
    solver: str
    tol: float
    max_iter: int

    def terms(self, data: Data, label_weight: float) -> SideBySide:
        """Return the smooth part of eq. (2) or, with the soft row, of eq. (3)."""
        seen_labels, seen_features = data.seen
        weight, n = label_weight / seen_labels, len(data.sign)
        features = replace(data.features, weight=1 / seen_features)
        widths = [data.sign.shape[1], data.features.target.shape[1]]
        if self.row_weight is None:
            return SideBySide([BiasedLogistic(data.sign, weight, self.ridge * label_weight), features], widths)
        row = 0.0 if np.isinf(self.row_weight) else self.row_weight / seen_features
        if self.solver == "fpc":
            row = 1 / published_step(data, label_weight)
        ones = Squared(np.ones((n, 1)), None, row)
        return SideBySide([Logistic(data.sign, weight), features, ones], [*widths, 1])

    def path(self, data: Data, label_weight: float) -> Floats:
        """Return the weights of the path, descending. Z is 0 at the first weight. "fpc" has the published path."""
        if self.solver == "fpc":
            top = float(linalg.svdvals(_fill_with_zeros(data))[0]) * PUBLISHED_RATIO
            steps = int(np.ceil(np.log(PUBLISHED_END / top) / np.log(PUBLISHED_RATIO)))
            return np.asarray(top * PUBLISHED_RATIO ** np.arange(max(steps, 0) + 1))
        soft = replace(self, row_weight=1.0) if self.row_weight is not None and np.isinf(self.row_weight) else self
        top = gradient_norm(soft.terms(data, label_weight), len(data.sign)) or 1.0
        return np.asarray(top * 0.5 ** np.arange(HALVINGS + 1))

    def solve(self, data: Data, label_weight: float, alpha: float, start: Completed | None = None) -> Completed:
        """Return the solution at a weight. Without a start, follow the path of larger weights first."""
        terms = self.terms(data, label_weight)
        if start is None:
            rough = replace(self, tol=max(self.tol, ROUGH))
            larger = self.path(data, label_weight)
            for value in larger[larger > 1.5 * alpha]:
                start = rough._solve(terms, data, label_weight, float(value), start)
        return self._solve(terms, data, label_weight, alpha, start)

    def _solve(
        self, terms: SideBySide, data: Data, label_weight: float, alpha: float, start: Completed | None
    ) -> Completed:
        penalty, n, t = NuclearNorm(alpha), *data.sign.shape
        bias = np.zeros(t)
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        Z = np.zeros((n, sum(terms.widths))) if start is None else start.Z
        if self.solver == "davis_yin":
            solution = davis_yin(terms, penalty, _set_ones, Z, **limits)
        elif self.solver == "fpc":
            solution, bias = self._run_published(terms, data, label_weight, penalty, start)
            return self._complete(solution.x, bias, terms, solution)
        else:
            solution = proximal_gradient(terms, penalty, Z, **limits)
        return self._complete(solution.x, bias, terms, solution)

    def _complete(self, Z: Floats, bias: Floats, terms: SideBySide, solution: Any) -> Completed:
        labels = terms.terms[0]
        if isinstance(labels, BiasedLogistic) and self.solver != "fpc":
            bias = labels.bias(Z[:, : len(bias)])
        return Completed(Z, bias, terms, solution.objective, solution.residual, solution.n_iter, solution.status)

    def _run_published(
        self, terms: SideBySide, data: Data, label_weight: float, penalty: NuclearNorm, start: Completed | None
    ) -> tuple[Solution, Floats]:
        """Run Algorithm 1 or 2 with the published steps and start."""
        n, t = data.sign.shape
        seen_labels, _ = data.seen
        labels = Logistic(data.sign, label_weight / seen_labels)

        def smooth(b: Floats) -> SideBySide:
            return SideBySide([replace(labels, offset=b) if len(b) else labels, *terms.terms[1:]], terms.widths)

        Z = _approximate_by_rank_one(data, sum(terms.widths)) if start is None else start.Z
        bias = np.zeros(t if self.row_weight is None else 0)
        solution, bias = fpc(
            smooth,
            penalty,
            Z,
            start.bias if start is not None and len(bias) else bias,
            step=published_step(data, label_weight),
            bias_step=3.8 * seen_labels / (label_weight * n),
            tol=self.tol,
            max_iter=self.max_iter,
        )
        return solution, bias if len(bias) else np.zeros(t)


def published_step(data: Data, label_weight: float) -> float:
    r"""Return :math:`\tau_Z = \min(3.8|\Omega_Y|/\lambda, |\Omega_X|)`."""
    seen_labels, seen_features = data.seen
    return min(3.8 * seen_labels / label_weight, float(seen_features))


def _set_ones(Z: Floats) -> Floats:
    Z = Z.copy()
    Z[:, -1] = 1
    return Z


def _fill_with_zeros(data: Data) -> Floats:
    return np.hstack([data.sign, data.features.target])


def _approximate_by_rank_one(data: Data, width: int) -> Floats:
    """Return the published start: the best rank-1 approximation of the zero-filled observed entries, and ones."""
    M = _fill_with_zeros(data)
    U, s, Vt = linalg.svd(M, full_matrices=False)
    Z = np.ones((len(M), width))
    Z[:, : M.shape[1]] = s[0] * np.outer(U[:, 0], Vt[0])
    return Z
