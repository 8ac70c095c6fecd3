"""The evidence for a filled entry, the entries to check first, and the drift between labelled and unlabelled items."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import entr, logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from halflabel._arrays import Floats, is_sparse
from halflabel.labels import PartialLabels
from halflabel.numerics.graph.weights import components, supported

Kind = Literal["graph", "features", "prior"]

#: Items sampled for the drift check, on each side.
DRIFT_SAMPLE = 1000


def classify_evidence(labels: PartialLabels, weights: sparse.csr_array | None) -> NDArray[np.str_]:
    """Return the kind of evidence for each entry.

    "graph": its component of the neighbour graph holds an observed entry of the label; "features": it does not, so that
    only the feature model predicts it; "prior": the label was not observed with both values, so that its rate is all
    there is.
    """
    reached = supported(components(weights), labels.observed) if weights is not None else np.zeros(labels.shape, bool)
    return np.where(labels.learnable, np.where(reached, "graph", "features"), "prior")


def find_supporting_items(
    item: int, label: int, labels: PartialLabels, weights: sparse.csr_array, max_items: int
) -> pd.DataFrame:
    """Return the items tied to ``item`` by a reconstruction weight in either direction, strongest first.

    Columns: position, weight, given (1, 0 or missing). Items whose label is observed come first.
    """
    both = weights[[item]].toarray().ravel() + weights[:, [item]].toarray().ravel()
    tied = np.flatnonzero(both)
    given = labels.state[tied, label]
    order = np.lexsort((-np.abs(both[tied]), given == 0))[:max_items]
    values = pd.array(np.where(given > 0, 1, 0)[order], dtype="Int8")
    values[given[order] == 0] = pd.NA
    return pd.DataFrame({"position": tied[order], "weight": both[tied][order], "given": values})


def rank_suspects(labels: PartialLabels, probabilities: Floats) -> pd.DataFrame:
    """Return the observed entries, the most doubtful first, by probabilities of a model that has not seen them.

    Doubt is the shift of the log odds of the given value against the label's rate: by its probability alone,
    every relevant entry of a rare label would come first. Columns: position, label, given, probability
    (of being relevant, out of fold).
    """
    rows, columns = np.nonzero(labels.observed & labels.learnable)
    given, p = labels.state[rows, columns] > 0, probabilities[rows, columns]
    shift = logit(p) - logit(labels.rates[columns])
    order = np.argsort(np.where(given, shift, -shift), kind="stable")
    names = np.array(labels.names, dtype=object)
    return (
        pd.DataFrame({"position": rows, "label": names[columns], "given": given.astype(int), "probability": p})
        .iloc[order]
        .reset_index(drop=True)
    )


def rank_uncertain(labels: PartialLabels, probabilities: Floats) -> pd.DataFrame:
    """Return the items with gaps, those first whose unknown entries hold the most entropy (in bits, summed).

    Columns: position, bits, unknown (number of unknown entries).
    """
    bits = np.where(labels.observed, 0.0, (entr(probabilities) + entr(1 - probabilities)) / np.log(2)).sum(axis=1)
    unknown = (~labels.observed).sum(axis=1)
    order = np.argsort(-bits, kind="stable")
    order = order[unknown[order] > 0]
    return pd.DataFrame({"position": order, "bits": bits[order], "unknown": unknown[order]})


def measure_drift(X: Any, labels: PartialLabels, rng: np.random.Generator) -> float | None:
    """Return how well labelled and unlabelled items can be separated: area under the ROC curve, .5 = not at all.

    Five-fold cross-validated logistic regression on a sample of both sides; None if either has fewer than 20 items.
    Calibration is learned on labelled items, so that a value well above .5 puts it in doubt.
    """
    sides = [np.flatnonzero(~labels.unlabelled), np.flatnonzero(labels.unlabelled)]
    if min(map(len, sides)) < 20:
        return None
    sample = [side if len(side) <= DRIFT_SAMPLE else rng.choice(side, DRIFT_SAMPLE, replace=False) for side in sides]
    rows, target = np.concatenate(sample), np.repeat([0, 1], [len(side) for side in sample])
    scaler = MaxAbsScaler() if is_sparse(X) else StandardScaler()
    model = make_pipeline(scaler, LogisticRegression(C=0.1, class_weight="balanced", max_iter=200, tol=1e-3))
    folds = StratifiedKFold(5, shuffle=True, random_state=int(rng.integers(2**31)))
    scores = cross_val_predict(model, X[rows], target, cv=folds, method="decision_function")
    return float(roc_auc_score(target, scores))
