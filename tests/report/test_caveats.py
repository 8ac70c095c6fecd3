"""What not to trust is said, with the right weight, and only then."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel.labels import PartialLabels
from halflabel.report.caveats import caveats

GRAPH = {"graph": 100, "features": 0, "prior": 0}
GOOD = {"ece": 0.02, "ece_by_chance": 0.015}


def labels(n: int = 400, labelled: int = 200) -> PartialLabels:
    y = np.full((n, 2), np.nan)
    y[:labelled] = np.arange(labelled)[:, None] % 2
    return PartialLabels.from_table(y)


def said(found: list[dict[str, str]], title: str) -> str:
    """Return "level: text" of the caveat with this in its title."""
    matching = [caveat for caveat in found if title in caveat["title"]]
    return "\n".join(f"{caveat['level']}: {caveat['text']}" for caveat in matching)


def test_nothing_to_complain_about():
    found = caveats(labels(), kinds=GRAPH, drift=0.51, quality=GOOD)
    assert {caveat["level"] for caveat in found} == {"fine"}


@pytest.mark.parametrize(
    ("auc", "level"), [(0.5, "fine"), (0.59, "fine"), (0.61, "caution"), (0.74, "caution"), (0.76, "warning")]
)
def test_drift_is_weighed(auc, level):
    found = caveats(labels(), kinds=GRAPH, drift=auc, quality=GOOD)
    assert said(found, "nlabelled items").startswith(f"{level}: An item's features tell")


def test_drift_that_chance_would_show_is_no_drift():
    # 20 against 20 items: two standard deviations of the AUC are 0.18.
    found = caveats(labels(40, 20), kinds=GRAPH, drift=0.66, quality=GOOD)
    assert said(found, "Unlabelled items").startswith("fine")


def test_drift_that_cannot_be_measured():
    scattered = caveats(labels(200, 200), kinds=GRAPH, drift=None, quality=GOOD)
    assert "Every item has a given entry" in said(scattered, "like the given")
    few = caveats(labels(210, 200), kinds=GRAPH, drift=None, quality=GOOD)
    assert "With 200 labelled items and 10 unlabelled ones there are too few" in said(few, "like the given")


def test_labels_that_could_not_be_learned_are_named():
    found = caveats(PartialLabels.from_table(np.ones((60, 1))), kinds=GRAPH, drift=None, quality=GOOD)
    assert "“label0”: both values are needed" in said(found, "1 label could not be learned")
    assert found[0]["level"] == "warning"


def test_labels_of_few_examples_are_named():
    y = np.zeros((60, 2))
    y[:9, 0] = y[:10, 1] = 1
    found = caveats(PartialLabels.from_table(y), kinds=GRAPH, drift=None, quality=GOOD)
    assert said(found, "1 label rests on very few examples").startswith("caution: “label0”")


def test_few_labelled_items():
    assert "Only 49 items" in said(caveats(labels(400, 49), kinds=GRAPH, drift=0.5, quality=GOOD), "Very few")
    assert not said(caveats(labels(400, 50), kinds=GRAPH, drift=0.5, quality=GOOD), "Very few")


def test_answers_without_neighbours_are_counted():
    kinds = {"graph": 50, "features": 30, "prior": 20}
    found = caveats(labels(), kinds=kinds, drift=0.5, quality=GOOD)
    assert "30 gaps (30\xa0%)" in said(found, "no neighbour")
    assert not said(found, "All answers have evidence")


@pytest.mark.parametrize(
    ("error", "by_chance", "level"), [(0.04, 0.001, "fine"), (0.08, 0.05, "caution"), (0.08, 0.03, "warning")]
)
def test_calibration_is_weighed_against_chance(error, by_chance, level):
    quality = {"ece": error, "ece_by_chance": by_chance}
    assert said(caveats(labels(), kinds=GRAPH, drift=0.5, quality=quality), "Probabilities").startswith(level)


def test_positive_only_says_that_precision_cannot_be_observed():
    nothing = {"entries": 0, "assigned": 0}
    found = caveats(labels(), kinds=GRAPH, drift=0.5, quality=GOOD, positive={"observed_rate": None, "above": nothing})
    assert found[0]["title"] == "Probabilities are of being assigned, not of being relevant"
    assert "precision of what was filled in cannot be observed" in found[0]["text"]
    assert said(found, "Probabilities of being assigned can be taken at their word")
    told = caveats(labels(), kinds=GRAPH, drift=0.5, quality=GOOD, positive={"observed_rate": 0.7, "above": nothing})
    assert "if 70\xa0% of the relevant entries were assigned" in said(told, "rest on an assumption")
    assert not said(told, "no neighbour")


@pytest.mark.parametrize(("entries", "assigned", "contradicted"), [(0, 0, False), (100, 60, False), (100, 80, True)])
def test_an_observed_rate_that_was_exceeded_is_doubted(entries, assigned, contradicted):
    positive = {"observed_rate": 0.55, "above": {"entries": entries, "assigned": assigned}}
    found = caveats(labels(), kinds=GRAPH, drift=0.5, quality=GOOD, positive=positive)
    assert bool(said(found, "More was assigned than 55")) is contradicted


def test_notes_from_the_door_are_repeated_in_bounds():
    found = caveats(labels(), kinds=GRAPH, drift=0.5, quality=GOOD, notes=["2 rows were empty. " * 100] * 500)
    notes = [caveat["text"] for caveat in found if caveat["level"] == "note"]
    assert len(notes) == 30
    assert all(len(note) <= 500 for note in notes)
