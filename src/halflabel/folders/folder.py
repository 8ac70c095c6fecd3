"""complete_folder(): a table in many files, completed part by part with a model that is fitted on its core."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from halflabel._digests import digest_file, write_object
from halflabel._files import together
from halflabel._progress import step
from halflabel._wording import closest, option
from halflabel.completion.filling import check_effort, choose_rule
from halflabel.files.reading import write_frame
from halflabel.folders.complete_part import Job, Output, State, check_part, complete_part, read_totals
from halflabel.folders.manifest import (
    Places,
    check_apart,
    check_finished,
    check_out,
    check_same_run,
    check_unchanged,
    lock_folder,
    publish,
    read_manifest,
)
from halflabel.folders.model_sample import check_core
from halflabel.folders.part_files import TextOptions
from halflabel.folders.parts import AnyPath, Part, list_parts
from halflabel.folders.result import FolderCompletion
from halflabel.folders.schedulers import check_scheduler, run_jobs
from halflabel.folders.start import Plan, begin_run, check_columns
from halflabel.folders.totals import Totals
from halflabel.labels.positive_only import require_observed_rate
from halflabel.labels.rules import Rule
from halflabel.table.columns import OF_FOLDER, Description

#: Maximum number of labelled and of unlabelled rows of the core.
MAX_LABELLED, MAX_UNLABELLED = 50_000, 20_000


def complete_folder(
    items: AnyPath | Sequence[AnyPath],
    out: AnyPath,
    *,
    effort: str = "default",
    min_precision: float | None = None,
    rule: str | Rule | None = None,
    observed_rate: float | None = None,
    random_state: int | None = 0,
    max_labelled: int = MAX_LABELLED,
    max_unlabelled: int = MAX_UNLABELLED,
    probabilities: AnyPath | None = None,
    report: AnyPath | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    skip_rows: str | None = None,
    **columns: Any,
) -> FolderCompletion:
    """Complete a table in many files, of which a small part is in memory at any time.

    A first pass reads the label columns only. All labelled rows up to a limit, and a random sample of the unlabelled
    rows, are the *core*. A model is fitted on the core as by :func:`halflabel.complete`. A second pass completes each
    part and writes it under its name. Given entries stay. Rows of the core get the answers of the fit, and any other
    row gets the answers of :meth:`halflabel.Predictor.complete`. Columns that hold no labels are copied.

    A run that was interrupted continues where it was if it is started again with the same arguments. The result is
    the same. Parts appear in the folder when the last one is done.

    Parameters
    ----------
    items : path or sequence of paths
        Parquet files or delimited text: a folder (also with folders such as ``year=2024``, which state a column), a
        pattern such as ``"parts/*.parquet"``, or files. All parts have the same columns.
    out : path
        The folder of the completed parts.
    effort, rule, observed_rate, random_state
        As in :func:`halflabel.complete`.
    min_precision : float in (0.5, 1), optional
        Fill only the entries that reach this expected precision, label by label. The probabilities from which on
        entries are filled come from the core. Only for label columns.
    max_labelled, max_unlabelled : int
        Maximum number of rows of the core. They are chosen by a hash of the id, so that the order of rows and parts has
        no effect. Without an id, the hash is of the name of the part and the number of the row.
    probabilities : path, optional
        Another folder, for one Parquet file of probabilities per part.
    report : path, optional
        The report about the core, one HTML page.
    workers : int, default=1
        Number of processes.
    scheduler : str, optional
        Address of the scheduler of a Dask cluster whose workers see the same paths, such as ``"tcp://host:8786"``.
    delimiter, encoding : str, optional
        The notation of delimited text. The default recognises it.
    skip_rows : str, optional
        Lines of each part of delimited text that do not belong to rows, such as "1-2" or "last". They are not copied.
    **columns
        ``labels``, ``tags``, ``absent``, ``empty``, ``sep``, ``id``, ``group``, ``features``, ``vectors`` (a column),
        ``text``, ``ignore``, ``max_categories``, ``yes``, ``no``, ``unknown``: as in :func:`halflabel.complete`.

    Returns
    -------
    FolderCompletion

    Raises
    ------
    ValueError
        If no file matches, parts have different columns, no row has a label, or the output folder is the input folder.
    FileExistsError
        If the output folder holds other files, or the output of another run.
    """
    given = [Path(each) for each in ([items] if isinstance(items, str | os.PathLike) else items)]
    stated = _read_columns(columns)
    asked = choose_rule(rule, min_precision)
    check_effort(effort)
    require_observed_rate(observed_rate)
    check_columns(stated, None if asked is None else asked.at)
    check_scheduler(workers, scheduler)
    _check_sizes(max_labelled, max_unlabelled)
    decides = {"min_precision": min_precision, "rule": rule, "observed_rate": observed_rate}
    plan = Plan(
        list_parts(given),
        Places(Path(out)),
        stated,
        TextOptions(delimiter, encoding, skip_rows),
        (max_labelled, max_unlabelled),
        fit={"effort": effort, "random_state": random_state, **decides},
        where={"workers": workers, "scheduler": scheduler},
        probabilities=None if probabilities is None else Path(probabilities),
        report=None if report is None else Path(report),
    )
    _check_folders(plan, given)
    with lock_folder(plan.places.out):
        manifest, notes, finished = _begin_or_continue(plan)
        totals = _complete_parts(plan, manifest, finished)
        result = _make_result(plan, manifest, totals, notes)
        _finish(plan, result, manifest)
    return result


def _make_result(plan: Plan, manifest: dict[str, Any], totals: Totals, notes: tuple[str, ...]) -> FolderCompletion:
    return FolderCompletion(
        plan.places.out,
        len(plan.parts),
        tuple(manifest["labels"]),
        totals,
        core=manifest["core"],
        probability_of=manifest["probability_of"],
        notes=notes,
        contradictions=tuple(manifest["contradictions"]),
        rule=manifest["used"],
    )


def _read_columns(given: dict[str, Any]) -> Description:
    """Return the stated roles. Raise for an argument that does not exist, with the nearest name."""
    if unknown := [name for name in given if name not in OF_FOLDER]:
        hint = closest(unknown[0], OF_FOLDER)
        raise TypeError(f"complete_folder() got an unexpected keyword argument {unknown[0]!r}: {hint}")
    return Description(**given)


def _check_sizes(max_labelled: int, max_unlabelled: int) -> None:
    """Raise for a core that no model can be fitted on."""
    for name, size, lowest in (("max_labelled", max_labelled, 2), ("max_unlabelled", max_unlabelled, 0)):
        if size < lowest:
            raise ValueError(f"{option(name)} must be at least {lowest}, not {size}.")


def _check_folders(plan: Plan, given: list[Path]) -> None:
    """Raise for folders that would mix with the input, with other files or with each other."""
    begun = read_manifest(plan.places) is not None
    check_out(plan.places.out, plan.parts, given, begun=begun)
    if plan.probabilities is not None:
        check_out(plan.probabilities, plan.parts, given, begun=begun)
        check_apart(plan.probabilities, plan.places.out)


def _begin_or_continue(plan: Plan) -> tuple[dict[str, Any], tuple[str, ...], set[str]]:
    """Return the manifest, notes and names of finished parts, of a new run or of the run that is continued."""
    manifest = read_manifest(plan.places)
    if manifest is None:
        return *begin_run(plan), set()
    check_same_run(manifest, plan.places, plan.describe())
    if plan.report is not None and not plan.report.exists():
        raise FileNotFoundError(
            f"{plan.report} does not exist, and only the begin of a run writes a report: leave {option('report')} "
            f"out, or remove {plan.places.out} to start again."
        )
    check_core(plan.places.folder, manifest["core_files"].items())
    return manifest, (), _find_finished(plan, manifest)


def _find_finished(plan: Plan, manifest: dict[str, Any]) -> set[str]:
    """Return the names of the parts that an earlier run finished. Raise if the input has changed since then."""
    jobs = [_make_job(plan, part, manifest) for part in plan.parts]
    by_state: dict[State, list[str]] = {state: [] for state in State}
    for done, (name, state) in enumerate(run_jobs(check_part, jobs, **plan.where), start=1):
        by_state[state].append(name)
        step("checking parts", done, len(jobs))
    check_unchanged(plan.places, sorted(by_state[State.CHANGED]))
    return set(by_state[State.FINISHED])


def _complete_parts(plan: Plan, manifest: dict[str, Any], finished: set[str]) -> Totals:
    """Complete the parts that are not finished, move all parts to their places, and return the whole totals."""
    places, n_parts = plan.places, len(plan.parts)
    jobs = [_make_job(plan, part, manifest) for part in plan.parts]
    still_open = [job for job in jobs if job.part.name not in finished]
    step("completing parts", len(finished), n_parts)
    for done, _ in enumerate(run_jobs(complete_part, still_open, **plan.where), start=len(finished) + 1):
        step("completing parts", done, n_parts)
    check_finished(places, jobs)
    totals = reduce(Totals.add, map(read_totals, jobs))
    publish([job.target for job in jobs], places.parts)
    if plan.probabilities is not None:
        publish([job.probabilities for job in jobs if job.probabilities is not None], places.probabilities)
    return totals


def _make_job(plan: Plan, part: Part, manifest: dict[str, Any]) -> Job:
    """Return the description of a part. Its paths are absolute, because workers may be in other folders."""
    places, p = Places(plan.places.out.resolve()), None
    if plan.probabilities is not None:
        name = f"{part.name}.parquet"
        p = Output(places.probabilities / name, plan.probabilities.resolve() / name)
    return Job(
        part,
        manifest["input"][part.name],
        manifest["id"],
        places.folder,
        tuple(manifest["core_files"].items()),
        Output(places.parts / part.name, places.final(part.name)),
        p,
        places.record(part.name),
        plan.options,
    )


def _finish(plan: Plan, result: FolderCompletion, manifest: dict[str, Any]) -> None:
    """Write the counts and lists of all parts, then the digests of all files."""
    tables = {"labels": result.counts, **result.totals.lists}
    paths = {f"{name}.csv": plan.places.folder / f"{name}.csv" for name in tables}
    with together():
        for table, path in zip(tables.values(), paths.values(), strict=True):
            write_frame(table, path)
    lists = {**manifest.get("lists", {}), **{name: digest_file(path) for name, path in paths.items()}}
    records = {part.name: digest_file(plan.places.record(part.name)) for part in plan.parts}
    write_object(plan.places.manifest, {**manifest, "finished": True, "records": records, "lists": lists})
