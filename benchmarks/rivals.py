"""The default against tuned methods that are calibrated alike, and their stack: Brier score of the hidden entries.

Logistic regression, ExtraTrees, LightGBM and a classifier chain of logistic regressions, one classifier per label, each
with the setting of the least out-of-fold log loss. The stack has the weights of the least out-of-fold log loss. Three
kinds of gaps: whole items (100 of 700 labelled), single entries (half of 300 items, where the other known labels are
features, too), and positive-only labels (200 of 500 items annotated, .3 of their tags missing, the rate given).
The first five labels. Needs lightgbm. Missing features are medians for the other methods. No set chose anything.

    python benchmarks/rivals.py [--sets yahoo-science steel-faults]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import load_frequent, make_parser, use_one_thread
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

import halflabel as hl
from halflabel import PartialLabels
from halflabel.methods.baselines import BinaryRelevance

SETS = ("yahoo-science", "yahoo-social", "langlog", "corel5k", "ohsumed", "medsafe-llm", "steel-faults", "boardgames")
ITEMS, RATE = {"items": 700, "entries": 300, "tags": 500}, 0.7
METHODS = ("logistic regression", "ExtraTrees", "LightGBM", "chain")


def list_settings():
    """Return the classifiers that each method chooses from. The help needs no lightgbm."""
    from lightgbm import LGBMClassifier

    trees = {"min_samples_leaf": 2, "random_state": 0}
    small = {"n_estimators": 60, "min_child_samples": 5, "verbose": -1, "n_jobs": 1}
    linear = [LogisticRegression(C=C, max_iter=300) for C in (0.01, 0.1, 1)]
    forests = [ExtraTreesClassifier(100, max_features=m, **trees) for m in ("sqrt", 0.3)]
    boosted = [LGBMClassifier(num_leaves=m, **small) for m in (4, 8)]
    return dict(zip(METHODS, (linear, forests, boosted, linear[1:]), strict=True))


def hide(truth, kind):
    """Return the known values (NaN is a gap), and the mask of the hidden entries that are compared."""
    rng = np.random.default_rng(100)
    if kind == "entries":
        hidden = rng.random(truth.shape) < 0.5
        return np.where(hidden, np.nan, truth), hidden
    n_known = 100 if kind == "items" else 200
    hidden = np.repeat((rng.permutation(len(truth)) >= n_known)[:, None], truth.shape[1], axis=1)
    kept = truth * (rng.random(truth.shape) < RATE) if kind == "tags" else truth
    return np.where(hidden, np.nan, kept), hidden


def predict(classifier, X, known, *, chain, others):
    """Return calibrated probabilities of one classifier per label, out of fold for known entries."""
    P, signs = np.empty(known.shape), np.nan_to_num(2 * known - 1)
    for j in range(known.shape[1]):
        extra = P[:, :j] if chain else np.delete(signs, j, axis=1) if others else P[:, :0]
        features = sparse.csr_array(sparse.hstack([X, extra])) if sparse.issparse(X) else np.hstack([X, extra])
        P[:, j] = BinaryRelevance(classifier, n_folds=3).fit(features, known[:, [j]]).label_probabilities_[:, 0]
    return np.clip(P, 1e-4, 1 - 1e-4)


def compute_loss(P, known):
    """Return the log loss of the known entries."""
    seen = ~np.isnan(known)
    return float(-np.log(np.where(known[seen] > 0, P[seen], 1 - P[seen])).mean())


def stack(tables, known):
    """Return the weighted mean of probabilities with the least out-of-fold log loss."""
    P = np.stack(tables)
    found = minimize(lambda w: compute_loss(np.tensordot(softmax(w), P, 1), known), np.zeros(len(P)), method="Powell")
    return np.tensordot(softmax(found.x), P, 1)


def measure(name, kind):
    """Return the Brier scores of all methods on one table; "chosen" has the least out-of-fold loss."""
    X, labels = load_frequent(name, ITEMS[kind], 0)
    truth = labels.values(unknown=0.0)[:, :5]
    known, hidden = hide(truth, kind)
    usable = [j for j in range(truth.shape[1]) if {0, 1} <= set(known[:, j])]
    truth, known, hidden = truth[:, usable], known[:, usable], hidden[:, usable]
    full = X if sparse.issparse(X) else np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    found = {}
    for method, classifiers in list_settings().items():
        ways = {"chain": method == "chain", "others": kind == "entries"}
        tables = [predict(classifier, full, known, **ways) for classifier in classifiers]
        found[method] = min(tables, key=lambda P: compute_loss(P, known))
    chosen = min(found.values(), key=lambda P: compute_loss(P, known))
    found |= {"chosen": chosen, "stack": stack(list(found.values()), known)}
    if kind == "tags":
        found = {method: np.minimum(P / RATE, 1) for method, P in found.items()}
        filled = hl.complete(X, PartialLabels.from_positives(known), observed_rate=RATE)
    else:
        filled = hl.complete(X, known)
    found["default"] = np.asarray(filled.probabilities)
    briers = {method: float(((P - truth)[hidden] ** 2).mean()) for method, P in found.items()}
    return briers | {"best": min(briers[method] for method in METHODS)}


def main():
    """Measure each set, and print the Brier score of the default relative to the others."""
    options = make_parser(__doc__, SETS).parse_args()
    with use_one_thread():
        table = pd.DataFrame([{"set": s, "kind": kind} | measure(s, kind) for s in options.sets for kind in ITEMS])
    rivals = table[[*METHODS, "chosen", "stack", "best"]]
    ratios = (1 / rivals.div(table["default"], axis=0)).groupby(table["kind"])
    print(table.round(4).to_string(), ratios.mean().round(3).to_string(), ratios.max().round(3).to_string(), sep="\n\n")


if __name__ == "__main__":
    main()
