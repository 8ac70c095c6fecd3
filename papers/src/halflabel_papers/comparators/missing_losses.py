"""Losses for missing positives on a linear head: the Hill loss and SPLC."""

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

#: Maximum number of rounds of SPLC, as the epochs of its paper.
N_ROUNDS = 10

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


class SPLC(LossComparator):
    r"""Self-paced loss correction: an unassigned entry with a probability above .6 counts as a positive.

    The first round has the focal margin loss (margin 1 for assigned entries, focus 2). After each round the entries
    whose probability is above :math:`\tau = .6` are corrected, until they are the same as before.

    Parameters
    ----------
    C : float or sequence of float, default=1.0
        Inverse ridge, as in scikit-learn; the loss is a sum over entries.
    observed_rate, scale, n_folds, max_iter, rule, random_state : as in :class:`Hill`

    Attributes
    ----------
    model_, solution_, label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`ElkanNoto`.

    References
    ----------
    .. [1] Y. Zhang et al., see :class:`Hill`.

    Examples
    --------
    >>> from halflabel import PartialLabels
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = (X > 0).astype(float)
    >>> Y[8] = 0
    >>> model = SPLC(C=100.0).fit(X, PartialLabels.from_positives(Y))
    >>> bool(model.label_scores_[8, 0] > 0.6)
    True
    """

    def _list_rounds(self, positive: Mask, rest: Mask) -> Rounds:
        corrected = np.zeros_like(positive)
        for _ in range(N_ROUNDS):
            P = yield _correct_positives(positive, rest & ~corrected, corrected)
            found = rest & (P > 0.6)
            if (found == corrected).all():
                return
            corrected = found


def _correct_positives(positive: Mask, rest: Mask, corrected: Mask) -> Loss:
    return lambda Z: add_up(
        (positive, lose_positive(Z, 1.0, 2.0)), (rest, lose_negative(Z, 2.0)), (corrected, lose_positive(Z, 0.0, 2.0))
    )
