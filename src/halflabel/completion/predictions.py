"""The predictions of a saved model as suggestions for an annotation tool."""

from __future__ import annotations

import numpy as np
import pandas as pd

from halflabel import files
from halflabel.completion.model_file.predictor import Predictor
from halflabel.completion.output import MODEL, add_suggestions
from halflabel.files.records import Records
from halflabel.table.cells import use_text_names
from halflabel.table.sources import Source
from halflabel.table.tag_notations import name_open_column


def make_suggestions(
    predictor: Predictor, source: Source, frame: pd.DataFrame, labels: pd.DataFrame, p: pd.DataFrame
) -> Records:
    """Return new items with the predicted values as suggestions.

    ``frame`` has the items as a table. Answers of people in the export of a tool (``source``) do not change.
    """
    names = list(predictor.label_names)
    if source.records is None:
        items = _drop_labels(use_text_names(frame), predictor).set_axis(p.index, axis=0)
        given = pd.DataFrame(np.nan, index=p.index, columns=names)
        return files.from_tables(items, labels, p, given, model=MODEL)
    records = source.records.opened()
    given = records.labels.reindex(columns=names)
    made = files.from_tables(records.items, labels.set_axis(given.index), p.to_numpy(), given, model=MODEL)
    return add_suggestions(records, made)


def _drop_labels(frame: pd.DataFrame, predictor: Predictor) -> pd.DataFrame:
    """Return the columns of a table that are neither ids nor labels."""
    roles = predictor.roles
    tags = () if roles.tags is None else (roles.tags, name_open_column(roles.tags))
    return frame.drop(columns=[*predictor.label_names, *tags, roles.id], errors="ignore")
