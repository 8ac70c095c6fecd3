r"""Why entries are known: a comparison of reasons by likelihood.

An entry with the probability p, which holds for known entries, is a gap with the odds :math:`e^a` if chance alone
decides; :math:`e^a (1 + p (e^\delta - 1))` if its value decides, where :math:`\delta` is the shift of the log odds of
being relevant from known entries to gaps ([1]_); and :math:`e^{a + f}` if the item decides, where f depends on the
features. Each label has its own a and its own :math:`\delta`; f is predicted by trees that were grown without the item.
The reasons are equally probable before the comparison, and the likelihood of items that were held out decides. If items
are known as a whole, the factors of their labels are multiplied.

References
----------
.. [1] M. Saerens, P. Latinne, C. Decaestecker, "Adjusting the Outputs of a Classifier to New a Priori Probabilities: A
   Simple Procedure", Neural Computation 14, 2002.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, logsumexp, softmax

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel.evidence.components import take_components
from halflabel.evidence.drift import FOLDS, predict_apart
from halflabel.labels import PartialLabels
from halflabel.methods.canonical_order import order_items

#: Probability of the value from which it is the reason, and from which it is not clear. Of the 98 tables of
#: benchmarks/why_known.py, 40 of 42 where the value of single entries decided are above the first number, and none of
#: 56 others.
CLEAR, SOME = 0.95, 0.75

#: The parts of the sum of the labels' evidence that are compared.
SCALES = (0.0, 0.25, 0.5, 0.75, 1.0)

#: The reasons matter if the shares of relevant gaps that they imply differ by this part.
MATTERS = 0.05

#: The shifts of log odds that are compared.
SHIFTS: Floats = np.linspace(-4.5, 4.5, 61)

#: The labels' variance is shrunk towards 0 as if there were two more labels without any difference; minimum standard
#: deviation, and number of steps.
WITHOUT_DIFFERENCE, MIN_DEVIATION, STEPS = 2.0, 0.12, 60

#: Maximum number of items for a shift, and of items and labels for a comparison.
MAX_ITEMS, MAX_COMPARED, MAX_LABELS = 4000, 2000, 40

#: Items are known as a whole if at most this share of the items with a known entry is known in part.
MAX_PARTLY = 0.05

#: Probabilities are clipped to this distance from 0 and 1.
CLIP = 1e-4


class Why(NamedTuple):
    """The reason for which entries are known. "random" is any reason but the value: chance, or the item."""

    reason: Literal["random", "value", "unclear"] = "random"
    #: The number of random answers that decide if the reason is not clear.
    answers: int = 0
    #: Probability that the value decides, and the shift of the log odds of each label if it does.
    weight: float = 0.0
    shift: Floats | float = 0.0

    def deviate(self, p: Floats) -> Floats:
        """Return one standard deviation of gaps around the probabilities ``p``, as if the value did not decide."""
        return np.asarray(np.sqrt(self.weight) * (_move(p, self.shift) - p))


def explain(X: Matrix, labels: PartialLabels, known: Mask, p: Floats, alone: Floats | None = None) -> Why:
    """Return why entries are known.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_items, n_features)
    labels : PartialLabels
    known : ndarray of bool, shape (n_items, n_labels)
        The entries that the person brought and that can be compared. All other entries count as gaps.
    p, alone : ndarray of shape (n_items, n_labels)
        Probabilities that hold for known entries, with and, if there are any, without use of the item's other labels.
    """
    order, rng = order_items(X, labels), np.random.default_rng(0)
    alone = p if alone is None else alone
    X, known, p, alone = X[order], known[order], p[order], alone[order]
    some = known.any(axis=1)
    whole = (some & ~known.all(axis=1)).sum() <= MAX_PARTLY * some.sum()
    at = np.sort(rng.permutation(np.flatnonzero(some | whole))[:MAX_COMPARED])
    few = slice(None, None, 1 + known.shape[1] // MAX_LABELS)
    p, gap = np.clip((alone if whole else p)[at, few], CLIP, 1 - CLIP), ~known[at, few]
    means = fit_shifts(tabulate_likelihood(p, gap))[0]
    shift = np.full(known.shape[1], means.mean())
    shift[few] = means
    one, other = (each[gap].sum() + CLIP for each in (p, _move(p, means)))
    matters, fold = abs(np.log(other / one)) > MATTERS, rng.permutation(len(at)) % FOLDS
    states = np.asarray(gap.any(axis=1, keepdims=True)) if whole else gap
    gain = _gain_by_value(p, gap, states, fold)
    if len(at) < FOLDS or (gain <= 0 and not matters):
        return Why()
    share = predict_apart(take_components(X, rng)[at], gap.mean(axis=1), fold, rng)
    item = _score(states, logit(np.clip(share, 0.01, 0.99))[:, None]) - _score(states, np.zeros((len(at), 1)))
    weight = float(softmax([0, gain, item.sum()])[1])
    if weight > CLEAR and not whole:
        return Why("value", 0, weight, shift)
    if weight > SOME and matters:
        return Why("unclear", count_deciding(*(np.array([one, other]) / gap.sum())), weight, shift)
    return Why("random", 0, weight, shift)


def _move(p: Floats, shift: Floats | float) -> Floats:
    """Return probabilities whose log odds are shifted."""
    return p * np.exp(shift) / (1 + p * np.expm1(shift))


def count_deciding(one: float, other: float) -> int:
    """Return the number of random answers that distinguish two shares, with errors of 5 % and 10 %."""
    middle = (one + other) / 2
    return int(np.ceil((1.645 + 1.28) ** 2 * middle * (1 - middle) / (one - other) ** 2))


def _gain_by_value(p: Floats, gap: Mask, states: Mask, fold: Ints) -> float:
    """Return the log likelihood of held-out items if the value decides, less that of chance.

    ``states`` are the entries, or whole items, whose labels decide together: as these may depend on each other, the sum
    of their evidence is scaled.
    """
    gain = 0.0
    for number in range(FOLDS):
        given = fold != number
        offset = np.log1p(p * np.expm1(fit_shifts(tabulate_likelihood(p[given], gap[given]))[0]))
        if states is not gap:
            together = offset.sum(axis=1, keepdims=True)
            offset = max(
                (scale * together for scale in SCALES), key=lambda each: _score(states[given], each[given]).sum()
            )
        better = _score(states, offset, given) - _score(states, np.zeros_like(offset), given)
        gain += float(better[~given].sum())
    return gain


def _score(gap: Mask, offset: Floats, given: Mask | slice = slice(None)) -> Floats:
    """Return the log likelihood of entries with some offsets of log odds, whose level follows from the given items.

    The mean odds of being a gap, over known entries, are the ratio of the two numbers.
    """
    gaps, offsets = gap[given], offset[given]
    n_gaps, n_known = gaps.sum(axis=0), (~gaps).sum(axis=0)
    mean = logsumexp(np.where(gaps, -np.inf, offsets), axis=0, b=1 / np.maximum(n_known, 1))
    z = np.log((n_gaps + 0.5) / (n_known + 0.5)) - np.maximum(mean, offsets.min(initial=0.0)) + offset
    return np.asarray(-np.logaddexp(0, np.where(gap, -z, z)))


def tabulate_likelihood(p: Floats, gap: Mask, use: Mask | None = None) -> Floats:
    """Return the log likelihood of each label under each of :data:`SHIFTS`, shape (n_labels, n_shifts).

    ``use`` marks the entries that are used, all by default.
    """
    table = np.zeros((p.shape[1], len(SHIFTS)))
    for j in range(p.shape[1]):
        rows = np.lexsort((gap[:, j], p[:, j]))
        rows = rows if use is None else rows[use[rows, j]]
        step = 1 + len(rows) // MAX_ITEMS
        rows = rows[step // 2 :: step]
        offset = np.log1p(p[rows, j, None] * np.expm1(SHIFTS))
        table[j] = step * _score(gap[rows, j, None], offset).sum(axis=0)
    return table


def fit_shifts(likelihood: Floats) -> NDArray[np.float64]:
    """Return mean and standard deviation of each label's shift given its likelihood, shape (2, n_labels).

    The shifts have a normal distribution that all labels share. Its mean and variance maximise the likelihood, by EM.
    """
    center, variance = float(SHIFTS[likelihood.sum(axis=0).argmax()]), 1.0
    mean, spread = np.zeros((2, len(likelihood)))
    for _ in range(STEPS):
        weights = softmax(likelihood - (SHIFTS - center) ** 2 / (2 * variance), axis=1)
        mean, spread = weights @ SHIFTS, weights @ SHIFTS**2 - (weights @ SHIFTS) ** 2
        center = float(mean.mean())
        variance = float((spread + (mean - center) ** 2).sum() / (len(mean) + WITHOUT_DIFFERENCE))
        variance = max(variance, MIN_DEVIATION**2)
    return np.stack([mean, np.sqrt(np.maximum(spread, 0.0))])
