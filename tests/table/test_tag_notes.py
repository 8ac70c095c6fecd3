"""Sentences about tags that one person wrote in two ways, or that the vocabulary did not always have."""

import numpy as np
import pandas as pd
import pytest

from halflabel.table import open_table

NAMES = ["rock", "sad", "live", "jazz"]


def notes_of(has, names=NAMES):
    cells = [";".join(np.array(names)[row]) or None for row in has]
    items = pd.DataFrame({"bpm": np.linspace(90.5, 99, len(has)), "tags": cells})
    return " ".join(open_table(items, tags="tags", absent="irrelevant").notes)


@pytest.mark.parametrize(("seed", "is_new", "name"), [(0, True, "rock"), (1, False, "sad"), (2, True, "jazz")])
def test_a_tag_that_began_or_ended_is_named_with_the_way(seed, is_new, name):
    has = np.random.default_rng(seed).random((160, 4)) < 0.5
    has[slice(0, 80) if is_new else slice(80, None), NAMES.index(name)] = False
    found = notes_of(has)
    assert f"'{name}' in 'tags' occurs only at the start or at the end" in found
    assert f"state positive_only=['{name}']" in found


@pytest.mark.parametrize(("seed", "share"), [(0, 0.05), (1, 0.2), (2, 0.5), (3, 0.9)])
def test_a_tag_that_is_anywhere_is_not_named(seed, share):
    has = np.random.default_rng(seed).random((160, 4)) < share
    has[[0, -1]] = True
    assert "occur" not in notes_of(has)


def test_a_table_in_the_order_of_its_tags_is_not_named():
    assert "occur" not in notes_of(np.repeat(np.eye(4, dtype=bool), 40, axis=0))


@pytest.mark.parametrize("ending", ["s", "S"])
def test_plurals_are_named(ending):
    rng = np.random.default_rng(0)
    has = np.c_[rng.random((80, 2)) < 0.5, rng.random((80, 1)) < 0.5]
    plural = rng.random(80) < 0.5
    both = np.c_[has[:, :2] & ~plural[:, None], has[:, :2] & plural[:, None], has[:, 2:]]
    found = notes_of(both, ["song", "car", f"song{ending}", f"car{ending}", "bus"])
    assert "2 pairs of tags in 'tags' differ in a final s only" in found
    assert "final s" not in notes_of(np.c_[both[:, :4] | has[:, 2:], has[:, 2:]], ["blue", "new", "blues", "news", "x"])
