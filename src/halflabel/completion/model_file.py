"""A saved model: new items in, labels and probabilities out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from halflabel._arrays import Floats, Ints
from halflabel.completion.archive import ModelFileError, load_tree, save_tree
from halflabel.completion.completed_frame import fill_known
from halflabel.completion.explanation import Explanation, explain_new, find_item
from halflabel.completion.mapping.saved import SavedMap
from halflabel.labels import PartialLabels
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.table import FeatureEncoder, Roles
from halflabel.table.cells import use_text_names
from halflabel.table.columns import Empty
from halflabel.table.labelling import read_known_labels
from halflabel.table.native import as_pandas
from halflabel.table.tag_cells import TagNotation

if TYPE_CHECKING:
    from halflabel.completion.result import Completion


@dataclass(frozen=True, eq=False)
class Predictor:
    """A fitted method together with the way its table was read.

    Parameters
    ----------
    model : PartialLabelEstimator
        The fitted method.
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
    item_map : SavedMap or None
        The map on which :meth:`locate` places new items.
    meanings : mapping of str to float, or None
        The meanings of the words of label columns, if stated: 1, 0, or NaN for unknown.
    empty : {"unlabelled", "none"} or None
        The meaning of a cell of a tags column without a tag, if stated: an unlabelled item, or an annotated item
        without tags.
    """

    model: PartialLabelEstimator
    roles: Roles
    encoder: FeatureEncoder
    label_names: tuple[str, ...]
    notation: TagNotation | None = None
    words: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    item_map: SavedMap | None = None
    meanings: Mapping[str, float] | None = None
    empty: Empty | None = None

    @property
    def probability_of(self) -> str:
        """The event that probabilities are of: "being relevant" or "being assigned"."""
        only_assigned = getattr(self.model, "positive_only_", False) and getattr(self.model, "observed_rate", 1) is None
        return "being assigned" if only_assigned else "being relevant"

    @property
    def rule(self) -> Rule:
        """The threshold rule that decides which labels are relevant."""
        return self.model.resolve_rule()

    def predict_proba(self, frame: Any, matrix: Any = None) -> pd.DataFrame:
        """Return the probability of every label for every new item, of :attr:`probability_of`.

        A model that was learned from an array takes an array, one that was learned from a table a table.
        """
        return self.predict_both(frame, matrix)[1]

    def predict(self, frame: Any, matrix: Any = None) -> pd.DataFrame:
        """Return 0/1 for every label and every new item."""
        return self.predict_both(frame, matrix)[0]

    def predict_both(self, frame: Any, matrix: Any = None) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the results of :meth:`predict` and :meth:`predict_proba`. Each item is scored once."""
        frame, matrix = _split_items(frame, matrix)
        both = self.model.predict_both(self.encoder.transform(frame, matrix))
        index, columns = self._index(frame), list(self.label_names)
        labels, p = (pd.DataFrame(values, index=index, columns=columns) for values in both)
        return labels, p

    def label(self, frame: Any, matrix: Any = None) -> pd.DataFrame:
        """Return the table with its labels predicted, written as in the table that the model was learned from.

        These are columns of 0 and 1, columns of two words such as no and yes, or a column of tags.
        """
        return self.label_with_probabilities(frame, matrix)[0]

    def label_with_probabilities(self, frame: Any, matrix: Any = None) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the results of :meth:`label` and :meth:`predict_proba`. Each item is scored once."""
        frame = as_pandas(frame)
        labels, p = self.predict_both(frame, matrix)
        return self._write_labels(frame, labels.to_numpy()), p

    def complete(self, frame: Any, matrix: Any = None) -> pd.DataFrame:
        """Return a table of new items with its gaps filled. Given entries stay as they are.

        The label columns (or the column of tags) that the table has are read as in the table that the model was learned
        from; a label without a column gets one. The given labels of an item are used for its other labels if the method
        has learned how, as the default method does from a table with single missing entries. Every item is treated as
        new; for items of the fit, the completed table is more accurate, because its scores are out of fold.

        Examples
        --------
        >>> songs = pd.DataFrame({"tempo": [60.1, 62.3, 64.7, 120.4, 122.8, 125.1], "dance": [0, 0, None, 1, 1, None]})
        >>> from halflabel import complete
        >>> model = complete(songs, labels=["dance"], effort="fast").predictor
        >>> model.complete(pd.DataFrame({"tempo": [61.0, 61.0, 124.0], "dance": [None, 1, None]}))["dance"].tolist()
        [0, 1, 1]
        """
        return self.complete_with_probabilities(frame, matrix)[0]

    def complete_with_probabilities(self, frame: Any, matrix: Any = None) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the result of :meth:`complete` and the probability of every entry, of :attr:`probability_of`.

        The probability of a given entry is the one that it would have if it were missing.
        """
        frame, matrix = _split_items(frame, matrix)
        labels = self.read_labels(frame)
        relevant, p = self.complete_both(frame, labels, matrix)
        probabilities = pd.DataFrame(p, index=self._index(frame), columns=list(self.label_names))
        return fill_known(frame, labels, relevant, self.roles.tags, self.notation, self.words), probabilities

    def read_labels(self, frame: pd.DataFrame) -> PartialLabels:
        """Return the labels that a table of new items states. A table may have none."""
        only_assigned = getattr(self.model, "positive_only_", False)
        return read_known_labels(
            frame,
            self.roles,
            self.label_names,
            absent="unknown" if only_assigned else "irrelevant",
            empty=self.empty,
            notation=self.notation,
            meanings=self.meanings,
        )

    def complete_both(
        self, frame: pd.DataFrame, labels: PartialLabels, matrix: Any = None
    ) -> tuple[NDArray[np.int64], Floats]:
        """Return 0/1 and probabilities as arrays, for new items, given their known labels."""
        return self.model.complete_both(self.encoder.transform(frame, matrix), labels)

    def explain(
        self,
        frame: Any,
        item: Any,
        label: str,
        matrix: Any = None,
        *,
        given: bool = True,
        fitted: Completion | None = None,
    ) -> Explanation:
        """Return why a new item has its probability of a label, see :class:`halflabel.completion.Explanation`.

        Parameters
        ----------
        frame, matrix
            New items, as for :meth:`complete`.
        item : object
            The id of the item.
        label : str
        given : bool, default=True
            Use the given labels of the item for its other labels: :meth:`complete` does, :meth:`predict` does not.
        fitted : Completion, optional
            The completion that the model was fitted in. With it, items that carry a part are named; a model from a file
            does not have their ids.
        """
        frame, matrix = _split_items(frame, matrix)
        row = [find_item(self._index(frame), item)]
        one = frame.iloc[row]
        unknown = np.zeros((1, len(self.label_names)), dtype=np.int8)
        known = self.read_labels(one) if given else PartialLabels(unknown, self.label_names, np.zeros(1, dtype=bool))
        X = self.encoder.transform(one, None if matrix is None else matrix[row])
        return explain_new(self, item, X, known, label, fitted)

    def locate(self, frame: Any, matrix: Any = None) -> pd.DataFrame:
        """Return the places of new items on the map that was saved with the model.

        Raises
        ------
        ValueError
            If the model was saved without a map.
        """
        if self.item_map is None:
            raise ValueError(
                "the model was saved without a map: save it by `complete --model`, in Python by "
                "filled.save(path, item_map=filled.map())."
            )
        frame, matrix = _split_items(frame, matrix)
        p = self.predict_proba(frame, matrix).to_numpy()
        if getattr(self.model, "positive_only_", False):  # the map was learned from the assigned labels
            p = p * (getattr(self.model, "observed_rate", None) or 1.0)
        places = self.item_map.locate(self.encoder.transform(frame, matrix), p)
        return pd.DataFrame(places, self._index(frame), [f"dim{j + 1}" for j in range(places.shape[1])])

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


