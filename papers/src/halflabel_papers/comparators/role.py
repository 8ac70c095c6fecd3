"""ROLE: labels and a classifier, estimated together from assigned labels only (Cole et al. 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import optimize
from scipy.special import expit

from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates
from halflabel.methods.validation import require_positive, require_whole
from halflabel.numerics.solvers import Solution, Status
from halflabel.plugins import Floats, Matrix, step
from halflabel_papers.comparators.comparator import Model, Setting
from halflabel_papers.comparators.positive_heads import LinearComparator, find_span, make_head, minimise


@dataclass(frozen=True, eq=False)
class Losses:
    r"""The losses of :class:`ROLE`, for one table of assigned entries."""

    #: ``positive``, ``known``: shape (n_items, n_labels). 1 for assigned entries; 1 for entries that are not unknown,
    #: which alone count.
    positive: Floats
    known: Floats
    #: k.
    count: float
    #: :math:`\lambda`.
    weight: float

    @classmethod
    def of(cls, state: Floats, frequency: float, weight: float) -> Losses:
        """Return the losses for entries coded 1 if assigned, -1 if not, 0 if unknown."""
        positive = (state > 0).astype(np.float64)
        return cls(positive, (state != 0).astype(np.float64), float(positive.sum() / len(state) / frequency), weight)

    def gap(self, P: Floats) -> float:
        """Return the mean number of labels per item minus k, over the number of labels."""
        count = float((P * self.known).sum()) / len(P)
        return (count - self.count) / int(P.shape[1])

    def of_model(self, labels: Floats, Z: Floats) -> tuple[float, Floats]:
        """Return the model's loss without its ridge, and the gradient for its logits Z."""
        F, n = expit(Z), len(Z)
        a, b, gap = (labels + self.positive) * self.known, (1 - labels) * self.known, self.gap(F)
        value = float((a * np.logaddexp(0, -Z) + b * np.logaddexp(0, Z)).sum()) / n + self.weight * gap**2
        pull = 2 * self.weight * gap / Z.shape[1] * self.known * F * (1 - F)
        return value, (b * F - a * (1 - F) + pull) / n

    def estimate_labels(self, F: Floats) -> Floats:
        """Return the labels that minimise their loss for the model's probabilities F."""
        unit = 2 * self.weight / F.shape[1]

        def excess(m: float) -> float:
            return float(m - unit * self.gap(self._root(F, m)))

        # A gap lies between the gap of a table of zeros and the gap of a table of ones.
        low, high = (unit * self.gap(np.full_like(F, value)) for value in (0.0, 1.0))
        return self._root(F, float(optimize.brentq(excess, low, high, xtol=1e-15, rtol=1e-14)))

    def _root(self, F: Floats, m: float) -> Floats:
        r"""Return the root of :math:`m y^2 - (1 + p + m) y + f + p = 0` between 0 and 1, without cancellation."""
        total, c = 1 + self.positive + m, F + self.positive
        root = np.sqrt(np.maximum(total**2 - 4 * m * c, 0.0))
        return np.where(total > 0, 2 * c / np.where(total > 0, total + root, 1.0), (total - root) / (2 * m or 1.0))

    def alternate(self, X: Matrix, C: float, tol: float, max_rounds: int, max_iter: int) -> Solution:
        """Return the weights, with the bias as the last row, of the fixed point of both steps."""
        n, n_labels = self.positive.shape
        ridge, objective, rounds = 1 / (C * n), [], 0
        shares = np.maximum(self.positive.mean(axis=0), 1 / n)
        share = float(np.clip(self.count / max(self.known.sum() / n, 1e-9), 0.01, 0.99))
        W = np.zeros((X.shape[1] + 1, n_labels))
        W[-1] = np.log(share / (1 - share))
        span = find_span(X)
        while True:
            Z = np.asarray(X @ W[:-1]) + W[-1]
            loss = partial(self.of_model, self.estimate_labels(expit(Z)))
            value, slope = loss(Z)
            residual = float((_largest_gradients(X, W, slope, ridge) / shares).max())
            objective.append(value + ridge / 2 * float(np.square(W[:-1]).sum()))
            if residual <= tol or rounds == max_rounds:
                status = Status.CONVERGED if residual <= tol else Status.MAX_ITER
                return Solution(W, tuple(objective), residual, rounds, status)
            step("estimating labels", rounds, max_rounds)
            W = minimise(X, n_labels, loss, ridge, max_iter, W, span).x
            rounds += 1


def _largest_gradients(X: Matrix, W: Floats, slope: Floats, ridge: float) -> Floats:
    """Return the largest entry of the gradient for each label's weights and bias."""
    weights = np.abs(np.asarray(X.T @ slope) + ridge * W[:-1]).max(axis=0, initial=0.0)
    return np.asarray(np.maximum(weights, np.abs(slope.sum(axis=0))))


