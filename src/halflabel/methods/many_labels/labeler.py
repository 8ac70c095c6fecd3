"""SparseLabeler: the likeliest of thousands of labels, with probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from halflabel._arrays import Floats, Ints, Matrix, MatrixLike, is_sparse, stored
from halflabel._progress import step
from halflabel._wording import count, plural
from halflabel.labels import PartialLabels
from halflabel.labels.sparse import SparseLabels
from halflabel.methods.auto.sampling import draw
from halflabel.methods.many_labels.candidates import Candidates, choose_candidates, share_neighbours
from halflabel.methods.many_labels.pooled import PooledCalibration, fit_calibration
from halflabel.methods.many_labels.ridge import RidgeScores, choose_alpha, invert, leave_out, weigh_features
from halflabel.methods.many_labels.space import Space
from halflabel.methods.validation import require_whole

#: Maximum number of labelled items on which the ridge weight is chosen, and on which probabilities are calibrated.
MAX_OF_CHOICE, MAX_CALIBRATING = 1000, 4000

#: Number of items that are scored at a time.
BLOCK = 512


@dataclass(frozen=True, eq=False)
class FittedScores:
    """All that new items are scored with."""

    space: Space
    #: Shape (n_labelled, n_features). Features of the labelled items that the regression was fitted on.
    Phi: Any
    #: Shape (n_labelled, n_used). Their relevant entries.
    Y: sparse.csr_array
    #: Shape (n_used,). The labels that one of these items has. All others are never proposed; inside, labels are
    #: numbered by ``used``.
    used: Ints
    linear: RidgeScores
    calibration: PooledCalibration

    def find(self, X: Matrix, n_candidates: int, n_neighbors: int) -> Candidates:
        """Return the candidates of new items."""
        Phi = self.space(X)
        shares = share_neighbours(Phi @ self.Phi.T, self.Y, n_neighbors)
        return choose_candidates(self.linear(Phi), shares, n_candidates)

    @property
    def n_relevant(self) -> Floats:
        """The number of relevant entries of each label."""
        return np.asarray(self.Y.sum(axis=0))


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The labelled items that were learned from, each to be scored by the fit without it."""

    #: ``Phi``, ``Y``: As in :class:`FittedScores`.
    Phi: Any
    Y: sparse.csr_array
    #: Shape (n_labelled, n_labelled). See :mod:`halflabel.methods.many_labels.ridge`.
    inverse: Floats

    def find(self, rows: Ints, n_candidates: int, n_neighbors: int) -> tuple[Candidates, Floats]:
        """Return the candidates of some of the items, and the number of other items with the label of each."""
        shares = share_neighbours(self.Phi[rows] @ self.Phi.T, self.Y, n_neighbors, own=rows)
        number = np.asarray(self.Y.sum(axis=0))
        found = choose_candidates(leave_out(self.inverse, self.Y, rows), shares, n_candidates)
        others = number[found.ids] - np.asarray(self.Y[rows[found.rows], found.ids]).ravel()
        return found.take(others > 0), others[others > 0]


