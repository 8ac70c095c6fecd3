"""How often the number of wrong filled values lies in the 90 % band of ``Completion.expected_errors``.

Protocol: at most 900 random items (the 15 most frequent labels with at least 12 relevant items), of which 50, 100 or
300 keep their labels; all others are filled in. The width of the band and its ratio of errors to stated errors were
chosen on the sets of CHOSE; those of REPORT, the default, chose nothing.

    python benchmarks/expected_errors.py [--sets scene medical] [--first-seed 2] [--repeats 3] [--effort default]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import load_frequent, make_parser, use_one_thread
from precision import hide_all_but

import halflabel as hl
from halflabel import AutoLabeler

CHOSE = ("scene", "yahoo-arts", "medical", "yeast", "ohsumed", "emotions", "msrc", "langlog", "gnegativego", "enron")
CHOSE += ("corel5k",)
REPORT = ("steel-faults", "cellcycle-fun", "medsafe-llm", "tmc2007-500", "yahoo-health", "yahoo-computers")
REPORT += ("yahoo-education", "yahoo-recreation", "yahoo-society")
NUMBERS = (50, 100, 300)


def measure(name, n_labelled, seed, effort):
    """Return the record of one completion; None if too large a part of the set would be labelled."""
    X, truth = load_frequent(name, 900, seed)
    if n_labelled > 0.6 * len(truth):
        return None
    known = hide_all_but(truth, n_labelled, np.random.default_rng(seed))
    filled = hl.complete(X, known, method=AutoLabeler(effort))
    learned = [truth.names.index(label) for label in filled.evidence.labels.names]  # the others are not filled
    truth, known = truth.select(learned), known.select(learned)
    state = np.where(known.observed, 0, filled.evidence.state)
    wrong = ((state != 0) & ((state > 0) != truth.relevant)).sum(axis=0)
    band = filled.evidence.estimated_errors
    is_inside = np.append(wrong, wrong.sum()) >= band["low"]
    is_inside &= np.append(wrong, wrong.sum()) <= band["high"]
    total = band.iloc[-1]
    return {
        "labelled": n_labelled,
        "runs": 1,
        "all labels in band": is_inside.iloc[-1],
        "one label in band": is_inside.iloc[:-1].mean(),
        "half width": (total["high"] - total["low"]) / total["expected"] / 2,
        "wrong / expected": wrong.sum() / total["expected"],
        "squared log": np.log(max(wrong.sum(), 0.5) / total["expected"]) ** 2,
        "ratio": filled.evidence._optimism,
    }


def main():
    """Print the share of bands that hold, for all labels together and for single labels."""
    parser = make_parser(__doc__, REPORT, 3)
    parser.add_argument("--effort", default="default")
    parser.add_argument("--first-seed", type=int, default=2)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.repeats)
    with use_one_thread():
        every = [measure(name, n, seed, options.effort) for seed in seeds for n in NUMBERS for name in options.sets]
    table = pd.DataFrame([record for record in every if record is not None])
    rules = {"runs": "sum"} | dict.fromkeys(table.columns[2:], "mean")
    print(table.groupby("labelled").agg(rules).round(3).to_string())
    print(f"ratio of errors to stated errors: mean {table['ratio'].mean():.2f}, maximum {table['ratio'].max():.2f}")


if __name__ == "__main__":
    main()
