"""From a file of any format, several files or a folder to one source of items."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from halflabel import files
from halflabel._wording import closest, option, plural, quoted
from halflabel.files.bounded import base_suffix, join_names
from halflabel.files.collector import AbsentNotStated
from halflabel.files.conversion import PLAIN
from halflabel.files.flat import hide_suggestions
from halflabel.files.raw_table import RawTable, ReadError
from halflabel.files.reading import Kind, check_exists, read_table
from halflabel.table.columns import Columns
from halflabel.table.sources import Source, source_of, source_of_records

AnyPath = str | os.PathLike[str]

#: What the files of a folder may end in, to be read as one table.
PARTS = (".csv", ".tsv", ".tab", ".parquet", ".pq", ".json", ".jsonl", ".ndjson", ".feather", ".arrow")

#: Every format that a file of items can have: tables, and what other tools write.
TABLES: tuple[str, ...] = get_args(Kind)
FORMATS = (*TABLES, *files.FORMATS)


def read_file(
    where: AnyPath | Sequence[AnyPath],
    columns: Columns | None = None,
    **options: Any,
) -> Source:
    """Read items, whatever the format of their file.

    Parameters
    ----------
    where : path, or sequence of paths
        A file, a pattern such as ``"parts/*.parquet"``, or a folder; several files are read as one table.
    columns : Columns, optional
        The roles that were stated: of a file of another tool, the reader needs ``absent``, ``empty``, ``id`` and
        ``tags``. Its ``format`` is one of :data:`FORMATS`; by default the content decides, and for tables the suffix.
    **options
        ``xml``, ``delimiter``, ``encoding`` and ``top_labels``, as in :func:`halflabel.files.read_table`.

    Raises
    ------
    ReadError
        With one sentence that names the file and, where known, line and column.
    ValueError
        For a format that does not exist, or an option that does not apply to it.
    """
    paths = expand_paths([where] if isinstance(where, str | os.PathLike) else where)
    columns = columns or Columns()
    found = _choose_format(paths, columns.format)
    given = {name: value for name, value in options.items() if value is not None}
    if found is None or found.format in TABLES:
        kind: Any = None if found is None else found.format
        raw = read_table(*paths, kind=kind, **given)
        return Source(raw, format=kind or _name_table(raw), paths=tuple(paths))
    if given:
        raise ValueError(f"{option(next(iter(given)))} does not apply to a file of the format {found.format}.")
    if files.FORMATS[found.format].read_plain is not None:
        return _read_plain(paths, found.format)
    return _read_records(paths, found, columns)


def read_source(items: Any, columns: Columns | None = None, *, labels_apart: bool = False) -> Source:
    """Return what holds the items as a source, whether it is a path or an object in memory (see :func:`source_of`)."""
    is_path = isinstance(items, str | os.PathLike)
    return read_file(items, columns) if is_path else source_of(items, labels_apart=labels_apart)


def expand_paths(given: Sequence[AnyPath]) -> list[Path]:
    """Return the files that paths, patterns and folders stand for; a folder that is one data set stays a folder."""
    paths: list[Path] = []
    for each in given:
        path = Path(each)
        if not path.exists() and glob.has_magic(str(path)):
            matches = sorted(map(Path, glob.glob(str(path))))
            if not matches:
                raise ReadError.at(path, "no file matches this pattern.")
            paths += matches
        else:
            paths += _list_parts(path) if path.is_dir() else [path]
    for path in paths:
        if not path.is_dir():
            check_exists(path)
    return paths


def check_format(name: str) -> str:
    """Return the name of a format, or raise with the nearest one."""
    if name not in FORMATS:
        raise ValueError(f"there is no format {name!r}: {closest(name, FORMATS)}")
    return name


def _choose_format(paths: Sequence[Path], stated: str | None) -> files.Detected | None:
    """Return the format that was stated or that all files have; None where the suffix of a table decides."""
    if stated is not None:
        return files.Detected(check_format(stated), "")
    found = [files.detect(path) or _format_by_suffix(path) for path in paths]
    names = {None if each is None else each.format for each in found}
    if len(names) > 1:
        shown = quoted(sorted(name or "table" for name in names))
        raise ReadError.at(paths[0], f"the {len(paths)} files have the formats {shown}: read one format at a time.")
    return found[0]


def _format_by_suffix(path: Path) -> files.Detected | None:
    """Return the format of a file whose content is damaged or empty: its reader has the sentence for it."""
    name = PLAIN.get(base_suffix(path))
    return None if name is None else files.Detected(name, "")


def _list_parts(folder: Path) -> list[Path]:
    """Return the files of a folder that together are one table, or the folder itself if it is a data set of a tool."""
    if files.detect(folder) is not None:
        return [folder]
    parts = [path for path in sorted(folder.iterdir()) if path.is_file() and not path.name.startswith((".", "_"))]
    parts = [path for path in parts if base_suffix(path) in PARTS]
    suffixes = sorted({base_suffix(path) for path in parts})
    if not parts:
        raise ReadError.at(folder, f"this is a folder without a table; its files would end in {', '.join(PARTS)}.")
    if len(suffixes) > 1:
        pattern = repr(str(folder / f"*{suffixes[0]}"))
        raise ReadError.at(
            folder, f"the folder holds files of the kinds {', '.join(suffixes)}: name some with {pattern}."
        )
    return parts


def _name_table(raw: RawTable) -> str:
    """Return the name of the format of a table that was read by its suffix."""
    if raw.form is not None:
        return "csv"
    suffix = base_suffix(Path(raw.source))
    return {".parquet": "parquet", ".pq": "parquet", ".npy": "npy", ".arff": "arff"}.get(suffix, "svmlight")


def _read_plain(paths: Sequence[Path], name: str) -> Source:
    """Read a table of another tool; the columns that the file declares have their roles, all others are open."""
    reader = files.FORMATS[name].read_plain
    assert reader is not None
    plain = reader(paths)
    frame, hidden = hide_suggestions(plain.frame)
    notes = (*plain.notes, *([f"{plural(hidden, 'suggested value')} in it read as unknown."] if hidden else []))
    if frame.empty:
        raise ReadError.at(paths[0], "there are no rows or no columns in it.")
    raw = RawTable(frame, None, (), plain.labels, join_names(*paths), "", notes=notes)
    return Source(raw, id=plain.id, tags=plain.tags, classes=plain.classes, format=name, paths=tuple(paths))


def _read_records(paths: Sequence[Path], found: files.Detected, columns: Columns) -> Source:
    """Read what an annotation tool exported: its labels need no columns."""
    takes = files.FORMATS[found.format].options
    if columns.empty is not None and "empty" not in takes:
        raise ValueError(
            f"{option('empty')} does not apply to {found.format}: its files state which items are annotated."
        )
    stated: dict[str, Any] = {"id": columns.id, "tags": columns.tags, "empty": columns.empty}
    own = {name: value for name, value in stated.items() if value is not None and name in takes}
    try:
        records = files.read(paths, found.format, columns.absent, **own)
    except AbsentNotStated:
        if columns.labels != ():
            raise
        records = files.read(paths, found.format, "unknown", **own)  # the labels are not needed
    why = f" ({found.reason.rstrip('.')[0].lower()}{found.reason.rstrip('.')[1:]})" if found.reason else ""
    note = f"{paths[0].name} was read as {found.format}{why}; state another format with {option('format')}."
    return source_of_records(records, join_names(*paths), notes=(note,) if found.reason else (), paths=tuple(paths))
