"""From names and patterns to the columns that they name."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from halflabel.table.cells import describe_missing
from halflabel.table.columns import Description


def expand_patterns(columns: Description, names: Collection[str], declared_labels: Collection[str] = ()) -> Description:
    """Return the record with ``labels``, ``features`` and ``ignore`` as names that exist.

    A pattern for labels passes over ignored columns, one for features over every column that has another role. For
    features, ``"*"`` alone is the choice by rule.
    """
    ignore = select(columns.ignore, names)
    labels = None if columns.labels is None else select(columns.labels, names, skip=ignore)
    features = None
    if columns.features not in (None, ("*",)):
        single = (columns.id, columns.tags, columns.vectors, columns.text, columns.group)
        others = {*ignore, *(labels or ()), *declared_labels, *(name for name in single if isinstance(name, str))}
        features = select(columns.features or (), names, skip=others)
    return replace(columns, ignore=ignore, labels=labels, features=features)


def select(patterns: Iterable[str], names: Collection[str], skip: Collection[str] = ()) -> tuple[str, ...]:
    """Return the columns of the names and patterns, in that order. Patterns do not match ``skip``."""
    chosen: dict[str, None] = {}
    for pattern in patterns:
        if pattern in names:
            hits = [pattern]
        else:
            hits = [name for name in names if fnmatchcase(name, pattern) and name not in skip]
            if not hits:
                raise ValueError(describe_missing(pattern, names))
        chosen.update(dict.fromkeys(hits))
    return tuple(chosen)


def names_columns(given: object, names: Iterable[str]) -> bool:
    """Return whether an object is a pattern of columns, such as ``"llm_*"``, and not a file."""
    return isinstance(given, str | Path) and "*" in str(given) and any(fnmatchcase(name, str(given)) for name in names)
