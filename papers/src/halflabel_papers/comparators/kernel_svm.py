"""One support vector machine per label: the BR of Zhao & Guo (2015), with a choice of C and of the kernel."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.svm import SVC

from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates, list_candidates
from halflabel.methods.validation import require_positive
from halflabel.numerics.kernels import mean_distance
from halflabel.numerics.solvers import Solution, Status
from halflabel.plugins import Floats, Matrix
from halflabel_papers.comparators.comparator import Comparator, Model, Setting


class KernelSVM(Comparator):
    """One libsvm per label, with the same C and kernel for all labels.

    Parameters
    ----------
    C : float or sequence of float, default=1.0
        Cross-validation chooses among several values, here and below.
    width : float or sequence of float, default=1.0
        Bandwidth of an RBF kernel in units of the mean distance between items; infinite for the linear kernel.
    scale, n_folds, rule, random_state : as in :class:`MLRGL`

    Attributes
    ----------
    model_, solution_, setting_, cv_results_, label_scores_, label_probabilities_ : as in :class:`MLRGL`

    Examples
    --------
    >>> X = np.arange(12.0)[:, None]
    >>> y = np.where(X[:, 0] < 6, 0.0, 1.0)
    >>> y[[2, 8]] = np.nan
    >>> KernelSVM(C=10.0, n_folds=3).fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    """

    own_threshold: ClassVar[float] = 0.0

    def __init__(
        self,
        C: Candidates = 1.0,
        *,
        width: Candidates = 1.0,
        scale: str | None = "auto",
        n_folds: int = 5,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.C = C
        self.width = width
        self.scale = scale
        self.n_folds = n_folds
        self.rule = rule
        self.random_state = random_state

    def _settings(self) -> list[Setting]:
        require_positive(self, "C", "width", several=True)
        pairs = itertools.product(list_candidates(self.width), list_candidates(self.C))
        return [{"width": width, "C": C} for width, C in pairs]

    def _learn(self, X: Matrix, state: Floats, settings: Sequence[Setting]) -> list[tuple[Model, Solution]]:
        unit = mean_distance(X, np.random.default_rng(self.random_state))
        grams = {width: compute_kernel(X, X, width * unit) for width in {each["width"] for each in settings}}
        learned: list[tuple[Model, Solution]] = []
        for each in settings:
            weights = [_fit_one(grams[each["width"]], signs, each["C"]) for signs in state.T]
            model = Machines(X, each["width"] * unit, np.column_stack(weights))
            learned.append((model, Solution(model.weights, (), 0.0, 0, Status.CONVERGED)))
        return learned


@dataclass(frozen=True)
class Machines:
    """The machines of all labels."""

    #: The items that they were learned from.
    items: Matrix
    bandwidth: float
    #: Shape (n_items + 1, n_labels). The last row is the intercepts.
    weights: Floats

    def __call__(self, X: Matrix) -> Floats:
        """Return one column of scores per label."""
        return np.asarray(compute_kernel(X, self.items, self.bandwidth) @ self.weights[:-1] + self.weights[-1])


def compute_kernel(X: Matrix, items: Matrix, bandwidth: float) -> Floats:
    """Return the RBF kernel of this bandwidth, or the linear kernel if it is infinite."""
    if np.isinf(bandwidth):
        return np.asarray(linear_kernel(X, items, dense_output=True))
    return np.asarray(rbf_kernel(X, items, gamma=0.5 / bandwidth**2))


def _fit_one(K: Floats, signs: Floats, C: float) -> Floats:
    """Return the weights of the items of one label, whose unknown entries are 0, and the intercept."""
    known = np.flatnonzero(signs)
    machine = SVC(kernel="precomputed", C=C).fit(K[np.ix_(known, known)], signs[known])
    weights = np.zeros(len(signs) + 1)
    weights[known[machine.support_]] = machine.dual_coef_[0]
    weights[-1] = machine.intercept_[0]
    return weights
