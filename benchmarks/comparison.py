"""The same half-labelled table, completed by what a reader would pick instead: accuracy, seconds, lines of code.

Every method is a function from features and labels (NaN is unknown) to probabilities, written as its users write it;
its lines are counted from this file. Two kinds of gap: most items have no label, or single entries are missing.
The features are standardised for all methods, except words. No set was used to choose anything here; the ensemble of
halflabel chose its settings on medical, yeast, scene, gnegativego and enron (see auto_singles.py).

scikit-multilearn's row needs scikit-multilearn-ng, LightGBM's needs lightgbm; a method
that cannot be imported, or that cannot fit the table, is a row without figures and with the reason.

    python benchmarks/comparison.py [--sets emotions yeast] [--items 1000] [--repeats 1] [--log comparison.csv]
"""

from __future__ import annotations

import inspect
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
from scipy import sparse
from sklearn.preprocessing import StandardScaler

import halflabel as hl
from halflabel.datasets import load_digits_tags
from halflabel.labels.metrics import brier, ece, micro_f1

SETS = ("digits", "emotions", "scene", "yeast", "medical")
GAPS = {"5 % of items": ("items", 0.05), "20 % of items": ("items", 0.2), "50 % of entries": ("entries", 0.5)}


# -- what a reader would write ---------------------------------------------------------------------------------------


def complete_halflabel(X, Y):
    """Return the probabilities of halflabel's default."""
    return hl.complete(X, Y).probabilities


def complete_halflabel_fast(X, Y):
    """Return the probabilities of halflabel with the least effort."""
    return hl.complete(X, Y, effort="fast").probabilities


def complete_label_spreading(X, Y):
    """Return scikit-learn's LabelSpreading, one label at a time."""
    from sklearn.semi_supervised import LabelSpreading

    P = np.empty(Y.shape)
    for j, y in enumerate(Y.T):
        known = np.where(np.isnan(y), -1, y).astype(int)
        model = LabelSpreading(kernel="knn", n_neighbors=10).fit(X, known)
        distribution = np.nan_to_num(model.label_distributions_, nan=0.5)
        P[:, j] = distribution[:, 1] if len(model.classes_) == 2 else model.classes_[0]
    return P


def complete_self_training(X, Y):
    """Return scikit-learn's SelfTrainingClassifier around a logistic regression, one label at a time."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.semi_supervised import SelfTrainingClassifier

    P = np.empty(Y.shape)
    for j, y in enumerate(Y.T):
        known = np.where(np.isnan(y), -1, y).astype(int)
        if len(set(known) - {-1}) < 2:
            P[:, j] = known.max()
            continue
        model = SelfTrainingClassifier(LogisticRegression(max_iter=1000), threshold=0.9).fit(X, known)
        P[:, j] = model.predict_proba(X)[:, 1]
    return P


def complete_per_label(model, X, Y):
    """Return the probabilities of one classifier per label, fitted on the items whose label is observed."""
    from sklearn.base import clone

    P = np.empty(Y.shape)
    for j, y in enumerate(Y.T):
        rows = ~np.isnan(y)
        if len(set(y[rows])) < 2:
            P[:, j] = y[rows].max(initial=0)
            continue
        P[:, j] = clone(model).fit(X[rows], y[rows].astype(int)).predict_proba(X)[:, 1]
    return P


def complete_logistic(X, Y):
    """Return one logistic regression per label, C chosen by cross-validation."""
    from sklearn.linear_model import LogisticRegressionCV

    return complete_per_label(
        LogisticRegressionCV(Cs=[0.01, 0.1, 1, 10], cv=3, max_iter=1000, scoring="neg_log_loss"), X, Y
    )


def complete_trees(X, Y):
    """Return scikit-learn's ExtraTrees, one forest per label."""
    from sklearn.ensemble import ExtraTreesClassifier

    return complete_per_label(ExtraTreesClassifier(200, min_samples_leaf=2, random_state=0), X, Y)


def complete_lightgbm(X, Y):
    """Return LightGBM with its defaults, one model per label."""
    from lightgbm import LGBMClassifier

    return complete_per_label(LGBMClassifier(verbose=-1, n_jobs=1, random_state=0), X, Y)


def complete_imputer(X, Y):
    """Return scikit-learn's IterativeImputer: labels are further columns with gaps."""
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    imputer = IterativeImputer(min_value=0, max_value=1, max_iter=5, random_state=0, keep_empty_features=True)
    return imputer.fit_transform(np.hstack([X, Y]))[:, X.shape[1] :]


def complete_multilearn(X, Y):
    """Return scikit-multilearn's MLkNN, fitted on the items whose labels are all observed."""
    from skmultilearn.adapt import MLkNN

    rows = ~np.isnan(Y).any(axis=1)
    return MLkNN(k=10).fit(X[rows], Y[rows].astype(int)).predict_proba(X).toarray()


