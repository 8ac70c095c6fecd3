"""The labelling configuration of Label Studio for one question per label."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

import pandas as pd

from halflabel.files.choice_answers import NO, UNSURE, YES

#: Fields that hold the content of an item, with the tag that shows them, in the order of preference.
SHOWN = {"text": "Text", "html": "HyperText", "image": "Image", "audio": "Audio", "video": "Video"}


def object_name(names: Sequence[str]) -> str:
    """Return the name of the object that is shown, which is not the name of a label."""
    name = "item"
    while name in names:
        name += "_"
    return name


def config(names: Sequence[str], items: pd.DataFrame, id_key: str, target: str, question: str | None) -> str:
    """Return the XML: the object that is shown, and for each label a question of yes, no and unsure, or one for all."""
    shown, tag = shown_field(items, id_key)
    lines = ["<View>", f"  <{tag} name={quoteattr(target)} value={quoteattr('$' + shown)}/>"]
    if question is not None:
        lines += _choices(question, target, "multiple", names)
    for name in names if question is None else ():
        lines += [f'  <Header value={quoteattr(name)} size="5"/>', *_choices(name, target, "single", (YES, NO, UNSURE))]
    return "\n".join([*lines, "</View>", ""])


def _choices(name: str, target: str, kind: str, words: Sequence[str]) -> list[str]:
    return [
        f'  <Choices name={quoteattr(name)} toName={quoteattr(target)} choice="{kind}" showInline="true">',
        *(f"    <Choice value={quoteattr(word)}/>" for word in words),
        "  </Choices>",
    ]


def shown_field(items: pd.DataFrame, id_key: str) -> tuple[str, str]:
    """Return (field, tag) for the content of the items: by the name of the field, else the first text."""
    names = list(map(str, items.columns))
    for name, tag in SHOWN.items():
        if name in names:
            return name, tag
    texts = (name for name in names if name.isidentifier() and any(isinstance(value, str) for value in items[name]))
    return next(texts, id_key), "Text"
