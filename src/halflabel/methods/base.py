"""The base of all methods: it validates input, decides from scores, and predicts new items."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from halflabel._arrays import Floats, Ints, Mask, Matrix, MatrixLike, is_sparse, stored
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import Calibrated
from halflabel.labels.metrics import micro_f1
from halflabel.labels.partial import LabelsLike
from halflabel.labels.rules import Rule, as_rule, read_rule, require_rule
from halflabel.methods.canonical_order import order_items
from halflabel.methods.contributions import Carriers, Examples, add_up, split_score
from halflabel.methods.decision import Decision, decide, decide_new
from halflabel.methods.validation import warn_of_rates
from halflabel.numerics.solvers import Status


class PartialLabelEstimator(MultiOutputMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Base of the methods of this library: fitted to labels with gaps, they return scores, probabilities and 0/1.

    A method of one's own needs no subclass: :func:`halflabel.complete` and :func:`halflabel.evaluate` take any object
    with ``fit(X, Y)`` and ``predict_proba(X)``, see :class:`halflabel.methods.own.OwnMethod`. The hooks are internal.

    A subclass has the parameter ``rule``. Its ``fit`` begins with :meth:`_enter` and ends with :meth:`_decide`. Between
    the two, items are in their canonical order, so that the result does not depend on the order of the caller. A
    subclass passes the arrays that it stores per item through :meth:`_restore_order`. Its :meth:`_score_new` scores new
    items. It may override the class variables, :meth:`_calibrate` and :meth:`resolve_rule`. Think twice before adding
    anything here.
    """

    rule: str | Rule

    #: The threshold of the rule "fixed" where the rule states none, in the unit of the scores.
    own_threshold: ClassVar[float] = 0.5

    # The attributes of a fit. Their annotations are the schema of a model file, as the annotations of a record are.
    n_features_in_: int
    sparse_features_: bool
    single_label_: bool
    label_names_: tuple[str, ...]
    thresholds_: Floats
    calibration_: Calibrated
    label_scores_: Floats
    _item_order: Ints

    #: The additional arguments of ``fit``: some of "groups", "prior" and "calibrate_on", which
    #: :func:`halflabel.methods.auxiliary.fit_with_auxiliary` passes.
    auxiliary: ClassVar[frozenset[str]] = frozenset()

    #: Whether features may be missing (NaN).
    _allow_nan: ClassVar[bool] = False

    #: Attributes that describe only the fitted items; they are not saved.
    _transductive: ClassVar[tuple[str, ...]] = (
        "transduction_",
        "label_probabilities_",
        "out_of_fold_scores_",
        "weights_",
        "neighbors_",
        "solution_",
        "embedding_",
        "_item_order",
    )

    @property
    def classes_(self) -> NDArray[Any]:
        """No method has it: by it, scikit-learn would recode a column of 1 and NaN as complete, before the fit."""
        raise AttributeError(
            f"{type(self).__name__} has no classes_, by which scikit-learn would recode gaps as values: use "
            "halflabel.methods.model_selection.out_of_fold, or halflabel.MaskedTargets(classifier) as the estimator."
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allow_nan
        tags.target_tags.required = True
        tags.target_tags.single_output = True
        tags.target_tags.two_d_labels = True
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        return tags

    # -- fit ---------------------------------------------------------------------------

    def _enter(self, X: Any, y: Any) -> tuple[Matrix, PartialLabels]:
        """Validate the input of ``fit``, and return its items in canonical order."""
        X, labels = self._validate_input(X, y)
        order = self._choose_order(X, labels)
        return X[order], labels[order]

    def _choose_order(
        self, X: Matrix, labels: PartialLabels, groups: Ints | None = None, prior: Floats | None = None
    ) -> Ints:
        """Return the canonical order of the items, and keep it for :meth:`_restore_order`."""
        self._item_order = order_items(X, labels, groups, prior)
        return self._item_order

    def _restore_order(self, values: Any) -> Any:
        """Return values per item, given in canonical order, in the order of the caller."""
        return values[np.argsort(self._item_order)]

    def _restore_both_orders(self, W: sparse.csr_array) -> sparse.csr_array:
        """Return a matrix of items by items, given in canonical order, in the order of the caller."""
        place = np.argsort(self._item_order)
        return sparse.csr_array(W[place][:, place])

    def _validate_input(self, X: Any, y: Any) -> tuple[Matrix, PartialLabels]:
        """Validate the input of ``fit`` once: features become a float array or csr, labels PartialLabels."""
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        self.resolve_rule()
        X = self._validate_features(X, reset=True)
        labels = PartialLabels.from_table(y)
        check_consistent_length(X, labels)
        labels.require_observed()
        self.single_label_ = not isinstance(y, PartialLabels) and _count_axes(y) == 1
        self.label_names_ = labels.names
        if labels.is_mixed:
            raise ValueError(
                f"{type(self).__name__} does not support a table where only some labels are positive-only: leave out "
                "the method, or give MixedLabeler()."
            )
        if labels.positive_only:
            raise ValueError(
                f"{type(self).__name__} needs irrelevant entries, but these labels are positive-only (an absent tag is "
                "unknown): every score would be 1. If an absent tag means irrelevant, pass absent='irrelevant'; to "
                "rank likely tags, use complete(..., absent='unknown')."
            )
        warn_of_rates(labels, ~labels.learnable, "were not observed with both values and cannot be learned")
        return X, labels

    def _validate_features(self, X: Any, *, reset: bool) -> Matrix:
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",  # neighbours are gathered by rows
            ensure_min_samples=2 if reset else 1,
            ensure_all_finite="allow-nan" if self._allow_nan else True,
        )
        if reset:
            self.sparse_features_ = is_sparse(X)
        return stored(X, as_sparse=self.sparse_features_)  # dense features were centred in fit, sparse ones were not

    def _decide(self, labels: PartialLabels, scores: Floats, out_of_fold: Floats) -> Self:
        """Store scores, calibrated probabilities, thresholds and the filled table.

        Parameters
        ----------
        labels : PartialLabels
        scores : ndarray of shape (n_items, n_labels)
            The method's scores of all fitted items.
        out_of_fold : ndarray of the same shape
            Scores of the observed entries by models that were fitted without them; NaN where there is none.
        """
        return self._store(decide(labels, scores, out_of_fold, self.resolve_rule()), labels)

    def _store(self, decision: Decision, labels: PartialLabels) -> Self:
        """Store a decision about items in canonical order, whose labels are given."""
        self.label_scores_ = self._restore_order(decision.scores)
        self.out_of_fold_scores_ = self._restore_order(decision.out_of_fold)
        self.calibration_ = decision.calibration
        self.label_probabilities_ = self._restore_order(decision.probabilities)
        self.thresholds_ = decision.thresholds
        self.transduction_ = self._restore_shape(self._restore_order(decision.relevant).astype(np.int64))
        return self

    def resolve_rule(self) -> Rule:
        """Return the threshold rule with its numbers. Raise if it does not exist, or if a number is invalid."""
        rule = as_rule(self.rule)
        require_rule(rule.name, rule.ratio, rule.threshold or 0.0)
        return replace(rule, threshold=self.own_threshold) if rule.threshold is None else rule

    def use_rule(self, rule: str | Rule) -> Self:
        """Set the threshold rule of the next fit, and return the estimator."""
        read = read_rule(rule)
        if read.threshold is None and isinstance(self.rule, Rule):
            read = replace(read, threshold=self.rule.threshold)
        self.rule = read
        return self

    def _warn_unless_converged(self, status: Status, residual: float) -> None:
        """Warn once if a solver stopped before it converged."""
        if status is not Status.CONVERGED:
            sentence = f"{type(self).__name__}: {status.value} (residual {residual:.1e})"
            warnings.warn(sentence, ConvergenceWarning, stacklevel=4)

    # -- new items ---------------------------------------------------------------------

    def _score_new(self, X: Matrix) -> Floats:
        """Return the scores of rows that are treated as new."""
        raise NotImplementedError

    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the method's own scores of new items, in the paper's unit."""
        check_is_fitted(self)
        return self._restore_shape(self._score_new(self._validate_features(X, reset=False)))

    def predict_proba(self, X: MatrixLike) -> Floats:
        """Return calibrated probabilities of being relevant.

        Returns
        -------
        ndarray of shape (n_items, n_labels)
            For a single label, given as a 1-D ``y``: (n_items, 2), irrelevant and relevant.
        """
        _, p = self.predict_both(X)
        return np.column_stack([1 - p, p]) if self.single_label_ else p

    def predict(self, X: MatrixLike) -> NDArray[np.int64]:
        """Return 0/1 for new items. Every row is treated as new, also a fitted one."""
        relevant, _ = self.predict_both(X)
        return self._restore_shape(relevant)

    def predict_both(self, X: MatrixLike) -> tuple[NDArray[np.int64], Floats]:
        """Return 0/1 and the probabilities of new items, scored once. A single label is returned as one column."""
        check_is_fitted(self)
        relevant, p = self._decide_new(self._score_new(self._validate_features(X, reset=False)))
        return relevant.astype(np.int64), p

    def complete_both(self, X: MatrixLike, labels: PartialLabels) -> tuple[NDArray[np.int64], Floats]:
        """Return 0/1 and the probabilities of new items of which some labels are known.

        A known entry keeps its value, and its probability is not fitted to this value. A method that uses an item's
        other labels, such as the second stage of :class:`halflabel.AutoLabeler`, uses the known ones.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
        labels : PartialLabels of shape (n_items, n_labels)
            The known entries; there may be none.
        """
        check_is_fitted(self)
        scores = self._score_known(self._validate_features(X, reset=False), labels)
        relevant, p = self._decide_new(scores, labels)
        return np.where(labels.observed, labels.relevant, relevant).astype(np.int64), p

    def score_both(self, X: MatrixLike, labels: PartialLabels) -> tuple[Floats, Floats]:
        """Return the scores and the probabilities of new items of which some labels are known."""
        check_is_fitted(self)
        scores = self._score_known(self._validate_features(X, reset=False), labels)
        return scores, self._decide_new(scores, labels)[1]

    def _score_known(self, X: Matrix, labels: PartialLabels) -> Floats:
        """Return the scores of new items of which some labels are known."""
        return self._score_new(X)

    def _decide_new(self, scores: Floats, labels: PartialLabels | None = None) -> tuple[Mask, Floats]:
        """Return which entries of new items are relevant, and their probabilities, given known entries ``labels``."""
        return decide_new(scores, self.resolve_rule(), self.calibration_, self.thresholds_)

    # -- explanations ------------------------------------------------------------------

    def decompose(self, rows: Ints, labels: PartialLabels) -> dict[str, Floats]:
        """Return the parts of the log odds of fitted items, whose sum is that of ``label_probabilities_``.

        They are described in :mod:`halflabel.methods.contributions`.

        Parameters
        ----------
        rows : ndarray of int
            Positions of the items.
        labels : PartialLabels
            The labels of all items, as the method learned from them: the parts of an observed entry are out of fold.
        """
        observed = labels.observed[rows]
        scores = np.where(observed, self.out_of_fold_scores_[rows], self.label_scores_[rows])
        calibration = self._choose_calibration(labels.unlabelled[rows])
        return add_up(self._list_parts(scores, rows), calibration, scores, self.label_probabilities_[rows])

    def _choose_calibration(self, unlabelled: Mask) -> Calibrated:
        """Return the calibration of fitted items, of which some have no observed label."""
        return self.calibration_

    def _list_parts(self, scores: Floats, rows: Ints) -> dict[str, Floats]:
        """Return the method's own parts of the log odds of fitted items."""
        return split_score(self.calibration_, scores)

    def find_carriers(
        self, X: Matrix, known: PartialLabels, label: int, row: int, examples: Examples | None = None
    ) -> dict[str, Carriers]:
        """Return the carriers of each part of one entry of a fitted item, in log odds. A part not divided has none.

        Parameters
        ----------
        X : matrix of shape (1, n_features)
            The features of the item.
        known : PartialLabels of shape (1, n_labels)
            Its known entries.
        label : int
        row : int
            The position of the item. Its entries are explained out of fold.
        examples : Examples, optional
            The observed entries of the label by other items, which a regression is divided among.
        """
        return {}

    def score(self, X: MatrixLike, y: LabelsLike) -> float:
        """Return micro-F1 of ``predict(X)`` on the observed entries of ``y``."""
        labels = PartialLabels.from_table(y)
        return micro_f1(labels, np.asarray(self.predict(X)).reshape(labels.shape))

    def to_state(self) -> dict[str, Any]:
        """Return the attributes that new items need, as plain values and arrays."""
        return {name: value for name, value in vars(self).items() if name not in self._transductive}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the estimator with the attributes that :meth:`to_state` returned."""
        model = cls.__new__(cls)
        model.__dict__.update(state)
        return model

    def _restore_shape(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return a table of one column as a 1-D array if ``y`` was 1-D."""
        return values.ravel() if self.single_label_ else values


def _count_axes(y: Any) -> int:
    """Return the number of axes of anything that can become an array."""
    return int(y.ndim if hasattr(y, "ndim") else np.asarray(y, dtype=object).ndim)