#: The name of a row, its function, and what remains for its user to do.
METHODS = {
    "halflabel": (complete_halflabel, ""),
    'halflabel, effort="fast"': (complete_halflabel_fast, ""),
    "LabelSpreading": (complete_label_spreading, "calibration, thresholds, new items"),
    "SelfTrainingClassifier": (complete_self_training, "calibration, thresholds"),
    "LogisticRegressionCV per label": (complete_logistic, "calibration, thresholds, the item's other labels"),
    "ExtraTrees per label": (complete_trees, "calibration, thresholds, the item's other labels"),
    "LightGBM per label": (complete_lightgbm, "calibration, thresholds, the item's other labels"),
    "IterativeImputer": (complete_imputer, "probabilities, thresholds, sparse features"),
    "scikit-multilearn MLkNN": (complete_multilearn, "every item with a gap, calibration, thresholds"),
}


# -- measuring -------------------------------------------------------------------------------------------------------


def count_lines(function):
    """Return the number of lines that a user writes, without docstring and blank lines."""
    own = [line for line in inspect.getsource(function).splitlines() if line.strip()][2:]
    shared = "complete_per_label" in inspect.getsource(function) and function is not complete_per_label
    return len(own) + (count_lines(complete_per_label) if shared else 0)


def load(name, items, seed):
    """Return standardised features (words stay sparse counts) and labels."""
    if name == "digits":
        data = load_digits_tags()
        rows = np.sort(np.random.default_rng(seed).choice(len(data.Y), min(items, len(data.Y)), replace=False))
        X, Y = data.X[rows], data.Y[rows]
    else:
        X, Y = load_frequent(name, items, seed)
    return (X if sparse.issparse(X) else StandardScaler().fit_transform(X)), Y


def hide(Y, kind, share, seed):
    """Return the known and the hidden labels."""
    rng = np.random.default_rng(100 + seed)
    if kind == "items":
        return split_labels(Y, choose_unlabelled(len(Y), share, rng))
    known = Y.hide(rng.random(Y.shape) >= share)
    return known, Y.hide(known.observed)


def measure(function, X, known, hidden):
    """Return the figures of one method on one table, or the reason why there are none."""
    try:
        seconds, P = time_cpu(lambda: np.asarray(function(X, known.values(unknown=np.nan)), dtype=float))
    except Exception as error:  # a rival that cannot do the task is a result
        return {"reason": f"{type(error).__name__}: {str(error).splitlines()[0][:80]}"}
    P = np.clip(P, 0, 1)
    return {
        "micro_f1": micro_f1(hidden, P >= 0.5),
        "brier": brier(hidden, P),
        "ece": ece(hidden, P),
        "seconds": seconds,
    }


def main():
    """Measure what the log lacks, and print one table per kind of gap."""
    parser = make_parser(__doc__, SETS, repeats=1)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--log", type=Path, default=Path("comparison.csv"))
    options = parser.parse_args()
    done = read_records(options.log)
    keys = set(map(tuple, done[["set", "gap", "repeat", "method"]].to_numpy().tolist())) if len(done) else set()
    with use_one_thread():
        for name in options.sets:
            for repeat in range(options.repeats):
                X, Y = load(name, options.items, repeat)
                for gap, (kind, share) in GAPS.items():
                    known, hidden = hide(Y, kind, share, repeat)
                    for method, (function, _) in METHODS.items():
                        key = {"set": name, "gap": gap, "repeat": repeat, "method": method}
                        if tuple(key.values()) not in keys:
                            blank = {"micro_f1": None, "brier": None, "ece": None, "seconds": None, "reason": ""}
                            append_record(key | blank | measure(function, X, known, hidden), options.log)
    print_tables(read_records(options.log))


def print_tables(records):
    """Print one table per kind of gap in Markdown, as on the page, and the reasons of cells without figures."""
    for gap in GAPS:
        here = records[records["gap"] == gap]
        per_set = here.pivot_table(index="method", columns="set", values="brier", sort=False, dropna=False)
        means = here.groupby("method", sort=False)[["micro_f1", "ece", "seconds"]].mean()
        means.loc[per_set.isna().any(axis=1), ["micro_f1", "ece", "seconds"]] = np.nan  # not of the same sets
        print(f"\n{gap} are {'labelled' if 'items' in gap else 'observed'}\n")
        print(f"| | {' | '.join(map(str, per_set))} | micro-F1 | ECE | CPU s | lines |")
        print(f"|---{'|--:' * (per_set.shape[1] + 4)}|")
        for method, row in per_set.iterrows():
            briers = [mark_best(value, per_set[name].min()) for name, value in row.items()]
            f1, error, seconds = means.loc[method]
            lines = count_lines(METHODS[method][0])
            print(f"| {' | '.join([method, *briers, decimal(f1), decimal(error), decimal(seconds, 1)])} | {lines} |")
    for method, reason in records[["method", "reason"]].dropna().drop_duplicates().to_numpy():
        print(f"\n{method}: {reason}")


def decimal(value, digits=3):
    """Return a number in the form of the page, or a dash."""
    return "–" if np.isnan(value) else f"{value:.{digits}f}".removeprefix("0" if digits == 3 else "")


def mark_best(value, best):
    """Return a Brier score, bold if it is the lowest of its set as printed."""
    return f"**{decimal(value)}**" if decimal(value) == decimal(best) else decimal(value)


if __name__ == "__main__":
    main()
