"""PartialLabels: every way in, every error."""

from __future__ import annotations

import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.model_selection import train_test_split

from halflabel import PartialLabels
from halflabel.labels.positive_only import mark_unassigned

tables = hnp.arrays(
    float, st.tuples(st.integers(1, 8), st.integers(1, 5)), elements=st.sampled_from([0.0, 1.0, np.nan])
).filter(lambda Y: not np.isnan(Y).all())


@given(tables)
def test_a_table_goes_in_and_comes_out(Y):
    labels = PartialLabels.from_table(Y)
    np.testing.assert_array_equal(labels.values(), Y)
    np.testing.assert_array_equal(labels.observed, ~np.isnan(Y))
    np.testing.assert_array_equal(labels.unlabelled, np.isnan(Y).all(axis=1))
    np.testing.assert_array_equal(labels.to_frame().to_numpy(dtype=float, na_value=np.nan), Y)


@given(tables, st.data())
def test_from_observed_never_reads_behind_the_mask(Y, data):
    mask = ~np.isnan(Y)
    filled = np.where(mask, Y, data.draw(st.sampled_from([0.0, 1.0])))
    np.testing.assert_array_equal(PartialLabels.from_observed(filled, mask).state, PartialLabels.from_table(Y).state)


@pytest.mark.parametrize(
    "column",
    [
        pd.array([True, None, False], dtype="boolean"),
        pd.array([1, None, 0], dtype="Int8"),
        np.array([True, None, False], dtype=object),
        [1.0, np.nan, 0.0],
        pd.Series([1, pd.NA, 0], dtype="object"),
    ],
)
def test_spellings_of_missing(column):
    assert PartialLabels.from_table(pd.DataFrame({"a": column})).state.ravel().tolist() == [1, 0, -1]


def test_a_series_is_one_label_under_its_name():
    labels = PartialLabels.from_table(pd.Series([1, 0], name="rock"))
    assert labels.names == ("rock",)
    assert labels.shape == (2, 1)


def test_a_table_is_not_positive_only_and_annotates_items_with_an_entry():
    labels = PartialLabels.from_table([[1, None], [None, 0], [None, None]])
    assert not labels.positive_only
    assert labels.annotated.tolist() == [True, True, False]
    assert not PartialLabels(labels.state, labels.names, labels.annotated).positive_only


def test_codings():
    labels = PartialLabels.from_table([[1, 0, None]])
    assert labels.values(irrelevant=-1, unknown=0.5).tolist() == [[1, -1, 0.5]]


@pytest.mark.parametrize(
    ("Y", "error", "sentence"),
    [
        ([[1.0], [-1.0]], ValueError, r"holds -1 \(row 1\).*from_minus_one"),
        ([[1.0], [2.0]], ValueError, r"holds 2 \(row 1\).*cross_val_predict.*out_of_fold"),
        ([[1.0], [np.inf]], ValueError, r"holds inf \(row 1\)"),
        ([[0.5], [1.0]], ValueError, r"holds 0\.5 \(row 0\)"),
        ([["yes"], ["no"]], ValueError, r"label 'label0' holds 'yes' \(row 0\).*from_tags"),
        (np.ma.masked_array([[1.0]], [[False]]), TypeError, "mask scikit-learn drops silently"),
        (sparse.csr_array([[1.0]]), TypeError, "sparse matrix.*from_positives"),
        (np.full((3, 2), np.nan), ValueError, "no label of any of the 3 items is observed"),
        (np.zeros((2, 2, 2)), ValueError, "not 3 dimensions"),
        (pd.DataFrame([[1, 0]], columns=["a", "a"]), ValueError, "must be distinct; 'a'"),
    ],
)
def test_invalid_labels_raise(Y, error, sentence):
    with pytest.raises(error, match=sentence):
        PartialLabels.from_table(Y)


def test_too_large_a_table_names_the_way_out():
    with pytest.raises(ValueError, match="keep the most frequent labels only"):
        PartialLabels.from_table(np.broadcast_to(np.float32(1), (2_000_000, 2_000_000)))  # not even copied


