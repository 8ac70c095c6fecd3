"""The work to read a cell grows like its length, for every notation and every atom of the grammar.

CPU time is compared with CPU time of the same process, never with a limit. Linear work is four times as much for four
times the length, quadratic work sixteen times. A suspect is measured again, and the smallest times count.
"""

from __future__ import annotations

import time
from contextlib import suppress

import pandas as pd
import pytest

from halflabel.table.tag_notations import TagNotation
from halflabel.table.tag_recognition import recognise_tags
from halflabel.table.tag_text import fold_tag, quote_tag, split_tags, unquote_tag

ATOMS = (
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "[]",
    "a (",
    "a) ",
    "<",
    ">",
    "<a>",
    "#",
    "#a ",
    "#a,",
    '"',
    '""',
    '"a",',
    '"a,',
    '"a" ,',
    "'",
    "'a',",
    "['a'],",
    "a;",
    "a,",
    "a, ",
    "a|",
    "a\n",
    "a\t",
    "a ",
    "ab",
    "a:",
    "a=",
    "-a;",
    "&",
    "&amp;",
    "&#",
    "é,",
    "\\",
    '\\"',
    "null,",
    "NULL, ",
    "1,",
    "0.5,",
    '{"a":',
    '{"a":1},',
    "a&b;",
    "no a;",
    "a x3,",
    "a (1);",
)

LENGTH = 6_000


def read(cell, form, around=""):
    with suppress(ValueError):
        TagNotation(form, sep=";", fields=("name", "", ""), around=around).read_parts(cell)


def recognise(cell):
    with suppress(ValueError):
        recognise_tags(pd.Series([cell, *["rock;sad", "sad", "rock"] * 5], dtype=object, name="tags"))


READERS = {
    **{f"{form} {around}": lambda cell, form=form, around=around: read(cell, form, around) for form, around in (
        ("separated", ""), ("marked", "<>"), ("marked", "#"), ("json", ""), ("python", ""),
        ("list", ""), ("object", ""))},
    **{f"split at {sep!r}": lambda cell, sep=sep: split_tags(cell, sep) for sep in (";", ",", "|", "\n", "\t", " ")},
    "quote": lambda cell: quote_tag(cell, ","), "unquote": unquote_tag, "fold": fold_tag, "recognise": recognise,
}  # fmt: skip


def measure(reader, atom, length, repeats):
    cell = (atom * length)[:length]
    times = []
    for _ in range(repeats):
        start = time.process_time()
        reader(cell)
        times.append(time.process_time() - start)
    return min(times)


def find_growth(reader, atom):
    """Return how much more CPU time four times the length takes; 1 where it is too little to be measured."""
    for repeats in (1, 7):
        long = measure(reader, atom, LENGTH, repeats)
        growth = 1.0 if long < 0.02 else long / max(measure(reader, atom, LENGTH // 4, repeats), 0.0005)
        if growth < 9:
            break
    return growth


@pytest.mark.parametrize("name", READERS)
def test_the_work_grows_like_the_length_of_a_cell(name):
    assert {atom: growth for atom in ATOMS if (growth := find_growth(READERS[name], atom)) >= 9} == {}


def test_quadratic_work_is_found():
    assert find_growth(lambda cell: [cell[:k].split("a") for k in range(len(cell))], "a") >= 9
