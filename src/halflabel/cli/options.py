"""Options that say which column plays which role, and the table that they open."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
import pandas as pd

from halflabel.datasets import RawTable, read, read_vectors
from halflabel.table import OpenTable, Roles, choose_roles, open_table, select

Command = TypeVar("Command", bound=Callable[..., Any])

_PATH = click.Path(path_type=Path)


def _listed(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:
    """Read options that may be given more than once, or once with commas; a name with a comma stands in quotes."""
    names = itertools.chain.from_iterable(csv.reader(values, skipinitialspace=True))
    return tuple(name.strip() for name in names if name.strip()) or None


def column_options(command: Command) -> Command:
    """Options that say which column plays which role."""
    several: dict[str, Any] = {"multiple": True, "callback": _listed, "metavar": "NAMES"}
    options = [
        click.option("--id", help="Column that rows are known by."),
        click.option("--labels", help="Label columns: names, patterns ('tag_*') or @FILE, comma-separated.", **several),
        click.option("--tags", metavar="COL", help="One column of tag lists, instead of --labels."),
        click.option("--tags-file", type=_PATH, help="A long table of (id, tag); needs --id and --on."),
        click.option("--on", metavar="COL", help="The id column of --tags-file."),
        click.option("--absent", type=click.Choice(["irrelevant", "unknown"]), help="What an unlisted tag means."),
        click.option("--empty", type=click.Choice(["unlabelled", "none"]), default="unlabelled", show_default=True,
                     help="What an empty cell of --tags is: an unlabelled item, or an item without tags."),
        click.option("--sep", default=";", show_default=True, help="What stands between tags."),
        click.option("--group", metavar="COL", help="Column of which rows belong together (duplicates, threads)."),
        click.option("--features", help="Feature columns; by default all that can serve.", **several),
        click.option("--vectors", metavar="COL|X.npy", help="A Parquet column of vectors, or a file of them."),
        click.option("--text", metavar="COL", help="A column of free text, used as tf-idf."),
        click.option("--ignore", help="Columns to leave out.", **several),
        click.option("--xml", type=_PATH, help="Mulan label file of an ARFF file, if it is not its sibling."),
        click.option("--delimiter", help="Character between the cells of a text file, or 'tab'."),
        click.option("--max-categories", type=click.IntRange(1), default=20, show_default=True,
                     help="Most distinct texts of a column that is read as a category."),
        click.option("--prior", type=_PATH, help="Probabilities from another source: a table with the label columns."),
        click.option("--top-labels", type=click.IntRange(1), help="Keep the most frequent labels (svmlight)."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


#: Out of range ends in a sentence of the library, like everything else that does not fit the data.
observed_rate_option = click.option(
    "--observed-rate", type=float, metavar="C",
    help="With --absent unknown: the share of the relevant tags that were assigned, such as 0.7.",
)  # fmt: skip


effort_option = click.option(
    "--effort", type=click.Choice(["fast", "default", "best"]), default="default", show_default=True,
    help="How much work the default method may be.",
)  # fmt: skip


def open_items(
    items: Path,
    *,
    tags_file: Path | None,
    xml: Path | None,
    delimiter: str | None,
    top_labels: int | None,
    vectors: str | None,
    ignore: tuple[str, ...] | None,
    prior: Path | None,
    **columns: Any,
) -> OpenTable:
    """Read the files and give every column its role."""
    raw = _with_named_columns(read(items, xml=xml, delimiter=delimiter, top_labels=top_labels), ignore or (), columns)
    matrix, matrix_names = raw.matrix, raw.matrix_names
    if vectors is not None and vectors.endswith(".npy"):
        matrix, matrix_names, vectors = read_vectors(vectors), (), None
    declared = raw.label_names if columns["tags"] is None and tags_file is None else ()

    def frame(path: Path | None) -> pd.DataFrame | None:
        """Read a further table; if it is of the same kind, its cells are parted alike."""
        return None if path is None else read(path, delimiter=delimiter if path.suffix == items.suffix else None).frame

    return open_table(
        raw.frame,
        vectors=vectors,
        ignore=ignore or (),
        declared_labels=declared,
        pairs=frame(tags_file),
        matrix=matrix,
        matrix_names=matrix_names,
        prior=frame(prior),
        **columns,
    )


def _with_named_columns(raw: RawTable, ignore: tuple[str, ...], columns: Mapping[str, Any]) -> RawTable:
    """Bring the columns that were named out of a sparse file into its frame, and labels into the form of labels."""
    names = (*raw.frame.columns, *raw.matrix_names)
    dropped = select(ignore, names)
    labels = select(columns["labels"] or (), names, skip=dropped)
    features = columns["features"] and select(columns["features"], names, skip={*labels, *raw.label_names})
    if labels:
        raw = raw.with_labels([*raw.label_names, *labels])
    if raw.matrix is None:
        return raw
    single = (columns[role] for role in ("id", "tags", "text", "group") if columns[role] is not None)
    raw = raw.arranged(raw.matrix_names, [*dropped, *single, *(features or ())])
    return replace(raw, matrix=None, matrix_names=()) if features is not None else raw


def roles_without_labels(
    items: Path, *, xml: Path | None, delimiter: str | None, top_labels: int | None, **columns: Any
) -> Roles:
    """Return the roles of the columns of a file whose labels nobody has named yet."""
    raw = read(items, xml=xml, delimiter=delimiter, top_labels=top_labels)
    asked = {name: columns[name] for name in ("id", "group", "features", "text", "max_categories")}
    vectors = columns["vectors"] if columns["vectors"] in raw.frame.columns else None
    return choose_roles(raw.frame, labels=(), vectors=vectors, ignore=columns["ignore"] or (), **asked)
