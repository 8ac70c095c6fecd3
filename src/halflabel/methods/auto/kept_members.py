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
from halflabel.numerics.kernels import KernelRidge, kernel_ridge


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
    #: Shape (n_labelled, n_columns). The change of the values that the fit had, and still are known; 0 elsewhere.
    gain: Floats


#: Fits the changed labels. The model has all labels; scores have the changed ones.
Refit = Callable[[Change], Fitted[Model]]


def keep_kernel(model: KernelRegression, of: Structure) -> Refit:
    r"""Keep the eigenvectors of the rows that most labels were observed on.

    In their basis the normal equations :math:`Q^TQ + \alpha I` of these rows are diagonal. A label that was observed on
    other rows D differs from them by :math:`Q_D^TSQ_D` with signs S, so that its solution, and the errors of leaving
    out one item, follow from a system of the size of D (Woodbury's identity).

    New rows get features of their own. On the map of the fit alone, a value of an item unlike the labelled ones could
    only be reached by large weights of these, which change the predictions of all items. The rows of the fit have 0 in
    the features of new rows. That is exact if the map has all of them as landmarks.
    """
    ridge = model.ridge
    shared = 2 * of.observed.sum(axis=1) > of.observed.shape[1]
    Phi = ridge.features(of.X[shared])
    values, V = linalg.eigh(Phi.T @ Phi, overwrite_a=True, check_finite=False)

    def refit(change: Change) -> Fitted[Model]:
        folds, columns = change.folds, change.columns
        X, is_new = of.X[folds.rows], of.fold[folds.rows] < 0
        features = ridge.features.extend(X[is_new])
        if folds.n_groups:
            family = kernel_ridge(X, folds.Y, folds.observed, folds.fold, features)
            out_of_fold = family.predict(X)[np.arange(len(folds.rows)), 1 + folds.fold]
            part = family[0]
        else:
            own, Q = np.split(features(X), [-len(V)], axis=1)
            own[~is_new] = 0
            alpha = ridge.alpha[columns]
            spectrum = np.append(np.zeros(own.shape[1]), np.maximum(values, 0))
            coef, left_out = solve_by_label(np.hstack([own, Q @ V]), spectrum, folds, shared[folds.rows], alpha)
            coef[-len(V) :] = V @ coef[-len(V) :]
            part = KernelRidge(features, features.projection @ coef[:-1], coef[-1], alpha)
            out_of_fold = np.where(folds.observed, left_out, part.predict(X))
        weights = np.pad(ridge.weights, ((0, is_new.sum()), (0, 0)))
        whole = KernelRidge(
            features,
            weights=put(weights, part.weights, columns),
            intercept=put(ridge.intercept, part.intercept, columns),
            alpha=put(ridge.alpha, part.alpha, columns),
        )
        return Fitted(KernelRegression(whole), part.predict(of.X), out_of_fold)

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
        held_out = folds.observed | (of.fold[folds.rows] >= 0)[:, None]  # all values predict the gaps of a new item
        return Fitted(whole, fitted.scores, np.where(held_out, fitted.out_of_fold, np.nan))

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
    """Keep the splits. The mean of a leaf follows corrections of the entries that it was grown on.

    A new entry does not enter: no split was made for it, so that it would stand for all items of a leaf, and questions
    ask where it does not. Probabilities of gaps were worse with the new entries than without them.
    """
    bags = [np.flatnonzero((of.fold >= 0) & (of.fold != fold)) for fold in range(len(model.parts))]

    def correct(part: Trees, fold: int, leaves: NDArray[np.int32], change: Change) -> Floats:
        count = np.bincount(leaves[:, bags[fold]].ravel(), minlength=len(part.values))[:, None]
        row, column = np.nonzero(change.gain * (change.folds.fold != fold)[:, None])
        gain = np.zeros((len(part.values), len(change.columns)))
        np.add.at(gain, (leaves[:, change.folds.rows[row]], column), change.gain[row, column])
        return np.asarray(part.values[:, change.columns] + gain / np.maximum(count, 1))

    return _keep_splits(model, of, correct)


def keep_boosting(model: Forest, of: Structure) -> Refit:
    """Keep the splits. The Newton steps of the leaves are made again on the entries of the fit, with corrections."""

    def boost(part: Trees, fold: int, leaves: NDArray[np.int32], change: Change) -> Floats:
        rows = change.folds.rows
        known = change.folds.observed & of.observed[np.ix_(rows, change.columns)]
        known &= (change.folds.fold != fold)[:, None]
        row, column = np.nonzero(known)
        y, item, k = change.folds.Y[row, column], rows[row], known.shape[1]
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
    """Keep the leaf of every item in every tree. New items are not learned, so that all parts predict them."""
    leaves = [part.find(of.X) for part in model.parts]

    def refit(change: Change) -> Fitted[Model]:
        folds, parts = change.folds, []
        scores, out_of_fold = np.zeros((of.X.shape[0], len(change.columns))), np.full(folds.Y.shape, np.nan)
        learned = of.fold[folds.rows]
        for fold, (part, found) in enumerate(zip(model.parts, leaves, strict=True)):
            values = fill_leaves(part, fold, found, change).astype(np.float32)
            parts.append(replace(part, values=put(part.values, values, change.columns)))
            prediction = add_leaves(values, found, np.zeros(scores.shape)) / len(found)
            out = learned == fold
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
