"""A column of tags is read as it was meant, or it is an error that offers the right way: it is never misread."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from tests.table.notations import NOTATIONS, OTHERS, READ, list_plain, list_readings, matches, read_labels

from halflabel.table import Description, Roles, fill_tags, open_table
from halflabel.table.question import Question
from halflabel.table.tag_recognition import recognise_tags
from halflabel.table.words import is_nothing

WORD = st.text(st.sampled_from("abcdeéßдQR12"), min_size=1, max_size=5)
JOINED = st.builds(lambda words, mark: mark.join(words), st.lists(WORD, min_size=1, max_size=3),
                   st.sampled_from([" ", " ", "-", "/", ", ", ";", "|", " & ", "'", ".", "_", ":"]))  # fmt: skip
NAME = st.one_of(
    WORD, WORD, JOINED, JOINED,
    st.builds("{} ({})".format, WORD, JOINED),
    st.builds("{}{}".format, st.sampled_from(["-", "!", "#", "@", "+", "C"]), WORD),
    st.builds("{}{}".format, WORD, st.sampled_from(["#", "++", ":0.5", " 0.25", '"', "!", " (", "?"])),
    st.sampled_from(["none", "None", "n/a", "-", "nan", "Rock", "rock", "ROCK", "hard rock"]),
)  # fmt: skip


@st.composite
def tables(draw):
    """Return a notation, the tags of each item, and the column of cells."""
    kind = draw(st.sampled_from(sorted(NOTATIONS)))
    names = list_plain(kind, draw(st.lists(NAME, min_size=6, max_size=9, unique=True)))
    assume(len(names) > 2 and sum(map(is_nothing, names)) < 4)  # each asks a question, of which six are followed
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(12, 30))
    share = draw(st.sampled_from([0.2, 0.35, 0.6]))
    has = rng.random((n, len(names))) < share
    has[np.arange(len(names)), np.arange(len(names))] = True
    lists = [[names[j] for j in rng.permutation(np.flatnonzero(row))] for row in has]
    empty = draw(st.sampled_from([None, *NOTATIONS[kind].empty]))
    lists = [each or (None if empty is None else []) for each in lists]
    # one cell of several tags does not show a separator that is not known
    assume(NOTATIONS[kind].is_known or sum(len(each or ()) > 1 for each in lists) > 1)
    cells = [NOTATIONS[kind].write(each) if each else empty for each in lists]
    # a word for nothing asks a question, also in marks, such as <none>: of all questions six are followed
    assume(len({word for word in [*names, *cells] if isinstance(word, str) and is_nothing(word)}) < 6)
    return kind, lists, pd.Series(cells, dtype=object, name="tags")


@settings(max_examples=40, deadline=None, derandomize=True)
@given(tables())
def test_a_notation_is_read_as_written_or_is_a_question(table):
    """Each notation that is known has the right way among those that the question offers."""
    kind, lists, column = table
    try:
        readings = list(list_readings(column))
    except ValueError:  # an error of one sentence: nothing is read, and nothing misread
        assert kind in OTHERS, column.tolist()
        return
    if len(readings) == 1 and not readings[0][0].stated:
        event(f"{kind}: read")
        assert matches(readings[0][1], lists), (column.tolist(), readings[0])
    else:
        event(f"{kind}: asked")
        with pytest.raises(Question):
            recognise_tags(column)
        is_right = any(matches(labels, lists) for _, labels in readings)
        assert is_right or kind in OTHERS, (column.tolist(), readings)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(tables())
def test_many_more_tables_are_read_as_written(table):
    test_a_notation_is_read_as_written_or_is_a_question.hypothesis.inner_test(table)


MARKS = ("-{}", "!{}", "no {}", "ohne {}", "{}?", "{} (?)", "{}: no", "{} (ja)", "+{}", "[x] {}", "{}:0.9", "{} x3",
         "{} (12)", "{} & sad", "{} and sad")  # fmt: skip


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("mark", MARKS)
def test_a_name_that_may_be_more_than_a_name_is_a_question(kind, mark):
    """Also as a single one next to 30 others; only a person can state that it is a name."""
    if kind in ("objects", "objects in JSON", "values", "values in JSON") or set(NOTATIONS[kind].syntax) & set(mark):
        return  # a key or a value states it there, or it is the notation
    lists, _ = make_cells(kind)
    lists[3] = ["sad", mark.format("rock")]
    column = pd.Series([NOTATIONS[kind].write(each) if each else None for each in lists], dtype=object, name="tags")
    readings = list(list_readings(column))
    assert {options.sep for options, _ in readings} != {None}
    assert any(matches(labels, [each or None for each in lists]) for _, labels in readings)


def make_cells(kind, n=24, seed=0):
    rng = np.random.default_rng(seed)
    names = np.array(["rock", "sad", "live", "hip hop"] if kind != "hashtags" else ["rock", "sad", "live"])
    lists = [names[rng.random(len(names)) < 0.5].tolist() for _ in range(n)]
    lists[0] = names.tolist()
    return lists, pd.Series(
        [NOTATIONS[kind].write(each) if each else None for each in lists], dtype=object, name="tags"
    )


@pytest.mark.parametrize("kind", READ)
def test_a_cell_is_written_as_its_column_is(kind):
    lists, column = make_cells(kind)
    reading = read_labels(pd.DataFrame({"tags": column}), Roles(tags="tags"), absent="irrelevant")
    filled = np.ones(reading.labels.shape)
    again = fill_tags(column, reading.labels, filled, reading.notation)
    assert [sorted(reading.notation.read(cell)) for cell in again] == [sorted(reading.labels.names)] * len(column)
    full = lists.index(max(lists, key=len))
    assert repr(again[full]) == repr(column[full])  # a cell to which nothing is added stays as it was
    assert recognise_tags(again).form == reading.notation.form


@pytest.mark.parametrize(
    ("kind", "empty"), [(kind, empty) for kind in READ for empty in NOTATIONS[kind].empty], ids=str
)
@pytest.mark.parametrize("longest", [1, 4])
def test_an_empty_list_is_an_annotated_item_in_every_notation(kind, empty, longest):
    """Also where no list has two tags, and again once the table was written."""
    lists, _ = make_cells(kind)
    lists[1:] = [each[:longest] for each in lists[1:]]
    lists = [None if i % 7 == 6 else [] if i % 4 == 1 else each for i, each in enumerate(lists)]
    cells = [each if each is None else NOTATIONS[kind].write(each) if each else empty for each in lists]
    column = pd.Series(cells, dtype=object, name="tags")
    reading = read_labels(pd.DataFrame({"tags": column}), Roles(tags="tags"), absent="irrelevant")
    assert matches(reading.labels, lists)
    filled = reading.labels.relevant.astype(float)
    written = fill_tags(column, reading.labels, filled, reading.notation)
    again = read_labels(pd.DataFrame({"tags": written}), Roles(tags="tags"), absent="irrelevant").labels
    assert matches(again, [each or [] for each in lists])


@pytest.mark.parametrize("kind", READ)
def test_a_phrase_between_lists_is_a_question_in_every_notation(kind):
    lists, _ = make_cells(kind, 40)
    lists = [None if i % 2 else each or ["sad"] for i, each in enumerate(lists)]
    cells = ["nothing fits" if each is None else NOTATIONS[kind].write(each) for each in lists]
    readings = list(list_readings(pd.Series(cells, dtype=object, name="tags")))
    assert len(readings) > 1
    assert any(matches(labels, lists) for _, labels in readings)


@pytest.mark.parametrize(
    ("cells", "ways"),
    [
        (["a b", "b c", "c a", "a", "b", "c"], ["sep='space'", "sep='none'"]),
        (["a/b", "b/c", "c/a", "a", "b", "c"], ["sep='/'", "sep='none'"]),
        (["a/b", "a/c", "b/c", "b/d", "c/d"], ["sep='/'", "sep='none'"]),
        (["rock", "hard rock", "punk rock", "jazz"], ["sep='space'", "sep='none'"]),
        (["a;b", "none", "a"], ["no='none'", "unknown='none'", "yes='none'"]),
        (["a;b", "n/a", "N/A", "a"], ["no='n/a'", "unknown='n/a'", "yes='n/a'"]),
        ([["a", "n/a"], ["None"], ["n/a"]], ["no='n/a'", "unknown='n/a'", "yes='n/a'"]),
        (["Rock;sad", "rock", "ROCK"], ["case='same'", "case='different'"]),
        (["rock;-sad", "sad;rock"], ["sep=';'", "sep='none'"]),
        (["rock;no sad", "sad;No rock"], ["sep=';'", "sep='space'", "sep='none'"]),
        ([["rock", "sad?"], ["rock", "sad"]], ["sep='none'"]),
        (['["rock", "no sad"]', '["sad"]'], ["sep='none'"]),
        (["rock:0.9;sad:0.2", "rock:.7"], ["sep=';'", "sep=':'", "sep='none'"]),
        (["Arts, crafts;news", *["news;law", "law;Arts, crafts"] * 5], ["sep=';'", "sep=','", "sep='none'"]),
        ([[{"name": "rock", "score": 0.9}], [{"name": "sad", "score": 0.2}]], ["scores='given'"]),
        ([[{"name": "rock", "score": 0.9}], [{"name": "sad"}]], ["scores='given'", "scores='prior'"]),
        (['[{"tag": "rock", "p": 87.0}]', '[{"tag": "sad", "p": 12.0}]'], ["scores='given'"]),
        (["a|b", "c|d, e", "f|g"], ["sep='|'", "sep=','", "sep='none'"]),
        (["Paris, Texas", *"ABCDEFGHIJ"], ["sep=','", "sep='none'"]),
    ],
)
def test_what_has_two_meanings_is_an_error_with_a_way_for_each(cells, ways):
    with pytest.raises(Question) as question:
        recognise_tags(pd.Series(cells, dtype=object, name="tags"))
    assert [way.statement for way in question.value.ways] == ways
    assert all(way in str(question.value) for way in ways)


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (
            ["rock;hard rock;punk rock", "rock;jazz", "hard rock;jazz", "punk rock"],
            ["hard rock", "jazz", "punk rock", "rock"],
        ),
        (["Rock (US, UK)", "Jazz", "Rock (US, UK)"], ["Jazz", "Rock (US, UK)"]),
        (['"Arts, crafts", news', "news", 'law, "Arts, crafts"'], ["Arts, crafts", "law", "news"]),
        (["C++;C#", "C#", "C++;Java"], ["C#", "C++", "Java"]),
        (["web 2.0;12 inch", "web 2.0"], ["12 inch", "web 2.0"]),
        (["indie rock;rock", "indie pop;pop"], ["indie pop", "indie rock", "pop", "rock"]),
        (["GO:0001001;HP:0001250", "GO:0001002;DOID:1612"], ["DOID:1612", "GO:0001001", "GO:0001002", "HP:0001250"]),
        (["MESH:D001241;MESH:D003643", "MESH:D001241"], ["MESH:D001241", "MESH:D003643"]),
        (["no wave;new age", "rock?;pop", "jazz"], ["jazz", "new age", "no wave", "pop", "rock?"]),
    ],
)
def test_names_with_separators_blanks_and_marks_are_whole(cells, names):
    labels = read_labels(pd.DataFrame({"t": cells}), Roles(tags="t"), absent="irrelevant").labels
    assert labels.names == tuple(names)


def test_a_filled_object_has_the_keys_that_its_tag_has_everywhere():
    rock, sad = ({"id": 3, "name": "rock", "color": "red"}, {"id": 7, "name": "sad", "color": "blue"})
    for column in (pd.Series([[rock], [sad], [dict(rock)], None]), pd.Series(map(json.dumps, ([rock], [sad], [rock])))):
        reading = read_labels(column.to_frame("t"), Roles(tags="t"), absent="irrelevant")
        filled = fill_tags(column, reading.labels, np.ones((len(column), 2)), reading.notation)
        lists = [json.loads(cell) if isinstance(cell, str) else cell for cell in filled]
        assert [sorted(each, key=lambda tag: tag["id"]) for each in lists] == [[rock, sad]] * len(column)
    other = pd.Series([[rock], [sad], [{**rock, "color": "green"}]])
    reading = read_labels(other.to_frame("t"), Roles(tags="t"), absent="irrelevant")
    assert reading.notation.write(["rock"]) == [{"id": 3, "name": "rock"}]
    assert reading.notation.description.endswith("filled objects are without 'color'")


def test_objects_keep_their_other_keys():
    cells = [[{"name": "rock", "score": 0.9, "by": "m"}], [{"name": "sad", "score": 0.2}], [{"name": "rock"}]]
    column = pd.Series(cells, name="t")
    reading = read_labels(column.to_frame(), Roles(tags="t"), absent="irrelevant", stated=Description(scores="given"))
    filled = fill_tags(column, reading.labels, np.ones((3, 2)), reading.notation)
    assert filled[0] == [{"name": "rock", "score": 0.9, "by": "m"}, {"name": "sad"}]


def test_words_for_nothing_have_the_stated_meaning():
    frame = pd.DataFrame({"n": [1.5, 2.5, 2.5, 1.5], "t": ["rock;sad", "none", "n/a", "rock"]})
    opened = open_table(frame, tags="t", absent="irrelevant", no="none", unknown="n/a")
    assert opened.labels.state.tolist() == [[1, 1], [-1, -1], [0, 0], [1, -1]]
    assert "The word 'none' in the tags column 't': 1 item, annotated, without tags." in opened.notes
    assert "The word 'n/a' in the tags column 't': 1 item, unlabelled." in opened.notes


def test_one_spelling():
    cells = ["Rock; sad", "rock", "rock", None]
    options = Description(case="same")
    column = pd.Series(cells, name="t")
    reading = read_labels(column.to_frame(), Roles(tags="t"), absent="irrelevant", stated=options)
    assert reading.labels.names == ("rock", "sad")
    assert reading.labels.relevant[:, 0].tolist() == [True, True, True, False]
    assert fill_tags(column, reading.labels, np.ones((4, 2)), reading.notation).tolist() == [
        "Rock; sad", "rock; sad", "rock; sad", "rock; sad"]  # fmt: skip
