"""Calibration of matrix completion: expected calibration error on hidden entries, by share of observed entries.

    python benchmarks/mc_calibration.py [--repeats 5]

Single entries of labels and features are hidden; the weights are chosen by the cross-validation of the estimators.
"""

from __future__ import annotations

import numpy as np
from _common import format_means, hide_cells, load_set, make_parser, use_one_thread

from halflabel import MC1, MCb
from halflabel.labels.metrics import brier, ece, hamming_loss


def main():
    """Print mean and standard deviation per set, method and share."""
    parser = make_parser(__doc__, sets=("emotions", "yeast"), repeats=5)
    parser.add_argument("--shares", nargs="+", type=float, default=[0.4, 0.6, 0.8])
    options = parser.parse_args()
    for name in options.sets:
        data = load_set(name)
        for kind in (MC1, MCb):
            for share in options.shares:
                with use_one_thread():
                    runs = [score(kind(), data, share, seed) for seed in range(options.repeats)]
                means = format_means(("ECE", "Brier", "label error"), runs)
                print(f"{name}, {kind.__name__}, {share:.0%} observed: {means}", flush=True)


def score(model, data, share, seed):
    """Return (ECE, Brier score, Hamming loss) of one mask."""
    X, known, hidden = hide_cells(data, share, np.random.default_rng(seed))
    p = model.fit(X, known).label_probabilities_
    return ece(hidden, p), brier(hidden, p), hamming_loss(hidden, model.transduction_)


if __name__ == "__main__":
    main()
