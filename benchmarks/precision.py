"""The precision that is reached where one is asked for, of relevant and of irrelevant values, by labelled items.

Protocol: at most 900 random items (the 15 most frequent labels with at least 12 relevant items), of which 50, 100 or
300 keep their labels. Of the entries that ``fill_confident`` fills in at a precision, the share that is right is
compared for plain probabilities and for the lowered ones of :mod:`halflabel.evidence.lower_bounds`. With
``--positive`` a third of at most 1500 items is annotated, 30 % of their labels are removed, and the label frequency is
given. "stated" is the mean probability of these entries, and "printed" the share of the completions in which it is
printed.

    python benchmarks/precision.py [--sets scene medical] [--repeats 1] [--first-seed 1] [--positive]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import load_frequent, make_parser, use_one_thread

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.labels.calibration import fill_confident

SETS = ("scene", "yahoo-arts", "medical", "yeast", "ohsumed", "emotions", "msrc", "langlog")
NUMBERS, PRECISIONS = (50, 100, 300), (0.9, 0.95)


def hide_all_but(labels, n, rng):
    """Return the labels of ``n`` random items."""
    unlabelled = np.ones(len(labels), dtype=bool)
    unlabelled[rng.permutation(len(labels))[:n]] = False
    return labels.hide(np.repeat(unlabelled[:, None], labels.shape[1], axis=1))


def drop_positives(labels, rng):
    """Return positive-only labels: a third of the items, 70 % of their relevant entries."""
    annotated = rng.random(len(labels)) < 1 / 3
    assigned = labels.relevant & (rng.random(labels.shape) < 0.7)
    return PartialLabels.from_positives(np.where(annotated[:, None], assigned.astype(float), np.nan))


def make_cases(name, seed, options):
    """Yield features, truth, known labels and the number of labelled items."""
    X, labels = load_frequent(name, 1500 if options.positive else 900, seed)
    if options.positive:
        known = drop_positives(labels, np.random.default_rng(seed))
        yield X, labels, known, int(known.annotated.sum())
        return
    for n in NUMBERS:
        if n <= 0.6 * len(labels):
            yield X, labels, hide_all_but(labels, n, np.random.default_rng(seed)), n


def measure(options):
    """Yield one record per case, precision and rule."""
    for seed in range(options.first_seed, options.first_seed + options.repeats):
        for name in options.sets:
            for X, truth, known, n in make_cases(name, seed, options):
                rate = 0.7 if options.positive else None
                filled = hl.complete(X, known, method=AutoLabeler(options.effort, observed_rate=rate))
                learned = [truth.names.index(label) for label in filled.labels.names]  # the others are not filled in
                yield from describe(filled, truth.relevant[:, learned], {"set": name, "labelled": n}, options)


def describe(filled, truth, case, options):
    """Yield one record per precision, rule and value."""
    evidence = filled.evidence
    gaps = ~evidence.labels.observed
    p = np.where(gaps, evidence.probabilities, np.nan)
    for precision in PRECISIONS:
        for rule, state in {"plain": fill_confident(p, precision), "lowered": evidence.fill_at(precision)}.items():
            for value, chosen, right, stated in (
                ("relevant", state > 0, truth, p),
                ("irrelevant", state < 0, ~truth, 1 - p),
            ):
                yield case | {
                    "labelled": "third" if options.positive else case["labelled"],
                    "precision": precision,
                    "value": value,
                    "rule": rule,
                    "filled": chosen.sum(),
                    "right": (chosen & right).sum(),
                    "of": (gaps & right).sum(),
                    "stated": stated[chosen].sum(),
                    "printed": evidence.has_precision,
                }


def main():
    """Print the share of right values, and the share of the relevant entries that was filled in."""
    parser = make_parser(__doc__, SETS, 1)
    parser.add_argument("--effort", default="default")
    parser.add_argument("--first-seed", type=int, default=0, help="the rule was chosen on seed 0")
    parser.add_argument("--positive", action="store_true", help="positive-only labels")
    with use_one_thread():
        records = pd.DataFrame(measure(parser.parse_args()))
    keys = ["value", "precision", "labelled", "rule"]
    table = records.groupby(keys, sort=False)[["filled", "right", "of", "stated"]].sum()
    many = records[records["filled"] >= 50]
    table["stated"], table["printed"] = table["stated"] / table["filled"], records.groupby(keys)["printed"].mean()
    table["share right"], table["share filled"] = table["right"] / table["filled"], table["filled"] / table["of"]
    shares = (many["right"] / many["filled"]).groupby([many[key] for key in keys])
    table["worst of 50 or more"], table["cells"] = shares.min(), shares.size()
    wrong = many["right"] / many["filled"] < many["precision"] - 0.02
    table["cells below"] = wrong.groupby([many[key] for key in keys]).sum()
    print(table.round(3).to_string())


if __name__ == "__main__":
    main()
