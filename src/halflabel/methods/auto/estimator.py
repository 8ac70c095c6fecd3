"""AutoLabeler: the pool as an estimator."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import Calibration, fit_platt
from halflabel.labels.groups import number_groups
from halflabel.methods.auto.beta_calibration import calibrate
from halflabel.methods.auto.features import Weighting
from halflabel.methods.auto.pool import MEMBERS, pool
from halflabel.methods.auto.prior import add_prior, read_prior
from halflabel.methods.auto.residuals import refine
from halflabel.methods.auto.task import EFFORTS, Items, Task
from halflabel.methods.positives import AnswersFromPositives
from halflabel.numerics.threads import blas_threads


@dataclass(frozen=True, eq=False)
class Reading:
    """How scores of new items are read.

    Attributes
    ----------
    calibration : callable
        From log odds to probabilities.
    thresholds : ndarray of shape (n_labels,)
    """

    calibration: Callable[[Floats], Floats]
    thresholds: Floats


class AutoLabeler(AnswersFromPositives):
    r"""Five models of different kinds (six where one more helps), pooled with equal weights in log odds.

    The members, each of which may also stand alone (``members=("kernel",)``):

    * ``"kernel"``: RBF kernel ridge, :math:`\min \|\Phi_l c - Y\|^2 + \alpha\|c\|^2`.
    * ``"deformed_kernel"``: the same with the penalty :math:`\alpha(\|c\|^2 + \eta\|(I - P)\Phi c\|^2)`, P the random
      walk of a heat-kernel graph of all items. :math:`\alpha`, :math:`\eta` and the bandwidth have the least
      leave-one-out error, in closed form.
    * ``"harmonic"``: labels propagated along that graph.
    * ``"corrected_trees"``: extremely randomised trees, their out-of-fold errors propagated along the graph and added.
    * ``"self_trained_trees"``: such trees that also learn from their own soft answers on unlabelled items.
    * ``"trees"``: the trees alone; for ``effort="fast"``.
    * ``"reconstruction"``: items rebuilt from their neighbours in the space of all features, pulled to a kernel ridge
      regression (:class:`halflabel.SSDRMC` with its default inference). A guest where features are weighed as words:
      heard only if alone it has a lower out-of-fold Brier score than the pool of the others.

    Labels are coded 1 (relevant) and 0 (irrelevant). Every member answers out of fold about labelled items; on these
    answers its scores are turned into log odds (Platt, one slope and intercept per label, shrunk to a common one), and
    the mean of the members' log odds is calibrated once more and checked fold by fold
    (:func:`halflabel.methods.auto.beta_calibration.calibrate`; of positive-only labels it is not checked).

    Parameters
    ----------
    effort : {"fast", "default", "best"}, default="default"
        "fast" pools kernel and trees; "best" takes three times the trees and larger maps, graphs and samples.
    members : sequence of str or None, default=None
        Names from the list above; None leaves it to ``effort``.
    n_neighbors : int, default=10
        Of the graph, on the first 60 principal components.
    scale : {"auto", "standard", "idf", None}, default="auto"
        Weighting of features. "standard" divides each by its standard deviation, "idf" weighs it by its rarity and
        divides each item by its length. "auto" is "idf" where no value is negative and at most one in five is not 0,
        as with words; else "standard" for dense and None for sparse X.
    n_folds : int, default=5
        Folds of labelled items for out-of-fold scores.
    observed_rate : float or None, default=None
        For positive-only labels: c, the share of the relevant entries that were assigned, an assumption about the data
        that is not learned. With it probabilities are those of being relevant, without those of being assigned.
    decision : str, default="micro_f1"
        Threshold rule: "fixed" (log odds against ``threshold``) or one of :data:`halflabel.labels.calibration.RULES`.
    threshold : float, default=0.0
        For ``decision="fixed"``.
    cost_ratio : float, default=1.0
        Cost of a false positive over that of a false negative, for ``decision="cost"``.
    random_state : int or None, default=0
        Decides folds, samples, landmarks and trees.

    Attributes
    ----------
    label_scores_ : ndarray of shape (n_items, n_labels)
        Pooled log odds; of items with an observed label out of fold, and where single entries are missing corrected by
        the item's other labels. NaN for a label that was not observed with both values.
    label_probabilities_ : ndarray of shape (n_items, n_labels)
        Calibrated probabilities; out of fold for items with an observed label. For positive-only labels of being
        assigned, or, with ``observed_rate``, of being relevant; given that it was not assigned, where an annotated item
        lacks the label.
    assigned_probabilities_ : ndarray of shape (n_items, n_labels)
        For positive-only labels, of being assigned: by models that have not seen the item.
    folds_ : ndarray of int, shape (n_items,)
        Fold in which an item was held out; -1 for an item without an observed label.
    coupled_ : bool
        Whether an item's observed labels had a say in the answers about its others.
    transduction_ : ndarray of shape (n_items, n_labels) or (n_items,)
        0/1, known entries verbatim; of positive-only labels those that were not assigned are filled in where likely
        enough.
    thresholds_ : ndarray of shape (n_labels,)
        Where relevant begins.
    prior_weights_ : tuple of two floats or None
        Say of the pool and of the prior, see :func:`halflabel.methods.auto.prior.add_prior`; None without a prior.
    unaided_ : Reading or None
        Calibration and thresholds of new items, where those of the fitted ones count on a prior or on observed labels
        beside an entry; None where they are the same.
    weights_ : csr_array of shape (n_items, n_items) or None
        The random walk; None if no member uses a graph.
    members_ : dict of str to float
        Out-of-fold Brier score on observed entries of every member, of "pool", and of "label rate", which knows no
        features: where the pool is not below it, the features say nothing that could be learned. The rate, and the
        slopes and intercepts of the calibrations (shrunk), saw the entries that they are scored on.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, or a parameter is not one of those above.

    Notes
    -----
    Time and memory are bounded by samples, whose sizes are those of ``effort``: kernels have at most 800 landmarks,
    the graph 20 000 items (others are tied to it as new items are), a tree sees 10 000 items, and the leaves of a
    forest take 256 MB. With more than 32 labels, trees judge their splits by 32 random mixtures of the labels. Beyond
    these sizes the cost is linear in the number of items. ``pool_.voices[0].model.ridge.features.error`` holds the
    error of the kernel map.

    An unknown entry of a partly observed item is no target of kernels and graph; trees take a kernel ridge's answer,
    fitted without the fold on at most 10 000 items, for it. The pool does not look at an item's other labels; where
    some items are partly observed, a second stage (:func:`halflabel.methods.auto.residuals.refine`) corrects its
    answers by the residuals of the item's other observed labels, if that lowers the out-of-fold loss.

    Of positive-only labels it learns what is assigned, :func:`halflabel.labels.positive_only.assigned`: what an
    annotated item lacks counts as irrelevant, so that no entry of it is unknown. P(relevant) is calibrated under the
    assumption that each relevant entry was assigned with probability c, :func:`halflabel.labels.positive_only.assume`.
    ``members_`` holds errors of P(assigned).

    A new item is scored by the same members: kernels and trees as ever, flows by the affinity-weighted mean of its
    neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.vstack([np.linspace(0, 1, 10)[:, None], np.linspace(5, 6, 10)[:, None]])
    >>> y = np.full(20, np.nan)
    >>> y[[0, 3, 10, 13]] = [0, 0, 1, 1]
    >>> AutoLabeler(effort="fast").fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """

    _transductive: ClassVar[tuple[str, ...]] = (*AnswersFromPositives._transductive, "label_scores_", "folds_")

    def __init__(
        self,
        effort: str = "default",
        *,
        members: Sequence[str] | None = None,
        n_neighbors: int = 10,
        scale: str | None = "auto",
        n_folds: int = 5,
        observed_rate: float | None = None,
        decision: str = "micro_f1",
        threshold: float = 0.0,
        cost_ratio: float = 1.0,
        random_state: int | None = 0,
    ) -> None:
        self.effort = effort
        self.members = members
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.n_folds = n_folds
        self.observed_rate = observed_rate
        self.decision = decision
        self.threshold = threshold
        self.cost_ratio = cost_ratio
        self.random_state = random_state

    def fit(self, X: Any, y: Any, groups: Any = None, prior: Any = None) -> Self:
        """Fill the gaps of ``y``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            All items, labelled and unlabelled.
        y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels) or (n_items,)
            1 relevant, 0 irrelevant, missing unknown; or positive-only labels, from
            :meth:`PartialLabels.from_positives` or ``from_tags(..., absent="unknown")``.
        groups : array-like of shape (n_items,), optional
            Items of one group (duplicates, posts of one thread) are held out together: else out-of-fold answers about
            one would know the other, and probabilities would be too sure of themselves.
        prior : array-like of shape (n_items, n_labels), optional
            Probabilities from another source (a language model, last year's model), missing where it says nothing.
            They are calibrated out of fold and added in log odds, :func:`halflabel.methods.auto.prior.add_prior`. A
            source that learned from the labels in ``y`` is believed more than it deserves. Of positive-only labels it
            learns, as the pool does, what is assigned. New items are scored without.
        """
        X, labels = self._enter(X, self._assigned(y))
        self._refuse_unfit_settings()
        if groups is not None:
            groups = number_groups(groups, len(labels))
        prior = None if prior is None else read_prior(prior, labels)
        with blas_threads(len(labels)):
            return self._fit(X, labels, groups, prior)

    def _fit(self, X: Matrix, labels: PartialLabels, groups: Ints | None, prior: Floats | None) -> Self:
        scores, out_of_fold, worth = self._answers(X, labels, groups, prior)  # what it worked with goes before the rest
        self._decide(labels, scores, out_of_fold)
        self.members_ = worth | self._brier(labels)
        return self

    def _answers(
        self, X: Matrix, labels: PartialLabels, groups: Ints | None, prior: Floats | None
    ) -> tuple[Floats, Floats, dict[str, float]]:
        """Return log odds of all cells, those of the observed ones out of fold, and the Brier scores behind them."""
        self.weighting_ = Weighting.learn(X, self.scale)
        seed = int(np.random.default_rng(self.random_state).integers(2**62))
        effort = EFFORTS[self.effort]
        task = Task(self.weighting_(X), labels, effort, seed, self.n_folds, self.n_neighbors, groups)
        self.folds_ = np.full(len(labels), -1)
        self.folds_[task.rows] = task.folds
        guests = effort.guests if self.members is None and self.weighting_.unit_rows else ()
        pooled = pool(task, tuple(self.members or effort.members), guests)
        self.pool_ = pooled.pool
        self.surroundings_ = task.graph[0] if task.has_graph else None
        self.weights_ = _among_items(task) if task.has_graph else None
        self.learnable_ = labels.learnable
        judged = ~np.isnan(pooled.out_of_fold)
        scores = np.where(judged, pooled.out_of_fold, pooled.log_odds)
        self.opinion_: Calibration | None = None  # of the pool alone: what is added to log odds needs calibrated ones
        self.unaided_: Reading | None = None
        if judged.any() and (prior is not None or task.has_single_gaps):  # a single item or group is not held out
            self.opinion_ = fit_platt(pooled.out_of_fold, labels)
            scores = logit(self.opinion_(scores))
            self.unaided_ = self._unaided(labels, scores, np.where(judged, scores, np.nan))
        scores, worth = self._with_prior(task, prior, scores)
        return *self._refined(task, scores, np.where(judged, scores, np.nan)), pooled.brier | worth

    def _unaided(self, labels: PartialLabels, scores: Floats, out_of_fold: Floats) -> Reading:
        """Decide about items with neither a prior nor observed labels, as new ones are; no more than that stays."""
        decision = self._decision(labels, scores, out_of_fold)
        return Reading(decision.calibration, decision.thresholds)

    def _for_new(self) -> tuple[Callable[[Floats], Floats], Floats]:
        if self.unaided_ is None:
            return super()._for_new()
        return self.unaided_.calibration, self.unaided_.thresholds

    def _with_prior(self, task: Task, prior: Floats | None, scores: Floats) -> tuple[Floats, dict[str, float]]:
        """Add a prior to calibrated log odds; tell the Brier scores of both where it says something."""
        self.prior_weights_ = None
        if prior is None:
            return scores, {}
        added = add_prior(prior, scores, task.labels, self.folds_)
        self.prior_weights_ = added.weights
        judged = (self.folds_ >= 0)[:, None]
        heard = task.labels.observed & judged & ~np.isnan(added.alone + scores)
        answers = {"prior": added.alone, "without prior": scores}
        return added.log_odds, {name: _brier(expit(s), task.labels, heard) for name, s in answers.items()}

    def _calibrate(self, out_of_fold: Floats, labels: PartialLabels) -> Callable[[Floats], Floats]:
        """Calibrate and check; P(assigned) is left to a sigmoid, as P(relevant) is that under an assumption."""
        if self.positive_only_:
            return super()._calibrate(out_of_fold, labels)
        return calibrate(out_of_fold, labels, self.folds_)

    def _refined(self, task: Task, scores: Floats, out_of_fold: Floats) -> tuple[Floats, Floats]:
        """Let an item's observed labels correct the answers about its others, where only some are known."""
        self.coupled_ = False
        if self.opinion_ is None or not task.has_single_gaps:
            return scores, out_of_fold
        refined = refine(task.labels, scores, task.rng("other labels"), together=task.together)
        self.coupled_ = bool(refined.model.coupling.weights.nnz or refined.model.forests)
        return refined.log_odds, refined.out_of_fold

    def _brier(self, labels: PartialLabels) -> dict[str, float]:
        """Return the scores of the pool and of the label's rate, on the entries from which something was learned."""
        used = labels.observed & labels.learnable
        p = self.assigned_probabilities_ if self.positive_only_ else self.label_probabilities_
        answers = {"pool": p, "label rate": np.broadcast_to(labels.rates, labels.shape)}
        return {name: _brier(p, labels, used) for name, p in answers.items()}

    def _score_new(self, X: Matrix) -> Floats:
        scores = self.pool_.predict(Items(self.weighting_(X), self.surroundings_))
        if self.opinion_ is not None:
            scores = logit(self.opinion_(scores))
        return np.where(self.learnable_, scores, np.nan)

    def _refuse_unfit_settings(self) -> None:
        if self.effort not in EFFORTS:
            raise ValueError(f"effort must be one of {', '.join(map(repr, EFFORTS))}, not {self.effort!r}.")
        for name, least in (("n_neighbors", 1), ("n_folds", 2)):
            value = getattr(self, name)
            if not isinstance(value, numbers.Integral) or value < least:
                raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}.")
        seed: Any = self.random_state
        if seed is not None and (not isinstance(seed, numbers.Integral) or seed < 0):
            raise ValueError(f"random_state must be a whole number of at least 0, or None, not {seed!r}.")
        unknown = [name for name in self.members or () if name not in MEMBERS]
        if unknown or (self.members is not None and not self.members):
            raise ValueError(f"members must be among {', '.join(MEMBERS)}, and at least one, not {self.members!r}.")


def _brier(p: Floats, labels: PartialLabels, used: Mask) -> float:
    return float(np.mean((p - labels.relevant)[used] ** 2)) if used.any() else np.nan


def _among_items(task: Task) -> sparse.csr_array:
    """Return the random walk with the nodes at their places among the items."""
    W, n = task.walk, task.X.shape[0]
    return sparse.csr_array((W.data, task.nodes[W.indices], W.indptr), shape=(n, n))
