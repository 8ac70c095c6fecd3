"""Prodigy: JSON lines with one question each, answered with accept, reject or ignore, or with a choice of options.

Suggestions are written as questions without an answer, for a recipe to ask. Answers are written to a second file,
because ``db-in`` takes a line without an answer as accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from halflabel.files import Cell, Collector, Format, Loss, Options, Records
from halflabel.files.field_values import names_in, rows_of, share_in, text_of
from halflabel.files.json_files import Place, read_records, write_lines
from halflabel.labels.answers import read_answer
from halflabel.plugins import plural

VALUES = {"accept": 1.0, "reject": 0.0, "ignore": None}
ANSWERS: dict[int | None, str] = {1: "accept", 0: "reject", None: "ignore"}

#: Keys of the question. Keys that begin with an underscore also belong to the question.
OWN = frozenset(("label", "answer", "options", "accept", "meta", "config", "score", "priority", "spans", "tokens"))

#: Keys of ``meta`` for the item, the suggestion and its origin.
META = frozenset(("id", "p", "score", "suggested", "model"))

#: Keys that hold the content of an item. Items without an id are distinguished by their content.
CONTENT = ("text", "image", "audio", "video", "html", "path")


def _read(paths: Sequence[Path], options: Options) -> Records:
    collector = Collector(paths[0], options.absent)
    n_rejected, keys = 0, set()
    for place, line in read_records(paths):
        item, kind = _item(collector, line, place)
        keys.add(kind)
        if "label" in line and isinstance(line["label"], str):
            _add_question(collector, item, line, place)
        elif isinstance(line.get("accept"), list):
            n_rejected += _add_choice(collector, item, line, place)
        elif "options" not in line:
            raise place.error("it has neither a 'label' nor a choice ('accept').")
    if n_rejected:
        collector.notes.append(f"{plural(n_rejected, 'rejected choice')} taken as unknown: its reason is not known.")
    if "content" in keys:
        collector.notes.append("Items have no id in 'meta': lines with the same content are one item.")
    return collector.records(FORMAT.name, numbered="content" in keys)


def _item(collector: Collector, line: dict[str, Any], place: Place) -> tuple[int, str]:
    """Return (position of the item, whether its "id" or its "content" identifies it)."""
    meta = _meta(line)
    fields = {name: value for name, value in line.items() if name not in OWN and not name.startswith("_")}
    fields |= {name: value for name, value in meta.items() if name not in META}
    if meta.get("id") is not None:
        return collector.item(str(meta["id"]), fields), "id"
    content = line.get("_input_hash") or next((line[name] for name in CONTENT if line.get(name)), None)
    if content is None:
        raise place.error("it is not clear which item it is about: no 'id' in 'meta', no '_input_hash' and no 'text'.")
    return collector.item(("content", str(content)), fields), "content"


def _meta(line: dict[str, Any]) -> dict[str, Any]:
    return meta if isinstance(meta := line.get("meta"), dict) else {}


def _add_question(collector: Collector, item: int, line: dict[str, Any], place: Place) -> None:
    meta = _meta(line)
    p = share_in(meta.get("p", meta.get("score", line.get("score"))))
    if line.get("answer") is None:
        suggested = read_answer(meta.get("suggested"))
        value = None if suggested is None else suggested.value_of_entry
        collector.add(item, line["label"], value, "model", p, text_of(meta.get("model")))
        return
    by, at = _person(line)
    collector.add(item, line["label"], _value(line, place), "person" if by else "given", p, by, at)


def _add_choice(collector: Collector, item: int, line: dict[str, Any], place: Place) -> bool:
    """Add the options that were shown, chosen or not. Return whether the question as a whole was rejected."""
    value, (by, at), chosen = _value(line, place), _person(line), names_in(line["accept"])
    source, options = "person" if by else "given", line.get("options")
    shown = [str(part.get("id")) for part in options if isinstance(part, dict)] if isinstance(options, list) else []
    for name in dict.fromkeys([*shown, *chosen]):
        collector.add(item, name, float(name in chosen) if value == 1 else None, source, None, by, at)
    return value == 0


def _value(line: dict[str, Any], place: Place) -> float | None:
    answer = line.get("answer")
    if not isinstance(answer, str) or answer not in VALUES:
        raise place.error(f"the answer is {answer!r}, but it must be 'accept', 'reject' or 'ignore'.")
    return VALUES[answer]


def _person(line: dict[str, Any]) -> tuple[str | None, str | None]:
    by = line.get("_annotator_id") or line.get("_session_id")
    seconds = line.get("_timestamp")
    is_time = isinstance(seconds, int | float) and 0 < seconds < 1e11
    return text_of(by), datetime.fromtimestamp(int(seconds), UTC).isoformat() if is_time and seconds else None


def _write(records: Records, path: Path) -> None:
    made = records.is_suggestion
    write_lines(path, _lines(records, suggestions=bool(made.any())))
    if made.any() and not made.all():
        write_lines(companion(path), _lines(records, suggestions=False))


def _lines(records: Records, *, suggestions: bool) -> Iterator[dict[str, Any]]:
    fields = records.items[FORMAT.carries(records.items)]
    for (key, cells), row in zip(records.by_item(), rows_of(fields), strict=True):
        for cell in cells:
            if (cell.source == "model") == suggestions:
                meta = {"id": str(key)} | ({} if cell.probability is None else {"p": cell.probability})
                yield row | {"label": cell.label} | (_question(cell, meta) if suggestions else _answer(cell, meta))


def _question(cell: Cell, meta: dict[str, Any]) -> dict[str, Any]:
    if cell.value is not None:
        meta["suggested"] = "yes" if cell.value else "no"
    return {"meta": meta | ({} if cell.by is None else {"model": cell.by})}


def _answer(cell: Cell, meta: dict[str, Any]) -> dict[str, Any]:
    signed: dict[str, Any] = {} if cell.by is None else {"_annotator_id": cell.by, "_session_id": cell.by}
    return {"answer": ANSWERS[cell.value], "meta": meta} | signed | _read_time(cell.at)


def _read_time(text: str | None) -> dict[str, int]:
    """Return the time of an answer in seconds. A text that is not a time, which other tools allow, is left out."""
    try:
        return {} if text is None else {"_timestamp": int(datetime.fromisoformat(text).timestamp())}
    except (ValueError, OverflowError, OSError):
        return {}


def companion(path: Path) -> Path:
    """Return the name of the file with answers."""
    return path.with_suffix(".answers" + path.suffix)


LOSSES = (Loss.FIELDS, Loss.ITEMS, Loss.LABELS, Loss.ANNOTATED)
FORMAT = Format(
    "prodigy", "Prodigy", "cells", (".jsonl",), _read, _write, LOSSES, companion=companion,
    carries=lambda items: [name for name in items.columns if name not in OWN | META and not str(name).startswith("_")],
)  # fmt: skip
