"""Calibration of matrix completion: expected calibration error on hidden entries, by share observed, over masks.

    python benchmarks/mc_calibration.py [--masks 5]

Single entries of labels and features are hidden; weights are chosen by the estimators' own cross-validation.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from halflabel import MC1, MCb
from halflabel.datasets import load_benchmark
from halflabel.labels.metrics import brier, ece, hamming_loss

FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def main():
    """Print mean and standard deviation per set, method and share."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--masks", type=int, default=5)
    parser.add_argument("--sets", nargs="*", default=["emotions", "yeast"])
    parser.add_argument("--shares", nargs="*", type=float, default=[0.4, 0.6, 0.8])
    options = parser.parse_args()
    with threadpool_limits(1):
        for name in options.sets:
            data = load_benchmark(name, FOLDER)
            for kind in (MC1, MCb):
                for share in options.shares:
                    found = np.array([one(kind(), data, share, seed) for seed in range(options.masks)])
                    shown = zip(("ECE", "Brier", "label error"), found.mean(axis=0), found.std(axis=0), strict=True)
                    told = ", ".join(f"{what} {mean:.3f} ± {sd:.3f}" for what, mean, sd in shown)
                    print(f"{name}, {kind.__name__}, {share:.0%} observed: {told}", flush=True)


def one(model, data, share, seed):
    """Return (ECE, Brier score, Hamming loss) of one mask."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random(data.X.shape) < share, data.X, np.nan)
    known = data.Y.hide(rng.random(data.Y.shape) >= share)
    hidden = data.Y.hide(known.observed)
    model.fit(X, known)
    p = model.label_probabilities_
    return ece(hidden, p), brier(hidden, p), hamming_loss(hidden, model.transduction_)


if __name__ == "__main__":
    main()
