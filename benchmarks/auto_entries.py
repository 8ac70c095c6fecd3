"""Single missing entries: the gain of stage 2 over the ensemble, by share of observed features and labels.

Each feature and each label entry is observed with the same probability; missing features are filled by EM. The hidden
label entries are scored with a threshold of 0.5: label error in percent, Brier score, calibration error, and the CPU
seconds of one thread.

    python benchmarks/auto_entries.py [--repeats 3] [--sets emotions yeast] [--shares .4 .6 .8] [--effort default]
"""

from __future__ import annotations

import numpy as np
from _common import format_means, hide_cells, load_set, make_parser, time_cpu, use_one_thread
from scipy.special import expit, logit

from halflabel.labels.metrics import brier, ece, hamming_loss
from halflabel.methods.auto import AutoLabeler
from halflabel.methods.auto.residuals import refine
from halflabel.methods.impute import GaussianMixtureImputer


def main():
    """Print mean and standard deviation per set, share and stage."""
    parser = make_parser(__doc__, sets=("emotions", "yeast"), repeats=3)
    parser.add_argument("--shares", nargs="+", type=float, default=[0.4, 0.6, 0.8])
    parser.add_argument("--effort", default="default")
    options = parser.parse_args()
    for name in options.sets:
        data = load_set(name)
        for share in options.shares:
            with use_one_thread():
                masks = [score_stages(data, share, seed, options.effort) for seed in range(options.repeats)]
            for stage in masks[0]:
                means = format_means(("error", "Brier", "ECE", "seconds"), [mask[stage] for mask in masks], ".4g")
                print(f"{name}, {share:.0%} observed, {stage}: {means}", flush=True)


def score_stages(data, share, seed, effort):
    """Return (label error, Brier, ECE, seconds) of each stage, for one mask."""
    X, known, hidden = hide_cells(data, share, np.random.default_rng(seed))
    X = GaussianMixtureImputer(1).fit_transform(X)
    seconds, model = time_cpu(lambda: AutoLabeler(effort, random_state=seed).fit(X, known))
    base = logit(model.label_probabilities_)
    stages = {"ensemble": (*score(hidden, base), seconds)}
    for stage, n_trees in (("coupling", 0), ("stage 2", 100)):
        rng = np.random.default_rng(seed)
        seconds, refined = time_cpu(lambda n=n_trees, rng=rng: refine(known, base, rng, n_trees=n))
        stages[stage] = (*score(hidden, refined.log_odds), seconds)
    return stages


def score(hidden, log_odds):
    """Return (label error in percent, Brier score, ECE)."""
    p = expit(log_odds)
    return 100 * hamming_loss(hidden, (p >= 0.5).astype(int)), brier(hidden, p), ece(hidden, p)


if __name__ == "__main__":
    main()
