"""Records: the answers of people and the suggestions of models for an entry, and what follows."""

import datetime

import numpy as np
import pandas as pd
import pytest

from halflabel.files.field_values import frame_of, number_in, plain, rows_of, share_in
from halflabel.files.label_tables import from_tables
from halflabel.files.loss import Loss, _count
from halflabel.files.records import SOURCES, Records, cell_table
from halflabel.labels import PartialLabels

MODEL = SOURCES.index("model")
PERSON = SOURCES.index("person")


def one_entry(*cells, annotated=True, closed=False):
    """Return records of one item and one label with the given cells: (value, source, p, by, at)."""
    table = cell_table(*(zip(*[(0, 0, *cell) for cell in cells], strict=True) if cells else [()] * 7))
    items = pd.DataFrame(index=["a"])
    return Records(items, table, ("rock",), np.array([annotated]), np.array([closed]))


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        ([], np.nan),
        ([(1, PERSON, None, "ana", None)], 1),
        ([(1, PERSON, None, "ana", None), (1, PERSON, None, "ben", None)], 1),
        ([(1, PERSON, None, "ana", None), (0, PERSON, None, "ben", None)], np.nan),
        ([(1, PERSON, None, "ana", "2026-02"), (0, PERSON, None, "ana", "2026-01")], 1),  # the last of one person
        ([(1, PERSON, None, "ana", None), (None, PERSON, None, "ben", None)], 1),  # an unsure person does not disagree
        ([(1, PERSON, None, "ana", "2026-01"), (None, PERSON, None, "ana", "2026-02")], np.nan),  # taken back
        ([(1, PERSON, None, None, None), (0, PERSON, None, None, None)], np.nan),  # nameless: may be two people
        ([(1, MODEL, 0.9, None, None)], np.nan),
    ],
)
def test_answers(cells, value):
    records = one_entry(*cells)
    np.testing.assert_array_equal(records.labels, [[value]])


def test_an_annotated_item_does_not_have_what_its_list_lacks():
    np.testing.assert_array_equal(one_entry(closed=True).labels, [[0]])
    np.testing.assert_array_equal(one_entry(closed=True, annotated=False).labels, [[np.nan]])
    unsure = one_entry((None, PERSON, None, "ana", None), closed=True)
    np.testing.assert_array_equal(unsure.labels, [[np.nan]])
    opened = one_entry(closed=True).opened()
    assert not opened.closed.any()
    np.testing.assert_array_equal(opened.labels, [[0]])


def test_tables_and_back(tables):
    records = from_tables(**tables)
    for frame, table in [
        (records.labels, "given"),
        (records.final, "labels"),
        (records.probabilities, "probabilities"),
    ]:
        pd.testing.assert_frame_equal(frame, tables[table], check_names=False, check_column_type=False)
    assert records.suggestions.notna().sum().sum() == 4
    np.testing.assert_array_equal(records.to_partial_labels().state, PartialLabels.from_table(tables["given"]).state)


def test_partial_labels_and_corrections(tables):
    given = PartialLabels.from_table(tables["given"])
    corrected = tables["given"].copy()
    corrected.loc["aria", "rock"] = 0  # a model contradicts
    records = from_tables(tables["items"], corrected, given=given)
    assert records.labels.loc["aria", "rock"] == 1
    assert records.final.loc["aria", "rock"] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"given": pd.DataFrame({"x": [1.0]})}, "must have the same names"),
        ({"probabilities": np.zeros((4, 2))}, r"there are 4 items, but labels of shape \(4, 3\)"),
        ({"probabilities": np.full((4, 3), 1.5)}, "below 0 or above 1"),
    ],
)
def test_tables_that_do_not_fit(tables, change, message):
    with pytest.raises(ValueError, match=message):
        from_tables(**tables | change)


def test_ids_are_distinct(tables):
    items = tables["items"].set_axis(["a", "b", "b", "c"], axis=0)
    with pytest.raises(ValueError, match="'b' appears twice"):
        from_tables(**tables | {"items": items})


def test_too_many_entries():
    items = pd.DataFrame(index=pd.RangeIndex(200_001))
    names = tuple(map(str, range(1000)))
    with pytest.raises(ValueError, match="keep the most frequent labels only"):
        Records(items, cell_table(*[()] * 7), names, np.zeros(200_001, dtype=bool), np.zeros(1000, dtype=bool))


def test_every_loss_is_counted():
    assert {*_count(one_entry()), Loss.FIELDS} == set(Loss)


def test_fields_keep_their_types():
    rows = [
        {
            "when": datetime.datetime(2026, 11, 22),
            "n": 1,
            "x": 0.5,
            "flag": True,
            "text": "a",
            "list": [1, None],
            "big": 2**70,
            "mixed": 1,
        },
        {"when": None, "n": None, "x": None, "flag": None, "text": None, "list": None, "big": 1, "mixed": "b"},
    ]
    frame = frame_of(rows, pd.Index(["a", "b"]))
    assert list(rows_of(frame)) == [row | {"when": row["when"] and row["when"].isoformat()} for row in rows]
    assert frame["when"].dtype.kind == "M"
    assert frame["n"].dtype == "Int64"
    assert frame["flag"].dtype == "boolean"
    assert frame["x"].dtype == "float64"


def test_numbers_beyond_any_type():
    values = [10**400, 0.5, None]
    assert list(rows_of(frame_of([{"a": value} for value in values], pd.RangeIndex(3)))) == [{"a": x} for x in values]
    assert number_in(10**400) is None
    assert share_in(True) is None


def test_plain_values():
    values = [np.float32(0.5), np.array([[1, 2]]), pd.NaT, {"a": np.int8(1)}, {1}, np.nan, pd.NA]
    assert [plain(value) for value in values] == [0.5, [[1, 2]], None, {"a": 1}, [1], None, None]


def test_only_gaps_with_a_probability_are_undecided_suggestions():
    """One row per combination: a value or none, an answer or none, a probability or none."""
    values, given, p = (np.array(column) for column in zip(*np.ndindex(2, 2, 2), strict=True))
    table = pd.DataFrame({"rock": np.where(values, 1.0, np.nan)}, index=[f"i{n}" for n in range(8)])
    answers = pd.DataFrame({"rock": np.where(given, 1.0, np.nan)}, index=table.index)
    records = from_tables(pd.DataFrame(index=table.index), table, np.where(p, 0.4, np.nan)[:, None], answers)
    by_model = records.cells[records.cells["source"] == "model"]
    undecided = set(by_model.loc[by_model["value"].isna(), "item"])
    assert undecided == set(np.flatnonzero((values == 0) & (given == 0) & (p == 1)))
    assert set(by_model.loc[~by_model["value"].isna(), "item"]) == set(np.flatnonzero((values == 1) & (given == 0)))
