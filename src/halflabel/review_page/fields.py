"""The fields of a request. Each field is checked when it is read, and a wrong field is an error in words."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection
from typing import Any, TypeGuard

import numpy as np

from halflabel._arrays import Ints
from halflabel._wording import quoted

#: Maximum length of the key of a record.
MAX_KEY = 200

_UNREADABLE = (
    "The request cannot be read: it must be a JSON object in UTF-8, without NaN, Infinity, very long numbers and deep "
    "nesting."
)


class TableChanged(ValueError):
    """A request is about a table that is not the open one."""


def parse_body(content: bytes) -> dict[str, Any]:
    """Return the fields of a request.

    Examples
    --------
    >>> parse_body(b'{"n": 5}')
    {'n': 5}
    """
    try:
        body = json.loads(content.decode(), parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        raise ValueError(_UNREADABLE) from None
    if not isinstance(body, dict):
        raise ValueError(_UNREADABLE)
    return body


def check_table(asked: dict[str, Any], table: str) -> None:
    """Raise if a request does not name the table that is open: its numbers of rows and columns mean other entries."""
    given = asked.get("table")
    if not isinstance(given, str):
        raise ValueError("A request names its table: the text 'table' of /api/session.")
    if given != table:
        raise TableChanged("The table has changed since this page was opened: reload the page.")


def read_key(asked: dict[str, Any]) -> str:
    """Return the key of a record. A request without a key gets a new one, so that it repeats no other request."""
    key = asked.get("key")
    if key is None or key == "":
        return secrets.token_hex(8)
    if not is_text(key) or len(key) > MAX_KEY:
        raise ValueError(f"A key is a text of at most {MAX_KEY} characters.")
    return str(key)


def is_text(value: Any) -> bool:
    """Return whether a value from JSON is a string that can be written. Half of a surrogate pair cannot."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value from JSON is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def read_text(asked: dict[str, Any], name: str) -> str:
    """Return a string, which is empty if the field is absent."""
    value = asked.get(name, "")
    if not is_text(value):
        raise ValueError(f"The field {name!r} is a text.")
    return str(value)


def read_choice(asked: dict[str, Any], name: str, choices: Collection[str]) -> str:
    """Return one of several words."""
    value = asked.get(name)
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"The field {name!r} is one of {quoted(list(choices))}.")
    return value


def read_whole(asked: dict[str, Any], name: str, end: int, default: int | None = None) -> int:
    """Return a whole number from 0 to ``end - 1``."""
    value = asked.get(name, default)
    if not is_whole(value) or not 0 <= value < end:
        raise ValueError(f"The field {name!r} is a whole number from 0 to {end - 1}.")
    return value


def read_wholes(asked: dict[str, Any], name: str, end: int) -> Ints:
    """Return whole numbers from 0 to ``end - 1``, or an empty array if the field is absent."""
    values = asked.get(name, [])
    if not isinstance(values, list) or not all(is_whole(value) and 0 <= value < end for value in values):
        raise ValueError(f"The field {name!r} is a list of whole numbers from 0 to {end - 1}.")
    return np.array(values, dtype=np.intp)


def read_number(text: str, end: int) -> int | None:
    """Return a number of an address, or None if it is not a number from 0 to ``end - 1``.

    Examples
    --------
    >>> read_number("12", 40), read_number("40", 40), read_number("-1", 40), read_number("1_0", 40)
    (12, None, None, None)
    """
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(end))) or int(text) >= end:
        return None
    return int(text)


def _reject_constant(text: str) -> None:
    raise ValueError(text)
