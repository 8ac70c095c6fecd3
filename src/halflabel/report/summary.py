"""A completion -> a plain dict of everything in the report."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Floats
from halflabel._version import list_versions
from halflabel._wording import clipped, listed
from halflabel.completion.contribution_table import write_largest
from halflabel.completion.review_list import list_for_review
from halflabel.evidence.calibration_error import measure_calibration
from halflabel.evidence.suspects import list_doubtful
from halflabel.report.errors import summarize_errors, write_certificates, write_fillable
from halflabel.report.frequencies import summarize_prevalence
from halflabel.report.quality import (
    bin_calibration,
    count_fillable,
    count_filled,
    describe_labels,
    measure_quality,
    read_thresholds,
)
from halflabel.report.reading import summarize_reading
from halflabel.report.reasons import UNASSIGNED
from halflabel.report.samples import summarize_samples
from halflabel.report.scatter import try_map
from halflabel.report.sentences import write_doubtful, write_headline
from halflabel.report.votes import summarize_votes
from halflabel.table import OpenTable
from halflabel.table.images import encode_png, read_images, take_marks
from halflabel.table.items import choose_shown, describe_cells, take_shown

if TYPE_CHECKING:  # completion is above report: it calls summarize
    from halflabel.completion import Completion
    from halflabel.completion.evidence import Evidence
    from halflabel.evidence.certificate import Certificate

#: Maximum number of labels in the table; of more labels the worst and the best are listed.
MAX_LABELS, WORST, BEST = 60, 40, 10

#: Maximum numbers of rows in the tables of entries and items to check.
MAX_SUSPECTS, MAX_NEXT, MAX_UNASSIGNED = 20, 12, 15

#: Maximum number of settings and parameters.
MAX_SETTINGS = 60

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")


def summarize(
    completion: Completion,
    *,
    title: str = "",
    marks: NDArray[Any] | tuple[int, int] | None = None,
    show: Sequence[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    certificates: Sequence[Certificate] = (),
    reviewed: Mapping[str, Any] | None = None,
    random_state: int = 0,
) -> dict[str, Any]:
    """Return everything in a report as a plain dict for JSON. Its size is bounded at any size of data.

    Parameters
    ----------
    completion : Completion
    title : str, optional
        The name of the data.
    marks : ndarray of shape (n_items, height, width) or (height, width), optional
        A small grey image per item, shown in the map and in tables; larger values are darker. Of a pair of numbers, the
        images are made of the vectors of the items. By default as the table's description states it.
    show : sequence of str, optional
        The columns that are shown wherever items are listed; by default the text column and a recognised id. Of
        image files, small pictures are shown.
    folder : path, optional
        The folder that the paths of image files start from; by default that of the table's file.
    settings : mapping, optional
        The options of the run, listed at the end.
    reviewed : mapping, optional
        The results of a review in the browser: ``facts`` (pairs of name and value) and ``sentences``.
    certificates : sequence of Certificate, optional
        From :attr:`halflabel.completion.finish.Task.certificate`, about this completed table.
    random_state : int, default=0
        Decides which items the map shows if there are too many for all of them.

    Returns
    -------
    dict
        For :func:`halflabel.report.render_html`. Numbers that do not exist are None.

    Raises
    ------
    ValueError
        If there is not one small mark per item, a column to show does not exist, or a certificate is about another
        table.
    """
    labels, shown = completion.labels, choose_shown(completion.opened, show)
    marks = completion.opened.description.thumbnails if marks is None else marks
    images = take_marks(completion.opened, marks) if isinstance(marks, tuple) else marks
    ink = None if images is None else read_images(images, len(labels))
    folder = _find_folder(completion.opened) if folder is None else folder
    predictions, positive = _summarize_predictions(completion), _summarize_positive(completion)
    counts = _count_entries(completion)
    precision = completion.evidence.min_precision if completion.evidence.has_precision else None
    summary = {
        "title": clipped(title),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "headline": write_headline(counts, positive_only=labels.positive_only, min_precision=precision),
        "counts": counts,
        "reading": summarize_reading(completion.opened),
        "positive": positive,
        "min_precision": completion.evidence.min_precision,
        "rule": str(completion.rule),
        **predictions,
        "certificates": write_certificates(completion, certificates),
        "labels": _summarize_labels(completion),
        "sources": summarize_votes(completion),
        "prevalence": summarize_prevalence(completion),
        "next": None if labels.positive_only else _list_rows(completion.evidence.next_to_label(MAX_NEXT)),
        "unassigned": _summarize_unassigned(completion) if labels.positive_only else None,
        "gaps": list(completion.evidence.gaps),
        "evidence": completion.evidence.gaps_by_kind,
        "drift": completion.evidence.drift,
        "contradictions": [each["title"] for each in completion.evidence.contradictions],
        "warnings": completion.evidence.warnings,
        "samples": summarize_samples(completion, shown, folder, ink, random_state),
        "map": try_map(completion, shown, ink, random_state),
        "method": _summarize_method(completion.model),
        "reviewed": None if reviewed is None else _summarize_review(reviewed),
        "settings": _as_text({name: value for name, value in (settings or {}).items() if value is not None}),
        "versions": {"python": platform.python_version(), **list_versions(*_LIBRARIES)},
    }
    _describe_items(summary, completion, shown, folder, ink)
    _link_suspects(summary)
    plain: dict[str, Any] = _plain(summary)
    return plain


def _count_entries(completion: Completion) -> dict[str, int]:
    labels, observed = completion.labels, completion.labels.observed
    return {
        "items": len(labels),
        "labels": len(labels.names),
        "features": completion.opened.X.shape[1],
        "entries": observed.size,
        "given": int(observed.sum()),
        "gaps": int((~observed).sum()),
        "filled": int((~observed & (completion.state != 0)).sum()),
        "filled_relevant": int((~observed & (completion.state > 0)).sum()),
        "unlabelled": int((~labels.annotated).sum()),
    }


def _summarize_predictions(completion: Completion) -> dict[str, Any]:
    """Return the numbers from probabilities. Expected precisions are left out if a check contradicts them."""
    labels = completion.labels
    relevance, learned = completion.evidence.has_precision, completion.evidence.learned_probabilities
    known = completion.evidence.checked_on
    quality = measure_quality(completion.evidence.calibrated_on, learned, _thresholds(completion.evidence))
    return {
        "expected": count_fillable(~labels.observed, completion.evidence.of_checked.fill_at) if relevance else None,
        "relevant": write_fillable(completion) if relevance else None,
        "errors": summarize_errors(completion) if relevance else None,
        "filled_as": count_filled(completion) if relevance else None,
        "quality": quality | measure_calibration(known, learned),
        "calibration": bin_calibration(known, learned),
        "suspects": None if labels.positive_only else _summarize_suspects(completion),
    }


def _summarize_positive(completion: Completion) -> dict[str, Any] | None:
    """Return the label frequency of positive-only labels, and the results for other ones."""
    if not completion.labels.positive_only:
        return None
    evidence, rows = completion.evidence, completion.evidence.assumptions.to_dict(orient="records")
    return {"observed_rate": evidence.observed_rate, "probability_of": completion.probability_of, "assumptions": rows}


def _thresholds(evidence: Evidence) -> Floats | None:
    """Return the thresholds in use, or None if they are on probabilities that cannot be checked."""
    return None if evidence.labels.positive_only else read_thresholds(evidence.fit)


def _summarize_labels(completion: Completion) -> dict[str, Any]:
    """Return the table of labels, without its middle if it is too long."""
    part = completion.evidence.of_checked
    rows = describe_labels(part, _thresholds(part))
    rows = [{**row, "name": clipped(row["name"])} for row in rows]
    names = [name for name in completion.labels.names if name not in part.labels.names]
    unchecked = listed(names) if names else ""
    if len(rows) <= MAX_LABELS:
        return {"rows": rows, "left_out": 0, "cut_at": None, "unchecked": unchecked}
    shown = rows[:WORST] + rows[-BEST:]
    return {"rows": shown, "left_out": len(rows) - len(shown), "cut_at": WORST, "unchecked": unchecked}


def _summarize_suspects(completion: Completion) -> dict[str, Any]:
    """Return the doubtful given entries, the most probably wrong first, and how many of them are expected to be."""
    frame = completion.evidence.suspects
    doubtful = list_doubtful(frame, completion.labels)
    shown = doubtful.head(MAX_SUSPECTS)
    return {
        "sentence": write_doubtful(doubtful["wrong"].to_numpy()) if completion.evidence.has_precision else "",
        "doubted": len(doubtful),
        "rows": _list_rows(shown.assign(why=_write_reasons(completion, shown))),
    }


def _write_reasons(completion: Completion, entries: pd.DataFrame) -> list[str]:
    """Return the largest parts of the log odds of entries, or empty texts if ids are not distinct."""
    if not (completion.index.is_unique and len(entries)):
        return [""] * len(entries)
    places = completion.index.get_indexer(pd.Index(entries["item"]))
    columns = [completion.labels.names.index(label) for label in entries["label"]]
    return write_largest(completion.evidence.fit.decompose(places, completion.evidence.learned_from), columns)


def _summarize_unassigned(completion: Completion) -> list[dict[str, Any]]:
    """Return, for positive-only labels, the entries to check in groups of one reason each, without empty groups."""
    number = completion.evidence.doubts["reason"].value_counts()
    return [
        {
            "title": title,
            "text": text,
            "entries": int(number[reason]),
            "rows": _list_rows(list_for_review(completion.evidence, MAX_UNASSIGNED, (), reason)),
        }
        for reason, title, text in UNASSIGNED
        if reason in number
    ]


def _list_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a small table. Names are text of bounded length, and ``key`` is the item itself."""
    kept = frame.drop(columns=["given", "suggested", "answer"] if "answer" in frame else [])
    rows: list[dict[str, Any]] = [{str(k): v for k, v in row.items()} for row in kept.to_dict("records")]
    texts = [column for column in ("item", "label") if column in frame]
    return [{**row, **{k: clipped(row[k]) for k in texts}, "key": row["item"]} for row in rows]