def test_the_maximum_number_of_cells_is_accepted(monkeypatch):
    monkeypatch.setattr("halflabel.labels.tables.MAX_CELLS", 6)
    assert PartialLabels.from_table(np.ones((2, 3))).shape == (2, 3)
    with pytest.raises(ValueError, match=r"^7 items x 1 labels are more than 6e\+00 cells: keep"):
        PartialLabels.from_table(np.ones((7, 1)))
    with pytest.raises(ValueError, match="1 items x 7 labels are more"):
        PartialLabels.from_tags([list("abcdefg")], absent="unknown")


class TestTags:
    def test_absent_as_irrelevant(self):
        labels = PartialLabels.from_tags([["b", "a"], [], None, np.nan], absent="irrelevant")
        assert labels.names == ("a", "b")
        assert labels.state.tolist() == [[1, 1], [-1, -1], [0, 0], [0, 0]]
        assert labels.annotated.tolist() == [True, True, False, False]
        assert not labels.positive_only

    def test_absent_as_unknown(self):
        labels = PartialLabels.from_tags([["a"], [], None], absent="unknown", names=["a", "b"])
        assert labels.state.tolist() == [[1, 0], [0, 0], [0, 0]]
        assert labels.annotated.tolist() == [True, True, False]
        assert labels.positive_only

    def test_there_is_no_default(self):
        with pytest.raises(TypeError, match="absent"):
            PartialLabels.from_tags([["a"]])
        with pytest.raises(ValueError, match="'irrelevant' or 'unknown', not 'maybe'"):
            PartialLabels.from_tags([["a"]], absent="maybe")

    def test_invalid_tags_raise(self):
        with pytest.raises(ValueError, match="item 1 has the tag 'z'"):
            PartialLabels.from_tags([["a"], ["z"]], absent="irrelevant", names=["a"])
        with pytest.raises(TypeError, match="item 0 has 'a;b' instead of a list"):
            PartialLabels.from_tags(["a;b"], absent="irrelevant")


def test_pairs():
    labels = PartialLabels.from_pairs([7, 7, 9], ["b", "a", "a"], index=[9, 8, 7], absent="irrelevant")
    assert labels.state.tolist() == [[1, -1], [0, 0], [1, 1]]
    with pytest.raises(ValueError, match=r"\(5, 'a'\) names an item that is not in the table"):
        PartialLabels.from_pairs([5], ["a"], index=[1], absent="irrelevant")
    with pytest.raises(ValueError, match="got 2 items and 1 labels"):
        PartialLabels.from_pairs([1, 1], ["a"], index=[1], absent="irrelevant")


def test_positives_leave_zero_unknown():
    labels = PartialLabels.from_positives([[1, 0], [0, 0], [np.nan, np.nan]])
    assert labels.state.tolist() == [[1, 0], [0, 0], [0, 0]]
    assert labels.annotated.tolist() == [True, True, False]
    assert labels.positive_only


def test_minus_one_is_unknown_when_asked_for():
    assert PartialLabels.from_minus_one([[1, -1], [0, 1]]).state.tolist() == [[1, 0], [-1, 1]]


def test_a_mask_of_another_shape_raises():
    with pytest.raises(ValueError, match=r"mask has shape \(1, 2\), but the labels have shape \(2, 2\)"):
        PartialLabels.from_observed([[1, 0], [0, 1]], [[True, False]])


def test_rates_and_learnable():
    labels = PartialLabels.from_table([[1, 1, None, 0], [0, 1, None, None], [None, None, None, None]])
    np.testing.assert_array_equal(labels.rates, [0.5, 1.0, np.nan, 0.0])
    assert labels.learnable.tolist() == [True, False, False, False]
    assert (labels.ndim, labels.shape, len(labels)) == (2, (3, 4), 3)


def test_hidden_items_are_no_longer_annotated():
    labels = PartialLabels.from_table([[1, 0], [1, 1]]).hide(np.array([[True, True], [True, False]]))
    assert labels.state.tolist() == [[0, 0], [0, 1]]
    assert labels.annotated.tolist() == [False, True]


def test_frozen():
    labels = PartialLabels.from_table([[1, 0]])
    with pytest.raises(ValueError, match="read-only"):
        labels.state[0, 0] = -1
    with pytest.raises(ValueError, match="read-only"):
        labels.annotated[0] = False
    with pytest.raises(AttributeError):
        labels.state = None


