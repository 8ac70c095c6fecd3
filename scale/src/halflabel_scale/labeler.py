"""SparseLabeler: the likeliest of thousands of labels, with probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from halflabel.plugins import Floats, Ints, Mask, is_sparse, step
from halflabel_scale.candidates import Candidates, choose_candidates, share_neighbours
from halflabel_scale.pooled import PooledCalibration, fit_calibration
from halflabel_scale.ridge import choose_alpha, invert, leave_out, weigh_features

#: Maximum number of labelled items on which features and ridge weight are chosen, and on which is calibrated.
MAX_OF_CHOICE, MAX_CALIBRATING = 1000, 4000

#: Number of items that are scored at a time; numbers of landmarks and bandwidths of dense features.
BLOCK, LANDMARKS, WIDTHS = 512, 1000, (0.25, 1.0, 4.0)

Find = Callable[[Ints], tuple[Candidates, Floats]]


@dataclass(frozen=True, eq=False)
class Learned:
    """All that items are scored with. Labels that no learned item has are never proposed."""

    transform: Any  #: From features to the features of the regression.
    Phi: Any  #: Shape (n_learned, n_features).
    Y: sparse.csr_array  #: Shape (n_learned, n_used). The relevant entries of the learned items.
    used: Ints  #: Shape (n_used,). The labels that a learned item has.
    linear: Any
    calibration: PooledCalibration


class SparseLabeler:
    r"""The likeliest labels of each item, among thousands of labels.

    A kernel ridge regression of all labels (exact leave-one-out, in closed form) proposes the labels with the highest
    scores, the nearest labelled items propose theirs, and one logistic curve turns score, share of neighbours and
    frequency of the label into a probability. All other entries are taken as irrelevant. Up to about a thousand labels,
    :class:`halflabel.AutoLabeler` is the better choice.

    Parameters
    ----------
    top : int, default=50
        Number of labels that are kept for each item.
    n_candidates, n_neighbors : int
        Number of labels that are scored for each item, in addition to those of its nearest labelled items.
    max_items : int, default=10000
        Number of labelled items that are learned from; more are sampled. Memory grows with its square (800 MB at
        10 000), time with its cube.
    random_state : int, default=0
        Decides samples and landmarks.
    """

    learned_: Learned

    def __init__(
        self,
        top: int = 50,
        *,
        n_candidates: int = 100,
        n_neighbors: int = 20,
        max_items: int = 10_000,
        random_state: int = 0,
    ) -> None:
        self.top = top
        self.n_candidates = n_candidates
        self.n_neighbors = n_neighbors
        self.max_items = max_items
        self.random_state = random_state

    def fit_rank(
        self, X: Any, relevant: sparse.csr_array, annotated: Mask, *, positive_only: bool = False
    ) -> sparse.csr_array:
        """Learn from the annotated items, and return the probabilities of the likeliest unknown labels of all items.

        Of positive-only labels, the missing labels of annotated items are unknown, too: an item that was learned from
        is scored by the fit without it.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_items, n_features)
        relevant : csr_array of shape (n_items, n_labels)
            1 where an item is known to have a label.
        annotated : ndarray of bool
            The items whose labels are known.
        positive_only : bool, default=False
        """
        rng = np.random.default_rng(self.random_state)
        learned = _draw(np.flatnonzero(annotated), self.max_items, rng)
        if len(learned) < 2:
            raise ValueError(f"two items with labels are needed, and {len(learned)} has them: annotate more items.")
        used = np.flatnonzero(relevant[learned].sum(axis=0))
        Y = sparse.csr_array(relevant[learned][:, used])
        some = _draw(np.arange(len(learned)), MAX_OF_CHOICE, rng)
        transform, alpha = _choose_features(X, learned, Y, some, self.random_state)
        Phi = transform(X[learned])
        inverse = invert(Phi, alpha)
        left_out = self._leave_out(Phi, Y, inverse)
        calibration = _calibrate(left_out, Y, _draw(np.arange(len(learned)), MAX_CALIBRATING, rng))
        self.learned_ = Learned(transform, Phi, Y, used, weigh_features(Phi, inverse, Y), calibration)
        own = learned if positive_only else learned[:0]
        others = np.flatnonzero(~annotated | (positive_only & ~np.isin(np.arange(len(annotated)), learned)))
        ranked = self._rank(self._find_new(X), others, others, relevant)
        missing = self._rank(left_out, np.arange(len(own)), own, relevant)
        return _place(sparse.vstack([ranked, missing], format="csr"), np.concatenate([others, own]), relevant.shape)

    def rank(self, X: Any) -> sparse.csr_array:
        """Return the probabilities of the likeliest labels of new items."""
        rows = np.arange(X.shape[0])
        return self._rank(self._find_new(X), rows, rows, None)

    def _find_new(self, X: Any) -> Find:
        """Return a function from rows to their candidates, and the number of learned items with each label."""
        fit = self.learned_

        def find(rows: Ints) -> tuple[Candidates, Floats]:
            Phi = fit.transform(X[rows])
            shares = share_neighbours(Phi @ fit.Phi.T, fit.Y, self.n_neighbors)
            found = choose_candidates(fit.linear(Phi), shares, self.n_candidates)
            return found, np.asarray(fit.Y.sum(axis=0), dtype=float)[found.ids]

        return find

    def _leave_out(self, Phi: Any, Y: sparse.csr_array, inverse: Floats) -> Find:
        """Return the same function for the learned items, each scored by the fit without it."""
        number = np.asarray(Y.sum(axis=0), dtype=float)

        def find(rows: Ints) -> tuple[Candidates, Floats]:
            shares = share_neighbours(Phi[rows] @ Phi.T, Y, self.n_neighbors, own=rows)
            found = choose_candidates(leave_out(inverse, Y, rows), shares, self.n_candidates)
            others = number[found.ids] - np.asarray(Y[rows[found.rows], found.ids]).ravel()
            return found.take(others > 0), others[others > 0]

        return find

    def _rank(self, find: Find, rows: Ints, items: Ints, relevant: sparse.csr_array | None) -> sparse.csr_array:
        """Return the likeliest labels of some rows. ``items`` are their places in the table of known labels."""
        fit, n_labels = self.learned_, int(self.learned_.used.max()) + 1 if relevant is None else relevant.shape[1]
        parts = [sparse.csr_array((0, n_labels))]
        for block in _split(np.arange(len(rows))):
            step("ranking labels", int(block[0]), len(rows))
            found, number = find(rows[block])
            p, ids = fit.calibration(found, number), fit.used[found.ids]
            if relevant is not None:
                unknown = np.asarray(relevant[items[block][found.rows], ids]).ravel() == 0
                found, p, ids = found.take(unknown), p[unknown], ids[unknown]
            order = np.lexsort((ids, -p, found.rows))
            row = found.rows[order]
            order = order[np.arange(len(row)) - np.searchsorted(row, row) < self.top]
            parts.append(sparse.csr_array((p[order], (found.rows[order], ids[order])), (len(block), n_labels)))
        return sparse.vstack(parts, format="csr")


def _choose_features(X: Any, learned: Ints, Y: Any, some: Ints, seed: int) -> tuple[Callable[[Any], Any], float]:
    """Return the features of the regression with the smallest leave-one-out error, and its ridge weight.

    Words are weighted by rarity. Other features are standardised, and mapped by an RBF kernel.
    """
    if is_sparse(X):
        steps = [TfidfTransformer().fit(X)]
    else:
        dense = X[learned]
        kernels = [Nystroem(gamma=w / X.shape[1], n_components=min(LANDMARKS, len(learned)), random_state=seed)
                   for w in WIDTHS]  # fmt: skip
        steps = [make_pipeline(StandardScaler(), each).fit(dense) for each in kernels]
    found = [choose_alpha(each.transform(X[learned[some]]), Y[some]) for each in steps]
    best = min(range(len(steps)), key=lambda k: found[k][0])
    return steps[best].transform, found[best][1]


def _calibrate(find: Find, Y: sparse.csr_array, rows: Ints) -> PooledCalibration:
    """Fit the curve to candidates of learned items, each scored by the fit without it."""
    pairs = [(block, *find(block)) for block in _split(rows)]
    names = ("rows", "ids", "score", "share")
    joined = Candidates(*(np.concatenate([getattr(found, name) for _, found, _ in pairs]) for name in names))
    relevant = [np.asarray(Y[block[found.rows], found.ids]).ravel() > 0 for block, found, _ in pairs]
    return fit_calibration(joined, np.concatenate([n for *_, n in pairs]), np.concatenate(relevant), Y.shape[1])


def _place(ranked: sparse.csr_array, rows: Ints, shape: tuple[int, int]) -> sparse.csr_array:
    """Return ranked rows at their places in the table."""
    entries = ranked.tocoo()
    return sparse.csr_array((entries.data, (rows[entries.row], entries.col)), shape)


def _draw(rows: Ints, size: int, rng: np.random.Generator) -> Ints:
    """Return at most ``size`` of the rows, at random, in their order."""
    return rows if len(rows) <= size else np.sort(rng.choice(rows, size, replace=False))


def _split(rows: Ints) -> Iterator[Ints]:
    """Yield blocks of rows."""
    for start in range(0, len(rows), BLOCK):
        yield rows[start : start + BLOCK]
