"""Which format a file has, by its content; two formats that fit are an error, never a guess."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from halflabel._wording import option
from halflabel.files import (
    argilla,
    coco,
    doccano,
    excel,
    feather,
    huggingface,
    label_studio,
    plain_json,
    prodigy,
)
from halflabel.files.formats import Format
from halflabel.files.raw_table import ReadError
from halflabel.files.sample import sample_of

_ALL = (
    label_studio.FORMAT,
    prodigy.FORMAT,
    argilla.FORMAT,
    doccano.FORMAT,
    huggingface.FORMAT,
    coco.FORMAT,
    plain_json.ARRAY,
    plain_json.LINES,
    excel.FORMAT,
    feather.FORMAT,
)

#: The formats by name.
FORMATS: dict[str, Format] = {format.name: format for format in _ALL}


class Detected(NamedTuple):
    """The name of a format, and why a file is of this format."""

    format: str
    reason: str


def detect(path: str | os.PathLike[str]) -> Detected | None:
    """Return the format of a file or folder and the reason, or None for a table that no tool writes.

    Parameters
    ----------
    path : path
        A file or folder; only its beginning is read, unless it is one JSON object.

    Returns
    -------
    Detected or None
        None where :func:`halflabel.files.read_table` is the reader: delimited text, plain Parquet and others.

    Raises
    ------
    ReadError
        If two formats fit, or the beginning of the file is damaged.
    """
    sample = sample_of(Path(path))
    fitting = [Detected(f.name, reason) for f in _ALL if not f.is_general and (reason := f.recognise(sample))]
    fitting = fitting or [Detected(f.name, reason) for f in _ALL if f.is_general and (reason := f.recognise(sample))]
    if len(fitting) > 1:
        found = " ".join(f"{name}: {reason}" for name, reason in fitting)
        names = " or ".join(option("format", name) for name, _ in fitting)
        raise ReadError.at(path, f"it may be of several formats. {found} State {names}.")
    return fitting[0] if fitting else None
