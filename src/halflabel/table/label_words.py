"""Label columns that hold words (yes, no, x, ?): their meaning as the user states it, and the way back."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Column, Floats, Mask
from halflabel._wording import name_row, option, quoted
from halflabel.labels.answers import fold_word
from halflabel.table.cells import holds_only, read_as_text, write_out
from halflabel.table.columns import Description
from halflabel.table.question import Question
from halflabel.table.words import PLAIN, VALUES, find_own_words, list_ways, shares_words

#: Maximum share of the rows in which two columns of one tag each have the same tag.
MAX_REPEATS = 0.1


def find_meanings(columns: Description) -> dict[str, float] | None:
    """Return the value of each word, stated or known without a statement, or None if the user stated none.

    Raises
    ------
    ValueError
        For a word with two meanings.

    Examples
    --------
    >>> find_meanings(Description(yes="x", no=["no", ""], unknown="?"))
    {'1': 1.0, 'true': 1.0, '0': 0.0, 'false': 0.0, 'x': 1.0, 'no': 0.0, '': 0.0, '?': nan}
    """
    stated: dict[str, float] = {}
    for name, value in VALUES.items():
        for word in map(fold_word, getattr(columns, name)):
            if word in stated:
                raise ValueError(f"the word {word!r} was given two meanings (yes, no or unknown): give it one.")
            stated[word] = value
    return {**PLAIN, **stated} if stated else None


def read_label_columns(frame: pd.DataFrame, names: Sequence[str], meanings: Mapping[str, float] | None) -> pd.DataFrame:
    """Return label columns with values that are 1, 0 or missing. Raise for any other value."""
    if meanings is not None:
        return read_label_words(frame, names, meanings)
    check_label_values(frame, names)
    return frame[list(names)]


def read_label_words(frame: pd.DataFrame, names: Sequence[str], meanings: Mapping[str, float]) -> pd.DataFrame:
    """Return label columns with 1, 0 and NaN in place of their words. An empty cell is unknown unless stated.

    Raises
    ------
    ValueError
        At the first word without a meaning.
    """
    read = {}
    for name in names:
        texts = read_as_text(frame[name])
        wrong = [row for row, text in enumerate(texts) if text and (word := fold_word(text)) and word not in meanings]
        if wrong:
            raise _ask_for_meanings(frame, names, name, wrong[0], meanings)
        read[name] = np.array([_read_word(text, meanings) for text in texts], dtype=np.float64)
    return pd.DataFrame(read, index=frame.index)


def check_label_values(frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Raise for a label column that holds anything but 1, 0, truth values and gaps, with the way to state its words."""
    for name in names:
        column = write_out(frame[name])
        if not _is_wrong(column):
            continue
        words = [None if text is None else fold_word(text) for text in read_as_text(column)]
        first = 0 if pd.api.types.is_numeric_dtype(column.dtype) else int(_is_text(column).argmax())
        wrong = [row for row, word in enumerate(words) if word not in (None, "", "1", "0")]
        raise _ask_for_meanings(frame, names, name, first if not wrong else wrong[0], {})


