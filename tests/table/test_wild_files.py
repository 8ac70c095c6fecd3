"""Exports of tools that people use: most are read at once, and none is misread without a word."""

from __future__ import annotations

import pytest
from tests.table.wild_files import WILD, judge, make_songs

#: Kinds whose words, or blanks, have no likely meaning: a person chooses one of the ways.
CHOSEN = {"bars and no genres": {"other way"}, "quoted blanks": {"other way", "never"}}

#: Kinds that the reader of the file decides, before a column has a role.
OF_FILES = ("records below a key",)


@pytest.mark.parametrize("kind", [kind for kind in WILD if kind not in OF_FILES])
def test_an_export_is_read_at_once_or_after_a_question_with_the_right_default(kind, tmp_path):
    results = {judge(WILD[kind](tmp_path, make_songs(seed))) for seed in range(2)}
    assert results <= CHOSEN.get(kind, {"right", "asked"})


@pytest.mark.parametrize("kind", OF_FILES)
def test_an_export_that_is_not_read_is_an_error_and_never_misread(kind, tmp_path):
    assert judge(WILD[kind](tmp_path, make_songs(0))) in ("right", "asked", "never")
