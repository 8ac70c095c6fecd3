"""The base of MC-1 and MC-b: validation, folds, the fit, new items."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from halflabel._arrays import Floats, Mask, Matrix, MatrixLike, is_sparse
from halflabel.labels import PartialLabels
from halflabel.labels.partial import LabelsLike
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.candidates import Candidates, list_candidates
from halflabel.methods.matrix_completion.matrix_problem import Completed, Data, MatrixProblem
from halflabel.methods.matrix_completion.weight_choice import Fold, Selection, select
from halflabel.methods.model_selection import entry_folds, item_folds
from halflabel.methods.validation import require_choice, require_positive, require_whole
from halflabel.numerics.losses import Logistic, Loss, SideBySide, Squared
from halflabel.numerics.scaling import Scaler
from halflabel.numerics.solvers.factors import Factors
from halflabel.numerics.solvers.fold_in import fold_in
from halflabel.numerics.threads import limit_threads

#: Maximum number of cells of the matrix, and of its smaller side: an iteration decomposes a matrix of this side.
MAX_CELLS, MAX_SIDE = 200_000_000, 4000

#: Minimum number of cells of a table whose entries are compared with degrees of freedom: smaller ones have few always.
MIN_CELLS = 1000

#: Share of the squares of Z in the directions that count for its rank.
RECOVERED = 0.99

#: Weight of the hard row of ones when a new item is folded in, in units of an observed feature.
HARD_ROW_WEIGHT = 1e8


class MatrixCompletion(OneToOneFeatureMixin, TransformerMixin, PartialLabelEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Base of MC1 and MCb. A subclass defines the bias. For parameters and attributes see :class:`halflabel.MC1`."""

    alpha: float | None
    label_weight: Candidates
    criterion: str
    cv: str
    n_folds: int
    scale: str | None
    solver: str
    tol: float
    max_iter: int
    random_state: int | None

    scaler_: Scaler
    cv_: str
    alpha_: float
    label_weight_: float
    right_: Floats
    bias_: Floats
    n_iter_: int
    entry_weights_: tuple[float, float, float]

    own_threshold: ClassVar[float] = 0.0
    _allow_nan: ClassVar[bool] = True
    _transductive: ClassVar[tuple[str, ...]] = (*PartialLabelEstimator._transductive, "left_", "cv_results_")

    def _bias(self) -> tuple[float | None, float]:
        """Return the weight of the row of ones (None without this row) and the ridge on the bias."""
        raise NotImplementedError

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Fill the gaps of ``y``, and of ``X``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            All items, labelled and unlabelled. NaN is a missing feature (dense X only).
        y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels) or (n_items,)
            1 relevant, 0 irrelevant, missing unknown.
        """
        items, labels = self._enter(X, y)
        self._validate_parameters()
        with limit_threads(*items.shape):
            return self._fit(items, labels)

    def _fit(self, X: Matrix, labels: PartialLabels) -> Self:
        rng = np.random.default_rng(self.random_state)
        _require_small(X.shape[0], X.shape[1] + labels.shape[1] + 1)
        items, setting = _make_dense(X), self._setting()
        self.scaler_ = _learn_scaler(items, self.scale)
        data = Data(labels.values(irrelevant=-1.0, unknown=0.0), self._features(items))
        self.cv_ = _choose_cv(labels) if self.cv == "auto" else self.cv
        chosen = self._select(setting, data, labels, rng)
        self.alpha_, self.label_weight_ = chosen.alpha, chosen.label_weight
        self.cv_results_ = {name: np.array(values) for name, values in chosen.table.items()}
        solution = setting.solve(data, self.label_weight_, self.alpha_)
        self._warn_unless_converged(solution.status, solution.residual)
        _warn_if_few(sum(data.seen), solution.factors)
        return self._store_factors(solution, data, setting)._decide(labels, solution.scores, chosen.out_of_fold)

    def _store_factors(self, solution: Completed, data: Data, setting: MatrixProblem) -> Self:
        """Store the factors, the bias and the weights of one observed entry. New items do not need the left factor."""
        factors = solution.factors
        self.left_, self.right_, self.bias_ = self._restore_order(factors.left), factors.right, solution.bias
        self.solution_, self.n_iter_ = replace(solution, Z=np.empty((0, 0))), solution.n_iter
        seen_labels, seen_features = data.seen
        terms = solution.terms.terms
        row = float(terms[2].lipschitz) if len(terms) > 2 else 0.0
        if setting.solver == "davis_yin":
            row = HARD_ROW_WEIGHT / seen_features
        self.entry_weights_ = (self.label_weight_ / seen_labels, 1 / seen_features, row)
        return self

    def resolve_rule(self) -> Rule:
        """Return the rule. Scores must exceed a fixed threshold, so that a Z of zeros makes no label relevant."""
        rule = super().resolve_rule()
        return replace(rule, threshold=float(np.nextafter(rule.threshold or 0.0, np.inf)))

    # -- settings ------------------------------------------------------------------

    def _validate_parameters(self) -> None:
        require_whole(self, n_folds=2, max_iter=1)
        require_choice(
            self,
            cv=("auto", "entries", "items"),
            criterion=("log_loss", "labels", "features"),
            solver=("auto", "fpc"),
        )
        require_positive(self, "label_weight", several=True)
        if self.alpha is not None:
            require_positive(self, "alpha", reason="None chooses it by cross-validation")
        require_positive(self, *({"bias_row_weight", "bias_ridge"} & self.get_params().keys()))
        row_weight, _ = self._bias()
        if row_weight is not None and np.isinf(row_weight) and self.solver != "auto":
            raise ValueError(
                "solver='fpc' does not support a hard row of ones: use 'auto', or a finite bias_row_weight."
            )

    def _setting(self) -> MatrixProblem:
        """Return the problem with its solver."""
        row_weight, ridge = self._bias()
        is_hard = row_weight is not None and np.isinf(row_weight)
        solver = "davis_yin" if is_hard else "fpc" if self.solver == "fpc" else "proximal_gradient"
        return MatrixProblem(row_weight, ridge, solver, self.tol, self.max_iter)

    def _features(self, X: Floats) -> Squared:
        """Return the scaled features as a term of weight 1."""
        seen = ~np.isnan(X)
        return Squared(np.where(seen, self.scaler_(X), 0.0), None if seen.all() else seen, 1.0)

    # -- cross-validation --------------------------------------------------------------

    def _select(self, setting: MatrixProblem, data: Data, labels: PartialLabels, rng: np.random.Generator) -> Selection:
        folds = self._folds(data, labels, rng)
        grid = [float(value) for value in list_candidates(self.label_weight)]
        if folds:
            return select(setting, data, folds, grid, self.alpha, self.criterion)
        alpha = self.alpha if self.alpha is not None else float(np.median(setting.path(data, grid[-1])))
        return Selection(alpha, grid[-1], np.full(labels.shape, np.nan))

    def _folds(self, data: Data, labels: PartialLabels, rng: np.random.Generator) -> list[Fold]:
        """Hide each observed label once, and each observed feature if X has gaps or the criterion is "features"."""
        items = self.cv_ == "items"
        available = int(np.sum(~labels.unlabelled)) if items else int(labels.observed.sum())
        count = min(self.n_folds, available, 127)
        if count < 2:
            return []
        fold_of = np.full(labels.shape, -1)
        if items:
            labelled = np.flatnonzero(~labels.unlabelled)
            fold_of[labelled] = item_folds(labels[labelled], count, rng)[:, None]
        else:
            fold_of = entry_folds(labels, count, rng).astype(int)
        masks = self._feature_folds(data, count, rng)
        return [Fold(labels.observed & (fold_of == k), masks[k]) for k in range(count)]

    def _feature_folds(self, data: Data, count: int, rng: np.random.Generator) -> Sequence[Mask | None]:
        features = data.features
        if features.observed is None and self.criterion != "features":
            return [None] * count
        shape = features.target.shape
        seen = np.ones(shape, bool) if features.observed is None else features.observed
        fold_of = np.full(shape, -1, dtype=np.int8)
        fold_of[seen] = rng.permutation(np.arange(int(seen.sum())) % count)
        return [fold_of == k for k in range(count)]

    # -- new items ---------------------------------------------------------------------

    def _rows(self, X: Matrix, sign: Floats | None) -> Floats:
        """Return Z for new items, from their observed features and labels."""
        on_label, on_feature, on_row = self.entry_weights_
        n, t, d = X.shape[0], len(self.bias_), X.shape[1]
        terms: list[Loss] = [replace(self._features(_make_dense(X)), weight=on_feature)]
        widths, right = [d], self.right_[t : t + d]
        if on_row:
            terms.append(Squared(np.ones((n, 1)), None, on_row))
            widths, right = [d, 1], self.right_[t:]
        if sign is not None:
            terms.insert(0, Logistic(sign, on_label, self.bias_))
            widths, right = [t, *widths], self.right_[: t + right.shape[0]]
        with limit_threads(n, d):
            left = fold_in(SideBySide(terms, widths), right, self.alpha_, n)
        return np.asarray(left @ self.right_.T)

    def _score_new(self, X: Matrix) -> Floats:
        return self._rows(X, None)[:, : len(self.bias_)] + self.bias_

    def fold_in(self, X: MatrixLike, y: LabelsLike | None = None) -> Floats:
        """Return the scores of new items with known features, and perhaps with some known labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            NaN is a missing feature.
        y : as in :meth:`fit`, optional
            None means that no label is known.

        Returns
        -------
        ndarray of shape (n_items, n_labels) or (n_items,)
            An item of the fit, with its features and labels, gets its scores of the fit.
        """
        check_is_fitted(self)
        X = self._validate_features(X, reset=False)
        if y is None:
            return self._restore_shape(self._score_new(X))
        labels = PartialLabels.from_table(y)
        check_consistent_length(X, labels)
        if labels.shape[1] != len(self.bias_):
            raise ValueError(f"y has {labels.shape[1]} labels, but the model was fitted on {len(self.bias_)}.")
        Z = self._rows(X, labels.values(irrelevant=-1.0, unknown=0.0))
        return self._restore_shape(Z[:, : len(self.bias_)] + self.bias_)

    def denoise(self, X: MatrixLike) -> Floats:
        """Return the low-rank part of the features of new items, in the units of ``X`` and with its shape."""
        check_is_fitted(self)
        return self._unscale(self._rows(self._validate_features(X, reset=False), None))

    def transform(self, X: MatrixLike) -> Matrix:
        """Return the features of new items with gaps filled by :meth:`denoise`. Known cells keep their values."""
        check_is_fitted(self)
        return self._fill(X, lambda items: self._rows(items, None))

    def fit_transform(self, X: MatrixLike, y: LabelsLike) -> Matrix:
        """Fit and return the features of the fitted items with gaps filled, from their labels too."""
        return self.fit(X, y)._fill(X, lambda _: self.left_ @ self.right_.T)

    def _fill(self, X: MatrixLike, complete: Callable[[Matrix], Floats]) -> Matrix:
        items = self._validate_features(X, reset=False)
        if is_sparse(items) or not np.isnan(items).any():
            return items
        return np.where(np.isnan(items), self._unscale(complete(items)), items)

    def _unscale(self, Z: Floats) -> Floats:
        """Return the features at Z in the unit of X."""
        t, d = len(self.bias_), len(self.scaler_.scale)
        return np.asarray(Z[:, t : t + d] * self.scaler_.scale + self.scaler_.center)


def _require_small(n: int, m: int) -> None:
    """Raise if an iteration on a matrix of this shape takes too much memory or time."""
    if n * m > MAX_CELLS or min(n, m) > MAX_SIDE:
        raise ValueError(
            f"{n} items x {m} columns are too many for iterations on the whole matrix (at most {MAX_CELLS:.0e} cells, "
            f"the smaller side at most {MAX_SIDE}): reduce the features first (TruncatedSVD), or use "
            "halflabel.complete."
        )


def _warn_if_few(entries: int, factors: Factors) -> None:
    """Warn if fewer entries are observed than a matrix of the rank of Z has degrees of freedom (observation 1 of [1]_).

    The rank is the number of directions with 99 % of the squares of Z: smaller ones are noise.
    """
    squares = np.linalg.norm(factors.left, axis=0) ** 2 * np.linalg.norm(factors.right, axis=0) ** 2
    shares = np.cumsum(np.sort(squares)[::-1]) / max(squares.sum(), np.finfo(float).tiny)
    rank, sides = int(np.sum(shares < RECOVERED)) + 1, len(factors.left) + len(factors.right)
    needed = rank * (sides - rank)
    if entries < needed and len(factors.left) * len(factors.right) >= MIN_CELLS:
        warnings.warn(
            f"{entries} entries are observed, but a matrix of rank {rank} with this shape has {needed} degrees of "
            "freedom: fills depend on the penalty more than on the data; a larger alpha gives a lower rank.",
            UserWarning,
            stacklevel=4,
        )


def _make_dense(X: Matrix) -> Floats:
    if is_sparse(X) and np.isnan(X.data).any():
        raise ValueError("sparse X holds NaN, but its absent entries are zeros: pass X.toarray() instead.")
    if is_sparse(X) and X.shape[0] * X.shape[1] > MAX_CELLS:  # new items
        raise ValueError(
            f"sparse X becomes dense here and would take {8 * X.shape[0] * X.shape[1] / 1e9:.1f} GB: give at most "
            f"{MAX_CELLS // X.shape[1]} items at a time."
        )
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)


def _learn_scaler(X: Floats, scale: str | None) -> Scaler:
    """Learn mean and spread from observed entries."""
    if scale not in ("standard", None):
        raise ValueError(f"scale must be 'standard' or None, not {scale!r}.")
    never = np.isnan(X).all(axis=0)
    if never.any():
        warnings.warn(
            f"{int(never.sum())} of {X.shape[1]} features were never observed, the first of them number "
            f"{int(np.argmax(never))}; their gaps are filled with 0.",
            UserWarning,
            stacklevel=5,
        )
        X = np.where(never, 0.0, X)
    return Scaler.learn(X, scale)


def _choose_cv(labels: PartialLabels) -> str:
    """Return "items" if most unknown labels belong to unlabelled items, or if no label is unknown, else "entries"."""
    gaps = int(np.sum(~labels.observed))
    return "items" if 2 * int(labels.unlabelled.sum()) * labels.shape[1] >= gaps else "entries"
