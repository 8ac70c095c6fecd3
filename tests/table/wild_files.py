"""Generators of small files like the exports of tools that people use, each with the labels that it means.

``WILD`` has one function per kind. It writes a file and returns the keys that its owner states first, and the state of
each entry. :func:`judge` reads the file as the command does.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from halflabel.table import open_table
from halflabel.table.question import Question

N = 40
NAMES = ["jazz", "folk", "rock", "sad"]
TOPICS = ["loud", "slow", "old", "new", "live", "soft"]


@dataclass(frozen=True)
class Wild:
    """A file with its meaning.

    Parameters
    ----------
    path : Path
    given : dict
        What its owner states in the first command.
    truth : DataFrame
        1, -1 or 0 for each item and label.
    """

    path: Path
    given: dict[str, Any]
    truth: pd.DataFrame


@dataclass(frozen=True)
class Songs:
    """What every file is about: which items have which labels, and which of them were annotated."""

    has: np.ndarray
    annotated: np.ndarray
    text: list[str]
    number: np.ndarray

    @property
    def lists(self) -> list[list[str] | None]:
        """The tags of each item; None for an item that was not annotated."""
        return [
            [NAMES[j] for j in np.flatnonzero(row)] if known else None
            for row, known in zip(self.has, self.annotated, strict=True)
        ]

    def truth(self, names: list[str] = NAMES) -> pd.DataFrame:
        """The state of each entry, where an annotated item was checked for all labels."""
        return pd.DataFrame(np.where(self.annotated[:, None], np.where(self.has, 1, -1), 0), columns=names)

    def cells(self, yes: Any, no: Any, gap: Any = "") -> list[list[Any]]:
        """A cell for each entry."""
        return [[(yes if x else no) if known else gap for x in row]
                for row, known in zip(self.has, self.annotated, strict=True)]  # fmt: skip


def make_songs(seed: int) -> Songs:
    """Draw the items. Each annotated item has a tag."""
    rng = np.random.default_rng(seed)
    has = rng.random((N, 4)) < 0.45
    has[np.arange(N), rng.integers(0, 4, N)] = True
    annotated = np.arange(N) % 3 != 2
    text = [f"a {TOPICS[k % 6]} song, number {k} of {TOPICS[(k // 6) % 6]} ones" for k in range(N)]
    return Songs(has, annotated, text, rng.normal(100, 9, N).round(2))


def write_csv(
    path: Path, rows: list[list[Any]], delimiter: str = ",", encoding: str = "utf-8", before: str = ""
) -> Path:
    """Write rows as delimited text."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    path.write_bytes((before + text.getvalue()).encode(encoding))
    return path


def columns_of(yes: Any, no: Any, gap: Any = "", header: list[str] = NAMES, **more: Any) -> Callable[..., Wild]:
    """A table with a column for each label."""

    def make(folder: Path, songs: Songs) -> Wild:
        cells = songs.cells(yes, no, gap)
        rows = [["id", "tempo", *header], *([k, songs.number[k], *cells[k]] for k in range(N))]
        return Wild(write_csv(folder / "songs.csv", rows, **more), {"labels": header}, songs.truth(header))

    return make


def tags_of(
    write: Callable[[list[str]], str], empty: str = "", names: list[str] = NAMES, none: str = "", **more: Any
) -> Callable[..., Wild]:
    """A table with a column of tags."""

    def make(folder: Path, songs: Songs) -> Wild:
        lists = [each if each is None else [names[NAMES.index(tag)] for tag in each] for each in songs.lists]
        cells = [empty if each is None else write(each) for each in lists]
        truth = songs.truth(names)
        if none:  # a word for annotated items without a tag
            cells[::8] = [none] * len(cells[::8])
            truth[::8] = -1
        rows = [["id", "text", "tempo", "tags"], *([k, songs.text[k], songs.number[k], cells[k]] for k in range(N))]
        given = {"tags": "tags", "absent": "irrelevant", "text": "text"}
        return Wild(write_csv(folder / "songs.csv", rows, **more), given, truth)

    return make


