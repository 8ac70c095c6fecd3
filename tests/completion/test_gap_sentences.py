"""The sentences about the gaps of a table, and about the error on entries that were held out."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel import PartialLabels
from halflabel.completion.gap_sentences import describe_gaps
from halflabel.labels.rules import Rule


class Model:
    """What the sentences need of a fitted method."""

    def __init__(self, **members_: float) -> None:
        self.members_ = {name.replace("_", " "): error for name, error in members_.items()}


ROWS = [[1.0, 0.0], [np.nan, 1.0], [0.0, np.nan], [np.nan, np.nan]]
PROBABLE = Rule("probable")
COMPLETE = PartialLabels.from_table(ROWS[:1])


def describe(labels, model, rule=PROBABLE):
    """Return the sentences without the one about the threshold rule."""
    found = describe_gaps(labels, model, rule, has_targets=False)
    return tuple(sentence for sentence in found if not sentence.startswith("Threshold"))


@pytest.mark.parametrize("rule", [PROBABLE, Rule("cost", ratio=4), Rule("precision", at=0.9)])
def test_the_threshold_rule_is_named_where_a_gap_was_filled(rule):
    assert f"Threshold rule: {rule}." in describe_gaps(PartialLabels.from_table(ROWS), Model(), rule, has_targets=False)
    assert describe_gaps(COMPLETE, Model(), rule, has_targets=False) == ()


def test_absent_tags_are_counted_where_an_item_is_annotated():
    labels = PartialLabels.from_positives([[1, 0, 0], [0, 1, 1], [np.nan, np.nan, np.nan]])
    assert describe(labels, Model()) == ("3 absent tags may be missing positives (absent tags are unknown).",)


@pytest.mark.parametrize(
    ("error", "useful"), [(0.0, True), (0.12, True), (0.1939, True), (0.1941, False), (0.3, False)]
)
def test_the_error_is_compared_with_that_of_the_rate(error, useful):
    sentence = describe(COMPLETE, Model(ensemble=error, label_rate=0.2))[0]
    start = (
        f"Checked on entries that it had not seen: mean squared error {error:.3f}; guessing each label's rate would "
        "give 0.200."
    )
    assert sentence == start + ("" if useful else " The features are of little use for these labels.")


def test_the_error_of_positive_only_labels_is_that_of_being_assigned():
    labels = PartialLabels.from_positives([[1, 0], [0, 1]])
    assert "mean squared error of P(assigned) 0.100;" in describe(labels, Model(ensemble=0.1, label_rate=0.2))[1]


def test_without_an_error_there_is_no_sentence():
    assert describe(COMPLETE, Model(ensemble=np.nan, label_rate=np.nan)) == ()


@pytest.mark.parametrize(("error", "n_sentences"), [(0.0, 2), (0.25, 2), (np.nan, 1)])
def test_a_prior_is_compared_with_the_method_alone(error, n_sentences):
    model = Model(ensemble=0.1, label_rate=0.2, prior=error, without_prior=0.15)
    sentences = describe(COMPLETE, model)
    assert len(sentences) == n_sentences
    if n_sentences == 2:
        assert sentences[1] == (
            f"On entries with a prior: error of the prior alone {error:.3f}, of Model without it 0.150."
        )
