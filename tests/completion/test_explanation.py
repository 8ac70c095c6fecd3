"""The evidence for one entry: values, threshold, kind, and the items that it is tied to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit
from tests.completion.test_review_list import complete, open_songs

from halflabel.completion.explanation import explain_entry


def explain(item, label, weights=None, opened=None, **changes):
    filled = complete(opened or open_songs(), **changes)
    filled.model.thresholds_ = np.array([0.25, 0.75])
    if weights is not None:
        filled.model.weights_ = sparse.csr_array(weights)
    return explain_entry(filled.evidence, item, label)


@pytest.mark.parametrize(
    ("item", "label", "value", "given", "probability"),
    [
        ("s0", "rock", 1, 1, 0.9),
        ("s0", "sad", 0, 0, 0.1),
        ("s1", "sad", 0, None, 0.06),
        ("s2", "rock", 1, None, 0.97),
        ("s3", "rock", 1, 1, 0.05),  # a given value stays, however improbable it is
        ("s4", "rock", 0, 0, 0.6),
    ],
)
def test_an_entry_has_its_values_probability_and_threshold(item, label, value, given, probability):
    why = explain(item, label)
    assert (why.item, why.label, why.value, why.given, why.probability) == (item, label, value, given, probability)
    assert why.threshold == {"rock": 0.25, "sad": 0.75}[label]
    assert why.contributions["part"].tolist() == ["score"]
    assert expit(why.contributions["log_odds"].sum()) == pytest.approx(probability)
    assert why.out_of_fold == (given is not None)


def test_an_entry_that_stays_empty_has_no_value():
    why = explain("s2", "sad", min_precision=0.99)
    assert (why.value, why.given) == (None, None)


@pytest.mark.parametrize(
    ("index", "how"),
    [
        (pd.RangeIndex(6), "items are identified by their row number, from 0"),
        (pd.Index(list("abcdef")), "items are identified by the index, such as 'a'"),
        (pd.RangeIndex(6, name="nr"), "items are identified by 'nr', such as 0"),
    ],
)
def test_an_item_that_does_not_exist_is_named_with_what_identifies_items(index, how):
    with pytest.raises(KeyError, match=f"there is no item 'x'; {how}"):
        explain("x", "rock", opened=replace(open_songs(), index=index))


def test_items_are_found_by_their_ids_alone():
    opened = replace(open_songs(), index=pd.Index(["a", "b", "a", "c", "d", "e"]))
    assert explain("c", "sad", opened=opened).probability == 0.8
    with pytest.raises(KeyError, match=r"2 items are identified by 'a': name a column of distinct ids \(id=\)"):
        explain("a", "rock", opened=opened)


def test_a_label_that_does_not_exist_is_named():
    with pytest.raises(KeyError, match="there is no label 'rokc'; the labels are 'rock' and 'sad'"):
        explain("s0", "rokc")
