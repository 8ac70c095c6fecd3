"""Parts of cells that are no tags: words for nothing, vectors of 0 and 1, numbers, tags that are made of other tags."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.table.notations import list_readings, matches, read_labels

from halflabel.table import Description, Roles
from halflabel.table.question import Question
from halflabel.table.tag_recognition import recognise_tags
from halflabel.table.words import is_nothing, list_ways, suggest_meanings

NAMES = ["rock", "sad", "live", "folk"]
WORD = st.text(st.sampled_from("abcdefßд 01*_.-?()"), min_size=1, max_size=9).map(str.strip).filter(bool)


def draw_lists(seed, n=60, share=0.45):
    rng = np.random.default_rng(seed)
    has = rng.random((n, len(NAMES))) < share
    has[: len(NAMES)] = np.eye(len(NAMES), dtype=bool)
    return [[NAMES[j] for j in np.flatnonzero(row)] for row in has]


def ask(cells, **options):
    with pytest.raises(Question) as question:
        recognise_tags(pd.Series(cells, dtype=object, name="tags"), Description(**options))
    return question.value


def read(cells, **options):
    reading = read_labels(pd.DataFrame({"tags": cells}), Roles(tags="tags"), absent="irrelevant",
                          stated=Description(**options))  # fmt: skip
    return reading.labels


@settings(max_examples=60, deadline=None, derandomize=True)
@given(WORD, st.integers(0, 99), st.booleans())
def test_a_word_that_is_never_with_a_tag_is_a_question(word, seed, as_lists):
    assume(word.casefold() not in NAMES and not set(word) & set("()*") and word[0] not in "-.?_")
    lists = [tags if i % 3 else [word] for i, tags in enumerate(draw_lists(seed, 90))]
    lists = [tags or ["rock", "sad"] for tags in lists]
    cells = lists if as_lists else [";".join(tags) for tags in lists]
    options = [option for option, _ in list_readings(pd.Series(cells, dtype=object, name="tags"))]
    found = {name: getattr(options[0], name) for name in ("no", "unknown", "yes")}
    assert found == {"no": (word.casefold(),), "unknown": (), "yes": ()} or word in str(ask(cells)), found


def test_a_tag_is_often_alone_where_most_tags_are():
    rng = np.random.default_rng(0)
    lists = [
        [NAMES[j]] if rng.random() < 0.93 or j == 1 else [NAMES[j], NAMES[3 - j % 2]] for j in rng.integers(0, 4, 2000)
    ]
    assert read(lists).names == tuple(sorted(NAMES))


@pytest.mark.parametrize("word", ["not yet", "Never seen", "noch nicht"])
def test_a_phrase_with_not_that_is_always_alone_is_a_question(word):
    cells = [["rock", "sad"], ["rock"], ["sad"], *[[word]] * 2]
    assert f"2 cells of the tags column 'tags' hold the word {word!r}" in str(ask(cells))
    assert word in read([*cells, [word, "rock"]]).names


def test_cells_are_counted_and_not_the_repeats_of_a_word_in_them():
    cells = [["none", "none", "rock"], ["none"], ["sad", "rock"], ["none", "none", "none"]]
    assert "3 cells of the tags column 'tags' hold the word 'none'" in str(ask(cells))


def test_a_class_of_its_own_and_items_with_one_tag_are_no_question():
    assert read(["a", "b", "c"] * 9).names == ("a", "b", "c")
    assert read([";".join(tags) or None for tags in draw_lists(1)]).names == tuple(sorted(NAMES))


@pytest.mark.parametrize(
    "word",
    ["undefined", "#N/A", "[]", "()", "set()", "character(0)", "''", "[nan]",
     "k.A.", "(blank)", "TBD", "...", "*", "\u200b", "no", "No tags.", ".a", "-nan(ind)"],
)  # fmt: skip
def test_a_word_for_nothing_is_a_question_with_three_ways(word):
    cells = [";".join(tags) or "rock;sad" for tags in draw_lists(0, 20)]
    way = f"no={word!r}"
    assert ask([word, *cells]).ways[0].statement == way
    stated = {"no": (word.casefold(),)}
    assert (read([word, *cells], **stated).state[0] == -1).all()
    assert not read([word, *cells], unknown=(word.casefold(),)).annotated[0]


@pytest.mark.parametrize("word", ["\\N", "(null)", "NaT", "#REF!", "{NULL}", "<NA>", "NaN"])
def test_a_missing_value_of_a_program_is_no_question_unless_it_is_a_tag(word):
    cells = [";".join(tags) or "rock;sad" for tags in draw_lists(0, 20)]
    labels = read([word, *cells])
    assert (labels.names, labels.annotated[0]) == (tuple(sorted(NAMES)), False)
    assert word in read([word, *cells], yes=(word.casefold(),)).names
    together = [f"{cell};{word}" for cell in cells]
    assert word in read([word, *cells, *together]).names  # a tag that happens to be called so


def test_a_word_that_stands_next_to_tags_is_a_tag():
    """Such as a list of tasks, of which one is called "To do"."""
    cells = [";".join(tags) or "rock" for tags in draw_lists(0, 20)]
    assert "To do" in read([*cells, *(f"{cell};To do" for cell in cells), "To do"]).names
    assert "To do" in str(ask([*cells, "To do", "To do", "rock;To do"]))


@pytest.mark.parametrize("word", ["rock", "C#", "C++", "🙂", "none of us", "R&B", "50/50", "1", "no wave", "日本"])
def test_a_name_is_no_word_for_nothing(word):
    assert not is_nothing(word)


VECTORS = ["".join, ",".join, list, lambda bits: [bit == "1" for bit in bits], lambda bits: list(map(int, bits)),
           lambda bits: f"[{', '.join(bits)}]"]  # fmt: skip


@pytest.mark.parametrize("write", VECTORS)
def test_a_vector_of_0_and_1_is_an_error(write):
    bits = [["1" if name in tags else "0" for name in NAMES] for tags in draw_lists(2)]
    with pytest.raises(ValueError, match="hold 0 and 1, one for each label, and no names of tags"):
        recognise_tags(pd.Series([write(row) for row in bits], dtype=object, name="tags"))


@pytest.mark.parametrize("names", [["day 1", "day 2", "week 1", "week 2"], ["mood_1", "mood_2"], ["70s", "80s", "90s"]])
def test_numbers_that_are_parts_of_names(names):
    cells = [";".join(names), *names, ";".join(names[:2])]
    assert read(cells).names == tuple(sorted(names))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.sampled_from([" and ", " und ", "/", " & ", ", "]), st.booleans(), st.integers(0, 99))
def test_tags_that_are_made_of_two_others_are_a_question(glue, as_lists, seed):
    lists = [[*tags[:-2], glue.join(tags[-2:])] if len(tags) > 1 else tags for tags in draw_lists(seed)]
    cells = lists if as_lists else [";".join(tags) or None for tags in lists]
    assert re.search("which is made of other tags|write one of them in all cells", str(ask(cells)))
    assert "rock" in read(cells, **({"sep": "none"} if as_lists else {"sep": ";"})).names


def test_names_that_are_made_of_other_names_are_whole():
    cells = [["rock", "pop"], ["pop rock"], ["hard rock", "hard"], ["pop", "R&B"], ["folk-rock", "folk", "rock"]]
    assert {"pop rock", "hard rock", "folk-rock"} <= set(read(cells).names)


SPELLINGS = (str.upper, lambda name: f"{name}\u200b", lambda name: name.replace(" ", "-"),
             lambda name: name.replace(" ", "\u00a0"), lambda name: name.replace(" ", "_"),
             lambda name: name.replace("&", "&amp;"))  # fmt: skip


@pytest.mark.parametrize("spell", SPELLINGS)
@pytest.mark.parametrize("sep", [";", ","])
def test_spellings_of_one_tag_are_a_question(spell, sep):
    names = ["hip hop", "Café au lait", "R&B"]
    cells = [sep.join(names), *names, *map(spell, names)]
    assert [way.statement for way in ask(cells).ways] == ["case='same'", "case='different'"]
    assert len(read(cells, case="same").names) == 3


def test_characters_of_web_pages_are_not_cut():
    assert read(["R&amp;B;rock", "drum &amp; bass", "AT&T;rock;a&b"]).names == (
        "AT&T", "R&amp;B", "a&b", "drum &amp; bass", "rock")  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["['a', ...]", "['b']"], "cut when it was written"),
        ([[["a"]], [["b"]]], "a list in a list"),
        (["[['a'], ['b']]", "['a']", "['b']"], "a list of tags was expected"),
    ],
)
def test_a_list_that_is_no_list_of_tags_is_an_error(cells, reason):
    with pytest.raises(ValueError, match=reason):
        read(cells)


VALUES = {"truth": (True, False), "numbers": (1, 0), "words": ("yes", "no"), "polarity": ("positive", "negative"),
          "floats": (1.0, 0.0), "digits": ("1", "0"), "written floats": ("1.0", "0.0")}  # fmt: skip


@pytest.mark.parametrize("kind", VALUES)
def test_an_object_of_names_and_values_states_each_tag(kind):
    yes, no = VALUES[kind]
    labels = read([{"a": yes, "b": no}, {"a": None, "b": yes}, None])
    assert labels.state.tolist() == [[1, -1], [0, 1], [0, 0]]
    assert labels.names == ("a", "b")


@pytest.mark.parametrize("kind", VALUES)
def test_a_key_that_can_mean_no_is_a_question(kind):
    yes, no = VALUES[kind]
    cells = [[{"label": "a", "x": yes}, {"label": "b", "x": no}], [{"label": "a", "x": no}], None]
    assert [way.statement for way in ask(cells).ways] == ["value='x'", "value='none'"]
    assert read(cells, value="x").state.tolist() == [[1, -1], [-1, -1], [0, 0]]
    for way in ({"scores": "given"}, {"value": "none", "scores": "given"}):  # truth values as floats may be scores
        assert read(cells, **way).state.tolist() == [[1, 1], [1, -1], [0, 0]]
    with pytest.raises(ValueError, match="have no 'y'"):
        read(cells, value="y")


# -- words of label columns -----------------------------------------------------------

YES, NO = (
    st.sampled_from(["yes", "Ja", "x", "TRUE", "Selected", "1", "vrai"]),
    st.sampled_from(["no", "Nein", "faux", "0"]),
)
UNKNOWN = st.sampled_from(["?", "-99", "9", "n/a", "\\N", "#REF!", "not asked", "(null)", "unsure", "k.A."])


@given(YES, NO, UNKNOWN)
def test_words_with_a_plain_meaning_have_one_meaning(yes, no, unknown):
    yes, no, unknown = (word.casefold() for word in (yes, no, unknown))
    (meanings,) = suggest_meanings([yes, no, unknown], {})
    expected = {yes: 1.0, no: 0.0, unknown: np.nan}
    assert all(np.array_equal(expected[word], value, equal_nan=True) for word, value in meanings.items())
    assert unknown in meanings


@given(st.lists(st.text("abcd", min_size=3, max_size=6), min_size=2, max_size=2, unique=True))
def test_two_words_without_a_plain_meaning_have_two_readings(words):
    assert [set(meanings) for meanings in suggest_meanings(words, {})] == [set(words)] * 2
    assert len({str(way) for _, way in list_ways(words, {})}) == 2


def test_a_word_that_was_stated_keeps_its_meaning():
    assert suggest_meanings(["yes", "nein"], {"nein": 1.0}) == [{"nein": 1.0, "yes": 1.0}]
    assert suggest_meanings(["often", "seldom", "never"], {}) == []


@given(seed=st.integers(0, 99), letters=st.permutations("ABCDEFÄж"))
def test_letters_without_a_separator_are_a_question(seed, letters):
    cells = ["".join(letters[NAMES.index(name)] for name in tags) or None for tags in draw_lists(seed)]
    question = str(ask(cells))
    assert "as if each letter is a tag" in question
    way = "make a list of each cell in Python, such as items['tags'].map(function)."
    assert question.endswith(way)
    items = pd.DataFrame({"tags": cells})
    lists = items["tags"].map(list, na_action="ignore")
    assert read(lists).names == tuple(sorted(letters[:4]))
    assert read(list(pd.Series(cells).str.join(";"))).names == tuple(sorted(letters[:4]))


@given(st.sampled_from([b"rock", pd.Timestamp("2024-01-01"), {"a"}, frozenset("a"), ("a", 0.5), object()]))
def test_a_part_of_a_list_that_is_no_name_is_an_error(part):
    with pytest.raises(ValueError, match=r"\(row 1\).* was not expected"):
        read([["a", "b"], ["a", part]])


@pytest.mark.parametrize("symbols", [NAMES, ["🎸", "😢", "🎤", "🪕"]])
def test_symbols_without_a_separator_are_a_question(symbols):
    letters = dict(zip(NAMES, symbols if symbols != NAMES else "rslf", strict=True))
    question = ask(["".join(letters[name] for name in names) for names in draw_lists(0)])
    assert "as if each letter is a tag" in str(question)


@given(st.integers(0, 99), st.sampled_from(["sad, slow songs", "Jazz, swing and blues", "arts, crafts, toys"]))
def test_a_name_with_the_separator_is_a_question_and_quotes_are_a_way(seed, name):
    lists = [[name if tag == "sad" else tag for tag in names] for names in draw_lists(seed)]
    question = ask([", ".join(names) or None for names in lists])
    assert "whose parts are always together" in str(question)
    assert {"sep": ","} in [way.keys for way in question.ways]
    cells = pd.Series([", ".join(f'"{tag}"' if "," in tag else tag for tag in names) or None for names in lists])
    expected = [names or None for names in lists]
    assert any(matches(labels, expected) for _, labels in list_readings(cells))


@given(st.integers(0, 99))
def test_tags_that_are_often_together_are_no_question(seed):
    lists = [[*names, "indie"] if "rock" in names else names for names in draw_lists(seed)]
    lists[0] = ["rock"]
    recognise_tags(pd.Series([", ".join(sorted(names)) or None for names in lists]))


def test_codes_of_1_2_and_0_have_the_reading_of_surveys():
    _, keys = next(iter(list_ways(["1", "2", "0"], {})))
    assert keys["yes"] == "1"
