"""Tags in every notation that people hold, read alike and written back as they came."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.table.notations import read_labels

import halflabel as hl
from halflabel.table import Roles, fill_tags, open_table
from halflabel.table.tag_notations import TagNotation
from halflabel.table.tag_recognition import recognise_tags

pytestmark = pytest.mark.usefixtures("one_member")

CELLS = {
    "separated by ';'": ["billing; refund", "login", None],
    "separated by ','": ["billing, refund", "login", None],
    "separated by '|'": ["billing|refund", "login", ""],
    "JSON lists": ['["billing","refund"]', '["login", null]', None],
    "lists as Python writes them": ["['billing', 'refund']", "['login']", None],
    "lists": [["billing", "refund"], np.array(["login", None], dtype=object), None],
}


@pytest.mark.parametrize(("description", "cells"), CELLS.items(), ids=CELLS)
def test_every_notation_gives_the_same_labels(description, cells):
    column = pd.Series(cells, dtype=object)
    reading = read_labels(pd.DataFrame({"tags": column}), Roles(tags="tags"), absent="irrelevant")
    assert reading.labels.names == ("billing", "login", "refund")
    assert reading.labels.state.tolist() == [[1, -1, 1], [-1, 1, -1], [0, 0, 0]]
    assert reading.notation.description == description
    filled = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 1.0]])
    written = fill_tags(column, reading.labels, filled, reading.notation)
    again = read_labels(pd.DataFrame({"tags": written}), Roles(tags="tags"), absent="irrelevant")
    assert again.labels.relevant.tolist() == (filled == 1).tolist()
    assert again.notation.form == reading.notation.form


@pytest.mark.parametrize("cell", ["[1, [2]]", '["a"', "{'a': 1}", "__import__('os')"])
def test_text_that_is_no_list_is_an_error_with_its_row(cell):
    column = pd.Series(['["a"]', '["b"]', cell])
    with pytest.raises(ValueError, match=r"\(row 2\)"):
        read_labels(pd.DataFrame({"tags": column}), Roles(tags="tags"), absent="irrelevant")


tags = st.lists(st.text(st.characters(codec="utf-8", exclude_characters=";,|"), min_size=1), unique=True, min_size=1)


@given(st.sampled_from(["json", "python", "list"]), tags)
def test_what_is_written_is_read_again(form, names):
    names = [name.strip() for name in names if name.strip()]
    notation = TagNotation(form)
    assert notation.read(notation.write(names)) == names


def test_undecided_labels_differ_from_irrelevant_ones(rng):
    X = rng.normal(size=(90, 2))
    cells = [";".join(n for n, x in zip("ab", row, strict=True) if x > 0) for row in X]
    frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "tags": [c if i % 3 else None for i, c in enumerate(cells)]})
    options = {"tags": "tags", "absent": "irrelevant", "empty": "unlabelled", "effort": "fast"}
    first = hl.complete(frame, min_precision=0.99, **options)
    assert (first.state == 0).any()
    assert first.table["tags_open"].notna().tolist() == (first.state == 0).any(axis=1).tolist()
    again = hl.complete(first.table, **options)
    assert [name for name, _ in again.opened.roles.ignored] == ["tags_open"]
    decided = first.state[(first.state != 0).any(axis=1)]
    np.testing.assert_array_equal(again.labels.state[(first.state != 0).any(axis=1)], decided)
    assert again.table["tags_open"].isna().all()


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        ([[1, None], [], [np.int64(2)]], "list"),
        ([[1, "a"]], "list"),
        ([None, (), {"a"}], "list"),
        (["[1, 2]", "x"], "json"),  # half of the cells is enough
        (["[1, 2]", "x", "y"], "separated"),
        (["[a", "b]"], "separated"),
        (["{a", "b}"], "separated"),
        ([" ['a'] ", None], "python"),
        ([None, ""], "separated"),
    ],
)
def test_the_form_of_a_column(cells, form):
    assert recognise_tags(pd.Series(cells, dtype=object)).form == form


@pytest.mark.parametrize(
    ("cells", "sep", "glue"),
    [
        (["a,b", "c, d"], ",", ", "),
        (["a|b"], "|", "|"),
        (["a"], ";", ";"),
    ],
)
def test_the_separator_and_the_blank_after_it(cells, sep, glue):
    notation = recognise_tags(pd.Series(cells))
    assert (notation.sep, notation.glue) == (sep, glue)


@pytest.mark.parametrize(
    ("notation", "tags", "cell"),
    [
        (TagNotation("json"), ["é", "b"], '["é", "b"]'),
        (TagNotation("python"), ["é", "b"], "['é', 'b']"),
        (TagNotation("list", objects={"3": 3, "12": 12}), ["3", "12"], [3, 12]),
    ],
)
def test_a_cell_is_written_as_its_tool_writes_it(notation, tags, cell):
    assert notation.write(tags) == cell
    assert notation.read(cell) == tags


def test_a_list_as_text_has_a_maximum_length():
    longest = '["' + 99_996 * "a" + '"]'
    assert [len(tag) for tag in TagNotation("json").read(longest)] == [99_996]
    with pytest.raises(ValueError, match="the cell has more than 100,000 characters"):
        TagNotation("json").read(longest + " ]")
    with pytest.raises(ValueError, match="text or a list was expected"):
        TagNotation("json").read(3)


@pytest.mark.parametrize("cell", ['{"choices": ["a", "b"]}', {"choices": ["a", "b"]}])
def test_a_short_export_of_label_studio_is_an_error_with_the_export_that_is_read(cell):
    with pytest.raises(ValueError, match="export the project as JSON, which also has the skipped tasks"):
        recognise_tags(pd.Series(["a", "b", "a", cell, None], dtype=object))


def test_a_text_is_no_list():
    with pytest.raises(ValueError, match="the list is not well formed"):
        TagNotation("json").read('["a"')
    for form in ("json", "python"):
        with pytest.raises(ValueError, match="a list of tags was expected"):
            TagNotation(form).read('"a"')


@pytest.mark.parametrize(("cells", "empty"), [(["('a', 'b')", "('b',)"], "()"), (['["a"]'], "[]")])
def test_an_empty_list_that_a_program_printed_is_an_annotated_item(cells, empty):
    column = pd.Series([*cells, empty, None] * 5, name="tags")
    frame = pd.DataFrame({"tempo": np.arange(len(column)) * 1.7 % 13, "tags": column})
    labels = open_table(frame, tags="tags", absent="irrelevant").labels
    assert labels.annotated.tolist() == column.notna().tolist()
