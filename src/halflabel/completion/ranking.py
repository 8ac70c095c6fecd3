"""rank_labels(): the likeliest labels of each item, among thousands of labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse

from halflabel._wording import count, plural
from halflabel.methods.many_labels import SparseLabeler
from halflabel.table.columns import Description
from halflabel.table.described import find_description
from halflabel.table.native import open_native
from halflabel.table.opening import read_described
from halflabel.table.sparse_opening import SparseTable, open_sparse

if TYPE_CHECKING:
    from halflabel.table.accepted import ItemsLike, NewItems


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """The likeliest unknown labels of each item. :func:`rank_labels` makes it."""

    #: The input.
    opened: SparseTable
    #: The fitted method.
    model: SparseLabeler

    @property
    def table(self) -> Any:
        """One row per item and label, the likeliest labels of each item first: item, label, probability.

        Known entries are left out. The probability is calibrated: of being relevant, or, for tags of which some may
        be missing, of being assigned.
        """
        found, convert = self.list_likeliest(), self.opened.source.convert
        return found if convert is None else convert(found)

    def list_likeliest(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame, whatever kind of object was given."""
        return self._tabulate(self.model.label_probabilities_, self.opened.index)

    def predict(self, items: NewItems) -> pd.DataFrame:
        """Return the likeliest labels of new items, as in :attr:`table`: of all labels, since none is known."""
        native = open_native(items)
        frame = pd.DataFrame(np.asarray(items)) if native is None else native.frame
        named = self.opened.roles.id
        index = pd.Index(frame[named]) if named is not None and named in frame.columns else frame.index
        found = self._tabulate(self.model.predict_proba(self.opened.encoder.transform(frame)), index)
        return found if native is None else native.as_given(found)

    def describe(self) -> tuple[str, ...]:
        """Return sentences about the fit."""
        labels, model = self.opened.labels, self.model
        learnable, never = int(labels.complete.sum()), len(labels.names) - len(model.fitted_.used)
        of_all = f" of {count(learnable)} (a sample)" if model.n_learned_ < learnable else ""
        sentences = [
            f"{plural(len(labels), 'item')}, {plural(len(labels.names), 'label')}; learned from "
            f"{plural(model.n_learned_, 'item')}{of_all}. At most {plural(model.top, 'label')} per item."
        ]
        if never:
            sentences.append(f"{plural(never, 'label')} of none of these items: never proposed.")
        return tuple(sentences)

    def __repr__(self) -> str:
        return "\n".join(self.describe())

    def _tabulate(self, p: sparse.csr_array, index: pd.Index[Any]) -> pd.DataFrame:
        rows = np.repeat(np.arange(p.shape[0]), np.diff(p.indptr))
        order = np.lexsort((p.indices, -p.data, rows))
        names = np.array(self.opened.labels.names, dtype=object)
        return pd.DataFrame(
            {"item": index[rows[order]], "label": names[p.indices[order]], "probability": p.data[order]}
        )


def rank_labels(items: ItemsLike, *, top: int = 20, random_state: int = 0, **columns: Any) -> Ranking:
    """Rank the likeliest labels of each item, among thousands of labels.

    :func:`halflabel.complete` has a probability for each entry. With thousands of labels, these are too many to read.
    Here, each item gets its likeliest labels with calibrated probabilities. Memory grows with the number of items and
    not with the number of entries, see :class:`halflabel.methods.many_labels.SparseLabeler`.

    Parameters
    ----------
    items : DataFrame of any library, list of dict, path or records
        One row per item, with a column of lists of tags.
    top : int, default=20
        Maximum number of labels per item.
    random_state : int, default=0
        Decides samples.
    **columns
        The description of the table, as in :func:`halflabel.open_table`: ``tags`` and ``absent`` are needed; ``id``,
        ``text``, ``features``, ``vectors``, ``ignore``, ``empty`` and ``sep`` are the most frequent others.

    Returns
    -------
    Ranking

    Raises
    ------
    TypeError
        For an argument that does not exist.
    ValueError
        If there are no lists of tags, if fewer than two items have one, or if a column does not fit its role.

    Examples
    --------
    >>> import pandas as pd
    >>> posts = pd.DataFrame({"text": ["cat purrs", "cat sleeps", "dog barks", "dog runs", "a cat", "the dog"]})
    >>> posts["tags"] = ["cats", "cats", "dogs", "dogs", None, None]
    >>> ranking = rank_labels(posts, text="text", tags="tags", absent="irrelevant", top=1)
    >>> ranking.table["label"].tolist()
    ['cats', 'dogs']
    """
    described = find_description(items, Description(**columns).stated)
    opened = open_sparse(read_described(items, described), described)
    return rank_opened(opened, top, random_state)


def rank_opened(opened: SparseTable, top: int, random_state: int) -> Ranking:
    """Rank the labels of an open table."""
    return Ranking(opened, SparseLabeler(top=top, random_state=random_state).fit(opened.X, opened.labels))
