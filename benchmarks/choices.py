"""Losses of MC-1 and MC-b, kernels of both and of VVMR, and label matrices of MDDM, each against its default.

Protocol: of at most 500 random items of a set, half keep their labels; the 20 most frequent labels and, of sparse sets,
the 200 most frequent features. MC-1 and MC-b fill these gaps, and those of a fifth of the feature values, or of the
kernel of these features; VVMR predicts the labels; MDDM projects all items on as many directions as carry dependence,
at most 20, and ML-kNN predicts the labels from them, with a third of the known entries missing, or positive-only
labels. No set chose a default.

    python benchmarks/choices.py [--sets yeast enron] [--repeats 2]
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
from _common import load_set, make_parser, use_one_thread

from halflabel import MC1, MDDM, VVMR, MCb, PartialLabels
from halflabel.labels.masking import hide_items
from halflabel.labels.metrics import average_precision, macro_auc
from halflabel.methods.baselines import MLkNN
from halflabel.methods.impute import PartialKernel

SETS = ("emotions", "yeast", "scene", "enron", "medical", "corel5k")

#: The choices by method, the default first.
LOSSES = {"squared": {}, "huber": {"feature_loss": "huber"}, "squared hinge": {"label_loss": "squared_hinge"}}
ON_BITS = {"logistic": {"feature_loss": "logistic"}, "poisson": {"feature_loss": "poisson"}}
PARTIAL_KERNELS = ("polynomial", "rbf", "linear")
KERNELS = ("rbf", "linear", "cosine", "polynomial")
MATRICES = {
    "linear": {},
    "quadratic": {"label_kernel": "quadratic"},
    "rbf": {"label_kernel": "rbf"},
    "learned correlation": {"label_correlation": "learned"},
    "CCA, uncorrelated=.9": {"label_correlation": "whitened", "uncorrelated": 0.9},
}


def sample(name, rng, max_items=500, max_labels=20, max_features=200):
    """Return dense features, complete labels, and the labels of half of the items."""
    data = load_set(name)
    rows = np.sort(rng.permutation(len(data.Y))[:max_items])
    X = data.X[rows].toarray() if hasattr(data.X, "toarray") else np.asarray(data.X)[rows]
    frequent = np.sort(np.argsort(-(X != 0).sum(axis=0), kind="stable")[:max_features])
    labels = data.Y[rows].select(np.sort(np.argsort(-data.Y.relevant[rows].sum(axis=0), kind="stable")[:max_labels]))
    return X[:, frequent], labels, hide_items(labels, 0.5, rng)


def score(truth, known, scores):
    """Return macro-AUC and average precision of the hidden entries."""
    hidden = truth.hide(known.observed)
    ranked = np.nan_to_num(scores, nan=-np.inf)
    return {"macro_auc": macro_auc(hidden, ranked), "average_precision": average_precision(hidden, ranked)}


def complete_matrices(X, truth, known, rng):
    """Yield (choice, figures) of MC-1, with the squared error of hidden features relative to their mean."""
    gaps = rng.random(X.shape) < 0.2
    with_gaps = np.where(gaps, np.nan, X)
    mean = np.nanmean(with_gaps, axis=0)
    bits = bool(np.isin(X, (0, 1)).all())
    for name, settings in {**LOSSES, **(ON_BITS if bits else {})}.items():
        model = MC1(label_weight=1.0, n_folds=2, **settings)
        filled = model.fit_transform(with_gaps, known)
        error = np.sum((filled - X)[gaps] ** 2) / np.sum((mean - X)[gaps] ** 2)
        yield name, {**score(truth, known, model.label_scores_), "feature_error": error}
    for loss in ("logistic", "squared_hinge"):
        model = MCb(label_weight=1.0, n_folds=2, label_loss=loss).fit(with_gaps, known)
        yield f"MC-b, {loss}", score(truth, known, model.label_scores_)
    for kernel in PARTIAL_KERNELS:
        model = MC1(label_weight=1.0, n_folds=2).fit(PartialKernel(kernel).fit_transform(with_gaps), known)
        yield f"partial kernel, {kernel}", score(truth, known, model.label_scores_)


def regress(X, truth, known, rng):
    """Yield (kernel, figures) of VVMR."""
    for kernel in KERNELS:
        model = VVMR(kernel=kernel, width=(0.5, 1.0, 2.0), n_folds=3).fit(X, known)
        yield kernel, score(truth, known, model.label_scores_)


def project(X, truth, known, rng):
    """Yield (choice, figures) of MDDM: a third of the known entries missing, then positive-only labels."""
    part = known.hide(rng.random(known.shape) < 1 / 3)
    Z = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    for name, settings in MATRICES.items():
        model = MDDM(threshold=1.0, **settings).fit(Z, part)
        yield name, predict(model, Z, truth, known)
    assigned = np.where(known.relevant & (rng.random(known.shape) < 0.7), 1.0, 0.0)
    assigned[known.unlabelled] = np.nan
    positives = PartialLabels.from_positives(assigned)
    yield "linear, positive-only", predict(MDDM(threshold=1.0).fit(Z, positives), Z, truth, known)


def predict(model, Z, truth, known):
    """Return the figures of ML-kNN on at most 20 directions."""
    P = model.transform(Z)[:, :20]
    return score(truth, known, MLkNN().fit(P, known).label_scores_)


METHODS = {"MC-1": complete_matrices, "VVMR": regress, "MDDM": project}


def measure(name, seed):
    """Yield a record per method and choice."""
    for method, run in METHODS.items():
        rng = np.random.default_rng(seed)
        X, truth, known = sample(name, rng)
        started = time.process_time()
        for choice, figures in run(X, truth, known, rng):
            seconds, started = time.process_time() - started, time.process_time()
            yield {"set": name, "method": method, "choice": choice, "seed": seed, **figures, "seconds": seconds}


def main():
    """Print the means over repeats."""
    options = make_parser(__doc__, sets=SETS, repeats=1).parse_args()
    with use_one_thread():
        records = [r for name in options.sets for seed in range(options.repeats) for r in measure(name, seed)]
    table = pd.DataFrame(records).groupby(["method", "choice", "set"], sort=False).mean().drop(columns="seed")
    print(table.round(3).to_string())


if __name__ == "__main__":
    main()
