"""Micro-F1 of SSDR-MC and of its competitors on Yeast and Scene, by share of labelled items.

Protocol: a random share of the items keeps all its labels; the others lose theirs and are the test set. Scores are cut
at 0.3 (H of the paper) and at the number of labels per labelled item ("card"); "rule" is the default threshold rule of
halflabel. Seeds from 100 on are used for nothing else.

    python benchmarks/ssdrmc_accuracy.py [--repeats 10] [--sets yeast scene] [--shares 0.05 0.5] [--deleted]

``--deleted`` measures another case: 40 % of the relevant entries of the labelled items are wrongly irrelevant.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import choose_unlabelled, load_set, make_parser, split_labels, use_one_thread
from joblib import Parallel, delayed
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from halflabel import SSDRMC
from halflabel.labels.metrics import METRICS, micro_f1
from halflabel.numerics.graph.neighbors import neighbors

SHARES, SHARES_DELETED = (0.05, 0.10, 0.20, 0.35, 0.50), (0.10, 0.35)


def score_svm(X, known, unlabelled):
    """Return the margins of one RBF machine per label, C = 1, on standardised features."""
    Z, rows = StandardScaler().fit_transform(X), ~unlabelled
    Y = known.relevant[rows].astype(int)
    both = (Y.min(axis=0) == 0) & (Y.max(axis=0) == 1)
    scores = np.full(known.shape, -1.0)
    scores[:, both] = OneVsRestClassifier(SVC(C=1.0)).fit(Z[rows], Y[:, both]).decision_function(Z)
    return scores


def score_neighbors(X, known, unlabelled):
    """Return the share of the 15 nearest labelled items that have the label."""
    rows = np.flatnonzero(~unlabelled)
    indices, _ = neighbors(X[rows], min(15, len(rows)), query=X)
    return known.relevant[rows][indices].mean(axis=1)


def fitted_scores(model):
    """Return the scores of a model, 0 for labels that were not observed with both values."""
    return np.nan_to_num(model.label_scores_, nan=0.0)


def score_split(X, labels, share, seed):
    """Return one record per method."""
    with use_one_thread():
        unlabelled = choose_unlabelled(len(labels), share, np.random.default_rng(seed))
        known, hidden = split_labels(labels, unlabelled)
        default = SSDRMC().fit(X, known)
        paper = SSDRMC.as_published().set_params(n_folds=2).fit(X, known)
        true = SSDRMC(inference="minimizer", scale=None, n_folds=2).fit(X, known)
        scores = {
            "default": fitted_scores(default),
            "paper mode, eq. (7)": fitted_scores(paper),
            "minimiser of eq. (5), ridge 1": fitted_scores(true),
            "kernel ridge (its prior)": default.prior_.predict(default.items_),
            "vote of 15 labelled neighbours": score_neighbors(X, known, unlabelled),
            "SVM, RBF, C = 1": score_svm(X, known, unlabelled),
        }
        records = [{"method": name, **score_cuts(S, known, hidden, unlabelled)} for name, S in scores.items()]
        quality = {m: METRICS[m].function(hidden, default.label_probabilities_) for m in ("brier", "ece")}
        records[0] |= {"rule": micro_f1(hidden, default.transduction_), **quality, "pcg": default.solution_.n_iter}
        records[1] |= {"alternations": paper.n_alternations_}
        return [{"share": share, "seed": seed, **record} for record in records]


def score_cuts(scores, known, hidden, unlabelled):
    """Return micro-F1 at 0.3 and at the number of labels per item."""
    rest = np.sort(scores[unlabelled], axis=None)[::-1]
    count = round(np.nansum(known.rates) * unlabelled.sum())
    predictions = {"H=.3": scores >= 0.3, "card": scores > rest[count]}
    return {name: micro_f1(hidden, prediction.astype(int)) for name, prediction in predictions.items()}


def score_deletion(X, labels, share, seed):
    """Return records of the masked fitting term where 40 % of the known relevant entries are wrongly irrelevant."""
    with use_one_thread():
        rng = np.random.default_rng(seed)
        unlabelled = choose_unlabelled(len(labels), share, rng)
        truth = labels.values()
        given = np.where((truth == 1) & (rng.random(truth.shape) < 0.4), 0.0, truth)
        given[unlabelled] = np.nan
        _, hidden = split_labels(labels, unlabelled)
        count = round(truth[~unlabelled].sum(axis=1).mean() * unlabelled.sum())
        records = []
        for name, weight in (
            ("clamped", np.inf),
            ("fit_weight 10", 10.0),
            ("fit_weight 1", 1.0),
            ("fit_weight .1", 0.1),
        ):
            model = SSDRMC(inference="minimizer", fit_weight=weight, scale=None, n_folds=2).fit(X, given)
            scores = fitted_scores(model)
            cut = np.sort(scores[unlabelled], axis=None)[::-1][count]
            records.append(
                {"share": share, "seed": seed, "method": name, "card": micro_f1(hidden, (scores > cut).astype(int))}
            )
        return records


def main():
    """Print one table per set: means over the splits."""
    parser = make_parser(__doc__, sets=("yeast", "scene"), repeats=10)
    parser.add_argument("--deleted", action="store_true")
    parser.add_argument("--shares", nargs="+", type=float, help="of the labelled items")
    options = parser.parse_args()
    run, shares = (score_deletion, SHARES_DELETED) if options.deleted else (score_split, SHARES)
    shares = options.shares or shares
    for name in options.sets:
        data = load_set(name)
        jobs = (delayed(run)(data.X, data.Y, share, 100 + s) for share in shares for s in range(options.repeats))
        records = pd.DataFrame([record for records in Parallel(2)(jobs) for record in records])
        print(f"\n{name}, means of {options.repeats} splits")
        measures = [c for c in records if c not in ("share", "seed", "method")]
        for measure in measures:
            table = records.pivot_table(index="method", columns="share", values=measure, sort=False)
            print(f"\n{measure}\n{table.round(4).to_string()}")
        if not options.deleted:
            spread = records[records["method"] == "default"].groupby("share")["H=.3"].std()
            print("\nsd of the default at H=.3:", *spread.round(4))


if __name__ == "__main__":
    main()
