"""The cause for which a column is not a feature; test_roles has the reasons in words."""

from __future__ import annotations

import pickle

import pandas as pd
import pytest

from halflabel.table import Description, choose_roles
from halflabel.table.exclusions import Cause

NAMES = [f"n{j}" for j in range(12)]
SENTENCES = [f"a word and number {j}" for j in range(12)]


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