def _split_items(items: Any, matrix: Any) -> tuple[pd.DataFrame, Any]:
    """Return a table and a matrix. For an array, the table has no columns."""
    items = as_pandas(items)
    if isinstance(items, pd.DataFrame):
        return items, matrix
    array: Any = items if sparse.issparse(items) else np.asarray(items)
    if array.ndim != 2:
        raise ValueError(f"new items are a table or a matrix with one row per item, not {type(items).__name__}.")
    return pd.DataFrame(index=range(array.shape[0])), array


def save(path: str | os.PathLike[str], predictor: Predictor) -> None:
    """Write a model as one file of JSON and plain arrays, without pickle.

    Raises
    ------
    TypeError
        If a part of the model is of a class that a model file cannot hold.
    """
    save_tree(path, {"predictor": predictor}, saved_classes())


def load(path: str | os.PathLike[str]) -> Predictor:
    """Read a model. Nothing in the file is ever executed.

    Parameters
    ----------
    path : path
        Written by :meth:`halflabel.Completion.save`.

    Returns
    -------
    Predictor

    Raises
    ------
    ModelFileError
        If the file is not a model, is damaged, or was written by a newer version.
    """
    predictor = load_tree(path, saved_classes()).get("predictor")
    if not isinstance(predictor, Predictor):
        raise ModelFileError(f"{path} holds no halflabel model.")
    try:
        _check_parts(predictor)
    except MemoryError:
        raise
    except Exception as error:  # parts that do not fit together fail in many ways when they are used
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ModelFileError(f"{path} is damaged: its parts do not fit together ({reason}).") from None
    return predictor


