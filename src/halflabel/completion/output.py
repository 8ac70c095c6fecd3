"""The completed table on the disk: as a table, or as suggestions for an annotation tool."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from halflabel import files
from halflabel._version import __version__
from halflabel.files.reading import write_frame
from halflabel.files.registry import TABLES, find_by_content, find_by_suffix
from halflabel.table import OpenTable
from halflabel.table.cells import use_text_names
from halflabel.table.exclusions import Cause
from halflabel.table.tag_notations import name_open_column

if TYPE_CHECKING:
    from halflabel.completion.evidence import Evidence
    from halflabel.files.records import Records

#: The author of suggestions in files of annotation tools.
MODEL = f"halflabel {__version__}"


def write_completed(
    evidence: Evidence,
    path: str | os.PathLike[str],
    format: str | None = None,
) -> tuple[str, ...]:
    """Write the completed table, or the filled entries as suggestions with their probabilities.

    Parameters
    ----------
    path : path
    format : str, optional
        The name of a format of :data:`halflabel.files.FORMATS`. By default the export of an annotation tool goes
        back to this tool if the suffix fits. A database gets a table of pairs, see :func:`list_pairs`; nothing else in
        it changes. Everything else is a table in the notation of its suffix.

    Returns
    -------
    tuple of str
        One sentence for each thing that the file cannot hold.
    """
    path, opened = Path(path), evidence.opened
    source = opened.source
    format = format or choose_tool(source, path)
    if format is not None:
        return write_for_tool(to_records(evidence), path, format)
    kind = TABLES.get(find_by_content(path) or "")
    if kind is not None and kind.append is not None:
        return kind.append(list_pairs(evidence), path)
    table = evidence.frame
    if source is not None and source.raw.classes and path.suffix == ".parquet":
        from halflabel.files.huggingface import write_with_classes  # imported where a source has classes

        write_with_classes(table, path, source.raw.classes, name_open_column(opened.roles.tags or ""))
        return ()
    kind = find_by_suffix(path)
    if source is not None and kind is not None and kind.rewrite is not None and source.format == kind.name:
        return kind.rewrite(table, source.raw, path)
    return write_frame(table, path, opened.form)


def list_pairs(evidence: Evidence) -> pd.DataFrame:
    """Return the tags that items have after the completion, one row each.

    The columns are item (its id), tag, source (given or filled) and probability.
    """
    labels, state = evidence.opened.written_labels, evidence.written_state
    items, tags = np.nonzero(state > 0)
    learned = pd.DataFrame(evidence.probabilities, columns=list(evidence.labels.names))
    p = learned.reindex(columns=list(labels.names)).to_numpy()
    return pd.DataFrame(
        {
            "item": evidence.opened.index[items],
            "tag": np.array(labels.names, dtype=object)[tags],
            "source": np.where(labels.relevant[items, tags], "given", "filled"),
            "probability": p[items, tags],
        }
    )


def write_for_tool(records: Records, path: Path, format: str) -> tuple[str, ...]:
    """Write records for a tool, and return a sentence for each thing that its files cannot hold."""
    title = files.FORMATS[format].title
    lost = files.write_records(path, format, records)
    return tuple(f"{title}: {sentence[0].lower()}{sentence[1:]}" for sentence in lost)


def choose_tool(source: object, path: Path) -> str | None:
    """Return the format of the annotation tool that exported the source, if a file of this name can be of it."""
    name = getattr(source, "format", "") if getattr(source, "records", None) is not None else ""
    return name if name and path.suffix.lower() in files.FORMATS[name].suffixes else None


def to_records(evidence: Evidence) -> Records:
    """Return the items with given values, and with filled values as suggestions of a model."""
    opened = evidence.opened
    labels, state = opened.written_labels, evidence.written_state
    final = pd.DataFrame(np.where(state == 0, np.nan, state > 0), columns=labels.names)
    learned = pd.DataFrame(evidence.probabilities, columns=list(evidence.labels.names))
    p = learned.reindex(columns=list(labels.names)).to_numpy()
    made = files.from_tables(_fields(opened), final, p, labels, model=MODEL)
    if opened.source is None or opened.source.records is None:
        return made
    return add_suggestions(opened.source.records.opened(), made)


def _fields(opened: OpenTable) -> pd.DataFrame:
    """Return the items without their labels, under their ids."""
    if opened.frame is None:
        return pd.DataFrame(index=opened.index)
    roles, ids = opened.roles, opened.index
    key = roles.id or _find_id(opened, opened.frame)
    if key is not None:
        ids = pd.Index(use_text_names(opened.frame)[key], name=key)
    tags = () if roles.tags is None else (roles.tags, name_open_column(roles.tags))
    own = {key, *tags, *opened.written_labels.names}
    fields = opened.frame.loc[:, [str(name) not in own for name in opened.frame.columns]]
    return fields.set_axis(list(map(str, fields.columns)), axis=1).set_axis(ids, axis=0)


def _find_id(opened: OpenTable, frame: pd.DataFrame) -> str | None:
    """Return the column that looks like an id, where none was named: a tool keeps ids, not the numbers of rows."""
    if not isinstance(opened.index, pd.RangeIndex):
        return None
    likely, frame = opened.roles.find_ignored(Cause.IDENTIFIER), use_text_names(frame)
    return next((name for name in likely if frame[name].is_unique and frame[name].notna().all()), None)


def add_suggestions(records: Records, made: Records) -> Records:
    """Return records with the new suggestions in place of older ones. The authors of answers do not change.

    An answer that is not the one in the records (it was corrected before the fit) replaces it.
    """
    if further := tuple(name for name in made.names if name not in records.names):
        closed = np.concatenate([records.closed, np.zeros(len(further), dtype=np.bool_)])
        records = replace(records, names=(*records.names, *further), closed=closed)
    names = [records.names.index(name) for name in made.names]
    before, after = records.to_partial_labels().state[:, names], made.to_partial_labels().state
    changed = np.zeros((len(records.items), len(records.names)), dtype=bool)
    changed[:, names] = before != after
    of_made = np.isin(records.cells["label"], names)
    stale = changed[records.cells["item"].to_numpy(), records.cells["label"].to_numpy()]
    kept = records.cells[~(records.is_suggestion & of_made) & ~stale]
    new = made.cells.assign(label=np.array(names, dtype=np.int32)[made.cells["label"].to_numpy()])
    corrected = changed[new["item"].to_numpy(), new["label"].to_numpy()]
    added = new[made.is_suggestion | corrected]
    return replace(records, cells=pd.concat([kept, added], ignore_index=True))
