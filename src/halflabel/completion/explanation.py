"""The reasons for a probability: parts in log odds that add up to it, and the evidence of each part."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from halflabel._wording import quoted
from halflabel.completion import contribution_table
from halflabel.completion.display import find_views
from halflabel.labels import PartialLabels
from halflabel.methods.contributions import PRIOR, RATE, Examples

if TYPE_CHECKING:
    from halflabel.completion.evidence import Evidence


def find_label(labels: PartialLabels, label: str | None = None) -> int:
    """Return the position of a label. None selects the label with the most relevant entries.

    Raises
    ------
    ValueError
        If the label does not exist.
    """
    names = labels.names
    if label is None:
        return int(labels.relevant.sum(axis=0).argmax())
    if label not in names:
        raise ValueError(f"there is no label {label!r}; the labels are {quoted(names)}.")
    return names.index(label)


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why an entry has its probability.

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
        Of :attr:`Completion.probability_of`; out of fold for a given entry. NaN for a gap where a check contradicts it
        (:attr:`Evidence.contradictions`).
    threshold : float
        Where the method draws the line, on probabilities unless its rule is "fixed".
    contributions : DataFrame
        Columns part, log_odds, rests_on. The sum of ``log_odds`` is the log odds of ``probability``, see
        :mod:`halflabel.methods.contributions`. Empty for an entry without a probability.
    carriers : DataFrame
        Columns part, kind ("feature", "item" or "label"), name, log_odds, given: the largest shares of the parts that
        can be divided.
    out_of_fold : bool
        Whether the parts are from models that were fitted without the item, because its label is given.
    note : str
        Why there is no probability, and so no parts. Empty if there is one.
    """

    item: Hashable
    label: str
    value: int | None
    given: int | None
    probability: float
    threshold: float
    contributions: pd.DataFrame = field(default_factory=pd.DataFrame)
    carriers: pd.DataFrame = field(default_factory=pd.DataFrame)
    out_of_fold: bool = False
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the entry, its probability (None for NaN) and its parts as values that JSON can hold."""
        named = {"item": str(self.item), "label": self.label, "value": self.value, "given": self.given}
        parts = self.contributions.to_dict("records")
        p = None if np.isnan(self.probability) else self.probability
        facts = {"probability": p, "out_of_fold": self.out_of_fold, "note": self.note}
        return {**named, **facts, "contributions": parts}

    def __repr__(self) -> str:
        return find_views().describe_explanation(self)

    def _repr_html_(self) -> str:
        return find_views().render_explanation(self)


def explain_entry(evidence: Evidence, item: Hashable, label: str) -> Explanation:
    """Return why the entry of ``item`` (its id) and ``label`` has its probability. Raise KeyError for a wrong name."""
    try:
        j = find_label(evidence.labels, label)
    except ValueError as error:
        raise KeyError(str(error)) from None
    i = find_item(evidence.opened.index, item)
    value, given = (_read_value(int(state[i, j])) for state in (evidence.state, evidence.labels.state))
    p, threshold = float(evidence.printed_probabilities[i, j]), float(evidence.fit.thresholds[j])
    carriers = _find_carriers(evidence, i, j)
    return Explanation(
        item=item,
        label=label,
        value=value,
        given=given,
        probability=p,
        threshold=threshold,
        contributions=_list_contributions(evidence, i, j, p, carriers),
        carriers=carriers,
        out_of_fold=bool(evidence.learned_from.observed[i, j]),
        note=_explain_absence(evidence) if np.isnan(p) else "",
    )


def _explain_absence(evidence: Evidence) -> str:
    """Return why an entry has no probability."""
    against = evidence.contradictions
    return f"A check contradicts its probability: {against[0]['title']}." if against else "It has no probability."


def _list_contributions(evidence: Evidence, i: int, j: int, p: float, carriers: pd.DataFrame) -> pd.DataFrame:
    """Return the parts of one entry, with texts for the parts without carriers."""
    parts = evidence.fit.decompose(np.array([i]), evidence.learned_from)
    texts = {RATE: contribution_table.describe_rate(evidence.learned_from, j), **evidence.fit.texts}
    prior = evidence.opened.prior
    if prior is not None:
        texts[PRIOR] = contribution_table.describe_prior(float(prior[i, j]))
    return contribution_table.tabulate(take_entry(parts, 0, j, p), carriers, texts)


def _find_carriers(evidence: Evidence, i: int, j: int) -> pd.DataFrame:
    """Return the largest shares of the parts of one entry."""
    model, opened, learned = evidence.model, evidence.opened, evidence.learned_from
    rows = np.flatnonzero(learned.observed[:, j] & (np.arange(len(learned)) != i))
    examples = Examples(opened.X[rows], learned.relevant[rows, j])
    carriers = model.find_carriers(opened.X[[i]], learned[[i]], j, i, examples)
    places: dict[str, Any] = {"examples": rows, "nodes": getattr(model, "node_items_", None)}
    names = contribution_table.Names(opened.encoder.feature_names, learned.names, evidence.opened.index, places)
    return contribution_table.list_carriers(carriers, names, own=i, known=read_values(learned, j))


def take_entry(parts: Mapping[str, Any], row: int, label: int, p: float) -> dict[str, float]:
    """Return the parts of one entry as numbers. An entry without a probability has no parts."""
    return {} if np.isnan(p) else {name: float(part[row, label]) for name, part in parts.items()}


def read_values(labels: PartialLabels, label: int) -> list[Any]:
    """Return the given value of each item: 1, 0 or missing."""
    return [{1: 1, -1: 0, 0: pd.NA}[state] for state in labels.state[:, label].tolist()]


def find_item(index: pd.Index[Any], item: Hashable) -> int:
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
    """Return in words how the items are identified."""
    first = index[:1].tolist()[0]  # a number of Python, not of NumPy
    if index.name is not None:
        return f"{index.name!r}, such as {first!r}"
    return "their row number, from 0" if isinstance(index, pd.RangeIndex) else f"the index, such as {first!r}"
