"""The choice of the next questions: an item with its doubtful labels, one entry alone, or a wall of items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Ints, Mask
from halflabel._wording import closest
from halflabel.labels.reasons import Reason
from halflabel.review_page.answers import NONE
from halflabel.review_page.fits import Fit

#: A score of every entry. A higher score comes first.
Scores = NDArray[Any]

#: One screen in eight is a random entry, so that the errors among all filled entries can be measured.
RANDOM_EVERY = 8

#: A label is asked together with others of its item if its value is wrong with at least this probability.
#: docs/measured.md has the choice.
TOGETHER = 0.03

#: An entry is shown on a wall if its value is wrong with at least this probability.
DOUBT = 0.1

#: Maximum number of labels that are asked about one item: each one has a key.
MAX_CHIPS = 9

#: Seconds that a reader needs for an item and for one of its labels. They decide which items come first.
LOOK, CHIP = 1.2, 0.25

#: Number of items of a wall, and maximum number of screens of one request.
WALL, MAX_SCREENS = 24, 200


@dataclass(frozen=True, eq=False)
class Situation:
    """Everything that the choice of questions depends on."""

    given: NDArray[np.int8]  #: Shape (n_items, n_labels). The labels of the user's table.
    #: Shape (n_items, n_labels). The answers, as codes of :mod:`halflabel.review_page.answers`.
    current: NDArray[np.int8]
    fit: Fit | None = None
    contested: Mask | None = None  #: Entries about which two reviewers have different answers.
    positive_only: bool = False

    @property
    def open_entries(self) -> Mask:
        """Unknown entries without an answer."""
        return np.asarray((self.given == 0) & (self.current == NONE))

    @property
    def filled(self) -> Mask:
        """Entries that were filled in and have no answer."""
        return self.open_entries if self.fit is None else self.open_entries & (self.fit.state != 0)

    def predict(self, row: int, column: int) -> dict[str, Any]:
        """Return the given value of an entry, and the value and the probability of the fit."""
        was = int(self.given[row, column])
        known = {"was": None if was == 0 else int(was > 0)}
        if self.fit is None:
            return known
        filled = int(self.fit.state[row, column])
        is_filled = filled != 0 and self.fit.given[row, column] == 0
        p = round(float(self.fit.p[row, column]), 4)
        return {**known, "filled": int(filled > 0) if is_filled else None, "p": p}


@dataclass(frozen=True)
class Question:
    """An entry that is asked, and the reason."""

    row: int
    column: int
    why: str


#: The questions that are on the screen at the same time.
Screen = list[Question]


def _rank_uncertain(now: Situation, fit: Fit) -> tuple[Mask, Scores]:
    """Return open entries whose filled value is probably wrong, or missing positives of positive-only labels."""
    if not now.positive_only:
        return now.open_entries, fit.wrong
    annotated = (now.given != 0).any(axis=1)[:, None]
    return now.open_entries, np.where(annotated & (fit.state > 0), fit.p, np.minimum(fit.p, 1 - fit.p))


def _rank_suspects(now: Situation, fit: Fit) -> tuple[Mask, Scores]:
    """Return given values and answers that the fit doubts, and entries with different answers of two reviewers."""
    contested = np.zeros(now.given.shape, dtype=bool) if now.contested is None else now.contested
    known = ((now.given != 0) & (now.current == NONE)) | (np.abs(now.current) == 1)
    return known & (fit.flipped > 0) | contested, fit.flipped + contested


def _rank_random(now: Situation, _: Fit) -> tuple[Mask, Scores]:
    """Return filled entries in a random order, which is the same for the same number of answers."""
    return now.filled, shuffle_entries(now)


#: Reason of a question -> a function that returns which entries can be asked, and their scores.
KINDS: dict[str, Callable[[Situation, Fit], tuple[Mask, Scores]]] = {
    Reason.UNCERTAIN.value: _rank_uncertain,
    Reason.SUSPECTS.value: _rank_suspects,
    Reason.RANDOM.value: _rank_random,
}


def choose_screens(
    now: Situation, kind: str, n: int, *, label: int | None = None, exclude: Ints | None = None
) -> list[Screen]:
    """Return at most ``n`` screens of a queue, each one about the labels of one item that may be wrong.

    ``exclude`` has the flat numbers (row x number of labels + column) of entries that are not asked. Items come in the
    order of the errors that a second of reading removes. One screen in eight begins with a random one of all filled
    entries, which the page shows without its value, unless one label is asked. The doubtful labels of its item follow,
    because it is read in any case. Without a fit, all screens are random entries.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no queue {kind!r}; {closest(kind, KINDS)}")
    allowed = limit_entries(now.given.shape, label, exclude)
    # Random entries of one label do not measure the errors of the whole table.
    random = Reason.RANDOM.value if label is None else Reason.RANDOM_OF_PART.value
    if now.fit is None or kind == Reason.RANDOM:
        return _draw(now.filled & allowed, now, n, random)
    score = _score(now, now.fit, kind, TOGETHER, allowed)
    n_screens = min(n, int(score.any(axis=1).sum())) if label is None else 0
    drawn = _draw(now.filled & allowed, now, -(-n_screens // RANDOM_EVERY), random)
    for [first] in drawn:
        score[first.row, first.column] = 0
    for screen in drawn:
        row = screen[0].row
        screen += _list_labels(score[row], row, kind)[: MAX_CHIPS - 1]
        score[row] = 0  # another random entry of the item comes alone
    best, total = _take_best(score, MAX_CHIPS, axis=1)
    gain = total / (LOOK + CHIP * (np.take_along_axis(score, best, axis=1) > 0).sum(axis=1))
    order = [row for row in np.argsort(-gain, kind="stable")[: n - len(drawn)].tolist() if gain[row] > 0]
    return mix([_list_labels(score[row], row, kind) for row in order], drawn, now)


def choose_walls(
    now: Situation, kind: str, n: int, *, label: int | None = None, exclude: Ints | None = None
) -> list[Screen]:
    """Return at most ``n`` walls: the items with the same value of one label that are most doubtful.

    Before the first fit there is no wall, because there are no values. Entries that are chosen by one value of one
    label are not a fair sample, so that their answers do not calibrate.
    """
    if now.fit is None:
        return []
    score = _score(now, now.fit, kind, DOUBT, limit_entries(now.given.shape, label, exclude))
    value = np.where(np.abs(now.current) == 1, now.current, now.fit.state)
    walls: list[tuple[float, Screen]] = []
    for sign in (1, -1):
        of_value = np.where(value == sign, score, 0)
        best, total = _take_best(of_value, WALL, axis=0)
        walls += [
            (total[j], [Question(int(i), j, Reason.WALL.value) for i in best[:, j] if of_value[i, j] > 0])
            for j in np.flatnonzero(total).tolist()
        ]
    walls.sort(key=lambda wall: -wall[0])
    return [questions for _, questions in walls[:n]]


def count_queues(now: Situation) -> dict[str, int]:
    """Return the number of entries in each queue: of uncertain ones, only the doubtful ones."""
    if now.fit is None:
        return dict.fromkeys(KINDS, 0) | {Reason.RANDOM.value: int(now.open_entries.sum())}
    numbers = {kind: int(rank(now, now.fit)[0].sum()) for kind, rank in KINDS.items()}
    return numbers | {Reason.UNCERTAIN.value: int((now.open_entries & (now.fit.wrong >= DOUBT)).sum())}


def limit_entries(shape: tuple[int, ...], label: int | None, exclude: Ints | None) -> Mask:
    """Return the entries of a label that are not excluded."""
    allowed = np.ones(shape, dtype=bool)
    if label is not None:
        allowed[:, np.arange(shape[1]) != label] = False
    if exclude is not None and len(exclude):
        allowed.ravel()[exclude] = False
    return allowed


def take_highest(mask: Mask, score: Scores, n: int) -> list[int]:
    """Return the flat numbers of the ``n`` highest scores, the highest first."""
    cells = np.flatnonzero(mask)
    values = np.asarray(score).ravel()[cells]
    if len(cells) > n:
        best = np.argpartition(-values, n)[:n]
        cells, values = cells[best], values[best]
    return [int(cell) for cell in cells[np.lexsort((cells, -values))]]


def mix(batch: Sequence[Screen], others: Sequence[Screen], now: Situation) -> list[Screen]:
    """Return a batch with others at random places: a page replaces its batch early, and no place may be left out."""
    mixed = [*batch]
    rng = np.random.default_rng([len(others), int((now.current != NONE).sum())])
    places = np.sort(rng.permutation(len(batch) + len(others))[: len(others)])
    for place, other in zip(places, others, strict=True):
        mixed.insert(place, other)
    return mixed


def shuffle_entries(now: Situation) -> Scores:
    """Return a random score of each entry."""
    rng = np.random.default_rng(int((now.current != NONE).sum()))
    return rng.random(now.given.shape, dtype=np.float32)


def _draw(free: Mask, now: Situation, n: int, why: str) -> list[Screen]:
    """Return random entries, each one alone."""
    places = (divmod(cell, free.shape[1]) for cell in take_highest(free, shuffle_entries(now), n))
    return [[Question(row, column, why)] for row, column in places]


def _list_labels(score: Scores, row: int, kind: str) -> Screen:
    """Return the labels of an item that have a score, the highest first."""
    return [Question(row, int(j), kind) for j in np.argsort(-score, kind="stable")[:MAX_CHIPS] if score[j] > 0]


def _score(now: Situation, fit: Fit, kind: str, doubt: float, allowed: Mask) -> Scores:
    """Return the scores of a queue, and 0 for other entries. Uncertain ones are at least ``doubt``, if any is."""
    mask, score = KINDS[kind](now, fit)
    mask = mask & allowed
    if kind == Reason.UNCERTAIN and (doubtful := mask & (score >= doubt)).any():
        mask = doubtful
    return np.where(mask, score, 0)


def _take_best(score: Scores, k: int, axis: int) -> tuple[Ints, NDArray[np.float64]]:
    """Return the places of the ``k`` highest scores along an axis, the highest first, and their sums."""
    k = min(k, score.shape[axis])
    best = np.argpartition(-score, k - 1, axis=axis).take(range(k), axis=axis)
    values = np.take_along_axis(score, best, axis=axis)
    order = np.argsort(-values, axis=axis, kind="stable")
    total: NDArray[np.float64] = values.sum(axis=axis, dtype=np.float64)
    return np.take_along_axis(best, order, axis=axis), total
