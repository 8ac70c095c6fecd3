"""The figures of a map: which items are compared, and the sentence."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel import PartialLabels
from halflabel.completion.mapping import quality
from halflabel.completion.mapping.quality import Quality
from halflabel.numerics.layout.quality import measure_trust, score_vote

nan = np.nan


@pytest.fixture
def scene(rng):
    """Places, features and a joint space of forty items; the first ten have no label, and two lack one."""
    table = (rng.random((40, 5)) < 0.5) * 1.0
    table[:10], table[10:12, 0] = nan, nan
    return (*(rng.normal(size=(40, d)) for d in (2, 3, 5)), PartialLabels.from_table(table))


def test_labels_are_taken_from_the_neighbours_of_labelled_items(scene):
    drawn, features, joint, labels = scene
    measured = Quality.measure(drawn, features, joint, labels)
    relevant, observed = labels.relevant[10:], labels.observed[10:]
    assert measured.on_map == score_vote(drawn[10:], relevant, observed)
    assert measured.in_space == score_vote(joint[10:], relevant, observed)
    rng = np.random.default_rng(0)
    trust = measure_trust(features, drawn, rng)
    assert (measured.trustworthiness, measured.continuity) == trust
    assert measured.by_chance == score_vote(drawn[10:], relevant, observed, rng)
    assert len({measured.on_map, measured.in_space, measured.by_chance, *trust}) == 5


@pytest.mark.parametrize(("limit", "sizes"), [(30, [30] * 3), (29, [29] * 3)])
def test_a_sample_of_the_labelled_items_is_compared(scene, limit, sizes, monkeypatch):
    drawn, features, joint, labels = scene
    found = []
    monkeypatch.setattr(quality, "MAX_LABELLED", limit)
    monkeypatch.setattr(quality, "score_vote", lambda places, *_: found.append(places) or 0.5)
    Quality.measure(drawn, features, joint, labels)
    assert [len(np.unique(places, axis=0)) for places in found] == sizes
    positions = [drawn.tolist().index(place) for place in found[0].tolist()]
    assert positions == sorted(positions)


@pytest.mark.parametrize(
    ("figures", "sentence"),
    [
        (
            (0.5, 0.62, 0.25, 0.9, 0.8),
            "Quality: labels taken from neighbours on the map reach a micro-F1 of 0.50 (in the full space 0.62, by "
            "chance 0.25); trustworthiness 0.90, continuity 0.80.",
        ),
        ((nan, nan, nan, 0.9, 0.8), "Quality: trustworthiness 0.90, continuity 0.80."),
        (
            (0.5, 0.5, 0.25, nan, nan),
            "Quality: labels taken from neighbours on the map reach a micro-F1 of 0.50 (in the full space 0.50, by "
            "chance 0.25).",
        ),
        ((nan, nan, nan, nan, nan), ""),
    ],
)
def test_what_was_measured_is_a_sentence(figures, sentence):
    assert Quality(*figures).describe() == sentence
