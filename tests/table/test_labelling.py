"""Label columns, tags and pairs become PartialLabels; filled labels go back into a tags column."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.table.notations import read_labels

from halflabel import PartialLabels
from halflabel.table import Description, Roles, fill_tags
from halflabel.table import pairs as reader
from halflabel.table.label_words import find_meanings
from halflabel.table.labelling import read_known_labels, read_stated_labels
from halflabel.table.question import Question
from halflabel.table.reading import count_labels
from halflabel.table.tag_columns import _quote
from halflabel.table.tag_notations import name_open_column

LISTS = pd.ArrowDtype(pa.list_(pa.string()))
TAGS = Roles(tags="tags")


def read_pairs(pairs, on, ids, absent):
    return reader.read_pairs(Description(pairs=pairs, on=on, absent=absent), ids)


def tagged(cells: list, dtype: object = None) -> pd.DataFrame:
    return pd.DataFrame({"tags": pd.Series(cells, dtype=dtype)})


# -- label columns -----------------------------------------------------------------


def test_label_columns_in_the_order_of_the_roles():
    frame = pd.DataFrame({"a": [1, 0, None], "x": [9, 9, 9], "b": pd.array([None, True, False], dtype="boolean")})
    reading = read_labels(frame, Roles(labels=("b", "a")))
    assert reading.labels.names == ("b", "a")
    assert reading.labels.state.tolist() == [[0, 1], [1, -1], [-1, 0]]
    assert reading.notes == ()


def test_text_in_a_label_column_raises_by_name_value_and_row():
    frame = pd.DataFrame({"rock": [None, "yes", "no"]})
    with pytest.raises(
        ValueError,
        match=r"label 'rock' holds 'yes' \(row 1\), but .* If 'yes' means yes and 'no' means no, state yes='yes', no",
    ):
        read_labels(frame, Roles(labels=("rock",)))


class TestColumnsOfPositives:
    """1 and "not assigned": an empty cell, or 0."""

    COLUMNS = Roles(labels=("a", "b"))
    TICKS = pd.DataFrame({"a": [1, None, None, None], "b": [1, 1, None, None]})

    @pytest.mark.parametrize(("empty", "annotated"), [("unlabelled", [1, 1, 0, 0]), ("none", [1, 1, 1, 1])])
    def test_an_empty_cell_of_an_annotated_item_is_not_assigned(self, empty, annotated):
        labels = read_labels(self.TICKS, self.COLUMNS, absent="unknown", empty=empty).labels
        assert labels.positive_only
        assert labels.state.tolist() == [[1, 1], [0, 1], [0, 0], [0, 0]]
        assert labels.annotated.tolist() == annotated
        again = read_known_labels(self.TICKS, self.COLUMNS, ("a", "b"), absent="unknown", empty=empty)
        np.testing.assert_array_equal(again.annotated, labels.annotated)
        nothing = read_known_labels(self.TICKS[2:], self.COLUMNS, ("a", "b"), absent="unknown", empty=empty)
        assert nothing.annotated.tolist() == annotated[2:]

    def test_0_is_not_assigned_as_in_from_positives(self):
        table = pd.DataFrame({"a": [1, 0, None], "b": [0, 0, None]})
        labels, expected = (
            read_labels(table, self.COLUMNS, absent="unknown").labels, PartialLabels.from_positives(table)
        )  # fmt: skip
        np.testing.assert_array_equal(labels.state, expected.state)
        np.testing.assert_array_equal(labels.annotated, expected.annotated)

    def test_a_column_of_1_in_every_row_annotates_nothing(self):
        table = self.TICKS.assign(c=1)
        labels = read_labels(table, Roles(labels=("a", "b", "c")), absent="unknown").labels
        assert labels.annotated.tolist() == [True, True, False, False]

    def test_0_next_to_an_empty_cell_is_a_known_no(self):
        table = pd.DataFrame({"a": [1, 0], "b": [1, None]})
        with pytest.raises(ValueError, match=r"have 0 and empty cells in one row \(row 1\).*leave the option out"):
            read_labels(table, self.COLUMNS, absent="unknown")

    def test_irrelevant_is_stated_by_another_option(self):
        with pytest.raises(ValueError, match=r"absent='irrelevant' is about tag lists.* state no='' in its place"):
            read_labels(self.TICKS, self.COLUMNS, absent="irrelevant")


def test_label_columns_that_new_items_lack_are_unknown():
    frame, roles = pd.DataFrame({"a": [1, 0, None], "x": [9, 9, 9]}), Roles(labels=("b", "a"))
    labels = read_known_labels(frame, roles, ("b", "a"))
    assert labels.names == ("b", "a")
    assert labels.state.tolist() == [[0, 1], [0, -1], [0, 0]]
    words = frame.assign(a=["yes", None, "no"])
    labels = read_known_labels(words, roles, ("b", "a"), meanings={"yes": 1.0, "no": 0.0})
    assert labels.state.tolist() == [[0, 1], [0, 0], [0, -1]]
    assert not read_known_labels(frame[["x"]], roles, ("b", "a")).state.any()


def test_tags_of_new_items_are_read_where_they_are_known_labels():
    labels = read_known_labels(tagged(["sad;new", None, "rock"]), TAGS, ("rock", "sad"))
    assert labels.names == ("rock", "sad")
    assert labels.state.tolist() == [[-1, 1], [0, 0], [1, -1]]
    assert not read_known_labels(pd.DataFrame({"x": [1, 2]}), TAGS, ("rock", "sad")).state.any()


# -- tags --------------------------------------------------------------------------


def test_absent_has_no_default():
    with pytest.raises(ValueError, match=r"state absent='irrelevant'.* state absent='unknown'"):
        read_labels(tagged(["a"]), TAGS)


@pytest.mark.parametrize("dtype", ["str", object, "category", pd.ArrowDtype(pa.string())])
def test_text_is_split_stripped_and_emptied(dtype):
    frame = tagged([" rock ;sad", "live;;rock; ", None, ";", ""], dtype)
    reading = read_labels(frame, TAGS, absent="irrelevant")
    assert reading.labels.names == ("live", "rock", "sad")
    assert reading.labels.state.tolist() == [[-1, 1, 1], [1, 1, -1], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert reading.labels.annotated.tolist() == [True, True, False, False, False]
    assert reading.notes == ("An empty cell in the tags column 'tags': 3 items, unlabelled.",)


def test_an_empty_cell_can_mean_without_tags():
    reading = read_labels(tagged(["a|b", None]), TAGS, absent="irrelevant", empty="none", stated=Description(sep="|"))
    assert reading.labels.state.tolist() == [[1, 1], [-1, -1]]
    assert reading.labels.annotated.all()
    assert reading.notes == ("An empty cell in the tags column 'tags': 1 item, annotated, without tags.",)


@pytest.mark.parametrize("dtype", [object, LISTS])
def test_real_lists_distinguish_missing_from_empty(dtype):
    reading = read_labels(tagged([["a", None, " b "], [], None], dtype), TAGS, absent="unknown")
    assert reading.labels.names == ("a", "b")
    assert reading.labels.annotated.tolist() == [True, True, False]
    assert reading.labels.positive_only
    assert reading.notes[0] == "An empty cell in the tags column 'tags': 1 item, unlabelled."


def test_other_cells_in_a_tags_column_raise():
    with pytest.raises(ValueError, match=r"the tags column 'tags' holds 5 \(row 1\), .* such as 'rock, sad', or lists"):
        read_labels(tagged(["a", 5], object), TAGS, absent="unknown", stated=Description(sep=","))


def test_a_long_cell_is_clipped_in_the_message():
    assert _quote("x" * 60) == repr("x" * 60)
    assert _quote("x" * 61) == repr("x" * 59 + "…")
    assert _quote(["x" * 100]) == "['" + "x" * 78


def test_undecided_tags_of_an_item_are_unknown_unless_it_has_them():
    frame = tagged(["a;b", "c", None, None]).assign(**{name_open_column("tags"): ["b;c", None, "a", None]})
    reading = read_labels(frame, TAGS, absent="irrelevant")
    assert reading.labels.names == ("a", "b", "c")
    assert reading.labels.state.tolist() == [[1, 1, 0], [-1, -1, 1], [0, -1, -1], [0, 0, 0]]
    assert reading.notes == ("An empty cell in the tags column 'tags': 1 item, unlabelled.",)


@pytest.mark.parametrize("absent", ["irrelevant", "unknown"])
def test_new_items_without_a_known_label(absent):
    """An empty list is an annotated item: with all its labels irrelevant, or none observed."""
    labels = read_known_labels(tagged([None, None]), TAGS, ("a", "b"), absent=absent)
    assert (labels.state.any(), labels.annotated.any(), labels.positive_only) == (False, False, absent == "unknown")
    labels = read_known_labels(tagged([[], None]), TAGS, ("a", "b"), absent=absent)
    assert labels.state.tolist() == ([[-1, -1], [0, 0]] if absent == "irrelevant" else [[0, 0], [0, 0]])
    assert labels.annotated.tolist() == [True, False]
    assert labels.positive_only is (absent == "unknown")
    columns = read_known_labels(pd.DataFrame({"x": [1, 2]}), Roles(labels=("a",)), ("a",), absent=absent)
    assert columns.positive_only is (absent == "unknown")
    assert not columns.annotated.any()


def test_the_most_frequent_labels_are_listed_first_and_at_most_twelve():
    lists = [[f"t{j:02}"] for j in range(12)] + [["t05", "t03"], ["t05"]]
    counts = "t05 3, t03 2, t00 1, t01 1, t02 1, t04 1, t06 1, t07 1, t08 1, t09 1, t10 1, t11 1"
    reading = read_labels(tagged(lists), TAGS, absent="irrelevant")
    assert ", ".join(f"{name} {number}" for name, number in count_labels(reading.labels)) == counts
    reading = read_labels(tagged([*lists, ["z" * 41]]), TAGS, absent="irrelevant")
    assert len(count_labels(reading.labels)) == 12
    reading = read_labels(tagged([["z" * 40, "y" * 41]]), TAGS, absent="irrelevant")
    assert count_labels(reading.labels) == (("y" * 39 + "…", 1), ("z" * 40, 1))


def test_stated_labels_are_chosen_by_name():
    labels = PartialLabels.from_table(pd.DataFrame([[1, 0, None], [None, 1, 1]], columns=list("abc")))
    assert read_stated_labels(labels, ("a", "b", "c")).labels is labels
    reading = read_stated_labels(labels, ("c", "a"))
    assert reading.labels.names == ("c", "a")
    assert reading.labels.state.tolist() == [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="'x' and 'y' are not labels of this file: "):
        read_stated_labels(labels, ("x", "a", "y"))
    named = PartialLabels.from_table(pd.DataFrame([[1, 0], [0, 1]], columns=["rock", "sad"]))
    with pytest.raises(ValueError, match="'rokc' and 'sda' are not labels of this file: did you mean 'rock'"):
        read_stated_labels(named, ("rokc", "sda"))
    with pytest.raises(ValueError, match=r"^'sda' is not a label of this file: did you mean 'sad'"):
        read_stated_labels(named, ("rock", "sda"))


# -- pairs -------------------------------------------------------------------------


@pytest.mark.parametrize("ids", [[7, 8], ["7", "8"], [7.0, 8.0], pd.Index([7, 8]), pd.Series([7, 8], dtype="Int64")])
@pytest.mark.parametrize("named", [[7], ["7"], [7.0]])
def test_ids_are_compared_as_written(ids, named):
    labels = read_pairs(pd.DataFrame({"i": named, "tag": ["a"]}), "i", ids, absent="unknown").labels
    assert labels.state.tolist() == [[1], [0]]


def test_leading_zeros_make_another_id():
    with pytest.raises(ValueError, match=r"1 of 2 pairs name ids .* '7'\. .* written '007' and '8'; where"):
        read_pairs(pd.DataFrame({"i": [7, 8], "tag": ["a", "b"]}), "i", ["007", "8"], absent="unknown")


def test_unknown_ids_are_counted_and_named():
    pairs = pd.DataFrame({"i": ["a", "x", "x", "y"], "tag": ["t"] * 4})
    message = r"3 of 4 pairs name ids that are not in the table: 'x' and 'y'\. .* are written 'a', 'b' and 'c'; where"
    with pytest.raises(ValueError, match=message):
        read_pairs(pairs, "i", list("abcd"), absent="unknown")


def test_ids_that_become_equal_as_written_raise():
    with pytest.raises(ValueError, match="ids must be distinct as written, but '7' appears more than once"):
        read_pairs(pd.DataFrame({"i": [7], "tag": ["a"]}), "i", [7, "7"], absent="unknown")


@pytest.mark.parametrize("column", ["i", "tag"])
def test_gaps_in_pairs_raise(column):
    pairs = pd.DataFrame({"i": ["a", "b"], "tag": ["t", "u"]})
    pairs.loc[1, column] = None
    with pytest.raises(ValueError, match=f"column '{column}' is empty in row 1 of the pairs"):
        read_pairs(pairs, "i", ["a", "b"], absent="unknown")


# -- back into tags ----------------------------------------------------------------

NAMES = ["live", "rock", "sad"]


def labels_of(lists: list) -> PartialLabels:
    return PartialLabels.from_tags(lists, absent="unknown", names=NAMES)


@pytest.mark.parametrize("dtype", ["str", object, "category", pd.ArrowDtype(pa.string())])
def test_known_text_stays_first_and_verbatim(dtype):
    column = pd.Series(["sad; rock", "sad ;rock;", None, None, None], index=list("vwxyz"), name="t", dtype=dtype)
    labels = labels_of([["sad", "rock"], ["sad", "rock"], None, None, None])
    filled = np.array([[1, 0, 1], [0, 1, 1], [1, 1, np.nan], [0, 0, 0], [0, 0, np.nan]])
    out = fill_tags(column, labels, filled)
    assert out[:4].tolist() == ["sad; rock; live", "sad ;rock;", "live; rock", ""]
    assert pd.isna(out["z"])
    assert out.name == "t"
    assert out.index.equals(column.index)


@pytest.mark.parametrize("dtype", [object, LISTS])
def test_lists_stay_lists(dtype):
    column = pd.Series([["sad", "odd"], [], None, None, None], dtype=dtype)
    filled = np.array([[1, 0, 0], [0, 0, 0], [0, 1, 1], [0, 0, 0], [np.nan, 0, 0]])
    out = fill_tags(column, labels_of([["sad"], [], None, None, None]), filled)
    assert [list(cell) for cell in out[:4]] == [["sad", "odd", "live"], [], ["rock", "sad"], []]
    assert pd.isna(out[4])
    assert out.dtype == column.dtype


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"filled has shape \(1, 2\), but 1 cells and labels \(1, 3\)"):
        fill_tags(pd.Series(["sad"]), labels_of([["sad"]]), np.ones((1, 2)))


@given(st.lists(st.one_of(st.none(), st.lists(st.sampled_from("abc"), unique=True)), min_size=1, max_size=8), st.data())
def test_filled_tags_read_back_as_what_was_filled(lists, data):
    """A full table of labels survives the trip through a tags column, known tags first."""
    labels = PartialLabels.from_tags([["a", "b", "c"], *lists], absent="unknown")
    filled = np.array([[data.draw(st.booleans()) for _ in "abc"] for _ in range(len(labels))], dtype=float)
    filled[labels.relevant] = 1.0
    column = pd.Series([["a", "b", "c"], *lists], dtype=object)
    out = fill_tags(column, labels, filled)
    again = read_labels(out.to_frame("tags"), TAGS, absent="irrelevant").labels
    np.testing.assert_array_equal(again.values(), filled)
    for before, after in zip(column, out, strict=True):
        assert after[: len(before or ())] == (before or [])


@pytest.mark.parametrize("n_columns", [2, 5])
def test_items_with_empty_cells_only_have_the_stated_meaning(n_columns):
    """A survey writes 1 or nothing, and nothing at all for those who were not asked."""
    names = [f"q{j}" for j in range(n_columns)]
    ticks = pd.DataFrame(
        [[1, *[None] * (n_columns - 1)], [None] * n_columns, [None] * (n_columns - 1) + [1]], columns=names
    )
    no = find_meanings(Description(no=""))
    with pytest.raises(Question, match=r"1 item has empty cells in all .* \(row 1 is the first\)") as question:
        read_labels(ticks, Roles(labels=tuple(names)), no="")
    assert [way.statement for way in question.value.ways] == ["empty='none'", "empty='unlabelled'"]
    for empty, value in (("none", -1), ("unlabelled", 0)):
        labels = read_labels(ticks, Roles(labels=tuple(names)), no="", empty=empty).labels
        assert labels.state[1].tolist() == [value] * n_columns
        assert labels.annotated.tolist() == [True, empty == "none", True]
        assert (labels.state[[0, 2]] != 0).all()
        again = read_known_labels(ticks, Roles(labels=tuple(names)), names, meanings=no, empty=empty)
        np.testing.assert_array_equal(again.state, labels.state)


@pytest.mark.parametrize(("empty", "value"), [(None, 0), ("unlabelled", 0), ("none", -1)])
def test_label_columns_take_either_meaning_of_an_empty_item(empty, value):
    table = pd.DataFrame({"a": [1, None, None], "b": [0, None, 1]})
    labels = read_labels(table, Roles(labels=("a", "b")), empty=empty).labels
    assert labels.state.tolist() == [[1, -1], [value, value], [0, 1]]
    assert labels.annotated.tolist() == [True, value == -1, True]
