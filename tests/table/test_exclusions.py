"""Why a column is not a feature: by default, or even if it is asked for."""

from __future__ import annotations

import pickle

import pandas as pd
import pytest

from halflabel.table import Description, choose_roles
from halflabel.table.exclusions import Cause, explain_exclusion, explain_invalid

NAMES = [f"n{j}" for j in range(12)]
SENTENCES = [f"a word and number {j}" for j in range(12)]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([1.5, None], None),
        (["a", "b", "a"], None),
        (["a", "b", "c"], None),
        (["a", "b", "c", "d"], "4 distinct texts in 4 rows, where categories are at most 3 and repeat"),
        ([None, None], "no value at all"),
        ([[1, 2], [3, 4]], "lists; name it with vectors= or tags= to use it"),
        (["2025-04-12"], "dates or times; turn them into numbers"),
        (["13.04.2025"], "dates or times; turn them"),
        ([{"a": 1}], "values that are neither numbers nor text"),
    ],
)
def test_what_cannot_be_a_feature_even_if_it_is_asked_for(cells, reason):
    found = explain_invalid(pd.Series(cells), 3)
    assert found is None if reason is None else pd.Series([found]).str.match(reason).all()


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([1.5, 2.5, 1.5], None),
        ([1, 2, 2], None),
        ([1.0, 2.0, 3.0], None),  # measured, even if all values differ
        ([3, 1, 2], "every value is different: an identifier; name it with id="),
        (pd.array([3, 1, None], dtype="Int64"), None),
        ([2.0, 2.0, None], "a single value (2.0)"),
        ([2.5, None], "a single value (2.5)"),
        (["x", None, "x"], "a single value (x)"),
        (["a", "b", "c"] * 2, None),
        (["a", "b"] * 2, None),
        (["a", "b", "a"], "2 distinct texts in 3 rows"),  # less than twice on average
        (["a", "b", "c", "d"] * 2, "4 distinct texts in 8 rows"),
        (NAMES, "every value is different: an identifier"),
        (SENTENCES, "a different text in every row; name it with text= to use its words"),
        (["a b c d", "e", "f g h i", "j k l m"], "a different text in every row"),
        (["a b c", "e f g", "h i j k"], "every value is different"),
        (["[1, 2]", " [3]", "[4]"], "lists written as text"),
        (["[1, 2]", "x", "[4]"], "every value is different"),
        (["1", "2", "3", "3"], "numbers stored as text; convert them"),
        (["1", "2", "x", "3"], "numbers with text among them, first 'x'; correct such cells"),
        (["1", "y", "x", "3"], "every value is different"),  # half of them: a column of text
        ([None, None], "no value at all"),
    ],
)
def test_what_is_no_feature_by_default(cells, reason):
    found = explain_exclusion(pd.Series(cells, name="a"), 3)
    assert found is None if reason is None else found.startswith(reason)


@pytest.mark.parametrize("name", ["id", "ID", "a"])
def test_a_column_that_is_called_id_is_one(name):
    found = explain_exclusion(pd.Series([1.5, 2.5, 1.5], name=name), 3)
    assert (found is None) == (name == "a")
    assert found is None or found.startswith("it is called id: an identifier")


@pytest.mark.parametrize(
    ("cells", "cause"),
    [
        ([3, 1, 2], Cause.IDENTIFIER),
        (NAMES, Cause.IDENTIFIER),
        ([2.5, None], Cause.CONSTANT),
        (["x", None, "x"], Cause.CONSTANT),
        (["1", "2", "x", "3"], Cause.STRAYS),
        (SENTENCES, Cause.SENTENCES),
        ([[1, 2], [3, 4]], Cause.OTHER),
    ],
)
def test_code_asks_for_the_cause_and_not_for_the_words(cells, cause):
    """A person who improves a sentence changes nothing else."""
    frame = pd.DataFrame({"a": pd.Series(cells), "tempo": [1.5, 2.5] * (len(cells) // 2) + [1.5] * (len(cells) % 2)})
    frame["rock"] = [0, 1] * (len(cells) // 2) + [1] * (len(cells) % 2)
    roles = pickle.loads(pickle.dumps(choose_roles(frame, Description(labels=["rock"]))))  # noqa: S301, as a worker gets them
    assert [each for each in Cause if "a" in roles.find_ignored(each)] == [cause]
