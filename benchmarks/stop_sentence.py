"""How often the sentence of the review page about the errors that are left is right, after answers.

Protocol: 300 random items (the 15 most frequent labels with at least 12 relevant items), of which a fifth is labelled,
and all or none of the given entries are right: with ``--noise``, this share of them is wrong, in every second run. The
truth is the answer to 100 questions of a queue, the table is completed again, and so on. In each state after answers
the number of wrong filled values is compared with the band of the sentence, and with the band that the probabilities
alone give. "queue stopped" is the share of states in which the page states that the queue no longer helps, and "stopped
rightly" the share of these in which the queue was no better than random questions. The rule was chosen on the sets of
CHOSE; those of REPORT, the default, chose nothing.

    python benchmarks/stop_sentence.py [--sets frogs] [--repeats 3] [--answers 300] [--noise 0.03]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import choose_unlabelled, load_frequent, make_parser, split_labels, use_one_thread

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.review_page.advice import advise
from halflabel.review_page.answers import AnswerBook, Record
from halflabel.review_page.fits import summarize_fit
from halflabel.review_page.queues import Situation, choose_questions

CHOSE = ("emotions", "scene", "msrc", "yeast", "enron", "gnegativego")
REPORT = ("steel-faults", "frogs", "medsafe-llm", "tmc2007-500", "yahoo-health", "yahoo-society")
BATCH = 100


class Review:
    """A table whose reviewer answers with the truth."""

    def __init__(self, name, seed, noise):
        self.X, self.truth = load_frequent(name, 300, seed)
        rng = np.random.default_rng(seed)
        known, _ = split_labels(self.truth, choose_unlabelled(len(self.truth), 0.2, rng))
        flips = known.observed & (rng.random(known.shape) < noise)
        given = np.where(flips, -known.state, known.state).astype(np.int8)
        self.labels = PartialLabels(given, self.truth.names, (given != 0).any(axis=1))
        self.book = AnswerBook(range(len(given)), self.truth.names)

    def fit(self):
        """Return the situation after a fit to the answers of this moment."""
        answers = self.book.to_answers() if len(self.book) else None
        method = AutoLabeler("fast", random_state=0)
        completion = hl.complete(self.X, self.labels, answers=answers, method=method)
        fit = summarize_fit(completion, n_records=0, effort="fast", seconds=0.0)
        return Situation(self.labels.state, self.book.current, fit.spread(completion.labels.names, self.labels))

    def answer(self, now, kind):
        """Answer the next questions of a queue, and return whether it had any."""
        questions = choose_questions(now, kind, BATCH)
        for question in questions:
            row, column = question.row, question.column
            n, value = self.book.next_number, int(self.truth.relevant[row, column])
            body = {"item": str(row), "label": self.truth.names[column], "value": value, "why": question.why}
            self.book.apply(Record(n, "answer", "one", "", str(n), {**body, **now.predict(row, column)}))
        return bool(questions)

    def measure(self, now):
        """Return the errors that are left and what the sentence states, or None if it states no number."""
        wrong = int((now.fit.state * self.truth.state < 0)[now.filled].sum())
        stated, alone = advise(now, self.book), advise(now, AnswerBook([], []))
        if "high" not in stated:
            return None
        inside = [round(each["low"]) <= wrong <= round(each["high"]) for each in (stated, alone)]
        return {
            "states": 1,
            "in the band": inside[0],
            "below its upper end": wrong <= round(stated["high"]),
            "in the band of the probabilities": inside[1],
            "expected errors shown": stated["expected"] is not None,
            "half width": (stated["high"] - stated["low"]) / 2 / max(wrong, 1),
        }

    def check_queue(self, now, kind):
        """Return whether the sentence states that a queue no longer helps, and whether that is right.

        It is right if the share of wrong values in the next 50 questions is at most 1.25 times that of all filled ones.
        """
        stated = "no longer helps" in advise(now, self.book)["sentence"]
        wrong = now.fit.state * self.truth.state < 0
        chosen = [wrong[each.row, each.column] for each in choose_questions(now, kind, 56) if each.why == kind]
        is_right = bool(chosen) and np.mean(chosen) <= 1.25 * wrong[now.filled].mean()
        return {"queue stopped": stated, "stopped rightly": float(is_right) if stated else np.nan}


def run(name, seed, noise, kind, answers):
    """Yield one record for each state after answers."""
    review = Review(name, seed, noise)
    now = review.fit()
    while len(review.book) < answers and review.answer(now, kind):
        now = review.fit()
        if (record := review.measure(now)) is not None:
            yield {"noise": noise, "queue": kind, **record, **review.check_queue(now, kind)}


def main():
    """Print the share of states in which the sentence is right."""
    parser = make_parser(__doc__, REPORT, 3)
    parser.add_argument("--answers", type=int, default=300)
    parser.add_argument("--noise", type=float, default=0.03)
    parser.add_argument("--queues", nargs="+", default=["uncertain", "rare", "random"])
    options = parser.parse_args()
    every = [
        (name, seed, noise, kind)
        for seed in range(10, 10 + options.repeats)
        for name in options.sets
        for noise in (0.0, options.noise)
        for kind in options.queues
    ]
    with use_one_thread():
        table = pd.DataFrame([record for each in every for record in run(*each, options.answers)])
    means = table.groupby(["noise", "queue"]).agg({"states": "sum"} | dict.fromkeys(table.columns[3:], "mean"))
    print(means.round(3).to_string())


if __name__ == "__main__":
    main()