def _find_folder(opened: OpenTable) -> Path:
    """Return the folder of the file that a table was read from, or the current folder."""
    paths = () if opened.source is None else opened.source.paths
    return paths[0].parent if paths else Path()


def _describe_items(
    summary: dict[str, Any],
    completion: Completion,
    shown: Sequence[str],
    folder: str | os.PathLike[str],
    ink: NDArray[np.uint8] | None,
) -> None:
    """Add the image and the shown columns of the item to each row of the small tables, if ids are distinct."""
    groups = [group["rows"] for group in summary["unassigned"] or ()]
    tables = [summary["next"], *groups, (summary["suspects"] or {}).get("rows")]
    rows = [row for table in tables for row in table or ()]
    keys, distinct = [row.pop("key") for row in rows], completion.index.is_unique
    places = completion.index.get_indexer(pd.Index(keys)) if distinct and keys else np.zeros(0, dtype=np.intp)
    cells = describe_cells(take_shown(completion.opened, shown, places), folder)
    for i, row in enumerate(rows):
        row["image"] = encode_png(ink[places[i]]) if distinct and ink is not None else None
        row["shown"] = cells[i] if distinct else []
        row["place"] = int(places[i]) if distinct else None


def _link_suspects(summary: dict[str, Any]) -> None:
    """Add to the map the numbers of the doubted entries of the table."""
    places = {row: i for i, row in enumerate(summary["map"].pop("rows", ()))}
    suspects = (summary["suspects"] or {}).get("rows") or ()
    points = [(places.get(row["place"]), number) for number, row in enumerate(suspects, 1)]
    if places:
        summary["map"]["doubted"] = [each for each in points if each[0] is not None]


def _summarize_method(model: Any) -> dict[str, Any]:
    return {"name": type(model).__name__, "parameters": _as_text(model.get_params(deep=False))}


def _summarize_review(reviewed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the section about a review as short texts."""
    facts = [[clipped(name), clipped(value)] for name, value in reviewed["facts"]]
    return {"facts": facts[:MAX_SETTINGS], "sentences": [clipped(text, 500) for text in reviewed["sentences"]]}


def _as_text(values: Mapping[str, Any]) -> dict[str, str]:
    """Return names and values as people write them, without Python's syntax."""
    return {clipped(key): clipped(_write_value(value), 500) for key, value in list(values.items())[:MAX_SETTINGS]}


def _write_value(value: Any) -> str:
    """Return a setting in words.

    Examples
    --------
    >>> [_write_value(value) for value in (("rock", "sad"), None, True, 0.95, {"rock": 2}, ())]
    ['rock, sad', 'not set', 'yes', '0.95', 'rock: 2', 'none']
    """
    if value is None:
        return "not set"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        value = [f"{key}: {_write_value(entry)}" for key, entry in value.items()]
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def _plain(value: Any) -> Any:
    """Return the value in the types of JSON. NaN becomes None, because JSON has no NaN."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and np.isnan(value) else value
