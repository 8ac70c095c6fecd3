"""Votes together with rules between labels."""

import pytest
from tests.corrections.votes.test_sources import LABELS, draw

import halflabel as hl

pytestmark = pytest.mark.usefixtures("one_member")


def test_the_posterior_obeys_rules_between_labels():
    items, _, votes = draw()
    filled = hl.complete(items, labels=LABELS, sources=votes, rules="sad -> dance", effort="fast")
    p = filled.probabilities
    assert (p["sad"] <= p["dance"] + 1e-9).all()
    assert not ((filled.table["sad"] == 1) & (filled.table["dance"] == 0)).any()
