"""AutoLabeler of this version and of an earlier one, and calibrated rivals: Brier score and CPU seconds by cell.

A cell is a public set (at most 1 200 random items, the 12 most frequent labels that at least 12 items have), a share of
labelled items, and a kind of gap: "items" without labels, single "entries" of which half are hidden (at most 600
items), or "tags": positive-only labels, where 40 % of the items are annotated and 40 % of their tags are missing.
Settings of the ensemble were chosen on the sets of CHOSE; the sets of REPORT chose nothing.

Each rival is fitted as its users fit it, on the feature weights of AutoLabeler, and calibrated by the Platt scaling of
AutoLabeler on its own out-of-fold scores, under the label frequency for positive-only labels. For single entries, the
known other labels of an item are further features of one model per label, with the label's rate in their gaps, or a gap
where the rival accepts one. "mean of rivals" is the mean of their log odds.
Methods of one version run in one process of one thread with the sources of this version:

    python benchmarks/versions.py --before OLD/src --out cells.csv [--sets scene] [--kinds items entries tags]
    python benchmarks/versions.py --summary cells.csv         print the tables without a run
"""

from __future__ import annotations

import json
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _common import FOLDER, append_record, make_parser, read_records, run_alone, time_cpu, use_one_thread
from auto_methods import weight_features
from rivals import make_lightgbm
from scipy import sparse
from scipy.special import expit, logit
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsRegressor

from halflabel import AutoLabeler, PartialLabels
from halflabel._arrays import is_sparse
from halflabel.files.mulan import read_mulan
from halflabel.labels.calibration import fit_platt
from halflabel.labels.metrics import brier
from halflabel.labels.positive_only import mark_unassigned
from halflabel.methods.auto.features import has_word_features
from halflabel.methods.model_selection import folds_of_labelled

CHOSE = ("emotions", "scene", "enron", "msrc", "thyroid7")
REPORT = ("yeast", "yahoo-arts", "corel5k", "steel-faults", "medical", "gnegativego", "ohsumed", "boardgames")
CELL = ["set", "kind", "share", "seed"]
TAGS_KEPT = 0.6  # c, the label frequency of positive-only labels
EFFORTS = ("fast", "default", "best")
RIVALS = {
    "logistic": partial(LogisticRegression, max_iter=1000),
    "knn": partial(KNeighborsRegressor, 15),
    "extratrees": partial(ExtraTreesRegressor, 200, max_features="sqrt", min_samples_leaf=2, random_state=0),
    "lightgbm": make_lightgbm,
    "histboosting": partial(HistGradientBoostingClassifier, random_state=0),  # dense features only
}


# -- cells -----------------------------------------------------------------------------


def load(name):
    """Return the features of a public set as numbers, and its labels: words as columns of 0 and 1, gaps as medians."""
    parts = [read_mulan(path) for path in sorted((FOLDER / name).glob("*.arff.gz"))]
    whole = [part for part in parts if "-train" not in part.source and "-test" not in part.source] or parts
    raw, frame = whole[0], pd.concat([part.frame for part in whole], ignore_index=True)
    labels = PartialLabels.from_table(frame[list(raw.label_names)])
    if raw.matrix is not None and not len(frame.columns.difference(raw.label_names)):
        return stack([part.matrix for part in whole]), labels
    features = pd.get_dummies(frame.drop(columns=list(raw.label_names)), dtype=float).astype(float)
    columns = features.fillna(features.median()).to_numpy()
    return (columns if raw.matrix is None else np.hstack([stack([part.matrix for part in whole]), columns])), labels


def stack(matrices):
    """Return matrices below each other."""
    return sparse.vstack(matrices, format="csr") if is_sparse(matrices[0]) else np.vstack(matrices)


