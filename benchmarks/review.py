"""What a minute of a scripted reader gives on the review page, and how often its sentence about the errors is right.

Protocol: 300 random items (the 15 most frequent labels with at least 12 relevant items), of which a fifth is labelled.
The reader answers with the truth for some minutes: 1.2 seconds for each item, 0.25 seconds for each label of it. The
table is completed again after each minute and a half. Two orders are compared: that of the page, and that of the page
of commit 5da2eab5 by default (single values, the most doubtful first, at most three of an item). The sets of SETS chose
nothing. In every second run a share of the given values is wrong (``--noise``).

Figures: answers and removed errors a minute, over all minutes; the errors that are left, relative to the start; the
time after which the page leaves no more errors than the single values leave at the end ("speed": how many times
sooner); and the share of states with a number in which the wrong values lie in the band of the sentence. An order that
has removed nearly all errors removes few more: then only the speed compares the orders.

    python benchmarks/review.py [--sets frogs] [--repeats 2] [--minutes 6] [--noise 0.03]
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from _common import choose_unlabelled, load_frequent, make_parser, split_labels, use_one_thread

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.review_page.advice import advise
from halflabel.review_page.answers import AnswerBook, Record
from halflabel.review_page.fits import summarize_fit
from halflabel.review_page.queues import Question, Situation, choose_screens, mix, shuffle_entries, take_highest

SETS = ("steel-faults", "frogs", "medsafe-llm", "tmc2007-500", "yahoo-health")
LOOK, CHIP, FIT_EVERY = 1.2, 0.25, 90.0


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
    return mix(chosen[: n - n // 8], [[Question(*place, "random")] for place in places])


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

    def fit(self):
        """Return the situation after a fit to the answers of this moment."""
        answers = self.book.to_answers() if len(self.book) else None
        completion = hl.complete(self.X, self.labels, answers=answers, method=AutoLabeler("fast", random_state=0))
        fit = summarize_fit(completion).spread(completion.labels.names, self.labels)
        return Situation(self.labels.state, self.book.current, fit)

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


def read(name, seed, noise, order, minutes):
    """Return the figures of one reader, and (seconds, errors left) after each screen and fit."""
    review = Review(name, seed, noise)
    now, seconds, fits, states = review.fit(), 0.0, 1, []
    curve = [(0.0, review.count_wrong(now))]
    while seconds < 60 * minutes:
        end = min(60 * minutes, FIT_EVERY * fits)
        while seconds < end and (screens := ORDERS[order](replace(now, current=review.book.current))):
            for screen in screens:
                seconds += review.answer(now, screen)
                curve.append((seconds, review.count_wrong(now)))
                if seconds >= end:
                    break
        is_over = seconds < end  # no question is left
        now, fits = review.fit(), fits + 1
        states.append(review.check_sentence(now))
        curve.append((seconds, review.count_wrong(now)))
        if is_over:
            break
    stated = [each for each in states if each is not None]
    (_, start), (_, left) = curve[0], curve[-1]
    return curve, {"set": name, "noise": noise, "order": order, "answers a minute": 60 * len(review.book) / seconds,
                   "errors removed a minute": 60 * (start - left) / seconds, "errors left": left / start,
                   "states": len(stated), "in the band": np.mean(stated) if stated else np.nan}  # fmt: skip


def compare(name, seed, noise, minutes):
    """Yield the figures of each order. Speed is the time of the single values over that of the page."""
    results = {order: read(name, seed, noise, order, minutes) for order in ORDERS}
    single, page = (np.array(results[order][0]) for order in ("single values", "page"))
    target = max(single[-1, 1], page[-1, 1])
    times = [curve[np.argmax(curve[:, 1] <= target), 0] for curve in (single, page)]
    for order, (_, figures) in results.items():
        yield {**figures, "speed": times[0] / times[1] if order == "page" else 1.0}


def main():
    """Print the figures of each set and order."""
    parser = make_parser(__doc__, SETS, 2)
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--noise", type=float, default=0.03)
    options = parser.parse_args()
    with use_one_thread():
        table = pd.DataFrame(
            figures
            for name in options.sets
            for seed in range(20, 20 + options.repeats)
            for figures in compare(name, seed, options.noise * (seed % 2), options.minutes)
        )
    means = table.drop(columns="noise").groupby(["set", "order"]).mean()
    print(means.round(2).to_string())
    print(table.groupby(["noise", "order"])[["states", "in the band"]].mean().round(3).to_string())
    removed = means["errors removed a minute"].unstack()
    print((removed["page"] / removed["single values"]).round(2).to_string())


if __name__ == "__main__":
    main()
