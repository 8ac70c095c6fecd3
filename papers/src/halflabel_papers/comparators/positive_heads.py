"""Linear models for positive-only labels: weighted Elkan-Noto (2008), and expected-positive regularisation (2021)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import optimize
from scipy.special import expit

from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates, list_candidates
from halflabel.methods.validation import require_positive, require_whole
from halflabel.numerics.solvers import Solution, Status
from halflabel.plugins import Floats, Matrix, is_sparse
from halflabel_papers.comparators.comparator import Comparator, Model, Setting

#: The largest weight of an unassigned entry as a positive.
MAX_WEIGHT = 1.0

#: Largest entry of the gradient at which a fit counts as converged at its iteration limit.
MAX_GRADIENT = 1e-5


@dataclass(frozen=True, eq=False)
class LinearHead:
    """Logistic models of all labels. A call returns probabilities."""

    weights: Floats
    bias: Floats

    def __call__(self, X: Matrix) -> Floats:
        """Return one column of probabilities per label."""
        return np.asarray(expit(np.asarray(X @ self.weights) + self.bias))


def fit_weighted_logistic(X: Matrix, positive: Floats, negative: Floats, C: float, max_iter: int) -> Solution:
    r"""Minimise :math:`\tfrac{1}{2C}\|W\|^2 + \sum_{ij} (a_{ij} \ell(z_{ij}) + b_{ij} \ell(-z_{ij}))`, Z = XW + b.

    :math:`\ell(z) = \log(1 + e^{-z})`; a and b are the weights of an entry as a positive and as a negative. The last
    row of ``x`` is the bias, which is not penalised. Labels are independent and solved one after the other.
    """
    each = [_fit_one(X, a[:, None], b[:, None], C, max_iter) for a, b in zip(positive.T, negative.T, strict=True)]
    converged = all(solution.status is Status.CONVERGED for solution in each)
    return Solution(
        np.hstack([solution.x for solution in each]),
        (sum(solution.objective[-1] for solution in each),),
        max(solution.residual for solution in each),
        max(solution.n_iter for solution in each),
        Status.CONVERGED if converged else Status.MAX_ITER,
    )


def _fit_one(X: Matrix, positive: Floats, negative: Floats, C: float, max_iter: int) -> Solution:
    def loss(Z: Floats) -> tuple[float, Floats]:
        value = float((positive * np.logaddexp(0, -Z) + negative * np.logaddexp(0, Z)).sum())
        return value, -positive * expit(-Z) + negative * expit(Z)

    return minimise(X, 1, loss, 1 / C, max_iter)


def fit_expected_positives(
    X: Matrix, positive: Floats, known: Floats, count: float, weight: float, C: float, max_iter: int
) -> Solution:
    r"""Minimise the positives' loss, with the number of predicted positives near the expected one.

    .. math:: \tfrac{1}{2Cn}\|W\|^2 + \tfrac1n \sum_{ij} p_{ij} \ell(z_{ij})
        + \lambda \Bigl(\frac{\hat k - k}{L}\Bigr)^2, \qquad \hat k = \tfrac1n \sum_{ij} \sigma(z_{ij})

    with p = 1 for an assigned entry, over n items and L labels; entries that are not ``known`` do not count.
    """
    n, n_labels = positive.shape

    def loss(Z: Floats) -> tuple[float, Floats]:
        P = expit(Z) * known
        gap = (P.sum() / n - count) / n_labels
        value = float((positive * np.logaddexp(0, -Z)).sum() / n + weight * gap**2)
        return value, -positive * expit(-Z) / n + 2 * weight * gap / (n * n_labels) * P * (1 - expit(Z))

    return minimise(X, n_labels, loss, 1 / (C * n), max_iter)


def minimise(
    X: Matrix,
    n_labels: int,
    loss: Callable[[Floats], tuple[float, Floats]],
    ridge: float,
    max_iter: int,
    start: Floats | None = None,
    span: tuple[Floats, Floats] | None = None,
) -> Solution:
    """Return the weights, with the bias as the last row, by limited-memory BFGS, from 0 or ``start``.

    ``loss`` maps the logits to its value and its slope; the ridge is added here, and does not penalise the bias. With
    more features than items they are a combination of the items, whose coordinates are enough (``span``, if known).
    """
    if span := span or find_span(X):
        basis, items = span
        inner = None if start is None else np.vstack([basis.T @ start[:-1], start[-1:]])
        solution = minimise(items, n_labels, loss, ridge, max_iter, inner)
        return replace(solution, x=np.vstack([basis @ solution.x[:-1], solution.x[-1:]]))
    shape = (X.shape[1] + 1, n_labels)

    def value_and_grad(flat: Floats) -> tuple[float, Floats]:
        W = flat.reshape(shape)
        value, slope = loss(np.asarray(X @ W[:-1]) + W[-1])
        grad = np.vstack([np.asarray(X.T @ slope) + ridge * W[:-1], slope.sum(axis=0)])
        return value + ridge / 2 * float(np.square(W[:-1]).sum()), grad.ravel()

    # Tolerances at the rounding error, so that the order of labels does not change where it stops.
    options: Any = {"maxiter": max_iter, "maxfun": 10 * max_iter, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 20}
    first = np.zeros(shape[0] * shape[1]) if start is None else start.ravel()
    found = optimize.minimize(value_and_grad, first, jac=True, method="L-BFGS-B", options=options)
    residual = float(np.abs(found.jac).max(initial=0.0))
    status = Status.CONVERGED if found.nit < max_iter or residual <= MAX_GRADIENT else Status.MAX_ITER
    return Solution(found.x.reshape(shape), (float(found.fun),), residual, int(found.nit), status)


def find_span(X: Matrix) -> tuple[Floats, Floats] | None:
    """Return an orthonormal basis of the items and their coordinates, if X is dense with more features than items."""
    if is_sparse(X) or X.shape[0] >= X.shape[1]:
        return None
    basis, items = np.linalg.qr(X.T)
    return basis, items.T


def make_head(solution: Solution) -> LinearHead:
    """Return the model of a solution, whose last row is the bias."""
    return LinearHead(solution.x[:-1], solution.x[-1])


class LinearComparator(Comparator):
    """The parameters that the methods with a linear head share."""

    def __init__(
        self,
        C: Candidates = 1.0,
        *,
        observed_rate: float | None = None,
        scale: str | None = "auto",
        n_folds: int = 5,
        max_iter: int = 500,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.C = C
        self.observed_rate = observed_rate
        self.scale = scale
        self.n_folds = n_folds
        self.max_iter = max_iter
        self.rule = rule
        self.random_state = random_state

    def _settings(self) -> list[Setting]:
        require_positive(self, "C", several=True)
        require_whole(self, max_iter=1)
        rate = self.observed_rate
        if rate is not None and not 0 < rate <= 1:
            raise ValueError(f"observed_rate must be above 0 and at most 1, or None, not {rate!r}.")
        return [{"C": C} for C in list_candidates(self.C)]


class ElkanNoto(LinearComparator):
    r"""Weighted unassigned entries: each counts as a positive and as a negative at once.

    A logistic model g of being assigned is fitted first. With the label frequency c, an entry that is not assigned is
    relevant with probability

    .. math:: w(x) = \frac{1 - c}{c}\,\frac{g(x)}{1 - g(x)} ,

    so that it enters the second logistic model as a positive of weight w and as a negative of weight 1 - w (Elkan and
    Noto 2008). Scores are the probabilities of that model.

    Parameters
    ----------
    C : float or sequence of float, default=1.0
        Inverse ridge of both logistic models, as in scikit-learn.
    observed_rate : float or None, default=None
        The label frequency c; None is 1: no entry is a missing positive.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    n_folds : int, default=5
        Folds of annotated items, for the out-of-fold scores.
    max_iter : int, default=500
        Maximum number of iterations of each fit.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with .5.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    model_ : LinearHead
    solution_ : Solution
        Of the second model.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`LEML`.

    References
    ----------
    .. [1] C. Elkan and K. Noto, "Learning classifiers from only positive and unlabeled data", KDD 2008.

    Examples
    --------
    >>> from halflabel import PartialLabels
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = (X > 0).astype(float)
    >>> Y[8] = 0
    >>> model = ElkanNoto(C=100.0, observed_rate=0.8, n_folds=3).fit(X, PartialLabels.from_positives(Y))
    >>> bool(model.label_scores_[8, 0] > 0.5)
    True
    """

    def _learn(self, X: Matrix, state: Floats, settings: Sequence[Setting]) -> list[tuple[Model, Solution]]:
        learned: list[tuple[Model, Solution]] = []
        for setting in settings:
            weights = weigh_unassigned(X, state, setting["C"], self.observed_rate or 1.0, self.max_iter)
            unassigned = (state < 0).astype(np.float64)
            positive = (state > 0) + unassigned * weights
            solution = fit_weighted_logistic(X, positive, unassigned * (1 - weights), setting["C"], self.max_iter)
            learned.append((make_head(solution), solution))
        return learned


def weigh_unassigned(X: Matrix, state: Floats, C: float, frequency: float, max_iter: int) -> Floats:
    """Return w(x) of every entry, at most 1. ``state`` is 1 if assigned, -1 if not, 0 if unknown."""
    assigned, rest = (state > 0).astype(np.float64), (state < 0).astype(np.float64)
    g = make_head(fit_weighted_logistic(X, assigned, rest, C, max_iter))(X)
    odds = g / np.maximum(1 - g, np.finfo(float).tiny)
    return np.asarray(np.minimum((1 - frequency) / frequency * odds, MAX_WEIGHT))


class EPR(LinearComparator):
    r"""Expected-positive regularisation: only assigned entries have a loss, and the number of positives is fixed.

    Without negatives every score would grow; a penalty holds the mean number of predicted positives per item at the
    expected one, k (Cole et al. 2021 for single positives; here for any number). k is the number of assigned
    labels per item over the label frequency c.

    Parameters
    ----------
    C : float or sequence of float, default=1.0
        Inverse ridge, as in scikit-learn.
    observed_rate : float or None, default=None
        The label frequency c; None is 1: the expected number is that of the assigned labels.
    count_weight : float, default=100.0
        :math:`\lambda`. The authors' program has the number of labels, in this unit.
    scale, n_folds, max_iter, rule, random_state : as in :class:`ElkanNoto`

    Attributes
    ----------
    model_, solution_, label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`ElkanNoto`.

    Notes
    -----
    **Departures from the paper.** The paper trains a network by batches, and its penalty is that of a batch; here the
    model is linear, the penalty is that of all items, and the objective is minimised completely.

    References
    ----------
    .. [1] E. Cole, O. Mac Aodha, T. Lorieul, P. Perona, D. Morris and N. Jojic, "Multi-label learning from single
       positive labels", CVPR 2021.

    Examples
    --------
    >>> from halflabel import PartialLabels
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = np.hstack([X > 0, X < 0]).astype(float)
    >>> model = EPR(C=100.0, n_folds=3).fit(X, PartialLabels.from_positives(Y))
    >>> round(float(model.label_scores_.sum(axis=1).mean()), 1)
    1.0
    """

    def __init__(
        self,
        C: Candidates = 1.0,
        *,
        observed_rate: float | None = None,
        count_weight: float = 100.0,
        scale: str | None = "auto",
        n_folds: int = 5,
        max_iter: int = 500,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.count_weight = count_weight
        super().__init__(
            C,
            observed_rate=observed_rate,
            scale=scale,
            n_folds=n_folds,
            max_iter=max_iter,
            rule=rule,
            random_state=random_state,
        )

    def _learn(self, X: Matrix, state: Floats, settings: Sequence[Setting]) -> list[tuple[Model, Solution]]:
        require_positive(self, "count_weight")
        positive, known = (state > 0).astype(np.float64), (state != 0).astype(np.float64)
        count = float(positive.sum() / len(positive) / (self.observed_rate or 1.0))
        solutions = [
            fit_expected_positives(X, positive, known, count, self.count_weight, each["C"], self.max_iter)
            for each in settings
        ]
        return [(make_head(solution), solution) for solution in solutions]
