"""The evidence for one entry of a completed table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from halflabel._wording import quoted
from halflabel.completion import evidence, shown

if TYPE_CHECKING:
    from halflabel.completion.result import Completion

#: Maximum number of supporting items.
MAX_SUPPORTING = 10


def find_label(completion: Completion, label: str | None = None) -> int:
    """Return the position of a label; of None, that of the label with the most relevant entries.

    Raises
    ------
    ValueError
        If there is no such label.
    """
    names = completion.labels.names
    if label is None:
        return int(completion.labels.relevant.sum(axis=0).argmax())
    if label not in names:
        raise ValueError(f"there is no label {label!r}; the labels are {quoted(names)}.")
    return names.index(label)


@dataclass(frozen=True, repr=False)
class Explanation:
    """The evidence for one entry.

    Parameters
    ----------
    item : object
        The id of the item.
    label : str
        The label.
    value : int or None
        The value of the completed table: 1, 0 or None.
    given : int or None
        The value before: 1, 0 or None.
    probability : float
        Of :attr:`Completion.probability_of`; out of fold for a given entry.
    threshold : float
        Where the method draws the line, on probabilities unless its rule is "fixed".
    kind : {"graph", "features", "prior"}
        The kind of evidence, see :func:`halflabel.completion.evidence.classify_evidence`.
    supporting : DataFrame
        The items it is tied to in the neighbour graph, with weight and given label, observed ones first.
    """

    item: Any
    label: str
    value: int | None
    given: int | None
    probability: float
    threshold: float
    kind: str
    supporting: pd.DataFrame

    def __repr__(self) -> str:
        return shown.describe_explanation(self)

    def _repr_html_(self) -> str:
        return shown.render_explanation(self)


def explain_entry(completion: Completion, item: Any, label: str) -> Explanation:
    """Return the evidence for the entry of ``item`` (its id) and ``label``; raise KeyError if one does not exist."""
    try:
        j = find_label(completion, label)
    except ValueError as error:
        raise KeyError(str(error)) from None
    i, labels, weights = _find_item(completion.index, item), completion.labels, completion.weights
    value, given = (_read_value(int(state[i, j])) for state in (completion.state, labels.state))
    support = pd.DataFrame(columns=["position", "weight", "given"])
    if weights is not None:
        support = evidence.find_supporting_items(i, j, labels, weights, MAX_SUPPORTING)
    p, threshold = float(completion.probabilities.to_numpy()[i, j]), float(completion.model.thresholds_[j])
    kind = evidence.KINDS[completion.evidence_codes[i, j]]
    return Explanation(item, label, value, given, p, threshold, kind, completion.name_items(support))


def _find_item(index: pd.Index[Any], item: Any) -> int:
    """Return the row of an item."""
    rows = np.flatnonzero(index == item)
    if len(rows) == 0:
        raise KeyError(f"there is no item {item!r}; items are identified by {_name_index(index)}.")
    if len(rows) > 1:
        raise KeyError(f"{len(rows)} items are identified by {item!r}: name a column of distinct ids (id=).")
    return int(rows[0])


def _read_value(state: int) -> int | None:
    return {1: 1, -1: 0, 0: None}[state]


def _name_index(index: pd.Index[Any]) -> str:
    """Return in words what identifies the items."""
    if index.name is not None:
        return f"{index.name!r}, such as {index[0]!r}"
    return "their row number, from 0" if isinstance(index, pd.RangeIndex) else f"the index, such as {index[0]!r}"
