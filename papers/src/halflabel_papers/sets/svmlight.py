"""The svmlight / libsvm text format with several labels per row, and its extreme-classification form.

A row is ``label,label index:value index:value``; the Extreme Classification
Repository puts a line ``n_items n_features n_labels`` above and counts from 0.

References
----------
Bhatia et al., "The extreme classification repository: multi-label datasets and
code", http://manikvarma.org/downloads/XC/XMLRepository.html.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from halflabel.files import RawTable, ReadError, TableFormat, lines, open_text, sha256_of
from halflabel.labels import MAX_CELLS
from halflabel.plugins import count

#: Bytes of the longest line; features and labels of the widest file (a single large number announces them all).
MAX_LINE, MAX_FEATURES, MAX_LABELS = 16_000_000, 10_000_000, 1_000_000

#: Features that a file of any size may have; a larger one as many as it has bytes.
FREE_FEATURES = 2**21

_HEADER = re.compile(r"\s*(\d+)\s+(\d+)\s+(\d+)\s*")
_ROW = re.compile(r"\s*([\d.+-]+(,[\d.+-]+)*)?(\s+qid:\d+)?(\s*(?<!\S)\d+:[-+.\deEnaif]+)*\s*(#.*)?")

#: Digits of the largest number that can be an index, a count or a label.
_MAX_DIGITS = 18


def read_svmlight(path: Path, *, top_labels: int | None = None) -> RawTable:
    """Read a multi-label svmlight file, ``.gz`` or not, with or without the repository's header line.

    Parameters
    ----------
    path : Path
        Every row lists the labels that are relevant. All other labels are irrelevant.
    top_labels : int, optional
        Keep the most frequent of the labels that occur (of equally frequent ones the lower number).

    Returns
    -------
    RawTable
        Labels are the columns ``label<number>`` of ``frame``; without a header only
        numbers that occur become one. Features are the csr ``matrix``.

    Raises
    ------
    ReadError
        With the line of the first malformed row; if the header does not agree with
        the rows; above 2e8 label cells.
    """
    header = _header(path)
    X, rows = _load(path, header)
    if header is not None and len(rows) != header[0]:
        raise ReadError.at(path, f"the header announces {header[0]} rows, but {len(rows)} follow.", line=1)
    names, Y = _label_table(rows, header[2] if header else None, top_labels, path)
    features = tuple(f"x{j}" for j in range(X.shape[1]))
    return RawTable(pd.DataFrame(Y, columns=list(names)), X, features, names, str(path), sha256_of(path))


def _header(path: Path) -> tuple[int, int, int] | None:
    first = next((line for _, line in lines(path, max_line=MAX_LINE)), None)
    if first is None:
        raise ReadError.at(path, "the file is empty.")
    match = _HEADER.fullmatch(first)
    if match is None:
        return None
    rows, features, labels = (_whole(number, path, 1) for number in match.groups())
    _check_width(features, path)
    return rows, features, labels


def _check_width(features: int, path: Path) -> None:
    limit = min(MAX_FEATURES, max(FREE_FEATURES, path.stat().st_size))
    if features > limit:
        reason = f"{count(features)} features are more than {count(limit)}, the limit for a file of this size."
        raise ReadError.at(path, reason)


def _whole(digits: str, path: Path, line: int) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ReadError.at(path, f"the number {digits[:20]}... has {len(digits)} digits, too many to count.", line=line)
    return int(digits)


def _load(path: Path, header: tuple[int, int, int] | None) -> tuple[sparse.csr_array, list[tuple[float, ...]]]:
    from sklearn.datasets import load_svmlight_file

    options: dict[str, Any] = {"n_features": header[1], "zero_based": True} if header else {}
    try:
        with open_text(path, max_line=MAX_LINE) as stream:
            if header:
                stream.readline()
            X, rows = load_svmlight_file(stream, multilabel=True, **options)
    except ReadError:
        raise
    except (ValueError, OverflowError) as error:
        raise _diagnosis(path, header) or ReadError.at(path, f"it cannot be read ({error}).") from None
    _check_width(X.shape[1], path)
    return sparse.csr_array(X), rows


def _diagnosis(path: Path, header: tuple[int, int, int] | None) -> ReadError | None:
    """Return an error about the first row that does not have the form."""
    for number, line in lines(path, max_line=MAX_LINE):
        if header and number == 1:
            continue
        if not _ROW.fullmatch(line):
            return ReadError.at(path, f"{line.strip()[:60]!r} is not 'label,label index:value ...'.", line=number)
        pairs = [pair for pair in line.split("#")[0].split() if ":" in pair and pair[0] != "q"]
        indices = [_whole(pair.partition(":")[0], path, number) for pair in pairs]
        if any(a >= b for a, b in itertools.pairwise(indices)):
            return ReadError.at(path, "the feature indices must increase along the row.", line=number)
        if header and indices and indices[-1] >= header[1]:
            reason = f"feature {indices[-1]} (counted from 0), but the header announces {header[1]} features."
            return ReadError.at(path, reason, line=number)
    return None


def _label_table(
    rows: list[tuple[float, ...]], announced: int | None, top_labels: int | None, path: Path
) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    counts = Counter(label for row in rows for label in set(row))
    if odd := [label for label in counts if not (label.is_integer() and label >= 0)]:
        raise ReadError.at(path, f"the label {odd[0]:g} is not a whole number of at least 0.")
    if announced is not None and counts and max(counts) >= announced:
        raise ReadError.at(path, f"label {max(counts):g} occurs, but the header announces {announced} labels from 0.")
    if not counts:
        raise ReadError.at(path, "no row has a label.")
    if top_labels is not None:
        chosen: Sequence[int] = sorted(sorted(map(int, counts), key=lambda label: (-counts[label], label))[:top_labels])
    else:
        chosen = range(announced) if announced is not None else sorted(map(int, counts))
    if len(chosen) > MAX_LABELS or len(rows) * len(chosen) > MAX_CELLS:
        reason = (
            f"{len(rows)} items x {len(chosen)} labels are more than {MAX_LABELS:,} labels or {MAX_CELLS:.0e} cells: "
        )
        raise ReadError.at(
            path, reason + "keep the most frequent labels only, by read_svmlight(path, top_labels=1000)."
        )
    column = {label: j for j, label in enumerate(chosen)}
    Y = np.zeros((len(rows), len(chosen)), dtype=np.int8)
    for i, row in enumerate(rows):
        Y[i, [column[int(label)] for label in row if label in column]] = 1
    return tuple(f"label{label}" for label in chosen), Y


FORMAT = TableFormat("svmlight", (".svm", ".svmlight", ".libsvm"), read_svmlight)
