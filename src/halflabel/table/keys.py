"""The parts of the description of a table, each declared once: for Python, the command and the table file."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from halflabel._wording import quote_cell, quoted
from halflabel.labels import Absent
from halflabel.table.columns import Empty
from halflabel.table.rule_files import collect_rules

Kind = Literal["text", "names", "rules", "choice", "number", "path", "words", "size"]

#: The meaning of the words of label columns: the argument of each value, as ``--words`` writes it.
VALUES = {"1": "yes", "0": "no", "": "unknown"}

#: A word, in quotes where it holds a character of the notation.
_WORD = r'(?:\s*"(?:[^"]|"")*"\s*|[^",;=]*)'
_GROUP = re.compile(rf"\s*({_WORD}(?:,{_WORD})*)=([01]?)\s*(?:;|$)")


@dataclass(frozen=True)
class Key:
    """One part of the description of a table."""

    name: str  #: Its name in a table file, and with hyphens as an option.
    help: str  #: One line for people.
    #: The kind of its value. One of "text", "names", "rules", "choice", "number", "path", "words", "size".
    kind: Kind = "text"
    metavar: str = "COL"  #: The name of its value in the help.
    choices: tuple[str, ...] = ()  #: The values of the kind "choice".
    #: Whether every command has it as an option; the value of another key is given as ``--set KEY=VALUE``.
    common: bool = False
    argument: str = ""  #: Its argument in Python, where that has another name.
    is_code: bool = False  #: Whether its value is executed, so that no file may hold it.

    @property
    def flag(self) -> str:
        """Its option."""
        return "--" + self.name.replace("_", "-")

    @property
    def arguments(self) -> tuple[str, ...]:
        """Its arguments in Python."""
        return tuple(VALUES.values()) if self.kind == "words" else (self.argument or self.name,)

    def as_arguments(self, value: Any) -> dict[str, Any]:
        """Return a value as arguments in Python."""
        return dict(value) if self.kind == "words" else {self.arguments[0]: value}

    def parse(self, texts: Iterable[str]) -> Any:
        """Return the value that a command line states. Several texts are several names.

        Raises
        ------
        ValueError
            If a text is not a value of this kind.
        """
        texts = list(texts)
        if self.kind == "names":
            return split_names(texts)
        if self.kind == "words":
            return parse_words(";".join(texts))
        if self.kind == "rules":
            return collect_rules(texts)
        if len(texts) > 1:
            raise ValueError(f"{self.name} was given {len(texts)} times: give it once.")
        return _PARSERS[self.kind](self, texts[0])

    def load(self, value: Any) -> Any:
        """Return the value that a table file states.

        Raises
        ------
        ValueError
            If it is not a value of this kind.
        """
        if not _is_plain(value, self.kind):
            raise ValueError(f"{self.name} must be {_PLAIN[self.kind]}, not {value!r:.80}")
        if self.kind in ("names", "rules"):
            return tuple(value)
        if self.kind == "words":
            return {name: tuple(words) for name, words in value.items()}
        return _PARSERS[self.kind](self, str(value))


def split_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Return names with commas between them. A name with a comma is in quotes.

    Examples
    --------
    >>> split_names(["rock, sad", '"a,b"'])
    ('rock', 'sad', 'a,b')
    """
    try:
        names = list(itertools.chain.from_iterable(csv.reader(texts, skipinitialspace=True)))
    except csv.Error:
        raise ValueError(f"names have commas between them, not line breaks: {quoted(texts)}") from None
    return tuple(name.strip() for name in names if name.strip())


