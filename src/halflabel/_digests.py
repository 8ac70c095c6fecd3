"""Digests detect damaged files. The name, the size and the time of a file do not prove its content."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halflabel._files import atomic_write

#: The key of the digest in a JSON object that has its own.
KEY = "sha256"

#: The begin of the last line of a page that has its own.
_COMMENT = "<!-- halflabel, sha256 of the text above: "


class DamagedFile(ValueError):
    """A file does not hold the content that was written."""


def digest_file(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of the content of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_intact(path: Path, digest: str) -> bool:
    """Return whether a path is a file with this content."""
    return path.is_file() and digest_file(path) == digest


def write_object(path: str | os.PathLike[str], values: Mapping[str, Any]) -> None:
    """Write a JSON object together with its digest."""
    with atomic_write(path, "w") as file:
        json.dump({**values, KEY: digest_values(values)}, file, indent=1)


def read_object(path: Path) -> dict[str, Any]:
    """Read what :func:`write_object` wrote.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DamagedFile
        If it holds anything else.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values.pop(KEY) == digest_values(values):
            return dict(values)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):  # no UTF-8, no JSON, or no object
        pass
    raise DamagedFile(f"{path} is damaged: it does not hold the content that was written.")


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
