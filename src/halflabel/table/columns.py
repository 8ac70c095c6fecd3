"""Which column plays which role, as the user stated it: one record from the command and from Python to the table."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, Self

from halflabel._wording import option
from halflabel.labels import Absent
from halflabel.table.rule_files import collect_rules

Empty = Literal["unlabelled", "none"]

#: Fields that hold the name of one column, and of several.
_SINGLE = ("id", "tags", "on", "text", "group")
_SEVERAL = ("labels", "positive_only", "features", "ignore", "yes", "no", "unknown")

#: The words of each field that has some.
_CHOICES = {
    "empty": ("unlabelled", "none"),
    "case": ("same", "different"),
    "scores": ("given", "prior", "name"),
    "tag_marks": ("name",),
    "other_ids": ("drop",),
}

#: Suffixes of files of vectors: an array, or a table that has the ids of the items.
VECTOR_FILES = (".npy", ".parquet", ".feather", ".arrow", ".csv", ".tsv")

#: Fields that state how a file is read.
OF_FILE = ("skip_rows", "delimiter", "encoding", "xml", "top_labels", "items_table", "query", "sheet")

#: Fields of a description, in addition to the fields of :class:`Columns`, that also hold for many files.
OF_CELLS = ("case", "tag_marks", "scores", "missing", "rules", "accept")


@dataclass(frozen=True, kw_only=True, eq=False)
class Columns:
    """The roles of columns that a user stated. :func:`choose_roles` finds all other roles.

    Names that are not text (the numbers of columns, for example) become text.

    Parameters
    ----------
    labels : str or sequence of str, optional
        Label columns: names, patterns (``"tag_*"``) or ``"@file"``, a text file with one name per line. An empty
        sequence means that the labels are not in this table.
    tags : str, optional
        A column of tag lists, instead of ``labels``.
    pairs, on : DataFrame and str, optional
        A long table with one row per (id, tag), and the name of its id column; needs ``id``.
    absent : {"irrelevant", "unknown"}, optional
        The meaning of a tag that an item does not list; needed for ``tags`` and ``pairs``.
    positive_only : str or sequence of str, default=()
        Labels, by name or pattern, of which an absent entry may be a missing positive, whatever ``absent`` is.
    empty : {"unlabelled", "none"}, optional
        The meaning of a cell of ``tags`` without a tag, in any form: an unlabelled item, or an annotated item without
        tags; by default as the form has it.
    sep : str, optional
        The separator of tags in a cell, or "space", "newline", "tab", or "none" if a cell is one tag; recognised by
        default.
    id : str, optional
        The column that identifies the rows; its values must be there and distinct.
    group : str, optional
        A column of numbers, text or dates; rows of equal value belong together. It is not a feature. A row without a
        value is a group of its own.
    features : str or sequence of str, optional
        Names or patterns; exactly these columns become features then. "*" keeps the columns that are left out by
        default because they seem to be made from the labels.
    vectors : str, path or array, optional
        A column of feature vectors; or the vectors themselves, one row per item, as an array or a ``.npy`` file; or a
        table file of vectors with the ids of the items.
    text : str, optional
        A column of free text, read as tf-idf.
    ignore : str or sequence of str, default=()
        Names or patterns of columns to leave out; patterns for labels pass over them.
    max_categories : int, default=20
        A column of more distinct texts is not made a category.
    prior : DataFrame or array-like, optional
        Probabilities from another source, as in :func:`align_prior`.
    sources : DataFrame or path, optional
        The votes of several sources, as in :func:`halflabel.table.votes.open_votes`.
    reference : str, optional
        The source whose votes are taken as true.
    yes, no, unknown : str or sequence of str, optional
        Words of label columns that mean relevant, irrelevant and unknown; 1, 0, true, false and empty cells need none.
        Among tags, words that are a tag, mean "no tag", and mean a missing value; and forms of tags, such as
        ``no="no {tag}"`` and ``unknown="{tag}?"``: the item has the tag, does not have it, or may have it.
    format : str, optional
        The format of the file, where items are a path, see :data:`halflabel.files.registry.NAMES`.

    Raises
    ------
    ValueError
        If labels and tags were both given, ``empty`` is another word, or ``sep`` is empty.

    Examples
    --------
    >>> Columns(labels=["rock", 7], id="song").labels
    ('rock', '7')
    """

    labels: str | Sequence[str] | None = None
    tags: str | None = None
    pairs: Any = None
    on: str | None = None
    absent: Absent | None = None
    positive_only: str | Sequence[str] = ()
    empty: Empty | None = None
    sep: str | None = None
    id: str | None = None
    group: str | None = None
    features: str | Sequence[str] | None = None
    vectors: Any = None
    text: str | None = None
    ignore: str | Sequence[str] = ()
    max_categories: int = 20
    prior: Any = None
    sources: Any = None
    reference: str | None = None
    yes: str | Sequence[str] = ()
    no: str | Sequence[str] = ()
    unknown: str | Sequence[str] = ()
    format: str | None = None

    def __post_init__(self) -> None:
        for name in _SINGLE:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, str(getattr(self, name)))
        if isinstance(self.vectors, int):
            object.__setattr__(self, "vectors", str(self.vectors))
        for name in _SEVERAL:
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(
                    self, name, (str(given),) if isinstance(given, str | int) else tuple(map(str, given))
                )
        if self.labels is not None and self.tags is not None:
            raise ValueError(
                f"labels and tags were both given ({option('labels')}, {option('tags')}): name the label columns, "
                "or one column of tag lists."
            )
        for name, words in _CHOICES.items():
            if getattr(self, name, None) not in (*words, None):
                raise ValueError(f"{name} must be {' or '.join(map(repr, words))}, not {getattr(self, name)!r}.")
        if self.sep == "":
            raise ValueError(f"the separator of tags ({option('sep')}) is empty: name the character between tags.")

    @classmethod
    def take(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the record of those arguments of a function, its ``locals()``, that are fields."""
        return cls(**{each.name: arguments[each.name] for each in fields(cls) if each.name in arguments})

    @property
    def stated(self) -> tuple[str, ...]:
        """The names of the fields that differ from their defaults."""
        return tuple(each.name for each in fields(self) if not _is_equal(getattr(self, each.name), each.default))


