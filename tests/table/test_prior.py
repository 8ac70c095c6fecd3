"""A prior finds its rows and labels, or an error names what does not fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from halflabel.table import open_table
from halflabel.table.prior import read_prior

ITEMS = pd.DataFrame({"song": ["a", "b", "c"]})


def test_rows_are_found_by_the_id_column_whatever_their_order():
    prior = pd.DataFrame({"song": ["c", "x", "a"], "live": [0.3, 0.5, 0.1], "comment": "?"})
    table, notes = read_prior(prior, ["sad", "live"], ITEMS, "song")
    np.testing.assert_array_equal(table, [[np.nan, 0.1], [np.nan, np.nan], [np.nan, 0.3]])
    assert notes[0] == "The prior has a value for 2 of 6 entries, none for the label 'sad'."
    assert notes[1] == "1 of 3 rows name ids that are not in the table, such as 'x': left out."


def test_rows_are_found_by_their_labels():
    prior = pd.DataFrame({"sad": [0.3, 0.2, 0.1]}, index=["c", "b", "a"])
    np.testing.assert_array_equal(read_prior(prior, ["sad"], ITEMS, "song")[0], [[0.1], [0.2], [0.3]])


def test_as_many_rows_as_items_are_taken_in_their_order():
    prior = pd.DataFrame({"sad": ["0.3", "", "0.1"]}).replace("", np.nan)
    np.testing.assert_array_equal(read_prior(prior, ["sad"], ITEMS, "song")[0], [[0.3], [np.nan], [0.1]])


@pytest.mark.parametrize(
    ("prior", "sentence"),
    [
        (pd.DataFrame({"song": ["a"], "blue": [0.1]}), "no column of a label"),
        (pd.DataFrame({"sad": [0.1, 0.2]}), "2 rows for 3 items"),
        (pd.DataFrame({"song": ["a", "a"], "sad": [0.1, 0.2]}), "has 'a' more than once"),
        (pd.DataFrame({"song": ["x", "y"], "sad": [0.1, 0.2]}), "2 of 2 rows name ids that are not in the table"),
        (
            pd.DataFrame({"row": [7, 8, 9], "sad": 0.1}),
            r"identifies its rows \('row'\): give only the",
        ),
        (pd.DataFrame({"song": ["a", "b"], "sad": [0.1, 20]}), "between 0 and 1.*row 'b', column 'sad' holds 20"),
        (pd.DataFrame({"song": ["a", "b"], "sad": ["0.1", "likely"]}), "'likely'"),
        (np.full((2, 1), 0.5), r"shape \(2, 1\)"),
    ],
)
def test_what_does_not_fit_raises(prior, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_prior(prior, ["sad"], ITEMS, "song")


def test_labels_without_a_value_are_named():
    table, notes = read_prior(pd.DataFrame({"sad": [0.1, 0.2, 0.3]}), ["sad", "live", "rock"], ITEMS)
    assert notes[0] == "The prior has a value for 3 of 9 entries, none for the labels 'live' and 'rock'."
    assert np.isnan(table[:, 1:]).all()


@pytest.mark.parametrize(
    ("id", "way"), [(None, r"name the ids of the items \(id=\)"), ("song", "a column 'song' to find")]
)
def test_another_number_of_rows_is_an_error_that_names_a_way(id, way):
    with pytest.raises(ValueError, match=f"2 rows for 3 items: give only .*, or {way}"):
        read_prior(pd.DataFrame({"sad": [0.1, 0.2]}), ["sad"], ITEMS, id)


def test_an_open_table_keeps_rows_labels_groups_and_prior_together():
    songs = pd.DataFrame(
        {"song": list("abcd"), "tempo": [1.0, 2.0, 3.0, 4.0], "sad": [1, 0, np.nan, 1], "by": [1, 1, 2, 3]}
    )
    prior = pd.DataFrame({"song": list("dcba"), "sad": [0.4, 0.3, 0.2, 0.1]})
    part = open_table(songs, id="song", labels=["sad"], group="by", prior=prior).take(np.array([1, 3]))
    np.testing.assert_array_equal(part.prior, [[0.2], [0.4]])
    assert part.index.tolist() == ["b", "d"]
    assert part.frame["sad"].tolist() == [0, 1]
    assert part.groups[0] != part.groups[1]
    assert part.X.shape == (2, 1)
