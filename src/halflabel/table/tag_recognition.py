"""The notation of a column of tags: recognised where one reading is possible, else an error with one way for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel._wording import clipped, option, plural, quoted
from halflabel.labels.answers import fold_word
from halflabel.table.ambiguous import AmbiguousReading
from halflabel.table.columns import Description
from halflabel.table.separators import choose_separator, read_separator
from halflabel.table.tag_cells import NOTHING, Form, TagNotation, is_missing, read_list
from halflabel.table.tag_text import fold_tag, read_score

#: Pairs of marks around each tag, and marks before each tag.
WRAPPERS, PREFIXES = ("<>", "[]", "()", "{}", '""'), ("#", "@", "+", "- ", "* ", "• ", "*", "•")

#: Marks of a tag that an item does not have, with the mark of a tag that it has.
NEGATIONS = {"-": "+", "!": "", "¬": "", "~": "", "NOT ": ""}

#: Keys under which objects hold the name and the score of a tag.
_NAMES = ("name", "tag", "label", "text", "value", "class", "category", "title", "topic")
_SCORES = ("score", "p", "prob", "probability", "confidence", "weight", "relevance")


@dataclass(frozen=True)
class TagOptions:
    """The statements about the notation of tags."""

    #: See :class:`halflabel.table.columns.Description`.
    sep: str | None = None
    case: str | None = None
    negation: str | None = None
    scores: str | None = None
    #: Words that are names of tags, that mean "no tag", and that mean a missing value.
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Description) -> TagOptions:
        """Return the statements about tags among those about a table."""
        words = {name: tuple(map(fold_word, getattr(columns, name))) for name in ("yes", "no", "unknown")}
        return cls(columns.sep, columns.case, columns.negation, columns.scores, **words)


def recognise_tags(column: pd.Series[Any], options: TagOptions | None = None) -> TagNotation:
    """Return the notation of a column of tags.

    Parameters
    ----------
    column : Series
    options : TagOptions, optional
        The statements of the user.

    Raises
    ------
    AmbiguousReading
        If two readings are possible. The error states an option for each of them.
    """
    options = options or TagOptions()
    name = str(column.name)
    texts = [cell.strip() for cell in column if isinstance(cell, str) and cell.strip()]
    words = [text for text in texts if _is_nothing(text, options)]
    notation = _find_form(column, [text for text in texts if text not in set(words)], words, options)
    notation = replace(notation, no=options.no, unknown=options.unknown)
    if notation.form == "numbers":
        return notation
    parts = _cut_all(column, notation)
    tags = Counter(str(part).strip() for part in parts if not isinstance(part, Mapping) and not is_missing(part))
    tags.pop("", None)
    if notation.form != "separated":  # other forms do not have words as they are
        tags.update(word for word in words if fold_word(word) not in {*options.no, *options.unknown})
    _check_words(tags, name, options, others=any(isinstance(part, Mapping) for part in parts))
    notation = _find_negation(notation, tags, name, options)
    notation = _find_scores(notation, tags, parts, name, options)
    return _find_spelling(notation, column, name, options)


def _is_nothing(text: str, options: TagOptions) -> bool:
    return fold_word(text) in NOTHING.union(options.no, options.unknown).difference(options.yes)


def _find_form(column: pd.Series[Any], texts: list[str], words: list[str], options: TagOptions) -> TagNotation:
    """Return how cells are cut into parts. The ``words`` are texts that are probably no tags."""
    lists = [cell for cell in column if isinstance(cell, list | tuple | set | np.ndarray)]
    if any(len(cell) for cell in lists):
        tags = [tag for cell in lists for tag in cell if not is_missing(tag)]
        objects = [tag for tag in tags if isinstance(tag, Mapping)]
        numbers = bool(tags) and all(isinstance(tag, int | np.integer) for tag in tags)
        return TagNotation("numbers" if numbers else "list", fields=_find_fields(objects, str(column.name)))
    wrapped = _find_wrapper(texts) if options.sep is None else None
    form = _find_list_form(texts) if options.sep is None and wrapped is None else None
    if form is not None:
        parts = [part for text in texts for part in _try_list(text, form)]
        return TagNotation(form, fields=_find_fields([p for p in parts if isinstance(p, dict)], str(column.name)))
    if options.sep is None and (marked := wrapped or _find_prefix(texts)) is not None:
        return marked
    around = next((pair for pair in ("{}", "[]") if texts and all(text[0] + text[-1] == pair for text in texts)), "")
    inner = [text[1:-1] for text in texts] if around else texts
    stated = None if options.sep is None else read_separator(options.sep)
    sep = choose_separator([*inner, *words], str(column.name)) if stated is None else stated
    return replace(_separate(inner, sep), around=around if sep else "")


def _separate(texts: Sequence[str], sep: str) -> TagNotation:
    has_blank = sep and sep != " " and any(f"{sep} " in text for text in texts)
    return TagNotation("separated", sep, f"{sep} " if has_blank else sep)


def _find_list_form(texts: list[str]) -> Form | None:
    """Return the form of cells that are lists written as text, if any is."""
    if any(text.startswith("{") and text.endswith("}") and '"choices"' in text for text in texts):
        return "choices"
    listed = [text for text in texts if text.startswith("[") and text.endswith("]")]
    if len(listed) < max(1, len(texts) / 2):
        return None
    if all(_reads_as(text, "json") for text in listed):
        return "json"
    quotes = any(_reads_as(text, "python") and text.strip("[] ") for text in listed)
    return "python" if quotes or not all(re.fullmatch(r"\[[^'\"\[\]]*\]", text) for text in listed) else None


def _reads_as(text: str, form: str) -> bool:
    try:
        read_list(text, form)
    except ValueError:
        return False
    return True


def _try_list(text: str, form: str) -> list[Any]:
    try:
        return read_list(text, form)
    except ValueError:  # reading the cell raises the error, with its row
        return []


def _find_fields(objects: Sequence[Mapping[str, Any]], column: str) -> tuple[str, ...]:
    """Return the keys of the name and of the score of tags that are objects."""
    if not objects:
        return ()
    keys = list(dict.fromkeys(key for each in objects for key in each))
    texts = [key for key in keys if all(isinstance(each.get(key), str) for each in objects)]
    names = [key for key in _NAMES if key in texts] or texts
    scores = [key for key in _SCORES if key in keys] or [
        key for key in keys if all(isinstance(each.get(key), float) for each in objects)
    ]
    if not names:
        raise ValueError(
            f"the objects in the tags column {column!r} have no name of a tag: one of their keys, such as 'name', must "
            f"hold text in each; the keys are {quoted(keys)}."
        )
    return (names[0], *scores[:1])


def _find_wrapper(texts: list[str]) -> TagNotation | None:
    """Return the notation ``<a><b>``, if all texts have it and one of them has two tags, or each has angle brackets."""
    for pair in WRAPPERS:
        left, right = map(re.escape, pair)
        group = rf"{left}[^{left}{right}]+{right}"
        if not texts or not all(re.fullmatch(rf"{group}(?:[\s,;|]*{group})*", text) for text in texts):
            continue
        between = Counter(glue for text in texts for glue in re.findall(rf"{right}([\s,;|]*)(?={left})", text))
        if pair == '""' and any(glue.strip() for glue in between):
            return None  # quotes around the parts of a separated text
        if between or pair == "<>":
            return TagNotation("wrapped", pair, between.most_common(1)[0][0] if between else "")
    return None


def _find_prefix(texts: list[str]) -> TagNotation | None:
    """Return the notation ``#a #b``, if every tag begins with the same mark."""
    for mark in PREFIXES:
        if not texts or not all(text.startswith(mark) and text != mark.strip() for text in texts):
            continue
        between = Counter(
            glue for text in texts for glue in re.findall(rf"([\s,;|]+){re.escape(mark)}(?=\S)", text[1:])
        )
        if between:
            return TagNotation("prefixed", mark, between.most_common(1)[0][0] + mark)
        inner = any(mark in text[1:] for text in texts)
        return TagNotation("prefixed", mark, mark if inner else f" {mark}")
    return None


