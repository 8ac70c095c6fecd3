"""Columns that were probably made from the labels: they decide labels, count them, or mark annotated items."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Column, Ints, Mask
from halflabel._wording import Notes, option, plural, quoted
from halflabel.labels import PartialLabels
from halflabel.table.cells import as_floats, infer_kind, looks_like_label, read_as_text
from halflabel.table.question import Question
from halflabel.table.roles import Roles

#: Maximum probability, over all columns and labels, that a column separates items so well by chance.
MAX_CHANCE = 1e-6

#: Minimum number of items of each kind that a column separates, and number of rows that are examined first.
MIN_ITEMS, N_FIRST = 5, 2000

#: Maximum number of repeated values of a number column. More are values of things that several rows are about, such
#: as the age of each patient: these decide the labels only because the rows of a patient have the same ones.
MAX_VALUES = 20

#: Names of columns about the state of the annotation.
_STATE = re.compile(r"complete|check|review|done|status|annotat|label+ed|lead_time|verif", re.IGNORECASE)

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
    made, unlabelled, (rows, number) = {}, labels.unlabelled, _count_labels(labels)
    for name in names:
        codes = _encode(frame[name], is_number=name in numeric)
        varies = 0 < codes.max(initial=0) < len(codes) - 1  # with a value that repeats
        if varies and _separates(codes, unlabelled, allowed):
            made[name] = "no value of it is in annotated and in unlabelled items"
        elif name in numeric and len(rows) and all(_equals(frame[name], rows[:n], number[:n]) for n in (N_FIRST, None)):
            made[name] = "it is the number of labels of each annotated item"
        elif varies and (decided := _list_decided(codes, labels, allowed)):
            made[name] = f"all items with the same value of it agree in {quoted(decided, MAX_NAMES)}"
    return made


def _encode(column: Column, *, is_number: bool) -> Ints:
    """Return a code for each value, or, of numbers with many repeated values, whether it is missing."""
    for n in (*filter(len(column).__gt__, (N_FIRST, 10 * N_FIRST)), len(column)):
        codes: Ints = pd.factorize(column.iloc[:n], use_na_sentinel=False)[0]
        if is_number and (np.bincount(codes) > 1).sum() > MAX_VALUES:
            return np.asarray(column.isna(), dtype=np.intp)
    return codes


def read_state(frame: pd.DataFrame, stated: Any) -> tuple[str, Mask] | None:
    """Return the column that ``annotated=COLUMN`` or ``COLUMN=VALUE`` names, and which items were annotated.

    Examples
    --------
    >>> frame = pd.DataFrame({"form_complete": [2, 0, 2]})
    >>> read_state(frame, "form_complete=2")
    ('form_complete', array([ True, False,  True]))
    """
    if not isinstance(stated, str):
        return None
    if stated in frame.columns:
        return stated, frame[stated].notna().to_numpy()
    name, _, value = stated.rpartition("=")
    return (name, read_as_text(frame[name]) == value) if name in frame.columns else None


def hide_others(labels: PartialLabels, annotated: Mask) -> PartialLabels:
    """Return the labels without the entries of items that were not annotated."""
    state = np.where(annotated[:, None], labels.state, 0).astype(np.int8)
    return replace(labels, state=state, annotated=labels.annotated & annotated)


def ask_who_was_annotated(frame: pd.DataFrame, roles: Roles, labels: PartialLabels) -> None:
    """Raise if a column separates the items of which each label is a known no from all others.

    Raises
    ------
    Question
    """
    bare = np.asarray(labels.annotated & (labels.state < 0).all(axis=1))
    own = {*roles.labels, roles.tags, roles.id}
    names = [name for name in map(str, frame.columns) if name not in own]
    if len(labels.names) < 2 or not names or not _separates(bare.astype(np.intp), bare, MAX_CHANCE / len(names)):
        return
    ways = ((name, _state_annotated(frame[name], ~bare)) for name in names)
    for name, way in ((name, way) for name, way in ways if way is not None):
        raise Question(
            f"{plural(int(bare.sum()), 'item')} have none of the {len(labels.names)} labels, and another value of "
            f"{name!r} than all other items.",
            ("these items were never annotated", {"annotated": way}),
            ("they were annotated, and have none of the labels", {"empty": "none"}),
            likely=_STATE.search(name) is not None,
        )


def _state_annotated(column: Column, annotated: Mask) -> str | None:
    """Return COLUMN, or COLUMN=VALUE, if only these items have a value in a column, or one value that they share."""
    if np.array_equal(column.notna(), annotated):
        return str(column.name)
    first = column.iloc[np.flatnonzero(annotated)[:MIN_ITEMS]]
    if infer_kind(column) not in ("text", "numbers") or first.isna().any() or first.nunique() > 1:
        return None
    is_same = (column == first.iloc[0]).fillna(False).to_numpy(dtype=bool)
    return f"{column.name}={read_as_text(first)[0]}" if np.array_equal(is_same, annotated) else None


def explain_made(made: Mapping[str, str]) -> dict[str, str]:
    """Return the reason of each column that is left out, with the way to use it."""
    return {
        name: f"probably made from the labels: {why} ({option('features', '*')} uses it)" for name, why in made.items()
    }


def describe_made(made: Mapping[str, str], *, is_stated: bool) -> Notes:
    """Return a sentence about columns that were made from the labels, with the way to use them."""
    if not made:
        return ()
    (name, why), is_one = next(iter(made.items())), len(made) == 1
    use = f"left out; {option('features', '*')} uses {'it' if is_one else 'them'}"
    use = "used because this was stated" if is_stated else use
    seem = f"{quoted(made, MAX_NAMES)} {'seems' if is_one else 'seem'} to be made from the labels"
    return (f"{seem} (of {name!r}, {why}): {use}.",)


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


def _count_labels(labels: PartialLabels) -> tuple[Ints, Ints]:
    """Return the annotated items and the number of labels of each, or none if such numbers are few or nearly equal."""
    rows = np.flatnonzero(~labels.unlabelled & (labels.observed.all(axis=1) | labels.has_positive_only))
    number = labels.relevant[rows].sum(axis=1)
    varies = len(labels.names) > 1 and len(number) >= 4 * MIN_ITEMS and np.ptp(number) > 1
    return (rows, number) if varies else (rows[:0], number[:0])


def _equals(column: Column, rows: Ints, number: Ints) -> bool:
    return bool((as_floats(column.iloc[rows]) == number).all())
