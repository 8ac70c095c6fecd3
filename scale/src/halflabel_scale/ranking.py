"""rank_labels(): the likeliest labels of each item, among thousands of labels."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import halflabel
from halflabel.plugins import Mask, plural
from halflabel_scale.labeler import SparseLabeler


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """The likeliest unknown labels of each item. :func:`rank_labels` makes it."""

    #: One row per item and label, the likeliest labels of each item first: item, label, probability.
    table: pd.DataFrame
    names: tuple[str, ...]
    opened: halflabel.OpenTable
    model: SparseLabeler

    def predict(self, items: pd.DataFrame) -> pd.DataFrame:
        """Return the likeliest labels of new items: of all labels, since none is known."""
        id = self.opened.roles.id
        index = items[id].to_numpy() if id is not None else items.index.to_numpy()
        return _tabulate(self.model.rank(self.opened.encoder.transform(items)), index, self.names)

    def __repr__(self) -> str:
        n_learned = self.model.learned_.Phi.shape[0]
        return (
            f"{plural(len(self.opened.index), 'item')}, {plural(len(self.names), 'label')}; learned from "
            f"{plural(n_learned, 'item')}. At most {plural(self.model.top, 'label')} per item."
        )


def rank_labels(
    items: pd.DataFrame,
    tags: str,
    *,
    absent: str,
    sep: str = ",",
    top: int = 20,
    random_state: int = 0,
    **columns: Any,
) -> Ranking:
    """Rank the likeliest labels of each item, among thousands of labels.

    :func:`halflabel.complete` has a probability for each entry. With thousands of labels, these are too many to read.
    Here, each item gets its likeliest labels with calibrated probabilities. Memory grows with the number of items and
    not with the number of entries.

    Parameters
    ----------
    items : DataFrame
        One row per item.
    tags : str
        The column of tags: lists, JSON lists, or texts with a separator. An empty cell is an unlabelled item.
    absent : {"irrelevant", "unknown"}
        The meaning of a tag that an item does not list.
    sep : str, default=","
        The separator of tags in a text.
    top : int, default=20
        Maximum number of labels per item.
    random_state : int, default=0
        Decides samples.
    **columns
        The other columns, as in :func:`halflabel.open_table`: ``id``, ``text``, ``features``, ``vectors``, ``ignore``.

    Returns
    -------
    Ranking

    Examples
    --------
    >>> posts = pd.DataFrame({"text": ["cat purrs", "cat sleeps", "dog barks", "dog runs", "a cat", "the dog"]})
    >>> posts["tags"] = ["cats", "cats", "dogs", "dogs", None, None]
    >>> ranking = rank_labels(posts, "tags", absent="irrelevant", text="text", top=1)
    >>> ranking.table["label"].tolist()
    ['cats', 'dogs']
    """
    if tags not in items.columns:
        raise ValueError(f"no column is called {tags!r}: the columns are {', '.join(map(str, items.columns))}.")
    if absent not in ("irrelevant", "unknown"):
        raise ValueError(f"absent must be 'irrelevant' or 'unknown', not {absent!r}.")
    relevant, annotated, names = read_tags(items[tags], sep)
    # The table is opened with one label in place of thousands: its features do not depend on the labels.
    state = np.where(annotated, np.arange(len(items)) % 2, np.nan)
    one = items.drop(columns=tags).assign(**{tags: state})
    opened = halflabel.open_table(one, labels=[tags], **columns)
    model = SparseLabeler(top, random_state=random_state)
    p = model.fit_rank(opened.X, relevant, annotated, positive_only=absent == "unknown")
    return Ranking(_tabulate(p, opened.index.to_numpy(), names), names, opened, model)


def read_tags(column: pd.Series[Any], sep: str) -> tuple[sparse.csr_array, Mask, tuple[str, ...]]:
    """Return the tags of the items as a matrix, whether each item has a list, and the names of the tags."""
    lists = [_read_cell(cell, sep) for cell in column]
    names = tuple(sorted({name for tags in lists for name in tags or ()}))
    if not names:
        raise ValueError(f"no item has a tag in {column.name!r}: give at least a few items their tags.")
    number = {name: j for j, name in enumerate(names)}
    pairs = sorted({(i, number[name]) for i, tags in enumerate(lists) for name in tags or ()})
    rows, ids = np.array(pairs).T
    relevant = sparse.csr_array((np.ones(len(pairs)), (rows, ids)), (len(lists), len(names)))
    return relevant, np.array([tags is not None for tags in lists]), names


def _read_cell(cell: Any, sep: str) -> list[str] | None:
    """Return the tags of a cell, or None for an item without a list."""
    if isinstance(cell, str):
        text = cell.strip()
        found = json.loads(text) if text.startswith("[") else [each.strip() for each in text.split(sep) if each.strip()]
        return [str(each) for each in found] if text else None
    if isinstance(cell, list | tuple | np.ndarray):
        return [str(each) for each in cell]
    return None


def _tabulate(p: sparse.csr_array, index: Any, names: tuple[str, ...]) -> pd.DataFrame:
    entries = p.tocoo()
    order = np.lexsort((entries.col, -entries.data, entries.row))
    labels = np.array(names, dtype=object)[entries.col[order]]
    return pd.DataFrame({"item": index[entries.row[order]], "label": labels, "probability": entries.data[order]})
