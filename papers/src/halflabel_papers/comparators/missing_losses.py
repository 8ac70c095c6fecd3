"""Losses for missing positives on a linear head: the terms of several methods, the Hill loss, and nnPU."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np
from scipy.special import expit

from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates
from halflabel.numerics.solvers import Solution
from halflabel.plugins import Floats, Mask, Matrix
from halflabel_papers.comparators.comparator import Model, Setting
from halflabel_papers.comparators.positive_heads import LinearComparator, make_head, minimise

#: From logits to the loss of each entry, and its slope.
Terms = tuple[Floats, Floats]
Loss = Callable[[Floats], tuple[float, Floats]]

#: Yields the loss of a round, and receives the probabilities of its solution.
Rounds = Generator[Loss, Floats, None]


def lose_positive(Z: Floats, margin: float = 0.0, gamma: float = 0.0) -> Terms:
    r"""Return :math:`-(1 - s)^\gamma \log s` with :math:`s = \sigma(z - m)`: the focal margin loss, or the log loss."""
    s, log_s = expit(Z - margin), -np.logaddexp(0, margin - Z)
    focus = (1 - s) ** gamma
    return -focus * log_s, gamma * s * focus * log_s - focus * (1 - s)


def lose_negative(Z: Floats, gamma: float = 0.0) -> Terms:
    r"""Return :math:`-p^\gamma \log(1 - p)` with :math:`p = \sigma(z)`: the focal loss, or the log loss."""
    p, surprise = expit(Z), np.logaddexp(0, Z)
    focus = p**gamma
    return focus * surprise, gamma * focus * (1 - p) * surprise + focus * p


def lose_hill(Z: Floats, scale: float) -> Terms:
    r"""Return :math:`(\lambda - p) p^2`, whose slope is small for a negative that looks like a positive."""
    p = expit(Z)
    return (scale - p) * p**2, (2 * scale * p - 3 * p**2) * p * (1 - p)


def gain_entropy(Z: Floats) -> Terms:
    r"""Return the negative entropy :math:`p \log p + (1 - p) \log(1 - p)`."""
    p = expit(Z)
    return -p * np.logaddexp(0, -Z) - (1 - p) * np.logaddexp(0, Z), Z * p * (1 - p)


def lose_soft(Z: Floats, target: Floats) -> Terms:
    """Return the log loss for a target between 0 and 1."""
    return target * np.logaddexp(0, -Z) + (1 - target) * np.logaddexp(0, Z), expit(Z) - target


def add_up(*parts: tuple[Any, Terms]) -> tuple[float, Floats]:
    """Return the weighted sum of losses over all entries, and its slope."""
    value = sum(float((weight * terms[0]).sum()) for weight, terms in parts)
    return value, np.asarray(sum(weight * terms[1] for weight, terms in parts))


class LossComparator(LinearComparator):
    """Base of the methods here. A subclass defines ``_list_rounds``."""

    def __init__(
        self,
        C: Candidates = 1.0,
        *,
        observed_rate: float | None = None,
        scale: str | None = "auto",
        n_folds: int = 3,
        max_iter: int = 200,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        shared: dict[str, Any] = {"scale": scale, "n_folds": n_folds, "max_iter": max_iter, "rule": rule}
        super().__init__(C, observed_rate=observed_rate, random_state=random_state, **shared)

    def _list_rounds(self, positive: Mask, rest: Mask) -> Rounds:
        """Yield the loss of each round. ``rest`` are the known entries that are not assigned."""
        raise NotImplementedError

    def _learn(self, X: Matrix, state: Floats, settings: Sequence[Setting]) -> list[tuple[Model, Solution]]:
        solutions = [self._solve(X, state, setting["C"]) for setting in settings]
        return [(make_head(solution), solution) for solution in solutions]

    def _solve(self, X: Matrix, state: Floats, C: float) -> Solution:
        rounds = self._list_rounds(state > 0, state < 0)
        loss, start = next(rounds), None
        while True:
            solution = minimise(X, state.shape[1], loss, 1 / C, self.max_iter, start)
            try:
                loss, start = rounds.send(make_head(solution)(X)), solution.x
            except StopIteration:
                return solution


class Hill(LossComparator):
    r"""Hill loss: the focal margin loss for assigned entries, and :math:`(\lambda - p) p^2` for the unassigned ones.

    With :math:`\lambda = 1.5` the slope of a negative vanishes as p approaches 1, so that a missing positive with a
    high score is not pushed down. The margin is 1 and the focus 2, as in the authors' program.

    Parameters
    ----------
    C : float or sequence of float, default=1.0
        Inverse ridge, as in scikit-learn; the loss is a sum over entries.
    observed_rate : float or None, default=None
        Not used.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    n_folds : int, default=3
        Folds of annotated items, for the out-of-fold scores that calibrate the probabilities.
    max_iter : int, default=200
        Maximum number of iterations of each fit.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with .5.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    model_, solution_, label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`ElkanNoto`.

    References
    ----------
    .. [1] Y. Zhang, Y. Cheng, X. Huang, F. Wen, R. Feng, Y. Li and Y. Guo, "Simple and robust loss design for
       multi-label learning with missing labels", arXiv 2112.07368, 2021.

    Examples
    --------
    >>> from halflabel import PartialLabels
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = (X > 0).astype(float)
    >>> Y[8] = 0
    >>> model = Hill(C=100.0).fit(X, PartialLabels.from_positives(Y))
    >>> bool(model.label_scores_[8, 0] > model.label_scores_[5, 0])
    True
    """

    def _list_rounds(self, positive: Mask, rest: Mask) -> Rounds:
        yield lambda Z: add_up((positive, lose_positive(Z, 1.0, 2.0)), (rest, lose_hill(Z, 1.5)))


class NonNegativePU(LossComparator):
    r"""Non-negative risk of positive and unlabelled data, per label.

    .. math:: \pi\,\mathrm{mean}_P\,\ell(z) + \max\bigl(0,\ \mathrm{mean}_U\,\ell(-z) - \pi\,\mathrm{mean}_P\,\ell(-z)
        \bigr)

    with the logistic loss, all annotated items as U, and the class prior :math:`\pi`: the share of assigned entries
    over the label frequency c, at most .95. The loss is this risk times the number of items.

    Parameters
    ----------
    C : float or sequence of float, default=1.0
        Inverse ridge, as in scikit-learn; the loss is a sum over entries.
    observed_rate : float or None, default=None
        The label frequency c; None is 1.
    scale, n_folds, max_iter, rule, random_state : as in :class:`Hill`

    Attributes
    ----------
    model_, solution_, label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`ElkanNoto`.

    References
    ----------
    .. [1] R. Kiryo, G. Niu, M. C. du Plessis and M. Sugiyama, "Positive-unlabeled learning with non-negative risk
       estimator", NIPS 2017.

    Examples
    --------
    >>> from halflabel import PartialLabels
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = (X > 0).astype(float)
    >>> Y[8] = 0
    >>> model = NonNegativePU(C=100.0, observed_rate=5 / 6).fit(X, PartialLabels.from_positives(Y))
    >>> bool(model.label_scores_[8, 0] > 0.5)
    True
    """

    def _list_rounds(self, positive: Mask, rest: Mask) -> Rounds:
        known = positive | rest
        share = positive.sum(axis=0) / known.sum(axis=0)
        prior = np.minimum(share / (self.observed_rate or 1.0), 0.95)
        yield lambda Z: lose_nonnegative(Z, positive, known, prior)


def lose_nonnegative(Z: Floats, positive: Mask, known: Mask, prior: Floats) -> tuple[float, Floats]:
    """Return the non-negative risk of all labels times the number of items, and its slope."""
    n = len(Z)
    of_positive = n * prior / positive.sum(axis=0) * positive
    of_known = n / known.sum(axis=0) * known
    as_positive, as_negative = lose_positive(Z), lose_negative(Z)
    weight = of_known - of_positive
    negative = (weight * as_negative[0]).sum(axis=0)
    used = negative > 0
    value = float((of_positive * as_positive[0]).sum() + negative[used].sum())
    return value, of_positive * as_positive[1] + used * weight * as_negative[1]
