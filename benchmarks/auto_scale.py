"""AutoLabeler on many items or many labels: seconds, peak memory and accuracy, each case in a separate process.

Items are points in 50 clusters of ten dimensions. The features are a random network of the points (64 tanh units) plus
noise, in single precision. The log odds of the labels are mixtures of 24 topics, waves along random directions of the
same ten dimensions, so that labels are correlated. Labels are sampled from these probabilities, with rates between 2
and 30 %; 30 % of the items keep their labels. "true probabilities" is the score of the probabilities from which the
labels are sampled: the best expected score of any method.

    large      300 000 x 512, 120 labels, default effort
    subsample  20 000 random items of "large", best effort
    long       1 000 000 x 100, 20 labels, effort fast
    wide       5 000 x 100, 1 000 labels, default effort

"large" and "subsample" are also scored on the same entries: the unlabelled items of the subsample, which both fits
contain.

    OMP_NUM_THREADS=2 python benchmarks/auto_scale.py [large subsample long wide]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _common import make_parser, time_cpu
from scipy.special import expit

from halflabel import PartialLabels
from halflabel.labels.calibration import thresholds
from halflabel.labels.metrics import brier, ece, micro_f1
from halflabel.methods.auto import AutoLabeler
from halflabel.methods.auto.budget import estimate_memory

LATENT, CLUSTERS, UNITS, TOPICS = 10, 50, 64, 24
NOISE = 0.5

#: Number of items that are generated together.
BLOCK = 10_000

LABELLED, SUBSAMPLE = 0.3, 20_000


@dataclass(frozen=True)
class Case:
    """The sizes of a run."""

    n: int
    n_features: int
    n_labels: int
    effort: str
    is_subsample: bool = False


CASES = {
    "large": Case(300_000, 512, 120, "default"),
    "subsample": Case(300_000, 512, 120, "best", is_subsample=True),
    "long": Case(1_000_000, 100, 20, "fast"),
    "wide": Case(5_000, 100, 1_000, "default"),
}


def make(case, seed=0):
    """Return features, complete labels and the probabilities from which the labels are sampled."""
    rng = np.random.default_rng(seed)
    centres = 1.5 * rng.normal(size=(CLUSTERS, LATENT))
    inner, outer = rng.normal(size=(LATENT, UNITS)) / 2, rng.normal(size=(UNITS, case.n_features)) / 4
    waves, phase = rng.normal(size=(LATENT, TOPICS)) / 2, rng.uniform(0, 2 * np.pi, TOPICS)
    mixture = rng.normal(size=(TOPICS, case.n_labels))
    z = (centres[rng.integers(CLUSTERS, size=case.n)] + 0.7 * rng.normal(size=(case.n, LATENT))).astype(np.float32)

    def log_odds(points):
        return 1.5 * np.cos(points @ waves + phase) @ mixture

    rates = np.exp(rng.uniform(np.log(0.02), np.log(0.3), case.n_labels))
    first = log_odds(z[:BLOCK])
    cut = np.array([np.quantile(column, 1 - rate) for column, rate in zip(first.T, rates, strict=True)])
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


def score(hidden, p, prediction=None):
    """Return the metrics on hidden entries; without a prediction, the probabilities are cut for the best micro-F1."""
    if prediction is None:
        prediction = p >= thresholds(np.where(hidden.observed, p, np.nan), "micro_f1")
    metrics = {"micro_f1": micro_f1(hidden, prediction), "brier": brier(hidden, p), "ece": ece(hidden, p)}
    return {name: round(value, 4) for name, value in metrics.items()}


def resident_bytes():
    """Return the memory of this process in bytes (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def run(name):
    """Fit one case and print its time, memory and accuracy."""
    case = CASES[name]
    X, labels, truth = make(case)
    unlabelled = np.random.default_rng(1).random(case.n) >= LABELLED
    subsample = np.sort(np.random.default_rng(2).choice(case.n, min(SUBSAMPLE, case.n), replace=False))
    if case.is_subsample:
        X, labels, truth, unlabelled = X[subsample], labels[subsample], truth[subsample], unlabelled[subsample]
    known = labels.hide(unlabelled[:, None])
    estimated, before, started = estimate_memory(X, known, case.effort), resident_bytes(), time.perf_counter()
    seconds, model = time_cpu(lambda: AutoLabeler(case.effort, rule="micro_f1").fit(X, known))
    times = {"wall_s": time.perf_counter() - started, "cpu_s": seconds}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    sizes = {"peak_gb": peak / 1e9, "of_the_fit_gb": (peak - before) / 1e9, "estimated_gb": estimated / 1e9}
    print(name, json.dumps({key: round(value, 2) for key, value in (times | sizes).items()}), flush=True)
    hidden = labels.hide(~unlabelled[:, None])
    print("  hidden entries", score(hidden, model.label_probabilities_, model.transduction_))
    print("  true probabilities", score(hidden, truth))
    if name == "large":
        p, prediction = model.label_probabilities_[subsample], model.transduction_[subsample]
        print("  hidden entries of the subsample", score(hidden[subsample], p, prediction), flush=True)


def main():
    """Run each case in a separate process, because the peak memory is that of a process."""
    parser = make_parser(__doc__)
    parser.add_argument("cases", nargs="*", default=list(CASES), choices=list(CASES))
    names = parser.parse_args().cases
    if len(names) == 1:
        run(names[0])
        return
    for name in names:
        subprocess.run([sys.executable, __file__, name], check=True)


if __name__ == "__main__":
    main()
