"""Further tables: pairs, labels, vectors or a prior in another file, or in another table of the same file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._wording import count, option, plural, quoted
from halflabel.files.raw_table import RawTable
from halflabel.files.reading import read_table
from halflabel.files.registry import TABLES
from halflabel.labels.tables import is_missing
from halflabel.table.cells import require_columns, use_text_names
from halflabel.table.columns import Description
from halflabel.table.described import is_path
from halflabel.table.native import as_pandas
from halflabel.table.patterns import expand_patterns, names_columns, select
from halflabel.table.rows import find_values, is_key, match_rows
from halflabel.table.source_files import read_file
from halflabel.table.sources import Source

#: Further tables that are used as they are.
_FRAMES = ("tag_names", "prior", "sources")

#: Keys that name a further table, or features and scores that are made before columns have roles.
_FURTHER = {*_FRAMES, "pairs", "labels_file", "vectors", "on", "images", "prior_field"}


def read_further(given: Any, source: Source) -> Any:
    """Return a further table as it was read, or an object in memory as it is.

    Parameters
    ----------
    given : object
        A path, or the name of a table in the file of the items.
    source : Source
        The items.
    """
    if not is_path(given) or names_columns(given, map(str, source.raw.frame)):
        return given
    path = Path(given)
    if not path.exists() and (table := find_table(source, path.name)) is not None:
        kind = TABLES[source.format]
        option_of_table: dict[str, Any] = {kind.options[0]: table}
        return read_table(source.paths[0], kind=kind.name, **option_of_table)
    return read_file(given).raw


def join_further(source: Source, columns: Description) -> tuple[Source, Description]:
    """Return the items with labels of another table, and the columns with all further tables in place of their paths.

    ``tags`` may name a table of the file of the items.
    """
    if columns.tags is None and not columns.stated.keys() & _FURTHER:
        return source, columns
    if columns.tags is not None and columns.tags not in source.raw.frame.columns and find_table(source, columns.tags):
        of_tags: dict[str, Any] = {"tags": None, "pairs": columns.tags}
        columns = replace(columns, **of_tags)
    if columns.tags is not None and columns.tags not in source.raw.frame.columns and "*" in columns.tags:
        source, columns = join_slots(source, columns)
    if columns.on is not None and columns.pairs is None and columns.labels_file is None:
        raise ValueError(
            f"{option('on')} names the id column of a long table of tags: give that table, too ({option('pairs')}), "
            f"or a table of labels ({option('labels_file')})."
        )
    source, columns = join_labels(source, columns)
    columns = describe_images(source, columns)
    if columns.prior_field is not None:
        from halflabel.table.prior import find_fields

        columns = replace(columns, ignore=(*columns.ignore, *find_fields(source.raw.frame, columns.prior_field)))
    pairs = read_further(columns.pairs, source)
    columns = link_pairs(pairs, find_link(pairs, source, columns))
    further: dict[str, Any] = {
        "pairs": pairs,
        **{name: read_further(getattr(columns, name), source) for name in _FRAMES},
    }
    frames: dict[str, Any] = {
        name: given.frame if isinstance(given, RawTable) else given for name, given in further.items()
    }
    return source, replace(columns, **frames)


def describe_images(source: Source, columns: Description) -> Description:
    """Return the columns with the features of the files that ``images`` names as their vectors.

    Paths count from the folder of the items, or from the working directory for items in memory.
    """
    if columns.images is None:
        return columns
    if columns.vectors is not None:
        raise ValueError(f"{option('images')} and {option('vectors')} both give the vectors of the items: use one.")
    require_columns((columns.images,), source.raw.frame)
    folder = source.paths[0].parent if source.paths else Path()
    paths = [folder / str(cell) for cell in source.raw.frame[columns.images]]
    if lacking := [path for path in paths if not path.is_file()]:
        raise ValueError(
            f"{count(len(lacking))} of {plural(len(paths), 'file')} in the column {columns.images!r} are not there, "
            f"for example {lacking[0]}: their paths count from {folder.resolve()}."
        )
    from halflabel.files.media import describe_media  # imported here: most tables name no files

    return replace(columns, vectors=describe_media(paths)[0], images=None)


def join_slots(source: Source, columns: Description) -> tuple[Source, Description]:
    """Return the items with one column of tags in place of columns of one tag each: Label 1, Label 2, Label 3."""
    frame, pattern = source.raw.frame, str(columns.tags)
    slots = select((pattern,), frame.columns)
    name = pattern.replace("*", "").strip(" ._-") or "tags"
    while name in frame.columns:
        name += "_"
    rows = frame[list(slots)].astype(object).itertuples(index=False, name=None)
    lists = [[str(cell).strip() for cell in row if not is_missing(cell)] or None for row in rows]
    added = pd.DataFrame({name: pd.Series(lists, dtype=object)})
    return source.add_columns(added), replace(columns, tags=name, ignore=(*columns.ignore, *slots))


def find_table(source: Source, name: str) -> str | None:
    """Return the table of this name in the file of the items, if that file holds several tables."""
    kind = TABLES.get(source.format)
    if kind is None or kind.tables is None or len(source.paths) != 1:
        return None
    return next((table for table in kind.tables(source.paths[0]) if table.casefold() == name.casefold()), None)


def link_pairs(pairs: Any, columns: Description) -> Description:
    """Return the columns with the tags of the pairs as the keys of a database link them.

    The only column that refers to a table, next to the ids of items, holds ids of tags, and that table has their names.
    """
    links = {} if not isinstance(pairs, RawTable) else {
        name: table for name, (table, _) in pairs.references.items() if name != columns.on}  # fmt: skip
    tag = columns.tag or (next(iter(links)) if len(links) == 1 else None)
    names = links.get(str(tag)) if columns.tag_names is None else columns.tag_names
    return replace(columns, tag=tag, tag_names=names)


def find_link(pairs: Any, source: Source, columns: Description) -> Description:
    """Return the columns with the ids of items and pairs, where only one column of each can hold them.

    All ids of the pairs are ids of items. A column that both tables have comes first, then one whose values repeat.
    """
    if pairs is None or (columns.id is not None and columns.on is not None):
        return columns
    items, table = source.raw.frame, use_text_names(as_pandas(pairs.frame if isinstance(pairs, RawTable) else pairs))
    keys = [columns.id] if columns.id in items else [name for name in map(str, items) if is_key(items[name])]
    links = pairs.references if isinstance(pairs, RawTable) and source.raw.table else {}
    own = [name for name, (parent, _) in links.items() if parent == source.raw.table]
    others = [columns.on] if columns.on in table else own or [
        name for name in map(str, table) if name not in (columns.tag, columns.value)]  # fmt: skip
    found = {(key, name): (key != name, is_key(table[name])) for key in keys for name in others
             if (find_values(items[key], table[name]) >= 0).all()}  # fmt: skip
    best = [link for link, rank in found.items() if rank == min(found.values())]
    return replace(columns, id=best[0][0], on=best[0][1]) if len(best) == 1 else columns


def join_labels(source: Source, columns: Description) -> tuple[Source, Description]:
    """Return the items with the labels, or the column of tags, of another table that has their ids."""
    if columns.labels_file is None:
        return source, columns
    given = read_further(columns.labels_file, source)
    raw = given if isinstance(given, RawTable) else RawTable(use_text_names(as_pandas(given)))
    names = _choose_labels(raw, columns)
    if both := [name for name in names if name in source.raw.frame.columns]:
        raise ValueError(f"{quoted(both)} is a label and also a column of the items: rename it in one of them.")
    id = columns.id or source.raw.id
    found = match_rows(raw.frame, source.raw.frame, id, columns.on or id, names, "the table of labels")
    if found is None:
        raise ValueError(
            f"no column identifies the rows of both the items and the table of labels: name the id column of the items "
            f"({option('id')}) and that of the table of labels ({option('on')})."
        )
    rows, how = found
    joined = raw.frame[list(names)].set_axis(rows).loc[lambda table: table.index >= 0]
    notes = (*source.raw.notes, *raw.notes, *how)
    if lacking := len(source.raw) - len(joined):
        notes += (f"{plural(lacking, 'item')} without a row in the table of labels: taken as unlabelled.",)
    source = replace(source, raw=replace(source.raw, notes=notes)).add_columns(joined)
    return source, replace(columns, labels_file=None, labels=names if columns.tags is None else None)


def _choose_labels(raw: RawTable, columns: Description) -> tuple[str, ...]:
    """Return the columns that are joined: the labels or tags that were named, or that the file declares."""
    if columns.tags is not None:
        require_columns((columns.tags,), raw.frame)
        return (columns.tags,)
    if not columns.labels and not raw.label_names:
        raise ValueError(f"no labels were named: name columns of the table of labels with {option('labels')}.")
    stated = replace(columns, features=None, ignore=(), show=None)
    return tuple(expand_patterns(stated, tuple(raw.frame.columns), raw.label_names).labels or raw.label_names)
