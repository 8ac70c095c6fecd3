"""The answers of several people in the export of an annotation tool, as votes of sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from halflabel.files.records import Records

#: Minimum number of entries with the answers of two people. With fewer, error rates cannot be learned.
MIN_SHARED = 20

#: The name of suggestions that no model has signed.
UNSIGNED = "model"


def list_votes(records: Records | None, labels: Sequence[str]) -> pd.DataFrame | None:
    """Return the answers of people and the suggestions of models: row, column, source, value.

    It is None unless at least ``MIN_SHARED`` entries have answers of two people. Where the export lists the labels of
    an item, a person who listed some labels has answered no about all other labels. If a person answered about an entry
    several times, the last answer counts.

    Parameters
    ----------
    records : Records or None
    labels : sequence of str
        The labels of the table. The records may have more.
    """
    if records is None or records.positive_only:
        return None
    votes = _list_cells(records)
    people = votes[~votes["is_model"]]
    shared = people.drop_duplicates(["item", "label", "source"]).groupby(["item", "label"]).size()
    if int((shared > 1).sum()) < MIN_SHARED:
        return None
    votes = pd.concat([_list_absent(records, people), votes])
    votes = votes.drop_duplicates(["item", "label", "source"], keep="last")
    places = pd.Index(labels).get_indexer(pd.Index(np.array(records.names, dtype=object)[votes["label"]]))
    found = pd.DataFrame({"row": votes["item"], "column": places, "source": votes["source"], "value": votes["value"]})
    return found[places >= 0].reset_index(drop=True)


def _list_cells(records: Records) -> pd.DataFrame:
    """Return the cells that have a value and a name: item, label, source, value, is_model."""
    cells, is_model = records.cells, records.is_suggestion
    probability = cells["probability"].to_numpy(float)
    value = np.where(is_model & ~np.isnan(probability), probability, cells["value"].to_numpy(float))
    source = cells["by"].where(cells["by"].notna() | ~is_model, UNSIGNED)
    columns = {"item": cells["item"], "label": cells["label"], "source": source, "value": value, "is_model": is_model}
    return pd.DataFrame(columns).dropna(subset=["source", "value"])


def _list_absent(records: Records, people: pd.DataFrame) -> pd.DataFrame:
    """Return the answer no of each person to each label that lists hold and this person did not list."""
    asked = people[["item", "source"]].drop_duplicates()
    closed = pd.DataFrame({"label": np.flatnonzero(records.closed)})
    return asked.merge(closed, how="cross").assign(value=0.0, is_model=False)
