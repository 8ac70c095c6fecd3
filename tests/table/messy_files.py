"""A generator of messy files with their meaning: notation of cells, labels and "nothing", encoding, junk rows."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tests.table.notations import NOTATIONS, READ, list_plain

#: Where the labels are, the delimiters, the encodings, and the lines that are no rows.
PLACES = ("tags", "tags", "tags", "columns", "words", "pairs")
DELIMITERS = (",", ";", "\t", "|")
ENCODINGS = ("utf-8", "utf-8-sig", "cp1252", "utf-16")
JUNK = ("", "", "", "title", "title and blank", "padded title", "second header", "total row", "repeated header",
        "remark", "padded remark", "blank rows", "subtotal", "statistics", "third header")  # fmt: skip

#: A cell that stands for nothing, and its meaning: an unlabelled item, or an annotated item without tags.
BLANKS = (("", None), ("", None), ("NA", None), ("NULL", None), ("none", []), ("n/a", None), ("-", []), ("None", None),
          ("None", []), ("N/A", []), ("\\N", None), ("(null)", None), ("#REF!", None), ("k.A.", []), ("[]", []),
          ("not yet", None), ("nothing fits", []))  # fmt: skip

#: Words of label columns for yes, no and unknown.
WORDS = (("yes", "no", ""), ("x", "-", "?"), ("Ja", "Nein", ""), ("TRUE", "FALSE", "NA"), ("1", "0", "-99"),
         ("1", "0", "\\N"), ("t", "f", ""), ("1", "2", "9"), ("vrai", "faux", "(null)"),
         ("[x]", "[ ]", ""), ("“yes”", "“no”", ""))  # fmt: skip

NAMES = ("rock", "hard rock", "sad", "live", "hip-hop", "R&B", "Café", "C++", "new wave", "Rock (US, UK)", "punk",
         "jazz", "Arts, crafts", "drum'n'bass", "a.k.a.", "70s", "50/50", "lo_fi", "naïve", "Straße")  # fmt: skip


@dataclass(frozen=True)
class Messy:
    """A file with its meaning.

    Parameters
    ----------
    path : Path
    given : dict
        The arguments that its owner states without a question.
    truth : dict
        By id, the set of labels of an annotated item, or None for an unlabelled one.
    numbers : dict
        By id, the number in the column "tempo".
    kind : tuple of str
        The choices that were made.
    """

    path: Path
    given: dict[str, Any]
    truth: dict[str, set[str] | None]
    numbers: dict[str, float]
    kind: tuple[str, ...] = field(default=())


def make_messy(seed: int, folder: Path) -> Messy:
    """Write one messy file."""
    rng = np.random.default_rng(seed)
    pick = lambda values: values[rng.integers(len(values))]  # noqa: E731
    place, delimiter, encoding, junk = pick(PLACES), pick(DELIMITERS), pick(ENCODINGS), pick(JUNK)
    kinds = [kind for kind in READ if NOTATIONS[kind].is_text]
    notation = pick(kinds) if place == "tags" else ""
    names = list(map(str, rng.permutation(NAMES)[: rng.integers(4, 9)]))
    names = list_plain(notation, names) if notation else [name for name in names if "," not in name]
    names = names if len(names) > 2 else ["rock", "sad", "live"]
    n = int(rng.integers(24, 60))
    has = rng.random((n, len(names))) < 0.4
    has[: len(names)] |= np.eye(len(names), dtype=bool)
    has[-len(names) :] &= ~np.eye(len(names), dtype=bool)
    annotated = np.arange(n) % 4 != 3
    ids, tempo = [f"s{i}" for i in range(n)], rng.normal(100, 9, n).round(2)
    blank, meaning = pick(BLANKS)
    if notation and NOTATIONS[notation].empty and rng.random() < 0.5:
        blank, meaning = str(pick(NOTATIONS[notation].empty)), []
    words = pick(WORDS)
    lists = [[names[j] for j in np.flatnonzero(row)] for row in has]
    header = ["song", "tempo", "key"]
    rows = [[ids[i], _number(tempo[i], delimiter), str(pick(("minor", "major")))] for i in range(n)]
    given: dict[str, Any] = {"id": "song"}
    truth: dict[str, set[str] | None] = {ids[i]: set(lists[i]) if annotated[i] else None for i in range(n)}
    if place == "tags":
        header.append("tags")
        for i in range(n):
            filled = bool(annotated[i] and lists[i])
            rows[i].append(NOTATIONS[notation].write(lists[i]) if filled else blank)
            if not filled:
                truth[ids[i]] = None if meaning is None else set()
        given |= {"tags": "tags", "absent": "irrelevant"}
    elif place in ("columns", "words"):
        yes, no, unknown = ("1", "0", "") if place == "columns" else words
        header += names
        for i in range(n):
            rows[i] += [(yes if each else no) if annotated[i] else unknown for each in has[i]]
        given |= {"labels": names}
        given |= {} if place == "columns" else {"yes": yes, "no": no, "unknown": [unknown or "?"]}
    else:
        pairs = [(ids[i], name) for i in range(n) if annotated[i] for name in lists[i]]
        _write(folder / f"{seed}.pairs.csv", [["song", "tag"], *map(list, pairs)], delimiter, encoding)
        truth = {key: tags or None if tags is not None else None for key, tags in truth.items()}
        given |= {"pairs": folder / f"{seed}.pairs.csv", "on": "song", "absent": "irrelevant"}
    path = folder / f"{seed}.csv"
    lines = _add_junk(junk, header, rows, tempo, delimiter)
    _write(path, lines, delimiter, encoding)
    return Messy(
        path, given, truth, dict(zip(ids, tempo, strict=True)), (place, delimiter, encoding, junk, notation, blank)
    )


def _number(value: float, delimiter: str) -> str:
    return f"{value}".replace(".", ",") if delimiter == ";" else f"{value}"


def _add_junk(junk: str, header: list[str], rows: list[list[str]], tempo: Any, delimiter: str) -> list[list[str]]:
    """Return all lines of a file."""
    width = len(header)
    above = {
        "title": [["Export of 2024"]],
        "title and blank": [["Export of 2024"], []],
        "padded title": [["Export of 2024", *[""] * (width - 1)]],
    }.get(junk, [])
    below = (
        [["Total", _number(round(float(sum(tempo)), 2), delimiter), *[""] * (width - 2)]] if junk == "total row" else []
    )
    below += [["Source: our archive", *[""] * (width - 1 if junk == "padded remark" else 0)]] * junk.endswith("remark")
    if junk == "statistics":
        pad = [""] * (width - 2)
        below = [
            ["Minimum", _number(min(tempo), delimiter), *pad],
            ["Median", _number(round(float(np.median(tempo)), 2), delimiter), *pad],
        ]
    further = {"second header": 1, "third header": 2}.get(junk, 0)
    second = [[f"What is {name}?" for name in header], [f"text of {name}" for name in header]][:further]
    half = len(rows) // 2
    between = {
        "repeated header": [header],
        "blank rows": [[""] * width] * 2,
        "subtotal": [["Subtotal", _number(round(float(sum(tempo[:half])), 2), delimiter), *[""] * (width - 2)]],
    }.get(junk, [])
    return [*above, header, *second, *rows[:half], *between, *rows[half:], *below]


def _write(path: Path, lines: list[list[str]], delimiter: str, encoding: str) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n" if len(lines) % 2 else "\n")
    writer.writerows(lines)
    path.write_bytes(text.getvalue().encode(encoding, errors="replace"))