def _cut_all(column: Iterable[Any], notation: TagNotation) -> list[Any]:
    """Return the parts of all cells that have this notation, without missing values."""
    parts: list[Any] = []
    for cell in column:
        try:
            parts += notation.cut(cell) or ()
        except ValueError:  # reading the cell raises the error, with its row
            continue
    return [part for part in parts if isinstance(part, Mapping) or not is_missing(part)]


def _check_words(tags: Mapping[str, int], column: str, options: TagOptions, *, others: bool) -> None:
    """Raise for a word that is probably no name of a tag, unless its meaning was stated."""
    stated = {*options.yes, *options.no, *options.unknown}
    found = {tag: n for tag, n in tags.items() if fold_word(tag) in NOTHING - stated}
    if found and (len(found) < len(tags) or others):
        word = max(found, key=lambda tag: found[tag])
        more = f" (also {quoted([tag for tag in found if tag != word])})" if len(found) > 1 else ""
        raise AmbiguousReading(
            f"{plural(found[word], 'cell')} of the tags column {column!r} {'holds' if found[word] == 1 else 'hold'} "
            f"the word {word!r}{more}.",
            ("it means that the item has no tag", option("no", word)),
            ("it means a missing value", option("unknown", word)),
            ("it is a tag", option("yes", word)),
        )