def parse_words(text: str) -> dict[str, tuple[str, ...]]:
    """Return the words of label columns, by their argument in Python.

    Examples
    --------
    >>> parse_words("yes,x=1; no,=0; ?=")
    {'yes': ('yes', 'x'), 'no': ('no', ''), 'unknown': ('?',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    end = 0
    while end < len(text):
        match = _GROUP.match(text, end)
        if match is None:
            raise ValueError(f"words are written as 'yes,x=1;no=0;?=' (1, 0, or nothing for unknown), not {text!r:.80}")
        name = VALUES[match[2]]
        found[name] = (*found.get(name, ()), *map(_unquote, re.findall(f"(?:^|,)({_WORD})", match[1])))
        end = match.end()
    if not found:
        raise ValueError("no word was named; words are written as 'yes,x=1;no=0;?='")
    return found


def format_words(words: Mapping[str, Iterable[str]]) -> str:
    """Return words as :func:`parse_words` reads them.

    Examples
    --------
    >>> format_words({"yes": ["yes", "a,b"], "unknown": [""]})
    'yes,"a,b"=1;='
    """
    return ";".join(
        ",".join(map(quote_cell, words[name])) + f"={value}" for value, name in VALUES.items() if words.get(name)
    )


def _unquote(word: str) -> str:
    word = word.strip()
    return word[1:-1].replace('""', '"') if word.startswith('"') else word


def parse_size(text: str) -> tuple[int, int]:
    """Return the height and the width of a size such as 8x8."""
    height, _, width = text.lower().partition("x")
    if not (height.isdecimal() and width.isdecimal() and int(height) and int(width)):
        raise ValueError(f"{text!r:.80} is not a height and a width in pixels, such as 8x8")
    return int(height), int(width)


def _parse_choice(key: Key, text: str) -> str:
    if text not in key.choices:
        raise ValueError(f"{key.name} is one of {quoted(key.choices)}, not {text!r:.80}")
    return text


def _parse_number(key: Key, text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) < 1:
        raise ValueError(f"{key.name} is a whole number of 1 or more, not {text!r:.80}")
    return int(text)


def _parse_text(key: Key, text: str) -> str:
    if not text:
        raise ValueError(f"{key.name} is empty")
    return text


_PARSERS: dict[str, Any] = {
    "text": _parse_text,
    "path": _parse_text,
    "choice": _parse_choice,
    "number": _parse_number,
    "size": lambda _, text: parse_size(text),
}

_PLAIN = {
    "text": "a text",
    "path": "a path",
    "choice": "a word",
    "size": "a text such as '8x8'",
    "number": "a whole number",
    "names": "a list of names",
    "rules": "a list of rules such as 'jazz -> music'",
    "words": "a table of yes, no and unknown, each with a list of words",
}


def _is_plain(value: Any, kind: Kind) -> bool:
    """Return whether a value of a table file has the type of a kind."""
    if kind in ("names", "rules"):
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    if kind == "words":
        return isinstance(value, dict) and all(name in VALUES.values() and _is_plain(words, "names")
                                               for name, words in value.items())  # fmt: skip
    return isinstance(value, int) and not isinstance(value, bool) if kind == "number" else isinstance(value, str)


KEYS = (
    Key("id", "Column that identifies the rows.", common=True),
    Key("labels", "Label columns: names, patterns ('tag_*') or @FILE, comma-separated.", "names", "NAMES", common=True),
    Key("tags", "One column of tag lists, instead of --labels.", common=True),
    Key("absent", "Meaning of an unlisted tag; 'unknown' also for label columns of 1 and empty cells.", "choice",
        choices=get_args(Absent), common=True),
    Key("positive_only", "Labels of which an absent entry may be a missing positive, such as a new tag; 'absent' is "
        "about the other ones.", "names", "NAMES", common=True),
    Key("empty", "Meaning of an item without any tag: unlabelled, or without tags; by default as the form has it.",
        "choice", choices=get_args(Empty)),
    Key("text", "A column of free text, used as tf-idf.", common=True),
    Key("ignore", "Columns to leave out.", "names", "NAMES"),
    Key("features", "Feature columns; by default all that can serve, but for columns made from the labels; '*' for all "
        "that can serve.", "names", "NAMES"),
    Key("vectors", "A column of vectors, or a file of them.", metavar="COL|X.npy"),
    Key("images", "Column of paths of pictures or sounds to make features of; they count from the folder of ITEMS."),
    Key("embed", "Your own encoder, from a list of files (of images or of a folder) or of texts (of text) to one row "
        "of numbers for each; the module is executed.", metavar="MODULE:FUNCTION", is_code=True),
    Key("words", "Words of label columns, with their values: 'yes,x=1;no=0;?='.", "words", "WORDS"),
    Key("rules", "Rules between labels: a file, or 'jazz -> music', 'one of: day, night', 'at most one of: a, b', "
        "'at least one of: a, b'.", "rules", "FILE|RULE"),
    Key("group", "Column of equal values for rows that belong together (threads)."),
    Key("show", "Columns shown wherever items are listed; by default the text and a recognised id. Image files are "
        "shown as small pictures.", "names", "NAMES"),
    Key("thumbnails", "Show the vectors of the items as grey images of this height and width, such as 8x8.", "size",
        "HxW"),
    Key("sep", "Separator of the tags in a cell, or space, newline, tab, or none for one tag in each cell; recognised "
        "by default, as are lists.", metavar="TEXT"),
    Key("case", "Whether tags that differ in upper and lower case only are the same tag.", "choice",
        choices=("same", "different")),
    Key("tag_marks", "Meaning of marks around tags, such as rock?, that words ('{tag}?=') does not state: they are a "
        "part of the name.", "choice", choices=("name",)),
    Key("scores", "Meaning of tags with a score, such as rock:0.9: they are given, or suggestions of a model, or the "
        "number is a part of the name.", "choice", choices=("given", "prior", "name")),
    Key("missing", "Numbers and words of feature columns that mean a missing value, such as -99,999.", "names",
        "VALUES"),
    Key("tags_file", "A long table of (id, tag); needs id and on.", "path", "FILE", argument="pairs"),
    Key("on", "The id column of tags_file or labels_file."),
    Key("tag", "The tag column of tags_file, if it has further columns."),
    Key("value", "The column of tags_file, or the key of tags that are objects, that states whether the item has the "
        "tag: 1, 0, or words as in words; none if no column does."),
    Key("tag_names", "Names of the tags, if tags_file has their ids.", "path", "FILE"),
    Key("annotated", "Ids of the items that were annotated, also without any tag.", "path", "FILE"),
    Key("labels_file", "A table of labels with the ids of the items in its column on.", "path", "FILE"),
    Key("other_ids", "Leave out rows of a further table about ids that no item has; by default they are an error.",
        "choice", choices=("drop",)),
    Key("prior", "Probabilities from another source: a table with the label columns.", "path", "FILE"),
    Key("prior_field", "Field of the items that holds such probabilities by label, such as llm.tags.", metavar="FIELD"),
    Key("sources", "Votes of several sources: a table with the columns item, label, source and value.", "path", "FILE"),
    Key("reference", "The source whose votes are taken as true.", metavar="NAME"),
    Key("max_categories", "Maximum number of distinct texts of a column that is read as a category; by default 20.",
        "number", "N"),
    Key("format", "Format of the file; recognised by default.", metavar="NAME"),
    Key("skip_rows", "Lines of a text file, or rows of a sheet, that are not items, such as 1-2,504 or last.",
        metavar="LINES"),
    Key("delimiter", "Character between the cells of a text file, or 'tab'; recognised by default.", metavar="TEXT"),
    Key("encoding", "Encoding of a text file, such as cp1252; recognised by default.", metavar="NAME"),
    Key("xml", "Mulan label file of an ARFF file, if it is not its sibling.", "path", "FILE"),
    Key("items", "The table of a database that holds the items.", metavar="TABLE", argument="items_table"),
    Key("query", "The SELECT whose rows are the items, for a database.", metavar="SQL"),
    Key("sheet", "The sheet of a workbook that holds the items; by default the first one.", metavar="NAME"),
    Key("accept", "Codes of warnings that you have read and accept, such as few-items: they become notes.", "names",
        "CODES"),
    Key("top_labels", "Keep the most frequent labels (svmlight).", "number", "N"),
)  # fmt: skip

BY_NAME = {key.name: key for key in KEYS}
