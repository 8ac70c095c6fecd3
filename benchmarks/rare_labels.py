"""High probabilities of labels with few known relevant entries: stated and right, and Brier score to the label's rate.

Protocol: at most 1 000 random items of a set, of which 120 keep their labels. Measured are labels with 2 to 7 relevant
ones among these, and the gaps of such labels: how many have p of at least .5, their mean p, the share that is relevant,
and the Brier score of all gaps relative to that of the label's rate, with the prior of rare labels and without it. Its
constants were chosen on enron, yahoo-arts, medical and corel5k; the default sets report.

    python benchmarks/rare_labels.py [--sets langlog birds] [--repeats 2] [--effort default]
"""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pandas as pd
from _common import load_set, make_parser, use_one_thread
from precision import hide_all_but

from halflabel import AutoLabeler
from halflabel.methods.auto import beta_calibration

SETS = ("langlog", "ohsumed", "yahoo-health", "yahoo-education", "tmc2007-500", "gnegativego", "frogs", "yahoo-society")
LABELLED, MIN_RELEVANT, MAX_RELEVANT = 120, 2, 7


def make_case(name, seed):
    """Return features, known labels and the truth, of labels that are known with both values."""
    data, rng = load_set(name), np.random.default_rng(seed)
    rows = np.sort(rng.choice(len(data.Y), min(1000, len(data.Y)), replace=False))
    labels = data.Y[rows]
    known = hide_all_but(labels, LABELLED, rng)
    learned = np.flatnonzero(known.learnable)
    return data.X[rows], known.select(learned), labels.select(learned)


def measure(name, seed, effort):
    """Return one record per rule: with the prior of rare labels, and without it."""
    X, known, truth = make_case(name, seed)
    number = known.relevant.sum(axis=0)
    rare = (number >= MIN_RELEVANT) & (number <= MAX_RELEVANT)
    gaps = ~known.observed & rare
    rates = ((truth.relevant - known.rates)[gaps] ** 2).mean()
    for rule, most in (("with", beta_calibration.MAX_RARE), ("without", 0)):
        with patch.object(beta_calibration, "MAX_RARE", most):
            p = AutoLabeler(effort).fit(X, known).label_probabilities_
        high = gaps & (p >= 0.5)
        yield {
            "set": name,
            "rule": rule,
            "labels": rare.sum(),
            "p >= .5": high.sum(),
            "stated": p[high].sum(),
            "right": truth.relevant[high].sum(),
            "Brier / rate": ((p - truth.relevant)[gaps] ** 2).mean() / rates,
        }


def main():
    """Print a line for each set and rule, and the sums."""
    parser = make_parser(__doc__, SETS, 2)
    parser.add_argument("--effort", default="default")
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.repeats)
    with use_one_thread():
        records = [each for name in options.sets for seed in seeds for each in measure(name, seed, options.effort)]
    rules = {"labels": "sum", "p >= .5": "sum", "stated": "sum", "right": "sum", "Brier / rate": "mean"}
    table = pd.DataFrame(records)
    for keys in (["set", "rule"], ["rule"]):
        lines = table.groupby(keys, sort=False).agg(rules)
        lines[["stated", "right"]] = lines[["stated", "right"]].div(lines["p >= .5"].clip(lower=1), axis=0)
        print(lines.round(3).to_string())


if __name__ == "__main__":
    main()
