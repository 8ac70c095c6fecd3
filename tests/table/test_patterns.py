"""Names and patterns: the columns that they stand for."""

from __future__ import annotations

import pytest

from halflabel.table import Description
from halflabel.table.patterns import expand_patterns, select

NAMES = ["song", "tag_a", "tag_b", "tag_c", "tempo", "key", "a*", "abc"]


@pytest.mark.parametrize(
    ("given", "skip", "chosen"),
    [
        (["tempo", "song"], (), ("tempo", "song")),
        (["tag_*", "tag_a"], (), ("tag_a", "tag_b", "tag_c")),
        (["tag_c", "tag_*"], ("tag_b",), ("tag_c", "tag_a")),
        (["tag_b"], ("tag_b",), ("tag_b",)),  # a name is no pattern
        (["a*"], (), ("a*",)),
        ([], (), ()),
    ],
)
def test_names_come_first_and_patterns_pass_over_some(given, skip, chosen):
    assert select(given, NAMES, skip) == chosen


def test_a_pattern_without_a_column_raises():
    with pytest.raises(ValueError, match=r"no column is called or matches 'tag_b\*'"):
        select(["tag_b*"], NAMES, ("tag_b",))


def test_roles_are_expanded_in_turn():
    columns = Description(id="song", ignore=["tag_b"], labels=["tag_*"], features=["?*"])
    found = expand_patterns(columns, NAMES, declared_labels=["key"])
    assert found.ignore == ("tag_b",)
    assert found.labels == ("tag_a", "tag_c")
    assert found.features == ("tempo", "a*", "abc")
    assert expand_patterns(Description(), NAMES).labels is None
    assert expand_patterns(Description(), NAMES).features is None
