"""AutoLabeler compared with tuned single methods: the Brier score on hidden items.

Protocol: at most 800 random items (the 15 most frequent labels with at least 12 relevant items), of which a random
share keeps its labels. The single methods use the features with the weights of AutoLabeler and the same folds:
extremely randomised trees (sqrt, 10 % or 30 % of the features at a node) and logistic regression (C of .1, 1, 10 or
100, one for all labels), each chosen by its out-of-fold score and calibrated by Platt scaling on out-of-fold scores.
The settings of the ensemble were chosen on the sets of ``CHOSEN_ON``; the other sets were not used for tuning.

LightGBM (7 or 31 leaves) is a third one where it is installed, on sets with fewer than 800 features. Each result is
written to a log at once, so that an interrupted run continues.

    python benchmarks/auto_singles.py [--sets medical ohsumed] [--shares 0.1 0.3 0.5] [--repeats 1] [--log singles.csv]
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
from _common import (
    append_record,
    choose_unlabelled,
    load_frequent,
    make_parser,
    read_records,
    split_labels,
    time_cpu,
    use_one_thread,
)
from auto_methods import weight_features
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression

from halflabel import AutoLabeler
from halflabel.labels.calibration import fit_platt
from halflabel.labels.metrics import brier

CHOSEN_ON = ("gnegativego", "medical", "yeast", "scene", "enron")
REPORTED_ON = ("ohsumed", "langlog", "emotions", "msrc", "yahoo-arts", "corel5k", "yahoo-science")


def fit_trees(X, Y, max_features):
    """Return a function from items to scores: 200 trees."""
    model = ExtraTreesRegressor(200, max_features=max_features, min_samples_leaf=2, random_state=0).fit(X, Y)
    return lambda new: model.predict(new).reshape(new.shape[0], -1)


def fit_logistic(X, Y, C):
    """Return a function from items to scores: one regression per label, the rate for a label with one value."""

    def fit_label(y):
        if y.min() == y.max():
            return lambda new: np.full(new.shape[0], -9.0 if y[0] == 0 else 9.0)
        return LogisticRegression(C=C, max_iter=300).fit(X, y).decision_function

    models = [fit_label(y) for y in Y.T]
    return lambda new: np.column_stack([model(new) for model in models])


def fit_boosting(X, Y, n_leaves):
    """Return a function from items to scores: LightGBM per label, the rate for a label with one value."""
    from lightgbm import LGBMClassifier

    def fit_label(y):
        if y.min() == y.max():
            return lambda new: np.full(new.shape[0], -9.0 if y[0] == 0 else 9.0)
        model = LGBMClassifier(
            n_estimators=60, learning_rate=0.1, num_leaves=n_leaves, min_child_samples=5, n_jobs=1, verbose=-1
        )
        model.fit(X, y.astype(int))
        return lambda new: model.predict(new, raw_score=True)

    models = [fit_label(y) for y in Y.T]
    return lambda new: np.column_stack([model(new) for model in models])


#: Per method: the fit, and the settings that are compared.
SINGLES = {"trees": (fit_trees, ("sqrt", 0.1, 0.3)), "logistic": (fit_logistic, (0.1, 1.0, 10.0, 100.0))}
if find_spec("lightgbm"):
    SINGLES["boosting"] = (fit_boosting, (7, 31))

#: Maximum number of features for boosting, whose time grows with it.
MAX_FEATURES = 800


def predict_single(fit, settings, X, known, folds):
    """Return the calibrated probabilities of a single method with its best setting."""
    rows = np.flatnonzero(folds >= 0)
    Y, labelled = known.values(unknown=0.0)[rows], known[rows]
    best = None
    for setting in settings:
        scores = np.full(known.shape, np.nan)
        for fold in np.unique(folds[rows]):
            out = folds == fold
            scores[out] = fit(X[rows[~out[rows]]], Y[~out[rows]], setting)(X[out])
        platt = fit_platt(scores[rows], labelled)
        error = brier(labelled, platt(scores[rows]))
        if best is None or error < best[0]:
            best = error, setting, platt
    _, setting, platt = best
    return platt(fit(X[rows], Y, setting)(X))


def measure(name, share, seed):
    """Return the record of one cell."""
    X, labels = load_frequent(name, 800, seed)
    known, hidden = split_labels(labels, choose_unlabelled(len(labels), share, np.random.default_rng(seed)))
    model = AutoLabeler()
    seconds, _ = time_cpu(lambda: model.fit(X, known))
    Z = weight_features(X)
    record = {"set": name, "share": share, "seed": seed, "auto": brier(hidden, model.label_probabilities_)}
    rivals = {
        method: np.nan
        if method == "boosting" and X.shape[1] >= MAX_FEATURES
        else brier(hidden, predict_single(fit, settings, Z, known, model.folds_))
        for method, (fit, settings) in SINGLES.items()
    }
    return record | rivals | {"auto / best": record["auto"] / np.nanmin(list(rivals.values())), "CPU s": seconds}


def measure_missing(options):
    """Measure the cells that the log does not hold, and return all of its records."""
    done = read_records(options.log)
    done = set() if done.empty else set(zip(done["set"], done["share"], done["seed"], strict=True))
    for name in options.sets:
        for share in options.shares:
            for seed in range(options.repeats):
                if (name, share, seed) not in done:
                    record = measure(name, share, seed)
                    append_record(record, options.log)
                    print(*(f"{v:.4f}" if isinstance(v, float) else v for v in record.values()), flush=True)
    return read_records(options.log)


def main():
    """Print every record, and the ratio to the best single method, apart for sets not used for tuning."""
    parser = make_parser(__doc__, (*CHOSEN_ON, *REPORTED_ON), 1)
    parser.add_argument("--shares", nargs="+", type=float, default=[0.1, 0.3, 0.5])
    parser.add_argument("--log", type=Path, default=Path("auto_singles.csv"), help="file of the records")
    with use_one_thread():
        table = measure_missing(parser.parse_args())
    chosen = table["set"].isin(CHOSEN_ON)
    for title, part in (("chosen on", table[chosen]), ("reported on", table[~chosen])):
        ratio = part["auto / best"]
        print(f"{title}: {len(part)} cells, auto / best single: mean {ratio.mean():.3f}, worst {ratio.max():.3f}")


if __name__ == "__main__":
    main()
