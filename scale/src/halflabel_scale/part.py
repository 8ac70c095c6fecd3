"""One part: read in batches, completed with the model of the core, and written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute, parquet

from halflabel import Predictor, load
from halflabel.plugins import atomic_write, together
from halflabel_scale.parts import Part, digest_file

#: Counts of each label. "expected_wrong" is the expected number of wrong filled entries.
COUNTS = ("given_relevant", "given_irrelevant", "filled_relevant", "filled_irrelevant", "expected_wrong")


@dataclass(frozen=True)
class Job:
    """The description of a part to complete, which travels to a worker."""

    part: Part
    number: int
    digest: str  #: The SHA-256 of the part when the run began.
    schema: bytes
    folder: Path  #: The folder of the core.
    target: Path
    probabilities: Path | None

    @property
    def record(self) -> Path:
        """The file that appears after the part: the digests of both, and the counts."""
        return self.folder / "records" / f"{self.part.name}.json"


def complete_batches(
    batches: Iterable[pd.DataFrame], model: str | os.PathLike[str], *, probabilities: bool = False
) -> Iterator[pd.DataFrame]:
    """Yield each batch with its gaps filled, for engines that map a function over batches.

    Parameters
    ----------
    batches : iterable of DataFrame
        Batches with the columns of the table that the model was learned from.
    model : path
        Written by :meth:`halflabel.Completion.save` or :func:`complete_folder`. Each worker reads it once.
    probabilities : bool, default=False
        Whether to add a column ``p_<label>`` for each label.

    Examples
    --------
    With Spark, the schema of the result is the schema of the table::

        from functools import partial

        complete = partial(complete_batches, model="/shared/songs.halflabel")
        spark.read.parquet("songs").mapInPandas(complete, schema="song string, tempo double, rock long")
    """
    predictor = _load(os.fspath(model), os.path.getmtime(model))
    for batch in batches:
        table, p = predictor.complete_both(batch)
        yield table.assign(**p.add_prefix("p_").set_axis(table.index)) if probabilities else table


@lru_cache(maxsize=1)
def _load(path: str, modified: float) -> Predictor:
    """Return a model that is read once, and read again after its file changes."""
    return load(path)


@lru_cache(maxsize=1)
def _load_answers(path: str, modified: float) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the completed rows of the core, and the bounds of a precision."""
    folder = Path(path)
    return pd.read_parquet(folder / "core.parquet"), json.loads((folder / "core.json").read_text())


def complete_part(job: Job) -> None:
    """Complete a part, write it, and then its record."""
    model = job.folder / "core.halflabel"
    predictor = _load(str(model), model.stat().st_mtime)
    schema = pa.ipc.read_schema(pa.py_buffer(job.schema))
    own = parquet.read_schema(job.part.path).names
    written = pa.schema([schema.field(name) for name in own])
    counts, first = np.zeros((len(COUNTS), len(predictor.label_names))), 0
    for path in (job.record, job.target, *([job.probabilities] if job.probabilities else [])):
        path.parent.mkdir(parents=True, exist_ok=True)
    with together(), ExitStack() as stack:
        file = stack.enter_context(atomic_write(job.target))
        writer = stack.enter_context(parquet.ParquetWriter(file, written, compression="ZSTD"))
        write_p = _open_probabilities(job, predictor, stack)
        for table in job.part.batches(schema):
            completed, p, batch_counts = _complete_batch(job, predictor, table, first)
            writer.write_table(completed.select(own))
            write_p(p)
            counts, first = counts + batch_counts, first + table.num_rows
        if job.part.digest() != job.digest:
            raise ValueError(f"{job.part.path} has changed since the run began: remove {job.folder.parent}.")
    _write_record(job, counts)


def _write_record(job: Job, counts: Any) -> None:
    outputs = {str(path): digest_file(path) for path in (job.target, job.probabilities) if path is not None}
    with atomic_write(job.record) as file:
        file.write(json.dumps({"input": job.digest, "outputs": outputs, "counts": counts.tolist()}).encode())


def read_record(job: Job) -> dict[str, Any] | None:
    """Return the record of a finished part, or None if the part, its input or its record is not what it was."""
    try:
        record: dict[str, Any] = json.loads(job.record.read_text())
        whole = all(digest_file(Path(path)) == digest for path, digest in record["outputs"].items())
    except (FileNotFoundError, ValueError, KeyError):
        return None
    wanted = {str(path) for path in (job.target, job.probabilities) if path is not None}
    return record if whole and record["input"] == job.digest and {*record["outputs"]} == wanted else None


