"""Losses whose targets change from round to round: SPLC (2021), large loss and EM with APL (2022), on a linear head.

The papers change their targets from epoch to epoch. Here a round minimises the loss for fixed targets, and starts where
the round before it ended.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates
from halflabel.methods.validation import require_positive
from halflabel.plugins import Floats, Ints, Mask
from halflabel_papers.comparators.comparator import Setting
from halflabel_papers.comparators.missing_losses import (
    Loss,
    LossComparator,
    Rounds,
    add_up,
    gain_entropy,
    lose_negative,
    lose_positive,
    lose_soft,
)

#: Rounds of each method, as the epochs of the papers.
N_ROUNDS = 10

#: The rounds of the entropy loss before the first pseudo-labels.
WARM_UP = 5


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


class LargeLoss(LossComparator):
    r"""Rejection of large losses (LL-R): in round t the share :math:`(t - 1) \Delta` of the entries is left out.

    These are the unassigned entries with the largest log loss in the round before.

    Parameters
    ----------
    C : float or sequence of float, default=1.0
        Inverse ridge, as in scikit-learn.
    rejected : float, default=0.002
        :math:`\Delta`; there are 10 rounds.
    observed_rate, scale, n_folds, max_iter, rule, random_state : as in :class:`Hill`

    Attributes
    ----------
    model_, solution_, label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`ElkanNoto`.

    References
    ----------
    .. [1] Y. Kim, J. M. Kim, Z. Akata and J. Lee, "Large loss matters in weakly supervised multi-label
       classification", CVPR 2022.

    Examples
    --------
    >>> from halflabel import PartialLabels
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = (X > 0).astype(float)
    >>> Y[8] = 0
    >>> model = LargeLoss(C=100.0, rejected=0.01).fit(X, PartialLabels.from_positives(Y))
    >>> bool(model.label_scores_[8, 0] > 0.5)
    True
    """

    def __init__(
        self,
        C: Candidates = 1.0,
        *,
        rejected: float = 0.002,
        observed_rate: float | None = None,
        scale: str | None = "auto",
        n_folds: int = 3,
        max_iter: int = 200,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.rejected = rejected
        shared: dict[str, Any] = {"scale": scale, "n_folds": n_folds, "max_iter": max_iter, "rule": rule}
        super().__init__(C, observed_rate=observed_rate, random_state=random_state, **shared)

    def _settings(self) -> list[Setting]:
        require_positive(self, "rejected")
        return super()._settings()

    def _list_rounds(self, positive: Mask, rest: Mask) -> Rounds:
        kept = rest
        for number in range(1, N_ROUNDS + 1):
            P = yield _lose_logistic(positive, kept)
            kept = rest & ~find_largest(P, rest, math.ceil(rest.size * number * self.rejected))


def _lose_logistic(positive: Mask, rest: Mask) -> Loss:
    return lambda Z: add_up((positive, lose_positive(Z)), (rest, lose_negative(Z)))


def find_largest(P: Floats, rest: Mask, count: int) -> Mask:
    """Return the unassigned entries whose loss is at least the ``count``-th largest one."""
    losses = np.where(rest, P, -1.0)
    bound = np.sort(losses, axis=None)[-min(count, int(rest.sum()))] if rest.any() else np.inf
    return np.asarray(rest & (losses >= bound))


class EntropyMaximisation(LossComparator):
    r"""EM loss with asymmetric pseudo-labels (APL): an unassigned entry maximises its entropy.

    The loss is :math:`-\log p` for assigned entries and :math:`-\alpha H(p)` for the unassigned ones. In each of the
    last 5 of 10 rounds, a fifth of 90 % of the unassigned entries of each label, with the lowest p among the entries
    without a pseudo-label, gets its p as a soft label, with the weight :math:`\beta`. The authors choose both weights
    per data set, and the defaults are the ones of COCO.

    Parameters
    ----------
    C : float or sequence of float, default=1.0
        Inverse ridge, as in scikit-learn.
    entropy_weight, pseudo_weight : float, default=0.1 and 0.9
        :math:`\alpha` and :math:`\beta`.
    observed_rate, scale, n_folds, max_iter, rule, random_state : as in :class:`Hill`

    Attributes
    ----------
    model_, solution_, label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`ElkanNoto`.

    References
    ----------
    .. [1] D. Zhou, P. Chen, Q. Wang, G. Chen and P.-A. Heng, "Acknowledging the unknown for multi-label learning with
       single positive labels", ECCV 2022.

    Examples
    --------
    >>> from halflabel import PartialLabels
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = (X > 0).astype(float)
    >>> Y[8] = 0
    >>> model = EntropyMaximisation(C=100.0).fit(X, PartialLabels.from_positives(Y))
    >>> bool(model.label_scores_[8, 0] > 0.5)
    True
    """

    def __init__(
        self,
        C: Candidates = 1.0,
        *,
        entropy_weight: float = 0.1,
        pseudo_weight: float = 0.9,
        observed_rate: float | None = None,
        scale: str | None = "auto",
        n_folds: int = 3,
        max_iter: int = 200,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.entropy_weight = entropy_weight
        self.pseudo_weight = pseudo_weight
        shared: dict[str, Any] = {"scale": scale, "n_folds": n_folds, "max_iter": max_iter, "rule": rule}
        super().__init__(C, observed_rate=observed_rate, random_state=random_state, **shared)

    def _settings(self) -> list[Setting]:
        require_positive(self, "entropy_weight", "pseudo_weight")
        return super()._settings()

    def _list_rounds(self, positive: Mask, rest: Mask) -> Rounds:
        pseudo, target = np.zeros_like(positive), np.zeros(positive.shape)
        counts = (0.9 * rest.sum(axis=0) / (N_ROUNDS - WARM_UP)).astype(int)
        # With fixed targets all rounds of the warm-up have the same minimum.
        for _ in range(N_ROUNDS - WARM_UP):
            P = yield self._lose(positive, rest & ~pseudo, pseudo, target)
            found = find_lowest(P, rest & ~pseudo, counts)
            pseudo, target = pseudo | found, np.where(found, P, target)
        yield self._lose(positive, rest & ~pseudo, pseudo, target)

    def _lose(self, positive: Mask, rest: Mask, pseudo: Mask, target: Floats) -> Loss:
        return lambda Z: add_up(
            (positive, lose_positive(Z)),
            (self.entropy_weight * rest, gain_entropy(Z)),
            (self.pseudo_weight * pseudo, lose_soft(Z, target)),
        )


def find_lowest(P: Floats, among: Mask, counts: Ints) -> Mask:
    """Return, of each label, that number of entries with the lowest probability."""
    order = np.argsort(np.where(among, P, np.inf), axis=0, kind="stable")
    places = np.argsort(order, axis=0, kind="stable")
    return np.asarray(among & (places < counts))
