"""Correct and Smooth: errors and predictions of a classifier, propagated on a graph (Huang et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from halflabel.labels import PartialLabels
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.baselines.binary_relevance import fit_each, score_each
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.validation import require_not_negative, require_share, require_whole
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.propagation import fixed_point
from halflabel.numerics.graph.weights import affinity, reachable
from halflabel.numerics.scaling import Scaler
from halflabel.numerics.solvers.pcg import pcg
from halflabel.numerics.threads import limit_threads
from halflabel.plugins import Floats, Ints, Mask, Matrix


@dataclass(frozen=True, eq=False)
class Corrected:
    """The stages of one fit, each of shape (n_items, n_labels)."""

    #: Probabilities of the classifier.
    base: Floats
    #: Its errors, propagated to all items.
    errors: Floats
    #: The smoothed result.
    scores: Floats


class CorrectAndSmooth(PartialLabelEstimator):
    r"""A classifier per label, corrected and smoothed on the graph of the nearest neighbours.

    Z are the probabilities of the classifier, A the symmetric graph of items, D its degrees.

    1. *Correct*: the errors :math:`E = Y - Z` of observed entries stay as they are, and every other entry of
       :math:`\hat E` is the mean of its neighbours', :math:`\hat E = D^{-1} A \hat E` (the paper's diffusion with fixed
       errors, "FDiff-scale"); then :math:`Z^{(r)} = Z + s \hat E`.
    2. *Smooth*: with H = Y for observed entries and :math:`Z^{(r)}` for gaps, the scores are the limit of
       :math:`F \leftarrow (1 - \alpha) H + \alpha S F`, with :math:`S = D^{-1/2} A D^{-1/2}`.

    Parameters
    ----------
    classifier : scikit-learn classifier, default=None
        The base predictor, one copy per label; None means ``LogisticRegression(max_iter=1000)``.
    n_neighbors : int, default=15
        Two items are joined if either is a neighbour of the other.
    correction : float, default=1.0
        s; 0 leaves the first step out.
    alpha : float, default=0.8
        :math:`\alpha`, from 0 (no smoothing) to below 1.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    n_folds : int, default=5
        Number of folds of labelled items, for the out-of-fold scores that calibrate the probabilities.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with .5.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    classifiers_ : list of classifier or None
        One per label; None where a label was not observed with both values.
    errors_, field_ : ndarray of shape (n_items, n_labels)
        :math:`\hat E` and F.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`halflabel.SSDRMC`.

    Notes
    -----
    A new item gets the mean error of its neighbours and then :math:`(1 - \alpha)` of its corrected probability plus
    :math:`\alpha` times the mean score of its neighbours.

    **Departures from the paper.** The paper has one label with several classes and a given graph without weights; here
    each label is corrected by itself, single entries may be unknown, and the graph has the weights
    :math:`\exp(-d^2 / 2\sigma^2)` with :math:`\sigma` the mean distance to the k-th neighbour. The limits are solved
    for, where the paper runs a number of iterations. The paper's other scaling ("Autoscale") divides by the norm over
    classes, which does not exist for a single label. An entry without a path to an observed error is not corrected.

    References
    ----------
    .. [1] Q. Huang, H. He, A. Singh, S.-N. Lim and A. R. Benson, "Combining label propagation and simple models
       out-performs graph neural networks", ICLR 2021.

    Examples
    --------
    >>> X = np.vstack([np.linspace(0, 1, 10)[:, None], np.linspace(2, 3, 10)[:, None]])
    >>> y = np.full(20, np.nan)
    >>> y[[0, 3, 10, 13]] = [0, 0, 1, 1]
    >>> CorrectAndSmooth(n_neighbors=4, n_folds=2).fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """

    #: New items are compared with the fitted ones, so that the order of these is saved.
    _transductive: ClassVar[tuple[str, ...]] = tuple({*PartialLabelEstimator._transductive} - {"_item_order"})

    def __init__(
        self,
        classifier: BaseEstimator | None = None,
        n_neighbors: int = 15,
        *,
        correction: float = 1.0,
        alpha: float = 0.8,
        scale: str | None = "auto",
        n_folds: int = 5,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.classifier = classifier
        self.n_neighbors = n_neighbors
        self.correction = correction
        self.alpha = alpha
        self.scale = scale
        self.n_folds = n_folds
        self.rule = rule
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fill the gaps of ``y``, with ``X`` and ``y`` as in :meth:`halflabel.SSDRMC.fit`."""
        X, labels = self._enter(X, y)
        require_whole(self, n_neighbors=1, n_folds=2)
        require_not_negative(self, "correction", finite=True)
        require_share(self, "alpha")
        if self.alpha == 1:
            raise ValueError("alpha must be below 1: at 1 the scores do not depend on any label.")
        with limit_threads(len(labels)):
            return self._fit(X, labels)

    def _fit(self, X: Matrix, labels: PartialLabels) -> Self:
        self.scaler_ = Scaler.learn(X, self.scale)
        self.items_ = self.scaler_(X)
        indices, distances = neighbors(self.items_, self.n_neighbors)
        self.bandwidth_ = float(distances[:, -1].mean()) or 1.0
        A = affinity(indices, distances, self.bandwidth_)
        self.classifiers_ = fit_each(self.classifier, self.items_, labels)
        whole = self._correct(A, labels, score_each(self.classifiers_, self.items_))
        self.errors_, self.field_ = map(self._restore_order, (whole.errors, whole.scores))
        folds = folds_of_labelled(labels, self.n_folds, np.random.default_rng(self.random_state))
        self._decide(labels, whole.scores, self._out_of_fold(A, labels, folds))
        return self

    def _correct(self, A: sparse.csr_array, labels: PartialLabels, base: Floats) -> Corrected:
        """Return the corrected and smoothed scores, or NaN for labels that have no classifier."""
        learned, scores = labels.learnable, np.full(base.shape, np.nan)
        errors = np.zeros(base.shape)
        if not learned.any():
            return Corrected(base, errors, scores)
        Y, observed, Z = labels.values(unknown=0.0)[:, learned], labels.observed[:, learned], base[:, learned]
        errors[:, learned] = _spread_errors(A, np.where(observed, Y - Z, 0.0), observed)
        H = np.where(observed, Y, Z + self.correction * errors[:, learned])
        scores[:, learned] = _smooth(A, H, self.alpha)
        return Corrected(base, errors, scores)

    def _out_of_fold(self, A: sparse.csr_array, labels: PartialLabels, folds: Ints) -> Floats:
        def score_held_out(held_out: Mask) -> Floats:
            rest = labels.hide(np.broadcast_to(held_out[:, None], labels.shape))
            classifiers = fit_each(self.classifier, self.items_, rest)
            return self._correct(A, rest, score_each(classifiers, self.items_)).scores[held_out]

        return score_out_of_fold(score_held_out, folds, labels.shape)

    def _score_new(self, X: Matrix) -> Floats:
        items = self.scaler_(X)
        indices, distances = neighbors(self.items_, min(self.n_neighbors, len(self.field_)), query=items)
        squares = np.square(distances) - np.square(distances[:, :1])  # the nearest has weight 1, however far it is
        weights = np.exp(-squares / (2 * self.bandwidth_**2))
        weights /= weights.sum(axis=1, keepdims=True)
        nearest = self._item_order[indices]
        errors, scores = (np.einsum("ik,ikj->ij", weights, table[nearest]) for table in (self.errors_, self.field_))
        corrected = score_each(self.classifiers_, items) + self.correction * errors
        return np.asarray((1 - self.alpha) * corrected + self.alpha * scores)


def _spread_errors(A: sparse.csr_array, errors: Floats, observed: Mask) -> Floats:
    """Return the errors. An entry that is not observed has the mean of its neighbours, or 0 without a path."""
    degrees = np.asarray(A.sum(axis=1)).ravel()
    W = sparse.csr_array(sparse.diags_array(1 / np.where(degrees > 0, degrees, 1.0)) @ A)
    held = np.where(observed | ~reachable(W, observed), np.inf, 0.0)
    return fixed_point(W, errors, held, tol=1e-8, max_iter=1000).x


def _smooth(A: sparse.csr_array, H: Floats, alpha: float) -> Floats:
    r"""Return the limit :math:`(1 - \alpha)(I - \alpha S)^{-1} H`."""
    degrees = np.asarray(A.sum(axis=1)).ravel()
    root = sparse.diags_array(1 / np.sqrt(np.where(degrees > 0, degrees, 1.0)))
    S = sparse.csr_array(root @ A @ root)
    diagonal = np.ones((len(H), 1))
    return pcg(lambda F: F - alpha * (S @ F), (1 - alpha) * H, diagonal, start=H, tol=1e-8, max_iter=1000).x
