"""A completion -> a plain dict of everything the report says."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Floats
from halflabel._wording import clipped
from halflabel.report.caveats import caveats, evidence_counts
from halflabel.report.quality import calibration, expected, filled_as, label_rows, overall, probability_thresholds
from halflabel.report.scatter import as_ink, png, scatter
from halflabel.report.wording import headline
from halflabel.table import OpenTable

if TYPE_CHECKING:  # completion is above report: it calls summarize
    from halflabel.completion import Completion

#: Beyond so many labels only the worst and the best are listed.
MOST_LABELS, WORST, BEST = 60, 40, 10

#: Rows of the tables of entries and items to look at.
MOST_SUSPECTS, MOST_NEXT, MOST_CANDIDATES = 20, 12, 30

#: Columns named per role, settings and parameters listed.
MOST_COLUMNS, MOST_SETTINGS = 40, 60

#: Longest side of an image of an item, in pixels.
MOST_SIDE = 128

_PACKAGES = ("halflabel", "numpy", "scipy", "scikit-learn", "pandas")


def summarize(
    completion: Completion,
    *,
    title: str = "",
    marks: NDArray[Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Return everything a report says as a plain dict that JSON can hold; its size is bounded at any size of data.

    Parameters
    ----------
    completion : Completion
    title : str, optional
        What the data is called.
    marks : ndarray of shape (n_items, height, width), optional
        A small grey image per item, drawn in the map; the larger a value, the more ink.
    settings : mapping, optional
        What was asked for, such as the command line, to be printed at the end.
    seed : int, default=0
        Decides which items the map shows where not all fit.

    Returns
    -------
    dict
        For :func:`halflabel.report.render_html`. Numbers that do not exist are None.

    Raises
    ------
    ValueError
        If there is not one mark per item, or marks are not small.
    """
    labels = completion.labels
    ink = None if marks is None else _small_images(marks, len(labels))
    answers, positive = _answers(completion), _positive(completion)
    kinds = evidence_counts(labels, completion.evidence_kinds)
    counts, notes = _counts(completion), completion.opened.notes
    summary = {
        "title": clipped(title),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "headline": headline(counts, positive_only=labels.positive_only, min_precision=completion.min_precision),
        "counts": counts,
        "positive": positive,
        "min_precision": completion.min_precision,
        **answers,
        "labels": _labels(completion),
        "next": None if labels.positive_only else _items(completion.next_to_label(MOST_NEXT)),
        "candidates": _items(completion.candidates(MOST_CANDIDATES)) if labels.positive_only else None,
        "gaps": list(completion.gaps),
        "evidence": kinds,
        "drift": completion.drift,
        "caveats": caveats(
            completion.learned_from,
            kinds=kinds,
            drift=completion.drift,
            quality=answers["quality"],
            notes=notes,
            positive=positive,
        ),
        "map": _map(completion, ink, np.random.default_rng(seed)),
        "method": _method(completion.model),
        "settings": _as_text(settings or {}),
        "roles": _roles(completion.opened),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}},
    }
    _add_images(summary, completion.index, ink)
    plain: dict[str, Any] = _plain(summary)
    return plain


def _small_images(marks: NDArray[Any], n_items: int) -> NDArray[np.uint8]:
    if marks.ndim != 3 or len(marks) != n_items or max(marks.shape[1:]) > MOST_SIDE:
        raise ValueError(
            f"marks must be one small grey image per item, {n_items} x height x width, of at most "
            f"{MOST_SIDE} pixels a side, but their shape is {marks.shape}."
        )
    return as_ink(marks)


def _counts(completion: Completion) -> dict[str, int]:
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


def _answers(completion: Completion) -> dict[str, Any]:
    """Return what rests on probabilities; how sure an answer is, only where they are of being relevant."""
    labels, learned, p = completion.labels, completion.learned_from, completion.probabilities.to_numpy()
    relevance = completion.probability_of == "being relevant"
    return {
        "expected": expected(~labels.observed, learned.learnable, p) if relevance else None,
        "filled_as": filled_as(labels, completion.state, p) if relevance else None,
        "quality": overall(learned, completion.learned_probabilities, _cut(completion)),
        "calibration": calibration(learned, completion.learned_probabilities),
        "suspects": None if labels.positive_only else _suspects(completion.suspects),
    }