class SparseLabeler(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    r"""The likeliest labels of each item, among thousands of labels.

    :class:`halflabel.AutoLabeler` has a number for every entry, and its trees have fewer leaves the more labels there
    are. This method has candidates only: a kernel ridge regression of all labels (exact leave-one-out, in closed form)
    proposes the labels with the highest scores, the nearest labelled items propose theirs, and one logistic curve turns
    score, share of neighbours and frequency of the label into a probability, see :mod:`halflabel.methods.many_labels`.
    All other entries are taken as irrelevant. Up to about a thousand labels, AutoLabeler is the better choice.

    Parameters
    ----------
    top : int, default=50
        Number of labels that are kept for each item.
    n_candidates : int, default=100
        Number of labels that are scored for each item, in addition to the labels of its nearest items.
    n_neighbors : int, default=20
        Number of nearest labelled items.
    max_items : int, default=10000
        Number of labelled items that are learned from; more are sampled. Memory grows with its square (800 MB at
        10 000), time with its cube.
    scale : {"auto", "standard", "idf", None}, default="auto"
        Weighting of features, as in :class:`halflabel.AutoLabeler`. With "idf", the features are the kernel; otherwise
        it is an RBF kernel with at most 1000 landmarks.
    random_state : int, default=0
        Decides samples and landmarks.

    Attributes
    ----------
    label_probabilities_ : csr_array of shape (n_items, n_labels)
        Of each fitted item, the ``top`` likeliest labels among the unknown ones. For an item that was learned
        from, whose missing positives are looked for, they come from the fit without it.
    label_names_ : tuple of str
    n_learned_ : int
        Number of labelled items that were learned from.
    alpha_ : float
        Ridge weight with the smallest leave-one-out error.

    Raises
    ------
    ValueError
        If fewer than two items are annotated with all their labels, or a parameter is not a positive number.

    Notes
    -----
    It learns from annotated items, whose labels are all known (of positive-only labels: from the assigned ones). Single
    known entries of other items are kept, and not learned from. Groups of items are not held out together.

    A missing label of an item with one label in 10 000 costs nothing: time is
    :math:`O(m^3 + m\,\mathrm{nnz}(Y) + n(L + c))` for m learned items and c candidates.

    Examples
    --------
    >>> from halflabel.labels.sparse import SparseLabels
    >>> X = np.repeat(np.eye(3), 4, axis=0)
    >>> tags = [[name] if i % 4 else None for i, name in enumerate(np.repeat(["jazz", "rock", "soul"], 4))]
    >>> model = SparseLabeler(top=1, scale="idf").fit(X, SparseLabels.from_tags(tags, absent="irrelevant"))
    >>> model.label_probabilities_.nonzero()[1].tolist()
    [0, 1, 2]
    """

    label_names_: tuple[str, ...]
    fitted_: FittedScores
    n_learned_: int
    alpha_: float

    def __init__(
        self,
        top: int = 50,
        n_candidates: int = 100,
        n_neighbors: int = 20,
        max_items: int = 10_000,
        scale: str | None = "auto",
        random_state: int = 0,
    ) -> None:
        self.top = top
        self.n_candidates = n_candidates
        self.n_neighbors = n_neighbors
        self.max_items = max_items
        self.scale = scale
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: SparseLabels | PartialLabels | Any) -> Self:
        """Learn from the annotated items, and rank the unknown labels of all items.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
        y : SparseLabels, PartialLabels or table of shape (n_items, n_labels)
        """
        items, labels = self._validate(X, y)
        rng = np.random.default_rng(self.random_state)
        rows = draw(np.flatnonzero(labels.complete), self.max_items, rng)
        relevant = labels.relevant[rows]
        used = np.flatnonzero(relevant.sum(axis=0))
        Y = relevant[:, used]
        space = Space.learn(items, rows, Y, self.scale, self.random_state)
        Phi = space(items[rows])
        some = draw(np.arange(len(rows)), MAX_OF_CHOICE, rng)
        self.alpha_ = choose_alpha(Phi[some], Y[some])
        inverse = invert(Phi, self.alpha_)
        left_out = LeftOut(Phi, Y, inverse)
        calibration = self._calibrate(left_out, draw(np.arange(len(rows)), MAX_CALIBRATING, rng))
        self.fitted_ = FittedScores(space, Phi, Y, used, weigh_features(Phi, inverse, Y), calibration)
        self.label_names_, self.n_learned_ = labels.names, len(rows)
        self.label_probabilities_ = self._rank_fitted(items, labels, rows, left_out)
        return self

    def predict_proba(self, X: MatrixLike) -> sparse.csr_array:
        """Return the probabilities of the ``top`` likeliest labels of new items, shape (n_items, n_labels)."""
        check_is_fitted(self)
        items = self._validate_features(X, reset=False)
        return self._rank(items, np.arange(items.shape[0]))

    def predict(self, X: MatrixLike) -> sparse.csr_array:
        """Return the labels of new items that are more probable than not, as 1."""
        p = self.predict_proba(X)
        p.data = (p.data >= 0.5).astype(p.dtype)
        p.eliminate_zeros()
        return p

    def _validate(self, X: Any, y: Any) -> tuple[Matrix, SparseLabels]:
        require_whole(self, top=1, n_candidates=1, n_neighbors=1, max_items=2)
        items = self._validate_features(X, reset=True)
        labels = y if isinstance(y, SparseLabels) else SparseLabels.from_dense(PartialLabels.from_table(y))
        check_consistent_length(items, labels)
        if (n := int(labels.complete.sum())) < 2:
            raise ValueError(
                f"{plural(n, 'item')} of {count(len(labels))} {'has' if n == 1 else 'have'} all labels known, but two "
                "are needed: annotate whole items, not single entries."
            )
        return items, labels

    def _validate_features(self, X: Any, *, reset: bool) -> Matrix:
        items = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64)
        return stored(items, as_sparse=is_sparse(items))

    def _calibrate(self, left_out: LeftOut, rows: Ints) -> PooledCalibration:
        """Fit the curve to candidates of labelled items, each scored by the fit without it."""
        found, number, relevant = [], [], []
        for block in _split(rows):
            each, n = left_out.find(block, self.n_candidates, self.n_neighbors)
            found.append(each)
            number.append(n)
            relevant.append(np.asarray(left_out.Y[block[each.rows], each.ids]).ravel() > 0)
        joined = Candidates(*(np.concatenate([getattr(each, f.name) for each in found]) for f in fields(Candidates)))
        return fit_calibration(joined, np.concatenate(number), np.concatenate(relevant), left_out.Y.shape[1])

    def _rank_fitted(self, X: Matrix, labels: SparseLabels, learned: Ints, left_out: LeftOut) -> sparse.csr_array:
        """Return the likeliest unknown labels of the fitted items."""
        is_learned = np.isin(np.arange(len(labels)), learned)
        others = np.flatnonzero(~is_learned & (~labels.complete | labels.positive_only))
        own = learned if labels.positive_only else learned[:0]
        parts = [self._rank(X, others, labels)]
        parts += [self._rank_learned(block, own, labels, left_out) for block in _split(np.arange(len(own)))]
        ranked = sparse.vstack(parts, format="csr")
        place = np.full(len(labels), ranked.shape[0])
        place[np.concatenate([others, own])] = np.arange(ranked.shape[0])
        empty = sparse.csr_array((1, labels.shape[1]))
        return sparse.csr_array(sparse.vstack([ranked, empty], format="csr")[place])

    def _rank(self, X: Matrix, rows: Ints, labels: SparseLabels | None = None) -> sparse.csr_array:
        """Return the likeliest labels of some rows, among the unknown ones."""
        parts = [sparse.csr_array((0, len(self.label_names_)))]
        for block in _split(rows):
            step("ranking labels", int(block[0]), X.shape[0])
            found = self.fitted_.find(X[block], self.n_candidates, self.n_neighbors)
            parts.append(self._keep_top(found, self.fitted_.n_relevant[found.ids], block, labels))
        return sparse.vstack(parts, format="csr")

    def _rank_learned(self, block: Ints, rows: Ints, labels: SparseLabels, left_out: LeftOut) -> sparse.csr_array:
        """Return the likeliest missing labels of some items that were learned from."""
        found, number = left_out.find(block, self.n_candidates, self.n_neighbors)
        return self._keep_top(found, number, rows[block], labels)

    def _keep_top(
        self, found: Candidates, n_relevant: Floats, rows: Ints, labels: SparseLabels | None
    ) -> sparse.csr_array:
        p, ids = self.fitted_.calibration(found, n_relevant), self.fitted_.used[found.ids]
        if labels is not None:
            unknown = ~labels.find_known(rows[found.rows], ids)
            found, p, ids = found.take(unknown), p[unknown], ids[unknown]
        order = np.lexsort((ids, -p, found.rows))
        row = found.rows[order]
        rank = np.arange(len(row)) - np.searchsorted(row, row)
        order = order[rank < self.top]
        shape = (len(rows), len(self.label_names_))
        return sparse.csr_array((p[order], (found.rows[order], ids[order])), shape=shape)


def _split(rows: Ints) -> Iterator[Ints]:
    """Yield blocks of rows."""
    for start in range(0, len(rows), BLOCK):
        yield rows[start : start + BLOCK]
