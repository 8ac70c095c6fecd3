"""The share of a label among all items: errors of four estimates, coverage and width of intervals of 90 percent.

Protocol: at most 900 random items are the whole table. 50, 100 or 300 of them keep their labels, or each single entry
is known with probability 0.4 ("entries"). Labels are the 15 most frequent ones, or with ``--rare`` those with 9
relevant entries or more that at most 5 percent of the items have. Groups are random, of 20, 60 and 120 items.

    python benchmarks/prevalence.py [--sets scene medical] [--repeats 3] [--rare]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import load_frequent, load_set, make_parser, use_one_thread
from precision import hide_all_but

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.evidence.prevalence import MIN_KNOWN, Correction

SETS = (
    *("emotions", "scene", "enron", "msrc", "yeast", "yahoo-arts", "medical", "ohsumed", "langlog"),
    *("yahoo-health", "yahoo-reference", "tmc2007-500", "corel5k", "gnegativego"),
)
KNOWN, GROUPS = (50, 100, 300, "entries"), (20, 60, 120)


def load_rare(name, max_items, seed):
    """Return the features and labels of random items: at most 15 labels that few items have."""
    data = load_set(name)
    n = len(data.Y)
    rows = np.sort(np.random.default_rng(seed).choice(n, min(max_items, n), replace=False))
    labels = data.Y[rows]
    count = labels.relevant.sum(axis=0)
    columns = np.sort(np.argsort(np.where((count >= 9) & (count <= 0.05 * len(rows)), -count, 0), kind="stable")[:15])
    columns = columns[(count[columns] >= 9) & (count[columns] <= 0.05 * len(rows))]
    names = tuple(labels.names[j] for j in columns)
    return data.X[rows], PartialLabels(labels.state[:, columns], names, labels.annotated)


def hide(labels, kind, rng):
    """Return the labels of a number of random items, or 40 % of the single entries."""
    return labels.hide(rng.random(labels.shape) < 0.6) if kind == "entries" else hide_all_but(labels, kind, rng)


def measure(options):
    """Yield a record per label and group of items."""
    for seed in range(11, 11 + options.repeats):
        for name in options.sets:
            X, truth = (load_rare if options.rare else load_frequent)(name, 900, seed)
            for kind in KNOWN:
                if kind == "entries" or kind <= 0.6 * len(truth):
                    known = hide(truth, kind, np.random.default_rng(seed))
                    filled = hl.complete(X, known, method=AutoLabeler("fast"))
                    yield from measure_labels(filled, truth, kind, np.random.default_rng(seed))


def measure_labels(filled, truth, kind, rng):
    """Yield a record per label and group of a completion."""
    n, order = len(truth), rng.permutation(len(truth))
    groups = {"all": np.ones(n, dtype=bool), **{size: order < size for size in GROUPS}}
    for j, name in enumerate(filled.labels.names):
        y, known = truth.relevant[:, truth.names.index(name)], filled.labels.observed[:, j]
        p = filled.evidence.probabilities[:, j]
        if known.sum() < MIN_KNOWN:
            continue
        correction, alone = Correction.fit(y[known], p[known]), Correction(0.0, 1.0)
        for group, items in groups.items():
            if known[items].sum() >= MIN_KNOWN:
                found = correction.estimate(y[items], p[items], known[items], 0.9)
                plain, share = alone.estimate(y[items], p[items], known[items], 0.9), y[items].mean()
                summed = np.where(known, y, p)[items].mean()
                yield {
                    "known": kind, "group": group, "held": found.low <= share + 1e-9 and share - 1e-9 <= found.high,
                    "width": found.high - found.low, "width alone": plain.high - plain.low,
                    "error": found.share - share, "labelled alone": plain.share - share, "sum of p": summed - share,
                    "filled values": (filled.state[items, j] > 0).mean() - share,
                }  # fmt: skip


def main():
    """Print the coverage, the width in units of that of labelled items alone, and the RMSE of the estimates."""
    parser = make_parser(__doc__, SETS, 3)
    parser.add_argument("--rare", action="store_true", help="labels that at most 5 percent of the items have")
    with use_one_thread():
        records = pd.DataFrame(measure(parser.parse_args()))
    grouped = records.groupby(["known", "group"])
    table = pd.DataFrame({"cases": grouped.size(), "coverage": grouped["held"].mean()})
    table["width"] = grouped["width"].mean() / grouped["width alone"].mean()
    for name in ("error", "labelled alone", "sum of p", "filled values"):
        table[f"RMSE: {name}"] = np.sqrt((records[name] ** 2).groupby([records["known"], records["group"]]).mean())
    print(table.round(3).to_string())


if __name__ == "__main__":
    main()