def test_rows_travel_through_scikit_learn_and_pickle(rng):
    labels = PartialLabels.from_table(rng.integers(0, 2, (20, 3)).astype(float))
    train, test = train_test_split(labels, random_state=0)
    assert (train.shape, test.shape) == ((15, 3), (5, 3))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(labels)).state, labels.state)  # noqa: S301
    for row in (3, np.int64(3), slice(3, 4), [3], (3, Ellipsis)):
        np.testing.assert_array_equal(labels[row].state, labels.state[3:4])


@pytest.mark.parametrize("value", ["1", "0", "nan", "", b"1", 1 + 0j, [1]])
def test_text_is_no_label_even_if_it_reads_as_one(value):
    with pytest.raises(ValueError, match=r"label 'a' holds .* \(row 1\), but a label is 1"):
        PartialLabels.from_table(pd.DataFrame({"a": pd.Series([1, value, None], dtype=object)}))


def test_every_kind_of_number_is_a_label():
    column = pd.Series([True, np.bool_(0), 1, np.int8(0), 1.0, Decimal(0), None, pd.NA, np.nan, pd.NaT], dtype=object)
    assert PartialLabels.from_table(column).state.ravel().tolist() == [1, -1, 1, -1, 1, -1, 0, 0, 0, 0]
    assert PartialLabels.from_table(pd.DataFrame({"a": pd.Categorical([1, 0, None])})).state.ravel().tolist() == [
        1,
        -1,
        0,
    ]


def test_a_hidden_row_is_not_an_annotated_item_without_tags():
    labels = PartialLabels.from_tags([["a"], [], ["b"], []], absent="unknown")
    assert labels.hide(np.array([[True], [True], [False], [False]])).annotated.tolist() == [False, False, True, True]
    assert labels.hide(labels.relevant & [[True]]).annotated.tolist() == [False, True, False, True]


def test_the_mask_of_one_label_may_have_one_axis():
    labels = PartialLabels.from_observed([1, 0, 1], [True, True, False])
    assert labels.state.tolist() == [[1], [-1], [0]]


def test_labels_are_selected_by_position_and_items_stay():
    labels = PartialLabels.from_table(pd.DataFrame([[1, 0, None], [None, 1, None]], columns=list("abc")))
    chosen = labels.select([2, 0])
    assert chosen.names == ("c", "a")
    assert chosen.state.tolist() == [[0, 1], [0, 0]]
    np.testing.assert_array_equal(chosen.annotated, labels.annotated)


def test_rejected_entries_of_positive_only_labels_are_observed_and_irrelevant():
    Y, rejected = [[1, 0, 0], [np.nan, np.nan, np.nan]], [[False, True, False], [False, False, True]]
    labels = PartialLabels.from_positives(Y, rejected)
    assert labels.state.tolist() == [[1, -1, 0], [0, 0, -1]]
    assert labels.positive_only
    assert labels.annotated.tolist() == [True, False]  # a rejection is no annotation of the whole item
    assert mark_unassigned(labels).state.tolist() == [[1, -1, -1], [0, 0, -1]]
    with pytest.raises(ValueError, match="'label1' of row 1 is both assigned and rejected"):
        PartialLabels.from_positives([[1, 0], [0, 1]], [[False, True], [True, True]])


def test_only_names_that_occur_twice_are_named():
    table = pd.DataFrame([[1, 0, 1, 0]], columns=["a", "b", "c", "b"])
    with pytest.raises(ValueError, match=r"must be distinct; 'b' occurs more than once"):
        PartialLabels.from_table(table)


def test_labels_are_shown_by_their_counts():
    labels = PartialLabels.from_table([[1, 0], [np.nan, 0], [np.nan, np.nan]])
    assert repr(labels) == "3 items, 2 labels: 1 relevant, 2 irrelevant, 3 unknown entries."
    assert repr(PartialLabels.from_table(np.ones((1200, 1)))) == (
        "1,200 items, 1 label: 1,200 relevant, 0 irrelevant, 0 unknown entries."
    )
