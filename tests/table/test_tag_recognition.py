"""A column of tags is read as it was meant, or it is an error that offers the right way: it is never misread."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from tests.table.notations import NOTATIONS, list_plain, list_readings, matches

from halflabel.table import Roles, fill_tags, open_table, read_labels
from halflabel.table.ambiguous import AmbiguousReading
from halflabel.table.nothing_words import is_nothing
from halflabel.table.separators import choose_separator
from halflabel.table.tag_marks import _MINUS
from halflabel.table.tag_recognition import TagOptions, recognise_tags

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


@settings(max_examples=25, deadline=None, derandomize=True)
@given(tables())
def test_every_notation_is_read_as_written_or_its_error_offers_the_right_way(table):
    kind, lists, column = table
    readings = list(list_readings(column))
    if len(readings) == 1:
        event(f"{kind}: read")
        assert matches(readings[0][1], lists), (column.tolist(), readings[0])
    else:
        event(f"{kind}: asked")
        assert any(matches(labels, lists) for _, labels in readings), (column.tolist(), readings)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(tables())
def test_many_more_tables_are_read_as_written(table):
    test_every_notation_is_read_as_written_or_its_error_offers_the_right_way.hypothesis.inner_test(table)


PUNCTUATION = st.text("!?*+~^°§$%-.:_([)]#@", min_size=1, max_size=2)
NEGATIONS = st.builds("{}{{tag}}".format, st.sampled_from(["no ", "not ", "non-", "kein ", "sans ", "w/o "]))
MARKS = st.one_of(
    st.builds("{{tag}}{}".format, st.sampled_from([": no", " (no)", " - not sure", "=false", " (ja)"])),
    st.builds("{}{{tag}}".format, PUNCTUATION), st.builds("{{tag}}{}".format, PUNCTUATION),
    st.builds("{}{{tag}}{}".format, PUNCTUATION, PUNCTUATION),
)  # fmt: skip


@st.composite
def marked_tables(draw):
    """Return a notation, a column in which names occur with and without a mark, and the tags of each item."""
    kind, is_no = draw(st.sampled_from(sorted(NOTATIONS))), draw(st.booleans())
    mark = draw(NEGATIONS if is_no else MARKS)
    assume(is_no or not _MINUS.match(mark.replace("{tag}", "x")))  # -rock never means that rock is unknown
    assume(not set(mark.replace("{tag}", "")) & {*NOTATIONS[kind].syntax, *"[{<"})
    names = sorted(set(list_plain(kind, draw(st.lists(WORD, min_size=3, max_size=5, unique=True)))))
    assume(len(names) > 2)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    written = rng.integers(-1, 2, (draw(st.integers(12, 30)), len(names)))  # -1: with the mark
    written[: len(names)], written[len(names) : 2 * len(names)] = np.eye(len(names)), -np.eye(len(names))
    rows = [
        [mark.replace("{tag}", names[j]) if row[j] < 0 else names[j] for j in np.flatnonzero(row)] for row in written
    ]
    column = pd.Series([NOTATIONS[kind].write(row) if row else None for row in rows], dtype=object, name="tags")
    meaning = draw(st.sampled_from([-1, None] if is_no else [-1, 0, 1, None]))
    tags = [[(name, 1) for name in row] for row in rows]
    if meaning is not None:
        tags = [[(names[j], 1 if row[j] > 0 else meaning) for j in np.flatnonzero(row)] for row in written]
    return kind, column, tags


def has_states(labels, tags):
    """Return whether labels are those of (name, state) pairs, and -1 where an item with tags does not have one."""
    expected = [[dict(row).get(name, -1 if row else 0) for name in labels.names] for row in tags]
    return set(labels.names) == {name for row in tags for name, _ in row} and labels.state.tolist() == expected


def test_within_a_line_a_bullet_separates_no_tags():
    names, notes = ["rock", "sad", "live"], ["", " - not sure"]
    cells = [f"- {name}{note}" for name in names for note in notes] * 2 + ["- rock\n- sad - not sure"]
    readings = list(list_readings(pd.Series(cells, dtype=object, name="tags")))
    assert len(readings) > 1
    assert not any("not sure" in labels.names for _, labels in readings)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(marked_tables())
def test_a_mark_around_several_names_is_a_question_with_the_right_way(table):
    kind, column, tags = table
    readings = list(list_readings(column))
    event(kind)
    assert len(readings) > 1, column.tolist()
    assert any(has_states(labels, tags) for _, labels in readings), (column.tolist(), [o for o, _ in readings])


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(marked_tables())
def test_many_more_marks_are_questions(table):
    test_a_mark_around_several_names_is_a_question_with_the_right_way.hypothesis.inner_test(table)


def make_cells(kind, n=24, seed=0):
    rng = np.random.default_rng(seed)
    names = np.array(["rock", "sad", "live", "hip hop"] if kind != "hashtags" else ["rock", "sad", "live"])
    lists = [names[rng.random(len(names)) < 0.5].tolist() for _ in range(n)]
    lists[0] = names.tolist()
    return lists, pd.Series(
        [NOTATIONS[kind].write(each) if each else None for each in lists], dtype=object, name="tags"
    )


@pytest.mark.parametrize("kind", [kind for kind in NOTATIONS if NOTATIONS[kind].is_known])
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
    ("kind", "empty"), [(kind, empty) for kind in NOTATIONS for empty in NOTATIONS[kind].empty], ids=str
)
@pytest.mark.parametrize("longest", [1, 4])
def test_an_empty_list_is_an_annotated_item_in_every_notation(kind, empty, longest):
    """Also where no list has two tags, and again once the table was written."""
    if (kind, longest) == ("vector of R", 1):
        return  # R writes c() around several tags only: "c()" is a question there
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


@pytest.mark.parametrize("kind", [kind for kind in NOTATIONS if NOTATIONS[kind].is_known])
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
        ([["a", "nan"], ["None"], ["nan"]], ["no='nan'", "unknown='nan'", "yes='nan'"]),
        (["Rock;sad", "rock", "ROCK"], ["case='same'", "case='different'"]),
        (["rock;-sad", "sad;rock"], ["no='-{tag}'", "tag_marks='name'"]),
        (["!sad", "rock;sad"], ["no='!{tag}'", "tag_marks='name'"]),
        (["rock;no sad", "sad;No rock"], ["no='no {tag}'", "tag_marks='name'"]),
        (["rock?;sad", "rock;sad?"], ["no='{tag}?'", "unknown='{tag}?'", "yes='{tag}?'", "tag_marks='name'"]),
        (
            ["rock (no);sad (yes)", "sad (no);rock (yes)"],
            ["no='{tag} (no)'", "unknown='{tag} (no)'", "yes='{tag} (no)'", "tag_marks='name'"],
        ),
        (["rock:0.9;sad:0.2", "rock:.7"], ["scores='given'", "scores='prior'", "scores='name'"]),
        (["rock (90 %), sad (5 %)", "sad (80%)"], ["scores='given'", "scores='prior'", "scores='name'"]),
        ([[{"name": "rock", "score": 0.9}], [{"name": "sad", "score": 0.2}]], ["scores='given'", "scores='prior'"]),
        (['[{"tag": "rock", "p": 87.0}]', '[{"tag": "sad", "p": 12.0}]'], ["scores='given'"]),
        (["Paris, Texas", *"ABCDEFGHIJ"], ["sep=','", "sep='none'"]),
    ],
)
def test_what_has_two_meanings_is_an_error_with_a_way_for_each(cells, ways):
    with pytest.raises(AmbiguousReading) as question:
        recognise_tags(pd.Series(cells, dtype=object, name="tags"))
    assert [way for _, way in question.value.ways] == ways
    assert all(way in str(question.value) for way in ways)


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (
            ["rock;hard rock;punk rock", "rock;jazz", "hard rock;jazz", "punk rock"],
            ["hard rock", "jazz", "punk rock", "rock"],
        ),
        (["Arts, crafts;news", *["news;law", "law;Arts, crafts"] * 5], ["Arts, crafts", "law", "news"]),
        (["Rock (US, UK)", "Jazz", "Rock (US, UK)"], ["Jazz", "Rock (US, UK)"]),
        (['"Arts, crafts", news', "news", 'law, "Arts, crafts"'], ["Arts, crafts", "law", "news"]),
        (["C++;C#", "C#", "C++;Java"], ["C#", "C++", "Java"]),
        (["web 2.0;12 inch", "web 2.0"], ["12 inch", "web 2.0"]),
        (["indie rock;rock", "indie pop;pop"], ["indie pop", "indie rock", "pop", "rock"]),
        (["no wave;wave", "rock?;rock", "jazz"], ["jazz", "no wave", "rock", "rock?", "wave"]),  # one tag each
    ],
)
def test_names_with_separators_blanks_and_marks_are_whole(cells, names):
    labels = read_labels(pd.DataFrame({"t": cells}), Roles(tags="t"), absent="irrelevant").labels
    assert labels.names == tuple(names)


@pytest.mark.parametrize("absent", ["irrelevant", "unknown"])
def test_a_tag_that_an_item_does_not_have(absent):
    cells = ["rock; -sad", "sad", None, "-sad", "rock; sad"]
    options = TagOptions(no=("-{tag}",))
    column = pd.Series(cells, name="t")
    reading = read_labels(column.to_frame(), Roles(tags="t"), absent=absent, options=options)
    other = -1 if absent == "irrelevant" else 0
    assert reading.labels.names == ("rock", "sad")
    assert reading.labels.state.tolist() == [[1, -1], [other, 1], [0, 0], [other, -1], [1, 1]]
    assert reading.labels.annotated.tolist() == [True, True, False, True, True]
    filled = fill_tags(column, reading.labels, np.array([[1, 0], [1, 1], [0, 1], [1, 0], [1, 1.0]]), reading.notation)
    assert filled.tolist() == ["rock; -sad", "sad; rock", "sad", "-sad; rock", "rock; sad"]
    with pytest.raises(ValueError, match=r"'sad' both with and without a mark that means no \(row 0\)"):
        read_labels(pd.DataFrame({"t": ["sad;-sad"]}), Roles(tags="t"), absent=absent, options=options)


def test_scores_are_left_out_or_are_a_prior():
    frame = pd.DataFrame({"n": [1.5, 2.5, 2.5, 1.5], "t": ["rock:0.9;sad", "sad:0.2", "rock", "sad"]})
    given = open_table(frame, tags="t", absent="irrelevant", scores="given")
    assert given.labels.state.tolist() == [[1, 1], [-1, 1], [1, -1], [-1, 1]]
    assert given.prior is None
    prior = open_table(frame, tags="t", absent="irrelevant", scores="prior")
    assert prior.labels.state.tolist() == [[0, 1], [0, 0], [1, -1], [-1, 1]]
    assert prior.labels.annotated.tolist() == [True, False, True, True]
    np.testing.assert_array_equal(prior.prior, [[0.9, np.nan], [np.nan, 0.2], [np.nan] * 2, [np.nan] * 2])
    assert "2 tags with a score: not given, but the prior of these entries." in prior.notes
    with pytest.raises(ValueError, match="each tag of the column 't' has a score"):
        open_table(frame[1:2], tags="t", absent="irrelevant", scores="prior")


def test_objects_keep_their_other_keys():
    cells = [[{"name": "rock", "score": 0.9, "by": "m"}], [{"name": "sad", "score": 0.2}], [{"name": "rock"}]]
    column = pd.Series(cells, name="t")
    reading = read_labels(column.to_frame(), Roles(tags="t"), absent="irrelevant", options=TagOptions(scores="given"))
    filled = fill_tags(column, reading.labels, np.ones((3, 2)), reading.notation)
    assert filled[0] == [{"name": "rock", "score": 0.9, "by": "m"}, {"name": "sad"}]


def test_words_for_nothing_have_the_stated_meaning():
    frame = pd.DataFrame({"n": [1.5, 2.5, 2.5, 1.5], "t": ["rock;sad", "none", "n/a", "rock"]})
    opened = open_table(frame, tags="t", absent="irrelevant", no="none", unknown="n/a")
    assert opened.labels.state.tolist() == [[1, 1], [-1, -1], [0, 0], [1, -1]]
    assert "1 item has the word 'none' in the tags column 't': taken as annotated, without tags." in opened.notes
    assert "1 item has the word 'n/a' in the tags column 't': taken as unlabelled." in opened.notes


def test_one_spelling():
    cells = ["Rock; sad", "rock", "rock", None]
    options = TagOptions(case="same")
    column = pd.Series(cells, name="t")
    reading = read_labels(column.to_frame(), Roles(tags="t"), absent="irrelevant", options=options)
    assert reading.labels.names == ("rock", "sad")
    assert reading.labels.relevant[:, 0].tolist() == [True, True, True, False]
    assert fill_tags(column, reading.labels, np.ones((4, 2)), reading.notation).tolist() == [
        "Rock; sad", "rock; sad", "rock; sad", "rock; sad"]  # fmt: skip


@pytest.mark.parametrize(("others", "is_an_error"), [(["blues", "soul", "funk"], False), (["blues", "soul"], True)])
def test_tags_without_a_separator_are_doubtful_if_more_than_a_third_contain_another_tag(others, is_an_error):
    cells = ["rock", "jazz", "pop", "rock one", "jazz two", "pop three", *others]
    column = pd.Series(cells, dtype=object, name="tags")
    if is_an_error:
        with pytest.raises(AmbiguousReading, match="3 of 8 labels contain another label"):
            choose_separator(column, "tags")
    else:
        assert choose_separator(column, "tags") == ";"
