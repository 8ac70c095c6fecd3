"""Features that were probably made from the labels: they decide labels, count them, or mark annotated items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Ints, Mask
from halflabel._wording import option_names, quoted
from halflabel.labels import PartialLabels
from halflabel.table.cells import looks_like_label
from halflabel.table.roles import Roles

#: Maximum probability, over all columns and labels, that a column separates items so well by chance.
MAX_CHANCE = 1e-6

#: Minimum number of items of each kind that a column separates, and number of rows that are examined first.
MIN_ITEMS, N_FIRST = 5, 2000

#: Maximum number of names in a sentence.
MAX_NAMES = 5


def describe_annotation_columns(frame: pd.DataFrame, roles: Roles, labels: PartialLabels) -> tuple[str, ...]:
    """Return a sentence for each way in which features contain the labels, or the state of the annotation.

    Examples
    --------
    >>> songs = pd.DataFrame({"status": 25 * ["done"] + 25 * ["open"]})
    >>> labels = PartialLabels.from_table(pd.DataFrame({"rock": 12 * [1] + 13 * [0] + 25 * [None]}))
    >>> [note] = describe_annotation_columns(songs, Roles(categorical=("status",)), labels)
    >>> note.partition(".")[0]
    "No value of 'status' is in annotated and in unlabelled items"
    """
    numeric = [name for name in roles.numeric if not looks_like_label(frame[name])]
    names = [*roles.categorical, *numeric]
    allowed = MAX_CHANCE / max(len(names) * (len(labels.names) + 1), 1)
    codes = {name: pd.factorize(frame[name], use_na_sentinel=False)[0] for name in names}
    apart = [name for name in names if _separates(codes[name], labels.unlabelled, allowed)]
    counting = [name for name in numeric if name not in apart and _counts(frame[name], labels)]
    deciding = {name: found for name in names if (found := _list_decided(codes[name], labels, allowed))}
    return tuple(_describe(apart, counting, deciding))


def _describe(apart: Sequence[str], counting: Sequence[str], deciding: dict[str, list[str]]) -> Iterator[str]:
    if apart:
        yield (
            f"No value of {quoted(apart, MAX_NAMES)} is in annotated and in unlabelled items. A column about the "
            f"annotation is not a feature: leave it out with {option_names('ignore', apart)}."
        )
    if counting:
        is_number = "is the number" if len(counting) == 1 else "are the numbers"
        yield (
            f"{quoted(counting, MAX_NAMES)} {is_number} of labels of each annotated item. A column that was made from "
            f"the labels is not a feature: leave it out with {option_names('ignore', counting)}."
        )
    if deciding:
        found = list(dict.fromkeys(label for labels in deciding.values() for label in labels))
        yield (
            f"All items with the same value of {quoted(deciding, MAX_NAMES)} agree in {quoted(found, MAX_NAMES)}, as "
            "if the column was made from the labels. If it was, it is not a feature: leave it out with "
            f"{option_names('ignore', list(deciding))}."
        )


def _list_decided(codes: Ints, labels: PartialLabels, allowed: float) -> list[str]:
    """Return the labels that are equal in all items with the same value of a column."""
    columns = zip(labels.names, labels.observed.T, labels.relevant.T, strict=True)
    return [name for name, known, has in columns if _separates(codes[known], has[known], allowed)]


def _separates(codes: Ints, state: Mask, allowed: float) -> bool:
    """Return whether all items of equal value have the same state, and chance makes this rarely."""
    if not _is_pure(codes[:N_FIRST], state[:N_FIRST]) or not _is_pure(codes, state):
        return False
    if min(state.sum(), (~state).sum()) < MIN_ITEMS:
        return False
    repeats = np.bincount(codes) - 1.0
    with_it = np.bincount(codes, weights=state) > 0
    chance = np.where(with_it, math.log(state.mean()), math.log1p(-state.mean()))
    return bool((repeats * chance)[repeats > 0].sum() < math.log(allowed))


def _is_pure(codes: Ints, state: Mask) -> bool:
    number, with_it = np.bincount(codes), np.bincount(codes, weights=state)
    return bool(((with_it == 0) | (with_it == number)).all())


def _counts(column: pd.Series[Any], labels: PartialLabels) -> bool:
    """Return whether a column holds the number of labels of each annotated item."""
    rows = ~labels.unlabelled & (labels.observed.all(axis=1) | labels.has_positive_only)
    number = labels.relevant.sum(axis=1)[rows]
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)[rows]
    varies = len(labels.names) > 1 and len(number) >= 4 * MIN_ITEMS and np.ptp(number) > 1
    return varies and bool((values == number).all())
