"""Statements of Qian & Davidson (2010) about the labels of pairs of items, and about partial and noisy labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_items
from halflabel.labels.metrics import macro_auc, micro_f1
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.plugins import stored
from halflabel_papers.published import SSDRMC
from halflabel_papers.studies.data import sample_items
from halflabel_papers.studies.ssdrmc import NEIGHBORS, RIDGE

#: The equations for labels that are not certain: eq. (7) keeps them, eq. (10) and (12) fit them with beta = 1.
EQUATIONS: dict[str, dict[str, Any]] = {
    "(7)": {},
    "(12)": {"fit_weight": 1.0, "unknown_as_zero": True},
    "(10), observed entries": {"inference": "minimizer", "fit_weight": 1.0},
}


def transduce(
    data: Dataset, rng: np.random.Generator, *, items: int, share: float, separately: bool
) -> dict[str, float]:
    """Return the figures of Table 1 with one W for all labels, or with a W for each label."""
    X, labels = sample_items(data, rng, items)
    known = hide_items(labels, 1 - share, rng).values()
    columns = [[j] for j in range(known.shape[1])] if separately else [range(known.shape[1])]
    fits = [_make_model({}).fit(X, known[:, each]) for each in columns]
    return _score(fits, labels, np.isnan(known).all(axis=1))


def transduce_uncertain(
    data: Dataset, rng: np.random.Generator, *, items: int, share: float, equation: str, fault: str, rate: float
) -> dict[str, float]:
    """Return the figures of an equation if the labels of the labelled items are partial or noisy.

    A share ``rate`` of the entries of labelled items is unknown ("partial"), or this share of the relevant entries is
    stated as irrelevant ("noisy").
    """
    X, labels = sample_items(data, rng, items)
    known = hide_items(labels, 1 - share, rng).values()
    unlabelled = np.isnan(known).all(axis=1)
    faulty = rng.random(known.shape) < rate
    known = np.where(faulty, np.nan, known) if fault == "partial" else np.where(faulty & (known == 1), 0.0, known)
    return _score([_make_model(EQUATIONS[equation]).fit(X, known)], labels, unlabelled)


def measure_iterations(
    data: Dataset, rng: np.random.Generator, *, items: int, share: float, iterations: int
) -> dict[str, float]:
    """Return the relevant labels of an unlabelled item, and Q of eq. (1), after a number of iterations of Table 1.

    Q is of the labels, which Table 1 rounds at H, and of the scores before that.
    """
    X, labels = sample_items(data, rng, items)
    known = hide_items(labels, 1 - share, rng).values()
    fit = _make_model({"max_alternations": iterations}).fit(X, known)
    rounded, scores = np.nan_to_num(fit.transduction_), np.nan_to_num(fit.label_scores_)
    features, of_labels, of_scores = (
        float(np.square(each - fit.weights_ @ each).sum()) for each in (X, rounded, scores)
    )
    return {
        "predicted_labels": float(rounded[np.isnan(known).all(axis=1)].sum(axis=1).mean()),
        "objective": (1 - fit.alpha) * features + fit.alpha * of_labels,
        "objective_of_scores": (1 - fit.alpha) * features + fit.alpha * of_scores,
    }


def compare_pairs(data: Dataset, rng: np.random.Generator, *, items: int, pairs: str) -> dict[str, float]:
    """Return the mean number of common labels of neighbours with "positive" or "negative" weight, or of "random" pairs.

    The weights come from the features alone.
    """
    X, labels = sample_items(data, rng, items)
    W = reconstruction_weights(X, neighbors(X, NEIGHBORS)[0], RIDGE).tocoo()
    kept = {"positive": W.data > 0, "negative": W.data < 0, "random": W.data != 0}[pairs]
    first, second = W.row[kept], W.col[kept]
    second = rng.permutation(second) if pairs == "random" else second
    return {"common_labels": float((labels.relevant[first] & labels.relevant[second]).sum(axis=1).mean())}


def measure_map(data: Dataset, rng: np.random.Generator, *, share: float, pairs: str) -> dict[str, float]:
    """Return the distance of classes on a map: of the half of their pairs with more, or with fewer, common labels.

    A class is a set of labels, and its place the median of its items; the unit is the mean distance of all pairs.
    """
    X = stored(data.X, as_sparse=False)
    model = SSDRMC.as_published().set_params(n_folds=2, n_components=2).fit(X, hide_items(data.Y, 1 - share, rng))
    sets, of = np.unique(data.Y.relevant, axis=0, return_inverse=True)
    places = np.array([np.median(model.embedding_.coordinates[of == k], axis=0) for k in range(len(sets))])
    first, second = np.triu_indices(len(sets), 1)
    distances = np.linalg.norm(places[first] - places[second], axis=1)
    common = (sets[first] & sets[second]).sum(axis=1)
    chosen = common > np.median(common) if pairs == "more" else common <= np.median(common)
    return {"map_distance": float(distances[chosen].mean() / distances.mean())}


def _make_model(settings: dict[str, Any]) -> SSDRMC:
    model: SSDRMC = SSDRMC.as_published().set_params(n_folds=2, **settings)
    return model


def _score(fits: list[SSDRMC], truth: PartialLabels, rows: Any) -> dict[str, float]:
    """Return micro-F1 at H = .3, and macro-AUC, on some items. The fits have the labels one after the other."""
    labels = np.column_stack([fit.transduction_ for fit in fits])[rows]
    scores = np.column_stack([fit.label_scores_ for fit in fits])[rows]
    ranked = np.nan_to_num(scores, nan=-np.inf)
    return {"micro_f1": micro_f1(truth[rows], np.nan_to_num(labels)), "macro_auc": macro_auc(truth[rows], ranked)}
