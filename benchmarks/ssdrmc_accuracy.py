"""Micro-F1 of SSDR-MC's default on Yeast and Scene, by share of labelled items.

Protocol: a random share of the items keeps all its labels, the others lose theirs and are the test set; the cut is
score >= 0.3 (the paper's H), the count of labels per labelled item ("card"), or the default rule. Seeds 100-109 were
used for nothing else.

    python benchmarks/ssdrmc_accuracy.py [--splits 10]
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from halflabel import SSDRMC, PartialLabels
from halflabel.datasets import load_benchmark
from halflabel.metrics import METRICS, micro_f1

SHARES = (0.05, 0.10, 0.20, 0.35, 0.50)
FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def one_split(X, labels, share, seed):
    """Return micro-F1 at H = .3, at the count rule and at the default rule, Brier score, ECE and iterations."""
    with threadpool_limits(1):
        order = np.random.default_rng(seed).permutation(len(labels))
        unlabelled = np.ones(labels.shape, bool)
        unlabelled[order[: round(share * len(labels))]] = False
        known, hidden = labels.hide(unlabelled), labels.hide(~unlabelled)
        model = SSDRMC().fit(X, known)
        scores = np.nan_to_num(model.label_scores_, nan=0.0)
        rest = scores[unlabelled[:, 0]]
        cut = np.sort(rest, axis=None)[::-1][round(np.nansum(known.rates) * len(rest))]
        answers = (scores >= 0.3, scores > cut, model.transduction_)
        f1 = [micro_f1(hidden, np.asarray(answer, dtype=int)) for answer in answers]
        quality = [METRICS[m].function(hidden, model.label_probabilities_) for m in ("brier", "ece")]
        return [*f1, *quality, model.solution_.n_iter]


def main():
    """Print one line per set and share: means over the splits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=10)
    splits = parser.parse_args().splits
    print(
        f"{'set':6} {'share':>5}  H=.3   card   default  Brier  ECE    iterations (means of {splits}; sd)"
    )
    for name in ("yeast", "scene"):
        data = load_benchmark(name, FOLDER)
        labels = PartialLabels.from_table(data.Y.values())
        for share in SHARES:
            runs = Parallel(2)(delayed(one_split)(data.X, labels, share, 100 + s) for s in range(splits))
            mean, sd = np.mean(runs, axis=0), np.std(runs, axis=0, ddof=1)
            print(
                f"{name:6} {share:5.0%}  " + "  ".join(f"{v:.4f}" for v in mean[:5]) + f"  {mean[5]:.1f}  ({sd[0]:.4f})"
            )


if __name__ == "__main__":
    main()
