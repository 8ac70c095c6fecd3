"""Table files (``songs.table.toml``): the description of a table, written once and found by every command."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halflabel._files import atomic_write
from halflabel._wording import closest, option, quoted
from halflabel.table.columns import BY_NAME, KEYS, VECTOR_FILE
from halflabel.table.keys import Key

AnyPath = str | os.PathLike[str]

#: End of the name of a table file, and the version of its format.
SUFFIX, VERSION = ".table.toml", 1

#: Maximum size of a table file, in bytes.
MAX_BYTES = 1_000_000

#: Keys of which one is enough: the labels are in columns, in lists, or in a table of their own.
_WHERE_LABELS_ARE = ("labels", "tags", "pairs")

#: Keys that mean nothing where the labels are in another place.
_OF_LISTS = ("absent", "empty", "sep", "on", "tag", "value", "tag_names", "annotated")

#: Keys that are a path, or may be one.
_PATHS = ("pairs", "tag_names", "labels_file", "prior", "sources", "vectors")


class TableFileError(ValueError):
    """A table file cannot be read, or does not fit its table."""


@dataclass(frozen=True)
class TableFile:
    """A description that was read from a file."""

    path: Path | None = None  #: The file; None for an empty description.
    #: The value of each key of :data:`halflabel.table.columns.KEYS` that it states.
    values: Mapping[str, Any] = field(default_factory=dict)

    def merge(self, stated: Mapping[str, Any]) -> dict[str, Any]:
        """Return all values. Stated values override the values of the file.

        Stated labels replace the labels of the file, wherever these are.
        """
        kept = {key: value for key, value in self.values.items() if key not in stated}
        if place := stated.keys() & set(_WHERE_LABELS_ARE):
            gone = {*_WHERE_LABELS_ARE, *(() if place & self.values.keys() else _OF_LISTS)}
            kept = {key: value for key, value in kept.items() if key not in gone}
        return {key: value for key, value in (kept | dict(stated)).items() if value is not None}

    def check_paths(self, stated: Collection[str]) -> None:
        """Raise for a file outside the folder of this one: a user did not name this file.

        Its author may be anyone. No content of a file that its reader did not mean to open may show in an error.
        """
        assert self.path is not None
        folder = self.path.parent.resolve()
        for key in (key for key in self.values if key not in stated):
            file = self.values[key]
            if _is_path(key, file) and not Path(file).resolve().is_relative_to(folder):
                raise TableFileError(
                    f"{self.path} names the file {file} ({key}), which is not in its folder: state "
                    f"{option(key, file)} in the call, or name the table file itself ({option('table')}) to use "
                    "its files wherever they are."
                )


def name_table_file(items: AnyPath) -> Path:
    """Return where the description of a file or folder of items is.

    Examples
    --------
    >>> name_table_file("songs.csv.gz").name, name_table_file("parts").name
    ('songs.table.toml', 'parts.table.toml')
    """
    path = Path(items) if Path(items).name else Path(items).resolve()
    stem = path.name if path.is_dir() else path.name.removesuffix(".gz").rsplit(".", 1)[0]
    return path.with_name(stem + SUFFIX)


def find_table_file(items: Any) -> Path | None:
    """Return the table file next to a file or folder of items, if there is one."""
    if not isinstance(items, str | os.PathLike) or not os.path.exists(items):
        return None
    path = name_table_file(items)
    return path if path.is_file() else None


def read_table_file(path: AnyPath) -> TableFile:
    """Read a table file. Its paths count from its folder.

    Raises
    ------
    TableFileError
        With one sentence that names the file and the key.
    """
    path = Path(path)
    try:
        content = _read_toml(path)
        version = content.pop("version", None)
        if version != VERSION:
            raise ValueError(f"its version must be {VERSION}, not {version!r:.80}; it may be of a newer halflabel.")
        if unknown := [name for name in content if name not in BY_NAME]:
            raise ValueError(f"there is no key {unknown[0]!r:.80}: {closest(unknown[0], BY_NAME)}")
        values = {name: BY_NAME[name].load(value) for name, value in content.items()}
    except ValueError as error:
        raise TableFileError(f"{path}: {str(error).rstrip('.')}.") from None
    return TableFile(path, {name: _place(name, value, path.parent) for name, value in values.items()})


def _read_toml(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise TableFileError("there is no such file; `halflabel describe ITEMS --save` writes one")
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"a table file has at most {MAX_BYTES:,} bytes")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text (byte {error.start}): save it as UTF-8") from None
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None


def _place(name: str, value: Any, folder: Path) -> Any:
    """Return a value. A path counts from the folder of the table file."""
    return os.fspath(folder / value) if _is_path(name, value) else value


def _is_path(name: str, value: Any) -> bool:
    """Return whether a value is a path, and not the name of a column."""
    return name in _PATHS and (name != "vectors" or str(value).endswith(VECTOR_FILE))


def write_table_file(path: AnyPath, values: Mapping[str, Any], comments: Sequence[str] = ()) -> None:
    """Write a table file. Its paths count from its folder."""
    folder = Path(path).resolve().parent
    lines = [f"# {comment}" for comment in comments] + [f"version = {VERSION}"]
    for key in (key for key in KEYS if key.name in values):
        value = values[key.name]
        if _is_path(key.name, value):
            value = Path(os.path.relpath(value, folder)).as_posix()
        lines += _write_value(key, value)
    with atomic_write(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def _write_value(key: Key, value: Any) -> list[str]:
    if key.kind == "size":
        value = "{}x{}".format(*value)
    if key.is_list and len(value) > 8:
        return [f"{key.name} = [", *(f"  {_write(name)}," for name in value), "]"]
    return [f"{key.name} = {_write(list(value) if key.is_list else value)}"]


def _write(value: Any) -> str:
    """Return a text, a number or a list as TOML, with the escapes of JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def require_paths(given: Mapping[str, Any]) -> None:
    """Raise for values that a file cannot hold: tables and arrays."""
    wrong = [name for name in _PATHS if name in given and not isinstance(given[name], str | os.PathLike)]
    if wrong:
        raise ValueError(f"{quoted(wrong)} is an object in memory ({option(wrong[0])}): a table file holds paths, so "
                         "save it as a file and give its path.")  # fmt: skip
