"""The first pass: label columns only, part by part, from which the rows of the core are chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

from halflabel._arrays import Ints, Mask
from halflabel._digests import digest_file
from halflabel._wording import locate_rows, plural
from halflabel.files.delimited import check_same_columns
from halflabel.files.raw_table import ReadError
from halflabel.folders.part_files import PartFile, TextOptions, open_part
from halflabel.folders.parts import Part
from halflabel.labels.answers import fold_word
from halflabel.table import Description, Roles
from halflabel.table.cells import read_as_text
from halflabel.table.columns import Empty
from halflabel.table.label_words import find_meanings
from halflabel.table.labelling import read_known_labels
from halflabel.table.nothing import read_meaning
from halflabel.table.tag_cells import TagNotation, name_open_column

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Drawn:
    """The rows with the smallest hashes: a random sample that does not depend on the order of rows and parts."""

    size: int  #: Maximum number of rows.
    hashes: Hashes
    #: The number of the part, and of the row in it.
    parts: Ints
    rows: Ints

    @classmethod
    def draw(cls, size: int, hashes: Hashes, parts: Ints, rows: Ints) -> Drawn:
        """Keep at most ``size`` rows."""
        order = np.lexsort((rows, parts, hashes))[:size]
        return cls(size, hashes[order], parts[order], rows[order])

    def add(self, other: Drawn) -> Drawn:
        """Return the sample of both samples together."""
        new = np.ones(len(other.hashes), dtype=bool)
        if len(self.hashes) == self.size:  # most parts give few rows or none
            new = other.hashes <= self.hashes.max(initial=0)
        hashes = np.concatenate([self.hashes, other.hashes[new]])
        parts = np.concatenate([self.parts, other.parts[new]])
        return self.draw(self.size, hashes, parts, np.concatenate([self.rows, other.rows[new]]))


@dataclass(frozen=True, eq=False)
class Scan:
    """The results of the first pass over one part or several parts."""

    schemas: Mapping[int, pa.Schema]  #: By the number of the part.
    digests: Mapping[int, str]  #: The SHA-256 of each part.
    n_rows: int
    n_labelled: int
    labelled: Drawn
    unlabelled: Drawn

    def add(self, other: Scan) -> Scan:
        """Return the scan of both scans together."""
        return Scan(
            {**self.schemas, **other.schemas},
            {**self.digests, **other.digests},
            self.n_rows + other.n_rows,
            self.n_labelled + other.n_labelled,
            self.labelled.add(other.labelled),
            self.unlabelled.add(other.unlabelled),
        )


@dataclass(frozen=True, eq=False)
class ScanJob:
    """The description of a scan, which travels to a worker."""

    number: int  #: The number of the part.
    part: Part
    first: Part  #: The part whose columns all other parts must have.
    names: tuple[str, ...]  #: These columns.
    columns: Description  #: The stated roles, patterns expanded.
    options: TextOptions
    sizes: tuple[int, int]  #: Maximum number of labelled and of unlabelled rows of the core.


def scan_part(job: ScanJob) -> Scan:
    """Read the label columns of a part."""
    file = open_part(job.part, job.options)
    check_same_columns(job.part.path, file.names, job.first.path, job.names)
    chosen = [_scan_batch(job, file, table, first) for table, first in _number(file, _list_read(job, file))]
    parts = np.full(sum(len(labelled) for labelled, _ in chosen), job.number, dtype=np.intp)
    labelled = np.concatenate([np.zeros(0, dtype=bool), *(labelled for labelled, _ in chosen)])
    hashes = np.concatenate([np.zeros(0, dtype=np.uint64), *(hashes for _, hashes in chosen)])
    drawn = [
        Drawn.draw(size, hashes[where], parts[where], np.flatnonzero(where))
        for size, where in zip(job.sizes, (labelled, ~labelled), strict=True)
    ]
    digests = {job.number: digest_file(job.part.path)}
    return Scan({job.number: file.schema}, digests, len(labelled), int(labelled.sum()), *drawn)


def check_scan(scan: Scan, parts: Sequence[Part]) -> None:
    """Raise if the table has no labelled row."""
    if not scan.n_labelled:
        raise ReadError.at(
            parts[0].path,
            f"no row of {plural(len(parts), 'part')} ({plural(scan.n_rows, 'row')}) has a label: fill in at least a "
            "few entries (1 = has it, 0 = does not have it, empty = unknown).",
        )


def _list_read(job: ScanJob, file: PartFile) -> list[str]:
    """Return the columns that the first pass reads."""
    columns = job.columns
    tags = [] if columns.tags is None else [columns.tags, name_open_column(columns.tags)]
    ids = [] if columns.id is None else [columns.id]
    wanted = [*(columns.labels or ()), *tags, *ids]
    return [name for name in dict.fromkeys(wanted) if name in file.names]


def _number(file: PartFile, kept: Sequence[str]) -> Any:
    """Yield batches with the number of their first row."""
    first = 0
    for table in file.batches(kept):
        yield table, first
        first += table.num_rows


def _scan_batch(job: ScanJob, file: PartFile, table: pa.Table, first: int) -> tuple[Mask, Hashes]:
    """Return which rows are labelled, and the hashes of all rows."""
    columns, as_text = job.columns, [] if job.columns.id is None else [job.columns.id]
    frame = file.to_frame(table, as_text)
    with locate_rows(lambda row: (first + row, file.find_first_line(), "")), name_part(job.part):
        labelled = _find_labelled(frame, columns) if columns.tags is None else _find_tagged(frame, columns)
    return labelled, hash_rows(job.part, frame, columns.id, first)


def _find_labelled(frame: pd.DataFrame, columns: Description) -> Mask:
    names = tuple(columns.labels or ())
    absent, meanings = columns.absent or "irrelevant", find_meanings(columns)
    roles = Roles(labels=names)
    return read_known_labels(frame, roles, names, absent=absent, empty=columns.empty, meanings=meanings).annotated


def _find_tagged(frame: pd.DataFrame, columns: Description) -> Mask:
    """Return the rows with tags, and also rows with an empty cell if the user stated that they have no tags."""
    if columns.empty == "none":
        return np.ones(len(frame), dtype=bool)
    notation = TagNotation(no=tuple(map(fold_word, columns.no)), unknown=tuple(map(fold_word, columns.unknown)))
    missing = np.array([_has_no_tag(cell, columns.empty, notation) for cell in frame[str(columns.tags)]], dtype=bool)
    still_open = frame.get(name_open_column(str(columns.tags)))
    still = np.zeros(len(frame), dtype=bool) if still_open is None else still_open.notna().to_numpy(dtype=bool)
    return np.asarray(~missing | still)


def _has_no_tag(cell: Any, empty: Empty | None, notation: TagNotation) -> bool:
    """Return whether a cell, a string or a list, is an unlabelled item."""
    if isinstance(cell, str | list | tuple | np.ndarray):
        return read_meaning(notation.read_parts(cell), empty) is None
    return bool(pd.isna(cell))


@contextmanager
def name_part(part: Part) -> Iterator[None]:
    """Let an error inside the block name the file of a part."""
    try:
        yield
    except ReadError:
        raise
    except ValueError as error:
        raise ReadError.at(part.path, str(error)) from None


def hash_rows(part: Part, frame: pd.DataFrame, id: str | None, first: int) -> Hashes:
    """Return a hash for each row: of its id, or of the name of its part and its number."""
    if id is not None:
        return _mix(pd.util.hash_array(read_as_text(frame[id])))
    start = pd.util.hash_array(np.array([part.name], dtype=object))
    return _mix((start + np.arange(first, first + len(frame), dtype=np.uint64)).astype(np.uint64))


def _mix(values: Hashes) -> Hashes:
    """Return values with all bits mixed (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
