"""Statements of Qian & Davidson (2010) about several labels, and about partial and noisy ones, on unlabelled items."""

from __future__ import annotations

from typing import Any

import numpy as np

from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_items
from halflabel.labels.metrics import macro_auc, micro_f1
from halflabel.plugins import Floats, is_sparse
from halflabel_papers.published import SSDRMC

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
    X, labels = _sample(data, rng, items)
    known = hide_items(labels, 1 - share, rng).values()
    columns = [[j] for j in range(known.shape[1])] if separately else [range(known.shape[1])]
    fits = [_make_model({}).fit(X, known[:, each]) for each in columns]
    return _score(fits, labels, np.isnan(known).all(axis=1))


def transduce_uncertain(
    data: Dataset, rng: np.random.Generator, *, items: int, share: float, equation: str, fault: str, rate: float
) -> dict[str, float]:
    """Return the figures of an equation if the labels of the labelled items are partial or noisy.

    Parameters
    ----------
    equation : str
        A key of :data:`EQUATIONS`.
    fault : {"partial", "noisy"}
        Entries of labelled items are unknown, or relevant entries are stated as irrelevant.
    rate : float
        The share of these entries.
    """
    X, labels = _sample(data, rng, items)
    known = hide_items(labels, 1 - share, rng).values()
    unlabelled = np.isnan(known).all(axis=1)
    faulty = rng.random(known.shape) < rate
    known = np.where(faulty, np.nan, known) if fault == "partial" else np.where(faulty & (known == 1), 0.0, known)
    return _score([_make_model(EQUATIONS[equation]).fit(X, known)], labels, unlabelled)


def _sample(data: Dataset, rng: np.random.Generator, items: int) -> tuple[Floats, PartialLabels]:
    rows = np.sort(rng.permutation(len(data.Y))[:items])
    return data.X[rows].toarray() if is_sparse(data.X) else np.asarray(data.X)[rows], data.Y[rows]


def _make_model(settings: dict[str, Any]) -> SSDRMC:
    model: SSDRMC = SSDRMC.as_published().set_params(n_folds=2, **settings)
    return model


def _score(fits: list[SSDRMC], truth: PartialLabels, rows: Any) -> dict[str, float]:
    """Return micro-F1 at H = .3, and macro-AUC, on some items. The fits have the labels one after the other."""
    labels = np.column_stack([fit.transduction_ for fit in fits])[rows]
    scores = np.column_stack([fit.label_scores_ for fit in fits])[rows]
    ranked = np.nan_to_num(scores, nan=-np.inf)
    return {"micro_f1": micro_f1(truth[rows], np.nan_to_num(labels)), "macro_auc": macro_auc(truth[rows], ranked)}
