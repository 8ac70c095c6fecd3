"""Screens of several entries: the doubtful labels of one item, or a wall of items of one label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Ints, Mask
from halflabel.labels.reasons import Reason
from halflabel.review_page.fits import Fit
from halflabel.review_page.queues import (
    KINDS,
    RANDOM_EVERY,
    Question,
    Scores,
    Situation,
    choose_questions,
    limit_entries,
    mix,
    shuffle_entries,
    take_highest,
)

#: An entry is doubtful if its value is wrong with at least this probability.
DOUBT = 0.1

#: A label is asked together with others of its item if its value is wrong with at least this probability. It is lower
#: than for a doubtful entry, because the item is read in any case. docs/measured/review.md has the choice.
TOGETHER = 0.03

#: Maximum number of labels that are asked about one item: each one has a key.
MAX_CHIPS = 9

#: Seconds that a reader needs for an item and for one of its labels. They decide which items come first.
LOOK, CHIP = 1.2, 0.25

#: Numbers of items of a wall.
WALLS = (12, 24, 48)


def is_doubtful(now: Situation) -> Mask:
    """Return the open entries whose value is wrong with at least the probability :data:`DOUBT`."""
    return now.open_entries if now.fit is None else now.open_entries & (now.fit.wrong >= DOUBT)


def choose_items(
    now: Situation,
    kind: str,
    n: int,
    *,
    label: int | None = None,
    rows: Ints | None = None,
    exclude: Ints | None = None,
) -> list[list[Question]]:
    """Return the questions of at most ``n`` screens, each one about the labels of one item that may be wrong.

    The arguments are as of :func:`halflabel.review_page.queues.choose_questions`.

    Notes
    -----
    Items come in the order of the errors that a second of reading removes. One screen in eight begins with a random
    filled entry, which the page shows without its value. Before the first fit, items are random, and all of their open
    labels are asked.
    """
    allowed = limit_entries(now.given.shape, label, rows, exclude)
    if now.fit is None:
        return _choose_unread(now, now.open_entries & allowed, n)
    mask, score = _rank(now, now.fit, kind, TOGETHER)
    if kind == Reason.RANDOM:
        return [[question] for question in choose_questions(now, kind, n, label=label, rows=rows, exclude=exclude)]
    score = np.where(mask & allowed, score, 0)
    best, total = _take_best(score, MAX_CHIPS, axis=1)
    gain = total / (LOOK + CHIP * (np.take_along_axis(score, best, axis=1) > 0).sum(axis=1))
    order = [row for row in np.argsort(-gain, kind="stable")[:n].tolist() if gain[row] > 0]
    screens = [[Question(row, int(j), kind) for j in best[row] if score[row, j] > 0] for row in order]
    if rows is not None or label is not None:  # random entries of a part do not measure the errors of the whole table
        return screens
    free = now.filled & allowed
    free[order] = False
    random = take_highest(free, shuffle_entries(now), min(-(-n // RANDOM_EVERY), len(screens)))
    return mix(screens[: n - len(random)], [_add_doubtful(cell, score, best, kind) for cell in random])


def choose_walls(
    now: Situation,
    kind: str,
    n: int,
    size: int,
    *,
    label: int | None = None,
    rows: Ints | None = None,
    exclude: Ints | None = None,
) -> list[list[Question]]:
    """Return the questions of at most ``n`` walls: the items with the same value of one label that are most doubtful.

    Before the first fit there is no wall, because there are no values. Entries that are chosen by one value of one
    label are not a fair sample, so that their answers do not calibrate.
    """
    if now.fit is None:
        return []
    mask, score = _rank(now, now.fit, kind, DOUBT)
    score = np.where(mask & limit_entries(now.given.shape, label, rows, exclude), score, 0)
    value = np.where(np.abs(now.current) == 1, now.current, now.fit.state)
    walls: list[tuple[float, list[Question]]] = []
    for sign in (1, -1):
        of_value = np.where(value == sign, score, 0)
        best, total = _take_best(of_value, max(size, 1), axis=0)
        walls += [
            (total[j], [Question(int(i), j, Reason.WALL.value) for i in best[:, j] if of_value[i, j] > 0])
            for j in np.flatnonzero(total).tolist()
        ]
    walls.sort(key=lambda wall: -wall[0])
    return [questions for _, questions in walls[:n]]


def _rank(now: Situation, fit: Fit, kind: str, doubt: float) -> tuple[Mask, Scores]:
    """Return the entries of a queue and their scores. Uncertain ones have at least the score ``doubt``, if any."""
    mask, score = KINDS[kind](now, fit)
    if kind == Reason.UNCERTAIN and (doubtful := mask & (score >= doubt)).any():
        mask = doubtful
    return mask, score


def _take_best(score: Scores, k: int, axis: int) -> tuple[Ints, NDArray[np.float64]]:
    """Return the places of the ``k`` highest scores along an axis, the highest first, and their sums."""
    k = min(k, score.shape[axis])
    best = np.argpartition(-score, k - 1, axis=axis).take(range(k), axis=axis)
    values = np.take_along_axis(score, best, axis=axis)
    order = np.argsort(-values, axis=axis, kind="stable")
    total: NDArray[np.float64] = values.sum(axis=axis, dtype=np.float64)
    return np.take_along_axis(best, order, axis=axis), total


def _add_doubtful(cell: int, score: Scores, best: Ints, kind: str) -> list[Question]:
    """Return a random entry, and the doubtful labels of its item after it."""
    row, column = divmod(cell, score.shape[1])
    others = [int(j) for j in best[row] if score[row, j] > 0 and j != column]
    return [Question(row, column, Reason.RANDOM.value), *(Question(row, j, kind) for j in others[: MAX_CHIPS - 1])]


def _choose_unread(now: Situation, free: Mask, n: int) -> list[list[Question]]:
    """Return the open labels of random items."""
    rows = np.flatnonzero(free.any(axis=1))
    order: Sequence[int] = rows[np.argsort(shuffle_entries(now)[rows, 0])][:n].tolist()
    chips = [np.flatnonzero(free[row])[:MAX_CHIPS].tolist() for row in order]
    return [[Question(row, j, Reason.RANDOM.value) for j in of] for row, of in zip(order, chips, strict=True)]
