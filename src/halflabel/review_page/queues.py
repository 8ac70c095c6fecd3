"""The choice of the next questions: orders of entries, and batches label by label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Ints, Mask
from halflabel._wording import closest
from halflabel.labels.reasons import Reason
from halflabel.review_page.answers import NONE, YES
from halflabel.review_page.fits import Fit

T = TypeVar("T")

#: A score of every entry. A higher score comes first.
Scores = NDArray[Any]

#: One question in eight is random, so that the errors among all filled entries can be measured.
RANDOM_EVERY = 8

#: Maximum number of questions of one batch about the same item.
MAX_PER_ITEM = 3

#: A label with fewer relevant entries than this is rare.
RARE = 20

#: Number of entries that are ranked for a batch, per question of the batch.
CANDIDATES = 12


@dataclass(frozen=True, eq=False)
class Situation:
    """Everything that the choice of questions depends on."""

    given: NDArray[np.int8]  #: Shape (n_items, n_labels). The labels of the user's table.
    #: Shape (n_items, n_labels). The answers, as codes of :mod:`halflabel.review_page.answers`.
    current: NDArray[np.int8]
    #: The last fit and the one before it.
    fit: Fit | None = None
    previous: Fit | None = None
    contested: Mask | None = None  #: Entries about which other reviewers have another answer.
    positive_only: bool = False
    #: Shape (n_items, n_labels). The values of entries that follow from answers, and 0 for all other entries.
    implied: NDArray[np.int8] | None = None

    @property
    def open_entries(self) -> Mask:
        """Unknown entries without an answer, whose value does not follow from answers."""
        unknown = (self.given == 0) & (self.current == NONE)
        return np.asarray(unknown if self.implied is None else unknown & (self.implied == 0))

    @property
    def filled(self) -> Mask:
        """Entries that were filled in and have no answer."""
        return self.open_entries if self.fit is None else self.open_entries & (self.fit.state != 0)

    @property
    def delivered(self) -> NDArray[np.int8]:
        """The value of each entry that was filled in and not answered, which is the value that a certificate covers."""
        if self.fit is None:
            return np.zeros_like(self.given)
        return np.where((self.given == 0) & (np.abs(self.current) != 1), self.fit.state, 0).astype(np.int8)

    def predict(self, row: int, column: int) -> dict[str, Any]:
        """Return the given value of an entry, and the value, the probability and the name of the fit."""
        was = int(self.given[row, column])
        known = {"was": None if was == 0 else int(was > 0)}
        if self.fit is None:
            return known
        filled = int(self.fit.state[row, column])
        is_filled = filled != 0 and self.fit.given[row, column] == 0
        p = round(float(self.fit.p[row, column]), 4)
        return {**known, "filled": int(filled > 0) if is_filled else None, "p": p, "fit": self.fit.name}


@dataclass(frozen=True)
class Question:
    """An entry that is asked, and the reason."""

    row: int
    column: int
    why: str


def _rank_uncertain(now: Situation, fit: Fit) -> tuple[Mask, Scores]:
    """Return open entries whose filled value is probably wrong, or missing positives of positive-only labels."""
    if not now.positive_only:
        return now.open_entries, fit.wrong
    annotated = (now.given != 0).any(axis=1)[:, None]
    return now.open_entries, np.where(annotated & (fit.state > 0), fit.p, np.minimum(fit.p, 1 - fit.p))


def _rank_suspects(now: Situation, fit: Fit) -> tuple[Mask, Scores]:
    """Return given entries that are probably wrong."""
    return (now.given != 0) & (now.current == NONE) & (fit.flipped > 0), fit.flipped


def _rank_boundary(now: Situation, fit: Fit) -> tuple[Mask, Scores]:
    """Return open entries whose probability is nearest to the threshold of their label."""
    return now.open_entries, 1 - np.abs(fit.p - fit.thresholds)


def _rank_rare(now: Situation, fit: Fit) -> tuple[Mask, Scores]:
    """Return probable positives of labels with a small number of known positives."""
    known = ((now.given > 0) & (now.current != -1)).sum(axis=0) + ((now.given <= 0) & (now.current == YES)).sum(axis=0)
    return now.open_entries & (known < RARE), fit.p


def _rank_changed(now: Situation, fit: Fit) -> tuple[Mask, Scores]:
    """Return open entries whose filled value the last fit changed."""
    if now.previous is None:
        return np.zeros(now.given.shape, dtype=bool), fit.wrong
    return now.open_entries & (fit.state != now.previous.state), np.abs(fit.p - now.previous.p)


def _rank_disagreement(now: Situation, fit: Fit) -> tuple[Mask, Scores]:
    """Return entries with different answers of several reviewers, and answers that the model doubts."""
    contested = np.zeros(now.given.shape, dtype=bool) if now.contested is None else now.contested
    doubted = (np.abs(now.current) == 1) & (fit.flipped > 0)
    return doubted | contested, fit.flipped + contested


def _rank_random(now: Situation, fit: Fit) -> tuple[Mask, Scores]:
    """Return filled entries in a random order, which is the same for the same number of answers."""
    return now.filled, shuffle_entries(now)


#: Reason of a question -> a function that returns which entries can be asked, and their scores.
KINDS: dict[str, Callable[[Situation, Fit], tuple[Mask, Scores]]] = {
    Reason.UNCERTAIN.value: _rank_uncertain,
    Reason.SUSPECTS.value: _rank_suspects,
    Reason.BOUNDARY.value: _rank_boundary,
    Reason.RARE.value: _rank_rare,
    Reason.CHANGED.value: _rank_changed,
    Reason.DISAGREEMENT.value: _rank_disagreement,
    Reason.RANDOM.value: _rank_random,
}


def choose_questions(
    now: Situation,
    kind: str,
    n: int,
    *,
    label: int | None = None,
    rows: Ints | None = None,
    exclude: Ints | None = None,
) -> list[Question]:
    """Return a batch of at most ``n`` questions, label by label.

    Parameters
    ----------
    kind : str
        A key of :data:`KINDS`. Without a fit all questions are random.
    label : int, optional
        Only questions about this label.
    rows : ndarray of int, optional
        Only questions about these items.
    exclude : ndarray of int, optional
        Flat numbers (row x number of labels + column) of entries that are not asked.

    Notes
    -----
    The entries with the highest scores are taken, at most three of one item. Every eighth question is a random filled
    entry. The batch is then sorted by label, because one concept at a time is answered faster.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no queue {kind!r}; {closest(kind, KINDS)}")
    allowed = limit_entries(now.given.shape, label, rows, exclude)
    if now.fit is None:
        random = take_highest(now.open_entries & allowed, shuffle_entries(now), n)
        return _sort_by_label([(cell, "random") for cell in random], now.given.shape[1])
    mask, score = KINDS[kind](now, now.fit)
    chosen = [(cell, kind) for cell in take_highest(mask & allowed, score, n)]
    if kind != "random" and rows is None and chosen:
        chosen = _mix_random(now, chosen, allowed, n)
    if label is not None or rows is not None:  # random entries of a part do not measure the errors of the whole table
        chosen = [(cell, Reason.RANDOM_OF_PART.value if why == Reason.RANDOM else why) for cell, why in chosen]
    return _sort_by_label(chosen, now.given.shape[1])


