"""The core: the rows that a model is fitted on, its answers for them, and the data to complete all other rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints
from halflabel._digests import DamagedFile, digest_file, is_intact
from halflabel._files import atomic_write, together
from halflabel._wording import Place, locate_rows
from halflabel.completion import Completion
from halflabel.completion.model_file import Predictor, load
from halflabel.evidence.suspects import FlipRates
from halflabel.files.bounded import join_names
from halflabel.files.raw_table import RawTable
from halflabel.folders.part_files import TextFile, TextOptions, decode, open_part
from halflabel.folders.parts import Part
from halflabel.folders.scan import Scan
from halflabel.labels import PartialLabels
from halflabel.table import Description, OpenTable, open_table
from halflabel.table.sources import Source

#: Files of a core: the model, the answers for its rows, and all other data.
MODEL, ANSWERS, NOTES = "core.halflabel", "core.npz", "core.json"


@dataclass(frozen=True, eq=False)
class Rows:
    """The origin of the rows of the core, in the order of their hashes."""

    parts: Ints  #: The number of the part of each row.
    rows: Ints  #: Its number in the part.

    @classmethod
    def choose(cls, scan: Scan) -> Rows:
        """Return the labelled and the unlabelled rows that were drawn."""
        drawn = (scan.labelled, scan.unlabelled)
        order = np.argsort(np.concatenate([each.hashes for each in drawn]), kind="stable")
        parts, rows = (np.concatenate([getattr(each, name) for each in drawn])[order] for name in ("parts", "rows"))
        return cls(parts, rows)


@dataclass(frozen=True, eq=False)
class Core:
    """The model and the data that a worker needs."""

    predictor: Predictor
    schema: pa.Schema  #: The types of the columns of all parts.
    #: By label, the two values of a filled gap in a file: irrelevant and relevant.
    cells: Mapping[str, tuple[Any, Any]]
    flips: FlipRates  #: How often a value is given wrongly, estimated on the core.
    #: Shape (2, n_labels). With a precision: the highest probability of an entry that is filled in as irrelevant,
    #: and the lowest one as relevant. None fills every entry.
    cutoffs: Floats | None
    #: The answers of the fit for its own rows, by the name of the part. -1 where an entry is left empty.
    answers: Mapping[str, tuple[Ints, NDArray[np.int8], Floats]]

    def leave_unsure(self, relevant: Ints, p: Floats, labels: PartialLabels) -> Ints:
        """Return the completed labels with -1 for entries that do not reach the precision, if one was asked for."""
        if self.cutoffs is None:
            return relevant
        low, high = self.cutoffs
        sure = np.select([p <= low, p >= high], [-1, 1], 0).astype(np.int8)
        filled = np.where(labels.observed, labels.state, sure)
        filled = self.predictor.corrected.valid_rows.leave_open(filled, labels.state)
        return np.where(labels.observed, relevant, np.where(filled == 0, -1, filled > 0))

    def find_answers(self, part: str, first: int, n: int) -> tuple[Ints, NDArray[np.int8], Floats]:
        """Return positions, values and probabilities of the rows of a batch that the model was fitted on."""
        rows, relevant, p = self.answers.get(part, (np.zeros(0, dtype=np.intp), None, None))
        low, high = np.searchsorted(rows, [first, first + n])
        if relevant is None or p is None:
            n_labels = len(self.predictor.label_names)
            return rows, np.zeros((0, n_labels), dtype=np.int8), np.zeros((0, n_labels))
        return rows[low:high] - first, relevant[low:high], p[low:high]


def read_core(
    parts: Sequence[Part], schema: pa.Schema, rows: Rows, columns: Description, options: TextOptions
) -> OpenTable:
    """Read the rows of the core with all their columns, and give each column its role."""
    tables, order = [], []
    for number, part in enumerate(parts):
        at = np.flatnonzero(rows.parts == number)
        at = at[np.argsort(rows.rows[at])]
        if len(at):
            taken = pa.concat_tables(_take_rows(part, options, rows.rows[at])).select(schema.names)
            tables.append(decode(taken).cast(schema))
            order.append(at)
    cells = pa.concat_tables(tables).take(np.argsort(np.concatenate(order)))
    first = open_part(parts[0], options)
    frame = first.to_frame(cells)
    for j, (name, _) in enumerate(parts[0].partition):
        if name not in frame:
            frame[name] = [parts[number].partition[j][1] for number in rows.parts]
    if columns.id is None:
        frame.index = pd.Index([f"{parts[j].name}:{row}" for j, row in zip(rows.parts, rows.rows, strict=True)])
    form = first.with_cells(cells) if isinstance(first, TextFile) else None
    where = join_names(*(part.path for part in parts))

    def find_place(row: int) -> Place:
        part = parts[rows.parts[row]]
        return rows.rows[row], open_part(part, options).find_first_line(), part.name

    with locate_rows(find_place):
        return open_table(Source(RawTable(frame, None, (), (), where, "", form=form)), **columns.stated)


def _take_rows(part: Part, options: TextOptions, rows: Ints) -> Iterator[pa.Table]:
    """Yield the rows of these numbers, which are sorted."""
    first = 0
    for table in open_part(part, options).batches():
        low, high = np.searchsorted(rows, [first, first + table.num_rows])
        if high > low:
            yield table.take(rows[low:high] - first)
        first += table.num_rows


def save_core(folder: Path, filled: Completion, parts: Sequence[Part], rows: Rows, schema: pa.Schema) -> None:
    """Write the model and all other data of a core. The files appear together."""
    relevant = np.where(filled.state == 0, -1, filled.state > 0).astype(np.int8)
    labels, p = filled.labels, filled.evidence.probabilities
    flips = FlipRates(0.0, 0.0) if labels.positive_only else FlipRates.estimate_by_label(labels, p)
    notes = {
        "cells": _choose_cells(filled),
        "flips": np.stack([flips.false_relevant, flips.false_irrelevant]).tolist(),
        "cutoffs": _find_cutoffs(filled),
        "schema": schema.serialize().to_pybytes().hex(),
        "parts": [part.name for part in parts],
    }
    with together():
        filled.save(folder / MODEL)
        with atomic_write(folder / ANSWERS) as file:
            np.savez(file, parts=rows.parts, rows=rows.rows, relevant=relevant, p=p.astype(np.float32))
        with atomic_write(folder / NOTES, "w") as file:
            json.dump(notes, file)


def digest_core(folder: Path) -> tuple[tuple[str, str], ...]:
    """Return the files of a core with the SHA-256 of each."""
    return tuple((name, digest_file(folder / name)) for name in (MODEL, ANSWERS, NOTES))


def check_core(folder: Path, digests: Iterable[tuple[str, str]]) -> None:
    """Raise if a file of a core differs from the description of :func:`digest_core`."""
    for name, digest in digests:
        if not is_intact(folder / name, digest):
            raise DamagedFile(
                f"{folder / name} is missing or damaged, and the run cannot continue without it: remove "
                f"{folder.parent} to start again."
            )


@lru_cache(maxsize=1)
def load_core(folder: Path, digests: tuple[tuple[str, str], ...]) -> Core:
    """Return the core of a run from its files. A worker that completes several parts of the run reads them once."""
    check_core(folder, digests)
    notes = json.loads((folder / NOTES).read_text(encoding="utf-8"))
    with np.load(folder / ANSWERS, allow_pickle=False) as file:
        answers = {name: file[name] for name in file.files}
    return Core(
        load(folder / MODEL),
        pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(notes["schema"]))),
        {name: (pair[0], pair[1]) for name, pair in notes["cells"].items()},
        FlipRates(*np.array(notes["flips"])),
        None if notes["cutoffs"] is None else np.array(notes["cutoffs"]),
        _split_answers(notes["parts"], **answers),
    )


def _split_answers(names: Sequence[str], parts: Ints, rows: Ints, relevant: Any, p: Any) -> dict[str, Any]:
    """Return the answers by the name of the part, in the order of its rows."""
    order = np.lexsort((rows, parts))
    bounds = np.searchsorted(parts[order], np.arange(len(names) + 1))
    return {
        name: (rows[at], relevant[at], p[at].astype(np.float64))
        for name, low, high in zip(names, bounds, bounds[1:], strict=False)
        if len(at := order[low:high])
    }


def _find_cutoffs(filled: Completion) -> list[list[float]] | None:
    """Return the probabilities from which on entries of the core were filled in, where a precision decided."""
    if filled.evidence.min_precision is None:
        return None
    gaps, p = ~filled.labels.observed, filled.evidence.probabilities
    low = np.where(gaps & (filled.state < 0), p, -1.0).max(axis=0)
    high = np.where(gaps & (filled.state > 0), p, 2.0).min(axis=0)
    return [low.tolist(), high.tolist()]


def _choose_cells(filled: Completion) -> dict[str, tuple[Any, Any]]:
    """Return the values of a filled gap of each label column: its words, or numbers as the column writes them."""
    if filled.opened.roles.tags is not None:
        return {}
    words, form = filled.predictor.words, filled.opened.form
    if form is None or form.cells is None:
        return {name: words.get(name, (0, 1)) for name in filled.labels.names}
    return {
        name: tuple(map(str, words[name])) if name in words else _spell_numbers(form.cells.column(name))  # type: ignore[misc]
        for name in filled.labels.names
    }


def _spell_numbers(cells: pa.ChunkedArray) -> tuple[str, str]:
    """Return how a column of text writes 0 and 1, such as 0.0 and 1.0."""
    texts = Counter(cells.drop_null().to_pylist()).most_common()
    spelled = {value: text for text, _ in reversed(texts) if (value := float(text.replace(",", "."))) in (0.0, 1.0)}
    zero, one = spelled.get(0.0), spelled.get(1.0)
    other = (one or "1").replace("1", "0", 1) if zero is None else zero
    return other, one or other.replace("0", "1", 1)
