"""The second pass: one part is read in batches, completed and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray
from pyarrow import compute, parquet
from threadpoolctl import threadpool_limits

from halflabel._arrays import Floats, Ints
from halflabel._digests import DamagedFile, digest_file, is_intact, read_object, write_object
from halflabel._files import atomic_write, together
from halflabel._wording import locate_rows
from halflabel.folders.model_sample import Core, load_core
from halflabel.folders.part_files import PartFile, TextOptions, decode, open_part
from halflabel.folders.parts import Part
from halflabel.folders.scan import name_part
from halflabel.folders.totals import Totals, count_batch
from halflabel.labels import PartialLabels
from halflabel.table import fill_tags
from halflabel.table.cells import read_as_text
from halflabel.table.tag_cells import TagNotation, name_open_column


@dataclass(frozen=True)
class Output:
    """A file that waits in a folder until all parts are finished."""

    #: Where it waits, and its place in the end.
    staged: Path
    final: Path

    def find(self) -> Path:
        """Return where the file is."""
        return self.staged if self.staged.exists() else self.final


@dataclass(frozen=True, eq=False)
class Job:
    """The description of a part to complete, which travels to a worker."""

    part: Part
    digest: str  #: The SHA-256 of the part when the run began.
    run_id: str
    core: Path  #: The folder of the core.
    core_digests: tuple[tuple[str, str], ...]  #: Its files, each with its SHA-256.
    target: Output  #: Where the part is written.
    probabilities: Output | None  #: Where the probabilities are written.
    record: Path  #: The file for the totals and the digests of the other files. It appears after these files.
    options: TextOptions

    @property
    def outputs(self) -> list[Output]:
        """All outputs of the part."""
        return [self.target] if self.probabilities is None else [self.target, self.probabilities]

    @property
    def identity(self) -> dict[str, str]:
        """The values that a record shares with the job that wrote it."""
        return {"run": self.run_id, "part": self.part.name, "input": self.digest}


def complete_part(job: Job) -> Totals:
    """Complete a part, write it and then its record, and return its totals."""
    core = load_core(job.core, job.core_digests)
    file = open_part(job.part, job.options)
    schema = _choose_schema(core, file)
    totals, first = Totals.empty(len(core.predictor.label_names)), 0
    for path in (job.record, *(output.staged for output in job.outputs)):
        path.parent.mkdir(parents=True, exist_ok=True)
    # One thread and fixed batches: the bytes of a part do not depend on the number of workers.
    with threadpool_limits(1), together():
        p_path = None if job.probabilities is None else job.probabilities.staged
        with file.writer(job.target.staged, schema) as writer, _open_probabilities(p_path, core) as write_p:
            for table in file.batches():
                batch = _complete_batch(core, job.part, file, table, first)
                writer.write_table(batch.fill(core, table.cast(schema)))
                write_p(batch.ids, batch.p)
                totals, first = totals.add(batch.count(core, job.part, first)), first + table.num_rows
        if not is_intact(job.part.path, job.digest):
            raise ValueError(
                f"{job.part.path} has changed since the run began: remove {job.core.parent}, and start again when no "
                "other program writes the parts."
            )
    digests = [digest_file(output.staged) for output in job.outputs]
    write_object(job.record, {**job.identity, "outputs": digests, "totals": totals.to_plain()})
    return totals


class State(StrEnum):
    """The state of the files of a part when a run continues."""

    FINISHED = "finished"
    OPEN = "open"
    CHANGED = "changed"


def check_part(job: Job) -> tuple[str, State]:
    """Return the name of a part and its state."""
    return job.part.name, _find_state(job)


def _find_state(job: Job) -> State:
    """Return the state of a part by the content of its files. A damaged part is completed again."""
    if not is_intact(job.part.path, job.digest):
        return State.CHANGED
    try:
        record = read_object(job.record)
    except (FileNotFoundError, DamagedFile):
        return State.OPEN
    if any(record.get(key) != value for key, value in job.identity.items()):  # a record of another run or part
        return State.OPEN
    found = [output.find() for output in job.outputs]
    is_finished = all(map(is_intact, found, record["outputs"])) and len(found) == len(record["outputs"])
    return State.FINISHED if is_finished else State.OPEN


def read_totals(job: Job) -> Totals:
    """Return the totals of a finished part."""
    return Totals.from_plain(read_object(job.record)["totals"])


def _choose_schema(core: Core, file: PartFile) -> pa.Schema:
    """Return the schema of a completed part: the schema of the part, with one type for each label in all parts."""
    roles = core.predictor.roles
    fields = []
    for field in file.schema:
        if field.name in core.predictor.label_names or field.name in (roles.tags, name_open_column(roles.tags or "")):
            field = core.schema.field(field.name)
        fields.append(field)
    return pa.schema(fields, file.schema.metadata)


@dataclass(frozen=True, eq=False)
class _Batch:
    """The rows of a batch, completed."""

    frame: pd.DataFrame  #: The columns that the model reads.
    ids: NDArray[np.object_]
    labels: PartialLabels  #: The given labels.
    #: Shape (n_rows, n_labels). The completed labels as 0/1 (-1: left empty), and their probabilities.
    relevant: Ints
    p: Floats

    def fill(self, core: Core, table: pa.Table) -> pa.Table:
        """Return the rows as they were read, their gaps filled."""
        if core.predictor.roles.tags is None:
            return _fill_labels(core, table, self.labels, self.relevant)
        return _fill_tags(core, self.frame[core.predictor.roles.tags], table, self.labels, self.relevant)

    def count(self, core: Core, part: Part, first: int) -> Totals:
        """Return the totals of the rows."""
        where: dict[str, Any] = {"ids": self.ids, "part": part.name, "first": first}
        return count_batch(self.labels, self.relevant, self.p, flips=core.flips, **where)


def _complete_batch(core: Core, part: Part, file: PartFile, table: pa.Table, first: int) -> _Batch:
    """Predict the gaps of a batch. Rows of the core get the answers of the fit."""
    predictor = core.predictor
    with name_part(part), locate_rows(lambda row: (first + row, file.find_first_line(), "")):
        frame = read_frame(core, part, file, table)
        labels = predictor.read_labels(frame)
        relevant, p = predictor.corrected.complete_both(predictor.encoder.transform(frame), labels)
    at, own_values, own_p = core.find_answers(part.name, first, len(frame))
    relevant = core.leave_unsure(relevant, p, labels)
    relevant[at], p[at] = own_values, own_p
    return _Batch(frame, _name_items(core, part, frame, first), labels, relevant, p)


def read_frame(core: Core, part: Part, file: PartFile, table: pa.Table) -> pd.DataFrame:
    """Return the columns of a batch that the model reads, as values."""
    roles = core.predictor.roles
    single = (roles.id, roles.tags, roles.text, name_open_column(roles.tags or ""))
    needed = {*roles.features, *core.predictor.label_names, *single}
    kept = [name for name in table.column_names if name in needed]
    as_text = [*roles.categorical, *(name for name in single if name is not None)]
    chosen = table.select(kept)
    if not part.is_text:
        chosen = decode(chosen).cast(pa.schema([core.schema.field(name) for name in kept]))
    frame = file.to_frame(chosen, as_text)
    return frame.assign(**{name: value for name, value in part.partition if name not in table.column_names})


def _name_items(core: Core, part: Part, frame: pd.DataFrame, first: int) -> Any:
    """Return the ids of items as strings. An item without id gets the name of the part and the number of the row."""
    id = core.predictor.roles.id
    if id is not None:
        return read_as_text(frame[id])
    return np.array([f"{part.name}:{row}" for row in range(first, first + len(frame))], dtype=object)


def _fill_labels(core: Core, table: pa.Table, labels: PartialLabels, relevant: Ints) -> pa.Table:
    """Return a batch with the gaps of its label columns filled. All other cells are as in the file."""
    for j, name in enumerate(labels.names):
        at = table.schema.get_field_index(name)
        field, given = table.schema.field(at), table.column(at).combine_chunks()
        new = pa.array(core.cells[name]).cast(field.type).take(pa.array(np.maximum(relevant[:, j], 0)))
        is_filled = ~labels.observed[:, j] & (relevant[:, j] >= 0)
        table = table.set_column(at, field, compute.if_else(pa.array(is_filled), new, given))
    return table


def _fill_tags(core: Core, given: Any, table: pa.Table, labels: PartialLabels, relevant: Ints) -> pa.Table:
    """Return a batch with its column of tags filled. A cell without a new tag is as in the file."""
    tags, notation = str(core.predictor.roles.tags), core.predictor.notation or TagNotation()
    filled = fill_tags(given.astype(object), labels, relevant.astype(np.float64), notation)
    added = (~labels.relevant & (relevant == 1)).any(axis=1)
    changed = [new or notation.read(cell) is None for new, cell in zip(added, given, strict=True)]
    at, undecided = table.schema.get_field_index(tags), table.schema.get_field_index(name_open_column(tags))
    field = table.schema.field(at)
    cells = pa.array([cell if new else None for cell, new in zip(filled, changed, strict=True)], field.type)
    table = table.set_column(at, field, compute.if_else(pa.array(changed), cells, table.column(at).combine_chunks()))
    if undecided >= 0:
        field = table.schema.field(undecided)
        table = table.set_column(undecided, field, pa.nulls(table.num_rows, field.type))
    return table


@contextmanager
def _open_probabilities(path: Path | None, core: Core) -> Iterator[Callable[[Any, Floats], None]]:
    """Yield a function that writes ids and probabilities as Parquet. Without a path it does nothing."""
    if path is None:
        yield lambda ids, p: None
        return
    names = core.predictor.label_names
    columns = [(core.predictor.roles.id or "item", pa.string()), *((name, pa.float32()) for name in names)]
    schema = pa.schema(columns)
    options = {"compression": "ZSTD", "use_dictionary": False}  # nearly all values are distinct
    with atomic_write(path) as file, parquet.ParquetWriter(file, schema, **options) as writer:
        yield lambda ids, p: writer.write_table(pa.table([ids, *p.T.astype(np.float32)], schema))
