"""What a minute of a scripted reader gives on the review page, and how often its sentence about the errors is right.

Protocol: 300 random items (the 15 most frequent labels with at least 12 relevant items), of which a fifth is labelled.
The reader answers with the truth for some minutes: 1.2 seconds for each item, 0.25 seconds for each label of it. The
last fit learns five answers at a time, and there is a new fit after 50, as on the page. Two orders are compared: that
of the page, and that of the page of commit 5da2eab5 by default (single values, the most doubtful first, at most three
of an item). The sets of SETS chose nothing. In every second run a share of the given values is wrong (``--noise``).

Figures: answers and removed errors a minute, over all minutes; the errors that are left, relative to the start; the
share of new fits after which the page has a number of errors, and the share of these numbers in whose band the wrong
values lie. Then the Brier score of the gaps without an answer after some answers in the order of the page: by the fit
before them, by its update, and by a new fit.

    python benchmarks/review.py [--sets frogs] [--repeats 2] [--minutes 3] [--noise 0.03]
"""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np
import pandas as pd
from _common import choose_unlabelled, load_frequent, make_parser, split_labels, use_one_thread

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.review_page.advice import advise
from halflabel.review_page.answers import AnswerBook, Record
from halflabel.review_page.fits import summarize_fit
from halflabel.review_page.outputs import list_answers
from halflabel.review_page.queues import Question, Situation, choose_screens, mix, shuffle_entries, take_highest
from halflabel.review_page.review import REFIT_ANSWERS, UPDATE_ANSWERS

SETS = ("steel-faults", "frogs", "medsafe-llm", "tmc2007-500", "yahoo-health")
LOOK, CHIP = 1.2, 0.25
UPDATES = (25, 50, 100)


def choose_single(now, n=48):
    """Return single values as the page of commit 5da2eab5 did by default."""
    order = take_highest(now.filled, now.fit.wrong, 20 * n)
    per_item, chosen = {}, []
    for cell in order:
        row, column = divmod(cell, now.given.shape[1])
        per_item[row] = per_item.get(row, 0) + 1
        if per_item[row] <= 3:
            chosen.append([Question(row, column, "uncertain")])
    free = now.filled.copy()
    for [each] in chosen[:n]:
        free[each.row, each.column] = False
    places = (divmod(cell, free.shape[1]) for cell in take_highest(free, shuffle_entries(now), n // 8))
    return mix(chosen[: n - n // 8], [[Question(*place, "random")] for place in places], now)


ORDERS = {"page": lambda now: choose_screens(now, "uncertain", 24), "single values": choose_single}


class Review:
    """A table whose reader answers with the truth."""

    def __init__(self, name, seed, noise):
        self.X, self.truth = load_frequent(name, 300, seed)
        rng = np.random.default_rng(seed)
        known, _ = split_labels(self.truth, choose_unlabelled(len(self.truth), 0.2, rng))
        flips = known.observed & (rng.random(known.shape) < noise)
        given = np.where(flips, -known.state, known.state).astype(np.int8)
        self.labels = PartialLabels(given, self.truth.names, (given != 0).any(axis=1))
        self.book = AnswerBook(range(len(given)), self.truth.names)

    def fit(self, last=None):
        """Return a completion with the answers of this moment: an update of the last one, or a new fit."""
        answers = list_answers(self.book, pd.RangeIndex(len(self.truth))) if len(self.book) else None
        with contextlib.suppress(ValueError):  # only a new fit can learn a label's first value of one kind
            if last is not None:
                return last.update(answers)
        return hl.complete(self.X, self.labels, answers=answers, method=AutoLabeler("fast", random_state=0))

    def view(self, completion):
        """Return the situation after a fit."""
        fit = summarize_fit(completion).spread(completion.labels.names, self.labels)
        return Situation(self.labels.state, self.book.current, fit)

    def measure_gaps(self, completion):
        """Return the Brier score of the gaps without an answer."""
        p = self.view(completion).fit.p
        gaps = (self.labels.state == 0) & (self.book.current == 0)
        return np.mean((p - self.truth.relevant)[gaps] ** 2)

    def answer(self, now, screen):
        """Answer the entries of a screen, and return the seconds that the reader needs."""
        for each in screen:
            n, value = self.book.next_number, int(self.truth.relevant[each.row, each.column])
            body = {"item": str(each.row), "label": self.truth.names[each.column], "value": value, "why": each.why}
            record = Record(n, "answer", "one", "", str(n), {**body, **now.predict(each.row, each.column)})
            self.book.apply(record)
        return LOOK + CHIP * len(screen)

    def count_wrong(self, now):
        """Return the number of filled entries without an answer that are wrong."""
        return int((now.fit.state * self.truth.state < 0)[replace(now, current=self.book.current).filled].sum())

    def check_sentence(self, now):
        """Return whether the number of wrong values lies in the band of the page, or None if it has no number."""
        stated, wrong = advise(now, self.book), self.count_wrong(now)
        if stated["expected"] is None:
            return None
        return np.floor(stated["low"]) <= wrong <= np.ceil(stated["high"])


def compare_updates(name, seed):
    """Yield Brier scores of gaps after some answers of the page's order: without them, updated, and fitted again."""
    review = Review(name, seed, 0)
    first = review.fit()
    screens = ORDERS["page"](replace(review.view(first), current=review.book.current))
    for number in UPDATES:
        while len(review.book) < number and screens:
            review.answer(review.view(first), screens.pop(0))
        updated, fitted = review.fit(first), review.fit()
        scores = [review.measure_gaps(each) for each in (first, updated, fitted)]
        yield {"set": name, "answers": number, **dict(zip(("before", "update", "new fit"), scores, strict=True))}


def read(name, seed, noise, order, minutes):
    """Return the figures of one reader."""
    review = Review(name, seed, noise)
    completion, seconds, learned, fitted, states = review.fit(), 0.0, 0, 0, []
    now = review.view(completion)
    start = review.count_wrong(now)
    while seconds < 60 * minutes and (screens := ORDERS[order](replace(now, current=review.book.current))):
        for screen in screens:
            seconds += review.answer(now, screen)
            if len(review.book) - learned >= UPDATE_ANSWERS:
                break
        learned, is_due = len(review.book), len(review.book) - fitted >= REFIT_ANSWERS
        completion = review.fit(None if is_due else completion)
        now = review.view(completion)
        if is_due:
            fitted = learned
            states.append(review.check_sentence(now))
    stated = [each for each in states if each is not None]
    left = review.count_wrong(now)
    return {"set": name, "noise": noise, "order": order, "answers a minute": 60 * learned / seconds,
            "errors removed a minute": 60 * (start - left) / seconds, "errors left": left / start,
            "with a number": len(stated) / len(states), "in the band": pd.Series(stated).mean()}  # fmt: skip


def main():
    """Print the figures of each set and order."""
    parser = make_parser(__doc__, SETS, 2)
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--noise", type=float, default=0.03)
    options = parser.parse_args()
    runs = [(name, seed) for name in options.sets for seed in range(20, 20 + options.repeats)]
    with use_one_thread():
        readers = [read(*run, options.noise * (run[1] % 2), order, options.minutes) for run in runs for order in ORDERS]
        updates = [figures for run in runs for figures in compare_updates(*run)]
    table = pd.DataFrame(readers)
    print(table.drop(columns="noise").groupby(["set", "order"]).mean().round(2).to_string())
    print(table.groupby(["noise", "order"])[["with a number", "in the band"]].mean().round(3).to_string())
    print(pd.DataFrame(updates).groupby(["set", "answers"]).mean().round(4).to_string())


if __name__ == "__main__":
    main()
