"""The probabilities of labels with few known relevant entries.

Protocol: 100 of 700 random items keep their labels, and labels count of which 2 to 7 of these items have the label.
Printed are the number of gaps with a probability of at least .5 and of at least .8, their mean probability, and the
share that is relevant.

    python benchmarks/rare_labels.py [--effort fast] [--sets langlog msrc] [--repeats 2]
"""

from __future__ import annotations

import numpy as np
from _common import choose_unlabelled, load_set, make_parser, use_one_thread

import halflabel as hl

SETS = ("langlog", "ohsumed", "frogs", "msrc", "gnegativego", "cellcycle-fun", "tmc2007-500", "yahoo-arts")
SETS += ("yahoo-health", "yahoo-science", "yahoo-society", "yahoo-education")


def predict_rare(name, seed, effort):
    """Return the probabilities of the gaps of these labels, and which gaps are relevant."""
    data, rng = load_set(name), np.random.default_rng(seed)
    rows = rng.permutation(len(data.Y))[:700]
    truth, hidden = data.Y[rows], choose_unlabelled(len(rows), 100 / len(rows), rng)
    filled = hl.complete(data.X[rows], truth.hide(hidden[:, None]), effort=effort)
    p = filled.probabilities.reindex(columns=list(truth.names)).to_numpy()
    rare = np.isin(truth.relevant[~hidden].sum(axis=0), range(2, 8)) & ~np.isnan(p).any(axis=0)
    return p[np.ix_(hidden, rare)].ravel(), truth.relevant[np.ix_(hidden, rare)].ravel()


def main():
    """Print a line for each bound of the probability."""
    parser = make_parser(__doc__, SETS, 2)
    parser.add_argument("--effort", default="default")
    options = parser.parse_args()
    with use_one_thread():
        tables = [predict_rare(name, seed, options.effort) for name in options.sets for seed in range(options.repeats)]
    p, relevant = np.hstack(tables)
    for bound in (0.5, 0.8):
        high = p >= bound
        print(f"p >= {bound}: {high.sum()} values, stated {p[high].mean():.3f}, relevant {relevant[high].mean():.3f}")


if __name__ == "__main__":
    main()
