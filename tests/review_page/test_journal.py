"""The journal: acknowledged answers survive a kill, a cut line is dropped, other damage is named."""

import json
import os
import signal
import time
import warnings

import numpy as np
import pytest
from tests.review_page.serving import read_journal

from halflabel.review_page.answers import Record
from halflabel.review_page.journal import describe_change, open_journal

HEADER = {"table": "abc", "by": "ana"}


def open_review(path, header=HEADER):
    """Open a journal, and return it with its records."""
    records = []
    return open_journal(path, header, records.append), records


def make_record(n):
    body = {"item": f"item {n} \u2028 é", "label": "sad", "value": n % 2}
    return Record(n, "answer", "ana", "now", f"k{n}", body)


def write(path, numbers):
    with open_review(path)[0] as journal:
        journal.append(make_record(n).to_dict() for n in numbers)


def test_what_was_appended_is_read_back(tmp_path):
    path = tmp_path / "a.jsonl"
    write(path, [1, 2])
    write(path, [3])
    journal, records = open_review(path, {"table": "other"})
    with journal:
        assert records == [make_record(n) for n in (1, 2, 3)]
        assert journal.header["table"] == "abc"
        assert journal.notes == []
    assert read_journal(path)[1] == records
    assert os.stat(path).st_mode & 0o077 == 0  # other users cannot read it


def test_a_journal_that_is_cut_at_any_byte_keeps_every_whole_line(tmp_path):
    whole = tmp_path / "whole.jsonl"
    write(whole, range(1, 6))
    content, path = whole.read_bytes(), tmp_path / "cut.jsonl"
    header = content.index(b"\n") + 1
    for size in range(header, len(content)):
        path.write_bytes(content[:size])
        journal, records = open_review(path)
        with journal:
            assert len(records) == content[:size].count(b"\n") - 1
            assert bool(journal.notes) == (content[size - 1 : size] != b"\n")
            journal.append([make_record(9).to_dict()])
        assert read_journal(path)[1][-1] == make_record(9)


def test_a_header_that_is_cut_begins_a_new_journal(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"journal":"halfl')
    with open_review(path)[0] as journal:
        assert journal.records == []
        assert journal.header["by"] == "ana"


@pytest.mark.parametrize("line", ["{broken", "[]", '{"n":2,"op":"answer","item":"i","label":"l","value":1}'])
def test_a_line_of_another_program_is_named(tmp_path, line):
    path = tmp_path / "a.jsonl"
    write(path, [1])
    path.write_text(path.read_text() + line + "\n")
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"line 3: (the line is damaged|its digest does not follow)"):
        open_review(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (Record(2, "answer", "a", "t", "k", {"item": "i", "label": "l", "value": 7}), "line 3: an answer has"),
        (Record(1, "undo", "a", "t", "k", {"of": 1}), "line 3: record 1 does not follow record 1"),
    ],
)
def test_a_record_of_a_newer_version_is_named(tmp_path, record, message):
    path = tmp_path / "a.jsonl"
    write(path, [1])
    with open_review(path)[0] as journal:
        journal.append([record.to_dict()])
    with pytest.raises(ValueError, match=message):
        open_review(path)


def test_another_file_is_no_journal(tmp_path):
    path = tmp_path / "a.csv"
    for content in ("song,sad\na,1\n", json.dumps({"journal": "other"}) + "\n"):
        path.write_text(content)
        with pytest.raises(ValueError, match=r"damaged|not the journal"):
            open_review(path)
        assert path.read_text() == content


def test_a_journal_is_open_once(tmp_path):
    path = tmp_path / "a.jsonl"
    with open_review(path)[0], pytest.raises(ValueError, match="open in another review"):
        open_review(path)
    open_review(path)[0].close()


def test_a_full_disk_leaves_the_journal_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    with open_review(path)[0] as journal:
        journal.append([make_record(1).to_dict()])
        before = path.read_bytes()
        real = os.write
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda file, content: real(file, content[:10]))
            with pytest.raises(OSError, match="the disk is full"):
                journal.append([make_record(2).to_dict()])
        assert path.read_bytes() == before
        journal.append([make_record(2).to_dict()])
    assert len(read_journal(path)[1]) == 2


def test_a_changed_table_is_named():
    assert describe_change({"table": "a"}, {"table": "a"}, 0) == []
    assert [note.split(":")[0].split(",")[0] for note in describe_change({"table": "a"}, {"table": "b"}, 2)] == [
        "The table has changed since the journal was begun",
        "2 answers of the journal are about items or labels that are not in the table",
    ]


def kill_while_writing(path, seconds, is_first):
    """Append from a child process until it is killed; return the number of the last record that was acknowledged.

    The first child is killed after its first record, the others perhaps before.
    """
    reads, writes = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child uses no thread
        child = os.fork()
    if child == 0:
        with open_review(path)[0] as journal:
            n = journal.records[-1]["n"] if journal.records else 0
            while True:
                n += 1
                journal.append([make_record(n).to_dict()])
                os.write(writes, n.to_bytes(4, "little"))
    os.close(writes)
    acknowledged = os.read(reads, 4) if is_first else b""
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reads, "rb") as file:
        acknowledged += file.read()
    return int.from_bytes(acknowledged[-4:], "little")


@pytest.mark.parametrize("kills", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_no_acknowledged_answer_is_lost_by_a_kill(tmp_path, kills):
    path, rng, last = tmp_path / "a.jsonl", np.random.default_rng(0), 0
    for turn in range(kills):
        last = max(last, kill_while_writing(path, rng.uniform(0.005, 0.06), turn == 0))
        with open_review(path)[0] as journal:
            numbers = [record["n"] for record in journal.records]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= last
    assert last > 0
