"""Accuracy of AutoLabeler where whole items are unlabelled, beside its members and what else one would take.

Protocol: a random share of the items keeps all its labels, the others lose theirs and are scored. Of tmc2007-500 and
corel5k 1 500 random items are drawn in each repeat; corel5k keeps its 30 most frequent labels and the items that have
one of them, enron the labels with at least 9 relevant items. Every method decides by its default rule ("micro_f1");
"macro_f1, own rule" is that of thresholds for macro-F1 on the same probabilities; "filled at .95" is the share of the
hidden entries that ``min_precision=.95`` fills, "right of these" the precision that was promised.

    python benchmarks/auto_accuracy.py [--sets yeast scene] [--shares 0.1 0.5] [--repeats 5] [--methods auto logistic]
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from halflabel import SSDRMC, PartialLabels
from halflabel.auto import MEMBERS, AutoLabeler
from halflabel.auto.features import Weighting
from halflabel.baselines import BinaryRelevance
from halflabel.datasets import load_benchmark
from halflabel.decision import confident, thresholds
from halflabel.metrics import brier, ece, macro_f1, micro_f1

FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))
SETS = ("yeast", "scene", "emotions", "tmc2007-500", "corel5k", "enron")


def load(name):
    """Return features and labels as the protocol wants them."""
    data = load_benchmark(name, FOLDER)
    X, labels = data.X, data.Y
    count = labels.relevant.sum(axis=0)
    if name == "corel5k":
        columns = np.sort(np.argsort(-count, kind="stable")[:30])
    else:
        columns = np.flatnonzero(count >= 9) if name == "enron" else np.arange(len(count))
    rows = np.flatnonzero(labels.relevant[:, columns].any(axis=1)) if name == "corel5k" else np.arange(len(labels))
    names = tuple(labels.names[j] for j in columns)
    return X[rows], PartialLabels(labels.state[np.ix_(rows, columns)], names, labels.annotated[rows])


def draw(X, labels, share, seed, most):
    """Return a random subset, and its labels split into known and hidden."""
    rng = np.random.default_rng(seed)
    rows = np.arange(len(labels)) if len(labels) <= most else np.sort(rng.choice(len(labels), most, replace=False))
    X, labels = X[rows], labels[rows]
    unlabelled = np.ones(len(labels), dtype=bool)
    unlabelled[rng.permutation(len(labels))[: round(share * len(labels))]] = False
    mask = np.repeat(unlabelled[:, None], labels.shape[1], axis=1)
    return X, labels.hide(mask), labels.hide(~mask)


def logistic(X, known):
    """Return logistic regression on the same weighted features, C with the least out-of-fold Brier score."""
    Z = Weighting.learn(X, "auto")(X)
    models = (
        BinaryRelevance(LogisticRegression(C=C, max_iter=300, tol=1e-3), scale=None, n_folds=3)
        for C in (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
    )
    return min((model.fit(Z, known) for model in models), key=lambda model: brier(known, model.label_probabilities_))


METHODS = {
    "auto": lambda X, known: AutoLabeler().fit(X, known),
    "fast": lambda X, known: AutoLabeler("fast").fit(X, known),
    "best": lambda X, known: AutoLabeler("best").fit(X, known),
    "ssdrmc": lambda X, known: SSDRMC().fit(X, known),
    "logistic": logistic,
} | {name: lambda X, known, name=name: AutoLabeler(members=(name,)).fit(X, known) for name in MEMBERS}


def score(model, known, hidden):
    """Return the metrics on the hidden entries."""
    p = model.label_probabilities_
    open_cells = np.where(known.observed, np.nan, p)
    per_label = thresholds(open_cells, "macro_f1")
    sure = confident(open_cells, 0.95)
    filled = (sure != 0) & hidden.observed
    return {
        "micro_f1": micro_f1(hidden, model.transduction_),
        "macro_f1": macro_f1(hidden, model.transduction_),
        "macro_f1, own rule": macro_f1(hidden, (p >= per_label).astype(int)),
        "brier": brier(hidden, p),
        "ece": ece(hidden, p),
        "filled at .95": filled.sum() / hidden.observed.sum(),
        "right of these": (sure == hidden.state)[filled].mean(),
    }


def main():
    """Print one table per set and share: means over the repeats."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--shares", nargs="+", type=float, default=[0.1, 0.5])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--items", type=int, default=1500, help="drawn from tmc2007-500 and corel5k")
    options = parser.parse_args()
    for name in options.sets:
        X, labels = load(name)
        most = options.items if name in ("tmc2007-500", "corel5k") else len(labels)
        for share in options.shares:
            records = []
            for seed in range(options.first_seed, options.first_seed + options.repeats):
                Z, known, hidden = draw(X, labels, share, seed, most)
                for method in options.methods:
                    start = time.process_time()
                    with threadpool_limits(1), warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        model = METHODS[method](Z, known)
                    seconds = time.process_time() - start
                    records.append({"method": method, **score(model, known, hidden), "cpu_s": seconds})
            table = pd.DataFrame(records).groupby("method", sort=False)
            print(f"\n{name}, {share:.0%} labelled, means of {options.repeats} repeats")
            print(table.mean().round(4).to_string(), flush=True)
            if "auto" in options.methods and options.repeats > 1:
                print(
                    "sd of auto:", table.get_group("auto").drop(columns="method").std().round(4).to_dict(), flush=True
                )


if __name__ == "__main__":
    main()
