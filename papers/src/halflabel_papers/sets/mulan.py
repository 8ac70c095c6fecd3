"""Mulan's data sets: an ARFF file and an XML file that names the labels.

References
----------
Tsoumakas, Spyromitros-Xioufis, Vilcek and Vlahavas, "MULAN: a Java library for
multi-label learning", JMLR 12, 2011.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from halflabel.files import RawTable, ReadError, TableFormat, check_ordinary
from halflabel_papers.sets.arff import read_arff

#: Bytes and nesting depth of the largest label file.
MAX_XML, MAX_DEPTH = 10_000_000, 64

#: The categories of a label.
TRUTH = {"0": 0.0, "no": 0.0, "n": 0.0, "false": 0.0, "f": 0.0, "1": 1.0, "yes": 1.0, "y": 1.0, "true": 1.0, "t": 1.0}

_PARTS = ("-sparse", "-train", "-test")


def read_mulan(arff_path: str | os.PathLike[str], xml_path: str | os.PathLike[str] | None = None) -> RawTable:
    """Read an ARFF file and the label file that belongs to it.

    Parameters
    ----------
    arff_path : path
        Dense or sparse ARFF, ``.gz`` or not.
    xml_path : path, optional
        By default the sibling: ``NAME.xml`` for ``NAME.arff``, ``NAME-train.arff``,
        ``NAME-sparse.arff.gz`` and the like. Without one, no label is declared.

    Returns
    -------
    RawTable
        Labels are found by name, in any order in either file.
    """
    arff = Path(arff_path)
    xml = Path(xml_path) if xml_path is not None else _sibling(arff)
    raw = read_arff(arff)
    return raw if xml is None else declare_labels(raw, read_label_names(xml))


def declare_labels(raw: RawTable, names: Sequence[str]) -> RawTable:
    """Return a table whose labels are the columns of these names. Their categories become 1 and 0.

    Raises
    ------
    ReadError
        If a name is not a column, or a category cannot be read as a label.
    """
    known = {*raw.frame.columns, *raw.matrix_names}
    if missing := [name for name in names if name not in known]:
        raise ReadError.at(
            raw.source,
            f"{len(missing)} of the {len(names)} labels named, for example {missing[0]!r}, are not among its "
            f"{len(known)} columns: do the label names and the data belong together?",
        )
    inner = [name for name in raw.matrix_names if name not in names]
    table = raw.arranged(inner, [name for name in names if name in raw.matrix_names])
    labels = {name: _read_label(table.frame[name], raw.source) for name in names}
    return replace(table, frame=table.frame.assign(**labels), label_names=tuple(dict.fromkeys(names)))


def _read_label(column: pd.Series[Any], source: str) -> pd.Series[Any]:
    """Return categories as 1, 0 and NaN, and any other column as it is."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return column
    values = [TRUTH.get(str(value).lower()) for value in column.cat.categories]
    if None in values or len(set(values)) < len(values):
        shown = ", ".join(map(str, column.cat.categories[:5]))
        reason = (
            f"is named as a label but takes the values {{{shown}}}: 0/1, yes/no and true/false are. Recode it first."
        )
        raise ReadError.at(source, reason, column=str(column.name))
    table = np.array([*values, np.nan], dtype=np.float64)  # code -1 means missing
    return pd.Series(table[column.cat.codes.to_numpy()], index=column.index, name=column.name)


def read_label_names(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the labels that a Mulan XML file names, at any depth, in the order of the file.

    Raises
    ------
    ReadError
        For anything but a well-formed file with labels, for a document type or
        entity declaration, and above 10 MB or 64 levels.
    """
    path = Path(path)
    target = _Labels(path)
    parser = ElementTree.XMLParser(target=target)
    try:
        check_ordinary(path)
        with path.open("rb") as stream:
            content = stream.read(MAX_XML + 1)
        if len(content) > MAX_XML:
            raise ReadError.at(path, f"a label file may hold at most {MAX_XML:,} bytes, and this one holds more.")
        parser.feed(content)
        parser.close()
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # the last two for encodings
        if isinstance(error, ReadError):
            raise
        raise ReadError.at(path, f"it is not well-formed XML ({error}).") from None
    except OSError as error:
        raise ReadError.at(path, f"it cannot be opened ({error.strerror}).") from error
    if not target.names:
        raise ReadError.at(path, 'it names no label: Mulan writes <label name="..."/> for each.')
    return tuple(target.names)


class _Labels:
    """Parser target that keeps label names only. It builds no tree and expands nothing."""

    def __init__(self, path: Path) -> None:
        self.path, self.depth, self.names = path, 0, list[str]()

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise ReadError.at(self.path, "it declares a document type, which may hide entities; a label file needs none.")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ReadError.at(self.path, f"labels are nested more than {MAX_DEPTH} levels deep.")
        if tag.rpartition("}")[2] == "label":
            if "name" not in attributes:
                raise ReadError.at(self.path, "a <label> has no name attribute.")
            self.names.append(attributes["name"])

    def end(self, tag: str) -> None:
        self.depth -= 1


def list_stems(path: Path) -> Iterator[str]:
    """Yield NAME-train-sparse, NAME-train, NAME for a file of that name."""
    stem = path.name.removesuffix(".gz").removesuffix(".arff")
    while stem:
        yield stem
        stem = next((stem.removesuffix(part) for part in _PARTS if stem.endswith(part)), "")


def _sibling(arff: Path) -> Path | None:
    candidates = (arff.with_name(f"{stem}.xml") for stem in list_stems(arff))
    return next((path for path in candidates if path.exists()), None)


FORMAT = TableFormat("arff", (".arff",), read_mulan)
