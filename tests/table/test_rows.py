"""Rows of a further table: its order never changes what is read, or an error or a note names the order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.completion.answers import read_answers
from halflabel.table import open_table
from halflabel.table.rows import check_rows, find_key, order_by_row_labels

N = 6
ITEMS = pd.DataFrame({"song": list("fbdace"), "tempo": [90, 80, 90, 70, 60, 75], "sad": [1, 0, None, None, 1, 0]})
VALUES = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])

ORDERS = st.permutations(range(N)).map(np.array)

#: How the two tables can be joined: the key of the items, and that of the prior.
WAYS = ["id stated", "same column", "row labels", "ids as row labels", "array"]


def open_with(prior, way="same column", items=ITEMS):
    stated = way in ("id stated", "ids as row labels")
    return open_table(items, labels=["sad"], id="song" if stated else None, prior=prior)


def make_prior(way, order, items):
    prior = pd.DataFrame({"sad": VALUES}, index=items.index)
    if way in ("id stated", "same column"):
        return prior.assign(song=items["song"]).iloc[order].reset_index(drop=True)
    if way == "ids as row labels":
        prior.index = pd.Index(items["song"])
    return prior.iloc[order]


@given(order=ORDERS, way=st.sampled_from(WAYS[:4]), as_arrow=st.booleans())
def test_the_order_of_the_prior_changes_nothing(order, way, as_arrow):
    items = ITEMS.set_axis([7, 5, 9, 1, 3, 20]) if way == "row labels" else ITEMS
    prior = make_prior(way, order, items)
    as_arrow &= "row labels" not in way
    opened = open_with(pa.Table.from_pandas(prior, preserve_index=False) if as_arrow else prior, way, items)
    np.testing.assert_array_equal(opened.prior[:, 0], VALUES)


@given(order=ORDERS, n=st.integers(1, N))
def test_a_part_of_the_items_or_more_than_these_are_found_as_well(order, n):
    prior = make_prior("same column", order, ITEMS)
    part = open_with(prior.iloc[:n].reset_index(drop=True)).prior[:, 0]
    np.testing.assert_array_equal(part, [value if i in order[:n] else np.nan for i, value in enumerate(VALUES)])
    more = pd.concat([prior, pd.DataFrame({"song": ["x"], "sad": [0.9]})], ignore_index=True)
    np.testing.assert_array_equal(open_with(more).prior[:, 0], VALUES)


@given(order=ORDERS)
def test_row_numbers_alone_are_used_only_with_a_sentence(order):
    opened = open_with(pd.DataFrame({"sad": VALUES[order]}))
    np.testing.assert_array_equal(opened.prior[:, 0], VALUES[order])
    assert any("in the same order, because no column identifies them" in note for note in opened.notes)


@given(order=ORDERS)
def test_a_prior_with_ids_under_another_name_is_in_no_order(order):
    prior = make_prior("same column", order, ITEMS).rename(columns={"song": "key"})
    with pytest.raises(ValueError, match=r"no column of the prior identifies its rows \('key'\)"):
        open_with(prior)
    np.testing.assert_array_equal(open_with(prior[["sad"]]).prior[:, 0], prior["sad"])  # the way of the error


@given(order=ORDERS.filter(lambda order: (order != np.arange(N)).any()), copied=st.integers(0, N - 1))
def test_ids_of_which_one_is_there_twice_deny_the_order_of_rows(order, copied):
    prior = make_prior("same column", order, ITEMS)
    prior.loc[copied, "song"] = prior.loc[(copied + 1) % N, "song"]
    with pytest.raises(ValueError, match="no column of the prior identifies its rows"):
        open_with(prior)


@given(order=ORDERS)
def test_row_labels_in_another_order_are_no_row_numbers(order):
    items, prior = ITEMS.iloc[order], pd.DataFrame({"sad": VALUES})
    if np.array_equal(order, range(N)):
        assert open_with(prior, items=items).prior[:, 0].tolist() == VALUES.tolist()
    else:
        with pytest.raises(ValueError, match=r"prior\.index = items\.index"):
            open_with(prior, items=items)


def test_the_column_that_was_used_is_named():
    assert any(
        "found by the column 'song'" in note for note in open_with(make_prior("same column", [1, 0], ITEMS)).notes
    )


def test_ids_are_compared_as_they_are_written():
    items = ITEMS.assign(song=[11, 12, 13, 14, 15, 16])
    prior = pd.DataFrame({"song": ["16", "11"], "sad": [0.6, 0.1]})
    assert open_with(prior, "id stated", items).prior[[0, 5], 0].tolist() == [0.1, 0.6]


class TestColumnsThatDisagree:
    def test_two_of_them(self):
        items = ITEMS.assign(code=range(10, 16))
        prior = items[["song", "code"]].assign(code=[15, 14, 13, 12, 11, 10])
        with pytest.raises(ValueError, match=r"by 'song' and 'code'; name the column \(id=\)"):
            find_key(prior, items, (), "the prior")

    def test_one_with_other_values(self):
        prior = pd.DataFrame({"song": ["a", "b", "x"]})
        with pytest.raises(ValueError, match="by 'song', which has further values in both"):
            find_key(prior, ITEMS, (), "the prior")

    def test_cells_that_identify_nothing(self):
        items = ITEMS.assign(lists=[[1]] * N, same=1, gaps=[None, *range(1, N)])
        assert find_key(items.drop(columns=["song"]), items, ("sad",), "the prior") is None


class TestTablesThatNameItemsByNumber:
    """A review table or a completed table without ids: a column that shows the items must agree."""

    @given(order=ORDERS)
    def test_items_in_another_order(self, order):
        rows = np.arange(N)
        if np.array_equal(order, rows):
            check_rows(ITEMS, ITEMS, rows, (), "the table")
        else:
            with pytest.raises(ValueError, match="the rows have changed"):
                check_rows(ITEMS, ITEMS.iloc[order].reset_index(drop=True), rows, (), "the table")

    @given(order=ORDERS)
    def test_answers_about_a_table_that_was_sorted(self, order):
        review = pd.DataFrame({"item": range(N), "label": "sad", "answer": 1, "song": ITEMS["song"]}).iloc[order]
        opened = open_table(ITEMS, labels=["sad"])
        assert read_answers(review, opened).rows.tolist() == order.tolist()
        turned = open_table(ITEMS.iloc[::-1].reset_index(drop=True), labels=["sad"])
        with pytest.raises(ValueError, match="Name a column of ids"):
            read_answers(review, turned)

    def test_cells_that_were_edited_are_no_proof(self):
        check_rows(ITEMS.assign(song=[f"{song}!" for song in ITEMS["song"]]), ITEMS, np.arange(N), (), "the table")


@given(order=ORDERS)
def test_a_mask_with_row_labels_is_ordered_by_them(order):
    index = pd.Index(list("fbdace"))
    mask = pd.Series(VALUES > 0.3, index=index)
    ordered = order_by_row_labels(mask.iloc[order], [pd.RangeIndex(N), index], "calibrate_on")
    assert ordered.tolist() == mask.tolist()
    assert order_by_row_labels(mask.to_numpy(), [index], "calibrate_on").tolist() == mask.tolist()
    with pytest.raises(ValueError, match="give it their index"):
        order_by_row_labels(mask.rename({"f": "z"}), [index], "calibrate_on")