def _find_negation(notation: TagNotation, tags: Mapping[str, int], column: str, options: TagOptions) -> TagNotation:
    """Return the notation with the mark of tags that an item does not have."""
    if options.negation is not None:
        minus = "" if options.negation == "none" else options.negation
        return replace(notation, minus=minus, plus=_find_plus(minus, tags))
    for minus in NEGATIONS:
        if marked := [tag for tag in tags if re.match(rf"{re.escape(minus)}\w", tag)]:
            raise AmbiguousReading(
                f"{plural(len(marked), 'tag')} of the column {column!r} {'begins' if len(marked) == 1 else 'begin'} "
                f"with {minus!r}, such as {clipped(marked[0], 40)!r}.",
                ("the mark means that the item does not have the tag", option("negation", minus)),
                ("it is a part of the name", option("negation", "none")),
            )
    return notation


def _find_plus(minus: str, tags: Mapping[str, int]) -> str:
    """Return the mark of tags that an item has, if tags have it."""
    plus = NEGATIONS.get(minus, "")
    return plus if plus and any(tag.startswith(plus) for tag in tags) else ""


def _find_scores(
    notation: TagNotation, tags: Mapping[str, int], parts: Sequence[Any], column: str, options: TagOptions
) -> TagNotation:
    """Return the notation with the meaning of the scores of tags, if they have scores."""
    key = notation.fields[1] if len(notation.fields) > 1 else None
    if key is not None:
        found = [(str(part.get(notation.fields[0])), part.get(key)) for part in parts if isinstance(part, Mapping)]
        scored = [(name, float(score)) for name, score in found if isinstance(score, int | float)]
        example = f"{scored[0][0]} with {key} {scored[0][1]:g}" if scored else ""
    else:
        scored = [read_score(tag) for tag in tags]  # type: ignore[misc]
        example = next((tag for tag, (_, score) in zip(tags, scored, strict=True) if score is not None), "")
        scored = [(name, score) for name, score in scored if score is not None]
        spaced = bool(example) and not re.search(r"[:=@(\[]", example)
        if spaced and 2 * len(scored) < len(tags):
            scored = []
    if options.scores is not None:
        return replace(notation, scores="" if options.scores == "name" else options.scores)  # type: ignore[arg-type]
    if not scored:
        return notation
    low = sum(score < 0.5 for _, score in scored)
    whole = () if key is not None else (("the number is a part of the name", option("scores", "name")),)
    prior = (
        ()
        if any(score > 1 or score < 0 for _, score in scored)
        else (("scores are probabilities of a model, and tags without a score are given", option("scores", "prior")),)
    )
    raise AmbiguousReading(
        f"{plural(len(scored), 'tag')} of the column {column!r} {'has' if len(scored) == 1 else 'have'} a score, such "
        f"as {clipped(example, 40)!r}; {low} of the scores are below 0.5.",
        ("all listed tags are given", option("scores", "given")),
        *prior,
        *whole,
    )


def _find_spelling(notation: TagNotation, column: pd.Series[Any], name: str, options: TagOptions) -> TagNotation:
    """Return the notation with one spelling of each tag, where the user stated that case makes no difference."""
    counts = Counter[str]()
    for cell in column:
        try:
            counts.update(tag.name for tag in notation.read_parts(cell) or () if tag is not None)
        except ValueError:  # reading the cell raises the error, with its row
            continue
    spellings: dict[str, list[str]] = {}
    for tag in counts:
        spellings.setdefault(fold_tag(tag), []).append(tag)
    several = [tags for tags in spellings.values() if len(tags) > 1]
    if not several or options.case == "different":
        return notation
    if options.case == "same":
        best = [max(sorted(tags), key=lambda tag: counts[tag]) for tags in spellings.values()]
        return replace(notation, names=tuple(sorted(best)))
    raise AmbiguousReading(
        f"{plural(len(several), 'tag')} of the column {name!r} {'has' if len(several) == 1 else 'have'} several "
        f"spellings, such as {quoted(sorted(several[0]))}.",
        ("these are the same tag", option("case", "same")),
        ("these are different tags", option("case", "different")),
    )
