"""Accuracy when items are labelled in the order of next_to_label, relative to a random order.

Protocol: at most 600 random items (the 15 most frequent labels with at least 12 relevant items), a third of them for
testing; their features are known. 5 % of the others are labelled at random; then 20 items at a time are labelled as
``Completion.next_to_label`` asks, or at random, until 30 % are. After each step AutoLabeler is fitted. Figures are the
Brier score and micro-F1 on the test items, relative to the random order of the same start.

    python benchmarks/next_to_label.py [--sets scene medical] [--repeats 1] [--effort default]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import load_frequent, make_parser, use_one_thread

from halflabel import AutoLabeler
from halflabel.completion.components import take_components
from halflabel.completion.questions import rank_questions
from halflabel.labels.metrics import brier, micro_f1

SETS = ("scene", "medical", "ohsumed", "langlog", "emotions", "yeast", "gnegativego", "enron", "yahoo-arts", "msrc")
BATCH, START, END = 20, 0.05, 0.3


def choose_next(order, known, p, X, open_items, rng):
    """Return the next items to label; test items are never asked."""
    if order == "random":
        return rng.choice(np.flatnonzero(open_items), BATCH, replace=False)
    keep = np.flatnonzero(open_items | ~known.unlabelled)
    components = take_components(X, np.random.default_rng(0))[keep]
    found = rank_questions(known[keep], p[keep], components, BATCH, np.random.default_rng(0))
    return keep[found["position"].to_numpy()]


def run(name, seed, order, effort):
    """Yield the share of labelled items and the errors on the test items after each step."""
    X, labels = load_frequent(name, 600, seed)
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(len(labels))
    test, others = shuffled[: len(labels) // 3], shuffled[len(labels) // 3 :]
    labelled = np.zeros(len(labels), dtype=bool)
    labelled[others[: max(round(START * len(others)), 10)]] = True
    is_test = np.isin(np.arange(len(labels)), test)
    hidden = labels.hide(np.repeat(~is_test[:, None], labels.shape[1], axis=1))
    while labelled.sum() <= END * len(others):
        known = labels.hide(np.repeat(~labelled[:, None], labels.shape[1], axis=1))
        model = AutoLabeler(effort).fit(X, known)
        p = model.label_probabilities_
        yield labelled.sum() / len(others), brier(hidden, p), micro_f1(hidden, model.transduction_)
        labelled[choose_next(order, known, p, X, ~labelled & ~is_test, rng)] = True


def main():
    """Print the mean errors of every set and repeat, relative to the random order."""
    parser = make_parser(__doc__, SETS, 1)
    parser.add_argument("--effort", default="default")
    options, rows = parser.parse_args(), []
    with use_one_thread():
        for name in options.sets:
            for seed in range(options.repeats):
                asked, random = (
                    np.array(list(run(name, seed, order, options.effort)))[1:] for order in ("asked", "random")
                )
                ratio, gain = (asked[:, 1] / random[:, 1]).mean(), (asked[:, 2] - random[:, 2]).mean()
                rows.append({"set": name, "seed": seed, "Brier / random": ratio, "micro-F1 - random": gain})
                print(name, seed, f"{ratio:.3f} {gain:+.3f}", flush=True)
    table = pd.DataFrame(rows)
    print(table.groupby("set")[["Brier / random", "micro-F1 - random"]].mean().round(3).to_string())
    better = (table["Brier / random"] < 1).mean()
    print(f"mean Brier / random {table['Brier / random'].mean():.3f}; better in {better:.0%} of {len(table)} runs")


if __name__ == "__main__":
    main()
