"""One vocabulary of answers: a word has the same meaning, or none, in every place that reads answers."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
from hypothesis import assume, given
from hypothesis import strategies as st

from halflabel.completion.answers import read_answers
from halflabel.completion.finish import Task
from halflabel.completion.stated_completion import take_completed
from halflabel.files.choice_answers import read_choice
from halflabel.labels.answers import WORDS, Answer, read_answer
from halflabel.table import open_table
from halflabel.table.columns import Description
from halflabel.table.label_words import find_meanings, read_label_words

INVALID = "invalid"
OPENED = open_table(pd.DataFrame({"id": ["a", "b"], "x": [0.5, 0.25], "rock": [1, None]}), id="id", labels=("rock",))


def read_review(cell):
    """The answer of a review table: `complete --answers`."""
    review = pd.DataFrame({"item": ["b"], "label": ["rock"], "answer": pd.Series([cell], dtype=object)})
    answers = read_answers(review, OPENED)
    return float(answers.relevant[0]) if len(answers) else None


def read_finish(cell):
    """The answer of a task about a table: an error against a filled "yes", and against a filled "no"."""
    errors = []
    for filled in (1.0, 0.0):
        completed = open_table(
            pd.DataFrame({"id": ["a", "b"], "x": [0.5, 0.25], "rock": [1, filled]}),
            id="id",
            labels=("rock",),
        )
        task = Task(take_completed(OPENED, completed))
        task.draw(1)
        task.answer(task.questions.astype(object).assign(answer=pd.Series([cell], dtype=object)))
        errors.append(task.certificate["errors"])
    return {(0, 1): 1.0, (1, 0): 0.0, (1, 1): None}[tuple(errors)]


def read_tool(cell):
    """The choice of another tool's question about one label."""
    answer = read_choice(cell)
    if answer is None:
        raise ValueError(cell)
    return answer.value_of_entry


def read_column(cell):
    """A word of the user's table that need not be stated."""
    frame = pd.DataFrame({"rock": pd.Series([cell], dtype=object)})
    return float(read_label_words(frame, ["rock"], find_meanings(Description(yes="of my own")))["rock"].iloc[0])


def outcome(place, cell):
    try:
        return place(cell)
    except ValueError:
        return INVALID


WRITTEN = st.one_of(
    st.sampled_from([word for words in WORDS.values() for word in words]),
    st.sampled_from(["maybe", "2", "-1", "nan", "none", "oui", "yes no", "1.5", "ye"]),
    st.text(max_size=4),
)
CELLS = st.one_of(
    st.builds(
        lambda word, change, before, after: before + change(word) + after,
        WRITTEN,
        st.sampled_from([str, str.upper, str.title, lambda word: word + ".0" if word in ("0", "1") else word]),
        st.sampled_from(["", " ", "\t"]),
        st.sampled_from(["", " ", "\n"]),
    ),
    st.sampled_from([1, 0, 1.0, 0.0, -0.0, 2, 0.5, True, False, np.int64(1), np.float32(0), np.bool_(True)]),
    st.sampled_from([None, np.nan, pd.NA, pd.NaT, Decimal("1.0"), b"1", pd.Timestamp("2020-01-01"), (1,)]),
)


@given(CELLS)
def test_an_answer_is_the_same_in_every_place(cell):
    answer = read_answer(cell)
    expected = INVALID if answer is None else answer.value_of_entry
    assert outcome(read_review, cell) == expected
    assert outcome(read_finish, cell) == expected
    assert outcome(read_tool, cell) == (INVALID if answer is Answer.NONE else expected)


@given(CELLS)
def test_a_word_of_a_table_never_contradicts_an_answer(cell):
    """A table states its own words; those that it need not state have the meaning that they have as answers."""
    answer = read_answer(cell)
    assume(answer is not Answer.NONE and not isinstance(cell, tuple))
    value = outcome(read_column, cell)
    assert value == INVALID or (answer is not None and value == answer.value_of_entry)


def test_no_word_has_two_meanings():
    words = [word for several in WORDS.values() for word in several]
    assert len(words) == len(set(words))
    assert all(read_answer(word) is answer for answer, several in WORDS.items() for word in several)
