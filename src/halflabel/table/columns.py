"""How a table is described: one record, from which arguments, options of the command and table files are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, get_args

from halflabel._wording import option
from halflabel.labels import Absent
from halflabel.table.keys import Key, key

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from halflabel._arrays import MatrixLike
    from halflabel.table.accepted import PathLike, TableLike

Empty = Literal["unlabelled", "none"]
Names: TypeAlias = str | Sequence[str]

#: The suffix of files of vectors.
VECTOR_FILE = ".npy"

#: The kinds of labels that are written as tags.
_TAGS = ("tags", "pairs")
_ALL = ("columns", *_TAGS)


@dataclass(frozen=True, kw_only=True, eq=False)
class Description:
    """The statements of a user about a table: which column has which role, and the meaning of its cells.

    Each field is an argument of :func:`halflabel.open_table`, a key of a table file, and an option of the command (for
    rare keys ``--set KEY=VALUE``). Names that are not text, such as the numbers of columns, become text.
    :func:`choose_roles` finds the roles of all other columns.

    Raises
    ------
    ValueError
        If labels and tags were both given, or a value is not one of its kind.

    Examples
    --------
    >>> Description(labels=["rock", 7], id="song").labels
    ('rock', '7')
    """

    id: str | None = key("Column that identifies the rows.")
    labels: Names | None = key("Label columns: names or patterns ('tag_*'), comma-separated.", "names", "NAMES")
    tags: str | None = key("One column of tag lists, instead of --labels.")
    absent: Absent | None = key(
        "Meaning of an unlisted tag; 'unknown' also for label columns of 1 and empty cells.",
        choices=get_args(Absent), about=_ALL,
    )  # fmt: skip
    positive_only: Names = key(
        "Labels of which an absent entry may be a missing positive, such as a new tag.", "names", "NAMES", default=(),
    )  # fmt: skip
    empty: Empty | None = key(
        "Meaning of an item without any tag: unlabelled, or without tags; by default as the form has it.",
        choices=get_args(Empty), about=_ALL,
    )  # fmt: skip
    text: str | None = key("A column of free text, used as tf-idf.")
    ignore: Names = key("Columns to leave out.", "names", "NAMES", default=())
    features: Names | None = key(
        "Feature columns; by default all that can serve, but for columns made from the labels; '*' for all that can "
        "serve.", "names", "NAMES",
    )  # fmt: skip
    vectors: str | PathLike | MatrixLike | None = key("A column of vectors, or a file of them.", "path", "COL|X.npy")
    images: str | None = key("Column of paths of pictures to make features of; they count from the folder of ITEMS.")
    yes: Names = key(
        "Words of label columns that mean 1; of tags, words that are a tag.",
        "words", "WORDS", default=(), about=_ALL,
    )  # fmt: skip
    no: Names = key(
        "Words that mean 0; nothing is an empty cell. Of tags, words that mean no tag.", "words", "WORDS",
        default=(), about=_ALL,
    )  # fmt: skip
    unknown: Names = key(
        "Words that mean unknown; of tags, a missing value.", "words", "WORDS", default=(), about=_ALL,
    )  # fmt: skip
    rules: Names = key(
        "Rules between labels: 'jazz -> music', 'one of: day, night', 'at most one of: a, b'.",
        "rules", "RULE", default=(),
    )  # fmt: skip
    group: str | None = key("Column of equal values for rows that belong together (threads).")
    show: Names | None = key(
        "Columns shown wherever items are listed; by default the text and a recognised id. Image files are shown as "
        "small pictures.", "names", "NAMES",
    )  # fmt: skip
    thumbnails: tuple[int, int] | None = key(
        "Show the vectors of the items as grey images of this height and width, such as 8x8.", "size", "HxW"
    )
    sep: str | None = key(
        "Separator of the tags in a cell, or space, newline, tab, or none: a cell, or a part of a list, is one tag as "
        "it is written. Recognised by default, as are lists.", metavar="TEXT", about=_TAGS,
    )  # fmt: skip
    case: Literal["same", "different"] | None = key(
        "Whether tags that differ in upper and lower case only are the same tag.",
        choices=("same", "different"), about=_TAGS,
    )  # fmt: skip
    scores: Literal["given", "prior"] | None = key(
        "Meaning of tags that are objects with a score: they are given, or suggestions of a model.",
        choices=("given", "prior"), about=("tags",),
    )  # fmt: skip
    missing: Names = key(
        "Numbers and words of feature columns that mean a missing value, such as -99,999.",
        "names", "VALUES", default=(),
    )  # fmt: skip
    pairs: TableLike | PathLike | None = key("A long table of (id, tag); needs id, on and absent.", "path", "FILE")
    on: str | None = key("The id column of pairs or labels_file.", about=("pairs", "further"))
    tag: str | None = key("The tag column of pairs, if it has further columns.", about=("pairs",))
    value: str | None = key(
        "The column of pairs, or the key of tags that are objects, that states whether the item has the tag: 1, 0, or "
        "words as in yes and no; none if no column does.", about=_TAGS,
    )  # fmt: skip
    tag_names: TableLike | PathLike | None = key(
        "Names of the tags, if pairs has their ids.", "path", "FILE", about=("pairs",)
    )
    annotated: str | None = key(
        "The annotated items: a column that only they have filled, or COLUMN=VALUE.", metavar="COL[=VALUE]", about=_ALL,
    )  # fmt: skip
    labels_file: TableLike | PathLike | None = key(
        "A table of labels with the ids of the items in its column on.", "path", "FILE"
    )
    prior: TableLike | ArrayLike | PathLike | None = key(
        "Probabilities from another source: a table with the label columns.", "path", "FILE"
    )
    prior_field: str | None = key(
        "Field of the items that holds such probabilities by label, such as llm.tags.", metavar="FIELD"
    )
    sources: TableLike | PathLike | None = key(
        "Votes of several sources: a table of item, label, source and value, or a pattern of columns of tags (llm_*).",
        "path",
        "FILE",
    )
    max_categories: int = key(
        "Maximum number of distinct texts of a column that is read as a category; by default 20.",
        "number", "N", default=20,
    )  # fmt: skip
    format: str | None = key("Format of the file; recognised by default.", metavar="NAME", about=("file",))
    skip_rows: str | None = key(
        "Lines of a text file, or rows of a sheet, that are not items, such as 1-2,504 or last; none keeps rows that "
        "sum up others, or have no value.",
        metavar="LINES", about=("file",),
    )  # fmt: skip
    header: str | None = key(
        "Line of the column names in a text file or sheet: 2, or up to three (1-3), or none; found by default.",
        metavar="LINE", about=("file",),
    )  # fmt: skip
    delimiter: str | None = key(
        "Character between the cells of a text file, or 'tab'; recognised by default.", metavar="TEXT", about=("file",)
    )
    encoding: str | None = key(
        "Encoding of a text file, such as cp1252; recognised by default.", metavar="NAME", about=("file",)
    )
    items_table: str | None = key(
        "The table or view of a database, or the list of a JSON file, that holds the items.",
        metavar="TABLE",
        about=("file",),
    )
    sheet: str | None = key(
        "The sheet of a workbook that holds the items; by default the first one.", metavar="NAME", about=("file",)
    )
    calibration: Literal["auto", "as known", "shifted"] = key(
        "Probabilities of gaps between known entries: 'as known' if entries are known whatever their value is, "
        "'shifted' if their value decided; by default a test decides.",
        choices=("auto", "as known", "shifted"), default="auto",
    )  # fmt: skip
    accept: Names = key(
        "Codes of warnings that you have read and accept, such as few-items: they become notes.",
        "names", "CODES", default=(),
    )  # fmt: skip

    def __post_init__(self) -> None:
        for each in KEYS:
            object.__setattr__(self, each.name, each.convert(getattr(self, each.name)))
        if self.labels is not None and self.tags is not None:
            raise ValueError(
                f"labels and tags were both given ({option('labels')}, {option('tags')}): name the label columns, "
                "or one column of tag lists."
            )
        if self.sep == "":
            raise ValueError(f"the separator of tags ({option('sep')}) is empty: name the character between tags.")

    @property
    def stated(self) -> dict[str, Any]:
        """The values that differ from the defaults, by key. A table or an array never is a default."""
        values = {each.name: (getattr(self, each.name), each.default) for each in fields(self)}
        return {
            name: value
            for name, (value, default) in values.items()
            if value is not default and not (isinstance(value, str | int | tuple) and value == default)
        }

    @property
    def of_file(self) -> dict[str, Any]:
        """The options of the reader that were stated."""
        return {name: value for name, value in self.stated.items() if name in OF_FILE}


#: The keys, made from the fields of the record.
KEYS = tuple(Key(each.name, **each.metadata) for each in fields(Description))
BY_NAME: Mapping[str, Key] = {each.name: each for each in KEYS}

#: Keys that state how a file is read.
OF_FILE = tuple(each.name for each in KEYS if "file" in each.about and each.name != "format")


class Keys(TypedDict, total=False):
    """The types of the fields of :class:`Description`, for functions that take them as ``**keys``."""

    id: str | None
    labels: Names | None
    tags: str | None
    absent: Absent | None
    positive_only: Names
    empty: Empty | None
    text: str | None
    ignore: Names
    features: Names | None
    vectors: str | PathLike | MatrixLike | None
    images: str | None
    yes: Names
    no: Names
    unknown: Names
    rules: Names
    group: str | None
    show: Names | None
    thumbnails: tuple[int, int] | None
    sep: str | None
    case: Literal["same", "different"] | None
    scores: Literal["given", "prior"] | None
    missing: Names
    pairs: TableLike | PathLike | None
    on: str | None
    tag: str | None
    value: str | None
    tag_names: TableLike | PathLike | None
    annotated: str | None
    labels_file: TableLike | PathLike | None
    prior: TableLike | ArrayLike | PathLike | None
    prior_field: str | None
    sources: TableLike | PathLike | None
    max_categories: int
    format: str | None
    skip_rows: str | None
    header: str | None
    delimiter: str | None
    encoding: str | None
    items_table: str | None
    sheet: str | None
    calibration: Literal["auto", "as known", "shifted"]
    accept: Names
