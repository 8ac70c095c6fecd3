"""FastTag: tags completed from other tags and from features, by linear maps in closed form (Chen et al. 2013)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from sklearn.linear_model import Ridge

from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates, list_candidates
from halflabel.methods.validation import is_real, require, require_positive
from halflabel.numerics.solvers import Solution, Status
from halflabel.plugins import Floats, Matrix
from halflabel_papers.comparators.comparator import Comparator, Model, Setting

#: Maximum relative residual of the linear system for B; features that differ in scale can exceed it by rounding.
MAX_RESIDUAL = 1e-6


class FastTag(Comparator):
    r"""Fast image tagging: a map B that completes tags and a map W that predicts the completed tags from features.

    With y the tags of an annotated item (1 assigned, else 0; a constant tag 1 is appended), :math:`\tilde y` the same
    with each tag blanked out independently with probability p, minimises over n items

    .. math::
        \frac1n \sum_i \|B y_i - W x_i - w_0\|^2 + \lambda\|W\|_F^2
        + \frac{\gamma}{n} \sum_i \mathrm{E}\|y_i - B \tilde y_i\|^2 .

    The expectation is known in closed form. A new item's score is :math:`Wx + w_0`, in units of a tag (0 to 1).

    Parameters
    ----------
    alpha : float or sequence of float, default=(0.1, 0.3, 1.0, 3.0)
        :math:`\lambda`, against the mean squared difference of the two maps. Cross-validation chooses among several
        values, here and below.
    alpha_enrichment : float or sequence of float, default=(10.0, 1.0)
        :math:`\gamma`.
    blankout : float or sequence of float, default=0.3
        p, above 0 and below 1. A tag is completed from the other tags because it may have been blanked out.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    n_folds : int, default=5
        Number of folds of annotated items, for the choice of a setting and the scores that calibrate probabilities.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with .5.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    model_ : Enriched
        W, :math:`w_0` and B.
    solution_ : Solution
        ``x`` is B, ``objective`` has the minimum, ``residual`` is the relative residual of the linear system for B.
    setting_ : dict
        The weights of the fit.
    cv_results_ : dict of ndarray
        As in :class:`LEML`.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`LEML`.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, or a parameter is out of its range.

    Notes
    -----
    B depends on the features only through the ridge regression of the tags on them: with S the second moments
    of y, P and Q the moments with :math:`\tilde y` on one or both sides, and R the inner products of the tags
    with the residuals of that regression, :math:`B = \gamma P (\gamma Q + R)^{-1}` and W is B times its coefficients.
    The cost is one ridge regression of q tags on m features, :math:`O(n m \min(n, m))` for dense X, conjugate
    gradients for sparse X, and :math:`O(n q^2 + q^3)`.

    The method is for positive-only labels. Of other labels it uses the relevant entries only: unknown and irrelevant
    ones are both 0 and may be completed. Items with no observed entry are left out.

    **Departures from the paper.** The paper applies its two closed forms in turn; here they are solved together, which
    is their limit. Both maps have an intercept without penalty. Bootstrapping (layers), the measures for rare tags and
    several feature sets are not available. The text of the paper was not available: the objective is from its abstract,
    from memory and from public code, and equations have no numbers.

    References
    ----------
    .. [1] M. Chen, A. Zheng and K. Q. Weinberger, "Fast image tagging", ICML 2013.

    Examples
    --------
    >>> from halflabel import PartialLabels
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] > 0, X[:, 0] < 0]).astype(float)
    >>> Y[8, 1] = 0
    >>> model = FastTag(alpha=0.1, n_folds=3).fit(X, PartialLabels.from_positives(Y))
    >>> model.transduction_[8].tolist()
    [1, 1, 0]
    """

    model_: Enriched

    def __init__(
        self,
        alpha: Candidates = (0.1, 0.3, 1.0, 3.0),
        *,
        alpha_enrichment: Candidates = (10.0, 1.0),
        blankout: Candidates = 0.3,
        scale: str | None = "auto",
        n_folds: int = 5,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.alpha = alpha
        self.alpha_enrichment = alpha_enrichment
        self.blankout = blankout
        self.scale = scale
        self.n_folds = n_folds
        self.rule = rule
        self.random_state = random_state

    def _settings(self) -> list[Setting]:
        require_positive(self, "alpha", "alpha_enrichment", several=True)
        require(
            self,
            "blankout",
            lambda p: is_real(p) and 0 < p < 1,
            "be above 0 and below 1",
            several=True,
            reason="at 0 every tag is rebuilt from itself, at 1 from nothing",
        )
        names = ("alpha", "alpha_enrichment", "blankout")
        offered = itertools.product(*(list_candidates(getattr(self, name)) for name in names))
        return [dict(zip(names, each, strict=True)) for each in offered]

    def _learn(self, X: Matrix, state: Floats, settings: Sequence[Setting]) -> list[tuple[Model, Solution]]:
        return [enrich(X, (state > 0).astype(np.float64), **setting) for setting in settings]


@dataclass(frozen=True)
class Enriched:
    """The map W of FastTag."""

    #: Shape (n_labels, n_features).
    W: Floats
    #: Shape (n_labels,).
    w0: Floats

    def __call__(self, X: Matrix) -> Floats:
        """Return the scores of the rows of X."""
        return np.asarray(X @ self.W.T + self.w0)


def enrich(
    X: Matrix, tags: Floats, *, alpha: float, alpha_enrichment: float, blankout: float
) -> tuple[Enriched, Solution]:
    """Minimise the objective of :class:`FastTag`."""
    weights = np.full(len(tags), 1 / len(tags))
    ridge = Ridge(alpha, tol=1e-12).fit(X, tags, sample_weight=weights)
    coef, intercept = np.reshape(ridge.coef_, (tags.shape[1], -1)), np.reshape(ridge.intercept_, -1)
    P, Q = blanked_moments(tags, blankout)
    system = alpha_enrichment * Q
    R = (tags - weights @ tags).T @ (weights[:, None] * (tags - (X @ coef.T + intercept)))
    system[:-1, :-1] += (R + R.T) / 2
    B = alpha_enrichment * linalg.solve(system, P.T, assume_a="pos", check_finite=False).T
    residual = float(linalg.norm(B @ system - alpha_enrichment * P) / linalg.norm(alpha_enrichment * P))
    objective = alpha_enrichment * float(weights @ (tags**2).sum(axis=1) - np.vdot(P, B))
    status = Status.CONVERGED if residual <= MAX_RESIDUAL else Status.MAX_ITER
    model = Enriched(B[:, :-1] @ coef, B[:, :-1] @ intercept + B[:, -1])
    return model, Solution(B, (objective,), residual, 1, status)


def blanked_moments(tags: Floats, blankout: float) -> tuple[Floats, Floats]:
    r"""Return P, the mean of :math:`y\,\mathrm{E}\tilde y^T`, and Q, that of :math:`\mathrm{E}\tilde y\tilde y^T`.

    A constant tag is the last entry of :math:`\tilde y`. It is never blanked out.
    """
    whole = np.column_stack([tags, np.ones(len(tags))])
    S = whole.T @ (np.full((len(tags), 1), 1 / len(tags)) * whole)
    keep = np.append(np.full(tags.shape[1], 1 - blankout), 1.0)
    Q = S * np.outer(keep, keep)
    np.fill_diagonal(Q, keep * np.diag(S))
    return S[:-1] * keep, Q