def count_queues(now: Situation) -> dict[str, int]:
    """Return the number of entries in each queue."""
    if now.fit is None:
        return {kind: int(now.open_entries.sum()) if kind == "random" else 0 for kind in KINDS}
    return {kind: int(rank(now, now.fit)[0].sum()) for kind, rank in KINDS.items()}


def limit_entries(shape: tuple[int, ...], label: int | None, rows: Ints | None, exclude: Ints | None) -> Mask:
    """Return the entries of a label and of some items that are not excluded."""
    allowed = np.ones(shape, dtype=bool)
    if label is not None:
        allowed[:, np.arange(shape[1]) != label] = False
    if rows is not None:
        allowed[np.setdiff1d(np.arange(shape[0]), rows)] = False
    if exclude is not None and len(exclude):
        allowed.ravel()[exclude] = False
    return allowed


def take_highest(mask: Mask, score: Scores, n: int) -> list[int]:
    """Return the flat numbers of the ``n`` highest scores. Take at most three of one item, if that is enough."""
    cells = np.flatnonzero(mask)
    values = np.asarray(score).ravel()[cells]
    if len(cells) > CANDIDATES * n:
        best = np.argpartition(-values, CANDIDATES * n)[: CANDIDATES * n]
        cells, values = cells[best], values[best]
    chosen: list[int] = []
    spare: list[int] = []
    per_item: dict[int, int] = {}
    for cell in cells[np.lexsort((cells, -values))].tolist():
        row = cell // mask.shape[1]
        per_item[row] = per_item.get(row, 0) + 1
        (chosen if per_item[row] <= MAX_PER_ITEM else spare).append(cell)
        if len(chosen) == n:
            break
    return (chosen + spare)[:n]


def _mix_random(now: Situation, chosen: list[tuple[int, str]], allowed: Mask, n: int) -> list[tuple[int, str]]:
    """Replace the last questions of a batch by random filled entries, one in eight."""
    free = now.filled & allowed
    free.ravel()[[cell for cell, _ in chosen]] = False
    random = take_highest(free, shuffle_entries(now), min(max(n // RANDOM_EVERY, 1), len(chosen)))
    kept = chosen if len(chosen) + len(random) <= n else chosen[: n - len(random)]
    return kept + [(cell, "random") for cell in random]


def mix(batch: Sequence[T], others: Sequence[T]) -> list[T]:
    """Return a batch with others spread over it, not at its end, because a page renews its batches early.

    Examples
    --------
    >>> mix([1, 2, 3, 4, 5, 6], ["a", "b"])
    [1, 'a', 2, 3, 4, 'b', 5, 6]
    """
    mixed = list(batch)
    for k, other in enumerate(others):
        mixed.insert((2 * k + 1) * len(batch) // (2 * len(others)) + k, other)
    return mixed


def shuffle_entries(now: Situation) -> Scores:
    """Return a random score of each entry."""
    rng = np.random.default_rng(int((now.current != NONE).sum()))
    return rng.random(now.given.shape, dtype=np.float32)


def _sort_by_label(cells: list[tuple[int, str]], n_labels: int) -> list[Question]:
    """Return questions in blocks of one label, the label of the first question first."""
    blocks: dict[int, list[Question]] = {}
    for cell, why in cells:
        row, column = divmod(int(cell), n_labels)
        blocks.setdefault(column, []).append(Question(row, column, why))
    return [question for block in blocks.values() for question in block]
