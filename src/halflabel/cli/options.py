"""ITEMS and the options that describe it, as one object that opens the table."""

from __future__ import annotations

import csv
import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from halflabel.cli.files import PATH
from halflabel.labels.rules import RULES
from halflabel.table import Columns, OpenTable, open_table
from halflabel.table.source_files import FORMATS, read_file
from halflabel.table.sources import Source


@dataclass(frozen=True, eq=False)
class ItemsFile:
    """A file of items, how it is read, and what the options state about its columns.

    Parameters
    ----------
    paths : tuple of Path
        Files, patterns or folders; several files are one table.
    columns : Columns
        Without ``pairs`` and ``prior``, which are files of their own.
    pairs, prior : Path or None
        A long table of tags; probabilities from another source.
    xml, delimiter, encoding, top_labels
        As in :func:`halflabel.files.read_table`.
    """

    paths: tuple[Path, ...]
    columns: Columns
    pairs: Path | None = None
    prior: Path | None = None
    xml: Path | None = None
    delimiter: str | None = None
    encoding: str | None = None
    top_labels: int | None = None

    @property
    def inputs(self) -> tuple[Path | None, ...]:
        """The files that are read; none of them may be overwritten."""
        return (*self.paths, self.pairs, self.prior)

    @property
    def stated(self) -> dict[str, Any]:
        """The options that differ from their defaults, for the report."""
        own = {
            name: value for name, value in vars(self).items() if name not in ("paths", "columns") and value is not None
        }
        return {**{name: getattr(self.columns, name) for name in self.columns.stated}, **own}

    def read(self) -> Source:
        """Read the file, or the files as one table."""
        return read_file(
            self.paths,
            self.columns,
            xml=self.xml,
            top_labels=self.top_labels,
            delimiter=self.delimiter,
            encoding=self.encoding,
        )

    def open(self, source: Source | None = None) -> OpenTable:
        """Give every column its role; ``source`` holds what was read already."""
        columns = replace(self.columns, pairs=self._read(self.pairs), prior=self._read(self.prior))
        return open_table(source or self.read(), columns=columns)

    def _read(self, path: Path | None) -> pd.DataFrame | None:
        """Read a further table; delimiter and encoding hold for it, too, if it is of the same kind."""
        if path is None:
            return None
        alike = path.suffix == self.paths[0].suffix
        form: dict[str, Any] = {"delimiter": self.delimiter, "encoding": self.encoding} if alike else {}
        return read_file(path, **form).raw.frame


