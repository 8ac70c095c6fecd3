"""The choice of both weights by the error on hidden entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from halflabel._arrays import Floats, Mask
from halflabel._progress import step
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fit_platt
from halflabel.methods.matrix_completion.matrix_problem import ROUGH, Completed, Data, MatrixProblem

#: A path ends when its error has been above the best one this number of times in a row.
PATIENCE = 3


@dataclass(frozen=True, eq=False)
class Fold:
    """The observed entries that one fold hides."""

    #: Shape (n, t). Observed labels that are hidden.
    labels: Mask
    #: Shape (n, d). Observed features that are hidden.
    features: Mask | None


@dataclass
class Selection:
    """The best weights so far, their out-of-fold scores, and a table of all weights."""

    alpha: float
    label_weight: float
    #: Shape (n, t). Scores of the observed labels by models that were fitted without them, at the best weights. NaN
    #: elsewhere.
    out_of_fold: Floats
    best: tuple[float, float] = (np.inf, 0.0)
    #: ``alpha``, ``label_weight``, ``log_loss`` (of the calibrated scores of hidden labels), ``label_error`` (share of
    #: hidden labels without the right sign: a score of 0 is wrong), ``feature_error`` (relative squared error of hidden
    #: features in the scaled unit, NaN if none was hidden) and ``n_iter``.
    table: dict[str, list[float]] = field(
        default_factory=lambda: {
            "alpha": [],
            "label_weight": [],
            "log_loss": [],
            "label_error": [],
            "feature_error": [],
            "n_iter": [],
        }
    )

    def add(self, alpha: float, label_weight: float, error: float, scores: Floats, rest: dict[str, float]) -> bool:
        """Add two weights, and return whether they are worse than the best. Of equal errors the larger alpha wins."""
        for name, value in {"alpha": alpha, "label_weight": label_weight, **rest}.items():
            self.table[name].append(value)
        if (error, -alpha) < self.best:
            self.best = (error, -alpha)
            self.alpha, self.label_weight, self.out_of_fold = alpha, label_weight, scores
        return error > self.best[0]


def select(
    setting: MatrixProblem,
    data: Data,
    folds: Sequence[Fold],
    label_weights: Sequence[float],
    alpha: float | None,
    criterion: str,
) -> Selection:
    r"""Choose :math:`\mu` and :math:`\lambda` by the error on hidden entries.

    Every fold follows the path of the whole data from large weights to small ones, and each solution starts at the
    solution before. A path ends when its error has exceeded the best error three times in a row, because the small
    weights that would follow take longest. It does not end before its error is below the error of its first weight,
    where Z is 0, and below the error of "irrelevant" for every label: the next weights can be worse than both.

    Parameters
    ----------
    label_weights : sequence of float
        The :math:`\lambda` to choose from.
    alpha : float or None
        The given :math:`\mu`. None for the path.
    criterion : {"log_loss", "labels", "features"}
        The error that is minimised.
    """
    rough = replace(setting, tol=max(setting.tol, ROUGH)) if setting.solver != "fpc" else setting
    chosen = Selection(np.nan, label_weights[0], np.full(data.sign.shape, np.nan))
    parts = [data.without(fold.labels, fold.features) for fold in folds]
    all_irrelevant = _error_of_irrelevant(data, folds) if criterion == "labels" else np.inf
    for done, weight in enumerate(label_weights):
        path = rough.path(data, weight) if alpha is None else np.array([alpha])
        before: list[Completed | None] = [None] * len(folds)
        worse, trivial = 0, np.inf
        for k, value in enumerate(path.tolist()):
            step("cross-validating", done * len(path) + k, len(label_weights) * len(path))
            fits = [rough.solve(part, weight, value, start) for part, start in zip(parts, before, strict=True)]
            before = list(fits)
            scores, rest = _score_fits(data, folds, fits)
            worse = worse + 1 if chosen.add(value, weight, rest[_ERROR[criterion]], scores, rest) else 0
            trivial = min(rest[_ERROR[criterion]], all_irrelevant) if k == 0 else trivial
            if worse >= PATIENCE and chosen.best[0] < trivial:
                break
    return chosen


_ERROR = {"log_loss": "log_loss", "labels": "label_error", "features": "feature_error"}


def _log_loss(scores: Floats, sign: Floats) -> float:
    """Return the mean log loss of scores of hidden labels after their calibration.

    A score is compared with others only, so that its distance from 0 does not matter: the sign of a score can be wrong
    more often than the more frequent value, and the order of the scores still be right.
    """
    hidden = ~np.isnan(scores)
    if not hidden.any():
        return np.nan
    p = fit_platt(scores, PartialLabels.from_observed(sign > 0, hidden))(scores)[hidden]
    return float(-np.mean(np.log(np.where(sign[hidden] > 0, p, 1 - p))))


def _error_of_irrelevant(data: Data, folds: Sequence[Fold]) -> float:
    """Return the error on the hidden labels of a model that predicts irrelevant for each."""
    hidden = np.concatenate([data.sign[fold.labels] for fold in folds])
    return float(np.mean(hidden > 0))


def _score_fits(data: Data, folds: Sequence[Fold], fits: Sequence[Completed]) -> tuple[Floats, dict[str, float]]:
    """Return the scores of the hidden labels, and the errors on the hidden labels and features."""
    scores = np.full(data.sign.shape, np.nan)
    wrong, hidden, squares, total = 0, 0, 0.0, 0.0
    for fold, fit in zip(folds, fits, strict=True):
        scores[fold.labels] = fit.scores[fold.labels]
        wrong += int(np.sum(np.sign(scores[fold.labels]) != data.sign[fold.labels]))
        hidden += int(fold.labels.sum())
        for predicted, true in _pair_hidden_features(data, fold, fit):
            squares, total = squares + float(np.sum((predicted - true) ** 2)), total + float(np.sum(true**2))
    return scores, {
        "log_loss": _log_loss(scores, data.sign),
        "label_error": wrong / max(hidden, 1),
        "feature_error": squares / total if total else np.nan,
        "n_iter": float(sum(fit.n_iter for fit in fits)),
    }


def _pair_hidden_features(data: Data, fold: Fold, fit: Completed) -> Iterator[tuple[Floats, Floats]]:
    """Yield (predicted, true) values of the hidden features if there are any."""
    if fold.features is not None:
        t, d = data.sign.shape[1], fold.features.shape[1]
        yield fit.Z[:, t : t + d][fold.features], data.features.target[fold.features]
