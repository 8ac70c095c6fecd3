"""One function that reads every kind of file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, get_args

import pandas as pd

from halflabel._wording import option, quoted
from halflabel.files.bounded import base_suffix, check_ordinary, sha256_of
from halflabel.files.delimited import read_delimited
from halflabel.files.mulan import read_mulan
from halflabel.files.parquet import read_parquet
from halflabel.files.raw_table import RawTable, ReadError
from halflabel.files.svmlight import looks_like_svmlight, read_svmlight
from halflabel.files.vectors import read_vectors

#: What a file of a table can be; "csv" is delimited text of any kind.
Kind = Literal["csv", "parquet", "arff", "svmlight", "npy"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def read_table(
    path: str | os.PathLike[str],
    *parts: str | os.PathLike[str],
    kind: Kind | None = None,
    xml: str | os.PathLike[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    top_labels: int | None = None,
) -> RawTable:
    """Read a file by its suffix, or as the kind that is stated.

    ============================================== ==================================
    suffix (text files also with ``.gz``)          read as
    ============================================== ==================================
    ``.csv``, ``.tsv``, ``.tab``                   delimited text with a header line
    ``.parquet``, ``.pq``                          Parquet
    ``.arff``                                      ARFF, with Mulan's XML label file
    ``.svm``, ``.svmlight``, ``.libsvm``           svmlight or extreme classification
    ``.txt``                                       svmlight if its first line is, else delimited text
    ``.npy``                                       feature vectors
    ============================================== ==================================

    Parameters
    ----------
    path : path
        The file.
    *parts : path
        Further files of delimited text or Parquet with the same columns: their rows follow.
    kind : {"csv", "parquet", "arff", "svmlight", "npy"}, optional
        What the file is (csv: delimited text); by default its suffix decides.
    xml : path, optional
        For ARFF: the label file, if it is not the sibling of that name.
    delimiter : str, optional
        For delimited text: the character between cells; recognised by default.
    encoding : str, optional
        For delimited text: its encoding; recognised by default.
    top_labels : int, optional
        For svmlight: keep this many of the most frequent labels.

    Returns
    -------
    RawTable

    Raises
    ------
    ReadError
        With one sentence that names the file and, where known, line and column.
    """
    paths = [Path(path), *map(Path, parts)]
    for each in paths:
        check_exists(each)
    options = {"xml_path": xml, "delimiter": delimiter, "encoding": encoding, "top_labels": top_labels}
    given = {name: value for name, value in options.items() if value is not None}
    kinds = {kind or _kind_of(each, given) for each in paths}
    if len(kinds) > 1:
        raise ReadError.at(paths[0], f"the files are of the kinds {quoted(sorted(kinds))}: read one kind at a time.")
    found = kinds.pop()
    reader, takes = _READERS[found]
    if wrong := [name for name in given if name not in takes]:
        reason = f"{option(wrong[0].removesuffix('_path'))} does not apply to a file of the kind {found}."
        raise ReadError.at(paths[0], reason)
    if len(paths) > 1 and found not in ("csv", "parquet"):
        raise ReadError.at(paths[1], f"files of the kind {found} are read one by one.")
    return reader(*paths, **given)


def check_exists(path: Path) -> None:
    """Raise unless a path is that of an ordinary file."""
    if path.is_dir():
        raise ReadError.at(path, "this is a folder; name a file in it.")
    if not path.exists():
        raise ReadError.at(path, "there is no such file.")
    check_ordinary(path)


def _kind_of(path: Path, given: Mapping[str, object]) -> Kind:
    """Return the kind of a file by its suffix; of a ``.txt`` file by the options given, else by its first line."""
    suffix = base_suffix(path)
    if suffix == ".txt":
        stated = "delimiter" in given or "encoding" in given
        return "svmlight" if not stated and ("top_labels" in given or looks_like_svmlight(path)) else "csv"
    if suffix not in _KIND_OF:
        known = ", ".join(sorted([*_KIND_OF, ".txt"]))
        reason = (
            f"neither its content nor its suffix {path.suffix!r} is that of a known format; tables are read by suffix: "
            f"{known}; or state {option('format', 'csv')}."
        )
        raise ReadError.at(path, reason)
    return _KIND_OF[suffix]


def _read_vectors(path: Path) -> RawTable:
    matrix = read_vectors(path)
    names = tuple(f"x{j}" for j in range(matrix.shape[1]))
    return RawTable(pd.DataFrame(index=pd.RangeIndex(len(matrix))), matrix, names, (), str(path), sha256_of(path))


#: kind: (reader, the options it takes)
_READERS: dict[Kind, tuple[Callable[..., RawTable], tuple[str, ...]]] = {
    "csv": (read_delimited, ("delimiter", "encoding")),
    "parquet": (read_parquet, ()),
    "arff": (read_mulan, ("xml_path",)),
    "svmlight": (read_svmlight, ("top_labels",)),
    "npy": (_read_vectors, ()),
}

_KIND_OF: dict[str, Kind] = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    ".arff": "arff",
    **dict.fromkeys((".svm", ".svmlight", ".libsvm"), "svmlight"),
    ".npy": "npy",
}
