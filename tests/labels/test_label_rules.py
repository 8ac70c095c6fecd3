import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halflabel.labels.label_rules import LabelRule, LabelRules, read_rules

NAMES = ("jazz", "music", "day", "night", "a, b", "not x", "x", "one of: y")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jazz -> music", ["jazz -> music"]),
        ("jazz→music", ["jazz -> music"]),
        ("jazz -> music, day", ["jazz -> music", "jazz -> day"]),
        ("jazz -> music -> day", ["jazz -> music", "music -> day"]),
        ("Exactly one of:day,  night", ["one of: day, night"]),
        ("at most one of: day, not x", ["at most one of: day, not x"]),
        ('one of: "a, b", x', ['one of: "a, b", x']),
        ('"one of: y" -> x', ['"one of: y" -> x']),
    ],
)
def test_a_rule_is_read_as_it_is_written(text, expected):
    assert [str(rule) for rule in read_rules(text, NAMES)] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jaz -> music", "the rule 'jaz -> music' names 'jaz', which is not a label: did you mean 'jazz'?"),
        ("not day -> night", "names 'not day', which is not a label"),
        ("at least one of: day, night", "is not a rule between labels"),
        ("jazz music", "is not a rule between labels: write 'a -> b'"),
        ("jazz, day -> music", "is not a rule between labels"),
        ("jazz -> jazz", "is about the label 'jazz' twice"),
        ("one of: day", "needs at least two different labels"),
        ("one of: day, day", "needs at least two different labels"),
        ("one of: day -> night, music", "needs at least two different labels"),
        ("one of:", "lacks a label at its end"),
        ("jazz ->", "lacks a label at its end"),
        ('jazz -> "music', "cannot be read near"),
    ],
)
def test_a_text_that_is_not_a_rule_is_named_in_one_sentence(text, message):
    with pytest.raises(ValueError, match=r".") as error:
        LabelRules.read([text], NAMES)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


names = st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=8).map(str.strip)
labels = st.lists(names.filter(bool), min_size=2, max_size=4, unique=True)


@settings(max_examples=25, deadline=None)
@given(labels, st.sampled_from(["one of", "at most one of"]))
def test_every_rule_is_read_back_from_its_text(drawn, kind):
    several = LabelRule(kind, tuple(drawn))
    pair = LabelRule("implies", tuple(drawn[:2]))
    assert LabelRules.read([str(several), str(pair)], drawn).rules == (several, pair)


@pytest.mark.parametrize("drawn", [("0", "->"), ("0", "1", "?"), ("a*", "b", "[c]")])
def test_labels_with_signs_of_the_notation_are_read_back(drawn):
    rule = LabelRule("one of", drawn)
    assert LabelRules.read([str(rule)], drawn).rules == (rule,)


def test_a_pattern_without_a_label_is_an_error():
    with pytest.raises(ValueError, match=r"names 'mod_\*', which is not a label"):
        LabelRules.read(["one of: day, night, mod_*"], NAMES)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_a_rule_or_one_sentence(text):
    with contextlib.suppress(ValueError):
        assert LabelRules.read([text], ("a", "b")).rules


def test_rules_between_some_of_the_labels_are_those_that_follow():
    rules = LabelRules.read(["a -> b -> c", "c -> d", "one of: a, e, f", "one of: e, f"], tuple("abcdef"))
    assert rules.select(tuple("acdef")).texts == ("a -> c", "c -> d", "one of: a, e, f", "one of: e, f")
    assert rules.select(tuple("ade")).texts == ("a -> d", "at most one of: a, e")
    assert rules.select(tuple("abcdef")) == rules


def test_a_pattern_in_a_list_is_the_labels_that_it_matches():
    names = ("mood_a", "mood_b", "x")
    assert LabelRules.read(["one of: mood_*", "at most one of: *"], names).texts == (
        "one of: mood_a, mood_b",
        "at most one of: mood_a, mood_b, x",
    )
    with pytest.raises(ValueError, match="'style_\\*', which is not a label"):
        LabelRules.read(["one of: style_*, x"], names)