def make_joined(folder: Path, songs: Songs) -> Wild:
    """A form writes the choices together, and again one by one, and gives its header the path of the question."""
    joined = [" ".join(each or []) for each in songs.lists]
    cells = songs.cells(1, 0)
    rows = [["age", "mood", *(f"mood/{name}" for name in NAMES), "_id"],
            *([songs.number[k], joined[k], *cells[k], k] for k in range(N))]  # fmt: skip
    path = write_csv(folder / "form.csv", rows, ";")
    return Wild(path, {"labels": "mood/*"}, songs.truth([f"mood/{name}" for name in NAMES]))


def make_untouched(folder: Path, songs: Songs) -> Wild:
    """Forms that were never opened are exported as 0, and their state is a column."""
    cells = songs.cells(1, 0, 0)
    rows = [["record_id", "age", *NAMES, "form_complete"],
            *([k + 1, songs.number[k], *cells[k], 2 if songs.annotated[k] else 0] for k in range(N))]  # fmt: skip
    return Wild(write_csv(folder / "forms.csv", rows), {"labels": NAMES}, songs.truth())


def make_boxes(folder: Path, songs: Songs) -> Wild:
    """Boxes of a sheet are TRUE and FALSE in every row, and only checked items have a date."""
    cells = songs.cells("TRUE", "FALSE", "FALSE")
    dates = np.where(songs.annotated, "2024-03-01", "")
    rows = [["title", "tempo", *NAMES, "Checked on"],
            *([f"t{k}", songs.number[k], *cells[k], dates[k]] for k in range(N))]  # fmt: skip
    return Wild(write_csv(folder / "boxes.csv", rows), {"labels": NAMES}, songs.truth())


def json_of(wrap: Callable[[list[str]], Any], empty: Any = None, *, lines: bool = False) -> Callable[..., Wild]:
    """Records of JSON with a list, or an object, of tags."""

    def make(folder: Path, songs: Songs) -> Wild:
        records = [
            {"n": k, "body": songs.text[k], "labels": empty if each is None else wrap(each)}
            for k, each in enumerate(songs.lists)
        ]
        path = folder / ("issues.jsonl" if lines else "issues.json")
        path.write_text("\n".join(map(json.dumps, records)) if lines else json.dumps(records))
        return Wild(path, {"tags": "labels", "absent": "irrelevant", "text": "body"}, songs.truth())

    return make


def make_scores(folder: Path, songs: Songs) -> Wild:
    """An object per item has 1.0 and 0.0 for some of the labels."""
    hidden = np.random.default_rng(1).random(songs.has.shape) < 0.3
    records = [
        {"text": songs.text[k], "cats": {NAMES[j]: float(songs.has[k, j]) for j in range(4) if not hidden[k, j]}
         if songs.annotated[k] else {}} for k in range(N)
    ]  # fmt: skip
    path = folder / "train.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    truth = songs.truth().mask(pd.DataFrame(hidden, columns=NAMES), 0)
    return Wild(path, {"tags": "cats", "absent": "unknown", "text": "text"}, truth)


def make_wrapped(folder: Path, songs: Songs) -> Wild:
    """The records are below a key, next to another list."""
    records = [{"title": songs.text[k], "tags": each or []} for k, each in enumerate(songs.lists)]
    path = folder / "bookmarks.json"
    path.write_text(json.dumps({"bookmarks": records, "lists": [{"id": "l1"}]}))
    given = {"tags": "tags", "absent": "irrelevant", "text": "title", "empty": "unlabelled"}
    return Wild(path, given, songs.truth())


def make_slots(folder: Path, songs: Songs) -> Wild:
    """Each item has a column for its first tag, one for its second, and so on."""
    rows = [["id", "tempo", *(f"Label {j}" for j in (1, 2, 3, 4))]]
    rows += [[k, songs.number[k], *([*(each or []), "", "", "", ""][:4])] for k, each in enumerate(songs.lists)]
    return Wild(write_csv(folder / "slots.csv", rows), {"tags": "Label *", "absent": "irrelevant"}, songs.truth())


