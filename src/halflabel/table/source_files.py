"""From a file of any format, several files or a folder to one source of items."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from halflabel import files
from halflabel._wording import option, quoted
from halflabel.files.bounded import join_names
from halflabel.files.detection import find_tool
from halflabel.files.raw_table import AbsentNotStated, ReadError
from halflabel.files.reading import check_exists, read_table
from halflabel.files.registry import FORMATS, PARTS, TABLES, base_suffix, check_name
from halflabel.table.columns import Description
from halflabel.table.sources import Source, source_of, source_of_records

AnyPath = str | os.PathLike[str]

#: Number of characters of the longest path.
MAX_PATH = 4096


def read_file(
    where: AnyPath | Sequence[AnyPath],
    columns: Description | None = None,
    **options: Any,
) -> Source:
    """Read items, whatever the format of their file.

    Parameters
    ----------
    where : path, or sequence of paths
        A file, a pattern such as ``"parts/*.parquet"``, or a folder; several files are read as one table.
    columns : Description, optional
        The roles that were stated: of a file of another tool, the reader needs ``absent``, ``empty``, ``id`` and
        ``tags``. Its ``format`` is the name of one; by default the content decides, and for tables the suffix.
    **options
        ``delimiter`` and ``encoding``, as in :func:`halflabel.files.read_table`.

    Raises
    ------
    ReadError
        With one sentence that names the file and, where known, line and column.
    ValueError
        For a format that does not exist, or an option that does not apply to it.
    """
    paths = expand_paths([where] if isinstance(where, str | os.PathLike) else where)
    columns = columns or Description()
    if columns.format is None and len(paths) == 1 and paths[0].is_dir() and find_tool(paths[0]) is None:
        from halflabel.files.media_folder import read_media_folder  # imported here: a table needs no pictures

        return Source(read_media_folder(paths[0]), paths=tuple(paths))
    found = _choose_format(paths, columns.format)
    given = {name: value for name, value in options.items() if value is not None}
    if found.format in TABLES:
        if given.get("skip_rows") == "none" and "skip_rows" not in TABLES[found.format].options:
            del given["skip_rows"]  # it is about rows, which any table has
        return Source(read_table(*paths, kind=found.format, **given), paths=tuple(paths))
    if given:
        raise ValueError(f"{option(next(iter(given)))} does not apply to a file of the format {found.format}.")
    return _read_records(paths, found, columns)


def read_source(items: Any) -> Source:
    """Return items, which are a path or an object in memory, as a source (see :func:`source_of`)."""
    is_path = isinstance(items, str | os.PathLike)
    return read_file(items) if is_path else source_of(items, labels_apart=False)


def expand_paths(given: Sequence[AnyPath]) -> list[Path]:
    """Return the files of paths, patterns and folders. A folder that is one data set stays a folder."""
    paths: list[Path] = []
    for each in given:
        if "\n" in os.fspath(each) or len(os.fspath(each)) > MAX_PATH:
            raise ValueError(
                "items are a text, but not the path of a file: write the text into a file, or read it as a table "
                "first, such as pd.read_csv(io.StringIO(text))."
            )
        path = Path(each)
        if not path.exists() and glob.has_magic(str(path)):
            folder = next(parent for parent in path.parents if parent.exists())
            pattern = str(path.relative_to(folder))
            found = glob.glob(pattern, root_dir=folder)
            found = found or glob.glob(pattern.replace("[", "[[]"), root_dir=folder)  # a name may have brackets
            matches = sorted(folder / name for name in found)
            if not matches:
                raise ReadError.at(path, "no file matches this pattern.")
            paths += matches
        else:
            paths += _list_parts(path) if path.is_dir() else [path]
    for path in paths:
        if not path.is_dir():
            check_exists(path)
    return paths


def _choose_format(paths: Sequence[Path], stated: str | None) -> files.Detected:
    """Return the format that was stated, or the one that all files have."""
    if stated is not None:
        return files.Detected(check_name(stated), "")
    found = [files.detect(path) for path in paths]
    if len(names := {each.format for each in found}) > 1:
        shown = quoted(sorted(names))
        raise ReadError.at(paths[0], f"the {len(paths)} files have the formats {shown}: read one format at a time.")
    return found[0]


def _list_parts(folder: Path) -> list[Path]:
    """Return the files of a folder that together are one table, or the folder itself if it is a data set of a tool."""
    if find_tool(folder) is not None:
        return [folder]
    parts = [path for path in sorted(folder.iterdir()) if path.is_file() and not path.name.startswith((".", "_"))]
    parts = [path for path in parts if base_suffix(path) in PARTS]
    suffixes = sorted({base_suffix(path) for path in parts})
    if not parts:
        from halflabel.files.media_folder import find_media  # imported here: a table needs no pictures

        if find_media(folder):
            return [folder]
        known = f"{', '.join(PARTS)}; pictures and texts are read, too"
        raise ReadError.at(folder, f"this is a folder without a table; its files would end in {known}.")
    if len(suffixes) > 1:
        pattern = repr(str(folder / f"*{suffixes[0]}"))
        raise ReadError.at(
            folder, f"the folder holds files of the kinds {', '.join(suffixes)}: name some with {pattern}."
        )
    return parts


def _read_records(paths: Sequence[Path], found: files.Detected, columns: Description) -> Source:
    """Read the export of an annotation tool, whose labels need no columns."""
    takes = FORMATS[found.format].options
    stated: dict[str, Any] = {"id": columns.id, "tags": columns.tags}
    own = {"empty": columns.empty} | {name: value for name, value in stated.items() if name in takes}
    try:
        records = files.read(paths, found.format, columns.absent, **own)
    except AbsentNotStated:
        if columns.labels != ():
            from halflabel.table.seen_labels import ask_absent

            raise ask_absent(f"{paths[0]} lists the labels that an item has.") from None
        records = files.read(paths, found.format, "unknown", **own)  # the labels are not needed
    why = f" ({found.reason.rstrip('.')[0].lower()}{found.reason.rstrip('.')[1:]})" if found.reason else ""
    note = f"{paths[0].name} was read as {found.format}{why}; state another format with {option('format')}."
    return source_of_records(records, join_names(*paths), notes=(note,) if found.reason else (), paths=tuple(paths))
