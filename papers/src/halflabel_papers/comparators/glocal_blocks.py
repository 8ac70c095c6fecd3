"""The objective of GLOCAL, and the minimum over each block of its variables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.cluster import KMeans

from halflabel.numerics.solvers import Solution, Status
from halflabel.numerics.solvers.pcg import pcg
from halflabel.plugins import Floats, Ints, Matrix, stored

#: Relative residual of the linear systems. They start at the last solution, so that no step increases the objective.
CG_TOL = 1e-7

#: Number of projected gradient steps of Z in one alternation.
Z_STEPS = 10

#: Share of the largest squared singular value of X below which a principal axis is rounding.
RANK_TOL = 1e-10


@dataclass(frozen=True, eq=False)
class Items:
    """The items in coordinates in which the normal equations are almost diagonal."""

    #: Shape (n_items, n_axes). The centred items along their principal axes.
    B: Floats
    #: Shape (n_axes,). Squared norms of the columns of B, which are orthogonal.
    squares: Floats
    #: Shape (n_items,). The cluster of each item, from 0.
    clusters: Ints

    @classmethod
    def of(cls, X: Matrix, mean: Floats, n_clusters: int, random_state: int | None) -> Items:
        """Return the items X - mean, and at most ``n_clusters`` clusters by k-means."""
        B, squares = find_principal_coordinates(X, mean)
        distinct = min(n_clusters, len(np.unique(B, axis=0)))
        clusters = np.zeros(len(B), dtype=np.intp)
        if distinct > 1:
            clusters = KMeans(distinct, n_init=3, random_state=random_state).fit_predict(B).astype(np.intp)
        return cls(B, squares, clusters)

    def to_features(self, W: Floats, X: Matrix, mean: Floats) -> Floats:
        """Return weights of the features that give the rows of X - mean the same scores as W gives the rows of B."""
        A = self.B @ (W / self.squares[:, None])
        return np.asarray(X.T @ A - np.outer(mean, A.sum(axis=0)))

    @cached_property
    def members(self) -> list[Ints]:
        """Positions of the items of each cluster."""
        return [np.flatnonzero(self.clusters == m) for m in range(int(self.clusters.max()) + 1)]

    @cached_property
    def shares(self) -> Floats:
        """Share of the items in each cluster."""
        return np.array([len(rows) for rows in self.members]) / len(self.clusters)


def find_principal_coordinates(X: Matrix, mean: Floats) -> tuple[Floats, Floats]:
    """Return the rows of X - mean along its principal axes, and the squared singular values. Sparse X stays sparse.

    The eigenvectors belong to the smaller of the two Gram matrices.
    """
    n, d = X.shape
    gram = stored(X @ X.T if d > n else X.T @ X, as_sparse=False)
    if d > n:
        level = np.asarray(X @ mean)
        gram = gram - level[:, None] - level + mean @ mean
    else:
        gram = gram - n * np.outer(mean, mean)
    values, vectors = linalg.eigh(gram, check_finite=False)
    kept = values > values[-1] * RANK_TOL
    kept[-1] = True  # one axis, also if all items are equal
    values, vectors = np.maximum(values[kept], np.finfo(np.float64).tiny), vectors[:, kept]
    coordinates = vectors * np.sqrt(values) if d > n else np.asarray(X @ vectors) - mean @ vectors
    return np.ascontiguousarray(coordinates), values


@dataclass(frozen=True, eq=False)
class Kinds:
    """Items that have the same weights in the least squares problem of W."""

    #: Shape (n_items, n_axes).
    B: Floats
    #: Shape (n_items,). The kind of each item.
    kind: Ints
    #: ``pattern``, ``cluster``: shape (n_kinds,). The observed labels and the cluster of each kind.
    pattern: Ints
    cluster: Ints

    @classmethod
    def of(cls, items: Items, pattern_of: Ints) -> Kinds:
        """Return the kinds of items whose observed labels have these numbers."""
        n_clusters = len(items.members)
        pairs, kind = np.unique(pattern_of * n_clusters + items.clusters, return_inverse=True)
        return cls(items.B, kind.ravel(), *np.divmod(pairs, n_clusters))

    @cached_property
    def shares(self) -> Floats:
        """Share of the items of each kind."""
        return np.bincount(self.kind) / len(self.kind)

    @cached_property
    def grams(self) -> Floats | None:
        """The Gram matrix of the items of each kind, or None if products with B are cheaper."""
        n, r = self.B.shape
        if len(self.pattern) * r > 2 * n:
            return None
        return np.stack([self.B[rows].T @ self.B[rows] for rows in (self.kind == m for m in range(len(self.pattern)))])

    def weighted_gram(self, W: Floats, weights: Floats) -> Floats:
        """Return the sum of x x^T W N over the items x, with the matrix N of weights of their kind."""
        if self.grams is None:
            return np.asarray(self.B.T @ np.einsum("nk,nkl->nl", self.B @ W, weights[self.kind]))
        return np.asarray((self.grams @ W @ weights).sum(axis=0))


@dataclass(frozen=True, eq=False)
class Factors:
    """The variables: U and b of labels, V of items, W of coordinates, and Z of the labels in each cluster."""

    #: Shape (n_labels, k).
    U: Floats
    #: Shape (n_labels,).
    b: Floats
    #: Shape (n_items, k).
    V: Floats
    #: Shape (n_axes, k).
    W: Floats
    #: Shape (n_items, k). B W, the latent labels that follow from the features.
    T: Floats
    #: Shape (n_clusters, n_labels, k). Rows of length 1.
    Z: Floats


@dataclass(frozen=True, eq=False)
class Problem:
    r"""The objective of :class:`GLOCAL`, its weights in the order of its terms."""

    items: Items
    #: Shape (n_items, n_labels). +1, -1, and 0 for unknown.
    state: Floats
    #: ``alpha``, ``ridge``, ``alpha_global``, ``alpha_local``: :math:`\lambda, \lambda_2, \lambda_3, \lambda_4`.
    alpha: float
    ridge: float
    alpha_global: float
    alpha_local: float

    @cached_property
    def patterns(self) -> tuple[Floats, Ints]:
        """Every pattern of observed labels once, as 0 and 1, and the pattern of each item."""
        patterns, pattern_of = np.unique(self.state != 0, axis=0, return_inverse=True)
        return patterns.astype(np.float64), pattern_of.ravel()

    @cached_property
    def kinds(self) -> Kinds:
        """Items of one kind have the same observed labels and the same cluster."""
        return Kinds.of(self.items, self.patterns[1])

    def start(self, rank: int) -> Factors:
        """Return the start: U spans the labels' leading singular directions, and Z has the directions of its rows."""
        b = self.state.sum(axis=0) / np.maximum((self.state != 0).sum(axis=0), 1)
        directions = self.items.B.T @ self.above(b)
        k = min(rank, *directions.shape)
        U = linalg.svd(directions, full_matrices=False, check_finite=False)[2][:k].T
        Z = np.repeat(scale_rows(U, np.ones_like(U))[None], len(self.items.members), axis=0)
        empty = np.zeros((len(self.state), k))
        return self.fit_items(Factors(U, b, empty, np.zeros((len(directions), k)), empty, Z))

    def above(self, b: Floats) -> Floats:
        """Return the labels minus their intercepts, with 0 for unknown labels."""
        return np.where(self.state != 0, self.state - b, 0.0)

    def objective(self, at: Factors) -> float:
        """Return the objective."""
        gaps = np.where(self.state != 0, self.above(at.b) - at.V @ at.U.T, 0.0)
        link = at.V - at.T
        P = at.U.T @ at.Z
        smooth = float(np.sum(P * (self.moments(at.T) @ P)))
        size = sum(float(np.vdot(factor, factor)) for factor in (at.U, at.V, at.W))
        return float(np.vdot(gaps, gaps)) + self.alpha * float(np.vdot(link, link)) + self.ridge * size + smooth

    def moments(self, T: Floats) -> Floats:
        r"""Return :math:`N_m`, with which the terms of cluster m are :math:`\mathrm{tr}(Z_m^T U N_m U^T Z_m)`."""
        local = np.stack([T[rows].T @ T[rows] for rows in self.items.members])
        shares = self.items.shares[:, None, None]
        return np.asarray(self.alpha_global * shares * local.sum(axis=0) + self.alpha_local * local)

    # -- V and W -----------------------------------------------------------------------

    def fit_items(self, at: Factors) -> Factors:
        r"""Minimise over V and W together.

        With :math:`K_i = U^T J_i U + (\lambda + \lambda_2) I` the best :math:`v_i` is
        :math:`K_i^{-1} (U^T J_i (y_i - b) + \lambda W^T x_i)`. This leaves a least squares problem in W,
        in which item i has a matrix of weights.
        """
        patterns, pattern_of = self.patterns
        k = at.U.shape[1]
        own = (patterns @ (at.U[:, :, None] * at.U[:, None, :]).reshape(len(at.U), -1)).reshape(-1, k, k)
        own += self.ridge * np.eye(k)
        inverse = np.asarray(np.linalg.inv(own + self.alpha * np.eye(k)), dtype=np.float64)
        of_items = inverse[pattern_of]
        known = np.einsum("nk,nkl->nl", self.above(at.b) @ at.U, of_items)
        weights = (self.alpha * inverse @ own)[self.kinds.pattern] + self._weigh_clusters(at)[self.kinds.cluster]
        W = self._fit_coordinates(at.W, weights, self.alpha * self.items.B.T @ known)
        T = self.items.B @ W
        return replace(at, V=known + self.alpha * np.einsum("nk,nkl->nl", T, of_items), W=W, T=T)

    def _weigh_clusters(self, at: Factors) -> Floats:
        P = at.U.T @ at.Z
        local = P @ P.transpose(0, 2, 1)
        return np.asarray(self.alpha_global * np.tensordot(self.items.shares, local, 1) + self.alpha_local * local)

    def _fit_coordinates(self, start: Floats, weights: Floats, right: Floats) -> Floats:
        r"""Return W with :math:`\sum_i x_i x_i^T W N_i + \lambda_2 W` = right, where :math:`N_i` are the weights.

        In the eigenbasis of the mean of the weights the system is near to a diagonal one.
        """
        mean, Q = linalg.eigh(np.tensordot(self.kinds.shares, weights, 1), check_finite=False)

        def apply(w: Floats) -> Floats:
            product = self.kinds.weighted_gram(w.reshape(start.shape) @ Q.T, weights)
            return np.asarray((product @ Q).reshape(-1, 1) + self.ridge * w)

        diagonal = np.outer(self.items.squares, mean) + self.ridge
        first, target = ((table @ Q).reshape(-1, 1) for table in (start, right))
        solution = pcg(apply, target, diagonal.reshape(-1, 1), start=first, tol=CG_TOL, max_iter=300)
        return np.asarray(solution.x.reshape(start.shape) @ Q.T)

    # -- U -----------------------------------------------------------------------------

    def fit_labels(self, at: Factors) -> Factors:
        """Minimise over U and b: one system for all labels, scaled by the inverse roots of the labels' own blocks."""
        k = at.U.shape[1]
        latent = np.column_stack([at.V, np.ones(len(at.V))])
        ridge = self.ridge * np.diag(np.append(np.ones(k), 0.0))  # no weight on the intercept
        moments = np.pad(self.moments(at.T), ((0, 0), (0, 1), (0, 1)))
        squares = (latent[:, :, None] * latent[:, None, :]).reshape(len(latent), -1)
        own = ((self.state != 0).T.astype(np.float64) @ squares).reshape(-1, k + 1, k + 1) + ridge
        root = np.linalg.inv(np.linalg.cholesky(own + moments.sum(axis=0)))  # the diagonal of Z Z^T is 1

        def apply(w: Floats) -> Floats:
            u = np.einsum("jab,ja->jb", root, w.reshape(-1, k + 1))
            shared = (at.Z @ (at.Z.transpose(0, 2, 1) @ u) @ moments).sum(axis=0)
            return np.asarray(np.einsum("jab,jb->ja", root, np.einsum("jab,jb->ja", own, u) + shared).reshape(-1, 1))

        target = np.einsum("jab,jb->ja", root, self.state.T @ latent).reshape(-1, 1)
        first = np.linalg.solve(root.transpose(0, 2, 1), np.column_stack([at.U, at.b])[:, :, None])
        start = np.asarray(first.reshape(-1, 1), dtype=np.float64)
        solution = pcg(apply, target, np.ones_like(target), start=start, tol=CG_TOL, max_iter=300)
        found = np.einsum("jab,ja->jb", root, solution.x.reshape(-1, k + 1))
        return replace(at, U=found[:, :k], b=found[:, k])

    # -- Z -----------------------------------------------------------------------------

    def fit_correlations(self, at: Factors) -> Factors:
        r"""Take projected gradient steps in Z.

        A cluster's terms are :math:`\mathrm{tr}(Z^T A Z)`. The step 1 / Lipschitz does not increase them.
        """
        A = at.U @ self.moments(at.T) @ at.U.T
        step = 1 / np.maximum(np.linalg.eigvalsh(A)[:, -1], np.finfo(np.float64).tiny)
        Z = at.Z
        for _ in range(Z_STEPS):
            Z = scale_rows(Z - step[:, None, None] * (A @ Z), Z)
        return replace(at, Z=Z)

    # -- the scale ---------------------------------------------------------------------

    def balance(self, at: Factors) -> Factors:
        """Minimise over the scale of U against that of V and W, which no product changes."""
        link = at.V - at.T
        latent = self.alpha * np.vdot(link, link) + self.ridge * (np.vdot(at.V, at.V) + np.vdot(at.W, at.W))
        labels = self.ridge * np.vdot(at.U, at.U)
        if latent == 0 or labels == 0:
            return at
        scale = float(labels / latent) ** 0.25
        return replace(at, U=at.U / scale, V=at.V * scale, W=at.W * scale, T=at.T * scale)


def scale_rows(A: Floats, otherwise: Floats) -> NDArray[np.float64]:
    """Return the rows of A with length 1. A row of zeros is replaced by the row of ``otherwise``."""
    length = np.linalg.norm(A, axis=-1, keepdims=True)
    A, length = (
        np.where(length > 0, A, otherwise),
        np.where(length > 0, length, np.linalg.norm(otherwise, axis=-1, keepdims=True)),
    )
    return np.asarray(A / length)


def minimise_alternately(problem: Problem, rank: int, tol: float, max_iter: int) -> tuple[Factors, Solution]:
    """Minimise over one block after the other, until an alternation lowers the objective by less than a share of it."""
    at = problem.start(rank)
    objective, fall = [problem.objective(at)], np.inf
    while fall > tol and len(objective) <= max_iter:
        at = problem.fit_items(problem.fit_labels(problem.fit_correlations(problem.balance(at))))
        objective.append(problem.objective(at))
        fall = 1 - objective[-1] / (objective[-2] or 1.0)
    status = Status.CONVERGED if fall <= tol else Status.MAX_ITER
    return at, Solution(at.W @ at.U.T, tuple(objective), float(fall), len(objective) - 1, status)
