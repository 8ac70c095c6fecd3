"""Groups are numbered by value."""

import numpy as np
import pandas as pd
import pytest

from halflabel.labels.groups import number_groups


@pytest.mark.parametrize(
    "values",
    [
        [3, 1, 3, 2, 1],
        ["c", "a", "c", "b", "a"],
        pd.Series(["c", "a", "c", "b", "a"], index=[9, 9, 9, 0, 1], dtype="category"),
        pd.to_datetime(["2020-03-01", "2020-01-01", "2020-03-01", "2020-02-01", "2020-01-01"]),
    ],
)
def test_equal_values_are_one_group_numbered_as_they_appear(values):
    assert number_groups(values, 5).tolist() == [0, 1, 0, 2, 1]


@pytest.mark.parametrize(
    "values",
    [[1.0, np.nan, 1.0, np.nan], ["a", None, "a", np.nan], pd.array([1, None, 1, pd.NA], dtype="Int64")],
)
def test_a_missing_value_is_a_group_of_its_own(values):
    assert number_groups(values, 4).tolist() == [0, 1, 0, 2]


def test_one_value_per_item_is_needed():
    with pytest.raises(ValueError, match="there are 3 items but groups for 2: give one group per item"):
        number_groups([1, 2], 3)
