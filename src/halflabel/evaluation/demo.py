"""A demonstration on scanned digits: hide labels, complete the table, score the answers against the hidden labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._wording import count
from halflabel.completion import Completion, complete
from halflabel.datasets import load_digits_tags
from halflabel.evaluation.comparison import build_methods, compare
from halflabel.evaluation.hiding import HiddenEntries, Split
from halflabel.labels.masking import hide_entries, hide_items

#: Chosen before any result was seen: nine in ten items lose every tag, one in ten loses every second tag.
ITEMS_HIDDEN, ENTRIES_HIDDEN = 0.9, 0.5


@dataclass(frozen=True, eq=False)
class Demo:
    """Data and results of :func:`run_demo`."""

    half: pd.DataFrame  #: The half-labelled table: an id, the pixels, the tags with their gaps.
    completion: Completion  #: The completed table.
    table: pd.DataFrame  #: The default and the methods a user would try otherwise, scored on the hidden entries.
    images: NDArray[Any]  #: Shape (n_items, 8, 8).
    tags: tuple[str, ...]
    wrong: int  #: The number of filled values that are wrong.

    @property
    def sentence(self) -> str:
        """The number of wrong values, with its estimate where no check contradicts it."""
        filled, expected, low, high = self.completion.expected_errors.iloc[-1][["filled", "expected", "low", "high"]]
        estimate = (
            "" if np.isnan(expected) else f"; the estimate is {count(round(expected))} ({low:,.0f} to {high:,.0f})"
        )
        return f"In truth, {count(self.wrong)} of the {count(int(filled))} filled values are wrong{estimate}."


def run_demo(random_state: int = 0) -> Demo:
    """Hide nearly all tags of the digits, complete them, and compare with the hidden truth."""
    digits = load_digits_tags()
    rng = np.random.default_rng(random_state)
    known = hide_entries(hide_items(digits.Y, ITEMS_HIDDEN, rng), ENTRIES_HIDDEN, rng)
    half = pd.DataFrame(np.asarray(digits.X).astype(int), columns=list(digits.feature_names))
    half.insert(0, "scan", [f"digit-{i:04d}" for i in range(len(half))])
    half = half.join(known.to_frame())
    completion = complete(half, id="scan", labels=digits.label_names, random_state=random_state)
    split = Split(completion.labels, digits.Y.hide(known.observed))
    table = compare(build_methods(known, random_state), completion.opened.X, split, HiddenEntries(digits.Y))
    wrong = int((np.asarray(completion.state > 0) != digits.Y.relevant).sum())
    return Demo(half, completion, table, np.asarray(digits.X).reshape(-1, 8, 8), digits.label_names, wrong)
