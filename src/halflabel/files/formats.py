"""What a format is: a reader, a writer, a test of content, and what it cannot carry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from halflabel.files.loss import Loss
from halflabel.files.records import Records
from halflabel.files.sample import Sample
from halflabel.labels import Absent

#: How a format states labels: one value per entry, or the list of the labels that an item has.
Dialect = Literal["cells", "sets"]

Empty = Literal["unlabelled", "none"]


@dataclass(frozen=True)
class Options:
    """What a caller may state about a file.

    Parameters
    ----------
    absent : {"irrelevant", "unknown"}, optional
        What a label means that a list of labels does not hold.
    empty : {"unlabelled", "none"}, optional
        What an empty list is: an unlabelled item, or an annotated item without labels; by default as the format has it.
    id : str, optional
        The field that holds the id of an item.
    labels : tuple of str
        The fields that are labels (1, 0 or missing).
    tags, negatives : str, optional
        The fields that list the labels that an item has, and those that it does not have.
    """

    absent: Absent | None = None
    empty: Empty | None = None
    id: str | None = None
    labels: tuple[str, ...] = ()
    tags: str | None = None
    negatives: str | None = None

    @property
    def names_fields(self) -> bool:
        """Whether the caller states which fields hold ids or labels."""
        return any((self.id, self.labels, self.tags, self.negatives))


@dataclass(frozen=True, eq=False)
class Plain:
    """A table as a file holds it, with what the file itself states about its columns.

    Parameters
    ----------
    frame : DataFrame
        One row per item.
    labels : tuple of str
        The columns that are labels.
    id : str, optional
        The column that identifies the items.
    tags : str, optional
        The column that lists the labels of an item.
    classes : dict of str to list of str
        The names of the classes of columns whose numbers stand for classes; in the frame, they are names.
    notes : tuple of str
        What a user should know about the reading.
    """

    frame: pd.DataFrame
    labels: tuple[str, ...] = ()
    id: str | None = None
    tags: str | None = None
    classes: dict[str, list[str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """A format of another tool.

    Parameters
    ----------
    name : str
        What ``format=`` takes.
    title : str
        What the tool calls itself.
    dialect : {"cells", "sets"}
        How labels are written.
    suffixes : tuple of str
        What the name of a written file ends in; an empty text stands for a folder.
    read, write : callable
        Files and options to :class:`Records`; records to a file.
    recognise : callable
        Returns why a sample of a file is of this format, as a sentence, or None.
    losses : tuple of Loss
        What the written file cannot carry.
    carries : callable
        Returns the names of the fields that the written file can carry.
    options : tuple of str
        The options that the reader takes, ``absent`` apart.
    companion : callable, optional
        Returns the name of the second file that :attr:`write` may write.
    question_losses : tuple of Loss
        What a file cannot carry in which one question has the labels as choices; empty where a format has no such file.
    is_general : bool
        Whether the format is only recognised where no other one is.
    read_plain, write_plain : callable, optional
        Read and write a table without any labels in mind; None where a file is more than one table. A writer may
        return sentences on what the file cannot hold.
    check_plain : callable, optional
        Raises for values that the format cannot hold, before any work is done.
    """

    name: str
    title: str
    dialect: Dialect
    suffixes: tuple[str, ...]
    read: Callable[[Sequence[Path], Options], Records]
    write: Callable[[Records, Path], None]
    recognise: Callable[[Sample], str | None]
    losses: tuple[Loss, ...]
    carries: Callable[[pd.DataFrame], Sequence[str]] = lambda items: list(items.columns)
    options: tuple[str, ...] = ()
    companion: Callable[[Path], Path] | None = None
    question_losses: tuple[Loss, ...] = ()
    is_general: bool = False
    read_plain: Callable[[Sequence[Path]], Plain] | None = None
    write_plain: Callable[[pd.DataFrame, Path], Any] | None = None
    check_plain: Callable[[pd.DataFrame], None] | None = None
