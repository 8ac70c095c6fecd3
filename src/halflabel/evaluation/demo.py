"""The whole story on real scanned digits: hide, complete, score against the hidden truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel.completion import Completion, complete
from halflabel.datasets import load_digits_tags
from halflabel.evaluation.comparison import compare, usual_methods
from halflabel.labels.masking import hide_entries, hide_items

#: Fixed before anything was looked at: nine in ten items lose every tag, the others every second one.
ITEMS_HIDDEN, ENTRIES_HIDDEN = 0.9, 0.5


@dataclass(frozen=True, eq=False)
class Demo:
    """What :func:`run_demo` did.

    Attributes
    ----------
    half : DataFrame
        The half-labelled table: an id, the pixels, the tags with their gaps.
    completion : Completion
        What ``complete`` made of it.
    table : DataFrame
        The default and what a user would do otherwise, scored on the hidden entries.
    images : ndarray of shape (n_items, 8, 8)
    tags : tuple of str
    """

    half: pd.DataFrame
    completion: Completion
    table: pd.DataFrame
    images: NDArray[Any]
    tags: tuple[str, ...]


def run_demo(seed: int = 0) -> Demo:
    """Hide nearly all tags of the digits, complete them, and compare with the hidden truth."""
    digits = load_digits_tags()
    rng = np.random.default_rng(seed)
    known = hide_entries(hide_items(digits.Y, ITEMS_HIDDEN, rng), ENTRIES_HIDDEN, rng)
    half = pd.DataFrame(np.asarray(digits.X).astype(int), columns=list(digits.feature_names))
    half.insert(0, "scan", [f"digit-{i:04d}" for i in range(len(half))])
    half = half.join(known.to_frame())
    completion = complete(half, id="scan", labels=digits.label_names, random_state=seed)
    hidden = digits.Y.hide(known.observed)
    table = compare(usual_methods(known, seed), completion.opened.X, completion.labels, hidden)
    return Demo(half, completion, table, np.asarray(digits.X).reshape(-1, 8, 8), digits.label_names)
