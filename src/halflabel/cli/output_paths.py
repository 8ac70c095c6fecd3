"""Paths that commands write to."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from halflabel._files import check_folder, folds_case
from halflabel._wording import option
from halflabel.cli import work

if TYPE_CHECKING:
    import pandas as pd

    from halflabel.completion import Completion
    from halflabel.table.sources import Source

PATH = click.Path(path_type=Path)

#: The value of --report that leaves the report out.
NO_REPORT = Path("none")


def name_output(items: Path, ending: str) -> Path:
    """Return the path of an output in the folder of its input, the suffix replaced."""
    items = items if items.name else items.resolve()  # of the working directory
    stem = items.name if items.is_dir() else items.name.removesuffix(".gz").rsplit(".", 1)[0]
    return items.with_name(f"{stem}.{ending}")


def name_table(given: Sequence[Path], source: Source, ending: str) -> Path:
    """Return the path of a table in the format of its input, next to it. Several files need a name.

    ``ending`` is the part of the name before the suffix, such as "completed".
    """
    return name_format(require_one(given, source), ending, work.name_suffix(source.paths[0], source.format))


def name_plain_table(given: Sequence[Path], source: Source, ending: str) -> Path:
    """Return the path of a table as :func:`name_table` does, or of a CSV file next to the export of a tool."""
    if source.records is None:
        return name_table(given, source, ending)
    return name_format(require_one(given, source), ending, ".csv")


def name_format(items: Path, ending: str, suffix: str) -> Path:
    """Return the path of a file with this ending and suffix, or of a folder where the suffix is empty."""
    path = name_output(items, f"{ending}{suffix}")
    return path if suffix else path.with_name(f"{path.stem}-{ending}")


def require_one(given: Sequence[Path], source: Source) -> Path:
    """Return the file or folder that outputs are named after."""
    if len(given) > 1 or not given[0].exists():
        raise ValueError(f"{len(source.paths)} files were given as one table: name the output with {option('output')}.")
    return given[0]


def check_tables(*targets: Path | None) -> None:
    """Raise before the work starts if a table cannot be written under a name."""
    for target in filter(None, targets):
        work.find_written(target)


def check_completed(target: Path, source: Source, format: str | None) -> tuple[Path, ...]:
    """Return the names of further files. Raise before the work starts if the table cannot have this name."""
    tool = format or work.choose_tool(source, target)
    if tool is not None:
        return check_tool_path(target, tool)
    if not work.takes_pairs(target):
        work.find_written(target)
    elif not target.exists():
        raise ValueError(f"{target}: there is no such database: suggestions are added to a database that exists.")
    return ()


def check_tool_path(target: Path, tool: str) -> tuple[Path, ...]:
    """Return the names of the files next to a file for a tool. Raise if that file cannot have this name."""
    companion = work.check_format_path(target, tool).companion
    return () if companion is None else (companion(target),)


def check_map(target: Path | None) -> None:
    """Raise before the work starts if a map is neither a table nor a picture."""
    if target is not None and target.suffix.lower() not in work.PICTURES:
        if work.base_suffix(target) not in work.SUFFIXES:
            known = ", ".join((*work.PICTURES, *work.SUFFIXES))
            raise ValueError(f"{target}: a map is not written as {target.suffix!r}; use one of {known}.")
        work.find_written(target)


def write_map(filled: Completion, target: Path, title: str) -> None:
    """Write the map as a picture, or coordinates with labels as a table. The suffix decides."""
    if target.suffix.lower() in work.PICTURES:
        filled.write_map(target, title=title)
        return
    import pandas as pd

    labels = work.take_label_columns(filled.opened, filled.frame)
    work.write_frame(add_index_column(pd.concat([filled.map().coordinates, labels], axis=1)), target)


def check_page(target: Path | None) -> None:
    """Raise before the work starts if the name of a report is not that of a page."""
    if target is not None and target.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{target}: a report is an HTML page; use the suffix .html.")


def check_outputs(inputs: Iterable[Path | None], *targets: Path | None) -> None:
    """Raise before the work starts for an output that cannot be written, or would overwrite an input or output."""
    taken = {path.resolve() for path in inputs if path is not None}
    for target in filter(None, targets):
        if work.takes_pairs(target):
            taken.discard(target.resolve())  # a database gets a table of its own, and stays as it is otherwise
        check_folder(target)
        if (target.exists() and not target.is_file()) or not os.access(target.parent, os.W_OK):
            raise PermissionError(
                f"{target} cannot be written: it is not an ordinary file, or its folder is read-only."
            )
        if target.resolve() in taken:
            raise ValueError(f"{target} is the input or another output: give each its own name.")
        if (twin := _find_twin(target.resolve(), taken)) is not None:
            raise ValueError(
                f"{target} and {twin} differ in case only and would be one file here: give each its own name."
            )
        taken.add(target.resolve())


def _find_twin(target: Path, taken: Iterable[Path]) -> Path | None:
    """Return a path that is the same file as another one if case makes no difference in its folder."""
    twins = [path for path in taken if _fold(path) == _fold(target)]
    return next((path for path in twins if folds_case(path.parent)), None)


def _fold(path: Path) -> str:
    """Return a path for comparison in file systems that ignore case and the form of accents."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", str(path)).casefold())


def add_index_column(table: pd.DataFrame) -> pd.DataFrame:
    """Put the ids of the items into the first column, under a name that no other column has."""
    name = str(table.index.name or "row")
    while name in table.columns:
        name = f"_{name}"
    return table.rename_axis(name).reset_index()
