"""The files that halflabel itself writes and reads again, and the content that its writers accept."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.fuzz.mutator import mutate, overwrite
from tests.fuzz.structure import Change, change_tree
from tests.fuzz.tools import TOOLS
from tests.review_page.serving import read_journal

from halflabel import files
from halflabel._digests import KEY, digest_values
from halflabel._ledger import Ledger, read_lines
from halflabel.completion import Completion
from halflabel.completion.answers import find_answers
from halflabel.completion.stated_completion import take_completed
from halflabel.evidence.certificate import read_certificate, verify
from halflabel.files.raw_table import AbsentNotStated, ReadError
from halflabel.files.reading import read_table
from halflabel.review_page.answers import AnswerBook
from halflabel.table import open_table
from halflabel.table.described import find_description

LABELS = ["a", "b"]
IDS = [f"s{i:02}" for i in range(30)]


@cache
def completed() -> Completion:
    """Return a completion of another tool, so that nothing is fitted."""
    rng = np.random.default_rng(0)
    whole = pd.DataFrame(rng.integers(2, size=(30, 2)).astype(float), columns=LABELS)
    given = whole.where(rng.random(whole.shape) < 0.4)
    tables = [pd.DataFrame({"id": IDS, "x": rng.normal(size=30)}).join(each) for each in (given, whole)]
    return take_completed(*(open_table(each, id="id", labels=LABELS) for each in tables))


def finish(path: Path, n: int = 3) -> Any:
    """Go on with a task, and return its certificate and the delivered values."""
    task = completed().finish(0.2, seed=3, journal=path)
    try:
        asked = task.next(n)
        task.answer(asked.assign(answer=1))
        return task.certify(), task.completion.evidence.written_state
    finally:
        task.close()


def content_of(write: Callable[[Path], Any], suffix: str) -> Callable[[], bytes]:
    """Return what returns the content of a file that is written once."""

    @cache
    def make() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"seed{suffix}"
            write(path)
            return path.read_bytes()

    return make


def write_review(path: Path) -> None:
    body = {"item": "s01", "label": "a", "value": 1}
    common = {"at": "2026-11-22T08:00:00Z", "by": "ana"}
    with Ledger(path, "review") as ledger:
        ledger.begin({"table": "t", "by": "ana"})
        ledger.append([
            {"n": 1, "op": "answer", "key": "k1", **common, **body},
            {"n": 2, "op": "answer", "key": "k2", **common, "item": "s02", "label": "b", "value": 0},
            {"n": 3, "op": "undo", "key": "k3", **common, "of": 2},
            {"n": 4, "op": "answer", "key": "k5", **common, **body, "value": None, "why": "random"},
        ])  # fmt: skip


def write_certificate(path: Path) -> None:
    path.write_text(json.dumps(finish(path.with_suffix(".jsonl"), 20)[0]))


def read_review(path: Path) -> Any:
    """Read a journal, and apply each of its records."""
    header, records = read_journal(path)
    book = AnswerBook(IDS, LABELS)
    try:
        for record in records:
            book.apply(record)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error  # as the session of a review does
    return header, book.current


def prove(path: Path) -> Any:
    """Verify a certificate with the table that was delivered."""
    certificate = read_certificate(path)
    with tempfile.TemporaryDirectory() as folder:
        delivered = finish(Path(folder) / "j.jsonl", 20)[1]
    try:
        return verify(certificate, IDS, LABELS, delivered)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error  # the sentence is about the table


def describe(path: Path) -> Any:
    return find_description(pd.DataFrame({"x": [1]}), {}, path)


def change_chained(content: bytes, rng: np.random.Generator) -> bytes:
    """Change a ledger, or change a record and write right digests: the records of another program."""
    if rng.random() < 0.3:
        return mutate(content, rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(content)
        lines = read_lines(path)
        at = int(rng.integers(len(lines.records)))
        try:
            changed = json.loads(change_tree(json.dumps(lines.records[at]).encode(), rng))
            lines.records[at] = {**changed}
        except (ValueError, TypeError):  # no JSON object any more
            return mutate(content, rng)
        path.unlink()
        with Ledger(path, lines.header["journal"].removeprefix("halflabel ")) as ledger:
            ledger.begin(
                {key: value for key, value in lines.header.items() if key not in ("journal", "version", "chain")}
            )
            try:
                ledger.append(lines.records)
            except ValueError:  # JSON has no such number
                return mutate(content, rng)
        return path.read_bytes()


def change_certificate(content: bytes, rng: np.random.Generator) -> bytes:
    """Change a certificate, most often with a right digest, as a forger does."""
    changed = change_tree(content, rng)
    try:
        values = json.loads(changed)
        right = values | {KEY: digest_values(values)}
    except (ValueError, TypeError, AttributeError):  # no JSON object any more
        return changed
    return json.dumps(right).encode() if rng.random() < 0.7 else changed


def write_as_another(name: str) -> Callable[[Path], Any]:
    """Return a reader that writes what it reads as the file of each other tool."""

    def reader(path: Path) -> None:
        try:
            records = files.read(path, name)
        except AbsentNotStated:
            records = files.read(path, name, "unknown")
        for other, kind in files.FORMATS.items():
            with tempfile.TemporaryDirectory(dir=path.parent) as folder:
                target = Path(folder) / f"written{kind.suffixes[0]}"
                try:
                    files.write_records(target, other, records)
                except ValueError as error:
                    if str(error).endswith("."):  # a sentence of the writer about its target
                        raise ReadError(f"{path}: {error}") from error
                    raise

    return reader


DESCRIPTION = """version = 1
id = "x"
labels = ["a", "b"]
absent = "unknown"
sep = ";"
empty = "none"
yes = ["ja"]
no = ["nein"]
missing = ["-99"]
skip_rows = "1-2,last"
"""


def change_description(content: bytes, rng: np.random.Generator) -> bytes:
    """Change the bytes, or replace one value by another of the same or another kind."""
    if rng.random() < 0.5:
        return mutate(content, rng)
    lines = content.decode().splitlines()
    at, other = rng.integers(1, len(lines), 2)
    values = ['""', "true", "7", "-1.5", "[]", "{}", '["a"]', '{a = "b"}', lines[other].partition(" = ")[2]]
    lines[at] = f"{lines[at].partition(' = ')[0]} = {values[rng.integers(len(values))]}"
    return "\n".join(lines).encode()


ANSWERS = "item,label,answer,why\ns01,a,1,random\ns02,b,no,uncertain\ns03,a,?,\ns04,b,,\n"
VOTES = "item,label,source,value\ns01,a,ana,1\ns01,a,model,.25\ns02,b,ana,no\ns02,b,ben,0\n"


def items() -> pd.DataFrame:
    return pd.DataFrame(
        {"id": IDS, "x": np.sin(range(30)).round(1), "a": [1.0, 0.0, None] * 10, "b": [None, 1.0, 0.0] * 10}
    )


def read_review_table(path: Path) -> Any:
    return find_answers(path, open_table(items(), id="id", labels=LABELS))


def read_votes(path: Path) -> Any:
    return open_table(items(), id="id", labels=LABELS, sources=path)


def make_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE items (id TEXT PRIMARY KEY, x REAL, v BLOB, a INTEGER)")
        database.executemany("INSERT INTO items VALUES (?, ?, ?, ?)", [("s1", 0.5, b"7", 1), ("s2", None, None, None)])
        database.commit()


#: (name, suffix, seed, reader, change) of each format.
WRITTEN: list[tuple[str, str, Callable[[], bytes], Callable[[Path], Any], Change]] = [
    ("journal of a review", ".jsonl", content_of(write_review, ".jsonl"), read_review, change_chained),
    ("journal of a finish", ".jsonl", content_of(finish, ".jsonl"), finish, change_chained),
    ("certificate", ".json", content_of(write_certificate, ".json"), prove, change_certificate),
    ("description", ".toml", DESCRIPTION.encode, describe, change_description),
    ("answers", ".csv", ANSWERS.encode, read_review_table, mutate),
    ("votes", ".csv", VOTES.encode, read_votes, mutate),
    ("database", ".sqlite", content_of(make_database, ".sqlite"), read_table, overwrite),
]

_SEEDS = {name: (suffix, seed, change) for name, suffix, seed, _, change in TOOLS}

#: The formats of tools whose content is written as the file of every other tool.
REWRITTEN = [
    (f"{name} written again", suffix, seed, write_as_another(name.replace(" ", "-")), change)
    for name, (suffix, seed, change) in _SEEDS.items()
    if name in ("label studio", "prodigy", "argilla", "doccano")
]