def make_cell(name, kind, share, seed):
    """Return features, known and hidden labels of a cell."""
    X, labels = load(name)
    rng = np.random.default_rng([seed, round(100 * share)])
    rows = np.sort(rng.permutation(len(labels))[: 600 if kind == "entries" else 1200])
    state, annotated = labels.state[rows], labels.annotated[rows]
    count = (state > 0).sum(axis=0)
    columns = np.sort(np.argsort(-count, kind="stable")[:12])
    columns = columns[count[columns] >= 12]
    labels = PartialLabels(state[:, columns], tuple(labels.names[j] for j in columns), annotated)
    shape = labels.shape if kind == "entries" else (len(rows), 1)
    hidden = np.broadcast_to(rng.random(shape) >= share, labels.shape)
    if kind != "tags":
        return X[rows], labels.hide(hidden), labels.hide(~hidden)
    tags = (labels.relevant & ~hidden & (rng.random(labels.shape) < TAGS_KEPT)).astype(np.int8)
    known = PartialLabels(tags, labels.names, ~hidden[:, 0], True)
    return X[rows], known, labels.hide(~hidden)


# -- methods ---------------------------------------------------------------------------


def predict_auto(effort, X, known):
    """Return the probabilities of AutoLabeler."""
    rate = TAGS_KEPT if known.positive_only else None
    return AutoLabeler(effort, observed_rate=rate).fit(X, known).label_probabilities_


def predict_rival(make, X, known):
    """Return the calibrated probabilities of a rival. For positive-only labels, it learns which are assigned."""
    ceiling = TAGS_KEPT if known.positive_only else 1.0
    known = mark_unassigned(known) if known.positive_only else known
    X, labelled = weight_features(X), np.flatnonzero(~known.unlabelled)
    fold = folds_of_labelled(known, 5, np.random.default_rng(0))[labelled]
    score = score_items if known.observed[labelled].all() else score_entries
    held_out = np.full(known.shape, np.nan)
    for number in range(5):
        inside, outside = labelled[fold == number], labelled[fold != number]
        held_out[inside] = score(make, X, known, outside, inside)
    scores = score(make, X, known, labelled, np.arange(len(known)))
    return fit_platt(held_out, known, ceiling=ceiling)(scores)


def score_items(make, X, known, rows, new):
    """Return log odds of new rows: by one model of all labels where there is one, else by one model per label."""
    relevant = known.relevant[rows]
    if hasattr(make(), "predict_proba"):
        return np.column_stack([score_label(make, X[rows], each, X[new]) for each in relevant.T])
    p = make().fit(X[rows], relevant.astype(float)).predict(X[new])
    return logit(np.clip(p, 1e-3, 1 - 1e-3))


def score_entries(make, X, known, rows, new):
    """Return log odds of new rows by one model per label, on the features and the known other labels of an item."""
    values = np.where(known.observed, known.relevant, np.nan if "LGBM" in repr(make()) else known.rates)
    weight = np.sqrt(np.square(X.data if is_sparse(X) else X).sum() / len(known) / known.shape[1])  # as of all features
    columns = (values - known.rates) * weight / np.maximum(np.sqrt(known.rates * (1 - known.rates)), 1e-6)
    scores = np.empty((len(new), known.shape[1]))
    for j in range(known.shape[1]):
        others = np.delete(columns, j, axis=1)
        both = sparse.csr_array(sparse.hstack([X, others])) if is_sparse(X) else np.hstack([X, others])
        fitted = rows[known.observed[rows, j]]
        scores[:, j] = score_label(make, both[fitted], known.relevant[fitted, j], both[new])
    return scores


def score_label(make, X, relevant, new):
    """Return the log odds of one label by a model of its own."""
    if relevant.all() or not relevant.any():
        p = np.full(new.shape[0], relevant.mean() if len(relevant) else 0.5)
    else:
        model = make().fit(X, relevant.astype(float))
        p = model.predict_proba(new)[:, 1] if hasattr(model, "predict_proba") else model.predict(new)
    return logit(np.clip(p, 1e-3, 1 - 1e-3))


