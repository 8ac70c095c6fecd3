"""A completion -> a plain dict of everything in the report."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Ints
from halflabel._version import __version__
from halflabel._wording import clipped
from halflabel.completion.verdict import decide, rank_labels
from halflabel.report.details import describe_run, describe_values, measure_quality, summarize_reading
from halflabel.report.display import describe_review, name_event
from halflabel.report.rows import draw_strip, list_checks
from halflabel.report.scatter import try_map
from halflabel.report.votes import summarize_votes
from halflabel.table import OpenTable
from halflabel.table.items import choose_shown, describe_cells, take_shown
from halflabel.table.pictures import encode_png, read_images, take_marks

if TYPE_CHECKING:  # completion is above report: it calls summarize
    from halflabel.completion import Completion

#: Maximum number of labels in the table, the least sure ones.
MAX_LABELS = 60


def summarize(
    completion: Completion,
    *,
    title: str = "",
    items: str = "",
    marks: NDArray[Any] | tuple[int, int] | None = None,
    show: Sequence[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    reviewed: Sequence[tuple[str, str]] | None = None,
    random_state: int = 0,
) -> dict[str, Any]:
    """Return everything in a report as a plain dict for JSON. Its size is bounded at any size of data.

    Parameters
    ----------
    completion : Completion
    title : str, optional
        The name of the data.
    items : str, optional
        The file and the options that describe it, for the command of the next step.
    marks : ndarray of shape (n_items, height, width) or (height, width), optional
        A small grey image per item, shown in the map and wherever items are listed; larger values are darker. Of a pair
        of numbers, the images are made of the vectors of the items. By default as the table's description states it.
    show : sequence of str, optional
        The columns that are shown wherever items are listed; by default the text column and a recognised id. Of
        image files, small pictures are shown.
    folder : path, optional
        The folder that the paths of image files start from; by default that of the table's file.
    settings : mapping, optional
        The options of the run, listed at the end.
    reviewed : sequence of (str, str), optional
        The results of a review in the browser: pairs of name and value.
    random_state : int, default=0
        Decides which filled values are shown, and which items the map shows if there are too many for all of them.

    Returns
    -------
    dict
        For :func:`halflabel.report.render_html`. Numbers that do not exist are None.

    Raises
    ------
    ValueError
        If there is not one small mark per item, or a column to show does not exist.
    """
    evidence, shown = completion.evidence, choose_shown(completion.opened, show)
    marks = completion.opened.description.thumbnails if marks is None else marks
    images = take_marks(completion.opened, marks) if isinstance(marks, tuple) else marks
    ink = None if images is None else read_images(images, len(completion.labels))
    folder = _find_folder(completion.opened) if folder is None else folder
    describe = partial(_describe_items, completion, shown, folder, ink)
    plain: dict[str, Any] = _plain({
        "title": clipped(title),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "verdict": asdict(decide(evidence, items)),
        "strip": draw_strip(evidence, describe, random_state=random_state),
        "map": try_map(completion, shown, ink, random_state),
        "labels": _summarize_labels(completion),
        "check": list_checks(evidence, describe),
        "to_check": describe_review(completion),
        "probability_of": name_event(completion),
        "reviewed": [[clipped(name), clipped(value)] for name, value in reviewed or ()],
        "reading": summarize_reading(completion.opened),
        "gaps": list(evidence.gaps),
        "by_value": describe_values(evidence),
        "observed_rate": evidence.observed_rate,
        "warnings": evidence.warnings,
        "sources": summarize_votes(completion),
        "quality": measure_quality(evidence.of_checked),
        "run": describe_run(completion, settings or {}),
    })  # fmt: skip
    return plain


def _summarize_labels(completion: Completion) -> dict[str, Any]:
    """Return the labels with filled values, the least sure first."""
    rows = rank_labels(completion.evidence)
    first = [{**row, "label": clipped(row["label"])} for row in rows.head(MAX_LABELS).to_dict("records")]
    return {"rows": first, "more": len(rows) - len(first)}


def _describe_items(
    completion: Completion,
    shown: Sequence[str],
    folder: str | os.PathLike[str],
    ink: NDArray[np.uint8] | None,
    rows: Ints,
) -> list[dict[str, Any]]:
    """Return the name, the image and the shown columns of items."""
    cells = describe_cells(take_shown(completion.opened, shown, rows), folder)
    return [
        {"item": clipped(completion.index[row]), "image": None if ink is None else encode_png(ink[row]), "shown": shown}
        for row, shown in zip(rows, cells, strict=True)
    ]


def _find_folder(opened: OpenTable) -> Path:
    """Return the folder of the file that a table was read from, or the current folder."""
    paths = () if opened.source is None else opened.source.paths
    return paths[0].parent if paths else Path()


def _plain(value: Any) -> Any:
    """Return the value in the types of JSON. NaN becomes None, because JSON has no NaN."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and np.isnan(value) else value
