"""One function that reads every kind of file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

from halflabel.datasets.arrow_files import read_parquet
from halflabel.datasets.delimited import read_delimited
from halflabel.datasets.files import base_suffix, check_ordinary, sha256_of
from halflabel.datasets.mulan import read_mulan
from halflabel.datasets.records import RawTable, ReadError
from halflabel.datasets.svmlight import looks_like_svmlight, read_svmlight
from halflabel.datasets.vectors import read_vectors


def read(
    path: str | os.PathLike[str],
    *,
    xml: str | os.PathLike[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    top_labels: int | None = None,
) -> RawTable:
    """Read a file by its suffix.

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
    path = Path(path)
    if path.is_dir():
        raise ReadError.at(path, "this is a folder; name a file in it.")
    if not path.exists():
        raise ReadError.at(path, "there is no such file.")
    check_ordinary(path)
    options = {"xml_path": xml, "delimiter": delimiter, "encoding": encoding, "top_labels": top_labels}
    given = {name: value for name, value in options.items() if value is not None}
    kind = _kind_of(path, given)
    reader, takes = _READERS[kind]
    if wrong := [name for name in given if name not in takes]:
        raise ReadError.at(path, f"{wrong[0].removesuffix('_path')} does not apply to a file of the kind {kind}.")
    return reader(path, **given)


def _kind_of(path: Path, given: Mapping[str, object]) -> str:
    """Return the kind of a file by its suffix; of a ``.txt`` file by the options given, else by its first line."""
    suffix = base_suffix(path)
    if suffix == ".txt":
        stated = "delimiter" in given or "encoding" in given
        return "svmlight" if not stated and ("top_labels" in given or looks_like_svmlight(path)) else "delimited text"
    if suffix not in _KIND_OF:
        known = ", ".join(sorted([*_KIND_OF, ".txt"]))
        raise ReadError.at(path, f"the suffix {path.suffix!r} is not known; files are read by suffix: {known}.")
    return _KIND_OF[suffix]


def _read_vectors(path: Path) -> RawTable:
    matrix = read_vectors(path)
    names = tuple(f"x{j}" for j in range(matrix.shape[1]))
    return RawTable(pd.DataFrame(index=pd.RangeIndex(len(matrix))), matrix, names, (), str(path), sha256_of(path))


#: kind: (reader, the options it takes)
_READERS: dict[str, tuple[Callable[..., RawTable], tuple[str, ...]]] = {
    "delimited text": (read_delimited, ("delimiter", "encoding")),
    "Parquet": (read_parquet, ()),
    "ARFF": (read_mulan, ("xml_path",)),
    "svmlight": (read_svmlight, ("top_labels",)),
    "vectors": (_read_vectors, ()),
}

_KIND_OF = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "delimited text"),
    **dict.fromkeys((".parquet", ".pq"), "Parquet"),
    ".arff": "ARFF",
    **dict.fromkeys((".svm", ".svmlight", ".libsvm"), "svmlight"),
    ".npy": "vectors",
}