def _split_names(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:
    """Read options that may be given more than once, or once with commas; a name with a comma is in quotes."""
    names = itertools.chain.from_iterable(csv.reader(values, skipinitialspace=True))
    return tuple(name.strip() for name in names if name.strip()) or None


_SEVERAL: dict[str, Any] = {"multiple": True, "callback": _split_names, "metavar": "NAMES"}


def _split_words(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Read words with commas between them; an empty text is a word, too."""
    words = itertools.chain.from_iterable(csv.reader([value or '""' for value in values], skipinitialspace=True))
    return tuple(word.strip() for word in words)


_WORDS: dict[str, Any] = {"multiple": True, "callback": _split_words, "metavar": "WORDS"}

_FORMATS = ", ".join(FORMATS)

_ITEMS = [
    click.argument("paths", type=PATH, metavar="ITEMS...", nargs=-1, required=True),
    click.option("--format", metavar="NAME", help=f"Format of ITEMS: {_FORMATS}; recognised by default."),
    click.option("--id", help="Column that identifies the rows."),
    click.option("--labels", help="Label columns: names, patterns ('tag_*') or @FILE, comma-separated.", **_SEVERAL),
    click.option("--tags", metavar="COL", help="One column of tag lists, instead of --labels."),
    click.option("--tags-file", "pairs", type=PATH, help="A long table of (id, tag); needs --id and --on."),
    click.option("--on", metavar="COL", help="The id column of --tags-file."),
    click.option("--absent", type=click.Choice(["irrelevant", "unknown"]),
                 help="What an unlisted tag means; 'unknown' also for label columns of 1 and empty cells."),
    click.option("--empty", type=click.Choice(["unlabelled", "none"]),
                 help="What an item without any tag is: unlabelled, or without tags; by default as the form has it."),
    click.option("--sep", help="Separator of the tags in a cell; recognised by default, as are lists."),
    click.option("--yes", help="Words of label columns that mean 1, such as 'yes,x'; 1 needs no option.", **_WORDS),
    click.option("--no", help="Words of label columns that mean 0; '' is the empty cell.", **_WORDS),
    click.option("--unknown", help="Words of label columns that mean unknown, such as '?'.", **_WORDS),
    click.option("--group", metavar="COL", help="Column of equal values for rows that belong together (threads)."),
    click.option("--features", help="Feature columns; by default all that can serve.", **_SEVERAL),
    click.option("--vectors", metavar="COL|X.npy", help="A Parquet column of vectors, or a file of them."),
    click.option("--text", metavar="COL", help="A column of free text, used as tf-idf."),
    click.option("--ignore", help="Columns to leave out.", **_SEVERAL),
    click.option("--xml", type=PATH, help="Mulan label file of an ARFF file, if it is not its sibling."),
    click.option("--delimiter", help="Character between the cells of a text file, or 'tab'; recognised by default."),
    click.option("--encoding", help="Encoding of a text file, such as cp1252; recognised by default."),
    click.option("--max-categories", type=click.IntRange(1), default=20, show_default=True,
                 help="Maximum number of distinct texts of a column that is read as a category."),
    click.option("--prior", type=PATH, help="Probabilities from another source: a table with the label columns."),
    click.option("--top-labels", type=click.IntRange(1), help="Keep the most frequent labels (svmlight)."),
]  # fmt: skip


def add_items_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the argument ITEMS and the options about it, as one :class:`ItemsFile`."""
    of_file = {field.name for field in fields(ItemsFile)} - {"columns"}
    of_columns = {field.name for field in fields(Columns)} - of_file

    @functools.wraps(command)
    def run(**given: Any) -> Any:
        columns = {name: given.pop(name) for name in of_columns & given.keys()}
        for name in ("ignore", "yes", "no", "unknown"):
            columns[name] = columns[name] or ()
        file = {name: given.pop(name) for name in of_file}
        return command(items=ItemsFile(columns=Columns(**columns), **file), **given)

    decorated: Callable[..., Any] = run
    for option in reversed(_ITEMS):
        decorated = option(decorated)
    return decorated


#: A value out of range ends in a sentence of the library, like everything else that does not fit the data.
observed_rate_option = click.option(
    "--observed-rate", type=float, metavar="C",
    help="With --absent unknown: the share of the relevant tags that were assigned, such as 0.7.",
)  # fmt: skip


rule_option = click.option(
    "--rule", type=click.Choice(list(RULES)),
    help="Threshold rule: 'probable' (the default) fills in what is more probable than not, 'micro_f1' finds more of "
    "the relevant entries with more errors.",
)  # fmt: skip


effort_option = click.option(
    "--effort", type=click.Choice(["fast", "default", "best"]), default="default", show_default=True,
    help="How much work the default method may be.",
)  # fmt: skip


def _read_size(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """Read a size such as 8x8."""
    if value is None:
        return None
    height, width = value.lower().split("x", 1) if "x" in value.lower() else (value, "")
    if not (height.isdecimal() and width.isdecimal() and int(height) and int(width)):
        raise click.BadParameter(f"{value!r} is not a height and a width in pixels, such as 8x8.")
    return int(height), int(width)


marks_option = click.option(
    "--marks", metavar="HxW", callback=_read_size,
    help="Show the vectors of the items as grey images of this height and width in the report, such as 8x8.",
)  # fmt: skip


question_option = click.option(
    "--question",
    metavar="NAME[:OBJECT]",
    help="For Label Studio: one question of this name whose choices are the labels, in place of one question per "
    "label; OBJECT is what your project calls the object that is annotated.",
)


show_option = click.option(
    "--show",
    help="Columns shown wherever items are listed; by default the --text column and a recognised id. Image files are "
    "shown as small pictures.",
    **_SEVERAL,
)  # fmt: skip