def _check_parts(predictor: Predictor) -> None:
    """Raise unless names are distinct, lengths agree, and two made-up rows get probabilities and labels."""
    model, encoder, names = predictor.model, predictor.encoder, predictor.label_names
    if not names or len(set(names)) < len(names) or not all(map(str.isprintable, names)):
        raise ValueError("label names are missing, repeated or not printable")
    if np.shape(model.thresholds_) != (len(names),) or not np.isfinite(model.thresholds_).all():
        raise ValueError("there is not one finite threshold per label")
    if set(encoder.columns) != set(predictor.roles.features) or len(set(encoder.columns)) < len(encoder.columns):
        raise ValueError("the columns of the features differ from the columns of the roles")
    if _count_features(encoder) != model.n_features_in_:
        raise ValueError("the table gives another number of features than the method takes")
    frame, matrix = make_up_rows(encoder)
    for use in (predictor.label_with_probabilities, predictor.complete_with_probabilities):
        p = use(frame, matrix)[1].to_numpy()
        if p.shape != (2, len(names)) or not ((p >= 0) & (p <= 1)).all():
            raise ValueError("it does not predict one probability per label")
    if predictor.item_map is not None and not np.isfinite(predictor.locate(frame, matrix).to_numpy()).all():
        raise ValueError("it does not place items on its map")


def _count_features(encoder: FeatureEncoder) -> int:
    """Return the number of features of a table. Raise before any is named if a size differs from its arrays."""
    filling, n_single = encoder.filling, len(encoder.numeric) + encoder.vector_width
    n_matrix, n_words = len(encoder.matrix_names), len(encoder.vocabulary)
    n_filled = len(filling.means)
    if encoder.vector_width < 0 or (encoder.vectors is None and encoder.vector_width):
        raise ValueError("the width of the vectors is not that of a column")
    if n_filled not in (n_single, n_single + n_matrix) or filling.means.ndim != 1:
        raise ValueError("the means of the features are not as many as the features")
    if filling.spreads.shape != (n_filled,) or filling.components.ndim != 2 or encoder.idf.shape != (n_words,):
        raise ValueError("the arrays of the features have different lengths")
    if len(filling.components) and filling.components.shape[1] != n_filled:
        raise ValueError("the components of the features are not as long as their means")
    return n_single + n_matrix + n_words + sum(map(len, encoder.categories.values()))


def make_up_rows(encoder: FeatureEncoder) -> tuple[pd.DataFrame, Any]:
    """Return a table of two rows, and the matrix next to it, that an encoder reads: zeros, and numbers by chance."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({column: [0.0, rng.normal()] for column in encoder.numeric}, index=range(2))
    for column, values in encoder.categories.items():
        frame[column] = pd.Series([None, *values[:1]], dtype=object)
    if encoder.vectors is not None:
        frame[encoder.vectors] = [[0.0] * encoder.vector_width, rng.normal(size=encoder.vector_width).tolist()]
    if encoder.text is not None:
        frame[encoder.text] = ["", " ".join(encoder.vocabulary[:3])]
    matrix: Any = np.vstack([np.zeros(len(encoder.matrix_names)), rng.normal(size=len(encoder.matrix_names))])
    if not encoder.matrix_names:
        return frame, None
    is_dense = len(encoder.filling.means) == len(encoder.numeric) + encoder.vector_width + matrix.shape[1]
    return frame, matrix if is_dense else sparse.csr_array(matrix)


@cache
def saved_classes() -> Mapping[str, type]:
    """Return by name the classes that a model file may hold. It imports all methods."""
    from halflabel.completion.registry import CLASSES, list_by_name, load_added_classes

    return list_by_name(Predictor, *CLASSES, *load_added_classes())
