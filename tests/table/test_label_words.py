"""Label columns that hold words: what they mean, what is an error, and what is written back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import halflabel as hl
from halflabel.table import Description
from halflabel.table.label_words import (
    check_label_values,
    find_meanings,
    find_words,
    read_label_words,
    write_label_words,
)
from halflabel.table.question import Question

YES_NO = find_meanings(Description(yes=["yes", "x"], no="no", unknown="?"))


def test_words_that_need_not_be_stated_keep_their_meaning():
    assert (
        pytest.approx({"1": 1, "true": 1, "0": 0, "false": 0, "yes": 1, "x": 1, "no": 0, "?": np.nan}, nan_ok=True)
        == YES_NO
    )
    assert find_meanings(Description()) is None
    turned = find_meanings(Description(yes="0", no="1"))
    assert (turned["0"], turned["1"]) == (1.0, 0.0)


def test_a_word_has_one_meaning():
    with pytest.raises(ValueError, match=r"the word 'x' was given two meanings \(yes, no or unknown\)"):
        find_meanings(Description(yes="x", no=" X "))


def test_cells_are_read_by_their_meaning():
    frame = pd.DataFrame(
        {"rock": ["yes", " NO ", "?", None, "1", "TRUE", "0", "False"], "sad": [1, 0, None, 1, 0, 1, 0, 1]}
    )
    table = read_label_words(frame, ["sad", "rock"], YES_NO)
    assert table.columns.tolist() == ["sad", "rock"]
    np.testing.assert_array_equal(table["rock"], [1, 0, np.nan, np.nan, 1, 1, 0, 0])
    np.testing.assert_array_equal(table["sad"], [1, 0, np.nan, 1, 0, 1, 0, 1])
    with_empty = find_meanings(Description(yes="x", no=""))
    np.testing.assert_array_equal(
        read_label_words(pd.DataFrame({"a": ["x", None, ""]}), ["a"], with_empty)["a"], [1, 0, 0]
    )


def test_the_first_word_without_a_meaning_is_named():
    frame = pd.DataFrame({"rock": ["yes", None, "maybe", "no", "never"]})
    with pytest.raises(
        ValueError, match=r"label 'rock' holds 'maybe' \(row 2\), but .* the label columns hold 'yes', 'maybe'"
    ):
        read_label_words(frame, ["rock"], YES_NO)


@pytest.mark.parametrize(
    "column", [[1, 0, None], [1.0, 0.0, np.nan], [True, False, True], [True, None, False], [0, 1, 1]]
)
def test_truth_values_need_no_words(column):
    check_label_values(pd.DataFrame({"a": column}), ["a"])


@pytest.mark.parametrize(
    ("column", "cell", "row"),
    [
        ([1, 0, 2], "2", 2),
        ([-1, 0, 1], "-1", 0),
        ([0.0, np.nan, 0.5], "0.5", 2),
        (["1", "0", "x"], "'x'", 2),
        (["1", None, "0"], "'1'", 0),  # text even if it is 1 and 0
        ([None, "yes", "no"], "'yes'", 1),
    ],
)
def test_other_values_are_an_error_that_names_the_first(column, cell, row):
    with pytest.raises(ValueError, match=rf"label 'a' holds {cell} \(row {row}\)"):
        check_label_values(pd.DataFrame({"b": [1, 0, 1], "a": column}), ["b", "a"])


SURVEYS = [("ja", "nein"), ("oui", "non"), ("Selected", "Not selected"), ("checked", "unchecked"), ("x", "-"),
           ("a", "b"), ("genannt", "nicht genannt"), ("quoted", "not quoted"), ("1", "2"), ("✓", "✗"),
           ("d'accord", "other; no"), ("Y", "N"), ("1", "0"), ("1", "-1")]  # fmt: skip


@pytest.mark.parametrize("unknown", [None, "-99", "n/a", "?"])
@pytest.mark.parametrize(("yes", "no"), SURVEYS)
def test_an_error_about_two_words_offers_the_right_option(yes, no, unknown):
    """The option is read again, as the command reads it, and gives the meaning of each cell."""
    cells = [[yes, no, unknown], [no, yes, yes], [yes, unknown, no]]
    frame = pd.DataFrame(cells, columns=list("pqr"))
    with pytest.raises(Question) as question:
        check_label_values(frame, list("pqr"))
    ways = [dict(way.keys) for way in question.value.ways]
    right = [[1, 0, np.nan], [0, 1, 1], [1, np.nan, 0]]
    read = [read_label_words(frame, list("pqr"), find_meanings(Description(**way))) for way in ways]
    assert any(np.array_equal(table, right, equal_nan=True) for table in read), ways
    assert len(read) == 1 or {yes, no} in ({"a", "b"}, {"1", "2"}, {"1", "-1"}, {"d'accord", "other; no"})


class TestWriting:
    def test_gaps_get_the_most_frequent_word_and_given_cells_stay(self):
        given = pd.Series(["x", "X", "X", "no", "?", None, " yes"], index=list("abcdefg"), name="rock")
        filled = np.array([1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0])
        written = write_label_words(given, filled, YES_NO)
        assert written.tolist() == ["x", "X", "X", "no", "X", "no", " yes"]
        assert (written.name, written.index.tolist()) == ("rock", list("abcdefg"))

    def test_what_stays_unknown_keeps_its_cell_and_corrections_are_written(self):
        given = pd.Series(["x", "no", "?", None])
        written = write_label_words(given, np.array([0.0, 1.0, np.nan, np.nan]), YES_NO)
        assert written[:3].tolist() == ["no", "x", "?"]
        assert pd.isna(written[3])

    def test_a_value_without_a_cell_gets_the_first_word_that_was_stated(self):
        given = pd.Series(["?", None, "?"])
        assert write_label_words(given, np.array([1.0, 0.0, np.nan]), YES_NO).tolist() == ["yes", "no", "?"]
        only_yes = find_meanings(Description(yes="x"))
        assert write_label_words(given, np.array([1.0, 0.0, np.nan]), only_yes).tolist() == ["x", "0", "?"]
        empty = find_meanings(Description(yes="x", no=""))
        assert write_label_words(pd.Series(["x", "x"]), np.array([1.0, 0.0]), empty).tolist() == ["x", "0"]

    def test_numbers_stay_numbers(self):
        given = pd.Series([1.0, np.nan, 0.0])
        written = write_label_words(given, np.array([1.0, 1.0, 0.0]), YES_NO)
        assert written.dtype == given.dtype
        assert written.tolist() == [1.0, 1.0, 0.0]

    @pytest.mark.parametrize("kind", [int, float, str])
    def test_codes_are_written_as_the_column_has_them(self, kind):
        meanings = find_meanings(Description(yes="1", no="2", unknown="9"))
        given = pd.Series([1, 9, 2, 9]).astype(kind)
        written = write_label_words(given, np.array([1.0, 0.0, 1.0, 1.0]), meanings)
        assert written.tolist() == [kind(code) for code in (1, 2, 1, 1)]
        assert find_words(given, meanings, None) == ((2, 1) if kind is not str else ("2", "1"))
        assert write_label_words(given[:2], np.array([1.0, 0.0]), meanings).tolist() == [kind(1), kind(2)]


class TestWords:
    def test_truth_values_are_those_of_python_without_a_text_file(self):
        assert find_words(pd.Series([True, None, False]), None, None) == (False, True)

    def test_the_most_frequent_spelling_of_a_text_file_is_used(self):
        cells = ["TRUE", "true", "TRUE", "no", None, "F"]
        assert find_words(pd.Series([True, None]), None, cells) == ("False", "TRUE")
        assert find_words(pd.Series([True, None]), None, ["FALSE", "False", "FALSE"]) == ("FALSE", "True")

    def test_numbers_have_no_words(self):
        assert find_words(pd.Series([1, 0]), YES_NO, None) is None
        assert find_words(pd.Series(["x", "y"]), None, None) is None

    def test_words_are_those_of_the_column(self):
        assert find_words(pd.Series(["no", "x", "x", "yes"]), YES_NO, None) == ("no", "x")


@pytest.mark.parametrize(
    ("cell", "value"), [("1.0", 1), ("01", None), ("+1.00", None), ("1.", 1), ("0.50", None), ("0.0", 0)]
)
def test_whole_numbers_are_read_without_their_decimal_point(cell, value):
    frame = pd.DataFrame({"a": [cell, "yes"]})
    if value is None:
        with pytest.raises(ValueError, match="state the meaning of other words"):
            read_label_words(frame, ["a"], YES_NO)
    else:
        assert read_label_words(frame, ["a"], YES_NO)["a"].tolist() == [value, 1.0]


@pytest.mark.parametrize("cells", [["pop", "rock", None, "folk"], ["pop|rock", "rock", "pop", "rock|pop"]])
def test_a_column_of_classes_or_tags_that_was_named_as_a_label_is_named_by_another_key(cells):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "style": cells})
    with pytest.raises(ValueError, match="name it by tags='style', and not as a label"):
        hl.open_table(frame, labels="style")
    for absent in ("irrelevant", "unknown"):  # the question that follows
        assert {"pop", "rock"} <= {*hl.open_table(frame, tags="style", absent=absent).labels.names}


WORDS = {"yes": ["yes", "ja", "oui", "да", "はい", "是", "approved", "👍", "agree", "1"],
         "no": ["no", "nein", "non", "нет", "いいえ", "否", "rejected", "👎", "disagree", "0"]}  # fmt: skip


@pytest.mark.parametrize("rest", ["partly", "1?", "0.5", "2", "nsp", "weiß nicht", "pending"])
@pytest.mark.parametrize(("yes", "no"), list(zip(WORDS["yes"], WORDS["no"], strict=True)))
def test_a_third_word_next_to_yes_and_no_has_a_way_for_unknown(yes, no, rest):
    cells = [[yes, no, rest], [no, yes, yes], [yes, rest, no]]
    frame = pd.DataFrame(cells, columns=list("pqr"), dtype=object)
    with pytest.raises(Question) as question:
        check_label_values(frame, list("pqr"))
    ways = [dict(way.keys) for way in question.value.ways]
    read = [read_label_words(frame, list("pqr"), find_meanings(Description(**way))) for way in ways]
    right = [[1, 0, np.nan], [0, 1, 1], [1, np.nan, 0]]
    assert any(np.array_equal(table, right, equal_nan=True) for table in read), ways


@given(st.integers(0, 999), st.sampled_from(["probability", "rating", "scale", "tag"]))
def test_other_values_have_the_error_of_their_kind(seed, kind):
    rng = np.random.default_rng(seed)
    values = {
        "probability": rng.uniform(size=(40, 3)).round(2) / 1.01 + 0.001,
        "rating": rng.permuted(np.tile(np.arange(1, 6), (40, 1)), axis=1)[:, :3],
        "scale": rng.choice(["often", "seldom", "never", "at times"], size=(40, 3)),
        "tag": rng.permuted(np.tile(["rock", "sad", "live", "folk"], (40, 1)), axis=1)[:, :3],
    }[kind]
    frame = pd.DataFrame(values, columns=list("pqr"))
    with pytest.raises(ValueError, match="but a label is 1") as error:
        check_label_values(frame, list("pqr"))
    words = {
        "probability": "prior=",
        "rating": "counts or ratings",
        "scale": "state the meaning",
        "tag": "one tag each",
    }
    assert [name for name, part in words.items() if part in str(error.value) and name != "scale"] == [
        name for name in (kind,) if name != "scale"
    ]


@pytest.mark.parametrize("kind", [object, "Int64", "category"])
def test_numbers_of_every_type_have_the_same_question(kind):
    frame = pd.DataFrame({"a": pd.Series([1, 2, 1, None], dtype=kind)})
    with pytest.raises(Question, match="'1' means yes and '2' means no"):
        check_label_values(frame, ["a"])
