"""How much larger the errors of probabilities are than the probabilities state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import logit

from halflabel._arrays import Floats, Ints
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fit_platt
from halflabel.methods.auto.beta_calibration import calibrate
from halflabel.methods.auto.member_weights import learn_weights

#: Maximum number of cells (items x labels) that are compared, and minimum number of items.
MAX_CELLS, MIN_ITEMS = 2**18, 200

#: The ratio 1 counts as much as this stated sum of squared errors.
PRIOR = 2.0


def measure_optimism(parts: Sequence[Floats], labels: PartialLabels, folds: Ints, rng: np.random.Generator) -> float:
    r"""Return the squared errors of probabilities over the squared errors that they state.

    The weights of members and the calibrations are fitted to all known entries, so that they are a little better on
    these entries than on gaps. For each fold, both are fitted again to the other folds. If the probabilities
    :math:`p_{ij}` of its known entries were right, then :math:`\sum (p_{ij} - y_{ij})^2` would be
    :math:`\sum p_{ij}(1 - p_{ij})` on average. The ratio of the two sums is the result.

    Parameters
    ----------
    parts : sequence of ndarray of shape (n_items, n_labels)
        Log odds of each member, or of all together, by models that were fitted without the item.
    folds : ndarray of int, shape (n_items,)
        Fold of each item; negative for items in no fold.
    rng : Generator
        Draws a sample of many items.

    Returns
    -------
    float
        About 1; it is 1 if nothing can be held out. The ratio of a sample is shrunk towards 1 by its share of all
        items, because more items leave less to learn by chance.
    """
    usable = labels.observed & labels.learnable & ~np.isnan(parts).any(axis=0) & (folds >= 0)[:, None]
    items = np.flatnonzero(usable.any(axis=1))
    size = min(len(items), max(MAX_CELLS // labels.shape[1], MIN_ITEMS))
    some = np.sort(rng.choice(items, size, replace=False))
    if len(np.unique(folds[some])) < 2:
        return 1.0
    p = _predict_unseen([part[some] for part in parts], labels[some], folds[some])
    p, relevant = p[usable[some]], labels.relevant[some][usable[some]]
    ratio = (((p - relevant) ** 2).sum() + PRIOR) / ((p * (1 - p)).sum() + PRIOR)
    return float(1 + (ratio - 1) * size / len(items))


def _predict_unseen(parts: list[Floats], labels: PartialLabels, folds: Ints) -> Floats:
    """Return the probabilities of each fold, by weights and calibrations that were fitted to the other folds."""
    p = np.empty(labels.shape)
    for fold in np.unique(folds):
        inside, outside = folds == fold, folds != fold
        log_odds = np.array([logit(fit_platt(part[outside], labels[outside])(part)) for part in parts])
        known = labels.observed[outside]
        weights = learn_weights(log_odds[:, outside][:, known], labels.relevant[outside][known], int(outside.sum()))
        total = np.tensordot(weights, log_odds, 1)
        p[inside] = calibrate(total[outside], labels[outside], folds[outside])(total[inside])
    return p
