"""New items: ``predict`` against a refit that takes them in as unlabelled items.

A random 70 % of the items are fitted, half of them labelled; the others are new. Agreement is the share of entries on
which both answers are the same; micro-F1 is that of the new items.

    python benchmarks/ssdrmc_new_items.py [--splits 10]
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

from halflabel import SSDRMC
from halflabel.datasets import load_benchmark
from halflabel.labels.metrics import micro_f1

FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def one_split(X, labels, seed):
    """Return agreement, agreement of scores about .3, and micro-F1 of predict and of the refit."""
    order = np.random.default_rng(seed).permutation(len(labels))
    fitted, new = np.split(order, [round(0.7 * len(labels))])
    Y = labels.values()
    Y[order[len(fitted) // 2 :]] = np.nan
    model = SSDRMC().fit(X[fitted], Y[fitted])
    refit = SSDRMC().fit(X, Y)
    answers = model.predict(X[new]), refit.transduction_[new]
    above = (model.decision_function(X[new]) >= 0.3) == (refit.label_scores_[new] >= 0.3)
    scores = [micro_f1(labels[new], answer) for answer in answers]
    return [(answers[0] == answers[1]).mean(), above.mean(), *scores]


def main():
    """Print means over the splits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=10)
    splits = parser.parse_args().splits
    print("set       agreement  same side of .3  micro-F1 predict  refit   difference")
    for name in ("yeast", "scene", "emotions"):
        data = load_benchmark(name, FOLDER)
        same, side, new, refit = np.mean([one_split(data.X, data.Y, 100 + s) for s in range(splits)], axis=0)
        print(f"{name:9} {same:.4f}     {side:.4f}           {new:.4f}            {refit:.4f}  {new - refit:+.4f}")


if __name__ == "__main__":
    main()
