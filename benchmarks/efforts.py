"""Designs of the parameter ``effort``: Brier score and CPU seconds of members and numbers of trees.

Each design is a change of one of the three efforts. The cells are those of auto_accuracy.py: whole sets, or 1 500 items
of them, with a share of labelled items; with ``--large``, the made-up cases of cost.py. All designs have the same
labelled items. The table has the mean and the highest ratio of the Brier scores to those of the first design, the
number of cells in which it is higher by more than one part in a thousand, and the ratio of the seconds.

    python benchmarks/efforts.py --shares 0.1 0.5 --repeats 2 --out efforts.csv
    python benchmarks/efforts.py --designs fast "kernel, harmonic" --large text2 dense25
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cost
import numpy as np
import pandas as pd
from _common import append_record, choose_unlabelled, make_parser, read_records, split_labels, time_cpu, use_one_thread
from auto_accuracy import SETS, SUBSETS, load, sample

from halflabel import AutoLabeler
from halflabel.labels.metrics import brier, micro_f1
from halflabel.methods.auto import EFFORTS

#: The effort that a design changes, and its changes.
DESIGNS = {
    "default": ("default", {}),
    "default, 100 trees": ("default", {"n_trees": 100}),
    "default, 120 rounds": ("default", {"n_rounds": 120}),
    "default, no graph": ("default", {"members": ("kernel", "trees", "boosting")}),
    "default, no trees": ("default", {"members": ("kernel", "harmonic", "boosting")}),
    "default, no boosting": ("default", {"members": ("kernel", "harmonic", "trees")}),
    "default, no logistic": ("default", {"text_members": ()}),
    "fast": ("fast", {}),
    "fast, no logistic": ("fast", {"text_members": ()}),
    "kernel": ("fast", {"members": ("kernel",)}),
    "kernel, harmonic": ("fast", {"members": ("kernel", "harmonic")}),
    "kernel, harmonic, trees": ("fast", {"members": ("kernel", "harmonic", "trees")}),
    "kernel, boosting": ("fast", {"members": ("kernel", "boosting")}),
}
CELL = ["set", "share", "seed"]


def fit_and_score(design, X, known, hidden):
    """Return CPU seconds and scores of a design on the hidden entries."""
    base, changes = DESIGNS[design]
    before = EFFORTS[base]
    EFFORTS[base] = replace(before, **changes)
    try:
        with use_one_thread():
            seconds, model = time_cpu(lambda: AutoLabeler(base, rule="micro_f1").fit(X, known))
    finally:
        EFFORTS[base] = before
    return {
        "design": design,
        "brier": brier(hidden, model.label_probabilities_),
        "micro_f1": micro_f1(hidden, model.transduction_),
        "cpu_s": seconds,
    }


def split_cells(options):
    """Yield the name, the share, the seed and the split of each cell."""
    for seed in range(options.first_seed, options.first_seed + options.repeats):
        for name in options.large:
            X, labels, share = cost.load(name)
            unlabelled = choose_unlabelled(len(labels), share, np.random.default_rng(seed))
            yield (name, share, seed), (X, *split_labels(labels, unlabelled))
        for name in [] if options.large else options.sets:
            X, labels = load(name)
            size = options.items if name in SUBSETS else len(labels)
            for share in options.shares:
                yield (name, share, seed), sample(X, labels, share, seed, size)


def summarise(records):
    """Print the ratios of each design to the first one, by cell and over all cells."""
    first = records["design"].iloc[0]
    means = records.groupby(["set", "share", "design"], sort=False)[["brier", "micro_f1", "cpu_s"]].mean()
    ratio = means[["brier", "cpu_s"]] / means.xs(first, level="design")[["brier", "cpu_s"]]
    print(ratio["brier"].unstack("design", sort=False).round(4).to_string())
    print(ratio["cpu_s"].unstack("design", sort=False).round(2).to_string())
    by_design = ratio["brier"].groupby("design", sort=False)
    table = pd.DataFrame(
        {
            "mean Brier ratio": by_design.mean().round(4),
            "highest": by_design.max().round(4),
            "higher by .001": by_design.agg(lambda each: int((each > 1.001).sum())),
            "cells": by_design.size(),
            "CPU seconds": means["cpu_s"].groupby("design", sort=False).sum().round(1),
            "mean ratio of seconds": ratio["cpu_s"].groupby("design", sort=False).mean().round(3),
        }
    )
    print(table.to_string())


def main():
    """Run the cells and designs that are not in the file, then print the tables."""
    parser = make_parser(__doc__, sets=SETS, repeats=2)
    parser.add_argument("--shares", nargs="+", type=float, default=[0.1, 0.5])
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--items", type=int, default=1500, help=f"size of the subsets of {' and '.join(SUBSETS)}")
    parser.add_argument("--large", nargs="+", default=[], metavar="CASE", help="cases of cost.py instead of sets")
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS), choices=list(DESIGNS))
    parser.add_argument("--out", type=Path, help="CSV file of records; those in it are not run again")
    options = parser.parse_args()
    records = read_records(options.out)
    done = set(records[[*CELL, "design"]].itertuples(index=False, name=None)) if len(records) else set()
    for cell, (X, known, hidden) in split_cells(options):
        for design in options.designs:
            if (*cell, design) in done:
                continue
            record = dict(zip(CELL, cell, strict=True)) | fit_and_score(design, X, known, hidden)
            records = pd.concat([records, pd.DataFrame([record])], ignore_index=True)
            if options.out:
                append_record(record, options.out)
    summarise(records)


if __name__ == "__main__":
    main()
