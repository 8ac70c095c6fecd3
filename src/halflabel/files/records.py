"""Records, which every format is read into and written from: items with fields, and one cell per known entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Ints, Mask
from halflabel._wording import Notes, plural
from halflabel.labels import MAX_CELLS, PartialLabels

#: The source of the value of a cell: ``model`` is a suggestion, and all other sources are answers of people.
SOURCES = ("given", "person", "bulk", "model")


class Cell(NamedTuple):
    """One entry of one item, as a writer needs it."""

    label: str
    value: int | None
    source: str
    probability: float | None
    by: str | None
    at: str | None

    @property
    def confidence(self) -> float | None:
        """The probability of the value itself: of the label, or of its absence."""
        return self.probability if self.probability is None or self.value else 1 - self.probability


class Question(NamedTuple):
    """One question whose choices are the labels: its name, and the name of the object that it is about."""

    name: str
    target: str = "item"


@dataclass(frozen=True, eq=False)
class Records:
    """Items and the known entries of their labels.

    Parameters
    ----------
    items : DataFrame of shape (n_items, n_fields)
        The items' own fields; the index holds distinct ids.
    cells : DataFrame of shape (n_cells, 7)
        ``item`` and ``label`` as positions, ``value`` (1, 0, or NaN: a person is unsure, or a model is undecided),
        ``source``, ``probability`` that the label is relevant, ``by`` and ``at`` (ISO 8601). One entry may have
        several cells: one per person, and one of a model.
    names : tuple of str
        One name per label.
    annotated : ndarray of bool, shape (n_items,)
        Items that a person annotated, even where no label was found.
    closed : ndarray of bool, shape (n_labels,)
        Labels that an annotated item does not have unless a cell gives it: lists of labels, read with
        ``absent="irrelevant"``.
    positive_only : bool
        Whether the labels were read from lists with ``absent="unknown"``.
    format : str
        The format of the file.
    notes : tuple of str
        Sentences for the user about the reading.
    question : Question or None
        The one question whose choices are the labels; None where each label is a question of its own.
    """

    items: pd.DataFrame
    cells: pd.DataFrame
    names: tuple[str, ...]
    annotated: Mask
    closed: Mask
    positive_only: bool = False
    format: str = ""
    notes: Notes = ()
    question: Question | None = None

    def __post_init__(self) -> None:
        if len(self.items) * len(self.names) > MAX_CELLS:
            raise ValueError(
                f"{plural(len(self.items), 'item')} and {plural(len(self.names), 'label')} make more than "
                f"{MAX_CELLS:.0e} entries, the limit: keep the most frequent labels only."
            )

    @cached_property
    def is_suggestion(self) -> Mask:
        """Mask of the cells that come from a model."""
        return np.asarray(self.cells["source"] == "model")

    @property
    def labels(self) -> pd.DataFrame:
        """The answers, with one column per label: 1, 0, or NaN where people did not answer or disagree."""
        return self._frame(self._answers[0])

    @property
    def n_disagreements(self) -> int:
        """Number of entries that people answered differently."""
        return self._answers[1]

    @property
    def suggestions(self) -> pd.DataFrame:
        """The values that a model suggests, NaN for all other entries."""
        return self._frame(self._spread(self.is_suggestion, "value"))

    @property
    def probabilities(self) -> pd.DataFrame:
        """The last probability of each entry, NaN for entries without one."""
        return self._frame(self._spread(~np.isnan(self._column("probability")), "probability"))

    @property
    def final(self) -> pd.DataFrame:
        """The values of a finished table: a suggestion where there is one, else the answer."""
        suggested = self._spread(self.is_suggestion, "value")
        return self._frame(np.where(np.isnan(suggested), self._answers[0], suggested))

    def to_partial_labels(self) -> PartialLabels:
        """Return the answers as the labels that methods are fitted to."""
        values = self._answers[0]
        state = np.where(np.isnan(values), 0, np.where(values == 1, 1, -1)).astype(np.int8)
        return PartialLabels(state, self.names, self.annotated | (state != 0).any(axis=1), self.positive_only)

    def by_item(self) -> Iterator[tuple[Any, list[Cell]]]:
        """Yield (id, cells) for every item in order. Its cells have the order in which they were given."""
        cells = self.cells.iloc[np.argsort(self.cells["item"].to_numpy(), kind="stable")]
        names = np.array(self.names, dtype=object)
        columns = [
            names[cells["label"].to_numpy()].tolist(),
            [None if value != value else int(value) for value in cells["value"].tolist()],
            cells["source"].tolist(),
            [None if p != p else p for p in cells["probability"].tolist()],
            cells["by"].tolist(),
            cells["at"].tolist(),
        ]
        rows = list(map(Cell._make, zip(*columns, strict=True)))
        ends = np.searchsorted(cells["item"].to_numpy(), np.arange(len(self.items) + 1)).tolist()
        for number, key in enumerate(self.items.index.tolist()):
            yield key, rows[ends[number] : ends[number + 1]]

    def opened(self) -> Records:
        """Return the records with a cell for each label that an annotated item does not have (see ``closed``)."""
        if not self.closed.any():
            return self
        known = np.zeros((len(self.items), len(self.names)), dtype=np.bool_)
        answers = self.cells[~self.is_suggestion]
        known[answers["item"].to_numpy(), answers["label"].to_numpy()] = True
        rows, columns = np.nonzero(~known & self.annotated[:, None] & self.closed)
        added = cell_table(rows, columns, np.zeros(len(rows)), SOURCES.index("given"))
        cells = pd.concat([self.cells, added], ignore_index=True)
        return replace(self, cells=cells, closed=np.zeros_like(self.closed))

    @cached_property
    def _answers(self) -> tuple[Floats, int]:
        """Return (values with NaN for unknown, number of entries on which people disagree)."""
        rows = self._last_of_each_person()
        items, labels, given = (self._column(name)[rows] for name in ("item", "label", "value"))
        values = np.full((len(self.items), len(self.names)), np.nan)
        answered, disputed = np.zeros(values.shape, dtype=np.bool_), np.zeros(values.shape, dtype=np.bool_)
        answered[items, labels] = True  # unsure answers are answers, too
        known = ~np.isnan(given)
        items, labels, given = items[known], labels[known], given[known]
        values[items, labels] = given
        other = values[items, labels] != given  # than the last answer to the same entry
        disputed[items[other], labels[other]] = True
        values[~answered & self.annotated[:, None] & self.closed] = 0.0
        values[disputed] = np.nan
        return values, int(disputed.sum())

    def _last_of_each_person(self) -> Ints:
        """Return the rows of answers. Of a named person, only the last answer to each entry is included.

        Answers without a name may be of several people.
        """
        rows = np.flatnonzero(~self.is_suggestion)
        people = pd.factorize(self.cells["by"].to_numpy()[rows])[0].astype(np.int64)  # -1 without a name
        named = people >= 0
        if not named.any():
            return rows
        rows, unnamed, people = rows[named], rows[~named], people[named]
        times = pd.factorize(self.cells["at"].to_numpy()[rows], sort=True)[0]  # a missing time is -1, the first
        latest = np.argsort(times, kind="stable")[::-1]
        entries = self._column("item")[rows].astype(np.int64) * len(self.names) + self._column("label")[rows]
        _, first = np.unique((entries * (people.max() + 1) + people)[latest], return_index=True)
        return np.concatenate([unnamed, rows[latest[first]]])

    def _column(self, name: str) -> Any:
        return self.cells[name].to_numpy()

    def _spread(self, chosen: Mask, column: str) -> Floats:
        """Spread a column of chosen cells over items and labels. The last of several cells of an entry counts."""
        values = np.full((len(self.items), len(self.names)), np.nan)
        values[self._column("item")[chosen], self._column("label")[chosen]] = self._column(column)[chosen]
        return values

    def _frame(self, values: Floats) -> pd.DataFrame:
        return pd.DataFrame(values, index=self.items.index, columns=pd.Index(self.names, dtype=object))


def cell_table(
    items: Sequence[int] | Any,
    labels: Sequence[int] | Any,
    values: Sequence[float | None] | Any,
    sources: Sequence[int] | Any,
    probabilities: Sequence[float | None] | Any = None,
    by: Sequence[str | None] | Any = None,
    at: Sequence[str | None] | Any = None,
) -> pd.DataFrame:
    """Return cells as a table. ``sources`` are positions in :data:`SOURCES`, and ``by`` and ``at`` may be one text."""
    codes: Any = np.broadcast_to(np.asarray(sources, dtype=np.int8), len(items)).copy()
    return pd.DataFrame(
        {
            "item": np.asarray(items, dtype=np.int32),
            "label": np.asarray(labels, dtype=np.int32),
            "value": np.asarray(values, dtype=np.float64),
            "source": pd.Categorical.from_codes(codes, categories=pd.Index(SOURCES)),
            "probability": np.asarray(np.nan if probabilities is None else probabilities, dtype=np.float64),
            "by": _as_objects(by, len(items)),
            "at": _as_objects(at, len(items)),
        }
    )


def _as_objects(text: Any, n: int) -> Any:
    """Return texts as a column in which a missing one is None, not a number."""
    values: Any = np.empty(n, dtype=object)
    values[:] = text
    return pd.Series(values, dtype="object")
