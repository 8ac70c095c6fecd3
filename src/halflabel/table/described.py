"""The description of a table: stated values, on top of the table file that was named or found next to it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from halflabel._wording import Notes
from halflabel.files.raw_table import ReadError
from halflabel.table.columns import BY_NAME, Description
from halflabel.table.question import Question, Way
from halflabel.table.roles import NoLabelsNamed
from halflabel.table.table_file import AnyPath, TableFile, TableFileError, find_table_file, read_table_file


@dataclass(frozen=True, eq=False)
class Described:
    """A description, with the table file that is a part of it."""

    columns: Description
    file: TableFile = field(default_factory=TableFile)
    #: The values that were stated apart from the file, by key.
    stated: Mapping[str, Any] = field(default_factory=dict)
    notes: Notes = ()  #: The sentence that a table file was found and used.

    def take(self, way: Way) -> Described:
        """Return the description with the keys of a way to read the table."""
        keys: dict[str, Any] = way.state(self.columns.stated)
        return replace(self, columns=replace(self.columns, **{key: keys[key] for key in way.keys}))

    @contextmanager
    def name_file(self, only_for: Collection[str] = BY_NAME) -> Iterator[None]:
        """Let an error about the table name the table file, if this states one of the keys."""
        try:
            yield
        except (TableFileError, Question, NoLabelsNamed):
            raise
        except ValueError as error:
            if not self.file.values.keys() & set(only_for):
                raise
            way = "change it there, write it again (halflabel describe --save), or override it by an option."
            raise TableFileError(f"{error} The description is that of {self.file.path}: {way}") from error


def is_path(items: Any) -> bool:
    """Return whether items, or a second table, are a path."""
    return isinstance(items, str | os.PathLike)


@contextmanager
def name_second(table: Any) -> Iterator[None]:
    """Let an error about the content of a second table begin with its path, if it has one."""
    try:
        yield
    except ValueError as error:
        if not is_path(table) or str(table) in str(error):
            raise
        raise ReadError(f"{table}: {error}") from error


def find_description(items: Any, given: Mapping[str, Any], table: AnyPath | None = None) -> Described:
    """Return the description of items: stated values on top of the values of a table file.

    Parameters
    ----------
    items : object
        Next to a path, a table file is looked for.
    given : dict of str to object
        The values that were stated, by key.
    table : path, optional
        The table file, where it is named.
    """
    path = find_table_file(items) if table is None else table
    if path is None:
        return Described(Description(**given), stated=given)
    file = read_table_file(path)
    if table is None:
        file.check_paths(given)
    try:
        columns = Description(**file.merge(given))
    except ValueError as error:
        raise TableFileError(f"{path}: {error}") from error
    notes = (f"The table is described in {path}.",) if table is None else ()
    return Described(columns, file, given, notes)
