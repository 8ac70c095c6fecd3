"""Votes of several sources, read from a long table and from columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import halflabel as hl

ITEMS = pd.DataFrame({"song": ["a", "b", "c"], "tempo": [90.5, 120.0, 121.0]})
VOTES = pd.DataFrame(
    [("a", "rock", "ann", 1), ("a", "rock", "gpt", 0.2), ("c", "sad", "ann", 0), ("c", "rock", "gpt", 0.7)],
    columns=["item", "label", "source", "value"],
)


def read(votes=VOTES, items=ITEMS, **options):
    return hl.open_table(items, id="song", sources=votes, **{"labels": ["rock", "sad"], **options})


def test_a_long_table_of_votes():
    opened = read()
    assert opened.votes.names == ("ann", "gpt")
    expected = np.full((2, 3, 2), np.nan)
    expected[0, 0, 0], expected[0, 2, 1], expected[1, 0, 0], expected[1, 2, 0] = 1, 0, 0.2, 0.7
    np.testing.assert_array_equal(opened.votes.values, expected)
    assert not opened.labels.observed.any()
    assert list(opened.frame.columns) == ["song", "tempo", "rock", "sad"]
    assert "2 sources, 4 votes on 3 entries." in opened.notes


def test_without_labels_the_votes_name_them():
    assert read(labels=None).labels.names == ("rock", "sad")


def test_columns_of_votes_are_the_same_votes():
    wide = ITEMS.assign(**{"rock@ann": ["yes", None, None], "rock@gpt": [0.2, None, 0.7], "sad@ann": [None, "?", 0]})
    opened = hl.open_table(wide, id="song", sources="*@*")
    np.testing.assert_array_equal(opened.votes.values, read().votes.values)
    assert opened.roles.numeric == ("tempo",)


def test_known_entries_stay_and_votes_are_about_the_rest():
    items = ITEMS.assign(rock=[None, 1, None], sad=[0, None, None])
    opened = read(items=items)
    np.testing.assert_array_equal(opened.labels.state, [[0, -1], [1, 0], [0, 0]])
    assert opened.votes.names == ("ann", "gpt")


def test_a_source_alone_is_a_source():
    opened = read(VOTES[VOTES["source"] == "ann"])
    assert opened.votes.names == ("ann",)
    assert not opened.labels.observed.any()


@pytest.mark.parametrize("column", ["label", "rubric"])
def test_one_label_needs_no_column_of_labels(column):
    votes = VOTES[VOTES["label"] == "rock"].drop(columns="label")
    assert read(votes, labels=["rock"]).votes.given.sum() == 3


def change(row, **values):
    return VOTES.astype(object).assign(**{k: [v if i == row else old for i, old in enumerate(VOTES[k])]
                                          for k, v in values.items()})  # fmt: skip


WRONG = {
    "an unknown label": (change(0, label="rok"), {}, "'rok' in the votes is not a label of the table"),
    "a value": (change(3, value=2), {}, "row 3 of the column 'value' holds 2"),
    "a percentage": (change(3, value="70 %"), {}, "(20 % is 0.2), but row 3 of the column 'value' holds '70 %'"),
    "no value": (VOTES.assign(value=None), {}, "no vote has a value"),
    "no vote": (VOTES[:0], {}, "are their ids the ids of the items"),
    "a label in capitals": (change(0, label="Rock"), {}, "'Rock' in the votes is not a label of the table: did you"),
    "a word": (change(3, value="maybe not"), {}, "row 3 of the column 'value' holds 'maybe not'"),
    "two values": (
        pd.concat([VOTES, change(0, value=0)[:1]]),
        {},
        "the source 'ann' has two values for the item 'a' and the label 'rock'",
    ),
    "columns": (VOTES.rename(columns={"source": "who"}), {}, "rename the column for source"),
    "an empty cell": (change(1, source=None), {}, "column 'source' is empty in row 1 of the votes"),
    "positive-only labels": (VOTES, {"absent": "unknown"}, "irrelevant entries"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_table_of_votes_is_one_sentence(case):
    votes, options, sentence = WRONG[case]
    items = ITEMS.assign(rock=[1, 0, None], sad=[0, 1, None])
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read(votes, items, **options)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_spaces_around_names_and_capitals_in_the_header_change_nothing():
    messy = VOTES.assign(**{name: " " + VOTES[name] + " " for name in ("label", "source")}).rename(columns=str.title)
    np.testing.assert_array_equal(read(messy).votes.values, read().votes.values)


def test_votes_on_other_items_are_left_out_and_follow_items_and_labels():
    opened = read(change(1, item="z"))
    assert opened.votes.given.sum() == 3
    rows = read().take(np.array([2, 0]))
    assert rows.votes.values[1, 0, 0] == 0.7
    assert read().keep_labels(["sad"]).votes.values.shape == (2, 3, 1)


COLUMNS = {
    "lists": ["rock;sad", "sad", None],
    "objects": ['{"rock": 0.9, "sad": 1}', '{"sad": 0.2}', "{}"],
}


def test_columns_of_tags_are_sources():
    """A list votes on each label, an object on the labels that it names, and an empty cell on none."""
    items = ITEMS.assign(llm_a=COLUMNS["lists"], llm_b=COLUMNS["objects"])
    opened = hl.open_table(items, id="song", sources="llm_*")
    assert opened.labels.names == ("rock", "sad")
    assert opened.votes.names == ("llm_a", "llm_b")
    expected = [[[1, 1], [0, 1], [np.nan, np.nan]], [[0.9, 1], [np.nan, 0.2], [np.nan, np.nan]]]
    np.testing.assert_array_equal(opened.votes.values, expected)
    assert opened.roles.numeric == ("tempo",)
    assert list(opened.frame.columns) == ["song", "tempo", "llm_a", "llm_b", "rock", "sad"]
    assert opened.notes[0].startswith("1 empty cell of 'llm_a' and 'llm_b': no vote. If no label applies ")


def test_an_empty_cell_of_a_source_is_a_vote_if_its_word_means_no_tag():
    """The way that the note about empty cells offers."""
    items = ITEMS.assign(llm_a=["rock;sad", "sad", "none"], llm_b=["rock", "sad", "sad"])
    opened = hl.open_table(items, id="song", sources="llm_*", no=["none"])
    np.testing.assert_array_equal(opened.votes.values[0], [[1, 1], [0, 1], [0, 0]])
    assert not any("no vote" in note for note in opened.notes)


def test_columns_of_one_label_hold_its_values_and_known_cells_stay():
    items = ITEMS.assign(rock=[None, 0, None], llm_a=[1, 0, None], llm_b=["yes", 0.3, "no"])
    opened = hl.open_table(items, id="song", labels=["rock"], sources="llm_*")
    np.testing.assert_array_equal(opened.votes.values[:, :, 0], [[1, 0, np.nan], [1, 0.3, 0]])
    np.testing.assert_array_equal(opened.labels.state, [[0], [-1], [0]])


def test_known_tags_are_a_column_of_their_own():
    items = ITEMS.assign(tags=["rock", None, "sad"], llm_a=COLUMNS["lists"], llm_b=["rock", "rock;sad", "sad"])
    opened = hl.open_table(items, id="song", tags="tags", absent="irrelevant", sources="llm_*")
    np.testing.assert_array_equal(opened.labels.state, [[1, -1], [0, 0], [-1, 1]])
    np.testing.assert_array_equal(opened.votes.values[1], [[1, 0], [1, 1], [0, 1]])


def test_percentages_in_a_column_of_tags_are_an_error():
    items = ITEMS.assign(llm_a=COLUMNS["lists"], llm_b=['{"rock": 90.0}', '{"rock": 20.5}', None])
    with pytest.raises(ValueError, match=r"20 % is 0.2\), but row 0 of the column 'llm_b' holds"):
        hl.open_table(items, id="song", sources="llm_*")


def test_a_label_that_only_a_column_of_tags_names_is_an_error_of_one_sentence():
    items = ITEMS.assign(rock=[1, 0, None], sad=[0, 1, None], llm_a=["rok", "rock", "sad"])
    with pytest.raises(ValueError, match="'rok' in the votes is not a label of the table"):
        hl.open_table(items, id="song", labels=["rock", "sad"], sources="llm_*")