def _open_probabilities(job: Job, predictor: Predictor, stack: ExitStack) -> Any:
    """Return a function that writes probabilities as Parquet. Without a path it does nothing."""
    if job.probabilities is None:
        return lambda p: None
    schema = pa.schema([("item", pa.string()), *((name, pa.float32()) for name in predictor.label_names)])
    file = stack.enter_context(atomic_write(job.probabilities))
    writer = stack.enter_context(parquet.ParquetWriter(file, schema, compression="ZSTD", use_dictionary=False))

    def write(p: pd.DataFrame) -> None:
        columns = [p.index.astype(str), *(p[name].astype(np.float32) for name in p.columns)]
        writer.write_table(pa.table([pa.array(column) for column in columns], schema))

    return write


def _complete_batch(job: Job, predictor: Predictor, table: pa.Table, first: int) -> tuple[pa.Table, pd.DataFrame, Any]:
    """Return a batch with its gaps filled, its probabilities, and its counts. Rows of the core keep their answers."""
    try:
        frame = table.to_pandas()
        completed, p = predictor.complete_both(frame)
    except ValueError as error:
        raise ValueError(f"{job.part.name}, rows from {first}: {error}") from None
    answers, notes = _load_answers(str(job.folder), (job.folder / "core.json").stat().st_mtime)
    roles = predictor.roles
    columns = [roles.tags] if roles.tags is not None else list(predictor.label_names)
    _leave_unsure(completed, frame, p, notes["bounds"])
    own = answers[(answers["part"] == job.number) & answers["row"].between(first, first + len(frame) - 1)]
    at = own["row"].to_numpy() - first
    for name in columns:
        cells = completed[name].astype(object)
        cells.iloc[at] = own[f"cell {name}"].to_numpy()
        completed[name] = cells
    p.iloc[at] = own[[f"p {name}" for name in p.columns]].to_numpy()
    counts = _count(predictor.read_labels(frame), predictor.read_labels(completed), p.to_numpy())
    for name in columns:
        table = _replace(table, name, completed[name])
    return table, p, counts


def _leave_unsure(completed: pd.DataFrame, frame: pd.DataFrame, p: pd.DataFrame, bounds: Any) -> None:
    """Empty the filled entries that do not reach the precision, if one was asked for."""
    for name, (low, high) in bounds.items():
        unsure = completed[name].ne(frame[name]).to_numpy() & (p[name] > low).to_numpy() & (p[name] < high).to_numpy()
        completed[name] = completed[name].astype(object).mask(unsure, None)


def _count(given: Any, completed: Any, p: Any) -> Any:
    gaps = ~given.observed
    yes, no = gaps & completed.relevant, gaps & (completed.state < 0)
    wrong = np.where(yes, 1 - p, np.where(no, p, 0.0))
    return np.array([part.sum(axis=0) for part in (given.relevant, given.state < 0, yes, no, wrong)], dtype=float)


def _replace(table: pa.Table, name: str, cells: pd.Series[Any]) -> pa.Table:
    """Return a batch with the cells of a column. A given number keeps its type, a given cell its bytes."""
    at = table.schema.get_field_index(name)
    field, given = table.schema.field(at), table.column(at).combine_chunks()
    new = pa.array(cells, from_pandas=True)
    if pa.types.is_boolean(field.type) and not pa.types.is_boolean(new.type):
        new = new.cast(pa.int8(), safe=False)
    new = new.cast(field.type)
    if not (pa.types.is_string(field.type) or pa.types.is_large_string(field.type) or pa.types.is_nested(field.type)):
        new = compute.if_else(compute.is_null(given, nan_is_null=True), new, given)
    return table.set_column(at, field, new)


def save_core(folder: Path, rows: pd.DataFrame, filled: Any, *, bounded: bool) -> None:
    """Write the model, the completed rows of the core, and the bounds of a precision if one was asked for."""
    names = list(filled.labels.names)
    tags = filled.predictor.roles.tags
    cells = {f"cell {name}": filled.table[name].to_numpy() for name in ([tags] if tags is not None else names)}
    p = {f"p {name}": filled.probabilities[name].to_numpy() for name in names}
    with together():
        filled.save(folder / "core.halflabel")
        with atomic_write(folder / "core.parquet") as file:
            rows.assign(**cells, **p).to_parquet(file, index=False)
        with atomic_write(folder / "core.json") as file:
            file.write(json.dumps({"bounds": _find_bounds(filled) if bounded else {}}).encode())


def _find_bounds(filled: Any) -> dict[str, tuple[float, float]]:
    """Return by label the highest probability of an entry filled as irrelevant, and the lowest one as relevant."""
    p, gaps = filled.probabilities.to_numpy(), ~filled.labels.observed
    low = np.where(gaps & (filled.state < 0), p, -np.inf).max(axis=0)
    high = np.where(gaps & (filled.state > 0), p, np.inf).min(axis=0)
    return {name: (float(a), float(b)) for name, a, b in zip(filled.labels.names, low, high, strict=True)}
