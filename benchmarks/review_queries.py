"""A simulated reviewer: how many answers a queue of questions saves, and what it does to the calibration.

Protocol: at most 400 random items (the 15 most frequent labels with at least 12 relevant items), of which a tenth is
labelled and 3 % of the given entries are wrong. The reviewer answers 50 questions at a time with the truth: at random;
from the queue "uncertain" of the review page, of which one question in eight is random; or from this queue and, for
three questions in ten, from the queue "suspects". After every 50 answers the table is completed again; answers about
suspects calibrate no probability. Figures: the number of answers at which a queue leaves no more errors in the table
than the random order leaves after all answers, relative to these; and the calibration error on the entries that were
neither given nor answered, with and without answers about suspects in the calibration.

    python benchmarks/review_queries.py [--sets scene medical] [--repeats 1] [--answers 500] [--effort fast]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import choose_unlabelled, load_frequent, make_parser, split_labels, use_one_thread

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.labels.metrics import ece
from halflabel.review.fits import summarize_fit
from halflabel.review.queues import Situation, choose_questions

SETS = ("scene", "medical", "ohsumed", "emotions", "yeast", "enron")
BATCH, FLIPS = 50, 0.03
ORDERS = ("random", "uncertain", "with suspects")


def ask(order, given, answers, completion, effort):
    """Return the rows and columns of the next questions, and which of them are about suspects."""
    fit = summarize_fit(completion, n_records=0, effort=effort, seconds=0.0)
    now = Situation(given=given, current=answers, fit=fit)
    n_suspects = 3 * BATCH // 10 if order == "with suspects" else 0
    kind = "random" if order == "random" else "uncertain"
    questions = choose_questions(now, kind, BATCH - n_suspects)
    if n_suspects:
        questions += choose_questions(now, "suspects", n_suspects)
    places = pd.DataFrame([(q.row, q.column, q.why == "suspects") for q in questions]).drop_duplicates([0, 1])
    return tuple(places[name].to_numpy() for name in (0, 1, 2))


def run(name, seed, order, options, calibrate_all=False):
    """Yield answers, errors left in the table and the calibration error after each batch."""
    X, truth = load_frequent(name, 400, seed)
    rng = np.random.default_rng(seed)
    known, _ = split_labels(truth, choose_unlabelled(len(truth), 0.1, rng))
    flips = known.observed & (rng.random(known.shape) < FLIPS)
    given = np.where(flips, -known.state, known.state).astype(np.int8)
    answers, suspected = np.zeros_like(given), np.zeros(given.shape, dtype=bool)
    while True:
        state = np.where(answers != 0, answers, given)
        labels = PartialLabels(state, truth.names, (state != 0).any(axis=1))
        calibrates = None if calibrate_all else ~suspected
        completion = hl.complete(X, labels, method=AutoLabeler(options.effort), calibrate_on=calibrates)
        rest = truth.hide((given != 0) | (answers != 0))
        wrong = int((completion.state != truth.state).sum())
        yield int((answers != 0).sum()), wrong, ece(rest, completion.probabilities.to_numpy(), bins=15)
        if (answers != 0).sum() >= options.answers:
            return
        rows, columns, about_suspects = ask(order, given, answers, completion, options.effort)
        answers[rows, columns] = truth.state[rows, columns]
        suspected[rows, columns] = about_suspects


def count_answers(curve, target):
    """Return the number of answers at which the errors are at most ``target``, interpolated; NaN if they never are."""
    answers, errors = curve[:, 0], np.minimum.accumulate(curve[:, 1])
    if errors[-1] > target:
        return np.nan
    k = int(np.argmax(errors <= target))
    if k == 0:
        return answers[0]
    step = (errors[k - 1] - target) / max(errors[k - 1] - errors[k], 1e-9)
    return answers[k - 1] + step * (answers[k] - answers[k - 1])


def main():
    """Print the answers that each queue needs relative to the random order, and the calibration errors."""
    parser = make_parser(__doc__, SETS, 1)
    parser.add_argument("--answers", type=int, default=500)
    parser.add_argument("--effort", default="fast")
    options, records = parser.parse_args(), []
    with use_one_thread():
        for name in options.sets:
            for seed in range(options.repeats):
                curves = {order: np.array(list(run(name, seed, order, options))) for order in ORDERS}
                curves["all calibrate"] = np.array(list(run(name, seed, "with suspects", options, calibrate_all=True)))
                last, total = curves["random"][-1, 1], curves["random"][-1, 0]
                for order, curve in curves.items():
                    needed = count_answers(curve, last) / total
                    records.append({"set": name, "order": order, "answers": needed, "ECE": curve[-1, 2]})
                    print(name, seed, order, f"{needed:.2f} {curve[-1, 1]:.0f} {curve[-1, 2]:.4f}", flush=True)
    table = pd.DataFrame(records).pivot_table(index="set", columns="order", values=["answers", "ECE"])
    print(table.round(3).to_string())


if __name__ == "__main__":
    main()
