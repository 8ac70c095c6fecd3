"""A simulated reviewer: how many answers the queues of the review page save, and what they do to the probabilities.

Protocol: at most 400 random items (the 15 most frequent labels with at least 12 relevant items). A tenth of the items
is labelled, and 3 % of the given entries are wrong. The reviewer answers 100 questions at a time with the truth, and
the table is completed again after each batch (the page does so after 20). The orders are:

random            any filled entry;
uncertain         the queue of the review page, of which one question in eight is random;
pure uncertain    the same without random questions;
boundary          the queue of entries near the thresholds, one question in eight is random;
with suspects     "uncertain"; three questions in ten are about doubtful given entries, and all answers calibrate;
left out          the same questions, but doubtful given entries do not calibrate after their answer;
random calibrate  "uncertain", but answers to questions that are not random do not calibrate.

Figures: the number of answers at which an order leaves no more errors in the table than the random order leaves after
all answers, relative to these: wrong values, and squared errors of the probabilities (given and answered entries count
with their values); the expected calibration error (15 bins) after all answers, on entries that were neither given nor
answered; and in how many runs the true number of wrong filled values lies in the 90 % band of the estimate, before the
first answer and after the last one. Runs are written to a log one by one, so that an interrupted benchmark continues.

    python benchmarks/review_queries.py [--sets scene medical] [--repeats 1] [--answers 500] [--effort fast]
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from _common import (
    append_record,
    choose_unlabelled,
    load_frequent,
    make_parser,
    read_records,
    split_labels,
    time_cpu,
    use_one_thread,
)  # fmt: skip

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.labels.metrics import ece
from halflabel.review_page import queues
from halflabel.review_page.fits import Fit, measure_flips, read_thresholds

SETS = ("scene", "medical", "ohsumed", "emotions", "yeast", "enron")
FLIPS = 0.03
ORDERS = ("random", "uncertain", "with suspects", "left out")
FURTHER = ("pure uncertain", "boundary", "random calibrate")
KEYS = ["set", "seed", "order", "answers", "batch", "effort"]


def choose(order, now, n):
    """Return the next questions as one row each: row, column, reason."""
    n_suspects = 3 * n // 10 if order in ("with suspects", "left out") else 0
    kind = order if order in queues.KINDS else "uncertain"
    if order == "pure uncertain":
        mask, score = queues.KINDS[kind](now, now.fit)
        cells = queues.take_highest(mask, score, n)
        return pd.DataFrame([(*divmod(cell, now.given.shape[1]), kind) for cell in cells])
    asked = queues.choose_questions(now, kind, n - n_suspects)
    if n_suspects:
        asked += queues.choose_questions(now, "suspects", n_suspects)
    return pd.DataFrame([(q.row, q.column, q.why) for q in asked]).drop_duplicates([0, 1])


class Reviewer:
    """A table with flipped entries, and answers that are the truth."""

    def __init__(self, name, seed, order, effort):
        self.X, self.truth = load_frequent(name, 400, seed)
        rng = np.random.default_rng(seed)
        known, _ = split_labels(self.truth, choose_unlabelled(len(self.truth), 0.1, rng))
        flips = known.observed & (rng.random(known.shape) < FLIPS)
        self.given = np.where(flips, -known.state, known.state).astype(np.int8)
        self.answers, self.why = np.zeros_like(self.given), np.full(self.given.shape, "", dtype=object)
        self.order, self.effort = order, effort

    @property
    def number(self):
        """The number of answers."""
        return int((self.answers != 0).sum())

    def complete(self):
        """Complete the table with the answers of this moment."""
        state = np.where(self.answers != 0, self.answers, self.given)
        labels = PartialLabels(state, self.truth.names, (state != 0).any(axis=1))
        excluded = {"left out": self.why == "suspects", "random calibrate": self.why == "uncertain"}.get(self.order)
        calibrates = None if excluded is None or not excluded.any() else ~excluded
        return hl.complete(self.X, labels, method=AutoLabeler(self.effort, random_state=0), calibrate_on=calibrates)

    def ask(self, completion, n):
        """Answer ``n`` questions with the truth."""
        asked = choose(self.order, queues.Situation(self.given, self.answers, self.summarize(completion)), n)
        rows, columns, why = (asked[j].to_numpy() for j in range(3))
        self.answers[rows, columns] = self.truth.state[rows, columns]
        self.why[rows, columns] = why

    def summarize(self, completion):
        """Return the fit as the queues need it; without the estimate of errors, which takes as long as a fit."""
        p = completion.probabilities.to_numpy(dtype=np.float32)
        flips, thresholds = measure_flips(completion), read_thresholds(completion)
        given = completion.labels.state
        return Fit("", 0, self.effort, completion.state, p, given, flips, thresholds, [], "being relevant")

    def measure(self, completion):
        """Return the numbers of answers and of wrong values, and the sum of the squared errors, as text."""
        relevant, p = self.truth.state > 0, completion.probabilities.to_numpy()
        p = np.where(completion.labels.observed, completion.labels.relevant, p)
        return f"{self.number}:{int((completion.state != self.truth.state).sum())}:{((p - relevant) ** 2).sum():.1f}"

    def check_band(self, completion):
        """Return whether the true number of wrong filled values lies in the band of the estimate."""
        filled = completion.state * ~completion.labels.observed
        wrong = int((filled * self.truth.state < 0).sum())
        total = completion.expected_errors.iloc[-1]
        return bool(total["low"] <= wrong <= total["high"])


def run(name, seed, order, options):
    """Return the record of one run; its curve is the number of wrong values after each batch."""
    reviewer = Reviewer(name, seed, order, options.effort)
    completion, curve = reviewer.complete(), []
    record = dict(zip(KEYS, (name, seed, order, options.answers, options.batch, options.effort), strict=True))
    record["first in band"] = reviewer.check_band(completion)
    while True:
        curve.append(reviewer.measure(completion))
        if reviewer.number >= options.answers:
            break
        reviewer.ask(completion, options.batch)
        completion = reviewer.complete()
    rest = reviewer.truth.hide((reviewer.given != 0) | (reviewer.answers != 0))
    record["ECE"] = ece(rest, completion.probabilities.to_numpy(), bins=15)
    record["last in band"] = reviewer.check_band(completion)
    return {**record, "curve": " ".join(curve)}


def count_answers(answers, errors, target):
    """Return the number of answers at which the errors are at most ``target``, interpolated; NaN if they never are."""
    errors = np.minimum.accumulate(errors)
    if errors[-1] > target:
        return np.nan
    k = int(np.argmax(errors <= target))
    if k == 0:
        return answers[0]
    step = (errors[k - 1] - target) / max(errors[k - 1] - errors[k], 1e-9)
    return answers[k - 1] + step * (answers[k] - answers[k - 1])


def measure_missing(options):
    """Make the runs that the log does not hold, and return those of these options."""
    before = read_records(options.log)
    done = set() if before.empty else set(before[KEYS].itertuples(index=False, name=None))
    for seed in range(options.repeats):
        for name in options.sets:
            for order in options.orders:
                if (name, seed, order, options.answers, options.batch, options.effort) not in done:
                    seconds, record = time_cpu(lambda n=name, s=seed, o=order: run(n, s, o, options))
                    append_record({**record, "seconds": round(seconds, 1)}, options.log)
                    print(name, seed, order, f"ECE {record['ECE']:.4f}, {record['curve']}", flush=True)
    table = read_records(options.log)
    is_asked = table["set"].isin(options.sets) & table["order"].isin(options.orders) & (table["seed"] < options.repeats)
    same = [table[key] == getattr(options, key) for key in ("answers", "batch", "effort")]
    return table[np.logical_and.reduce([is_asked, *same])]


def compare(table):
    """Return the table with the answers needed relative to the random order, by wrong values and by squared errors."""
    curves = [np.array([point.split(":") for point in text.split()], dtype=float).T for text in table["curve"]]
    keys = list(zip(table["set"], table["seed"], strict=True))
    random = {key: curve for key, curve, order in zip(keys, curves, table["order"], strict=True) if order == "random"}
    for j, name in ((1, "needed"), (2, "needed (squared)")):
        pairs = zip(keys, curves, strict=True)
        numbers = [count_answers(curve[0], curve[j], random[key][j, -1]) for key, curve in pairs]
        table = table.assign(**{name: np.array(numbers) / table["answers"].to_numpy()})
    return table.assign(wrong=[curve[1, -1] for curve in curves], squared=[curve[2, -1] for curve in curves])


def main():
    """Print the answers that each queue needs relative to the random order, and the calibration errors."""
    parser = make_parser(__doc__, SETS, 1)
    parser.add_argument("--answers", type=int, default=500)
    parser.add_argument("--batch", type=int, default=100, help="number of answers between two fits")
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--orders", nargs="+", default=list(ORDERS), choices=(*ORDERS, *FURTHER))
    parser.add_argument("--log", type=Path, default=Path("review_queries.csv"), help="file of the records")
    options = parser.parse_args()
    with use_one_thread():
        table = compare(measure_missing(options))
    columns = ["needed", "needed (squared)", "wrong", "squared", "ECE"]
    means = table.pivot_table(index="set", columns="order", values=columns, dropna=False, sort=False)
    for name in columns:
        print(f"\n{name}\n{means[name].round(3).to_string()}")
    print()
    for name in columns[:2]:
        for order, part in means[name].items():
            good = f"at most .6 of the answers on {(part <= 0.6).sum()} of {len(part)} sets"
            print(f"{name}, {order}: {good}, largest {part.max():.2f}")
    print("mean ECE:", ", ".join(f"{order} {value:.4f}" for order, value in means["ECE"].mean().items()))
    print(f"in the band: {table['first in band'].mean():.0%} at first, {table['last in band'].mean():.0%} at last")
    print(f"{table['seconds'].sum():.0f} CPU seconds in all")


if __name__ == "__main__":
    main()
