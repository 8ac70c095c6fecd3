"""A grammar of the notations in which people write tags, for property tests: each writes names as a cell."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel.table import Description, Roles, labelling
from halflabel.table.question import Question
from halflabel.table.tag_text import fold_tag


@dataclass(frozen=True)
class Notation:
    """One way to write tags.

    Parameters
    ----------
    write : callable
        From names to a cell.
    syntax : str
        The characters that no name can have in this notation.
    is_text : bool
        Whether a cell is text, so that a CSV file can hold it.
    is_known : bool
        Whether the separator is recognised wherever it is. Any other one shows only in labels that contain labels.
    empty : sequence
        The cells of a list without tags, where the notation has one.
    """

    write: Callable[[Sequence[str]], Any]
    syntax: str = ""
    is_text: bool = True
    is_known: bool = True
    empty: Sequence[Any] = ()


def _join(sep: str, syntax: str = "", is_known: bool = True) -> Notation:
    return Notation(sep.join, syntax or sep.strip() or sep, is_known=is_known)


def _quote(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' if "," in name else name for name in names)


def _double(name: str) -> str:
    return f'"{name}"'


NOTATIONS = {
    "semicolon": _join(";"),
    "semicolon and blank": _join("; "),
    "comma": _join(","),
    "comma and blank": _join(", "),
    "bar": _join("|"),
    "bar with blanks": _join(" | "),
    "slash": _join("/", is_known=False),
    "blank": _join(" ", is_known=False),
    "ampersand": _join(" & ", is_known=False),
    "line breaks": _join("\n"),
    "tab": _join("\t"),
    "in angle brackets": Notation(lambda names: "".join(f"<{name}>" for name in names), "<>", empty=["<>"]),
    "in brackets": Notation(lambda names: " ".join(f"[{name}]" for name in names), "[]", empty=["[]", "[ ]"]),
    "hashtags": Notation(lambda names: " ".join(f"#{name}" for name in names), "# "),
    "hashtags with commas": Notation(lambda names: ", ".join(f"#{name}" for name in names), "#,"),
    "bullets": Notation(lambda names: "\n".join(f"- {name}" for name in names), "\n"),
    "quoted commas": Notation(_quote, '"'),
    "single quotes": Notation(lambda names: ", ".join(f"'{name}'" for name in names), "'"),
    "typographic quotes": Notation(lambda names: " ".join(f"“{name}”" for name in names), "“”"),
    "parentheses": Notation(lambda names: f"({', '.join(names)})", ",()", empty=["()", "( )"]),
    "frozen set": Notation(frozenset, is_text=False, empty=[frozenset()]),
    "ideographic commas": _join("、"),
    "wide commas": _join("，"),
    "line breaks of HTML": _join("<br>", "<>"),
    "line breaks of XHTML": _join("<br />", "<>"),
    "a word": _join(" and ", is_known=False),
    "array of NumPy": Notation(lambda names: str(np.array(list(names))), empty=["[]", "[ ]"]),
    "array of NumPy with its type": Notation(
        lambda names: repr(np.array(list(names))),
        empty=["array([])", "array([], dtype=object)", "array([], dtype='<U4')"],
    ),
    "frozen set as text": Notation(
        lambda names: "frozenset({" + ", ".join(map(repr, names)) + "})", empty=["frozenset()"]
    ),
    "set of Python": Notation(lambda names: "{" + ", ".join(map(repr, names)) + "}", empty=["set()", "{}"]),
    "tuple of Python": Notation(lambda names: repr(tuple(names)), empty=["()"]),
    "vector of R": Notation(
        lambda names: f"c({', '.join(map(_double, names))})" if len(names) > 1 else names[0],
        '"\\()',
        empty=["c()", "character(0)"],
    ),
    "array of Spark": Notation(lambda names: f"WrappedArray({', '.join(names)})", ",()", empty=["WrappedArray()"]),
    "values": Notation(lambda names: dict.fromkeys(names, True), is_text=False, empty=[{}]),
    "values in JSON": Notation(
        lambda names: json.dumps(dict.fromkeys(names, True), ensure_ascii=False), empty=["{}", "{ }"]
    ),
    "array of a database": Notation(lambda names: "{" + ",".join(names) + "}", '",{}', empty=["{}"]),
    "JSON": Notation(lambda names: json.dumps(list(names), ensure_ascii=False), empty=["[]", "[ ]"]),
    "Python": Notation(lambda names: repr(list(names)), empty=["[]"]),
    "list": Notation(list, is_text=False, empty=[[]]),
    "array": Notation(lambda names: np.array(list(names), dtype=object), is_text=False, empty=[np.array([])]),
    "objects": Notation(lambda names: [{"tag": name, "id": 7} for name in names], is_text=False, empty=[[]]),
    "objects in JSON": Notation(
        lambda names: json.dumps([{"name": name} for name in names], ensure_ascii=False), empty=["[]"]
    ),
}


#: The notations that are not recognised: each is a question.
OTHERS = (
    "slash", "blank", "ampersand", "in brackets", "bullets", "single quotes", "typographic quotes", "parentheses",
    "ideographic commas", "wide commas", "line breaks of HTML", "line breaks of XHTML", "a word", "array of NumPy",
    "array of NumPy with its type", "frozen set as text", "vector of R", "array of Spark", "array of a database",
)  # fmt: skip
READ = tuple(kind for kind in NOTATIONS if kind not in OTHERS)


def list_plain(kind: str, names: Sequence[str]) -> list[str]:
    """Return names that a file in a notation can distinguish from others.

    A name has no syntax of the notation, and is not made of other names with a separator between them: ``"a;b"`` next
    to ``"a"`` is the same file as two tags. Next to a separator that is not known, no name has a known one.
    """
    notation = NOTATIONS[kind]
    syntax = {*notation.syntax, *("" if notation.is_known else ";,|n-")}
    kept: list[str] = []
    for name in names:
        parts = [part for part in map(fold_tag, re.split(r"[\W_]+", name)) if part]
        others = {part for each in kept for part in [fold_tag(each), *re.split(r"[\W_]+", fold_tag(each))]}
        is_plain = len(set(parts)) == len(parts) and not others & {*parts, fold_tag(name)}
        if not set(name) & syntax and (is_plain or (len(parts) == 1 and name not in kept)):
            kept.append(name)
    return kept


def read_labels(frame: pd.DataFrame, roles: Roles, stated: Description | None = None, **keys: Any) -> Any:
    """Return the reading of labels with these statements."""
    return labelling.read_labels(frame, roles, replace(stated or Description(), **keys))


def list_readings(column: pd.Series, options: Description | None = None, depth: int = 6) -> Iterator[Any]:
    """Yield the reading of a column, or the readings of all ways that its error offers, as (options, labels)."""
    options = options or Description()
    try:
        frame = pd.DataFrame({"tags": column})
        yield options, read_labels(frame, Roles(tags="tags"), absent="irrelevant", stated=options).labels
    except Question as question:  # a way can also end in an error, such as "-a" next to "a"
        for way in question.ways if depth else ():
            with suppress(ValueError):
                yield from list_readings(column, state_way(options, way.keys), depth - 1)


def state_way(options: Description, argument: Mapping[str, Any]) -> Description:
    """Return the statements together with one more. Words are collected."""
    ((name, value),) = argument.items()
    words = (*getattr(options, name), value.strip().casefold()) if name in ("yes", "no", "unknown") else value
    return replace(options, **{name: words})


def matches(labels: Any, expected: Sequence[Sequence[str] | None]) -> bool:
    """Return whether labels are those of all items: an empty sequence for no tags, None for an unlabelled item."""
    names = set().union(*(each or () for each in expected))
    read = [{labels.names[j] for j in np.flatnonzero(row)} if is_annotated else None
            for row, is_annotated in zip(labels.relevant, labels.annotated, strict=True)]  # fmt: skip
    return set(labels.names) == names and read == [None if each is None else set(each) for each in expected]
