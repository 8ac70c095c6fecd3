"""The completed table on the disk: which format, which cells, and which suggestions replace older ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.completion.test_review_list import P, Y, complete, open_songs
from tests.elsewhere import needs_tools

from halflabel import PartialLabels, files
from halflabel.completion.output import MODEL, add_suggestions, choose_tool, to_records, write_completed
from halflabel.files.records import SOURCES, Records, cell_table
from halflabel.table import OpenTable, open_table
from halflabel.table.exclusions import Cause, Exclusion

EXPORT = SimpleNamespace(format="label-studio", records=object())


@pytest.mark.parametrize(
    ("source", "name", "format"),
    [
        (EXPORT, "x.json", "label-studio"),
        (EXPORT, "x.JSON", "label-studio"),
        (EXPORT, "x.csv", None),  # a suffix that the tool does not read
        (SimpleNamespace(format="csv", records=None), "x.json", None),
        (SimpleNamespace(format="", records=object()), "x.json", None),
        (None, "x.json", None),
    ],
)
def test_an_export_goes_back_to_its_tool_if_the_suffix_fits(source, name, format):
    assert choose_tool(source, Path(name)) == format


def list_cells(records: Records) -> list[tuple[str, str, float | None, str]]:
    """Return (item, label, value, source) of every cell, sorted."""
    return sorted(
        ((str(item), cell.label, cell.value, cell.source) for item, cells in records.by_item() for cell in cells),
        key=lambda row: row[:2],
    )


def make_records(names: tuple[str, ...], rows: list[tuple[int, int, float, str]]) -> Records:
    items, labels, values, sources = zip(*rows, strict=True)
    return Records(
        items=pd.DataFrame(index=["a", "b", "c"]),
        cells=cell_table(items, labels, values, [SOURCES.index(source) for source in sources]),
        names=names,
        annotated=np.ones(3, dtype=bool),
        closed=np.zeros(len(names), dtype=bool),
    )


def test_suggestions_replace_older_ones_and_corrections_replace_answers():
    before = make_records(
        ("x", "z"),
        [(0, 0, 1, "given"), (1, 0, 0, "person"), (2, 0, 0, "model"), (0, 1, 1, "model"), (2, 1, 0, "given")],
    )
    before = replace(before, closed=np.array([False, True]))
    given = PartialLabels.from_table(pd.DataFrame({"y": [1, np.nan, np.nan], "x": [0, 0, np.nan]}))
    final = pd.DataFrame({"y": [1, 1, np.nan], "x": [0, 0, 1]}, dtype=float)
    made = files.from_tables(before.items, final, np.full((3, 2), 0.5), given, model=MODEL)
    after = add_suggestions(before, made)
    assert after.names == ("x", "z", "y")
    assert after.closed.tolist() == [False, True, False]
    assert after.cells.index.tolist() == list(range(8))
    assert list_cells(after) == [
        ("a", "x", 0, "given"),  # corrected before the fit
        ("a", "y", 1, "given"),  # a new answer
        ("a", "z", 1, "model"),  # of a label that was not filled in now
        ("b", "x", 0, "person"),  # a person stays known
        ("b", "y", 1, "model"),
        ("c", "x", 1, "model"),  # in place of the older suggestion
        ("c", "y", None, "model"),  # undecided
        ("c", "z", 0, "given"),
    ]


def test_records_hold_the_items_given_values_and_suggestions():
    records = to_records(complete(open_songs(), min_precision=0.9).evidence)
    assert records.items.index.tolist() == [f"s{i}" for i in range(6)]
    assert records.items.columns.tolist() == ["tempo"]
    assert records.names == ("rock", "sad")
    cells = list_cells(records)
    assert [cell[2:] for cell in cells if cell[0] == "s0"] == [(1, "given"), (0, "given")]
    assert [cell[2:] for cell in cells if cell[0] == "s2"] == [(1, "model"), (None, "model")]  # .97 and .6
    np.testing.assert_array_equal(records.probabilities, P)
    assert set(records.cells["by"]) == {None, MODEL}


def test_the_column_of_tags_is_no_field_of_an_item():
    opened = open_songs(tags="tags", absent="irrelevant")
    opened = replace(opened, frame=opened.frame.assign(tags_open=""))
    assert to_records(complete(opened).evidence).items.columns.tolist() == ["tempo"]


def test_the_answers_of_an_export_stay_in_its_records():
    rows = [(0, 0, 1, "person"), (0, 1, 0, "given"), (1, 0, 0, "given"), (2, 1, 1, "model")]
    export = replace(make_records(("rock", "sad"), rows), items=pd.DataFrame(index=list("abcdef")))
    export = replace(export, annotated=np.ones(6, dtype=bool))
    opened = replace(open_songs(), source=SimpleNamespace(records=export))
    cells = {cell[:2]: cell[2:] for cell in list_cells(to_records(complete(opened).evidence))}
    assert cells["a", "rock"] == (1, "person")
    assert cells["c", "rock"] == (1, "model")
    assert len(cells) == 12


def open_with_ids(ids: list[str | None]) -> OpenTable:
    """Return a table in which no column was named as the id."""
    frame = pd.DataFrame({"code": ids, "tempo": [1.5, 2.0, 1.5, 2.0, 1.5, 2.0]})
    frame[["rock", "sad"]] = Y
    opened = open_table(frame, labels=["rock", "sad"])
    ignored = (("tempo", "constant"), ("code", Exclusion("the number of the row", Cause.IDENTIFIER)))
    return replace(opened, roles=replace(opened.roles, ignored=ignored))


@pytest.mark.parametrize(
    ("ids", "kept"),
    [(list("uvwxyz"), True), (list("uvwxyy"), False), ([*"uvwxy", None], False)],
    ids=["distinct", "repeated", "missing"],
)
def test_a_tool_keeps_a_column_that_looks_like_an_id(ids, kept):
    items = to_records(complete(open_with_ids(ids)).evidence).items
    assert items.index.tolist() == (ids if kept else list(range(6)))
    assert items.columns.tolist() == (["tempo"] if kept else ["code", "tempo"])


def test_an_index_of_the_user_is_kept():
    opened = open_with_ids(list("uvwxyz"))
    items = to_records(complete(replace(opened, index=pd.Index(list("abcdef")))).evidence).items
    assert items.index.tolist() == list("abcdef")
    assert items.columns.tolist() == ["code", "tempo"]


def test_arrays_have_no_fields():
    opened = open_songs()
    items = to_records(complete(replace(opened, frame=None)).evidence).items
    assert items.shape == (6, 0)
    assert items.index.tolist() == opened.index.tolist()


class TestWriting:
    def test_a_table_is_written_with_its_gaps_filled(self, tmp_path):
        assert write_completed(complete(open_songs()).evidence, tmp_path / "plain.csv") == ()
        assert pd.read_csv(tmp_path / "plain.csv")["rock"].tolist() == [1, 0, 1, 1, 0, 0]

    @needs_tools
    def test_what_a_tool_cannot_hold_is_named_with_the_tool(self, tmp_path):
        lost = write_completed(complete(open_songs()).evidence, tmp_path / "x.jsonl", "doccano")
        assert lost[1] == "doccano: suggested values look like given ones (4 entries)."

    def test_a_parquet_file_keeps_the_classes_of_its_source(self, tmp_path, monkeypatch):
        written = []
        monkeypatch.setattr("halflabel.files.huggingface.write_with_classes", lambda *given: written.append(given))
        opened = open_songs(tags="tags", absent="irrelevant")
        raw = SimpleNamespace(form=None, classes={"tags": ["rock", "sad"]})
        filled = complete(replace(opened, source=SimpleNamespace(records=None, raw=raw)))
        assert write_completed(filled.evidence, tmp_path / "x.parquet") == ()
        assert [given[1:] for given in written] == [(tmp_path / "x.parquet", {"tags": ["rock", "sad"]}, "tags_open")]
        write_completed(filled.evidence, tmp_path / "x.csv")
        without_source = replace(filled.evidence, opened=replace(opened, source=None))
        write_completed(without_source, tmp_path / "x.parquet")
        assert len(written) == 1
