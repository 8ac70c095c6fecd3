"""Scanned digits with tags that are true by definition: real images, offline, each answer checked by eye."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd

from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels

#: Tag: the digits that have it.
DIGIT_TAGS: dict[str, frozenset[int]] = {
    "even": frozenset({0, 2, 4, 6, 8}),
    "prime": frozenset({2, 3, 5, 7}),
    "square": frozenset({0, 1, 4, 9}),
    "multiple_of_three": frozenset({0, 3, 6, 9}),
    "power_of_two": frozenset({1, 2, 4, 8}),
    "fibonacci": frozenset({0, 1, 2, 3, 5, 8}),
    "at_least_five": frozenset({5, 6, 7, 8, 9}),
    "three_to_six": frozenset({3, 4, 5, 6}),
    "closed_loop": frozenset({0, 6, 8, 9}),
    "straight_strokes": frozenset({1, 4, 7}),
}


def load_digits_tags() -> Dataset:
    """Load scikit-learn's 1797 scanned digits (8 x 8 pixels) with ten tags each.

    The tags are functions of the digit, so this is a story that can be checked by
    looking, not a benchmark.

    ================= ============== ====================================================
    tag               digits         definition
    ================= ============== ====================================================
    even              0 2 4 6 8      divisible by 2
    prime             2 3 5 7        prime number
    square            0 1 4 9        square of a whole number
    multiple_of_three 0 3 6 9        divisible by 3
    power_of_two      1 2 4 8        2 to a whole power
    fibonacci         0 1 2 3 5 8    member of the Fibonacci sequence
    at_least_five     5 6 7 8 9      5 or more
    three_to_six      3 4 5 6        at least 3 and at most 6
    closed_loop       0 6 8 9        the printed numeral encloses an area. By the numeral,
                                     not by the scan, where a loop may be open; 4 is
                                     left out because it is drawn open as often as closed
    straight_strokes  1 4 7          the printed numeral consists of straight strokes only
    ================= ============== ====================================================

    Returns
    -------
    Dataset
        ``X`` of shape (1797, 64) holds grey levels from 0 to 16, named
        ``pixel_<row>_<column>``; every label is observed.

    References
    ----------
    Alpaydin and Kaynak, "Optical recognition of handwritten digits", UCI Machine
    Learning Repository, 1998 (its test part, as bundled with scikit-learn).

    Examples
    --------
    >>> digits = load_digits_tags()
    >>> digits.X.shape, digits.Y.shape, digits.label_names[:2]
    ((1797, 64), (1797, 10), ('even', 'prime'))
    """
    from sklearn.datasets import load_digits

    X, digit = load_digits(return_X_y=True)
    table = pd.DataFrame({tag: np.isin(digit, list(members)) for tag, members in DIGIT_TAGS.items()})
    return Dataset(
        name="digits",
        X=X,
        Y=PartialLabels.from_table(table),
        feature_names=tuple(f"pixel_{i}_{j}" for i in range(8) for j in range(8)),
        source="sklearn.datasets.load_digits (UCI Optical Recognition of Handwritten Digits)",
        licence="CC BY 4.0",
        sha256=hashlib.sha256(X.astype("<f8").tobytes() + digit.astype("<i8").tobytes()).hexdigest(),
    )