def _positive(completion: Completion) -> dict[str, Any] | None:
    """Return what is assumed about positive-only labels, and where they contradict it."""
    if not completion.labels.positive_only:
        return None
    c = completion.observed_rate
    above = completion.learned_from.observed & (completion.learned_probabilities > (1.0 if c is None else c))
    return {
        "observed_rate": c,
        "probability_of": completion.probability_of,
        "assumptions": completion.assumptions.to_dict(orient="records"),
        "above": {"entries": int(above.sum()), "assigned": int((above & completion.labels.relevant).sum())},
    }


def _cut(completion: Completion) -> Floats | None:
    """Return the thresholds in use, unless they are on other probabilities than those that can be checked."""
    return None if completion.labels.positive_only else probability_thresholds(completion.model)


def _labels(completion: Completion) -> dict[str, Any]:
    """Return the table of labels, cut in the middle where it is too long."""
    learned, p = completion.learned_from, completion.learned_probabilities
    rows = label_rows(completion.labels, learned, completion.state, p, _cut(completion))
    rows = [{**row, "name": clipped(row["name"])} for row in rows]
    if len(rows) <= MOST_LABELS:
        return {"rows": rows, "left_out": 0, "cut_at": None}
    return {"rows": rows[:WORST] + rows[-BEST:], "left_out": len(rows) - WORST - BEST, "cut_at": WORST}


def _suspects(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the given entries of which the model finds the opposite more likely."""
    p = frame["probability"].to_numpy(dtype=np.float64)
    belief = np.where(frame["given"].to_numpy() == 1, p, 1 - p)
    doubted = int((belief < 0.5).sum())
    return {
        "asked": len(frame),
        "doubted": doubted,
        "strongly": int((belief < 0.1).sum()),
        "rows": _items(frame.head(min(doubted, MOST_SUSPECTS))),
    }


def _items(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a small table; names are text of bounded length, ``key`` is the item itself."""
    rows: list[dict[str, Any]] = [{str(k): v for k, v in row.items()} for row in frame.to_dict("records")]
    texts = [column for column in ("item", "label") if column in frame]
    return [{**row, **{k: clipped(row[k]) for k in texts}, "key": row["item"]} for row in rows]


def _add_images(summary: dict[str, Any], index: pd.Index[Any], ink: NDArray[np.uint8] | None) -> None:
    """Give the rows of the small tables the image of their item, where there is one and items can be told apart."""
    tables = [summary["next"], summary["candidates"], (summary["suspects"] or {}).get("rows")]
    for row in (row for table in tables for row in table or ()):
        key = row.pop("key")
        row["image"] = png(ink[index.get_loc(key)]) if ink is not None and index.is_unique else None


def _map(completion: Completion, ink: NDArray[np.uint8] | None, rng: np.random.Generator) -> dict[str, Any]:
    try:
        coordinates = completion.embedding(2).to_numpy()
    except ValueError as reason:  # too few features or items for two dimensions
        return {"reason": str(reason)}
    return scatter(coordinates, completion.labels, completion.state, ink, rng)


def _method(model: Any) -> dict[str, Any]:
    return {"name": type(model).__name__, "parameters": _as_text(model.get_params(deep=False))}


def _roles(opened: OpenTable) -> list[dict[str, Any]]:
    """Columns by role and reason, so that a thousand number columns take one line."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for column, role, why in opened.roles.describe():
        grouped.setdefault((role, why), []).append(column)
    return [
        {"role": role, "why": why, "n_columns": len(columns), "columns": [clipped(c) for c in columns[:MOST_COLUMNS]]}
        for (role, why), columns in list(grouped.items())[:MOST_SETTINGS]
    ]


def _as_text(values: Mapping[str, Any]) -> dict[str, str]:
    return {clipped(key): clipped(value, 500) for key, value in list(values.items())[:MOST_SETTINGS]}


def _plain(value: Any) -> Any:
    """Return the value in the types of JSON; NaN, which JSON lacks, becomes None."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and np.isnan(value) else value
