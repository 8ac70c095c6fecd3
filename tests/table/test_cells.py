"""What a column holds, and its cells as numbers and as text."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from halflabel.table.cells import (
    describe_missing,
    infer_kind,
    looks_like_label,
    read_as_numbers,
    read_as_text,
    show_cell,
    use_text_names,
)


def test_names_become_text_and_are_distinct():
    frame = pd.DataFrame([[1, 2]], columns=["a", "b"])
    assert use_text_names(frame) is frame
    assert use_text_names(pd.DataFrame([[1, 2]])).columns.tolist() == ["0", "1"]
    with pytest.raises(ValueError, match="column names must be distinct, but '7' appears more than once"):
        use_text_names(pd.DataFrame([[1, 2, 3]], columns=["7", 7, "x"]))


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1, 2], "numbers"),
        ([1.5, None], "numbers"),
        ([True, None], "numbers"),
        ([Decimal(1), None], "numbers"),
        (["a", None], "text"),
        (["a", 1], "text"),
        ([None, None], "nothing"),
        ([date(2025, 4, 12), None], "dates"),
        ([pd.Timestamp("2025-04-12"), None], "dates"),
        (["2025-04-12", None, "2025-04"], "dates"),
        (["12.04.2025", "13.04.2025 10:30"], "dates"),
        (["2025-04-12", "later"], "text"),
        (["12.04.2025", "later"], "text"),
        (["later", "2025-04-12"], "text"),
        (["2025-99-12"], "text"),
        ([[1, 2], None], "lists"),
        ([None, (1, 2)], "lists"),
        ([{1, 2}], "lists"),
        ([np.array([1.0])], "lists"),
        ([{"a": 1}], "other"),
        ([1j, 2.0], "other"),
    ],
)
def test_the_kind_of_a_column(cells, kind):
    assert infer_kind(pd.Series(cells)) == kind


def test_a_category_is_text():
    assert infer_kind(pd.Series(["x", "y", None], dtype="category")) == "text"


class TestNumbers:
    def test_they_are_read_from_numbers_and_from_text(self):
        for cells in ([1, None, 2.5], ["1", None, " 2.5"], [Decimal(1), None, Decimal("2.5")]):
            np.testing.assert_array_equal(read_as_numbers(pd.Series(cells)), [1, np.nan, 2.5])
        np.testing.assert_array_equal(read_as_numbers(pd.Series([True, None, False])), [1, np.nan, 0])
        assert np.isnan(read_as_numbers(pd.Series([None, None]))).all()

    @pytest.mark.parametrize(
        ("cells", "cell", "row"),
        [
            ([1.0, None, np.inf], "inf", 2),
            (["1", None, "x", "y"], "'x'", 2),
            ([-np.inf, 1.0], "-inf", 0),
            ([None, [1, 2]], r"\[1, 2\]", 1),
            (["1", "nan"], "'nan'", 1),
            (pd.date_range("2020", periods=3), "Timestamp.*", 0),
        ],
    )
    def test_the_first_other_cell_is_named(self, cells, cell, row):
        with pytest.raises(
            ValueError, match=rf"column 'a' holds {cell} \(row {row}\), but it must hold finite numbers: .*ignore="
        ):
            read_as_numbers(pd.Series(cells, name="a"))


def test_text_has_whole_numbers_without_a_point():
    cells = pd.Series([1.0, 2.5, "x", None, 3, True, np.float64(4.0), 1e300], dtype=object)
    assert read_as_text(cells)[:7].tolist() == ["1", "2.5", "x", None, "3", "1", "4"]
    assert read_as_text(pd.Series(["b", "a", "b"])).tolist() == ["b", "a", "b"]
    assert show_cell(pd.Series([np.int64(3), np.int64(4)]), 1) == "4"


@pytest.mark.parametrize(
    ("cells", "is_label"),
    [([1, 0, None], True), ([1, None], True), ([1, 0], False), ([1, 2, None], False), (["1", None], False),
     ([None, None], False)],
)  # fmt: skip
def test_a_column_of_1_and_0_with_gaps_looks_like_a_label(cells, is_label):
    assert looks_like_label(pd.Series(cells)) == is_label


def test_near_misses_are_named():
    columns = ("Tempo", "loudness", "x1")
    assert describe_missing("tempi", columns) == "no column is called or matches 'tempi': did you mean 'Tempo'?"
    assert describe_missing("*LOUD*", columns).endswith("did you mean 'loudness'?")
    assert describe_missing("zzz", columns).endswith("there are 'Tempo', 'loudness' and 'x1'.")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["13.04.2025"], "dates"),
        (["12/31/2025", "1/1/2025 10:30"], "dates"),
        (["04/05/2025", "x"], "text"),
        (["04-05/2025"], "text"),
    ],
)
def test_dates_as_people_write_them(cells, kind):
    assert infer_kind(pd.Series(cells)) == kind
