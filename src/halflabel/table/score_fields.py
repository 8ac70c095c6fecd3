"""Probabilities inside the records of the items: a field of scores, or one field per label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from halflabel._wording import option
from halflabel.table.cells import describe_missing
from halflabel.table.columns import Description
from halflabel.table.roles import see_id
from halflabel.table.tag_columns import read_tag_parts
from halflabel.table.tag_recognition import recognise_tags


def take_scores(frame: pd.DataFrame, columns: Description) -> Description:
    """Return the columns with the scores of a field as the prior. The field is not a feature.

    Examples
    --------
    >>> frame = pd.DataFrame({"n": [1, 2], "llm.rock": [0.9, None], "llm.sad": [0.1, 0.2]})
    >>> take_scores(frame, Description(prior_field="llm")).prior
       rock  sad
    0   0.9  0.1
    1   NaN  0.2
    """
    field = columns.prior_field
    if field is None:
        return columns
    if columns.prior is not None:
        raise ValueError(f"the prior was given twice ({option('prior')}, {option('prior_field')}): use one.")
    parts = {name: name.removeprefix(f"{field}.") for name in map(str, frame.columns) if name.startswith(f"{field}.")}
    if field in frame.columns or not parts:
        scores, used = _read_column(frame, field)
    else:
        scores, used = frame[list(parts)].rename(columns=parts), tuple(parts)
    key = columns.id if columns.id in frame.columns else see_id(frame, columns)
    # The row labels are the ids of the items, so that no key is needed.
    index = pd.Index(frame.index.to_numpy() if key is None else frame[key].to_numpy())
    return replace(columns, prior=scores.set_axis(index, axis=0), ignore=(*columns.ignore, *used), prior_field=None)


def _read_column(frame: pd.DataFrame, field: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the scores of a column, or of a key of the objects in it, and its name. They are written as tags are."""
    names = [name for name in map(str, frame.columns) if field == name or field.startswith(f"{name}.")]
    if not names:
        raise ValueError(describe_missing(field, map(str, frame.columns)))
    name = max(names, key=len)
    cells = list(frame[name])
    for key in field.removeprefix(name).split(".")[1:]:
        cells = [cell.get(key) if isinstance(cell, Mapping) else None for cell in cells]
    column: pd.Series[Any] = pd.Series(cells, dtype=object, name=field)
    tags = read_tag_parts(column, recognise_tags(column, Description(scores="prior")))
    rows = [{tag.name: tag.relevant if tag.score is None else tag.score for tag in each or () if tag is not None}
            for each in tags]  # fmt: skip
    return pd.DataFrame(rows, dtype=float), (name,)
