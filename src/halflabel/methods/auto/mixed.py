"""MixedLabeler: positive-only labels in a table with other labels, which are features of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_consistent_length

from halflabel._arrays import Floats, Ints, Mask, Matrix, MatrixLike, is_sparse
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import require_observed_rate
from halflabel.labels.rules import Rule
from halflabel.methods.auto.estimator import AutoLabeler
from halflabel.methods.auto.features import Weighting
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.canonical_order import order_items
from halflabel.methods.contributions import Carriers, Examples
from halflabel.methods.validation import RandomState
from halflabel.numerics.column_order import order_columns


@dataclass(frozen=True, eq=False)
class LabelFeatures:
    """Weighted features of items together with their labels, which have the weight of all features together."""

    weighting: Weighting
    #: Shape (n_labels,). The labels in canonical order.
    columns: Ints
    #: ``center``, ``scale``: shape (n_labels,). Subtracted from the value of each label, and multiplied with the
    #: difference.
    center: Floats
    scale: Floats

    @classmethod
    def learn(cls, X: Matrix, values: Floats, columns: Ints) -> LabelFeatures:
        """Learn from items, the values of their labels, and the canonical order of the labels."""
        weighting = Weighting.learn(X, "auto")
        weighted: Any = weighting(X)
        squares = weighted.multiply(weighted) if is_sparse(weighted) else np.square(weighted)
        size = np.sqrt(float(squares.sum()) / len(values) / values.shape[1])
        return cls(weighting, columns, values.mean(axis=0), size / np.maximum(values.std(axis=0), 1e-6))

    def __call__(self, X: Matrix, values: Floats) -> Matrix:
        """Return the features. Sparse X stays sparse."""
        added: Any = np.take((values - self.center) * self.scale, self.columns, axis=1)
        weighted: Any = self.weighting(X)
        return sparse.csr_array(sparse.hstack([weighted, added])) if is_sparse(X) else np.hstack([weighted, added])


class MixedLabeler(PartialLabelEstimator):
    """Two ensembles for a table where some labels are positive-only: the other labels are features of these.

    The first :class:`halflabel.AutoLabeler` learns the other labels, as if they were alone. The second one learns the
    positive-only labels from the features together with the other labels: a known entry is 0 or 1, and a gap is its
    probability, which is out of fold for an item with a known entry. So the other labels get the same values as in a
    table without positive-only labels.

    Parameters
    ----------
    effort : {"fast", "default", "best"}, default="default"
        Of both ensembles.
    observed_rate : float or None, default=None
        The label frequency c of the positive-only labels, as in :class:`halflabel.AutoLabeler`.
    rule : str or Rule, default="probable"
        Threshold rule, as in :class:`halflabel.AutoLabeler`.
    random_state : int, Generator, RandomState or None, default=0
        Decides folds, samples, landmarks and trees.

    Attributes
    ----------
    first_, second_ : AutoLabeler
        Of the other labels, and of the positive-only labels.
    positives_ : ndarray of bool, shape (n_labels,)
        Which labels are positive-only.
    label_scores_, out_of_fold_scores_, label_probabilities_ : ndarray of shape (n_items, n_labels)
        As in :class:`halflabel.AutoLabeler`. Without ``observed_rate``, probabilities of a positive-only label are of
        being assigned.
    transduction_ : ndarray of shape (n_items, n_labels)
        0/1, known entries verbatim.
    thresholds_ : ndarray of shape (n_labels,)

    Raises
    ------
    ValueError
        If not all of these hold: some labels are positive-only, some are not, and each has examples of both kinds.

    Examples
    --------
    >>> from halflabel.labels.positive_only import trust_positives
    >>> X = np.repeat([[0.0], [1.0]], 10, axis=0) + np.linspace(0, 0.1, 20)[:, None]
    >>> known = np.column_stack([np.repeat([0.0, 1.0], 10), np.r_[np.zeros(15), np.ones(5)]])
    >>> labels = trust_positives(PartialLabels.from_table(known), PartialLabels.from_table(known).names[1:])
    >>> model = MixedLabeler("fast").fit(X, labels)
    >>> bool(model.label_scores_[10:15, 1].mean() > model.label_scores_[:10, 1].mean())
    True
    """

    own_threshold: ClassVar[float] = 0.0
    auxiliary: ClassVar[frozenset[str]] = frozenset({"groups"})
    _transductive: ClassVar[tuple[str, ...]] = (*PartialLabelEstimator._transductive, "label_scores_", "calibration_")

    first_: AutoLabeler
    second_: AutoLabeler
    features_: LabelFeatures
    positives_: Mask

    def __init__(
        self,
        effort: str = "default",
        *,
        observed_rate: float | None = None,
        rule: str | Rule = "probable",
        random_state: RandomState = 0,
    ) -> None:
        self.effort = effort
        self.observed_rate = observed_rate
        self.rule = rule
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: PartialLabels, groups: ArrayLike | None = None) -> Self:
        """Fit both ensembles.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
        y : PartialLabels of shape (n_items, n_labels)
            From :func:`halflabel.labels.positive_only.trust_positives`.
        groups : array-like of shape (n_items,), optional
            As in :meth:`halflabel.AutoLabeler.fit`.
        """
        require_observed_rate(self.observed_rate)
        if not isinstance(y, PartialLabels) or not y.is_mixed:
            raise ValueError(
                "MixedLabeler is for labels of which some are positive-only: use AutoLabeler for labels of one kind."
            )
        X = self._validate_features(X, reset=True)
        check_consistent_length(X, y)
        self.positives_ = np.array(y.positives)
        self.label_names_, self.single_label_ = y.names, False
        known = y.select(np.flatnonzero(~self.positives_))
        self.first_ = self._build().fit(X, known, groups=groups)
        values = _fill(known, self.first_.label_probabilities_)
        rows = order_items(X, known)
        self.features_ = LabelFeatures.learn(X, values, order_columns(known.state[rows]))
        self.second_ = self._build(scale=None, observed_rate=self.observed_rate)
        self.second_.fit(self.features_(X, values), y.select(np.flatnonzero(self.positives_)), groups=groups)
        return self._store_both()

    def _build(self, **options: Any) -> AutoLabeler:
        return AutoLabeler(self.effort, rule=self.rule, random_state=self.random_state, **options)

    def _store_both(self) -> Self:
        """Store the tables of both ensembles as one."""
        first, second = self.first_, self.second_
        for name in ("label_scores_", "out_of_fold_scores_", "label_probabilities_"):
            setattr(self, name, self._join(getattr(first, name), getattr(second, name)))
        answers = (np.asarray(each.transduction_).reshape(len(each.label_scores_), -1) for each in (first, second))
        self.transduction_ = self._join(*answers)
        self.thresholds_ = self._join(first.thresholds_, second.thresholds_)
        return self

    def _join(self, others: Any, positive: Any) -> Any:
        """Return the columns of the other labels and of the positive-only labels in the order of the table."""
        place = np.argsort(np.argsort(self.positives_, kind="stable"), kind="stable")
        return np.concatenate([others, positive], axis=-1)[..., place]

    def _split(self, labels: PartialLabels) -> tuple[PartialLabels, PartialLabels]:
        """Return the other labels and the positive-only labels."""
        return labels.select(np.flatnonzero(~self.positives_)), labels.select(np.flatnonzero(self.positives_))

    # -- new items ---------------------------------------------------------------------

    def _score_new(self, X: Matrix) -> Floats:
        values = self.first_.predict_both(X)[1]
        scores: Floats = self._join(self.first_._score_new(X), self.second_._score_new(self.features_(X, values)))
        return scores

    def _score_known(self, X: Matrix, labels: PartialLabels) -> Floats:
        scores: Floats = self._join(self.first_._score_new(X), self.second_._score_new(self._add_labels(X, labels)))
        return scores

    def _add_labels(self, X: Matrix, labels: PartialLabels) -> Matrix:
        """Return the features of new items together with their other labels."""
        known, _ = self._split(labels)
        return self.features_(X, _fill(known, self.first_.complete_both(X, known)[1]))

    def _decide_new(self, scores: Floats, labels: PartialLabels | None = None) -> tuple[Mask, Floats]:
        known, positive = (None, None) if labels is None else self._split(labels)
        others = self.first_._decide_new(scores[:, ~self.positives_], known)
        pairs = zip(others, self.second_._decide_new(scores[:, self.positives_], positive), strict=True)
        relevant, p = (self._join(*pair) for pair in pairs)
        return relevant, p

    # -- explanations ------------------------------------------------------------------

    @property
    def evidence_of_members(self) -> dict[str, str]:
        """The evidence of each member of the two ensembles, see :attr:`halflabel.AutoLabeler.evidence_of_members`."""
        return self.second_.evidence_of_members | self.first_.evidence_of_members

    def decompose(self, rows: Ints, labels: PartialLabels) -> dict[str, Floats]:
        """Return the parts of the log odds of fitted items, see :meth:`halflabel.AutoLabeler.decompose`."""
        known, positive = self._split(labels)
        return self._join_parts(self.first_.decompose(rows, known), self.second_.decompose(rows, positive))

    def _join_parts(self, first: dict[str, Floats], second: dict[str, Floats]) -> dict[str, Floats]:
        zeros = [np.zeros_like(next(iter(parts.values()))) for parts in (first, second)]
        names = dict.fromkeys([*first, *second])
        return {name: self._join(first.get(name, zeros[0]), second.get(name, zeros[1])) for name in names}

    def find_carriers(
        self, X: Matrix, known: PartialLabels, label: int, row: int, examples: Examples | None = None
    ) -> dict[str, Carriers]:
        """Return the carriers of each part of one entry of the other labels. Positive-only labels have none."""
        if self.positives_[label]:
            return {}
        others = known.select(np.flatnonzero(~self.positives_))
        return self.first_.find_carriers(X, others, others.names.index(self.label_names_[label]), row, examples)


def _fill(known: PartialLabels, p: Floats) -> Floats:
    """Return the values of labels: 0 or 1, and in gaps their probability."""
    return np.where(known.observed, known.relevant, p)
