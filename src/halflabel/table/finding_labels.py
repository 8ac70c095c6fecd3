"""The labels of a table, from wherever they are: its columns, a second argument, a table of pairs, or its records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from halflabel._wording import option, quoted
from halflabel.labels import PartialLabels
from halflabel.table.columns import Description
from halflabel.table.label_reading import LabelReading
from halflabel.table.label_words import find_meanings
from halflabel.table.labelling import read_labels, read_stated_labels
from halflabel.table.native import as_pandas
from halflabel.table.pairs import read_pairs
from halflabel.table.roles import Roles
from halflabel.table.sources import Source
from halflabel.table.tag_recognition import TagOptions
from halflabel.table.votes import leaves_labels_to_votes


def check_labels_once(Y: Any, columns: Description) -> None:
    """Raise if names are in the place of labels, labels come from two places, or ``on`` comes without its table."""
    if isinstance(Y, str) or (isinstance(Y, Sequence) and len(Y) > 0 and all(isinstance(name, str) for name in Y)):
        names = [name.strip() for name in Y.split(",")] if isinstance(Y, str) else list(Y)
        raise ValueError(
            f"the second argument is a table of labels, not {Y!r:.80}: name label columns by {option('labels', names)}."
        )
    named = columns.labels is not None or columns.tags is not None
    if (Y is not None) + (columns.pairs is not None) + named > 1:
        raise ValueError(
            f"labels were given twice: apart from the items, and as columns ({option('labels')}, {option('tags')})."
        )


def find_labels(
    source: Source, frame: pd.DataFrame, Y: Any, columns: Description, roles: Roles, index: pd.Index[Any]
) -> LabelReading:
    """Read the labels from wherever they are, one row per item."""
    if columns.pairs is not None:
        reading = _read_pairs(columns, roles, index)
    elif Y is not None:
        reading = LabelReading(_read_apart(frame, Y))
    elif leaves_labels_to_votes(frame, columns, roles.labels):
        return LabelReading(PartialLabels.unknown(len(frame), roles.labels))
    elif source.labels is not None:
        return read_stated_labels(source.labels, roles.labels)
    else:
        return read_labels(
            frame,
            roles,
            absent=columns.absent,
            empty=columns.empty,
            sep=columns.sep,
            meanings=find_meanings(columns),
            options=TagOptions.of(columns),
        )
    has_names = columns.pairs is not None or isinstance(Y, pd.DataFrame)
    if has_names and (both := [name for name in frame.columns if name in reading.labels.names]):
        raise ValueError(f"{quoted(both)} is a label and also a column of the items: rename it in one of them.")
    return reading


def _read_apart(frame: pd.DataFrame, Y: Any) -> PartialLabels:
    """Read labels that come apart from the items."""
    if isinstance(Y, pd.DataFrame | pd.Series) and not Y.index.equals(frame.index):
        way = "such as Y.loc[X.index]" if frame.index.isin(Y.index).all() else "such as Y.reindex(X.index)"
        raise ValueError(f"items and labels have different row labels: bring them into the same order, {way}.")
    labels = PartialLabels.from_table(Y)
    if len(labels) != len(frame):
        raise ValueError(f"there are {len(frame)} items but labels for {len(labels)}: give one row of labels per item.")
    return labels


def _read_pairs(columns: Description, roles: Roles, index: pd.Index[Any]) -> LabelReading:
    """Read a long table of (id, tag)."""
    if columns.on is None or roles.id is None:
        raise ValueError(
            f"a long table of tags needs the id column of the items ({option('id')}) and its own ({option('on')}): "
            f"it has the columns {quoted(as_pandas(columns.pairs).columns, 20)}."
        )
    if columns.absent is None:
        raise ValueError(
            "a long table of tags lists the tags that items have; state the meaning of a tag that is not listed: "
            f"{option('absent', 'irrelevant')} or {option('absent', 'unknown')}."
        )
    return read_pairs(
        as_pandas(columns.pairs),
        columns.on,
        index,
        absent=columns.absent,
        empty=columns.empty,
        tag=columns.tag,
        value=columns.value,
        meanings=find_meanings(columns),
        names=None if columns.tag_names is None else as_pandas(columns.tag_names),
        annotated=None if columns.annotated is None else as_pandas(columns.annotated),
        drop_others=columns.other_ids == "drop",
        options=TagOptions.of(columns),
    )
