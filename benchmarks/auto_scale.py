"""AutoLabeler on many items, or with many labels: seconds, peak memory and accuracy, each case in a process of its own.

Items are points in 50 clusters of ten dimensions. Features are a random network of them (64 tanh units) plus noise, in
single precision; log odds of the labels are mixtures of 24 topics, waves along random directions of the same ten
dimensions, so that labels go together. Labels are drawn from these probabilities, rates between 2 and 30 %; 30 % of the
items keep theirs. "of the truth" is what the probabilities behind the labels score: nobody can do better.

    large      300 000 x 512, 120 labels, default effort
    subsample  20 000 items drawn from "large", best effort
    long       1 000 000 x 100, 20 labels, fast
    wide       5 000 x 100, 1 000 labels, default effort

"large" and "subsample" are also scored on the same entries: those of the hidden items of the subsample, which both have
seen as unlabelled.

    OMP_NUM_THREADS=2 python benchmarks/auto_scale.py [large subsample long wide]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit

from halflabel import PartialLabels
from halflabel.labels.calibration import thresholds
from halflabel.labels.metrics import brier, ece, micro_f1
from halflabel.methods.auto import AutoLabeler
from halflabel.methods.auto.budget import memory

LATENT, CLUSTERS, UNITS, TOPICS = 10, 50, 64, 24
NOISE = 0.5

#: Items made at a time.
BLOCK = 10_000

LABELLED, DRAWN = 0.3, 20_000


@dataclass(frozen=True)
class Case:
    """Sizes of a run; of items that are drawn, so many."""

    n: int
    n_features: int
    n_labels: int
    effort: str
    drawn: bool = False


CASES = {
    "large": Case(300_000, 512, 120, "default"),
    "subsample": Case(300_000, 512, 120, "best", drawn=True),
    "long": Case(1_000_000, 100, 20, "fast"),
    "wide": Case(5_000, 100, 1_000, "default"),
}


def make(case, seed=0):
    """Return features, complete labels and the probabilities that they were drawn from."""
    rng = np.random.default_rng(seed)
    centres = 1.5 * rng.normal(size=(CLUSTERS, LATENT))
    inner, outer = rng.normal(size=(LATENT, UNITS)) / 2, rng.normal(size=(UNITS, case.n_features)) / 4
    waves, phase = rng.normal(size=(LATENT, TOPICS)) / 2, rng.uniform(0, 2 * np.pi, TOPICS)
    mixture = rng.normal(size=(TOPICS, case.n_labels))
    z = (centres[rng.integers(CLUSTERS, size=case.n)] + 0.7 * rng.normal(size=(case.n, LATENT))).astype(np.float32)

    def log_odds(points):
        return 1.5 * np.cos(points @ waves + phase) @ mixture

    rates = np.exp(rng.uniform(np.log(0.02), np.log(0.3), case.n_labels))
    few = log_odds(z[:BLOCK])
    cut = np.array([np.quantile(column, 1 - rate) for column, rate in zip(few.T, rates, strict=True)])
    X = np.empty((case.n, case.n_features), dtype=np.float32)
    p = np.empty((case.n, case.n_labels), dtype=np.float32)
    state = np.empty(p.shape, dtype=np.int8)
    for start in range(0, case.n, BLOCK):
        rows = slice(start, start + BLOCK)
        X[rows] = np.tanh(z[rows] @ inner) @ outer + NOISE * rng.normal(size=X[rows].shape)
        p[rows] = expit(log_odds(z[rows]) - cut)
        state[rows] = np.where(rng.random(p[rows].shape) < p[rows], 1, -1)
    names = tuple(f"label{j}" for j in range(case.n_labels))
    return X, PartialLabels(state, names, np.ones(case.n, dtype=bool)), p


def scores(hidden, p, answer=None):
    """Return the metrics on hidden entries, of an answer or of the best one for these probabilities."""
    if answer is None:
        answer = p >= thresholds(np.where(hidden.observed, p, np.nan), "micro_f1")
    found = {"micro_f1": micro_f1(hidden, answer), "brier": brier(hidden, p), "ece": ece(hidden, p)}
    return {name: round(value, 4) for name, value in found.items()}


def resident():
    """Return the bytes that this process holds now (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def run(name):
    """Fit one case and print what it took and what it is worth."""
    case = CASES[name]
    X, labels, truth = make(case)
    unlabelled = np.random.default_rng(1).random(case.n) >= LABELLED
    drawn = np.sort(np.random.default_rng(2).choice(case.n, min(DRAWN, case.n), replace=False))
    if case.drawn:
        X, labels, truth, unlabelled = X[drawn], labels[drawn], truth[drawn], unlabelled[drawn]
    known = labels.hide(unlabelled[:, None])
    reckoned, before = memory(X, known, case.effort), resident()
    wall, cpu = time.perf_counter(), time.process_time()
    model = AutoLabeler(case.effort).fit(X, known)
    took = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    sizes = {"peak_gb": peak / 1e9, "of_the_fit_gb": (peak - before) / 1e9, "reckoned_gb": reckoned / 1e9}
    print(name, json.dumps({key: round(value, 2) for key, value in (took | sizes).items()}), flush=True)
    hidden = labels.hide(~unlabelled[:, None])
    print("  hidden entries", scores(hidden, model.label_probabilities_, model.transduction_))
    print("  of the truth", scores(hidden, truth))
    if name == "large":
        p, answer = model.label_probabilities_[drawn], model.transduction_[drawn]
        print("  hidden entries of the subsample", scores(hidden[drawn], p, answer), flush=True)


def main():
    """Run each case in a process of its own, so that its peak is its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=list(CASES), choices=list(CASES))
    names = parser.parse_args().cases
    if len(names) == 1:
        run(names[0])
        return
    for name in names:
        subprocess.run([sys.executable, __file__, name], check=True)


if __name__ == "__main__":
    main()
