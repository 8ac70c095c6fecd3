"""AutoLabeler: the ensemble as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from halflabel._arrays import Ints, Mask, Matrix, MatrixLike
from halflabel.labels import PartialLabels
from halflabel.labels.groups import number_groups
from halflabel.labels.partial import LabelsLike
from halflabel.labels.rules import Rule
from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.ensemble import MEMBERS
from halflabel.methods.auto.features import Weighting
from halflabel.methods.auto.fit import Config, Data, FittedAuto, fit_auto
from halflabel.methods.auto.predicting import FittedLabeler
from halflabel.methods.auto.prior import read_prior
from halflabel.methods.positives import PositiveOnlyEstimator
from halflabel.methods.validation import (
    RandomState,
    as_seed,
    is_random_state,
    is_whole,
    require,
    require_choice,
    require_whole,
)
from halflabel.numerics.column_order import order_columns
from halflabel.numerics.threads import limit_threads


class AutoLabeler(FittedLabeler):
    r"""An ensemble of four models of different kinds, or five for text, with learned weights in log odds.

    The members, each of which may also be used alone (``members=("kernel",)``):

    * ``"kernel"``: RBF kernel ridge, :math:`\min \|\Phi_l c - Y\|^2 + \alpha\|c\|^2`. :math:`\alpha` and the bandwidth
      have the smallest leave-one-out error, in closed form.
    * ``"harmonic"``: labels propagated along a heat-kernel graph of all items.
    * ``"trees"``: extremely randomised trees. A tree tries the square root of the features at each node, or half of
      them where the trees' out-of-fold Brier score is lower.
    * ``"boosting"``: boosted trees that all labels share (:func:`halflabel.methods.auto.boosting.boost`), for labels
      that a few thresholds decide.
    * ``"logistic"``: logistic regression with a ridge, for text features.

    Labels are coded 1 (relevant) and 0 (irrelevant). Every member has out-of-fold scores of the labelled items. On
    these its scores are converted to log odds (Platt, one slope and intercept per label, shrunk to a common one), and
    weights are learned (:func:`halflabel.methods.auto.member_weights.learn_weights`): non-negative, with the lowest
    log loss, and shrunk to equal weights. The weighted sum is calibrated once more and checked fold by fold
    (:func:`halflabel.methods.auto.beta_calibration.calibrate`).

    Parameters
    ----------
    effort : {"fast", "default", "best"}, default="default"
        "fast" combines kernel, few trees and, for text, logistic regression; "best" takes three times the trees, twice
        the rounds of boosting, and larger maps, graphs and samples.
    members : sequence of str or None, default=None
        Names from the list above; None takes the members of ``effort``.
    n_neighbors : int, default=10
        Neighbours in the graph, in the space of the first 60 principal components.
    scale : {"auto", "standard", "idf", None}, default="auto"
        Weighting of features. "standard" divides each by its standard deviation; dense X is centred first. "idf"
        weights each by its rarity and divides each item by its length. "auto" is "idf" where no value is negative and
        at most one in five is not 0, as in word counts; else "standard" for dense and None for sparse X.
    n_folds : int or None, default=None
        Folds of labelled items for out-of-fold scores. None takes 10 for fewer than 500 labelled items, where
        another draw of 5 folds would change probabilities most, and 5 for more.
    observed_rate : float or None, default=None
        For positive-only labels: the label frequency c, the share of the relevant entries that were assigned. It is an
        assumption about the data, not learned. With it, probabilities are of being relevant; without it, of being
        assigned.
    rule : str or Rule, default="probable"
        Threshold rule: a name of :data:`halflabel.labels.rules.RULES`, "fixed", or a :class:`halflabel.Rule` with its
        numbers, such as ``Rule("cost", ratio=2)``. "fixed" compares log odds with 0.
    random_state : int, Generator, RandomState or None, default=0
        Decides folds, samples, landmarks and trees.

    Attributes
    ----------
    label_scores_ : ndarray of shape (n_items, n_labels)
        Log odds of the ensemble; out of fold for items with an observed label, and corrected by the item's other labels
        where single entries are missing. NaN for a label that was not observed with both values.
    out_of_fold_scores_ : ndarray of shape (n_items, n_labels)
        Log odds of the observed entries by models that were fitted without the item; NaN elsewhere.
    label_probabilities_ : ndarray of shape (n_items, n_labels)
        Calibrated probabilities; out of fold for items with an observed label. For positive-only labels, of being
        assigned, or, with ``observed_rate``, of being relevant; where an annotated item lacks the label, given that
        the label was not assigned.
    assigned_probabilities_ : ndarray of shape (n_items, n_labels)
        For positive-only labels, of being assigned, by models that were fitted without the item.
    folds_ : ndarray of int, shape (n_items,)
        Fold in which an item was held out; -1 for an item without an observed label in the fit.
    coupled_ : bool
        Whether the observed labels of an item changed the scores of its other entries.
    transduction_ : ndarray of shape (n_items, n_labels) or (n_items,)
        0/1, known entries verbatim; for positive-only labels, entries that were not assigned are filled in where they
        are likely enough.
    thresholds_ : ndarray of shape (n_labels,)
        The lowest probability (for "fixed": log odds) of a relevant entry.
    prior_weights_ : tuple of two floats or None
        Weights of the ensemble and of the prior, see :func:`halflabel.methods.auto.prior.add_prior`; None without a
        prior.
    new_item_decision_ : NewItemDecision or None
        Calibration and thresholds of new items, if the calibration of the fitted items depends on a prior or on other
        observed labels of the item; None if they are the same.
    refiner_ : Refiner or None
        Corrects the log odds of new items by their observed labels, in the canonical order of labels. None where the
        fit did not need it, or had a prior, which new items do not have.
    alone_calibration_ : Calibrated or None
        The calibration of the fitted items without an observed label; None if it is that of all items.
    weights_ : csr_array of shape (n_items, n_items) or None
        The transition matrix of the graph; None if no member uses it.
    member_weights_ : dict of str to float
        Weight of every member in the sum of log odds; a member with weight 0 does not score new items.
    contributions_ : dict of str to ndarray of shape (n_items, n_labels)
        The weighted log odds of every member in the model, out of fold for items with an observed label, in single
        precision. With a prior, "prior" is the difference that it makes; where the item's other labels are used,
        "other labels" is the difference that they make. :meth:`decompose` adds the calibration.
    node_items_ : ndarray of int or None
        Positions of the items that the graph connects; None if no member uses it.
    degrees_ : ndarray or None
        Sums of the affinities of these items.
    members_ : dict of str to float
        Out-of-fold Brier score on observed entries of every member, of "ensemble", and of "label rate", a prediction
        without features: where the ensemble's score is not below it, the features have no information that could be
        learned. The rate, the weights of the members, and the (shrunk) slopes and intercepts of the calibrations were
        fitted on the entries that they are scored on.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, or a parameter is not one of those above.

    Notes
    -----
    Time and memory are limited by samples, whose sizes depend on ``effort``: by default kernels have at most 800
    landmarks, the graph connects 20 000 items (other items are connected to it like new items), a tree is grown on
    10 000 items, and the leaves of a forest take 256 MB. With more than 32 labels, splits of trees are chosen on 32
    random mixtures of the labels. Of more than 2 000 sparse features, trees see the features with the highest
    correlation with some label, chosen without the items held out. Beyond these sizes the cost is linear in the number
    of items.
    ``ensemble_.members[0].model.ridge.features.error`` is the error of the kernel map.

    Kernels and graph do not learn from an unknown entry of a partly observed item; for trees, its target is the
    prediction of a kernel ridge regression, fitted without the fold on at most 10 000 items. The ensemble does not use
    an item's other labels. Where some items are partly observed, a second stage
    (:func:`halflabel.methods.auto.residuals.refine`) corrects the scores by the residuals of the item's other observed
    labels, if that lowers the out-of-fold loss.

    From positive-only labels it learns the assigned labels: a label that an annotated item lacks counts as irrelevant,
    so that no entry of the item is unknown (:func:`halflabel.labels.positive_only.mark_unassigned`). P(relevant) is
    calibrated under the assumption that each relevant entry was assigned with probability c,
    :func:`halflabel.labels.positive_only.assume`. ``members_`` has errors of P(assigned).

    A new item is scored by the same members: by kernels and trees as usual, by propagated values with the
    affinity-weighted mean of its neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.vstack([np.linspace(0, 1, 10)[:, None], np.linspace(5, 6, 10)[:, None]])
    >>> y = np.full(20, np.nan)
    >>> y[[0, 3, 10, 13]] = [0, 0, 1, 1]
    >>> AutoLabeler(effort="fast").fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """

    own_threshold: ClassVar[float] = 0.0
    auxiliary: ClassVar[frozenset[str]] = frozenset({"groups", "prior", "calibrate_on"})

    _transductive: ClassVar[tuple[str, ...]] = (
        *PositiveOnlyEstimator._transductive,
        "label_scores_",
        "folds_",
        "contributions_",
        "node_items_",
        "degrees_",
        "alone_calibration_",
    )

    def __init__(
        self,
        effort: str = "default",
        *,
        members: Sequence[str] | None = None,
        n_neighbors: int = 10,
        scale: str | None = "auto",
        n_folds: int | None = None,
        observed_rate: float | None = None,
        rule: str | Rule = "probable",
        random_state: RandomState = 0,
    ) -> None:
        self.effort = effort
        self.members = members
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.n_folds = n_folds
        self.observed_rate = observed_rate
        self.rule = rule
        self.random_state = random_state

    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        groups: ArrayLike | None = None,
        prior: ArrayLike | None = None,
        calibrate_on: ArrayLike | None = None,
    ) -> Self:
        """Fill the gaps of ``y``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            All items, labelled and unlabelled.
        y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels) or (n_items,)
            1 relevant, 0 irrelevant, missing unknown; or positive-only labels, from
            :meth:`PartialLabels.from_positives` or ``from_tags(..., absent="unknown")``.
        groups : array-like of shape (n_items,), optional
            Items of one group (duplicates, posts of one thread) are held out together. Otherwise the out-of-fold score
            of an item would use its twin, and probabilities would be too extreme.
        prior : array-like of shape (n_items, n_labels), optional
            Probabilities from another source (a language model, last year's model), missing where it has none. They are
            calibrated out of fold and added in log odds, :func:`halflabel.methods.auto.prior.add_prior`. A source that
            was fitted on the labels in ``y`` gets too large a weight. For positive-only labels it is calibrated, like
            the ensemble, to the assigned labels. New items are scored without a prior.
        calibrate_on : array-like of bool, shape (n_items, n_labels) or (n_items,), optional
            The observed entries that were chosen without regard to their value, by default all of them. The other ones,
            such as answers about doubtful entries, are learned from, but no probability is fitted to them: their share
            of relevant entries differs from the share of other entries with the same score. Not for positive-only
            labels.
        """
        Z, labels = self._validate_input(X, self._mark_unassigned(y))
        self._validate_parameters()
        members = None if groups is None else number_groups(groups, len(labels))
        known = None if prior is None else read_prior(prior, labels)
        calibrates = None if calibrate_on is None else self._read_calibrates(calibrate_on, labels)
        order = self._choose_order(Z, labels, members, known)
        labels = labels[order]
        columns = order_columns(labels.state)
        members = None if members is None else number_groups(members[order], len(labels))
        known = None if known is None else known[np.ix_(order, columns)]
        calibrates = None if calibrates is None else calibrates[np.ix_(order, columns)]
        with limit_threads(len(labels)):
            Z = self._weigh(Z[order])  # the unweighted copy is freed here
            fitted = fit_auto(Data(Z, labels.select(columns), members, known, calibrates), self._configure())
        return self._keep(fitted, labels, np.argsort(columns))

    def _weigh(self, X: Matrix) -> Matrix:
        """Learn the weights of the features, and return weighted features. The fit uses only these."""
        self.weighting_ = Weighting.learn(X, self.scale)
        return self.weighting_(X)

    def _configure(self) -> Config:
        """Return the parameters of the fit."""
        effort = EFFORTS[self.effort]
        members = effort.members + (effort.text_members if self.weighting_.unit_rows else ())
        if self.members is not None:
            members = tuple(dict.fromkeys(self.members))
        seed = int(np.random.default_rng(as_seed(self.random_state)).integers(2**62))
        return Config(
            members,
            effort=self.effort,
            n_neighbors=self.n_neighbors,
            n_folds=self.n_folds,
            seed=seed,
            rule=self.resolve_rule(),
            positive_only=self.positive_only_,
            observed_rate=self.observed_rate,
        )

    def _keep(self, fitted: FittedAuto, labels: PartialLabels, place: Ints) -> Self:
        """Store a fit. Only here, its items and labels return to the order of the caller."""
        members = fitted.members
        self._label_place, self.learnable_ = place, labels.learnable
        self.ensemble_, self.member_weights_, self.members_ = members.ensemble, members.weights, fitted.scores
        self.neighbourhood_ = members.neighbourhood
        self.weights_ = None if members.transition is None else self._restore_both_orders(members.transition)
        self.node_items_ = None if members.nodes is None else self._item_order[members.nodes]
        self.degrees_ = members.degrees
        self.folds_ = self._restore_order(members.folds)
        self.contributions_ = {
            name: self._restore_order(np.take(part, place, axis=1)) for name, part in fitted.parts.items()
        }
        self.ensemble_calibration_ = None if fitted.calibration is None else fitted.calibration.select(place)
        self.new_item_decision_ = None if fitted.for_new is None else fitted.for_new.select(place)
        self.prior_weights_, self.coupled_ = fitted.prior_weights, fitted.refiner is not None
        self.refiner_ = fitted.refiner if fitted.prior_weights is None else None
        self.alone_calibration_ = None if fitted.alone is None else fitted.alone.select(place)
        return self._store(fitted.decision.select(place), labels)

    def _read_calibrates(self, calibrate_on: Any, labels: PartialLabels) -> Mask:
        """Return the mask of the entries that calibrations are fitted on."""
        if self.positive_only_:
            raise ValueError("calibrate_on needs irrelevant entries, but these labels are positive-only: leave it out.")
        from halflabel.labels.masking import read_entry_mask

        return read_entry_mask(calibrate_on, labels, "calibrate_on")

    def _validate_parameters(self) -> None:
        require_choice(self, effort=EFFORTS)
        require_whole(self, n_neighbors=1)
        is_number = "be a whole number of at least 2, or None"
        require(self, "n_folds", lambda n: n is None or (is_whole(n) and n >= 2), is_number)
        is_seed = "be a whole number of at least 0, a generator of NumPy, or None"
        require(self, "random_state", is_random_state, is_seed)
        are_members = f"be among {', '.join(MEMBERS)}, and at least one"
        require(self, "members", lambda names: names is None or (names and set(names) <= set(MEMBERS)), are_members)
