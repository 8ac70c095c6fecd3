"""Lists of entries in the terminal."""

from __future__ import annotations

import pandas as pd
import pytest

from halflabel._wording import NONE
from halflabel.cli.listing import print_entries

ENTRY = {"item": "s1", "label": "sad", "given": 1, "suggested": 0, "probability": 0.25, "title": "Aria"}


@pytest.mark.parametrize("name", ENTRY)
def test_a_missing_value_of_any_column_is_a_dash(capsys, name):
    """A probability is missing where a check contradicts it."""
    entries = pd.DataFrame([ENTRY, ENTRY | {name: None}])
    print_entries(entries, "2 entries")
    full, missing = capsys.readouterr().out.splitlines()[-2:]
    assert NONE not in full
    assert missing.count(NONE) == 1


def test_every_value_of_a_column_may_be_missing(capsys):
    print_entries(pd.DataFrame([ENTRY, ENTRY]).assign(probability=float("nan")), "2 entries")
    assert capsys.readouterr().out.count(NONE) == 2
