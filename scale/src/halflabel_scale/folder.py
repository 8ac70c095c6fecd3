"""complete_folder(): a table in many files, completed part by part with a model that is fitted on its core."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import halflabel
from halflabel.plugins import atomic_write, plural, step
from halflabel_scale.core import Roles, choose_rows, read_rows
from halflabel_scale.part import COUNTS, Job, complete_part, read_record, save_core
from halflabel_scale.parts import AnyPath, Part, list_parts, unify_parts
from halflabel_scale.workers import check_workers, run_jobs

#: The folder of every file that is no part. Readers of folders pass over names that begin with an underscore.
FOLDER = "_halflabel"


@dataclass(frozen=True)
class FolderCompletion:
    """A completed folder."""

    out: Path
    #: One row per label: given and filled entries, and the number of filled entries that are expected to be wrong.
    counts: pd.DataFrame
    n_parts: int
    n_core: int  #: Number of rows that the model was fitted on.
    notes: tuple[str, ...]

    @property
    def model(self) -> Path:
        """The model, for ``halflabel predict`` and :func:`halflabel.load`."""
        return self.out / FOLDER / "core.halflabel"

    def describe(self) -> str:
        """Return a sentence about the filled entries."""
        yes, no, wrong = (round(self.counts[name].sum()) for name in COUNTS[2:])
        return (
            f"{plural(self.n_parts, 'part')} completed with a model of {plural(self.n_core, 'row')}: {yes} entries "
            f"filled in as relevant and {no} as irrelevant, about {wrong} of them are expected to be wrong."
        )


def complete_folder(
    items: AnyPath | Sequence[AnyPath],
    out: AnyPath,
    *,
    labels: Sequence[str] | None = None,
    tags: str | None = None,
    id: str | None = None,
    max_labelled: int = 50_000,
    max_unlabelled: int = 20_000,
    probabilities: AnyPath | None = None,
    report: AnyPath | None = None,
    workers: int | str = 1,
    **options: Any,
) -> FolderCompletion:
    """Complete a table in many files, of which a small part is in memory at any time.

    A first pass reads the label columns only. All labelled rows up to a limit, and a random sample of the unlabelled
    rows, are the *core*. A model is fitted on the core as by :func:`halflabel.complete`. A second pass completes each
    part and writes it under its name. Given entries stay. Rows of the core get the answers of the fit, and any other
    row gets the answers of :meth:`halflabel.Predictor.complete`. A run that was interrupted continues where it was if
    it is started again with the same arguments.

    Parameters
    ----------
    items : path or sequence of paths
        Parquet files: a folder (also with folders such as ``year=2024``, which state a column), a pattern such as
        ``"parts/*.parquet"``, or files. All parts have the same columns.
    out : path
        The folder of the completed parts.
    labels, tags, id : optional
        The label columns (names or patterns), or one column of tags; the column that identifies the rows.
    max_labelled, max_unlabelled : int
        Maximum number of rows of the core. They are chosen by a hash of the id, so that the order of rows and parts has
        no effect. Without an id, the hash is of the name of the part and the number of the row.
    probabilities : path, optional
        Another folder, for one Parquet file of probabilities per part.
    report : path, optional
        The report about the core, one HTML page. Only the begin of a run writes it.
    workers : int or str, default=1
        Number of processes, or the address of the scheduler of a Dask cluster whose workers see the same paths.
    **options
        Further arguments of :func:`halflabel.complete`, such as ``text``, ``absent``, ``effort`` and ``min_precision``
        (which needs label columns).

    Returns
    -------
    FolderCompletion

    Raises
    ------
    ValueError
        If parts have different columns, no row has a label, or the output folder is inside the input folder.
    FileExistsError
        If the output folder holds other files, or the output of another run.
    """
    check_workers(workers)
    _check_options(options, tags, max_labelled, max_unlabelled)
    parts, place = list_parts(items), Path(out).resolve()
    p_place = None if probabilities is None else Path(probabilities).resolve()
    _check_places(parts, place, p_place)
    described = {**options, "labels": labels, "tags": tags, "id": id, "core": (max_labelled, max_unlabelled)}
    settings = json.loads(json.dumps({**described, "probabilities": p_place}, default=str))
    run = {"halflabel": halflabel.__version__, "settings": settings, "parts": {p.name: p.digest() for p in parts}}
    begun = _read_run(place, run)
    schema = unify_parts(parts)
    if begun is None:
        roles = Roles.find(schema.names, labels, tags, id)
        rows = choose_rows(parts, schema, roles, max_labelled, max_unlabelled)
        frame = read_rows(parts, schema, rows)
        stated = {"tags": tags} if tags is not None else {"labels": list(roles.labels)}
        filled = halflabel.complete(frame, id=id, **stated, **options)
        begun = _begin(place, run, rows, filled, report, bounded=options.get("min_precision") is not None)
    elif report is not None and not Path(report).exists():
        raise FileNotFoundError(f"{report}: only the begin of a run writes a report: remove {out} to start again.")
    jobs = [
        Job(part, j, run["parts"][part.name], schema.serialize().to_pybytes(), place / FOLDER, place / part.name,
            None if p_place is None else p_place / part.name)
        for j, part in enumerate(parts)
    ]  # fmt: skip
    return _complete_parts(place, jobs, begun, workers)


def _check_options(options: dict[str, Any], tags: str | None, *sizes: int) -> None:
    """Raise for an argument that only makes sense for one table in memory."""
    if options.get("min_precision") is not None and tags is not None:
        raise ValueError("min_precision of a folder of parts needs label columns, not tags: leave it out.")
    for name in ("Y", "pairs", "prior", "sources", "review", "positive_only"):
        if options.get(name) is not None:
            raise ValueError(f"{name} is about one table in memory, not about a folder of parts: leave it out.")
    for name, size, lowest in zip(("max_labelled", "max_unlabelled"), sizes, (2, 0), strict=True):
        if size < lowest:
            raise ValueError(f"{name} must be at least {lowest}, not {size}.")


def _check_places(parts: Sequence[Part], place: Path, probabilities: Path | None) -> None:
    """Raise for folders that would mix with the input or with each other."""
    for part in parts:
        root, file = part.root.resolve(), part.path.resolve()
        if place == root or root in place.parents or place in file.parents:
            raise ValueError(f"{place} and the input {root} are one inside the other: name another folder.")
    if probabilities is not None and (probabilities == place or place in probabilities.parents):
        raise ValueError(f"{probabilities} is the folder of the completed parts or inside it: name another folder.")


def _read_run(place: Path, run: dict[str, Any]) -> dict[str, Any] | None:
    """Return the run that began in a folder, or None. Raise if it is another run or holds other files."""
    path = place / FOLDER / "run.json"
    if not path.exists():
        if place.exists() and any(each.name != FOLDER for each in place.iterdir()):
            raise FileExistsError(f"{place} is not empty, and no run of this command began it: name another folder.")
        return None
    begun: dict[str, Any] = json.loads(path.read_text())
    if other := [key for key in run if begun[key] != run[key]]:
        words = {"halflabel": "another version of halflabel", "settings": "other options", "parts": "other parts"}
        raise FileExistsError(
            f"{place} holds the output of a run with {words[other[0]]}: name another folder, or remove this one."
        )
    return begun


def _begin(
    place: Path, run: dict[str, Any], rows: pd.DataFrame, filled: Any, report: AnyPath | None, *, bounded: bool
) -> dict[str, Any]:
    """Write the core and then the description of the run, and return it."""
    folder = place / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    if report is not None:
        filled.report(report)
    save_core(folder, rows, filled, bounded=bounded)
    begun = {**run, "labels": list(filled.labels.names), "rows": len(rows), "notes": list(filled.notes)}
    with atomic_write(folder / "run.json") as file:
        file.write(json.dumps(begun, indent=1).encode())
    return begun


def _complete_parts(place: Path, jobs: Sequence[Job], begun: dict[str, Any], workers: int | str) -> FolderCompletion:
    """Complete the parts that are not finished, and return the sum of all counts."""
    left = [job for job in jobs if read_record(job) is None]
    for done, _ in enumerate(run_jobs(complete_part, left, workers), start=len(jobs) - len(left) + 1):
        step("completing parts", done, len(jobs))
    counts = np.sum([json.loads(job.record.read_text())["counts"] for job in jobs], axis=0)
    table = pd.DataFrame(counts.T, columns=list(COUNTS))
    table = table.astype(dict.fromkeys(COUNTS[:-1], np.int64))
    table.insert(0, "label", begun["labels"])
    with atomic_write(place / FOLDER / "labels.csv") as file:
        table.to_csv(file, index=False)
    return FolderCompletion(place, table, len(jobs), begun["rows"], tuple(begun["notes"]))
