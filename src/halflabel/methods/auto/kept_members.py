"""Members after answers: the answered labels are fitted again on the structures of a fit.

The structures are the kernel map, its ridge weights, the graph, and the splits of the trees. A label is fitted on them
without the other labels, so that the cost depends on the number of the answered labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.special import expit

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel.methods.auto.boosting import LEARNING_RATE, RIDGE, start_at_rates
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.forest import Forest
from halflabel.methods.auto.graph import Graph
from halflabel.methods.auto.harmonic import NodeValues, propagate_labels
from halflabel.methods.auto.kernel import KernelRegression
from halflabel.methods.auto.logistic import LinearScores, fit_words
from halflabel.methods.auto.member import Fitted, Model
from halflabel.methods.auto.trees import Trees, add_leaves
from halflabel.numerics.kernels import kernel_ridge

#: Maximum number of cells (items x features of the kernel map) that are kept; 128 MB.
MAX_CELLS = 2**24


@dataclass(frozen=True, eq=False)
class Structure:
    """The parts of a fit that its members share."""

    #: Shape (n_items, n_features). Weighted features.
    X: Matrix
    #: Shape (n_items, n_labels). The entries of the fit.
    observed: Mask
    #: Shape (n_items,). The folds of the fit; -1 for an item that it did not have a label of.
    fold: Ints
    graph: Graph | None


@dataclass(frozen=True, eq=False)
class Change:
    """The labels with entries that have changed since the fit."""

    #: Their positions among the labels.
    columns: Ints
    #: Every item that is or was labelled, and its entries of these labels now.
    folds: Folds
    #: Shape (n_labelled, n_columns). The change of Y, where an unknown entry counts as 0.
    gain: Floats
    #: Of the same shape. 1 where an entry was unknown in the fit, and -1 where it is unknown now.
    gained: Floats


#: Fits the changed labels. The model has all labels; scores have the changed ones.
Refit = Callable[[Change], Fitted[Model]]


def keep_kernel(model: KernelRegression, of: Structure) -> Refit:
    r"""Keep the eigenvectors of the rows that most labels were observed on.

    In their basis the normal equations :math:`Q^TQ + \alpha I` of these rows are diagonal. A label that was observed on
    other rows D differs from them by :math:`Q_D^TSQ_D` with signs S, so that its solution, and the errors of leaving
    out one item, follow from a system of the size of D (Woodbury's identity).
    """
    ridge, features = model.ridge, model.ridge.features
    shared = 2 * of.observed.sum(axis=1) > of.observed.shape[1]
    Phi = features(of.X[shared])
    values, V = linalg.eigh(Phi.T @ Phi, overwrite_a=True, check_finite=False)
    projection = features.projection @ V[:-1]

    def expand(X: Matrix) -> Floats:
        return np.asarray(features.kernel(X) @ projection + V[-1])

    kept = expand(of.X) if of.X.shape[0] * len(values) <= MAX_CELLS else None

    def refit(change: Change) -> Fitted[Model]:
        folds, columns = change.folds, change.columns
        if folds.n_groups:
            family = kernel_ridge(of.X[folds.rows], folds.Y, folds.observed, folds.fold, features)
            out_of_fold = family.predict(of.X[folds.rows])[np.arange(len(folds.rows)), 1 + folds.fold]
            part = family[0]
            scores = part.predict(of.X)
        else:
            Q = expand(of.X[folds.rows]) if kept is None else kept[folds.rows]
            alpha = ridge.alpha[columns]
            coef, left_out = solve_by_label(Q, np.maximum(values, 0), folds, shared[folds.rows], alpha)
            part = replace(ridge, weights=projection @ coef, intercept=V[-1] @ coef, alpha=alpha)
            scores = part.predict(of.X) if kept is None else kept @ coef
            out_of_fold = np.where(folds.observed, left_out, scores[folds.rows])
        whole = replace(
            ridge,
            weights=put(ridge.weights, part.weights, columns),
            intercept=put(ridge.intercept, part.intercept, columns),
            alpha=put(ridge.alpha, part.alpha, columns),
        )
        return Fitted(KernelRegression(whole), scores, out_of_fold)

    return refit


def solve_by_label(Q: Floats, values: Floats, folds: Folds, shared: Mask, alphas: Floats) -> tuple[Floats, Floats]:
    """Return the coefficients of each label, and the predictions of the regressions without each item.

    Parameters
    ----------
    Q : ndarray of shape (n_labelled, n_features)
        Features in a basis in which the Gram matrix of the shared rows is diagonal.
    values : ndarray of shape (n_features,)
        Its diagonal.
    shared : ndarray of bool, shape (n_labelled,)
    alphas : ndarray of shape (n_labels,)
        The ridge weight of each label.
    """
    inverses = 1 / (values[:, None] + alphas)
    coef, leverage = inverses * (Q[shared].T @ folds.Y[shared]), Q**2 @ inverses
    for j, inverse in enumerate(inverses.T):
        seen = folds.observed[:, j]
        changed = np.flatnonzero(seen != shared)
        ahead = inverse[:, None] * Q[changed].T
        system = np.diag(np.where(seen[changed], 1.0, -1.0)) + Q[changed] @ ahead
        coef[:, j] += ahead @ linalg.solve(system, folds.Y[changed, j] - Q[changed] @ coef[:, j], check_finite=False)
        along = Q[seen] @ ahead
        leverage[seen, j] -= (along * linalg.solve(system, along.T, check_finite=False).T).sum(axis=1)
    return coef, folds.Y - (folds.Y - Q @ coef) / (1 - leverage)


def keep_nodes(model: NodeValues, of: Structure) -> Refit:
    """Keep the graph."""
    graph = of.graph
    assert graph is not None  # the model has values at its nodes

    def refit(change: Change) -> Fitted[Model]:
        folds = change.folds
        rates = folds.Y.sum(axis=0) / np.maximum(folds.observed.sum(axis=0), 1)
        fitted = propagate_labels(graph, folds, rates)
        whole = NodeValues(put(model.values, fitted.model.values, change.columns))
        return Fitted(whole, fitted.scores, fitted.out_of_fold)

    return refit


def keep_words(model: LinearScores, of: Structure) -> Refit:
    """Keep the choice of words."""

    def refit(change: Change) -> Fitted[Model]:
        fitted = fit_words(of.X, change.folds, model.features)
        weights = put(model.weights, fitted.model.weights, change.columns)
        whole = replace(model, weights=weights, intercept=put(model.intercept, fitted.model.intercept, change.columns))
        return Fitted(whole, fitted.scores, fitted.out_of_fold)

    return refit


#: From a part of a forest, the number of its fold, the leaves of all items in it, and a change, the new values of the
#: leaves for the changed labels.
FillLeaves = Callable[[Trees, int, NDArray[np.int32], Change], Floats]


def keep_trees(model: Forest, of: Structure) -> Refit:
    """Keep the splits. The mean of a leaf follows the entries that it has gained."""
    bags = [np.flatnonzero((of.fold >= 0) & (of.fold != fold)) for fold in range(len(model.parts))]

    def add(part: Trees, fold: int, leaves: NDArray[np.int32], change: Change) -> Floats:
        count = np.bincount(leaves[:, bags[fold]].ravel(), minlength=len(part.values))[:, None]
        row, column = np.nonzero((change.gain != 0) | (change.gained != 0))
        inside = change.folds.fold[row] != fold
        row, column = row[inside], column[inside]
        at = leaves[:, change.folds.rows[row]], np.broadcast_to(column, (len(leaves), len(row)))
        gain, gained = np.zeros((2, len(part.values), len(change.columns)))
        np.add.at(gain, at, change.gain[row, column])
        np.add.at(gained, at, change.gained[row, column])
        return np.asarray((count * part.values[:, change.columns] + gain) / np.maximum(count + gained, 1))

    return _keep_splits(model, of, add)


def keep_boosting(model: Forest, of: Structure) -> Refit:
    """Keep the splits. The Newton steps of the leaves are made again, one tree after the other."""

    def boost(part: Trees, fold: int, leaves: NDArray[np.int32], change: Change) -> Floats:
        known = change.folds.observed & (change.folds.fold != fold)[:, None]
        row, column = np.nonzero(known)
        y, item, k = change.folds.Y[row, column], change.folds.rows[row], known.shape[1]
        start, values = start_at_rates(change.folds.Y, known), np.empty((len(part.values), k))
        log_odds = start[column]
        ends = np.append(part.leaf[part.roots], len(part.values))
        for tree, (first, end) in enumerate(pairwise(ends)):
            cell, size = (leaves[tree, item] - first) * k + column, (end - first) * k
            p = expit(log_odds)
            gradient, curvature = (np.bincount(cell, each, minlength=size) for each in (y - p, p * (1 - p)))
            steps = LEARNING_RATE * gradient / (curvature + RIDGE)
            log_odds += steps[cell]
            values[first:end] = start + len(leaves) * steps.reshape(-1, k)
        return values

    return _keep_splits(model, of, boost)


def _keep_splits(model: Forest, of: Structure, fill_leaves: FillLeaves) -> Refit:
    """Keep the leaf of every item in every tree."""
    leaves = [part.find(of.X) for part in model.parts]

    def refit(change: Change) -> Fitted[Model]:
        folds, parts = change.folds, []
        scores, out_of_fold = np.zeros((of.X.shape[0], len(change.columns))), np.full(folds.Y.shape, np.nan)
        for fold, (part, found) in enumerate(zip(model.parts, leaves, strict=True)):
            values = fill_leaves(part, fold, found, change).astype(np.float32)
            parts.append(replace(part, values=put(part.values, values, change.columns)))
            prediction = add_leaves(values, found, np.zeros(scores.shape)) / len(found)
            out = folds.fold == fold
            out_of_fold[out] = prediction[folds.rows[out]]
            scores += prediction / len(leaves)
        return Fitted(Forest(parts), scores, out_of_fold)

    return refit


def put(whole: NDArray[Any], part: NDArray[Any], columns: Ints) -> NDArray[Any]:
    """Return a copy with other values of some labels, which are on the last axis."""
    changed = whole.copy()
    changed[..., columns] = part
    return changed


#: The way to keep each member of :data:`halflabel.methods.auto.ensemble.MEMBERS`, by its name.
KEEPERS: Mapping[str, Callable[[Any, Structure], Refit]] = {
    "kernel": keep_kernel,
    "harmonic": keep_nodes,
    "trees": keep_trees,
    "boosting": keep_boosting,
    "logistic": keep_words,
}
