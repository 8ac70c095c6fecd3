"""New items of SSDR-MC: ``predict`` compared with a second fit that includes them as unlabelled items.

A random 70 % of the items are fitted, half of them labelled; the others are new. Agreement is the share of entries with
the same prediction of both; micro-F1 is computed on the new items.

    python benchmarks/ssdrmc_new_items.py [--repeats 10]
"""

from __future__ import annotations

import numpy as np
from _common import load_set, make_parser

from halflabel import SSDRMC
from halflabel.labels.metrics import micro_f1


def score_split(X, labels, seed):
    """Return agreement, agreement of scores cut at .3, and micro-F1 of predict and of the second fit."""
    order = np.random.default_rng(seed).permutation(len(labels))
    fitted, new = np.split(order, [round(0.7 * len(labels))])
    Y = labels.values()
    Y[order[len(fitted) // 2 :]] = np.nan
    model = SSDRMC().fit(X[fitted], Y[fitted])
    refit = SSDRMC().fit(X, Y)
    predictions = model.predict(X[new]), refit.transduction_[new]
    above = (model.decision_function(X[new]) >= 0.3) == (refit.label_scores_[new] >= 0.3)
    scores = [micro_f1(labels[new], prediction) for prediction in predictions]
    return [(predictions[0] == predictions[1]).mean(), above.mean(), *scores]


def main():
    """Print means over the splits."""
    options = make_parser(__doc__, sets=("yeast", "scene", "emotions"), repeats=10).parse_args()
    print("set       agreement  same side of .3  micro-F1 predict  refit   difference")
    for name in options.sets:
        data = load_set(name)
        splits = [score_split(data.X, data.Y, 100 + seed) for seed in range(options.repeats)]
        same, side, new, refit = np.mean(splits, axis=0)
        print(f"{name:9} {same:.4f}     {side:.4f}           {new:.4f}            {refit:.4f}  {new - refit:+.4f}")


if __name__ == "__main__":
    main()
