"""Limits of what one file may hold."""

from __future__ import annotations

import pytest

from halflabel.files import collector
from halflabel.files.collector import Collector
from halflabel.files.raw_table import ReadError


@pytest.fixture
def collected(tmp_path, monkeypatch):
    monkeypatch.setattr(collector, "MAX_LABELS", 3)
    monkeypatch.setattr(collector, "MAX_FIELDS", 3)
    return Collector(tmp_path / "a.json", None)


def test_a_file_with_too_many_labels_is_named_with_the_limit(collected):
    for item in range(9):
        collected.add(item, "abc"[item % 3], 1.0)
    with pytest.raises(ReadError, match=r"a\.json: there are more than 3 labels"):
        collected.add(0, "d", 1.0)


def test_a_file_with_too_many_fields_is_named_with_the_limit(collected):
    for number in range(4):
        collected.item(str(number), {f"field {number}": 1})
    with pytest.raises(ReadError, match=r"a\.json: its items have 4 fields, above the limit of 3"):
        collected.records("doccano")
