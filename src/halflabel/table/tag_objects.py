"""Tags that are objects: ``[{"name": "rock", "score": 0.9}]``, and ``{"rock": true, "sad": false}``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halflabel._wording import closest, plural, quoted
from halflabel.table.question import Question
from halflabel.table.tag_cells import TagNotation, is_missing, read_truth
from halflabel.table.tag_notations import read_object

#: Keys under which objects hold the name and the score of a tag.
_NAMES = ("name", "tag", "label", "text", "value", "class", "category", "title", "topic")
_SCORES = ("score", "p", "prob", "probability", "confidence", "weight", "relevance")

#: An object of names and values.
Object = Mapping[str, Any]


def list_values(objects: Sequence[Object], texts: Sequence[str]) -> list[Any] | None:
    """Return the values of all tags, where cells are objects of names and values, or most are such objects as text."""
    listed = [text for text in texts if text.startswith("{") and text.endswith("}")]
    if not objects and listed and 2 * len(listed) >= len(texts):
        try:
            objects = [read_object(text) for text in listed]
        except ValueError:
            return None
    known = objects and not any("choices" in each for each in objects)
    return [value for each in objects for value in each.values()] if known else None


def describe_values(values: Sequence[Any], is_text: bool, column: str) -> TagNotation:
    """Return the notation of objects of names and values: truth values, 1 and 0, or scores.

    Examples
    --------
    >>> describe_values([True, False, None], False, "tags").fields
    ('name', '', 'value')
    """
    known = [value for value in values if not is_missing(value)]
    around = "{}" if is_text else ""
    if known and all(_is_truth(value) for value in known):
        one = next((value for value in known if read_truth(value) == 1), True)
        return TagNotation("object", fields=("name", "", "value"), one=one, around=around)
    if known and all(isinstance(value, int | float) for value in known):
        return TagNotation("object", fields=("name", "value", ""), one=1, around=around)
    raise ValueError(
        f"the objects in the tags column {column!r} hold {quoted(dict.fromkeys(map(str, known)))}, but a value next to "
        "a tag is true, false, null, 1, 0 or a probability: write lists of the tags of each item."
    )


def find_fields(objects: Sequence[Object], column: str, options: Any) -> tuple[str, ...]:
    """Return the keys of the name, the score and the value of tags that are objects.

    Raises
    ------
    Question
        If a key may state whether the item has the tag.
    """
    if not objects:
        return ()
    keys = list(dict.fromkeys(key for each in objects for key in each))
    texts = [key for key in keys if key != options.value and all(isinstance(each.get(key), str) for each in objects)]
    values = [key for key in keys if _states_a_no([each.get(key) for each in objects])]
    names = [key for key in _NAMES if key in texts and key not in values] or texts
    scores = [key for key in _SCORES if key in keys] or [
        key for key in keys if all(isinstance(each.get(key), float) for each in objects)
    ]
    if not names:
        raise ValueError(
            f"the objects in the tags column {column!r} have no name of a tag: one of their keys, such as 'name', must "
            f"hold text in each; the keys are {quoted(keys)}."
        )
    if options.value is not None and options.value not in keys:
        raise ValueError(
            f"the objects in the tags column {column!r} have no {options.value!r}: {closest(options.value, keys)}"
        )
    if values and options.value is None and options.scores is None:
        is_no = sum(_is_no(each.get(values[0])) for each in objects)
        raise Question(
            f"The objects in the tags column {column!r} have the key {values[0]!r}, which means no in "
            f"{plural(is_no, 'tag')} of {len(objects)}.",
            ("it states whether the item has the tag", {"value": values[0]}),
            ("all listed tags are given", {"scores": "given"}),
        )
    score = next((key for key in scores if key != options.value), "")
    return names[0], score, options.value or ""


def _is_truth(value: Any) -> bool:
    return read_truth(value) is not None


def _is_no(value: Any) -> bool:
    return not is_missing(value) and read_truth(value) == 0


def _states_a_no(values: Sequence[Any]) -> bool:
    """Return whether values are truth values or such words, and some of them mean no."""
    known = [value for value in values if not is_missing(value)]
    return bool(known) and all(map(_is_truth, known)) and any(map(_is_no, known))