def measure(name, kind, share, seed, methods):
    """Yield the Brier score and the CPU seconds of each method of a cell."""
    X, known, hidden = make_cell(name, kind, share, seed)
    if is_sparse(X):
        methods = [method for method in methods if method != "histboosting"]
    of_rivals = []
    for method in methods:
        with use_one_thread():
            if method in RIVALS:
                seconds, p = time_cpu(lambda method=method: predict_rival(RIVALS[method], X, known))
                of_rivals.append(logit(p))
            else:
                effort = method.removesuffix(" before")
                seconds, p = time_cpu(lambda effort=effort: predict_auto(effort, X, known))
        yield {"method": method, "brier": brier(hidden, p), "cpu_s": seconds, "words": has_word_features(X)}
    if len(of_rivals) > 1:
        yield {"method": "mean of rivals", "brier": brier(hidden, expit(np.mean(of_rivals, axis=0))), "cpu_s": np.nan}


# -- tables ----------------------------------------------------------------------------


def summarise(records):
    """Print Brier scores and seconds relative to the earlier version, and Brier scores relative to the best rival."""
    table = records.pivot_table(index=CELL, columns="method", values="brier", sort=False)
    seconds = records.pivot_table(index=CELL, columns="method", values="cpu_s", sort=False)
    names = [name for name in table if name in RIVALS or name == "mean of rivals"]
    own = [name for name in table if name not in names]
    group = np.where(table.index.get_level_values("set").isin(CHOSE), "chose", "report")
    keys = [table.index.get_level_values("kind"), group]
    if "default before" in table:
        ratio = table[own].div(table["default before"], axis=0)
        print("Brier score relative to the earlier default\n", ratio.round(3).to_string())
        print("CPU seconds\n", seconds.round(2).to_string())
        print(ratio.groupby(keys).agg(["mean", "max"]).round(4).to_string())
        print("CPU relative to the earlier default, sums of cells")
        print(seconds[own].sum().div(seconds["default before"].sum()).round(3).to_string())
    if names:
        best = table[own].div(table[names].min(axis=1), axis=0).dropna()
        print("Brier score relative to the best rival, chosen on the hidden labels\n", best.round(3).to_string())
        print(best.groupby([best.index.get_level_values("kind")]).agg(["mean", "max"]).round(4).to_string())


def main():
    """Run the cells that are not in the file, then print the tables."""
    parser = make_parser(__doc__, sets=(*CHOSE, *REPORT))
    parser.add_argument("--kinds", nargs="+", default=["items"], choices=["items", "entries", "tags"])
    parser.add_argument("--shares", nargs="+", type=float, default=[0.1, 0.4], help="for items; others have .5 and .4")
    parser.add_argument("--seed", type=int, default=9777)
    parser.add_argument("--methods", nargs="+", default=["default"], choices=[*EFFORTS, *RIVALS])
    parser.add_argument("--before", type=Path, help="source folder of an earlier version")
    parser.add_argument("--out", type=Path, default="cells.csv", help="records; those in it are not run again")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="print the tables of such a file and stop")
    parser.add_argument("--cell", help="used by the processes of this script")
    options = parser.parse_args()
    if options.summary:
        return summarise(pd.read_csv(options.summary))
    if options.cell:
        warnings.simplefilter("ignore")
        for record in measure(**json.loads(options.cell)):
            print(json.dumps(record, default=bool))
        return None
    code = str(Path(__file__).parents[1] / "src")
    plan = {code: options.methods} | ({str(options.before): ["default before"]} if options.before else {})
    for name, kind in ((name, kind) for name in options.sets for kind in options.kinds):
        for share in {"items": options.shares, "entries": [0.5], "tags": [0.4]}[kind]:
            cell = {"set": name, "kind": kind, "share": share, "seed": options.seed}
            done = read_records(options.out)
            done = set(done.merge(pd.DataFrame([cell]))["method"]) if len(done) else set()
            for source, methods in plan.items():
                given = {"name": name, **{key: cell[key] for key in CELL[1:]}}
                given["methods"] = [method for method in methods if method not in done]
                run = run_alone(__file__, "--cell", json.dumps(given), code=source, check=False)
                if run.returncode:
                    sys.exit(run.stderr)
                for line in run.stdout.splitlines():
                    print(cell, line, flush=True)
                    append_record(cell | json.loads(line), options.out)
    return summarise(read_records(options.out))


if __name__ == "__main__":
    main()
