"""The table of prevalences: labels, groups, and errors."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from halflabel.completion.prevalence_table import describe_left_out, tabulate_prevalence
from halflabel.evidence.label_frequency import Share
from halflabel.labels import PartialLabels

N = 300


@pytest.fixture
def evidence(rng):
    """Evidence of two labels, of which 120 items are known, and of a column with three groups."""
    scores = rng.normal(size=(N, 2)) @ [[2, 1], [0, 1.5]]
    state = np.where(rng.random((N, 2)) < expit(scores), 1, -1).astype(np.int8)
    whole = PartialLabels(state, ("rock", "sad"), np.ones(N, dtype=bool))
    known = whole.hide(np.repeat(rng.permutation(N)[:, None] >= 120, 2, axis=1))
    decade = np.array([1980.0, 1990.0, np.nan, 2000.0])[np.searchsorted([150, 280, 290], np.arange(N), side="right")]
    frame = pd.DataFrame({"decade": decade})
    return SimpleNamespace(
        labels=known, calibrated_on=known, learned_probabilities=expit(scores), observed_rate=None, not_by_chance=None,
        fit=SimpleNamespace(estimates_gaps=False), asked_frequency=None,
        opened=SimpleNamespace(frame=frame), whole=whole,
    )  # fmt: skip


def tabulate(evidence, by=None, confidence=0.9):
    return tabulate_prevalence(evidence, by, confidence)


def test_each_label_has_a_row_of_shares_and_of_counts(evidence):
    table = tabulate(evidence)
    assert table["label"].tolist() == ["rock", "sad"]
    assert "group" not in table
    assert table["n_items"].tolist() == [N, N]
    assert table["n_labelled"].tolist() == [120, 120]
    np.testing.assert_allclose(table["count_high"], N * table["high"])
    truth = evidence.whole.relevant.mean(axis=0)
    assert ((table["low"] < truth) & (truth < table["high"])).all()
    assert (table["gain"] > 1.1).all()


def test_groups_have_20_items_and_a_value(evidence):
    table = tabulate(evidence, by="decade")
    assert table["group"].tolist() == [1980, 1990] * 2
    assert table["n_items"].tolist() == [150, 130] * 2


def test_a_group_without_a_known_entry_has_no_row(evidence):
    evidence.calibrated_on = evidence.labels.hide(np.repeat(np.arange(N)[:, None] < 150, 2, axis=1))
    assert tabulate(evidence, by="decade")["group"].unique().tolist() == [1990]


def test_chosen_answers_are_not_counted(evidence):
    before = tabulate(evidence)
    evidence.labels = evidence.whole  # all other entries were answered because a queue asked for them
    pd.testing.assert_frame_equal(tabulate(evidence), before)


def test_assigned_tags_are_divided_by_their_frequency(evidence):
    whole = tabulate(evidence)
    evidence.labels = PartialLabels(
        np.maximum(evidence.labels.state, 0), ("rock", "sad"), evidence.labels.annotated, positives=True
    )
    evidence.observed_rate = 0.8
    np.testing.assert_allclose(tabulate(evidence)["share"], np.minimum(whole["share"] / 0.8, 1))


def test_only_assigned_tags_are_divided_in_a_table_of_both_kinds(evidence):
    before = tabulate(evidence).set_index("label")
    state, positives = evidence.labels.state.copy(), np.array([False, True])
    state[:, 1] = np.maximum(state[:, 1], 0)
    evidence.labels = PartialLabels(state, ("rock", "sad"), evidence.labels.annotated, positives=positives)
    evidence.calibrated_on = evidence.labels.hide(np.broadcast_to(positives, state.shape))
    after = tabulate(evidence)
    assert describe_left_out(evidence, after) == [
        "No share of 'sad': these labels have assigned entries only, and the share of the relevant entries that were "
        "assigned is not known. State it: observed_rate=0.7."
    ]
    evidence.observed_rate = 0.5
    with_rate = tabulate(evidence).set_index("label")
    pd.testing.assert_frame_equal(with_rate.loc[["rock"]], before.loc[["rock"]])
    pd.testing.assert_frame_equal(after.set_index("label"), before.loc[["rock"]])
    share = (state[:, 1] > 0).mean() / 0.5
    assert with_rate.loc["sad", "share"] == pytest.approx(share)
    assert with_rate.loc["sad", "low"] < share < with_rate.loc["sad", "high"]
    stated = with_rate.loc["sad", "high"] / with_rate.loc["sad", "low"]
    evidence.asked_frequency = SimpleNamespace(share=Share(0.5, 0.2, 0.8))
    asked = tabulate(evidence).set_index("label").loc["sad"]
    assert asked["low"] == pytest.approx(share * 0.5 / 0.8)
    assert asked["high"] / asked["low"] > stated
    narrower = tabulate(evidence, confidence=0.5).set_index("label").loc["sad"]
    assert asked["low"] < narrower["low"] < share < narrower["high"]


def test_what_is_left_out_is_named(evidence):
    table = tabulate(evidence, by="decade")
    assert describe_left_out(evidence, table[table["label"] == "rock"], "decade") == [
        "No share of 'sad': fewer than 5 entries are known.",
        "No share of '2000' in column 'decade': a group needs 20 items, and a label 5 known entries in it.",
    ]


def test_too_few_known_entries_give_no_row(evidence):
    before, few = tabulate(evidence), np.repeat(np.arange(N)[:, None] >= 4, 2, axis=1)
    evidence.calibrated_on = evidence.whole.hide(few)
    assert tabulate(evidence).empty
    assert list(tabulate(evidence)) == list(before)


@pytest.mark.parametrize(
    ("change", "asked", "sentence"),
    [
        (
            {"not_by_chance": {"code": "drift", "title": "They differ"}},
            {},
            r"They differ \[drift\]. Label 268 random items",
        ),
        ({}, {"by": "decades"}, r"no column 'decades'.*decade"),
        ({}, {"confidence": 1.0}, "not between 0 and 1"),
    ],
)
def test_what_cannot_be_counted_is_named(evidence, change, asked, sentence):
    vars(evidence).update(change)
    with pytest.raises(ValueError, match=sentence):
        tabulate(evidence, **asked)


def test_assigned_tags_without_a_frequency_are_an_error(evidence):
    evidence.labels = PartialLabels(
        np.maximum(evidence.labels.state, 0), ("rock", "sad"), evidence.labels.annotated, positives=True
    )
    with pytest.raises(ValueError, match=r"State it: observed_rate=0\.7"):
        tabulate(evidence)
