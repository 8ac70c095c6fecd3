"""Columns that were probably made from the labels: they decide labels, count them, or mark annotated items."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Ints, Mask
from halflabel._wording import option, quoted
from halflabel.labels import PartialLabels
from halflabel.table.cells import looks_like_label
from halflabel.table.roles import Roles

#: Maximum probability, over all columns and labels, that a column separates items so well by chance.
MAX_CHANCE = 1e-6

#: Minimum number of items of each kind that a column separates, and number of rows that are examined first.
MIN_ITEMS, N_FIRST = 5, 2000

#: Maximum number of repeated values of a number column. More are values of things that several rows are about, such
#: as the age of each patient: these decide the labels only because the rows of a patient have the same ones.
MAX_VALUES = 20

#: Maximum number of names in a sentence.
MAX_NAMES = 5


def find_made(frame: pd.DataFrame, roles: Roles, labels: PartialLabels) -> dict[str, str]:
    """Return the features that contain the labels, or the state of the annotation, each with the reason.

    Examples
    --------
    >>> songs = pd.DataFrame({"status": 25 * ["done"] + 25 * ["open"]})
    >>> labels = PartialLabels.from_table(pd.DataFrame({"rock": 12 * [1] + 13 * [0] + 25 * [None]}))
    >>> find_made(songs, Roles(categorical=("status",)), labels)
    {'status': 'no value of it is in annotated and in unlabelled items'}
    """
    numeric = [name for name in roles.numeric if not looks_like_label(frame[name])]
    names = [*roles.categorical, *numeric]
    allowed = MAX_CHANCE / max(len(names) * (len(labels.names) + 1), 1)
    made = {}
    for name in names:
        codes: Ints = pd.factorize(frame[name], use_na_sentinel=False)[0]
        if name in numeric and (np.bincount(codes) > 1).sum() > MAX_VALUES:
            codes = np.asarray(frame[name].isna(), dtype=np.intp)
        if _separates(codes, labels.unlabelled, allowed):
            made[name] = "no value of it is in annotated and in unlabelled items"
        elif name in numeric and _counts(frame[name], labels):
            made[name] = "it is the number of labels of each annotated item"
        elif decided := _list_decided(codes, labels, allowed):
            made[name] = f"all items with the same value of it agree in {quoted(decided, MAX_NAMES)}"
    return made


def explain_made(made: Mapping[str, str]) -> dict[str, str]:
    """Return the reason of each column that is left out, with the way to use it."""
    return {
        name: f"probably made from the labels: {why} ({option('features', '*')} uses it)" for name, why in made.items()
    }


def describe_made(made: Mapping[str, str], *, is_stated: bool) -> tuple[str, ...]:
    """Return a sentence about columns that were made from the labels, with the way to use them."""
    if not made:
        return ()
    one = len(made) == 1
    found = f"{quoted(made, MAX_NAMES)} {'seems' if one else 'seem'} to be made from the labels"
    why = f"of {next(iter(made))!r}, {next(iter(made.values()))}"
    if is_stated:
        return (f"{found}, and {'is a feature' if one else 'are features'} because this was stated: {why}.",)
    it = "it" if one else "them"
    return (f"{found}, and {'is' if one else 'are'} left out: {why}. {option('features', '*')} uses {it}.",)


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