def _is_wrong(column: Column) -> bool:
    """Whether a column holds text, or numbers that are neither 1 nor 0. Values of other kinds have their own errors."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        values = column.to_numpy()
        return not bool(((values == 0) | (values == 1) | (values != values)).all())  # NaN differs from itself
    if pd.api.types.is_numeric_dtype(column.dtype):
        return not holds_only(column, (0, 1))
    return bool(_is_text(column).any()) or any(_is_other_number(value) for value in column)


def _is_other_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and value not in (0, 1) and value == value


def _is_text(column: Column) -> Mask:
    return np.array([isinstance(value, str) for value in column], dtype=bool)


def write_label_words(given: Column, filled: Floats, meanings: Mapping[str, float]) -> Column:
    """Return a label column with its filled values, in its own words. Cells that were not filled stay as they are.

    Parameters
    ----------
    given : Series
        The column as it was read.
    filled : ndarray of shape (n_items,)
        1, 0, or NaN where nothing is known.
    meanings : mapping of str to float
        From :func:`find_meanings`.
    """
    known = [_read_word(text, meanings) for text in read_as_text(given)]
    words = _choose_words(given, meanings)
    cells = [
        words[int(value)] if value == value and before != value else cell
        for cell, before, value in zip(given.astype(object), known, filled.tolist(), strict=True)
    ]
    numbers = pd.api.types.is_numeric_dtype(given.dtype)
    return pd.Series(cells, index=given.index, name=given.name, dtype=given.dtype if numbers else object)


def find_words(
    given: Column, meanings: Mapping[str, float] | None, cells: Iterable[str | None] | None
) -> tuple[Any, Any] | None:
    """Return the words of a label column for irrelevant and for relevant entries, or None for 0 and 1.

    Parameters
    ----------
    given : Series
        The column as it was read.
    meanings : mapping of str to float or None
        From :func:`find_meanings`.
    cells : iterable of str or None
        The cells of the column as a text file writes them.

    Examples
    --------
    >>> find_words(pd.Series([True, None]), None, ["TRUE", None]), find_words(pd.Series([1, 0]), None, ["1", "0"])
    (('False', 'TRUE'), None)
    """
    if pd.api.types.is_bool_dtype(given.dropna().infer_objects()):
        if cells is None:
            return False, True
        used = Counter(text for text in cells if text is not None)
        spelled = {text.casefold(): text for text, _ in reversed(used.most_common())}
        return spelled.get("false", "False"), spelled.get("true", "True")
    words = (0, 1) if meanings is None else _choose_words(given, meanings)
    return None if words == (0, 1) else words


def _read_word(text: str | None, meanings: Mapping[str, float]) -> float:
    return meanings.get(fold_word(text or ""), np.nan)


def _choose_words(given: Column, meanings: Mapping[str, float]) -> tuple[Any, Any]:
    """Return the words that a column uses most for 0 and for 1, else the first ones stated. Numbers stay numbers."""
    used = Counter(text for text in read_as_text(given) if text is not None)
    has_numbers = pd.api.types.is_numeric_dtype(given.dtype)

    def choose(value: float) -> Any:
        own = [text for text, _ in used.most_common() if meanings.get(fold_word(text)) == value]
        stated = [word for word, meaning in meanings.items() if meaning == value and word not in PLAIN and word]
        words = (word for word in (*own, *stated, f"{value:g}") if not has_numbers or _is_number(word))
        return int(float(next(words))) if has_numbers else next(words)

    return choose(0.0), choose(1.0)


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[+-]?\d*\.?\d+(?:e[+-]?\d+)?", word) is not None


def _repeat_in_rows(frame: pd.DataFrame, names: Sequence[str]) -> bool:
    """Return whether label columns often have the same word in one row, as columns of one tag each never do."""
    rows = [[text for text in row if text] for row in zip(*(read_as_text(frame[name]) for name in names), strict=True)]
    return sum(len(set(row)) < len(row) for row in rows) > MAX_REPEATS * len(rows)


def _ask_for_meanings(
    frame: pd.DataFrame, names: Sequence[str], name: str, row: int, stated: Mapping[str, float]
) -> ValueError:
    """Return the error about a cell, with the probable meanings of the words of all label columns."""
    by_column = [[word for text in read_as_text(frame[each]) if text and (word := fold_word(text))] for each in names]
    words = list(dict.fromkeys(itertools.chain.from_iterable(by_column)))
    own = {word: value for word, value in stated.items() if PLAIN.get(word) != value}
    cell = frame[name].iloc[row : row + 1].tolist()[0]
    found = (
        f"label {name!r} holds {cell!r} ({name_row(row)}), but a label is 1 (has it), 0 (does not have it) or empty "
        "(unknown)"
    )
    sets = [{*each} for each in by_column]
    if (way := find_own_words(sets, own)) is not None:
        return Question(f"{found}.", way)
    are_numbers = all(map(_is_number, words))
    if are_numbers and sum(0 < float(word) < 1 for word in words) > 1:
        return ValueError(
            f"{found}. Its numbers are between: if these are probabilities, state them as a table of their own "
            f"({option('prior')}) and leave the unknown labels empty, or make 1 and 0 of them first, such as "
            f"items[{list(names)}] >= 0.5."
        )
    if shares_words(sets) and not _repeat_in_rows(frame, names):
        alike = itertools.takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
        return ValueError(
            f"{found}. The label columns hold the same words, as columns with one tag each do: if they list tags, name "
            f"them together by a pattern, such as {option('tags', ''.join(letters[0] for letters in alike) + '*')}."
        )
    if ways := list(list_ways(words, own)):
        return Question(f"{found}.", *ways)
    counts = f"they are counts or ratings, make 1 and 0 of them: items[{list(names)}] >= {words[len(words) // 2]}"
    tags = f"{name!r} holds the class of an item, or lists its tags, name it by {option('tags', name)}"
    return ValueError(
        f"{found}: state the meaning of other words with {option('yes')}, {option('no')} and {option('unknown')}; the "
        f"label columns hold {quoted(words)}. If {counts if are_numbers else f'{tags}, and not as a label'}."
    )
