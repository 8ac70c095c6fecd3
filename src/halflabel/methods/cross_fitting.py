"""Out-of-fold scores: the loop over folds that every method shares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Mask
from halflabel._progress import step


def score_out_of_fold(
    score_held_out: Callable[[Mask], Floats], folds: NDArray[np.integer], shape: tuple[int, ...]
) -> Floats:
    """Return scores of every item, or entry, by a model that was fitted without its fold.

    Parameters
    ----------
    score_held_out : callable
        Takes the mask of the items or entries that one fold holds out, of the shape of ``folds``, fits without them
        and returns their scores: an array of shape (n_held_out, ...).
    folds : ndarray of int, shape (n_items,) or (n_items, n_labels)
        The fold of each item, or of each entry. -1 if it is never held out.
    shape : tuple of int
        Shape of the scores. It begins with the shape of ``folds``.

    Returns
    -------
    ndarray
        NaN where the fold is -1.

    Examples
    --------
    The mean of the other fold:

    >>> y, folds = np.array([1.0, 2.0, 3.0, 9.0]), np.array([0, 0, 1, -1])
    >>> score_out_of_fold(lambda held_out: np.full(held_out.sum(), y[~held_out].mean()), folds, (4,))
    array([ 6.,  6.,  4., nan])
    """
    scores = np.full(shape, np.nan)
    n_folds = int(folds.max()) + 1
    for fold in range(n_folds):
        step("holding out folds", fold, n_folds)
        held_out = folds == fold
        scores[held_out] = score_held_out(held_out)
    return scores
