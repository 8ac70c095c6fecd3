"""Accuracy of AutoLabeler for unlabelled items, compared with its members and with other methods.

Protocol: a random share of the items keeps all its labels; the other items lose theirs and are scored. In each repeat,
1 500 random items of tmc2007-500 and of corel5k are used. corel5k keeps its 30 most frequent labels and the items that
have one of them; enron keeps the labels with at least 9 relevant items. With ``--biased`` the gaps depend on X: the
probability that an item is labelled is a logistic function of its first principal component (of the features with the
weights of AutoLabeler). Its slope makes the odds at the 90th percentile ten times those at the 10th, and its level
gives the same share.

Every method (``auto_methods.py``) uses its default threshold rule. "macro_f1, own rule" uses thresholds for macro-F1 on
the same probabilities. "filled at .95" is the share of the hidden entries that ``min_precision=.95`` fills in, "right
of these" the precision that is reached; "relevant at .95" and "right of relevant" are the same for the values that are
filled in as relevant.

    python benchmarks/auto_accuracy.py [--sets yeast scene] [--shares 0.1 0.5] [--repeats 5] [--methods auto logistic]
    python benchmarks/auto_accuracy.py --biased --out records.csv     append to a file, skip the records in it
    python benchmarks/auto_accuracy.py --summary records.csv          print the tables without a run
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from _common import (
    append_record,
    choose_unlabelled,
    load_set,
    make_parser,
    read_records,
    split_labels,
    time_cpu,
    use_one_thread,
)
from auto_methods import ENSEMBLES, METHODS, missing_package, weight_features
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.decomposition import PCA

from halflabel import PartialLabels
from halflabel.labels.calibration import fill_confident, thresholds
from halflabel.labels.metrics import brier, ece, macro_f1, micro_f1

SETS = ("yeast", "scene", "emotions", "tmc2007-500", "corel5k", "enron")
CELL = ["set", "gaps", "share"]


#: The sets of which a random subset is used.
SUBSETS = ("tmc2007-500", "corel5k")


def load(name):
    """Return the features and labels of a set according to the protocol."""
    data = load_set(name)
    X, labels = data.X, data.Y
    count = labels.relevant.sum(axis=0)
    if name == "corel5k":
        columns = np.sort(np.argsort(-count, kind="stable")[:30])
    else:
        columns = np.flatnonzero(count >= 9) if name == "enron" else np.arange(len(count))
    rows = np.flatnonzero(labels.relevant[:, columns].any(axis=1)) if name == "corel5k" else np.arange(len(labels))
    names = tuple(labels.names[j] for j in columns)
    return X[rows], PartialLabels(labels.state[np.ix_(rows, columns)], names, labels.annotated[rows])


def sample(X, labels, share, seed, max_items, biased=False):
    """Return a random subset, its known and its hidden labels."""
    rng, n = np.random.default_rng(seed), len(labels)
    rows = np.arange(n) if n <= max_items else np.sort(rng.choice(n, max_items, replace=False))
    X, labels = X[rows], labels[rows]
    choose = choose_by_features if biased else choose_unlabelled
    return X, *split_labels(labels, choose(X if biased else len(rows), share, rng))


def choose_by_features(X, share, rng):
    """Return the mask of unlabelled items; more items are labelled at one end of the first principal component."""
    along = PCA(1, svd_solver="arpack", random_state=0).fit_transform(weight_features(X))[:, 0]
    slope = np.log(10) / np.subtract(*np.quantile(along, [0.9, 0.1]))
    level = brentq(lambda level: expit(level + slope * along).mean() - share, -50, 50)
    return rng.random(len(along)) >= expit(level + slope * along)


def score(model, known, hidden):
    """Return the metrics on the hidden entries."""
    p = model.label_probabilities_
    open_cells = np.where(known.observed, np.nan, p)
    per_label = thresholds(open_cells, "macro_f1")
    sure = fill_confident(open_cells, 0.95)
    right, filled, relevant = sure == hidden.state, (sure != 0) & hidden.observed, (sure > 0) & hidden.observed
    return {
        "micro_f1": micro_f1(hidden, model.transduction_),
        "macro_f1": macro_f1(hidden, model.transduction_),
        "macro_f1, own rule": macro_f1(hidden, (p >= per_label).astype(int)),
        "brier": brier(hidden, p),
        "ece": ece(hidden, p),
        "filled at .95": filled.sum() / hidden.observed.sum(),
        "right of these": right[filled].mean() if filled.any() else np.nan,
        "relevant at .95": relevant.sum() / hidden.observed.sum(),
        "right of relevant": right[relevant].mean() if relevant.any() else np.nan,
    }


def measure(options, done):
    """Yield one record per cell, repeat and method that is not in ``done``."""
    gaps = "biased" if options.biased else "random"
    for name in options.sets:
        X, labels = load(name)
        max_items = options.items if name in SUBSETS else len(labels)
        for share in options.shares:
            for seed in range(options.first_seed, options.first_seed + options.repeats):
                Z, known, hidden = sample(X, labels, share, seed, max_items, options.biased)
                for method in options.methods:
                    key = {"set": name, "gaps": gaps, "share": share, "seed": seed, "method": method}
                    if tuple(key.values()) not in done:
                        yield key | fit_and_score(method, Z, known, hidden)


def fit_and_score(method, X, known, hidden):
    """Return the metrics of a method and its CPU seconds."""
    with use_one_thread():
        seconds, model = time_cpu(lambda: METHODS[method](X, known))
    return {**score(model, known, hidden), "cpu_s": seconds}


def compare_with_single(records, auto="auto"):
    """Return, per cell, the ratio of the Brier score of an ensemble to that of the best single method.

    The best method is chosen on the hidden labels. A method is compared on the repeats that it was run on; "se" is the
    standard error of the mean difference over repeats, in units of the ratio.
    """
    rows = {}
    for cell, part in records.groupby(CELL, sort=False):
        by_seed = part.pivot(index="seed", columns="method", values="brier")
        single = by_seed.drop(columns=["auto", *ENSEMBLES], errors="ignore")
        if not len(single.columns):
            continue
        ours = single.notna().mul(by_seed[auto], axis=0).where(single.notna())
        difference = (ours - single).dropna(how="all")
        ratio = (ours.mean() / single.where(ours.notna()).mean()).sort_values(ascending=False)
        best = ratio.index[0]
        rows[cell] = {
            auto: ours[best].mean(),
            "best single": best,
            "its brier": ours[best].mean() - difference[best].mean(),
            "ratio": ratio.iloc[0],
            "se": difference[best].sem() / single[best].mean(),
            "repeats": difference[best].count(),
            "next": ", ".join(f"{method} {value:.4f}" for method, value in ratio.iloc[1:3].items()),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(CELL) if rows else pd.DataFrame()


def summarise(records):
    """Print one table per cell, then the comparison with single methods, calibration and precision."""
    metrics = [column for column in records if column not in (*CELL, "seed", "method")]
    for (name, gaps, share), part in records.groupby(CELL, sort=False):
        by_method = part.groupby("method", sort=False)
        print(f"\n{name}, {share:.0%} labelled, {gaps} gaps, means of the repeats")
        print(by_method[metrics].mean().assign(repeats=by_method.size()).round(4).to_string())
        if "auto" in by_method.groups and part["seed"].nunique() > 1:
            print("sd of auto:", by_method.get_group("auto")[metrics].std().round(4).to_dict())
    for auto in ("auto", "auto, plain"):
        cells = records.loc[records["method"] == auto, CELL].drop_duplicates()
        ratios = compare_with_single(records.merge(cells), auto)
        if not len(ratios):
            continue
        print(
            f"\nBrier score of {auto} divided by that of the best single method, which is chosen on the hidden labels"
        )
        print(ratios.round(4).to_string())
        for gaps, part in ratios["ratio"].groupby(level="gaps"):
            worst = part.idxmax()
            print(f"{gaps} gaps: mean {part.mean():.4f}, worst {part.max():.4f} ({worst[0]}, {worst[2]:.0%} labelled)")
    tables = {"ece": records.pivot_table(index=CELL, columns="method", values="ece", sort=False)}
    for what, right in (("filled at .95", "right of these"), ("relevant at .95", "right of relevant")):
        count = records.pivot_table(index=CELL, columns="method", values=what, sort=False)
        good = records.assign(good=(records[what] * records[right]).fillna(0.0))
        tables |= {
            f"{right}, all repeats together": good.pivot_table("good", CELL, "method", sort=False) / count,
            what: count,
        }
    for title, table in tables.items():
        print(f"\n{title}")
        print(table.round(4).to_string())


def main():
    """Run the cells that are not in the file, then print the tables."""
    parser = make_parser(__doc__, sets=SETS, repeats=5)
    parser.add_argument("--shares", nargs="+", type=float, default=[0.1, 0.5])
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--items", type=int, default=1500, help=f"size of the subsets of {' and '.join(SUBSETS)}")
    parser.add_argument("--biased", action="store_true", help="the gaps depend on X")
    parser.add_argument("--out", type=Path, help="CSV file of records; those in it are not run again")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="print the tables of such a file and stop")
    options = parser.parse_args()
    if options.summary:
        return summarise(pd.read_csv(options.summary))
    for reason in filter(None, map(missing_package, options.methods)):
        print(reason)
    options.methods = [method for method in options.methods if not missing_package(method)]
    before = read_records(options.out)
    done = set(before[[*CELL, "seed", "method"]].itertuples(index=False, name=None)) if len(before) else set()
    records = []
    for record in measure(options, done):
        records.append(record)
        if options.out:
            append_record(record, options.out)
    summarise(pd.concat([before, pd.DataFrame(records)], ignore_index=True))


if __name__ == "__main__":
    main()
