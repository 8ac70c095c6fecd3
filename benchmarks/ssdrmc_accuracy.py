"""Micro-F1 of SSDR-MC and what it is compared with, on Yeast and Scene, by share of labelled items.

Protocol: a random share of the items keeps all its labels, the others lose theirs and are the test set. Scores are cut
at 0.3 (the paper's H) and at the count of labels per labelled item ("card"); "rule" is the default rule of the library.
Seeds 100 and up were used for nothing else.

    python benchmarks/ssdrmc_accuracy.py [--splits 10] [--sets yeast scene] [--deleted]

``--deleted`` asks instead what happens when 40 % of the relevant entries of labelled items are turned over.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from halflabel import SSDRMC
from halflabel.datasets import load_benchmark
from halflabel.labels.metrics import METRICS, micro_f1
from halflabel.numerics.graph.neighbors import neighbors

SHARES = (0.05, 0.10, 0.20, 0.35, 0.50)
FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def support_vectors(X, known, unlabelled):
    """Return margins of one RBF machine per label, C = 1, on standardised features."""
    Z, rows = StandardScaler().fit_transform(X), ~unlabelled
    Y = known.relevant[rows].astype(int)
    both = (Y.min(axis=0) == 0) & (Y.max(axis=0) == 1)
    scores = np.full(known.shape, -1.0)
    scores[:, both] = OneVsRestClassifier(SVC(C=1.0)).fit(Z[rows], Y[:, both]).decision_function(Z)
    return scores


def vote(X, known, unlabelled):
    """Return the share of the 15 nearest labelled items that have the label."""
    rows = np.flatnonzero(~unlabelled)
    indices, _ = neighbors(X[rows], min(15, len(rows)), query=X)
    return known.relevant[rows][indices].mean(axis=1)


def estimator_scores(model):
    """Return scores, 0 for labels that were not observed with both values."""
    return np.nan_to_num(model.label_scores_, nan=0.0)


def one_split(X, labels, share, seed):
    """Return one record per method."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        order = np.random.default_rng(seed).permutation(len(labels))
        unlabelled = np.ones(len(labels), bool)
        unlabelled[order[: round(share * len(labels))]] = False
        mask = np.repeat(unlabelled[:, None], labels.shape[1], axis=1)
        known, hidden = labels.hide(mask), labels.hide(~mask)
        default = SSDRMC().fit(X, known)
        paper = SSDRMC.as_published().set_params(n_folds=2).fit(X, known)
        true = SSDRMC(inference="minimizer", scale=None, n_folds=2).fit(X, known)
        scores = {
            "default": estimator_scores(default),
            "paper mode, eq. (7)": estimator_scores(paper),
            "minimiser of eq. (5), ridge 1": estimator_scores(true),
            "kernel ridge (its prior)": default.prior_.predict(default.items_),
            "vote of 15 labelled neighbours": vote(X, known, unlabelled),
            "SVM, RBF, C = 1": support_vectors(X, known, unlabelled),
        }
        records = [{"method": name, **cuts(S, known, hidden, unlabelled)} for name, S in scores.items()]
        quality = {m: METRICS[m].function(hidden, default.label_probabilities_) for m in ("brier", "ece")}
        records[0] |= {"rule": micro_f1(hidden, default.transduction_), **quality, "pcg": default.solution_.n_iter}
        records[1] |= {"alternations": paper.n_alternations_}
        return [{"share": share, "seed": seed, **record} for record in records]


def cuts(scores, known, hidden, unlabelled):
    """Return micro-F1 at 0.3 and at the count rule."""
    rest = np.sort(scores[unlabelled], axis=None)[::-1]
    count = round(np.nansum(known.rates) * unlabelled.sum())
    answers = {"H=.3": scores >= 0.3, "card": scores > rest[count]}
    return {name: micro_f1(hidden, answer.astype(int)) for name, answer in answers.items()}


def one_deletion(X, labels, share, seed):
    """Return records of the masked fitting term when 40 % of the relevant entries were turned over."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(seed)
        unlabelled = np.ones(len(labels), bool)
        unlabelled[rng.permutation(len(labels))[: round(share * len(labels))]] = False
        truth = labels.values()
        given = np.where((truth == 1) & (rng.random(truth.shape) < 0.4), 0.0, truth)
        given[unlabelled] = np.nan
        hidden = labels.hide(np.repeat(~unlabelled[:, None], labels.shape[1], axis=1))
        count = round(truth[~unlabelled].sum(axis=1).mean() * unlabelled.sum())
        records = []
        for name, weight in (
            ("clamped", np.inf),
            ("fit_weight 10", 10.0),
            ("fit_weight 1", 1.0),
            ("fit_weight .1", 0.1),
        ):
            model = SSDRMC(inference="minimizer", fit_weight=weight, scale=None, n_folds=2).fit(X, given)
            scores = estimator_scores(model)
            cut = np.sort(scores[unlabelled], axis=None)[::-1][count]
            records.append(
                {"share": share, "seed": seed, "method": name, "card": micro_f1(hidden, (scores > cut).astype(int))}
            )
        return records


def main():
    """Print one table per set: means over the splits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--sets", nargs="+", default=["yeast", "scene"])
    parser.add_argument("--deleted", action="store_true")
    options = parser.parse_args()
    run, shares = (one_deletion, (0.10, 0.35)) if options.deleted else (one_split, SHARES)
    for name in options.sets:
        data = load_benchmark(name, FOLDER)
        jobs = (delayed(run)(data.X, data.Y, share, 100 + s) for share in shares for s in range(options.splits))
        records = pd.DataFrame([record for records in Parallel(2)(jobs) for record in records])
        print(f"\n{name}, means of {options.splits} splits")
        measures = [c for c in records if c not in ("share", "seed", "method")]
        for measure in measures:
            table = records.pivot_table(index="method", columns="share", values=measure, sort=False)
            print(f"\n{measure}\n{table.round(4).to_string()}")
        if not options.deleted:
            spread = records[records["method"] == "default"].groupby("share")["H=.3"].std()
            print("\nsd of the default at H=.3:", *spread.round(4))


if __name__ == "__main__":
    main()
