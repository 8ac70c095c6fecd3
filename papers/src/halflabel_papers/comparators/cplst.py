"""CPLST: ridge regression onto the label directions that features predict best (Chen & Lin 2012)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates, list_candidates
from halflabel.methods.validation import require_positive
from halflabel.numerics.solvers import Solution, Status
from halflabel.plugins import Floats, Matrix, stored
from halflabel_papers.comparators.comparator import Comparator, Model, Setting
from halflabel_papers.comparators.leml import LowRankMap
from halflabel_papers.comparators.projection import MAX_FEATURES


class CPLST(Comparator):
    r"""Conditional principal label space transformation.

    With centred features X and labels Y (+1 and -1, minus the mean of the label), and the hat matrix
    :math:`H = X (X^T X + \lambda I)^{-1} X^T`, the code of a label row y is :math:`V^T y`, where V has the leading m
    eigenvectors of :math:`Y^T H Y`: the directions with the smallest sum of the error of the code and of its ridge
    regression. A score is the regression of the code, decoded by V, plus the mean of the label.

    Parameters
    ----------
    share : float or sequence of float, default=0.5
        m as a share of the labels, at least one label.
    ridge : float or sequence of float, default=0.1
        :math:`\lambda`. Cross-validation chooses among several values, here and above.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    n_folds : int, default=5
        Number of folds of annotated items, for the choice of a setting and the scores that calibrate probabilities.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with 0.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    model_ : LowRankMap
    solution_, setting_, cv_results_, label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`LEML`.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, a parameter is out of its range, or X has
        more than 10,000 features.

    Notes
    -----
    Cost: :math:`O(n d^2 + d^3)` for d features.

    **Departures from the paper.** It needs all labels of an annotated item; here an unknown entry has the mean of its
    label, that is 0 after centring. Features are centred, so that the intercept is not penalised. The default of
    ``ridge`` is that of the authors' program. The text of the paper was not available: the method follows that program.

    References
    ----------
    .. [1] Y.-N. Chen and H.-T. Lin, "Feature-aware label space dimension reduction for multi-label classification",
       NIPS 2012.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] < 0]).astype(float)
    >>> Y[[2, 9]] = np.nan
    >>> CPLST(n_folds=3).fit(X, Y).transduction_[[2, 9]]
    array([[0, 1],
           [1, 0]])
    """

    own_threshold: ClassVar[float] = 0.0

    def __init__(
        self,
        share: Candidates = 0.5,
        *,
        ridge: Candidates = 0.1,
        scale: str | None = "auto",
        n_folds: int = 5,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.share = share
        self.ridge = ridge
        self.scale = scale
        self.n_folds = n_folds
        self.rule = rule
        self.random_state = random_state

    def _settings(self) -> list[Setting]:
        require_positive(self, "share", "ridge", several=True)
        pairs = itertools.product(list_candidates(self.share), list_candidates(self.ridge))
        return [{"share": share, "ridge": ridge} for share, ridge in pairs]

    def _learn(self, X: Matrix, state: Floats, settings: Sequence[Setting]) -> list[tuple[Model, Solution]]:
        if X.shape[1] > MAX_FEATURES:
            raise ValueError(f"CPLST takes at most {MAX_FEATURES} features; X has {X.shape[1]}: reduce them first.")
        X = stored(X, as_sparse=False)
        return [encode_and_regress(X, state, **setting) for setting in settings]


def encode_and_regress(X: Floats, state: Floats, *, share: float, ridge: float) -> tuple[LowRankMap, Solution]:
    """Return the map of :class:`CPLST`. The residual of the solution is that of the ridge regression."""
    known = state != 0
    mean, b = X.mean(axis=0), state.sum(axis=0) / known.sum(axis=0)
    centred, Y = X - mean, np.where(known, state - b, 0.0)
    gram = centred.T @ centred + ridge * np.eye(X.shape[1])
    crossed = centred.T @ Y
    weights = linalg.solve(gram, crossed, assume_a="pos")
    values: Any = linalg.eigh(crossed.T @ weights)
    V = values[1][:, ::-1][:, : max(round(share * len(b)), 1)]
    W = weights @ V
    residual = float(np.abs(gram @ W - crossed @ V).max() / max(np.abs(crossed).max(), 1.0))
    objective = float(np.square(Y - Y @ V @ V.T).sum() + np.square(centred @ W - Y @ V).sum() + ridge * np.vdot(W, W))
    return LowRankMap(W, V, b, mean), Solution(W @ V.T, (objective,), residual, 1, Status.CONVERGED)
