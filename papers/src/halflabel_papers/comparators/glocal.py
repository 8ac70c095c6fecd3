"""GLOCAL: latent labels, and label correlations learned for all items and for clusters of them (Zhu et al. 2018)."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from halflabel.labels import PartialLabels
from halflabel.labels.rules import Rule
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.validation import require_not_negative, require_positive, require_whole
from halflabel.numerics.solvers import Solution
from halflabel.plugins import Floats, Mask, Matrix, is_sparse
from halflabel_papers.comparators.comparator import Comparator, Setting
from halflabel_papers.comparators.glocal_blocks import Factors, Items, Problem, minimise_alternately
from halflabel_papers.comparators.leml import LowRankMap


class GLOCAL(Comparator):
    r"""Labels have few latent labels, which are linear in the features. Label correlations are learned with them.

    Minimises over U (labels x k), V (k x items), W (features x k), intercepts b, and :math:`Z_1, \ldots, Z_g` (labels x
    k) with rows of length 1

    .. math::
        \|J \circ (Y - U V - b 1^T)\|^2 + \lambda \|V - W^T X\|^2 + \lambda_2 (\|U\|^2 + \|V\|^2 + \|W\|^2)
        + \sum_m \Bigl[ \frac{\lambda_3 n_m}{n} \mathrm{tr}(F_0^T Z_m Z_m^T F_0)
        + \lambda_4\, \mathrm{tr}(F_m^T Z_m Z_m^T F_m) \Bigr]

    where the columns of X are the centred items, Y is +1 or -1, J marks the observed entries, :math:`F_0 = U W^T X` has
    the predictions for all n items, and :math:`F_m` the predictions for the :math:`n_m` items of cluster m.
    :math:`Z_m Z_m^T` is the Laplacian of the labels in this cluster, and is learned: labels with similar predictions
    get a negative entry. The score of an item x, fitted or new, is :math:`U W^T x + b`.

    Parameters
    ----------
    alpha : float, default=1.0
        :math:`\lambda`, how much the latent labels of an item follow from its features.
    ridge : float, default=0.3
        :math:`\lambda_2`.
    alpha_global : float, default=0.1
        :math:`\lambda_3`, the weight of the correlations in all items.
    alpha_local : float, default=0.1
        :math:`\lambda_4`, the weight of the correlations in each cluster.
    rank : int, default=20
        k; it is reduced to the number of features or of labels if it is larger.
    n_clusters : int, default=5
        g, the number of clusters, found by k-means; it is reduced to the number of different items.
    uses_unlabelled : bool, default=True
        Fit unlabelled items too. The paper has labels of all items, some of them missing, and no unlabelled items.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    n_folds : int, default=5
        Folds of annotated items, for the out-of-fold scores; held-out items are fitted as unlabelled items.
    tol : float, default=1e-3
        Stop when an alternation lowers the objective by less than this share of it.
    max_iter : int, default=200
        Maximum number of alternations.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with 0, the paper's sign.
    random_state : int or None, default=0
        Seed of the clusters and of the folds.

    Attributes
    ----------
    model_ : LowRankMap
        W, U and b, for the labels that can be learned.
    clusters_ : ndarray of int, shape (n_items,)
        The cluster of each item.
    laplacians_ : ndarray of shape (n_clusters, n_labels, n_labels)
        :math:`Z_m Z_m^T`; NaN for labels that cannot be learned.
    solution_ : Solution
        ``x`` is :math:`W U^T` along the principal axes of X, ``objective`` the value at the start and after each
        alternation, ``residual`` the last relative decrease.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`LEML`.

    Notes
    -----
    V and W are minimised together, U and b together, by conjugate gradients; then Z takes projected gradient steps.
    No step increases the objective. With r = min(items, features), an alternation costs some ten products of
    :math:`O(n r k + n k^2)` operations, or :math:`O(p r^2 k)` if only p combinations of observed labels and cluster
    occur. The items along their principal axes are a dense table of n x r, also for sparse X. The fits of the folds
    share it and the clusters.

    The known labels of an item count for U, W and its own column of V, but its score is not :math:`U v + b`: on the
    sets below, with half of the entries hidden, the sign of :math:`U v + b` had a higher micro-F1 on one of three.

    Unlabelled items have J = 0, but they are items of X, V and the clusters. Their terms shrink predictions to b, so
    that :math:`\lambda_2` should be smaller if most items are unlabelled. With positive-only labels, an entry that is
    unknown in an annotated item counts as -1, as in :class:`LEML`: if it had J = 0, all observed entries would be +1,
    and a constant would fit them.

    **Departures from the paper.** Its text was not available; the objective is from memory and from a paper that quotes
    it.

    * Features are standardised and centred, and labels have intercepts without a penalty. Without them, a rare label
      needs a constant feature, whose weight the penalties shrink.
    * The paper takes gradient steps in V, U and W; here each is a minimum, and V is eliminated to get W: otherwise W
      moves slowly if most items are unlabelled. Before each alternation the scale of U is balanced with that of V and
      W.
    * Z has k columns. The start is not random but spanned by the labels' singular directions of :math:`X^T Y`.
    * The paper chooses its weights for each data set. Our defaults were chosen on three sets on which no page of
      the papers has this method: the first 800 items of Yahoo Arts, 500 items of Gram-negative bacteria, and a
      low-rank set of :func:`halflabel.datasets.make_low_rank`, each with half of the entries or 70 % of the items
      hidden.

    References
    ----------
    .. [1] Y. Zhu, J. T. Kwok and Z.-H. Zhou, "Multi-label learning with global and local label correlation", IEEE
       Transactions on Knowledge and Data Engineering 30(6), 2018.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] < 0]).astype(float)
    >>> Y[[2, 9], 0] = np.nan
    >>> GLOCAL(n_clusters=2, n_folds=3).fit(X, Y).transduction_[[2, 9]]
    array([[0, 1],
           [1, 0]])
    """

    own_threshold: ClassVar[float] = 0.0
    _transductive: ClassVar[tuple[str, ...]] = (*Comparator._transductive, "clusters_")

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        ridge: float = 0.3,
        alpha_global: float = 0.1,
        alpha_local: float = 0.1,
        rank: int = 20,
        n_clusters: int = 5,
        uses_unlabelled: bool = True,
        scale: str | None = "auto",
        n_folds: int = 5,
        tol: float = 1e-3,
        max_iter: int = 200,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.alpha = alpha
        self.ridge = ridge
        self.alpha_global = alpha_global
        self.alpha_local = alpha_local
        self.rank = rank
        self.n_clusters = n_clusters
        self.uses_unlabelled = uses_unlabelled
        self.scale = scale
        self.n_folds = n_folds
        self.tol = tol
        self.max_iter = max_iter
        self.rule = rule
        self.random_state = random_state

    def _settings(self) -> list[Setting]:
        require_positive(self, "alpha", "ridge", "tol", finite=True)
        require_not_negative(self, "alpha_global", "alpha_local", finite=True)
        require_whole(self, rank=1, n_clusters=1, max_iter=1)
        return [{"alpha": self.alpha}]

    def _choose_and_fit(self, X: Matrix, labels: PartialLabels, settings: list[Setting]) -> Self:
        """Fit one setting, by default with unlabelled items, which most other comparators do not use."""
        used = np.ones(len(labels), dtype=bool) if self.uses_unlabelled else ~labels.unlabelled
        whole, X, known = X, X[used], labels[used]
        mean = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
        # Dense rows are centred first, so that a large offset does not cost digits; sparse ones are centred implicitly.
        rows, offset = (X, mean) if is_sparse(X) else (X - mean, np.zeros_like(mean))
        items = Items.of(rows, offset, self.n_clusters, self.random_state)
        clusters, out_of_fold = np.full(len(labels), -1), np.full(labels.shape, np.nan)
        clusters[used] = items.clusters
        self.learned_, self.clusters_ = known.learnable, self._restore_order(clusters)
        self.laplacians_ = np.full((len(items.members), labels.shape[1], labels.shape[1]), np.nan)
        if self.learned_.any():
            at, self.solution_ = self._minimise(items, known)
            self._warn_unless_converged(self.solution_.status, self.solution_.residual)
            self.model_ = LowRankMap(items.to_features(at.W, rows, offset), at.U, at.b, mean)
            learned = np.flatnonzero(self.learned_)
            self.laplacians_[:, learned[:, None], learned] = at.Z @ at.Z.transpose(0, 2, 1)
        out_of_fold[used] = self._out_of_fold(items, known)
        return self._decide(labels, self._score(whole), out_of_fold)

    def _minimise(self, items: Items, labels: PartialLabels) -> tuple[Factors, Solution]:
        """Fit the labels that can be learned."""
        state = labels.state[:, labels.learnable].astype(np.float64)
        problem = Problem(items, state, self.alpha, self.ridge, self.alpha_global, self.alpha_local)
        return minimise_alternately(problem, self.rank, self.tol, self.max_iter)

    def _out_of_fold(self, items: Items, labels: PartialLabels) -> Floats:
        def score_held_out(held_out: Mask) -> Floats:
            rest = labels.hide(np.broadcast_to(held_out[:, None], labels.shape))
            scores = np.full((int(held_out.sum()), labels.shape[1]), np.nan)
            if rest.learnable.any():
                at, _ = self._minimise(items, rest)
                scores[:, rest.learnable] = items.B[held_out] @ at.W @ at.U.T + at.b
            return scores

        folds = folds_of_labelled(labels, self.n_folds, np.random.default_rng(self.random_state))
        return score_out_of_fold(score_held_out, folds, labels.shape)
