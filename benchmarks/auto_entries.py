"""Single missing entries: what stage 2 adds to the pool, by share of features and labels observed.

Each feature and each label entry is observed with the same probability; missing features are filled by EM. Scored on
the hidden label entries at 0.5: label error in percent, Brier score, calibration error; seconds are of one thread.

    python benchmarks/auto_entries.py [--masks 3] [--sets emotions yeast] [--shares .4 .6 .8] [--effort default]
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
from scipy.special import expit, logit
from threadpoolctl import threadpool_limits

from halflabel.datasets import load_benchmark
from halflabel.labels.metrics import brier, ece, hamming_loss
from halflabel.methods.auto import AutoLabeler
from halflabel.methods.auto.residuals import refine
from halflabel.methods.impute import GaussianMixtureImputer

FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def main():
    """Print mean and standard deviation per set, share and stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--masks", type=int, default=3)
    parser.add_argument("--sets", nargs="*", default=["emotions", "yeast"])
    parser.add_argument("--shares", nargs="*", type=float, default=[0.4, 0.6, 0.8])
    parser.add_argument("--effort", default="default")
    options = parser.parse_args()
    with threadpool_limits(1):
        for name in options.sets:
            data = load_benchmark(name, FOLDER)
            for share in options.shares:
                masks = [one(data, share, seed, options.effort) for seed in range(options.masks)]
                for stage in masks[0]:
                    found = np.array([mask[stage] for mask in masks])
                    shown = zip(
                        ("error", "Brier", "ECE", "seconds"), found.mean(axis=0), found.std(axis=0), strict=True
                    )
                    told = ", ".join(f"{what} {mean:.4g} ± {sd:.2g}" for what, mean, sd in shown)
                    print(f"{name}, {share:.0%} observed, {stage}: {told}", flush=True)


def one(data, share, seed, effort):
    """Return (label error, Brier, ECE, seconds) of each stage, for one mask."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random(data.X.shape) < share, data.X, np.nan)
    known = data.Y.hide(rng.random(data.Y.shape) >= share)
    hidden = data.Y.hide(known.observed)
    X, start = GaussianMixtureImputer(1).fit_transform(X), time.process_time()
    base = logit(AutoLabeler(effort, random_state=seed).fit(X, known).label_probabilities_)
    found = {"pool": (*scores(hidden, base), time.process_time() - start)}
    for stage, n_trees in (("coupling", 0), ("stage 2", 100)):
        start = time.process_time()
        refined = refine(known, base, np.random.default_rng(seed), n_trees=n_trees)
        found[stage] = (*scores(hidden, refined.log_odds), time.process_time() - start)
    return found


def scores(hidden, log_odds):
    """Return (label error in percent, Brier score, ECE)."""
    p = expit(log_odds)
    return 100 * hamming_loss(hidden, (p >= 0.5).astype(int)), brier(hidden, p), ece(hidden, p)


if __name__ == "__main__":
    main()
