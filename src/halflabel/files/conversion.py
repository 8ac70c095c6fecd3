"""Read files of other tools into records, and write records for them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._files import together
from halflabel._wording import Notes, option, quoted
from halflabel.files.detection import check_installed, find_tool
from halflabel.files.formats import Empty, Format, Options
from halflabel.files.label_tables import from_tables
from halflabel.files.loss import sentences
from halflabel.files.raw_table import ReadError
from halflabel.files.records import Records
from halflabel.files.registry import FORMATS, TABLES, TOOLS, check_name
from halflabel.labels import Absent, PartialLabels

AnyPath = str | os.PathLike[str]


def read(
    path: AnyPath | Sequence[AnyPath],
    format: str | None = None,
    absent: Absent | None = None,
    *,
    empty: Empty | None = None,
    id: str | None = None,
    tags: str | None = None,
) -> Records:
    """Read the export of a tool. A file that holds a table is read by :func:`read_table`.

    Parameters
    ----------
    path : path, or sequence of paths
        A file or folder; several files of one format are read as one.
    format : str, optional
        The name of a format; by default it is detected from the content.
    absent : {"irrelevant", "unknown"}, optional
        The meaning of a label that a list does not hold. Files with lists need it, and other files do not take it.
    empty : {"unlabelled", "none"}, optional
        Whether an item with an empty list is unlabelled, or annotated without any label.
    id : str, optional
        The field with the ids of the items.
    tags : str, optional
        The field that lists the labels of an item.

    Returns
    -------
    Records

    Raises
    ------
    ReadError
        With one sentence that names the file and the line or record.
    ValueError
        If an option does not apply to the format.
    """
    paths = [Path(path)] if isinstance(path, str | os.PathLike) else [Path(part) for part in path]
    if not paths:
        raise ValueError("there is no file to read.")
    if format is not None:
        check_installed(check_name(format, _list_names()), paths[0])
    kind = FORMATS[format] if format else _detected(paths[0])
    options = Options(absent, empty, id, tags)
    given = {name for name in ("empty", "id", "tags") if getattr(options, name)}
    if wrong := sorted(given - set(kind.options)):
        raise ValueError(f"{option(wrong[0])} does not apply to a file of the format {kind.name}.")
    return kind.read(paths, options)


def write(
    path: AnyPath,
    format: str,
    items: pd.DataFrame,
    labels: pd.DataFrame | PartialLabels,
    probabilities: Any = None,
    given: pd.DataFrame | PartialLabels | None = None,
    *,
    model: str | None = None,
) -> Notes:
    """Write items and labels for a tool. The values that ``labels`` adds to ``given`` are written as suggestions.

    Parameters
    ----------
    path : path
        The file, or the folder where the format is one.
    format : str
        The name of a format.
    items : DataFrame of shape (n_items, n_fields)
        The items' own fields; the index holds their ids.
    labels : DataFrame or PartialLabels of shape (n_items, n_labels)
        The values: 1, 0 or missing.
    probabilities : DataFrame or array-like of shape (n_items, n_labels), optional
        Probabilities that a label is relevant.
    given : DataFrame or PartialLabels of shape (n_items, n_labels), optional
        The values that were given; by default all were.
    model : str, optional
        The name of the model that made the suggestions.

    Returns
    -------
    tuple of str
        One sentence for each thing that the file cannot carry; empty if nothing is lost.

    Raises
    ------
    ValueError
        If the name of the file does not fit the format, or a table does not fit the items.
    """
    return write_records(path, format, from_tables(items, labels, probabilities, given, model=model))


def write_records(path: AnyPath, format: str, records: Records) -> Notes:
    """Write records for a tool, as :func:`write` does, so that a file of one tool becomes a file of another tool."""
    path = Path(path)
    kind = check_format_path(path, format)
    if records.question is not None and not kind.question_losses:
        records = replace(records, question=None)
    opened = records.opened()
    with together():
        kind.write(opened, path)
    losses = kind.losses if records.question is None else kind.question_losses
    return sentences(opened, losses, kind.carries(records.items))


def check_format_path(path: Path, format: str) -> Format:
    """Return the format of a name. Raise if it does not exist, or if its files cannot have this path."""
    if format in TABLES:
        way = "Completion.write without a format, or write_frame, writes a table by the suffix of its name."
        raise ValueError(f"{path}: {format} is a format of tables, not of a tool: {way}")
    kind = FORMATS[check_name(format, _list_names())]
    if path.suffix.lower() not in kind.suffixes:
        endings = " or ".join(suffix or "a folder" for suffix in kind.suffixes)
        raise ValueError(f"{path}: {kind.title} takes {endings}, not {path.suffix or 'a name without suffix'!r}.")
    return kind


def _list_names() -> tuple[str, ...]:
    """Return the names of all formats of records, installed or not."""
    return tuple(dict.fromkeys([*TOOLS, *FORMATS]))


def _detected(path: Path) -> Format:
    found = find_tool(path)
    if found is None or found.format not in FORMATS:
        names = quoted(FORMATS, len(FORMATS))
        way = f"read a table with read_table, or state {option('format')}, one of {names}."
        raise ReadError.at(path, f"it is not recognised as an export of an annotation tool: {way}")
    return FORMATS[found.format]
