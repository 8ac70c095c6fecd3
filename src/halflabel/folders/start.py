"""The start of a run: read the labels, fit the core, and write the manifest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

import pandas as pd

from halflabel._digests import digest_file, write_object
from halflabel._files import together
from halflabel._progress import step
from halflabel._wording import option
from halflabel.completion import Completion, complete
from halflabel.files.reading import write_frame
from halflabel.folders.manifest import Places, describe_run
from halflabel.folders.model_sample import Rows, digest_core, read_core, save_core
from halflabel.folders.part_files import TextOptions, open_part, unify_schemas
from halflabel.folders.parts import Part
from halflabel.folders.scan import Scan, ScanJob, check_scan, scan_part
from halflabel.folders.schedulers import run_jobs
from halflabel.table import Description, choose_roles
from halflabel.table.cells import describe_missing
from halflabel.table.patterns import expand_patterns

#: Number of items in the list of next questions.
N_QUESTIONS = 20


@dataclass(frozen=True, eq=False)
class Plan:
    """The requested run."""

    parts: Sequence[Part]
    places: Places
    columns: Description  #: The stated roles.
    options: TextOptions
    sizes: tuple[int, int]  #: Maximum number of labelled and of unlabelled rows of the core.
    fit: dict[str, Any]  #: Further arguments of :func:`halflabel.complete`.
    #: Arguments of :func:`halflabel.folders.schedulers.run_jobs`. They do not change the result.
    where: dict[str, Any]
    probabilities: Path | None = None  #: The folder for probabilities.
    report: Path | None = None  #: The report about the core.

    def describe(self) -> dict[str, Any]:
        """Return the settings that must be equal to resume a run."""
        stated = {name: getattr(self.columns, name) for name in self.columns.stated}
        rule = self.fit.get("rule")
        outputs = {
            "rule": rule and str(rule),
            "core": self.sizes,
            "probabilities": self.probabilities and os.path.abspath(self.probabilities),
        }
        return describe_run(self.parts, {**stated, **self.fit, **vars(self.options), **outputs})


def begin_run(plan: Plan) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Fit the core, write all data of the second pass, and return the manifest and notes.

    Nothing is written before the fit. All files appear together, and the manifest, which has their digests, after them.
    """
    described = plan.describe()
    columns = _expand_columns(plan)
    scan = _scan_parts(plan, columns)
    rows, schema = Rows.choose(scan), unify_schemas(plan.parts, [scan.schemas[j] for j in range(len(plan.parts))])
    filled = complete(read_core(plan.parts, schema, rows, columns, plan.options), **plan.fit)
    folder = plan.places.folder
    plan.places.remove_results()
    folder.mkdir(parents=True, exist_ok=True)
    with together():
        if plan.report is not None:
            filled.report(plan.report, title=f"the core of {plan.parts[0].path.parent}")
        write_frame(filled.next_to_label(N_QUESTIONS), folder / "next.csv")
        save_core(folder, filled, plan.parts, rows, schema)
    digests = {part.name: scan.digests[j] for j, part in enumerate(plan.parts)}
    lists = {"next.csv": digest_file(folder / "next.csv")}
    state = {"core_files": dict(digest_core(folder)), "lists": lists, "id": token_hex(8), "finished": False}
    manifest = {**described, "input": digests, **_describe_core(scan, rows, filled), **state}
    write_object(plan.places.manifest, manifest)
    return manifest, filled.notes


def check_columns(columns: Description, min_precision: float | None) -> None:
    """Raise for an argument that only makes sense for one table in memory."""
    if min_precision is not None and columns.tags is not None:
        raise ValueError(f"{option('min_precision')} of a folder of parts needs label columns, not tags: leave it out.")
    for name in ("pairs", "on", "prior", "format"):
        if getattr(columns, name) is not None:
            raise ValueError(f"{option(name)} is about one table, not about a folder of parts: leave it out.")
    if columns.positive_only:
        raise ValueError(
            f"{option('positive_only')} is about labels of one table, not about a folder of parts: state "
            f"{option('absent', 'unknown')}, if all labels are positive-only."
        )
    if columns.vectors is not None and not isinstance(columns.vectors, str):
        raise ValueError(f"vectors of a folder of parts are a column ({option('vectors', 'embedding')}), not an array.")


def _expand_columns(plan: Plan) -> Description:
    """Return the columns with patterns as names. Raise for a name without column, and if no label was named."""
    stated, part = plan.columns, plan.parts[0]
    file = open_part(part, plan.options)
    names = [*file.names, *(name for name, _ in part.partition)]
    for role in ("id", "tags", "vectors", "text", "group"):
        if (name := getattr(stated, role)) is not None and name not in names:
            raise ValueError(describe_missing(name, names))
    if stated.labels is None and stated.tags is None:
        frame = next((file.to_frame(table) for table in file.batches()), pd.DataFrame(columns=names))
        choose_roles(frame, stated)  # raises with the columns that look like labels
    columns = expand_patterns(stated, names)
    for name in (*(columns.labels or ()), *filter(None, (columns.id, columns.tags))):
        if name not in file.names:
            raise ValueError(f"{name!r} is stated by names of folders: ids and labels must be columns of the files.")
    return columns


def _scan_parts(plan: Plan, columns: Description) -> Scan:
    """Read the label columns of all parts."""
    first = plan.parts[0]
    names = tuple(open_part(first, plan.options).names)
    jobs = [ScanJob(j, part, first, names, columns, plan.options, plan.sizes) for j, part in enumerate(plan.parts)]
    whole: Scan | None = None
    for done, scan in enumerate(run_jobs(scan_part, jobs, **plan.where), start=1):
        whole = scan if whole is None else whole.add(scan)
        step("reading labels", done, len(jobs))
    assert whole is not None  # there is a part
    check_scan(whole, plan.parts)
    return whole


def _describe_core(scan: Scan, rows: Rows, filled: Completion) -> dict[str, Any]:
    """Return the numbers of rows, for the manifest."""
    n_labelled = len(scan.labelled.rows)
    core = {"labelled": n_labelled, "unlabelled": len(rows.rows) - n_labelled}
    labels: dict[str, Any] = {"labels": list(filled.labels.names), "probability_of": filled.probability_of}
    labels["contradictions"] = [each["title"] for each in filled.evidence.contradictions]
    labels["used"] = str(filled.rule)
    return {"rows": scan.n_rows, **labels, "core": core}
