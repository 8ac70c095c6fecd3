"""A demonstration on scanned digits: hide labels, complete the table, count the errors against the hidden labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from halflabel.completion import Completion, complete
from halflabel.datasets import load_digits_tags
from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_entries, hide_items
from halflabel.methods.baselines import BinaryRelevance

#: Chosen before any result was seen: nine in ten items lose every tag, one in ten loses every second tag.
ITEMS_HIDDEN, ENTRIES_HIDDEN = 0.9, 0.5

#: Height and width of a digit.
SHAPE = (8, 8)


@dataclass(frozen=True, eq=False)
class Demo:
    """Data and results of :func:`run_demo`."""

    half: pd.DataFrame  #: The half-labelled table: an id, the pixels, the tags with their gaps.
    completion: Completion  #: The completed table.
    tags: tuple[str, ...]
    filled: int  #: The number of filled values.
    wrong: dict[str, int]  #: The number of these values that are wrong, for halflabel and for two simple methods.


def run_demo(random_state: int = 0) -> Demo:
    """Hide nearly all tags of the digits, complete them, and compare with the hidden truth."""
    digits = load_digits_tags()
    rng = np.random.default_rng(random_state)
    known = hide_entries(hide_items(digits.Y, ITEMS_HIDDEN, rng), ENTRIES_HIDDEN, rng)
    half = pd.DataFrame(np.asarray(digits.X).astype(int), columns=list(digits.feature_names))
    half.insert(0, "scan", [f"digit-{i:04d}" for i in range(len(half))])
    half = half.join(known.to_frame())
    completion = complete(half, id="scan", labels=digits.label_names, thumbnails=SHAPE, random_state=random_state)
    relevant = {"halflabel": completion.state > 0, **_predict_simply(completion.opened.X, known, random_state)}
    gaps = ~known.observed
    wrong = {name: int((gaps & (values != digits.Y.relevant)).sum()) for name, values in relevant.items()}
    return Demo(half, completion, digits.label_names, int(gaps.sum()), wrong)


def _predict_simply(X: Any, known: PartialLabels, random_state: int) -> dict[str, NDArray[np.bool_]]:
    """Return the values of logistic regression, and of each label's more frequent known value."""
    logistic = BinaryRelevance(LogisticRegression(max_iter=1000), random_state=random_state).fit(X, known)
    return {
        "logistic regression": logistic.label_probabilities_ >= 0.5,
        "always the commoner value": np.broadcast_to(known.rates >= 0.5, known.shape),
    }