def make_repeated(folder: Path, songs: Songs) -> Wild:
    """The same, but all columns have the same name."""
    rows = [["id", "tempo", *["Labels"] * 4]]
    rows += [[k, songs.number[k], *([*(each or []), "", "", "", ""][:4])] for k, each in enumerate(songs.lists)]
    return Wild(write_csv(folder / "jira.csv", rows), {"tags": "Labels*", "absent": "irrelevant"}, songs.truth())


def make_database(folder: Path, songs: Songs) -> Wild:
    """A database with a table of items and one of pairs."""
    import sqlite3

    path = folder / f"shop{songs.number[0]}.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, tempo REAL)")
        db.execute("CREATE TABLE item_tags (item_id INTEGER REFERENCES items(id), tag TEXT)")
        db.executemany("INSERT INTO items VALUES (?, ?)", [(k, float(songs.number[k])) for k in range(N)])
        pairs = [(k, tag) for k, each in enumerate(songs.lists) for tag in each or []]
        db.executemany("INSERT INTO item_tags VALUES (?, ?)", pairs)
    return Wild(path, {"items_table": "items", "tags": "item_tags", "absent": "irrelevant"}, songs.truth())


def make_pairs(folder: Path, songs: Songs) -> Wild:
    """Items in one file, and their tags in another one, by the same key. Codes have leading zeros."""
    write_csv(folder / "tags.csv", [["id", "code"], *([f"{k:03}", f"0{NAMES.index(tag)}9"]
              for k, each in enumerate(songs.lists) for tag in each or [])])  # fmt: skip
    rows = [["id", "tempo"], *([f"{k:03}", songs.number[k]] for k in range(N))]
    given = {"pairs": folder / "tags.csv", "absent": "irrelevant"}
    return Wild(write_csv(folder / "songs.csv", rows), given, songs.truth([f"0{j}9" for j in range(4)]))


def make_labels_file(folder: Path, songs: Songs) -> Wild:
    """A file of labels of the annotated items, next to the file of all items."""
    cells = songs.cells(1, 0)
    write_csv(
        folder / "labels.csv", [["song", *NAMES], *([f"s{k}", *cells[k]] for k in range(N) if songs.annotated[k])]
    )
    rows = [["song", "tempo"], *([f"s{k}", songs.number[k]] for k in range(N))]
    given = {"labels_file": folder / "labels.csv", "labels": NAMES}
    return Wild(write_csv(folder / "songs.csv", rows), given, songs.truth())


def make_numbers(folder: Path, songs: Songs) -> Wild:
    """Lists of the numbers of classes, in Parquet."""
    lists = [None if each is None else [NAMES.index(tag) for tag in each] for each in songs.lists]
    pd.DataFrame({"x": songs.number, "label": lists}).to_parquet(folder / "x.parquet")
    return Wild(folder / "x.parquet", {"tags": "label", "absent": "irrelevant"}, songs.truth(list("0123")))


def seen(make: Callable[..., Wild]) -> Callable[..., Wild]:
    """The same file, but its owner states nothing, or nothing but the text."""

    def without(folder: Path, songs: Songs) -> Wild:
        wild = make(folder, songs)
        return Wild(
            wild.path, {key: value for key, value in wild.given.items() if key in ("text", "absent")}, wild.truth
        )

    return without


def quote_blanks(tags: list[str]) -> str:
    """Write tags with blanks between them, names with a blank in quotes."""
    return " ".join(f'"{tag}"' if " " in tag else tag for tag in tags)


