"""Features by an encoder of the user: a function from files, or from texts, to one row of numbers for each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from halflabel._arrays import Floats
from halflabel._wording import count, option, plural
from halflabel.table.cells import describe_missing
from halflabel.table.columns import Description
from halflabel.table.sources import Source

Encoder = Callable[[list[str]], Any]


def load_function(function: str | Callable[..., Any], key: str) -> Callable[..., Any]:
    """Return the function that ``MODULE:FUNCTION`` names. Modules of the working directory are found, too.

    The module is executed. A name therefore comes from a command line or from a call, and never from a file.

    Raises
    ------
    ValueError
        If there is no such function, or its module cannot be imported.
    """
    if callable(function):
        return function
    module, colon, name = function.partition(":")
    if not (module and colon and name):
        raise ValueError(f"{option(key)} needs MODULE:FUNCTION, such as encoder:encode, not {function!r:.80}.")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = getattr(import_module(module), name, None)
    except Exception as error:
        raise ValueError(f"the module {module!r} cannot be imported: {type(error).__name__}: {error}.") from error
    finally:
        sys.path.remove(str(Path.cwd()))
    if not callable(found):
        raise ValueError(f"the module {module!r} has no function {name!r}.")
    loaded: Callable[..., Any] = found
    return loaded


def encode_items(embed: str | Encoder, values: Sequence[str]) -> Floats:
    """Return the rows of numbers that an encoder gives for files or texts.

    Raises
    ------
    ValueError
        If it fails, or returns anything but one row of finite numbers for each.
    """
    encode = load_function(embed, "embed")
    try:
        rows = np.asarray(encode(list(values)), dtype=np.float64)
    except Exception as error:
        raise ValueError(f"the encoder {embed!r:.80} failed: {type(error).__name__}: {error!s:.200}.") from error
    if rows.ndim != 2 or len(rows) != len(values) or not rows.shape[1]:
        raise ValueError(
            f"the encoder {embed!r:.80} must return one row of numbers for each of {plural(len(values), 'item')}, but "
            f"the shape of its result is {rows.shape}."
        )
    if not np.isfinite(rows).all():
        row = int((~np.isfinite(rows)).any(axis=1).argmax())
        raise ValueError(f"the encoder {embed!r:.80} returns a number that is not finite for {values[row]!r:.80}.")
    return rows


def embed_columns(source: Source, columns: Description) -> Description:
    """Return the columns with vectors: of the files that ``images`` names, or of the texts if there is an encoder.

    Paths count from the folder of the items, or from the working directory for items in memory.
    """
    name = columns.images or (columns.text if columns.embed is not None else None)
    if name is None and columns.embed is not None and source.raw.matrix is None:
        raise ValueError(
            f"{option('embed')} needs items to encode: a column of files ({option('images', 'COLUMN')}) or of texts "
            f"({option('text', 'COLUMN')}), or a folder of files."
        )
    if name is None:
        return columns
    if columns.vectors is not None:
        way = option("images" if columns.images else "embed")
        raise ValueError(f"{way} and {option('vectors')} both give the vectors of the items: use one.")
    if name not in source.raw.frame.columns:
        raise ValueError(describe_missing(name, source.raw.frame.columns))
    if columns.images is None and columns.embed is not None:
        texts = source.raw.frame[name].astype(object).fillna("").map(str).tolist()
        return replace(columns, vectors=encode_items(columns.embed, texts), text=None, embed=None,
                       ignore=(*columns.ignore, name))  # fmt: skip
    vectors, _ = describe_files(_find_files(source, name), columns.embed)
    return replace(columns, vectors=vectors, images=None, embed=None)


def describe_files(paths: Sequence[Path], embed: str | Encoder | None) -> tuple[Floats, tuple[str, ...]]:
    """Return the features of files by an encoder, or else by halflabel, and their names."""
    if embed is None:
        from halflabel.files.media import describe_media  # imported here: most tables name no files

        return describe_media(paths)
    rows = encode_items(embed, [str(path) for path in paths])
    return rows, tuple(f"x{j}" for j in range(rows.shape[1]))


def _find_files(source: Source, name: str) -> list[Path]:
    folder = source.paths[0].parent if source.paths else Path()
    paths = [folder / str(cell) for cell in source.raw.frame[name]]
    if lacking := [path for path in paths if not path.is_file()]:
        raise ValueError(
            f"{count(len(lacking))} of {plural(len(paths), 'file')} in the column {name!r} are not there, for example "
            f"{lacking[0]}: their paths count from {folder.resolve()}."
        )
    return paths
