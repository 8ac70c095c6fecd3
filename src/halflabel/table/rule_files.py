"""Rules between labels from arguments and files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from halflabel.labels.label_rules import is_rule, read_lines

#: Maximum size of a file of rules in bytes.
MAX_BYTES = 2**24


def collect_rules(given: Any) -> tuple[str, ...]:
    """Return the texts of rules. A text that has no form of a rule is the path of a file.

    Examples
    --------
    >>> collect_rules("jazz -> music")
    ('jazz -> music',)
    """
    several: Sequence[Any] = (given,) if isinstance(given, str | os.PathLike) else given
    texts: list[str] = []
    for each in several:
        if isinstance(each, str) and is_rule(each):
            texts.append(" ".join(each.split()))
        elif isinstance(each, str | os.PathLike):
            texts += _read_file(Path(str(each).removeprefix("@")))
        else:
            raise ValueError(f"a rule between labels is a text such as 'jazz -> music', not {each!r:.80}.")
    return tuple(texts)


def _read_file(path: Path) -> list[str]:
    if not _is_file(path):
        raise ValueError(
            f"{str(path)!r:.80} is neither a rule between labels nor a file of rules: write 'a -> b', 'one of: a, b' "
            "or 'at most one of: a, b', or name a file with one rule per line."
        )
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"{path}: a file of rules has at most {MAX_BYTES:,} bytes.")
    try:
        lines = read_lines(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: it is not UTF-8 text (byte {error.start}): save it as UTF-8.") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if wrong := [line for line in lines if not is_rule(line)]:  # it would be taken for the path of a further file
        raise ValueError(
            f"{path}: {wrong[0]!r:.80} is not a rule between labels: write 'a -> b', 'one of: a, b' "
            "or 'at most one of: a, b', or a # before a remark."
        )
    return lines


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # no file has so long a name
        return False
