"""Open Images: one row per image and label that was verified (1 present, 0 absent) or scored by a machine."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from math import nan
from pathlib import Path

from halflabel._files import atomic_write
from halflabel.files.bounded import lines
from halflabel.files.collector import Collector
from halflabel.files.formats import Format, Options
from halflabel.files.loss import Loss
from halflabel.files.raw_table import ReadError
from halflabel.files.records import Cell, Records
from halflabel.files.sample import Sample

IMAGE, SOURCE, LABEL, CONFIDENCE = COLUMNS = ("ImageID", "Source", "LabelName", "Confidence")

#: What is written as the source of an answer, and of a suggestion; what a machine scored begins with its name.
VERIFIED, MACHINE = "verification", "machine"

MAX_LINE = 100_000


def _read(paths: Sequence[Path], options: Options) -> Records:
    collector = Collector(paths[0], options.absent)
    for path in paths:
        for line, image, source, label, confidence in _rows(path):
            item = collector.item(image, {})
            if source.startswith(MACHINE):
                collector.add(item, label, None, "model", confidence, source if source != MACHINE else None)
            elif confidence in (0.0, 1.0):
                collector.add(item, label, confidence)
            else:
                reason = f"the confidence of a verified label is 0 or 1, not {confidence}."
                raise ReadError.at(path, reason, line=line)
    return collector.records(FORMAT.name)


def _rows(path: Path) -> Iterator[tuple[int, str, str, str, float]]:
    """Yield (line, image, source, label, confidence); all but the confidence are text, as written."""
    reader = csv.reader((line for _, line in lines(path, max_line=MAX_LINE)), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if missing := [name for name in (IMAGE, LABEL, CONFIDENCE) if name not in header]:
            raise ReadError.at(path, f"there is no column {missing[0]!r}.", line=1)
        places = [header.index(name) if name in header else None for name in COLUMNS]
        for row in reader:
            if row:
                if len(row) != len(header):
                    reason = f"{len(row)} cells, but the header has {len(header)}."
                    raise ReadError.at(path, reason, line=reader.line_num)
                image, source, label, text = (VERIFIED if j is None else row[j] for j in places)
                yield reader.line_num, image, source, label, _confidence(text, path, reader.line_num)
    except csv.Error as error:
        raise ReadError.at(path, f"the row cannot be read ({error}).", line=reader.line_num) from None


def _confidence(text: str, path: Path, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not 0 <= value <= 1:
        raise ReadError.at(path, f"the confidence {text[:40]!r} is not a number from 0 to 1.", line=line)
    return value


def _write(records: Records, path: Path) -> None:
    with atomic_write(path, "w") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for key, cells in records.resolved().by_item():
            for cell in cells:
                if (entry := _entry(cell)) is not None:
                    writer.writerow([key, *entry])


def _entry(cell: Cell) -> tuple[str, str, str] | None:
    """Return (source, label, confidence); None for what has no number."""
    if cell.source == "model":
        return None if cell.probability is None else (MACHINE, cell.label, repr(cell.probability))
    return None if cell.value is None else (VERIFIED, cell.label, str(cell.value))


def _recognise(sample: Sample) -> str | None:
    if {IMAGE, LABEL, CONFIDENCE} <= set(sample.columns):
        return "It has the columns 'ImageID', 'LabelName' and 'Confidence'."
    return None


FORMAT = Format(
    name="open-images",
    title="Open Images",
    dialect="pairs",
    suffixes=(".csv",),
    read=_read,
    write=_write,
    recognise=_recognise,
    losses=(
        Loss.DECISION,
        Loss.GIVEN_PROBABILITIES,
        Loss.UNSURE,
        Loss.PEOPLE,
        Loss.MODEL,
        Loss.FIELDS,
        Loss.ITEMS,
        Loss.LABELS,
        Loss.ANNOTATED,
    ),
    carries=lambda items: [],
)
