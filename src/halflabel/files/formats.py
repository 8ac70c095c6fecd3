"""The description of a format: a reader, a writer, a test of content, and the losses of writing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from halflabel.files.loss import Loss
from halflabel.files.recognition import Sample
from halflabel.files.records import Records
from halflabel.labels import Absent

#: How a format states labels: one value per entry, or the list of the labels that an item has.
Dialect = Literal["cells", "sets"]

Empty = Literal["unlabelled", "none"]


@dataclass(frozen=True)
class Options:
    """Properties of a file that a caller may state.

    Parameters
    ----------
    absent : {"irrelevant", "unknown"}, optional
        The meaning of a label that a list does not hold.
    empty : {"unlabelled", "none"}, optional
        The meaning of an empty list: an unlabelled item, or an annotated item without labels. The format has a default.
    id : str, optional
        The field that holds the id of an item.
    tags : str, optional
        The field that lists the labels that an item has.
    """

    absent: Absent | None = None
    empty: Empty | None = None
    id: str | None = None
    tags: str | None = None


@dataclass(frozen=True)
class Format:
    """A format of another tool.

    Parameters
    ----------
    name : str
        What ``format=`` takes.
    title : str
        The name that the tool has for itself.
    dialect : {"cells", "sets"}
        How labels are written.
    suffixes : tuple of str
        The suffixes of a written file. An empty text means a folder.
    read : callable
        Files and options to :class:`Records`.
    write : callable
        Records to a file.
    losses : tuple of Loss
        The losses of a written file.
    recognise : callable, optional
        Of a format of another distribution: returns why a sample of a file is of this format, as a sentence, or None.
        It is asked where a file has no format of this package.
    carries : callable
        Returns the names of the fields that the written file can carry.
    options : tuple of str
        The options that the reader takes, ``absent`` apart.
    companion : callable, optional
        Returns the name of the second file that :attr:`write` may write.
    question_losses : tuple of Loss
        The losses of a file in which one question has the labels as choices. Empty if the format has no such file.
    """

    name: str
    title: str
    dialect: Dialect
    suffixes: tuple[str, ...]
    read: Callable[[Sequence[Path], Options], Records]
    write: Callable[[Records, Path], Any]
    losses: tuple[Loss, ...]
    recognise: Callable[[Sample], str | None] | None = None
    carries: Callable[[pd.DataFrame], Sequence[str]] = lambda items: list(items.columns)
    options: tuple[str, ...] = ()
    companion: Callable[[Path], Path] | None = None
    question_losses: tuple[Loss, ...] = ()
