"""Single missing entries: AutoLabeler with and without its second stage, by share of observed features and labels.

Each feature and each label entry is observed with the same probability; missing features are filled by EM. "default" is
AutoLabeler; "no trees" uses only the linear part of the second stage, and "one stage" only the ensemble, which ignores
the other labels of an item. The hidden label entries are scored with a threshold of 0.5: label error in percent, Brier
score, calibration error, and the CPU seconds of one thread.

    python benchmarks/auto_entries.py [--repeats 3] [--sets emotions yeast] [--shares .4 .6 .8] [--effort default]
"""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

import numpy as np
from _common import format_means, hide_cells, load_set, make_parser, time_cpu, use_one_thread

from halflabel.labels.metrics import brier, ece, hamming_loss
from halflabel.methods.auto import AutoLabeler
from halflabel.methods.auto.residuals import _keep_base, refine
from halflabel.methods.impute import GaussianMixtureImputer


def keep(labels, log_odds, rng, **options):
    """Return the log odds of the first stage."""
    return _keep_base(labels, log_odds)


#: The second stage of each method.
METHODS = {"one stage": keep, "no trees": partial(refine, n_trees=0), "default": refine}


def main():
    """Print mean and standard deviation per set, share and method."""
    parser = make_parser(__doc__, sets=("emotions", "yeast"), repeats=3)
    parser.add_argument("--shares", nargs="+", type=float, default=[0.4, 0.6, 0.8])
    parser.add_argument("--effort", default="default")
    options = parser.parse_args()
    for name in options.sets:
        data = load_set(name)
        for share in options.shares:
            with use_one_thread():
                masks = [score_methods(data, share, seed, options.effort) for seed in range(options.repeats)]
            for method in METHODS:
                means = format_means(("error", "Brier", "ECE", "seconds"), [mask[method] for mask in masks], ".4g")
                print(f"{name}, {share:.0%} observed, {method}: {means}", flush=True)


def score_methods(data, share, seed, effort):
    """Return (label error, Brier, ECE, seconds) of each method, for one mask."""
    X, known, hidden = hide_cells(data, share, np.random.default_rng(seed))
    X = GaussianMixtureImputer(1).fit_transform(X)
    scores = {}
    for name, method in METHODS.items():
        with patch("halflabel.methods.auto.fit.refine", method):
            seconds, model = time_cpu(lambda: AutoLabeler(effort, random_state=seed).fit(X, known))
        p = model.label_probabilities_
        error = 100 * hamming_loss(hidden, (p >= 0.5).astype(int))
        scores[name] = (error, brier(hidden, p), ece(hidden, p), seconds)
    return scores


if __name__ == "__main__":
    main()