TITLE = "Export of songs\n\n"
WILD: dict[str, Callable[..., Wild]] = {
    "0, 1 and gaps": columns_of(1, 0),
    "0, 1 and gaps, nothing stated": seen(columns_of(1, 0)),
    "yes and no, nothing stated": seen(columns_of("yes", "no")),
    "1.0 and 0.0": columns_of("1.0", "0.0"),
    "Y and N": columns_of("Y", "N"),
    "boxes": columns_of("☑", "☐"),
    "check marks": columns_of("✅", "❌"),
    "WAHR and FALSCH": columns_of("WAHR", "FALSCH"),
    "mentioned": columns_of("Mentioned", "Not mentioned"),
    "selected": columns_of("Selected", "Not selected", "NA"),
    "plus, minus and question mark": columns_of("+", "-", "?"),
    "codes 1, 2 and 9": columns_of(1, 2, 9),
    "-1 where an item was not scored": columns_of(1, 0, -1),
    "the mark sep=; above": columns_of(1, 0, delimiter=";", before="sep=;\n"),
    "a title above": columns_of(1, 0, before=TITLE),
    "UTF-16": columns_of(1, 0, delimiter="\t", encoding="utf-16"),
    "joined and separate": make_joined,
    "untouched forms are 0": make_untouched,
    "boxes of a sheet": make_boxes,
    "semicolons": tags_of(";".join),
    "a semicolon at the end": tags_of(lambda tags: ";".join(tags) + ";"),
    "commas with blanks": tags_of(", ".join),
    "commas, nothing stated but absent": seen(tags_of(", ".join)),
    "bars": tags_of("|".join, none="No Finding"),
    "bars around": tags_of(lambda tags: "|" + "|".join(tags) + "|"),
    "bars and no genres": tags_of("|".join, "(no genres listed)"),
    "blanks and codes": tags_of(" ".join, names=["math.CO", "cs.CG", "stat.ML", "math.PR"]),
    "blanks and numbers": tags_of(" ".join, names=["16", "0", "7", "21"]),
    "hash between": tags_of("#".join),
    "quoted blanks": tags_of(quote_blanks, names=["castle", "John Doe", "sea", "old town"]),
    "paths": tags_of(", ".join, names=["A|B", "A|C", "D", "E|F"]),
    "a tag called To do": tags_of(", ".join, names=["To do", "folk", "rock", "sad"]),
    "commas below sep=": tags_of("|".join, delimiter=";", before="sep=;\n"),
    "comments above": tags_of(",".join, before="# made in 2017\n"),
    "JSON lists": json_of(list, lines=True),
    "objects with an id and a color": json_of(
        lambda tags: [{"id": NAMES.index(t), "name": t, "color": "d73"} for t in tags]
    ),
    "objects in JSON, nothing for others": json_of(lambda tags: [{"name": t} for t in tags], lines=True),
    "values 1.0 and 0.0": make_scores,
    "records below a key": make_wrapped,
    "slots": make_slots,
    "repeated names": make_repeated,
    "a database": make_database,
    "pairs in a second file": make_pairs,
    "labels in a second file": make_labels_file,
    "numbers of classes": make_numbers,
}


def is_right(opened: Any, truth: pd.DataFrame) -> bool:
    """Return whether the labels are the true ones, item by item."""
    labels = opened.labels
    return set(labels.names) == set(truth.columns) and np.array_equal(
        labels.state, truth[list(labels.names)].to_numpy()
    )


def judge(wild: Wild) -> str:
    """Return the result of the first command.

    It is "right", "asked" (the first way of one question is right, and it is the likely one), "other way" (another way
    of the question is right), "never", or "wrong".
    """
    try:
        return "right" if is_right(open_table(wild.path, **wild.given), wild.truth) else "wrong"
    except Question as question:
        right = [number for number, way in enumerate(question.ways) if _leads(wild, way.state(wild.given))]
        return "never" if not right else "asked" if right[0] == 0 and question.likely else "other way"
    except ValueError:
        return "never"


def _leads(wild: Wild, given: dict[str, Any], depth: int = 2) -> bool:
    try:
        return is_right(open_table(wild.path, **given), wild.truth)
    except Question as question:
        return depth > 0 and any(_leads(wild, way.state(given), depth - 1) for way in question.ways)
    except ValueError:
        return False
