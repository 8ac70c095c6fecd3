"""A question about a table: its ways as keys, as arguments, and as options of the command."""

from __future__ import annotations

import shlex

import pytest

from halflabel._wording import name_command_options
from halflabel.table.columns import BY_NAME
from halflabel.table.question import Question, Way


@pytest.mark.parametrize("words", [("a",), ("d'accord", "other; no"), ("-99", "x y"), ("",), ('like "a, b"', "#")])
def test_the_options_of_a_way_are_read_as_its_keys(words):
    way = Way("these words mean no", {"no": words[0] if len(words) == 1 else list(words), "sep": ";"})
    with name_command_options({"no": "--set no=", "sep": "--set sep="}):
        stated = [text.partition("=") for text in shlex.split(way.statement) if text != "--set"]
    assert {name: BY_NAME[name].parse([text]) for name, _, text in stated} == {"no": words, "sep": ";"}


def test_words_of_several_statements_count_together():
    given = {"no": "x", "sep": ","}
    assert Way("", {"no": ["y"], "sep": ";"}).state(given) == {"no": ["x", "y"], "sep": ";"}
    assert Way("", {"yes": "z"}).state(given) == {"no": "x", "sep": ",", "yes": ["z"]}


def test_a_question_names_all_that_each_way_gives():
    question = Question("Cells hold ','.", ("',' separates tags", {"sep": ","}), other="Else, write lists.")
    assert str(question) == "Cells hold ','. If ',' separates tags, state sep=','. Else, write lists."
    with pytest.raises(Question, match=r"state sep=',' \(2 labels: a 3, b 1\). Else") as again:
        question.decide(lambda way: ("a b", "2 labels: a 3, b 1"))
    assert again.value.likely


def test_a_way_that_fails_decides_only_for_a_likelier_one():
    def read(way):
        if way.keys["sep"] == fails:
            raise ValueError("row 3 is cut.")
        return way, "1 label"

    question = Question("Cells hold marks.", ("',' separates tags", {"sep": ","}), ("';' separates tags", {"sep": ";"}))
    fails = ";"
    assert question.decide(read).keys == {"sep": ","}
    fails = ","
    with pytest.raises(Question, match=r"\(1 label\). It cannot be read so that ',' separates tags: row 3 is") as asked:
        question.decide(read)
    assert [way.keys for way in asked.value.ways] == [{"sep": ";"}]
    assert not asked.value.likely
