"""SSDR-MC: labels propagated along reconstruction weights (Qian & Davidson 2010)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from halflabel._arrays import Floats, Mask, Matrix, MatrixLike
from halflabel.labels import PartialLabels
from halflabel.labels.partial import LabelsLike
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.ssdrmc.alternation import Alternator, Inference, ItemGraph
from halflabel.methods.ssdrmc.anchors import learn_anchors
from halflabel.methods.validation import require_choice, require_positive, require_whole
from halflabel.numerics.graph.embedding import Embedding, spectral_embedding
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.numerics.kernels import KernelRidge
from halflabel.numerics.scaling import Scaler
from halflabel.numerics.threads import limit_threads

#: T of the paper, a number of entries.
PUBLISHED_T = 5


def _has_coordinates(model: SSDRMC) -> bool:
    """Return whether coordinates are computed, which ``transform`` needs."""
    return model.n_components is not None


class SSDRMC(ClassNamePrefixFeaturesOutMixin, PartialLabelEstimator):  # type: ignore[misc] # scikit-learn has no types
    r"""Semi-supervised label propagation by reconstruction weights.

    Each item is rebuilt from its ``n_neighbors`` nearest neighbours with weights W that sum to 1 (eq. 4 and 13). The
    scores F of all items follow from W and the observed entries Y, coded 1 (relevant) and 0 (irrelevant):

    * ``"anchored"`` (default) minimises

      .. math::
          \|(I - W)F\|_F^2 + \beta \sum_{\mathrm{observed}} (F_{ij} - Y_{ij})^2
          + \beta_u \sum_{\mathrm{unknown}} (F_{ij} - F^0_{ij})^2

      with :math:`F^0` a kernel ridge regression (RBF kernel, its bandwidth the mean distance, the ridge weight chosen
      by closed-form leave-one-out). This is eq. (10) with its fitting term masked to observed entries, and with a prior
      for unknown entries.
    * ``"minimizer"`` is the same without the last term. With :math:`\beta = \infty` it is the true minimiser of eq.
      (5).
    * ``"fixed_point"`` solves :math:`F = WF` on unknown entries: with :math:`\beta = \infty` this is eq. (7) as
      printed, otherwise eq. (12) with its fitting term masked.
    * ``"published"`` is eq. (7) in Table 1 to the letter: eq. (4) mixes P and Q in their own units, the scores that are
      fed back are rounded at H, and the alternation stops when at most T = 5 entries changed.

    Parameters
    ----------
    n_neighbors : int, default=15
        k.
    n_components : int or None, default=None
        d, the number of coordinates of the spectral embedding, eq. (8) and (9). None computes neither the embedding
        nor ``transform``.
    inference : {"anchored", "minimizer", "fixed_point", "published"}, default="anchored"
        How the scores follow from the weights.
    ridge : float, default=1.0
        :math:`\xi` of eq. (13), a share of the mean eigenvalue of each local Gram matrix.
    alpha : float, default=0.1
        :math:`\alpha` of eq. (1), the share of the labels in the weights from the second alternation on. P and Q of
        eq. (4) are divided by their mean traces, so that alpha has one meaning for every set.
    fit_weight : float or None, default=None
        :math:`\beta`, weight of the squared error of one observed entry against the reconstruction error of one item.
        ``inf`` keeps observed scores at Y. None is 1 for "anchored" and ``inf`` for any other inference.
    anchor_weight : float, default=0.3
        :math:`\beta_u`, the same for the distance of one unknown entry to the prior. It is positive, and for "anchored"
        only.
    max_alternations : int, default=1
        Maximum number of alternations between W and F (Table 1). 1 stops after the first F. The next W follows from
        the scores, clipped to [0, 1].
    tol : float, default=1e-4
        T as a share: the alternation stops when at most this share of the entries changed its rounded value.
    scale : {"auto", "standard", None}, default="auto"
        "standard" divides each feature by its standard deviation; dense X is centred first. "auto" does so for
        dense X only.
    max_landmarks : int, default=2000
        Maximum number of labelled items for which kernel ridge is exact (half of it where entries are missing one by
        one). Above, it uses a Nystroem map with this number of landmarks. ``prior_.features.error`` is its error.
    n_folds : int, default=5
        Folds of labelled items for the out-of-fold scores that calibrate the probabilities.
    rule : str or Rule, default="micro_f1"
        Threshold rule: a name of :data:`halflabel.labels.rules.RULES`, "fixed", or a :class:`halflabel.Rule` with its
        numbers, such as ``Rule("cost", ratio=2)``. "fixed" compares scores
        with H, which is the ``threshold`` of the rule, or 0.3. Alternations round scores at H under every rule.
    solver_tol : float, default=1e-5
        Relative residual at which the iterative solvers stop.
    max_iter : int, default=300
        Maximum number of their iterations.
    random_state : int or None, default=0
        Seed of folds, landmarks and the sample for the bandwidth.

    Attributes
    ----------
    label_scores_ : ndarray of shape (n_items, n_labels)
        F. NaN for a label that was not observed with both values, and for entries without evidence: with "minimizer"
        and "fixed_point" these are entries from which no observed entry of the label can be reached on the graph.
    label_probabilities_ : ndarray of shape (n_items, n_labels)
        Calibrated probabilities, out of fold for observed entries.
    transduction_ : ndarray of shape (n_items, n_labels) or (n_items,)
        0/1. Known entries keep their values.
    thresholds_ : ndarray of shape (n_labels,)
        The lowest probability (or, for "fixed", score) of a relevant entry.
    weights_ : csr_array of shape (n_items, n_items)
        W.
    prior_ : KernelRidge or None
        :math:`F^0`, for "anchored".
    solution_ : Solution
        Objective history, true residual and status of the last solve for F.
    embedding_ : Embedding
        With ``n_components``: the coordinates of the fitted items from the last W, with eigenvalues, residuals,
        localisation and the components of the graph. Labels shape them only if weights and scores alternate
        (``max_alternations=2``, ``alpha=0.5``). Unknown labels then enter through their scores.
    n_alternations_ : int
        Number of alternations of W and F.
    stopped_ : {"stable", "cycle", "cap"}
        Why the alternation stopped.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, or the labels are positive-only.

    Notes
    -----
    After the neighbour search, W costs O(n k^3 + n k^2 m) and each of the 12-25 anchored iterations two sparse
    products, O(n k c) for c labels. The anchored system has no eigenvalue below min(fit_weight, anchor_weight), so that
    no component of the graph is singular. A new item gets :math:`(w^T F + \beta_u f^0)/(1 + \beta_u)`, the minimiser
    for its own row with all other rows held fixed (:math:`\beta_u = 0` without an anchor).

    **Departures from the paper.** The paper calls its eq. (7) the optimum of eq. (5), which it is not. Both are
    available under their own names. Eq. (10) and (12) as printed fill missing labels with 0 and pull every unlabelled
    item to 0. Here the fitting term is masked. Under eq. (7) the residual of every unlabelled item is 0, so that alpha
    and the alternation only react to rounding: the default does not alternate. The ridge is 1 (the paper recommends far
    less than 0.1, which is less accurate). P and Q of eq. (4) are divided by their mean traces, because otherwise the
    meaning of alpha depends on units. T is a share of the entries, and the alternation also ends when a state comes
    back. Probabilities and a plug-in threshold replace H = 0.3, which is available as ``rule="fixed"``.
    ``inference="published"`` keeps to Table 1. halflabel-papers varies its settings one by one.

    References
    ----------
    .. [1] B. Qian and I. Davidson, "Semi-Supervised Dimension Reduction for Multi-Label Classification",
       AAAI 2010, eq. (1)-(13) and Table 1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.vstack([np.linspace(0, 1, 10)[:, None], np.linspace(5, 6, 10)[:, None]])
    >>> y = np.full(20, np.nan)
    >>> y[[0, 3, 10, 13]] = [0, 0, 1, 1]
    >>> SSDRMC(n_neighbors=4).fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """

    scaler_: Scaler
    items_: Matrix
    n_alternations_: int
    stopped_: str
    prior_: KernelRidge

    own_threshold: ClassVar[float] = 0.3

    #: New items are rebuilt from the fitted items, so that the order of the fitted items is saved.
    _transductive: ClassVar[tuple[str, ...]] = tuple({*PartialLabelEstimator._transductive} - {"_item_order"})

    def __init__(
        self,
        n_neighbors: int = 15,
        *,
        n_components: int | None = None,
        inference: str = "anchored",
        ridge: float = 1.0,
        alpha: float = 0.1,
        fit_weight: float | None = None,
        anchor_weight: float = 0.3,
        max_alternations: int = 1,
        tol: float = 1e-4,
        scale: str | None = "auto",
        max_landmarks: int = 2000,
        n_folds: int = 5,
        rule: str | Rule = "micro_f1",
        solver_tol: float = 1e-5,
        max_iter: int = 300,
        random_state: int | None = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.inference = inference
        self.ridge = ridge
        self.alpha = alpha
        self.fit_weight = fit_weight
        self.anchor_weight = anchor_weight
        self.max_alternations = max_alternations
        self.tol = tol
        self.scale = scale
        self.max_landmarks = max_landmarks
        self.n_folds = n_folds
        self.rule = rule
        self.solver_tol = solver_tol
        self.max_iter = max_iter
        self.random_state = random_state

    @classmethod
    def as_published(cls) -> Self:
        """Return an instance with the settings of the paper's experiments.

        Eq. (7), k = 15, eq. (4) as printed with alpha = 0.1, H = 0.3, rounded feedback, T = 5 entries, raw features,
        and a ridge within the paper's "far less than 0.1". The paper gives no maximum of alternations. It is 10 here.
        """
        return cls(
            15,
            n_components=None,
            inference="published",
            ridge=1e-3,
            alpha=0.1,
            fit_weight=np.inf,
            max_alternations=10,
            scale=None,
            rule=Rule("fixed", threshold=0.3),
        )

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Fill the gaps of ``y``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            All items, labelled and unlabelled.
        y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels) or (n_items,)
            1 relevant, 0 irrelevant, missing unknown.
        """
        X, labels = self._enter(X, y)
        self._validate_parameters()
        with limit_threads(len(labels)):
            return self._fit(X, labels)

    def _fit(self, X: Matrix, labels: PartialLabels) -> Self:
        rng = np.random.default_rng(self.random_state)
        self.scaler_ = Scaler.learn(X, self.scale)
        self.items_ = self.scaler_(X)
        self.neighbors_, _ = neighbors(self.items_, self.n_neighbors)
        Y, observed = labels.values(unknown=0.0), labels.observed
        folds = folds_of_labelled(labels, self.n_folds, rng)
        if self.inference == "anchored":
            self.prior_, anchors = learn_anchors(self.items_, labels, folds, self.max_landmarks, rng)
        else:  # an entry without evidence is held at its label's rate while the entries with evidence are solved
            anchors = np.broadcast_to(np.nan_to_num(labels.rates), (folds.max() + 2, *labels.shape))
        alternator = self._alternator()
        last = alternator.run(Y, observed, anchors[0])
        self.weights_, self.n_alternations_, self.stopped_ = last.weights, last.n_alternations, last.stopped
        self.solution_ = last.solution
        self._warn_unless_converged(last.solution.status, last.solution.residual)
        if self.n_components is not None:
            self.embedding_: Embedding = spectral_embedding(last.weights, self.n_components, rng=rng)
            self._warn_unless_converged(self.embedding_.status, self.embedding_.residuals.max())

        def score_held_out(held_out: Mask) -> Floats:
            known, anchor = observed & ~held_out[:, None], anchors[1 + folds[held_out][0]]
            return alternator.run(Y, known, anchor, start=last.solution.x).scores[held_out]

        self._decide(labels, last.scores, score_out_of_fold(score_held_out, folds, Y.shape))
        return self._restore_items()

    def _restore_items(self) -> Self:
        """Bring the results of each item into the order of the caller."""
        self.weights_ = self._restore_both_orders(self.weights_)
        self.neighbors_ = self._restore_order(self._item_order[self.neighbors_])
        if self.n_components is not None:
            parts = (self.embedding_.coordinates, self.embedding_.component)
            coordinates, component = map(self._restore_order, parts)
            self.embedding_ = replace(self.embedding_, coordinates=coordinates, component=component)
        return self

    def _validate_parameters(self) -> None:
        require_whole(self, n_neighbors=1, max_alternations=1, max_landmarks=2, n_folds=2)
        require_choice(self, inference=("anchored", "minimizer", "fixed_point", "published"))
        if self.inference == "anchored":
            require_positive(self, "anchor_weight", reason="without an anchor, use inference='minimizer'")

    def _alternator(self) -> Alternator:
        """Return Table 1 with these settings. Its first W is the same for every fold."""
        published = self.inference == "published"
        graph = ItemGraph(self.items_, self.neighbors_, self.ridge, self.alpha, raw_units=published)
        limits = (self.max_alternations, self._round_at, published, self.tol, PUBLISHED_T if published else None)
        return Alternator(graph, self._inference(), graph.weigh(), *limits)

    @property
    def _round_at(self) -> float:
        """H, where scores are rounded under every rule."""
        return float(self.resolve_rule().threshold or 0.0)

    def _inference(self) -> Inference:
        name = "fixed_point" if self.inference == "published" else self.inference
        fit_weight = self.fit_weight
        if fit_weight is None:
            fit_weight = 1.0 if name == "anchored" else np.inf
        return Inference(name, fit_weight, self.anchor_weight, self.solver_tol, self.max_iter)

    def _score_new(self, X: Matrix) -> Floats:
        items = self.scaler_(X)
        neighbours = self._weights_of_new(items) @ self.label_scores_[self._item_order]
        if self.inference != "anchored":
            return np.asarray(neighbours)
        weight = self.anchor_weight
        return np.asarray((neighbours + weight * self.prior_.predict(items)) / (1 + weight))

    def _weights_of_new(self, items: Matrix) -> sparse.csr_array:
        """Return the weights that rebuild new items from the fitted items, in canonical order."""
        indices, _ = neighbors(self.items_, min(self.n_neighbors, self.items_.shape[0]), query=items)
        return reconstruction_weights(self.items_, indices, self.ridge, query=items)

    @available_if(_has_coordinates)  # type: ignore[untyped-decorator]
    def transform(self, X: MatrixLike) -> Floats:
        """Return coordinates of new items, rebuilt from neighbours. The shape is (n_items, n_components)."""
        check_is_fitted(self)
        items = self.scaler_(self._validate_features(X, reset=False))
        return np.asarray(self._weights_of_new(items) @ self.embedding_.coordinates[self._item_order])

    @available_if(_has_coordinates)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: MatrixLike, y: LabelsLike) -> Floats:
        """Fit and return the coordinates of the fitted items."""
        return self.fit(X, y).embedding_.coordinates

    @available_if(_has_coordinates)  # type: ignore[untyped-decorator]
    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return the names of the coordinates."""
        return super().get_feature_names_out(input_features)

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.coordinates.shape[1])
