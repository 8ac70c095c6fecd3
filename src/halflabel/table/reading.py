"""The reading of a table, before anything is fitted: some rows, the labels, and the meaning of "nothing".

The terminal, a notebook and the report show this one object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Index, Ints
from halflabel._wording import Notes, clipped, count, plural
from halflabel.labels import PartialLabels
from halflabel.table.nothing import Form

#: Number of rows that are shown, of names in a cell, and of labels with their counts.
MAX_ROWS, MAX_NAMES, MAX_LABELS = 5, 4, 12

#: Maximum length of a name.
MAX_NAME = 30


@dataclass(frozen=True, eq=False)
class Reading:
    """The reading of a table.

    Examples
    --------
    >>> import halflabel as hl
    >>> songs = pd.DataFrame({"song": ["a", "b"], "tempo": [90.5, 120.0], "tags": ["rock; sad", None]})
    >>> print(hl.open_table(songs, id="song", tags="tags", absent="irrelevant").reading)
    item  has        does not have
    a     rock, sad  –
    b     –          –
    2 labels in 'tags' (separated by ';'): rock 1, sad 1.
    An empty cell in the tags column 'tags': 1 item, unlabelled.
    """

    #: Some rows with the columns ``item``, ``has`` and ``does not have``, as text.
    rows: pd.DataFrame
    where: str  #: The number of labels, where they are, and how they are written.
    counts: tuple[tuple[str, int], ...]  #: The number of items that have each of the most frequent labels.
    n_labels: int
    #: Each form of nothing (an empty cell, an empty list, a word), with its number and its meaning.
    nothing: Notes

    def __str__(self) -> str:
        return "\n".join([self.table, self.labels, *self.nothing])

    @property
    def labels(self) -> str:
        """The labels with the number of items that have each, in a sentence."""
        more = self.n_labels - len(self.counts)
        rest = f" and {count(more)} more" if more else ""
        return f"{self.where}: {', '.join(f'{name} {number}' for name, number in self.counts)}{rest}."

    @property
    def table(self) -> str:
        """The rows as lines of text."""
        return align([list(self.rows.columns), *self.rows.to_numpy(dtype=object).tolist()])


def align(lines: Sequence[Sequence[str]]) -> str:
    """Return rows as lines of text with aligned columns."""
    width = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, width)).rstrip() for line in lines)


def describe_reading(labels: PartialLabels, index: Index, forms: Sequence[Form], where: str = "") -> Reading:
    """Return the reading of a table.

    Parameters
    ----------
    labels : PartialLabels
    index : Index
        The ids of the items.
    forms : sequence of Form
    where : str, optional
        Where the labels are, and how they are written.
    """
    rows = choose_rows(labels)
    shown = {"item": [clipped(index[row], MAX_NAME) for row in rows]}
    for title, value in {"has": 1, "does not have": -1}.items():
        shown[title] = [_list_names(labels.names, labels.state[row] == value) for row in rows]
    return Reading(
        rows=pd.DataFrame(shown),
        where=plural(len(labels.names), "label") + (where and f" {where}"),
        counts=count_labels(labels),
        n_labels=len(labels.names),
        nothing=tuple(str(form) for form in forms if form.number),
    )


def choose_rows(labels: PartialLabels) -> Ints:
    """Return the first rows of each kind (with and without relevant, irrelevant and unknown entries), then others.

    Examples
    --------
    >>> choose_rows(PartialLabels.from_table([[1, 1]] * 6 + [[0, 1], [None, None]])).tolist()
    [0, 1, 2, 6, 7]
    """
    state = labels.state
    kind = np.column_stack([(state > 0).any(1), (state < 0).any(1), (state == 0).any(1), labels.annotated])
    _, first = np.unique(kind @ (1, 2, 4, 8), return_index=True)
    order = [*sorted(first.tolist()), *range(min(len(labels), 2 * MAX_ROWS))]
    return np.sort(np.array(list(dict.fromkeys(order))[:MAX_ROWS], dtype=np.intp))


def count_labels(labels: PartialLabels) -> tuple[tuple[str, int], ...]:
    """Return the number of items that have each label, of the most frequent labels.

    Examples
    --------
    >>> count_labels(PartialLabels.from_tags([["a", "b"], ["b"]], absent="irrelevant"))
    (('b', 2), ('a', 1))
    """
    counts = labels.relevant.sum(axis=0)
    order = np.argsort(-counts, kind="stable")[:MAX_LABELS]
    return tuple((clipped(labels.names[j], 40), int(counts[j])) for j in order)


def _list_names(names: Sequence[str], chosen: Any) -> str:
    """Return some of the chosen names, and the number of the remaining names."""
    found = [clipped(names[int(j)], MAX_NAME) for j in np.flatnonzero(chosen)]
    if len(found) <= MAX_NAMES:
        return ", ".join(found) or "–"
    return f"{', '.join(found[: MAX_NAMES - 1])} and {count(len(found) - MAX_NAMES + 1)} more"
