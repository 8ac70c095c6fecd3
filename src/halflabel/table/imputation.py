"""The values in place of missing cells of number features."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from halflabel._arrays import Floats, Ints, Mask
from halflabel._wording import plural
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import mark_unassigned

if TYPE_CHECKING:
    from halflabel.methods.impute import SoftImputer

#: Maximum number of rows, drawn at random, that completion is learned from: more would add time and little else.
MAX_ROWS = 2000

#: Minimum number of rows, below which chance would choose; maximum number of features, above which it takes minutes.
MIN_ROWS, MAX_FEATURES = 30, 300

#: Features with larger values are not completed: such values cannot be squared.
MAX_VALUE = 1e150

#: Completion is used if its error on hidden cells is at most this share of the error of the mean.
MAX_ERROR = 0.95

#: Minimum share of cells that are missing, and of cells that are there, of a feature whose missing cells are marked:
#: among labelled items, and among unlabelled ones. A mark that all unlabelled items share shifts them all alike.
MIN_SHARE = 0.02


@dataclass(frozen=True, eq=False)
class Filling:
    """Fills gaps by low-rank completion where that beats the mean of the feature on hidden cells, else by the mean.

    Learn one with :meth:`learn`.

    Examples
    --------
    >>> X = np.outer(np.arange(40.0), [1.0, 2.0, 3.0])
    >>> X[[5, 7], [0, 1]] = np.nan
    >>> Filling.learn(X)(X)[[5, 7]].round()
    array([[ 5., 10., 15.],
           [ 7., 14., 21.]])
    """

    #: Shape (n_features,). Mean of the values that are there, and their divisor; 0 and 1 for a feature without
    #: any.
    means: Floats = field(default_factory=lambda: np.empty(0))
    spreads: Floats = field(default_factory=lambda: np.empty(0))
    #: Shape (rank, n_features). Of :class:`halflabel.methods.impute.SoftImputer`; without rows, gaps are filled
    #: with the mean.
    components: Floats = field(default_factory=lambda: np.empty((0, 0)))
    alpha: float = 1.0  #: Its weight.
    #: Root mean squared error of hidden cells as a share of the mean's; 1 where completion is not used.
    error: float = 1.0
    #: Features of which it is a further feature whether a cell is missing.
    marked: tuple[int, ...] = ()

    @classmethod
    def learn(cls, X: Floats, labels: PartialLabels | None = None) -> Filling:
        """Learn from rows of numbers, gaps as NaN. With labels, missing cells are marked where that predicts them."""
        filling = cls._learn_values(X)
        return filling if labels is None else replace(filling, marked=choose_marks(X, filling, labels))

    @classmethod
    def _learn_values(cls, X: Floats) -> Filling:
        known = ~np.isnan(X)
        means = (np.sum if known.all() else np.nansum)(X, axis=0) / np.maximum(known.sum(axis=0), 1)
        by_mean = cls(means, np.ones(X.shape[1]), np.empty((0, X.shape[1])))
        sample = X[_sample_rows(len(X))]
        full = np.asarray(np.fmax.reduce(np.abs(sample), axis=0) < MAX_VALUE)  # false for a feature without any value
        if known.all() or len(sample) < MIN_ROWS or not 2 <= full.sum() <= MAX_FEATURES:
            return by_mean
        from sklearn.exceptions import ConvergenceWarning  # imported here: scikit-learn takes a second

        from halflabel.methods.impute import SoftImputer

        imputer = SoftImputer()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # hidden cells measure the result, converged or not
            imputer.fit(sample[:, full])
        completion = by_mean._use_imputer(imputer, full)
        return completion if completion.error <= MAX_ERROR else by_mean

    def _use_imputer(self, imputer: SoftImputer, full: Mask) -> Filling:
        """Return the filling of an imputer that was fitted on some features. All other features keep their mean."""
        means, spreads = self.means.copy(), self.spreads.copy()
        means[full], spreads[full] = imputer.scaler_.center, imputer.scaler_.scale
        components = np.zeros((len(imputer.components_), len(means)))
        components[:, full] = imputer.components_
        errors = imputer.cv_results_["error"]
        share = float(np.sqrt(errors.min() / errors[0])) if errors[0] > 0 else 1.0
        return Filling(means, spreads, components, imputer.alpha_, share)

    def __call__(self, X: Floats) -> Floats:
        """Return rows with their gaps filled, each row by itself, and the marks of missing cells (0 or 1)."""
        gaps = np.isnan(X)
        filled = self._fill(X, gaps)
        return np.hstack([filled, gaps[:, list(self.marked)]]) if self.marked else filled

    def _fill(self, X: Floats, gaps: Mask) -> Floats:
        filled = X.copy()
        if not len(self.components):
            filled[gaps] = self.means[gaps.nonzero()[1]]
            return filled
        from halflabel.methods.impute import complete_rows

        rows = gaps.any(axis=1)
        completed = complete_rows((X[rows] - self.means) / self.spreads, self.components, self.alpha)
        filled[rows] = np.where(gaps[rows], completed * self.spreads + self.means, X[rows])
        return filled

    @property
    def way(self) -> str:
        """How gaps are filled: the end of a sentence."""
        marks = f", and {plural(len(self.marked), 'further feature')} of missing cells" if self.marked else ""
        if not len(self.components):
            return f"filled with the mean of the feature{marks}"
        share = f"{self.error:.0%} of the error of the mean"
        return f"filled by low-rank completion (SoftImputer; {share} on hidden cells){marks}"


def choose_marks(X: Floats, fill: Filling, labels: PartialLabels) -> tuple[int, ...]:
    """Return features whose missing cells predict labels: the first one of each group that is missing together.

    All groups or none are marked: with them, the leave-one-out error of a kernel regression has to be lower.
    """
    gaps = np.isnan(X)
    known = mark_unassigned(labels) if labels.positive_only else labels
    rows, others = np.flatnonzero(~known.unlabelled), np.flatnonzero(known.unlabelled)
    if len(rows) < MIN_ROWS:
        return ()
    shares = np.array([gaps[part].mean(axis=0) for part in (rows, others) if len(part) >= MIN_ROWS])
    varies = np.flatnonzero((np.abs(shares - 0.5) <= 0.5 - MIN_SHARE).all(axis=0))
    packed = [column.tobytes() for column in np.packbits(gaps[:, varies], axis=0).T]
    groups = varies[[j for j, column in enumerate(packed) if column not in packed[:j]]]
    if not len(groups) or np.abs(filled := fill(X)).max() >= MAX_VALUE:
        return ()
    from halflabel.methods.auto.ridge import choose_bandwidth
    from halflabel.methods.canonical_order import order_items
    from halflabel.numerics.scaling import Scaler

    rows = rows[order_items(filled[rows], known[rows])]
    Y, observed = known[rows].values(unknown=0.0), known[rows].observed

    def measure(features: Floats) -> float:
        scaled = Scaler.learn(features, "standard")(features)[rows]
        return choose_bandwidth(scaled, Y, observed, np.random.default_rng(0))[0]

    is_better = measure(np.hstack([filled, gaps[:, groups]])) < measure(filled)
    return tuple(groups.tolist()) if is_better else ()


def _sample_rows(n: int) -> Ints:
    """Return the numbers of at most MAX_ROWS of n rows."""
    if n <= MAX_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MAX_ROWS, replace=False))