class ROLE(LinearComparator):
    r"""Regularised online label estimation: the classifier and a table of labels each learn from the other.

    F are the probabilities of the linear model, :math:`\tilde Y` the probabilities of a free table of labels, p is 1
    for assigned entries and 0 for others, and :math:`H(a, b) = -a \log b - (1 - a) \log(1 - b)`. Each minimises its
    loss while the other one stays as it is (the paper stops the gradient there):

    .. math:: \min_W\ \tfrac1n \sum_{ij} \bigl(H(\tilde y_{ij}, f_{ij}) - p_{ij} \log f_{ij}\bigr)
        + \lambda \Bigl(\frac{\hat k(F) - k}{L}\Bigr)^2 + \tfrac{1}{2Cn}\|W\|^2

    .. math:: \min_{\tilde Y}\ \tfrac1n \sum_{ij} \bigl(H(f_{ij}, \tilde y_{ij}) - p_{ij} \log \tilde y_{ij}\bigr)
        + \lambda \Bigl(\frac{\hat k(\tilde Y) - k}{L}\Bigr)^2

    with n annotated items, L labels, :math:`\hat k` the mean number of labels per item, and k the number of assigned
    labels per item over the label frequency c. The two steps alternate until neither can lower its loss.

    Parameters
    ----------
    C : float or sequence of float, default=1.0
        Inverse ridge, as in scikit-learn.
    observed_rate : float or None, default=None
        The label frequency c; None is 1: the expected number is that of the assigned labels.
    count_weight : float, default=100.0
        :math:`\lambda`. The authors' program has the number of labels, in this unit.
    scale, n_folds : as in :class:`ElkanNoto`
    tol : float, default=0.05
        The alternation stops when no entry of the gradient of the model's loss is above ``tol`` times the share of
        items that the label is assigned to, at labels that minimise their own loss.
    max_rounds : int, default=200
        Maximum number of alternations.
    max_iter : int, default=10
        Maximum number of iterations of the model's step in one round; it begins where the last one ended.
    rule, random_state : as in :class:`ElkanNoto`

    Attributes
    ----------
    model_ : LinearHead
        Its probabilities are F.
    solution_ : Solution
        ``objective`` has the loss of the model before the first round and after each; ``residual`` is what ``tol``
        limits.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`ElkanNoto`.

    Notes
    -----
    The step of the labels is exact: with :math:`m = 2 \lambda (\hat k(\tilde Y) - k) / L^2` an entry is the root in
    [0, 1] of :math:`m \tilde y^2 - (1 + p + m) \tilde y + f + p = 0`, and m is the root of one increasing function. The
    step of the model is limited-memory BFGS. Costs at most ``max_rounds`` times ``max_iter`` products of X with the
    weights, for each fold and each C. k counts all labels together: with a small :math:`\lambda`, a frequent label can
    get scores near 1 for every item, and the rounds then converge slowly.

    **Departures from the paper.** The paper trains a network and the logits of :math:`\tilde Y` together by batches,
    from random labels and with an early stop; here the model is linear with a ridge, k is compared with the mean of all
    items, the steps alternate to a fixed point, and the first model is constant, so that nothing is random. Losses are
    sums over labels where the paper has means: :math:`\lambda` is L times that of the paper.

    References
    ----------
    .. [1] E. Cole, O. Mac Aodha, T. Lorieul, P. Perona, D. Morris and N. Jojic, "Multi-label learning from single
       positive labels", CVPR 2021.

    Examples
    --------
    >>> from halflabel import PartialLabels
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = (X > 0).astype(float)
    >>> Y[8] = 0
    >>> model = ROLE(C=100.0, observed_rate=5 / 6, n_folds=3).fit(X, PartialLabels.from_positives(Y))
    >>> bool(model.label_scores_[8, 0] > 0.5)
    True
    """

    def __init__(
        self,
        C: Candidates = 1.0,
        *,
        observed_rate: float | None = None,
        count_weight: float = 100.0,
        scale: str | None = "auto",
        n_folds: int = 5,
        tol: float = 0.05,
        max_rounds: int = 200,
        max_iter: int = 10,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.count_weight = count_weight
        self.tol = tol
        self.max_rounds = max_rounds
        super().__init__(
            C,
            observed_rate=observed_rate,
            scale=scale,
            n_folds=n_folds,
            max_iter=max_iter,
            rule=rule,
            random_state=random_state,
        )

    def _settings(self) -> list[Setting]:
        require_positive(self, "tol", "count_weight")
        require_whole(self, max_rounds=1)
        return super()._settings()

    def _learn(self, X: Matrix, state: Floats, settings: Sequence[Setting]) -> list[tuple[Model, Solution]]:
        pair = Losses.of(state, self.observed_rate or 1.0, self.count_weight)
        limits = (self.tol, self.max_rounds, self.max_iter)
        solutions = [pair.alternate(X, each["C"], *limits) for each in settings]
        return [(make_head(solution), solution) for solution in solutions]