@dataclass(frozen=True, kw_only=True, eq=False)
class Description(Columns):
    """The whole description of a table: the roles of its columns, how its file is read, and how items are shown.

    Each field is a key of a table file (:mod:`halflabel.table.keys`), if it is not an object in memory.

    Parameters
    ----------
    case : {"same", "different"}, optional
        Whether tags that differ in upper and lower case only are the same tag.
    tag_marks : {"name"}, optional
        Marks around tags that ``yes``, ``no`` and ``unknown`` do not state are parts of names. By default a mark such
        as that of ``-rock``, or ``rock?`` next to ``rock``, is an error that asks for its meaning.
    scores : {"given", "prior", "name"}, optional
        The meaning of tags with a score, such as ``rock:0.9``: they are given, they are the suggestions of a model, or
        the number is a part of the name.
    missing : str or sequence of str, optional
        Numbers and words of feature columns that mean a missing value, such as ``"-99"``.
    skip_rows, delimiter, encoding, xml, top_labels : optional
        As in :func:`halflabel.files.read_table`.
    items_table, query, sheet : str, optional
        The table of a database that holds the items, or the SELECT whose rows are the items; the sheet of a workbook.
    tag, value : str, optional
        The column of tags of ``pairs``, and the column that states whether the item has the tag.
    tag_names : DataFrame, path or name of a table, optional
        The names of the tags that ``pairs`` has by id.
    annotated : DataFrame, path or name of a table, optional
        The ids of annotated items, also without any pair.
    labels_file : DataFrame, path or name of a table, optional
        A table of labels with the ids of the items, in the column ``on``.
    other_ids : {"drop"}, optional
        Rows of a further table about ids that no item has are left out; by default they are an error.
    rules : str or sequence of str, optional
        Rules between labels, or paths of files that hold them: "a -> b" (an item with a has b), "a -> not b",
        "one of: a, b", "at most one of: a, b", "at least one of: a, b". A file has one rule per line, or it is a table
        with the columns child and parent.
    images : str, optional
        The column of paths of pictures or sounds, of which features are made.
    embed : callable or str, optional
        An encoder of your own, or its name ``"MODULE:FUNCTION"``: it takes the files of ``images`` or of a folder, or
        the texts of ``text``, as a list of text, and returns one row of numbers for each. It is never kept in a file.
    prior_field : str, optional
        The field of the items that holds the prior: an object of names and scores, such as "llm.tags".
    show : str or sequence of str, optional
        Columns that are shown wherever items are listed.
    thumbnails : (int, int), optional
        Height and width of the grey images that the vectors of the items are shown as.
    accept : str or sequence of str, optional
        Codes of warnings that you have read and accept, such as "few-items": they become notes.
    """

    case: str | None = None
    tag_marks: Literal["name"] | None = None
    scores: str | None = None
    missing: str | Sequence[str] = ()
    skip_rows: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    xml: str | os.PathLike[str] | None = None
    top_labels: int | None = None
    items_table: str | None = None
    query: str | None = None
    sheet: str | None = None
    tag: str | None = None
    value: str | None = None
    tag_names: Any = None
    annotated: Any = None
    labels_file: Any = None
    other_ids: Literal["drop"] | None = None
    prior_field: str | None = None
    rules: str | Sequence[str] = ()
    images: str | None = None
    embed: str | Callable[[list[str]], Any] | None = None
    show: str | Sequence[str] | None = None
    thumbnails: tuple[int, int] | None = None
    accept: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        words = (self.missing,) if isinstance(self.missing, str | int | float) else self.missing
        object.__setattr__(self, "missing", tuple(map(str, words)))
        object.__setattr__(self, "rules", collect_rules(self.rules))
        object.__setattr__(self, "accept", (self.accept,) if isinstance(self.accept, str) else tuple(self.accept))
        if self.show is not None:
            object.__setattr__(self, "show", (self.show,) if isinstance(self.show, str) else tuple(map(str, self.show)))

    @property
    def of_file(self) -> dict[str, Any]:
        """The options of the reader that were stated."""
        return {name: getattr(self, name) for name in OF_FILE if getattr(self, name) is not None}


def _is_equal(value: Any, default: Any) -> bool:
    """Return whether a field has its default. A table or an array never is a default."""
    return value is default or (isinstance(value, str | int | tuple) and value == default)
