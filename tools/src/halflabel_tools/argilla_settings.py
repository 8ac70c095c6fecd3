"""The settings of an Argilla dataset: names that its server takes, questions, fields and metadata."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pandas as pd

from halflabel.files.choice_answers import NO, UNSURE, YES

#: The one question that is required, as Argilla demands one, and the field for items without any text.
SEEN, ITEM = "halflabel-seen", "halflabel-item"

#: Maximum length of a name.
MAX_NAME = 200


def slugs(titles: Iterable[str], prefix: str, taken: Collection[str] = ()) -> dict[str, str]:
    """Return a name for each title: small letters, digits, - and _, distinct and none that is ``taken``.

    Examples
    --------
    >>> slugs(["Rock!", "rock", "愛"], "label")
    {'Rock!': 'rock', 'rock': 'rock-2', '愛': 'label-3'}
    """
    names, used = {}, {SEEN, ITEM, *taken}
    for number, title in enumerate(titles, start=1):
        name = _slug(title)
        while not name or name in used:
            name = f"{name or prefix}-{number}"
        used.add(name)
        names[title] = name
    return names


def title_of(question: Mapping[str, Any]) -> str:
    """Return the title of a question if its name was made of it by :func:`slugs`, else the name."""
    name, title = str(question["name"]), str(question.get("title") or "")
    slug = _slug(title)
    made = re.fullmatch(re.escape(slug) + r"(-\d+)*" if slug else r"(label|field)(-\d+)+", name)
    return title if title and made else name


def kinds(items: pd.DataFrame) -> dict[str, str]:
    """Return the kind of each field that is written: a text ``field``, or ``integer`` or ``float`` metadata."""
    found = {str(name): _kind(items[name]) for name in items.columns}
    return {name: kind for name, kind in found.items() if kind is not None}


def settings(names: Mapping[str, str], fields: Mapping[str, str], of_kind: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings.

    Parameters
    ----------
    names, fields : mapping of str to str
        The names of the questions by label, and of the fields and metadata by field of the items.
    of_kind : mapping of str to str
        As :func:`kinds` returns it.
    """
    texts = [title for title, kind in of_kind.items() if kind == "field"]
    shown = [_field(fields[title], title, required=False) for title in texts]
    numbers = [
        {"name": fields[title], "title": title, "settings": {"type": kind}, "visible_for_annotators": True}
        for title, kind in of_kind.items()
        if kind != "field"
    ]
    questions = [_question(name, label, (YES, NO, UNSURE), required=False) for label, name in names.items()]
    return {
        "guidelines": None,
        "questions": [*questions, _question(SEEN, "All questions seen", (YES,), required=True)],
        "fields": [_field(ITEM, "Item", required=True), *shown],
        "vectors": [],
        "metadata": numbers,
        "allow_extra_metadata": False,
        "distribution": {"strategy": "overlap", "min_submitted": 1},
        "mapping": None,
    }


def dataset(name: str) -> dict[str, Any]:
    """Return the description of the dataset."""
    return {
        "name": name,
        "status": "draft",
        "guidelines": None,
        "allow_extra_metadata": False,
        "distribution": {"strategy": "overlap", "min_submitted": 1},
    }


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", title.lower()).strip("-_")[: MAX_NAME - 20]


def _kind(column: pd.Series[Any]) -> str | None:
    if pd.api.types.is_bool_dtype(column.dtype):
        return None
    if pd.api.types.is_integer_dtype(column.dtype):
        return "integer"
    if pd.api.types.is_float_dtype(column.dtype):
        return "float"
    known = column.dropna()
    return "field" if len(known) and all(isinstance(value, str) for value in known) else None


def _field(name: str, title: str, *, required: bool) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "required": required,
        "settings": {"type": "text", "use_markdown": False},
    }


def _question(name: str, title: str, options: Iterable[str], *, required: bool) -> dict[str, Any]:
    choices = [{"value": word, "text": word, "description": None} for word in options]
    return {
        "name": name,
        "title": title,
        "required": required,
        "settings": {"type": "label_selection", "options": choices},
    }
