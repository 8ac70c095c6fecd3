"""Accuracy when items are labelled in the order of next_to_label, relative to a random order.

Protocol: at most 600 random items (the 15 most frequent labels with at least 12 relevant items), a third of them for
testing; their features are known. 5 % of the others are labelled at random; then 20 items at a time are labelled as
``Completion.next_to_label`` asks, or at random, until 30 % are. After every second step AutoLabeler is fitted. Figures
are the Brier score and micro-F1 on the test items, relative to the mean of several random orders of the same start
(one random order alone varies by 1 to 3 %). The order was chosen on the sets of ``CHOSEN_ON`` (with a kernel ridge
regression and trees); the other sets were not used for tuning. Results are written to a
log run by run, so that an interrupted run continues.

    python benchmarks/next_to_label.py [--sets scene medical] [--repeats 5] [--random-orders 5] [--log next.csv]
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _common import append_record, load_frequent, make_parser, read_records, use_one_thread

from halflabel import AutoLabeler
from halflabel.evidence.components import take_components
from halflabel.evidence.questions import rank_questions
from halflabel.labels.metrics import brier, micro_f1

CHOSEN_ON = ("medical", "yeast", "yahoo-arts", "langlog")
REPORTED_ON = ("scene", "ohsumed", "emotions", "gnegativego", "enron", "msrc")
BATCH, START, END, FIT_EVERY = 20, 0.05, 0.3, 2


def choose_next(order, labels, labelled, components, is_test, rng):
    """Return the next items to label; test items are never asked. The order does not depend on a fit."""
    if order == "random":
        return rng.choice(np.flatnonzero(~labelled & ~is_test), BATCH, replace=False)
    keep = np.flatnonzero(~is_test)
    known = labels[keep].hide(np.repeat(~labelled[keep, None], labels.shape[1], axis=1))
    p = np.full(known.shape, 0.5)
    found = rank_questions(known, p, components[keep], BATCH, np.random.default_rng(0))
    return keep[found["position"].to_numpy()]


def run(X, labels, seed, order, effort, random_seed=0):
    """Yield the errors on the test items after every second step."""
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(len(labels))
    test, others = shuffled[: len(labels) // 3], shuffled[len(labels) // 3 :]
    labelled = np.zeros(len(labels), dtype=bool)
    labelled[others[: max(round(START * len(others)), 10)]] = True
    is_test = np.isin(np.arange(len(labels)), test)
    hidden = labels.hide(np.repeat(~is_test[:, None], labels.shape[1], axis=1))
    components, steps = take_components(X, np.random.default_rng(0)), 0
    if random_seed:
        rng = np.random.default_rng([seed, random_seed])
    while labelled.sum() + BATCH <= END * len(others):
        labelled[choose_next(order, labels, labelled, components, is_test, rng)] = True
        steps += 1
        if steps % FIT_EVERY == 0:
            model = AutoLabeler(effort, rule="micro_f1").fit(
                X, labels.hide(np.repeat(~labelled[:, None], labels.shape[1], axis=1))
            )
            yield brier(hidden, model.label_probabilities_), micro_f1(hidden, model.transduction_)


def measure(name, seed, effort, n_orders):
    """Return the record of one run: the order of next_to_label, and random orders of the same start."""
    X, labels = load_frequent(name, 600, seed)
    asked = np.array(list(run(X, labels, seed, "asked", effort)))
    orders = [np.array(list(run(X, labels, seed, "random", effort, k))) for k in range(n_orders)]
    random = np.mean(orders, axis=0)
    return {
        "set": name,
        "seed": seed,
        "effort": effort,
        "random orders": n_orders,
        "Brier / random": (asked[:, 0] / random[:, 0]).mean(),
        "micro-F1 - random": (asked[:, 1] - random[:, 1]).mean(),
        "random better": np.mean([(order[:, 0] / asked[:, 0]).mean() < 1 for order in orders]),
    }


def measure_missing(options):
    """Measure the runs that the log does not hold, and return all of its records."""
    before = read_records(options.log)
    key = ["set", "seed", "effort", "random orders"]
    done = set() if before.empty else set(before[key].itertuples(index=False, name=None))
    for seed in range(options.repeats):
        for name in options.sets:
            if (name, seed, options.effort, options.random_orders) not in done:
                record = measure(name, seed, options.effort, options.random_orders)
                append_record(record, options.log)
                print(*(f"{v:.4f}" if isinstance(v, float) else v for v in record.values()), flush=True)
    table = read_records(options.log)
    return table[(table["effort"] == options.effort) & (table["random orders"] == options.random_orders)]


def main():
    """Print the mean errors of every set, relative to the random order."""
    parser = make_parser(__doc__, (*CHOSEN_ON, *REPORTED_ON), 5)
    parser.add_argument("--effort", default="default")
    parser.add_argument("--random-orders", type=int, default=5, help="random orders that are averaged")
    parser.add_argument("--log", type=Path, default=Path("next_to_label.csv"), help="file of the records")
    with use_one_thread():
        table = measure_missing(parser.parse_args())
    print(table.groupby("set")[["Brier / random", "micro-F1 - random"]].mean().round(3).to_string())
    chosen = table["set"].isin(CHOSEN_ON)
    for title, part in (("chosen on", table[chosen]), ("reported on", table[~chosen]), ("all", table)):
        ratio, gain = part["Brier / random"], part["micro-F1 - random"]
        better = f"better in {(ratio < 1).mean():.0%} of {len(part)} runs" if len(part) else "no run"
        print(f"{title}: Brier / random {ratio.mean():.3f}, micro-F1 {gain.mean():+.3f}, {better}")


if __name__ == "__main__":
    main()
