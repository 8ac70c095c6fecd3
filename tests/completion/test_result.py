"""A completion by hand: its states, lists of entries, and what it passes on."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.completion.plain import make_evidence
from tests.completion.test_review_list import P, complete, open_songs

from halflabel.completion import result as module
from halflabel.completion.evidence import Evidence
from halflabel.completion.gap_sentences import describe_gaps
from halflabel.completion.result import Completion
from halflabel.labels.positive_only import Assumption
from halflabel.methods.base import PartialLabelEstimator

GIVEN = [[1, -1], [-1, 0], [0, 0], [1, 1], [-1, -1], [0, 1]]


class Assuming(PartialLabelEstimator):
    """A method for positive-only labels whose probabilities without a label frequency are half of those with one."""

    def __init__(self, observed_rate=0.5):
        self.observed_rate = observed_rate
        self.label_probabilities_, self.thresholds_ = P, np.full(2, 0.5)
        self.transduction_, self.positive_only_ = (P >= 0.5).astype(int), True

    def assume(self, observed_rate):
        p = P / 2 if observed_rate is None else P
        return Assumption(observed_rate, None, p, np.full(2, 0.5), p > 0.5)


def open_tags():
    return open_songs(tags="tags", absent="unknown")


def test_given_entries_stay_and_gaps_get_the_values_of_the_method():
    filled = complete(open_songs())
    assert filled.labels.state.tolist() == GIVEN
    assert filled.state.tolist() == [[1, -1], [-1, -1], [1, 1], [1, 1], [-1, -1], [-1, 1]]
    assert filled.state.dtype == np.int8
    sure = complete(open_songs(), min_precision=0.96)
    assert sure.state.tolist() == [[1, -1], [-1, 0], [1, 0], [1, 1], [-1, -1], [-1, 1]]


def test_one_label_as_a_row_of_values_is_a_column():
    values = np.array([1, 0, 1, 0, 1, 0])
    model = SimpleNamespace(transduction_=values, label_probabilities_=0.2 + 0.6 * values[:, None])
    opened = open_songs()
    labels = opened.labels.select([0])
    filled = make_evidence(SimpleNamespace(labels=labels), model)
    assert filled.state.ravel().tolist() == [1, -1, 1, 1, -1, -1]


def test_probabilities_have_the_ids_and_the_labels():
    p = complete(open_songs()).probabilities
    assert p.index.tolist() == [f"s{i}" for i in range(6)]
    assert p.columns.tolist() == ["rock", "sad"]
    np.testing.assert_array_equal(p, P)


def test_entries_that_calibrate_are_those_of_the_mask():
    assert complete(open_songs()).evidence.calibrated_on.state.tolist() == GIVEN
    mask = np.ones((6, 2), dtype=bool)
    mask[0, 0] = False
    assert complete(open_songs(), calibrate_on=mask).evidence.calibrated_on.state.tolist() == [[0, -1], *GIVEN[1:]]


def test_absent_tags_of_annotated_items_are_learned_as_irrelevant():
    filled = complete(open_tags())
    assert filled.labels.state.tolist() == [[1, 0], [0, 1], [0, 0], [1, 1], [0, 0], [0, 1]]
    assert filled.evidence.learned_from.state.tolist() == [[1, -1], [-1, 1], [0, 0], [1, 1], [0, 0], [-1, 1]]
    assert complete(open_songs()).evidence.learned_from.state.tolist() == GIVEN


@pytest.mark.parametrize(("rate", "of"), [(0.5, "being relevant"), (None, "being assigned")])
def test_for_positive_only_labels_the_assigned_ones_are_learned(rate, of):
    filled = Completion(make_evidence(open_tags(), Assuming(rate)))
    np.testing.assert_array_equal(filled.evidence.learned_probabilities, P / 2)
    assert (filled.evidence.observed_rate, filled.probability_of) == (rate, of)
    plain = complete(open_tags())  # a method without the assumption
    np.testing.assert_array_equal(plain.evidence.learned_probabilities, P)
    assert (plain.evidence.observed_rate, plain.probability_of) == (None, "being relevant")
    np.testing.assert_array_equal(make_evidence(open_songs(), Assuming()).learned_probabilities, P)


def test_a_map_is_drawn_once_for_each_of_its_options(monkeypatch):
    drawn = []

    def draw(completion, n_components, **options):
        drawn.append((n_components, options))
        return SimpleNamespace(coordinates=(n_components, options))

    monkeypatch.setattr(module, "draw_item_map", draw)
    filled = complete(open_songs())
    assert filled.map() is filled.map(2)
    assert filled.map(random_state=1, label_weight=0) is filled.map(2, label_weight=0, random_state=1)
    assert filled.map(3).coordinates == (3, {})
    assert filled.map().coordinates == (2, {})
    assert drawn == [(2, {}), (2, {"random_state": 1, "label_weight": 0}), (3, {})]


def test_suspects_are_named_by_their_items():
    table = complete(open_songs()).suspects
    assert table["item"].iloc[0] == "s3"
    assert table["label"].iloc[0] == "rock"
    assert (table["given"].iloc[0], table["probability"].iloc[0]) == (1, 0.05)
    assert len(table) == 8  # every given entry
    missing = Completion(make_evidence(open_tags(), Assuming())).suspects
    assert set(missing["given"].dropna()) <= {0}
    assert missing["item"].iloc[0] == "s1"  # annotated, without "rock"


def test_notes_and_gaps_are_those_of_the_table():
    filled = complete(open_songs())
    assert filled.notes is filled.opened.notes
    assert filled.evidence.gaps == describe_gaps(filled.labels, filled.model, filled.rule, has_targets=False)
    sure = complete(open_songs(), min_precision=0.99)
    assert sure.evidence.gaps != filled.evidence.gaps
    assert sure.evidence.gaps[0].startswith("Threshold rule: precision")


def test_twenty_items_to_label_are_listed(monkeypatch):
    asked = []
    found = pd.DataFrame({"item": ["s1"]})
    monkeypatch.setattr(Evidence, "next_to_label", lambda self, n: asked.append(n) or found)
    filled = complete(open_songs())
    assert filled.next_to_label()["item"].tolist() == ["s1"]
    filled.next_to_label(3)
    assert asked == [20, 3]


def test_positions_become_ids():
    found = pd.DataFrame({"position": [4, 0], "bits": [2.0, 1.0]})
    assert open_songs().name_items(found).to_dict("list") == {"item": ["s4", "s0"], "bits": [2.0, 1.0]}
