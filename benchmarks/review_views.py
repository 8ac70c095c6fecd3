"""What a minute of reading gives in the three views of the review page: entry, item, wall.

Protocol: 300 random items (the 15 most frequent labels with at least 12 relevant items), of which a fifth is labelled.
A scripted reader answers with the truth for some minutes: 1.2 seconds for each item that is read, 0.25 seconds for
each label of it that is decided (of a wall: for each exception). Batches are those of the page, and the table is
completed again after each minute and a half. The probability from which a label is asked together with others of its
item was chosen on the sets of CHOSE; those of SETS, the default, chose nothing.

Figures per view: answered entries a minute; wrong filled values removed a minute, by answers and fits; items read
per removed error; and at the number of errors that the entry view leaves at the end: the entries a minute until
then, and the time and the items read relative to those of the entry view.

    python benchmarks/review_views.py [--sets frogs] [--repeats 2] [--minutes 6]
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from _common import make_parser, use_one_thread
from stop_sentence import Review

from halflabel.review_page.answers import Record
from halflabel.review_page.queues import choose_questions
from halflabel.review_page.screens import choose_items, choose_walls

SETS = ("steel-faults", "frogs", "medsafe-llm", "tmc2007-500", "yahoo-health")
CHOSE = ("emotions", "scene", "yeast", "enron", "boardgames", "yahoo-arts", "medical", "yahoo-business")
LOOK, CHIP, FIT_EVERY = 1.2, 0.25, 90.0
VIEWS = {
    "entry": lambda now: [[question] for question in choose_questions(now, "uncertain", 50)],
    "item": lambda now: choose_items(now, "uncertain", 8),
    "wall": lambda now: choose_walls(now, "uncertain", 3, 24),
}


def answer(review, now, screen):
    """Answer the entries of a screen, and return the seconds and the number of items that the reader has read."""
    wrong = 0
    for question in screen:
        row, column = question.row, question.column
        value = int(review.truth.relevant[row, column])
        predicted = now.predict(row, column)
        wrong += predicted["filled"] not in (None, value)
        body = {"item": str(row), "label": review.truth.names[column], "value": value, "why": question.why}
        n = review.book.next_number
        review.book.apply(Record(n, "answer", "one", "", str(n), {**body, **predicted}))
    items = len({question.row for question in screen})
    decided = wrong if items > 1 else len(screen)
    return LOOK * items + CHIP * decided, items


def count_wrong(review, now):
    """Return the number of filled entries that are wrong, without those that are answered now."""
    left = replace(now, current=review.book.current).filled
    return int((now.fit.state * review.truth.state < 0)[left].sum())


def read(name, seed, view, minutes):
    """Return (seconds, answers, items read, errors left) at the start, after each screen and after each fit."""
    review = Review(name, seed, 0.0)
    now, seconds, n_read, fits = review.fit(), 0.0, 0, 1
    curve = [(0.0, 0, 0, count_wrong(review, now))]
    while seconds < 60 * minutes:
        end = min(60 * minutes, FIT_EVERY * fits)
        while seconds < end and (screens := VIEWS[view](replace(now, current=review.book.current))):
            for screen in screens:
                spent, items = answer(review, now, screen)
                seconds, n_read = seconds + spent, n_read + items
                curve.append((seconds, len(review.book), n_read, count_wrong(review, now)))
                if seconds >= end:
                    break
        is_over = seconds < end  # no question is left
        now, fits = review.fit(), fits + 1
        curve.append((seconds, len(review.book), n_read, count_wrong(review, now)))
        if is_over:
            break
    return np.array(curve, dtype=float)


def measure(name, seed, minutes):
    """Return one record for each view, all compared at the number of errors that the view "entry" leaves at the end."""
    curves = {view: read(name, seed, view, minutes) for view in VIEWS}
    target = curves["entry"][-1, 3]
    first = {view: curve[np.argmax(curve[:, 3] <= target)] for view, curve in curves.items()}
    for view, curve in curves.items():
        seconds, answers, n_read, left = curve[-1]
        removed = curve[0, 3] - left
        at_equal, at_entry = first[view], first["entry"]
        is_reached = bool((curve[:, 3] <= target).any())
        yield {
            "set": name,
            "view": view,
            "entries a minute": 60 * answers / seconds,
            "errors removed a minute": 60 * removed / seconds,
            "items per removed error": n_read / max(removed, 1),
            "errors left": left / curve[0, 3],
            "equal errors: entries a minute": 60 * at_equal[1] / at_equal[0] if is_reached else np.nan,
            "equal errors: time": at_equal[0] / at_entry[0] if is_reached else np.nan,
            "equal errors: items read": at_equal[2] / at_entry[2] if is_reached else np.nan,
        }


def main():
    """Print the figures of each view, per set and over all sets."""
    parser = make_parser(__doc__, SETS, 2)
    parser.add_argument("--minutes", type=float, default=6)
    options = parser.parse_args()
    with use_one_thread():
        table = pd.DataFrame(
            record
            for name in options.sets
            for seed in range(20, 20 + options.repeats)
            for record in measure(name, seed, options.minutes)
        )
    print(table.groupby(["set", "view"]).mean().round(2).to_string())
    print(table.drop(columns="set").groupby("view").mean().round(3).to_string())


if __name__ == "__main__":
    main()
