"""Digests detect damaged files. The name, the size and the time of a file do not prove its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: The key of the digest in a JSON object that has its own.
KEY = "sha256"

#: The begin of the last line of a page that has its own.
_COMMENT = "<!-- halflabel, sha256 of the text above: "


def sign_page(text: str) -> str:
    """Return a page of HTML with the digest of its text in the last line."""
    return f"{text}{_COMMENT}{_digest_text(text)} -->\n"


def is_page(path: Path) -> bool:
    """Return whether a file begins as a page of HTML does."""
    with open(path, "rb") as file:
        return file.read(100).lstrip().lower().startswith(b"<!doctype html")


def is_page_intact(path: Path) -> bool:
    """Return whether a page is as :func:`sign_page` returned it."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return text == sign_page(text.rpartition(_COMMENT)[0])


def _digest_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def digest_values(values: Mapping[str, Any]) -> str:
    """Return the SHA-256 of values as JSON, whatever the order of their keys, without their own digest."""
    return _digest_text(json.dumps({name: value for name, value in values.items() if name != KEY}, sort_keys=True))
