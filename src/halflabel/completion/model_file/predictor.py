"""A saved model: new items in, labels and probabilities out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse

from halflabel._arrays import Ints, MatrixLike
from halflabel.completion.completed_frame import fill_known
from halflabel.corrections.fit import Corrected
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import trust_positives
from halflabel.labels.rules import Rule
from halflabel.methods.auto import MixedLabeler
from halflabel.methods.base import PartialLabelEstimator
from halflabel.table import FeatureEncoder, Roles
from halflabel.table.cells import use_text_names
from halflabel.table.columns import Empty
from halflabel.table.labelling import read_known_labels
from halflabel.table.native import Native, open_native
from halflabel.table.tag_notations import TagNotation

if TYPE_CHECKING:
    from halflabel.table.accepted import NewItems


#: 0/1 (or a completed table) and probabilities.
Both = tuple[pd.DataFrame, pd.DataFrame]


@dataclass(frozen=True, eq=False)
class Predictor:
    """A fitted method together with the way its table was read.

    Parameters
    ----------
    corrected : Corrected
        The fitted method with the corrections of its probabilities.
    roles : Roles
        The role of each column.
    encoder : FeatureEncoder
        How columns become features.
    label_names : tuple of str
        One name per label.
    notation : TagNotation or None
        How the tags column was written that the labels came from.
    words : mapping of str to (any, any)
        By label, the words of its column for irrelevant and for relevant entries. Columns of 0 and 1 are left out.
    meanings : mapping of str to float, or None
        The meanings of the words of label columns, if stated: 1, 0, or NaN for unknown.
    empty : {"unlabelled", "none"} or None
        The meaning of a cell of a tags column without a tag, if stated: an unlabelled item, or an annotated item
        without tags.
    """

    corrected: Corrected
    roles: Roles
    encoder: FeatureEncoder
    label_names: tuple[str, ...]
    notation: TagNotation | None = None
    words: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    meanings: Mapping[str, float] | None = None
    empty: Empty | None = None

    @property
    def model(self) -> PartialLabelEstimator:
        """The fitted method, without corrections."""
        return self.corrected.model

    @property
    def probability_of(self) -> str:
        """The event that probabilities are of: "being relevant" or "being assigned"."""
        only_assigned = getattr(self.model, "positive_only_", False) and getattr(self.model, "observed_rate", 1) is None
        return "being assigned" if only_assigned else "being relevant"

    @property
    def rule(self) -> Rule:
        """The threshold rule that decides which labels are relevant."""
        return self.model.resolve_rule()

    def predict_proba(self, frame: NewItems, matrix: MatrixLike | None = None) -> pd.DataFrame:
        """Return the probability of every label for every new item, of :attr:`probability_of`.

        A model that was learned from an array takes an array, one that was learned from a table a table. Every result
        is of the library of the new items, as in :class:`halflabel.Completion`.
        """
        return self.predict_both(frame, matrix)[1]

    def predict(self, frame: NewItems, matrix: MatrixLike | None = None) -> pd.DataFrame:
        """Return 0/1 for every label and every new item."""
        return self.predict_both(frame, matrix)[0]

    def predict_both(self, frame: NewItems, matrix: MatrixLike | None = None) -> Both:
        """Return 0/1 and the probabilities. Each item is scored once."""
        given, matrix = _split_items(frame, matrix)
        labels, p = self._predict(given.frame, matrix)
        return given.as_given(labels), given.as_given(p)

    def _predict(self, frame: pd.DataFrame, matrix: Any) -> Both:
        labels, p = self.corrected.predict_both(self.encoder.transform(frame, matrix))
        return self._name_entries(frame, labels), self._name_entries(frame, p)

    def complete(self, frame: NewItems, matrix: MatrixLike | None = None, *, given: bool = True) -> pd.DataFrame:
        """Return a table of new items with its gaps filled. Given entries stay as they are.

        The label columns (or the column of tags) that the table has are read as in the table that the model was learned
        from; a label without a column gets one. The given labels of an item are used for its other labels if the method
        has learned how, as the default method does from a table with single missing entries. Every item is treated as
        new; for items of the fit, the completed table is more accurate, because its scores are out of fold.

        Parameters
        ----------
        frame, matrix
            New items: a table, an array, or a table together with a matrix, as the model was learned from.
        given : bool, default=True
            Read the labels that the table has. Otherwise all labels are predicted, and written as in the table that the
            model was learned from: columns of 0 and 1, columns of two words such as no and yes, or a column of tags.

        Examples
        --------
        >>> songs = pd.DataFrame({"tempo": [60.1, 62.3, 64.7, 120.4, 122.8, 125.1], "dance": [0, 0, None, 1, 1, None]})
        >>> from halflabel import complete
        >>> model = complete(songs, labels=["dance"], effort="fast").predictor
        >>> model.complete(pd.DataFrame({"tempo": [61.0, 61.0, 124.0], "dance": [None, 1, None]}))["dance"].tolist()
        [0, 1, 1]
        """
        return self.complete_both(frame, matrix, given=given)[0]

    def complete_both(self, frame: NewItems, matrix: MatrixLike | None = None, *, given: bool = True) -> Both:
        """Return the table of :meth:`complete`, and the probability of every entry. Each item is scored once.

        The probability of a given entry is the one that it would have if it were missing.
        """
        items, matrix = _split_items(frame, matrix)
        table, p = (self._fill_gaps if given else self._write_all)(items.frame, matrix)
        return items.give_back(table), items.as_given(p)

    def _fill_gaps(self, frame: pd.DataFrame, matrix: Any) -> Both:
        """Return a table with its gaps filled, and probabilities."""
        labels = self.read_labels(frame)
        relevant, p = self.corrected.complete_both(self.encoder.transform(frame, matrix), labels)
        table = fill_known(frame, labels, relevant, self.roles.tags, self.notation, self.words)
        return table, self._name_entries(frame, p)

    def _write_all(self, frame: pd.DataFrame, matrix: Any) -> Both:
        """Return a table with all labels predicted, and probabilities."""
        labels, p = self._predict(frame, matrix)
        return self._write_labels(frame, labels.to_numpy()), p

    def _name_entries(self, frame: pd.DataFrame, values: Any) -> pd.DataFrame:
        return pd.DataFrame(values, index=self._index(frame), columns=list(self.label_names))

    def read_labels(self, frame: pd.DataFrame) -> PartialLabels:
        """Return the labels that a table of new items states. A table may have none."""
        only_assigned = getattr(self.model, "positive_only_", False)
        known = read_known_labels(
            frame,
            self.roles,
            self.label_names,
            absent="unknown" if only_assigned else "irrelevant",
            empty=self.empty,
            notation=self.notation,
            meanings=self.meanings,
        )
        if not isinstance(self.model, MixedLabeler):
            return known
        names = np.array(self.label_names, dtype=object)
        return trust_positives(known, names[self.model.positives_].tolist())

    def _write_labels(self, frame: pd.DataFrame, answer: Ints) -> pd.DataFrame:
        kept = use_text_names(frame).drop(columns=list(self.label_names), errors="ignore")
        if self.roles.tags is None:
            labels = {name: self._in_words(name, answer[:, j]) for j, name in enumerate(self.label_names)}
            return pd.concat([kept, pd.DataFrame(labels, index=kept.index)], axis=1)
        names = np.array(self.label_names, dtype=object)
        notation = self.notation or TagNotation()
        return kept.assign(**{self.roles.tags: [notation.write(names[row == 1].tolist()) for row in answer]})

    def _in_words(self, name: str, values: Any) -> Any:
        words = self.words.get(name)
        return values if words is None else [words[int(value)] for value in values]

    def _index(self, frame: pd.DataFrame) -> pd.Index[Any]:
        frame = use_text_names(frame)
        named = self.roles.id is not None and self.roles.id in frame.columns
        return pd.Index(frame[self.roles.id]) if named else frame.index


def _split_items(items: Any, matrix: Any) -> tuple[Native, Any]:
    """Return a table and a matrix. For an array, the table has no columns."""
    native = open_native(items)
    if np.shape(items if native is None else native.frame)[:1] == (0,):
        raise ValueError("there are no new items: the table has no rows.")
    if native is not None:
        return native, matrix
    array: Any = items if sparse.issparse(items) else np.asarray(items)
    if array.ndim != 2:
        raise ValueError(f"new items are a table or a matrix with one row per item, not {type(items).__name__}.")
    return Native(pd.DataFrame(index=range(array.shape[0])), lambda rows: array[list(rows)]), array
