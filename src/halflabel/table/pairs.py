"""Pairs of an item and a tag, with or without a value: one row per pair, joined to the items by id."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Ints, Mask
from halflabel._wording import count, option, plural, quoted
from halflabel.labels import MAX_CELLS, Absent, PartialLabels
from halflabel.table.ambiguous import AmbiguousReading
from halflabel.table.cells import describe_missing, read_as_text, use_text_names
from halflabel.table.columns import Empty
from halflabel.table.label_reading import LabelReading
from halflabel.table.label_words import check_label_values, read_label_words
from halflabel.table.tag_recognition import TagOptions, recognise_tags

#: The statement that no column of the pairs has their values.
NO_VALUE = "none"

#: Names of the column with the names of tags, if a table of names has several columns.
_NAMES = ("name", "label", "tag", "title")


def read_pairs(
    pairs: pd.DataFrame,
    on: str,
    ids: Sequence[Hashable] | pd.Series[Any] | pd.Index[Any],
    *,
    absent: Absent,
    empty: Empty | None = None,
    tag: str | None = None,
    value: str | None = None,
    meanings: Mapping[str, float] | None = None,
    names: pd.DataFrame | None = None,
    annotated: pd.DataFrame | None = None,
    drop_others: bool = False,
    options: TagOptions | None = None,
) -> LabelReading:
    """Read a long table with one row per (id, tag), or per (id, tag, value), for the items of ``ids``.

    Ids are compared as written: the number 7 and the text "7" are the same id, the text "007" is another one.

    Parameters
    ----------
    pairs : DataFrame
    on : str
        The column of ids.
    ids : sequence, Series or Index
        The ids of the items, in their order.
    absent : {"irrelevant", "unknown"}
        The meaning of a tag that an annotated item does not list.
    empty : {"unlabelled", "none"}, optional
        The meaning of an item without a pair: unlabelled (the default), or annotated without tags.
    tag : str, optional
        The column of tags; by default the only other column.
    value : str, optional
        The column that states whether the item has the tag: 1, 0 or missing, or words. An entry with both values is
        unknown. "none" states that there is no such column.
    meanings : mapping of str to float, optional
        The meaning of the words of ``value``, from :func:`halflabel.table.label_words.find_meanings`.
    names : DataFrame, optional
        The ids of tags and their names, in place of which the pairs have ids.
    annotated : DataFrame, optional
        One row for each annotated item: the column ``on``, or the only column. Items with a pair are annotated, too.
    drop_others : bool, default=False
        Whether pairs of ids that no item has are left out and counted; they are an error otherwise.
    options : TagOptions, optional
        The statements about the notation of tags. By default each tag is a name as it is written.

    Raises
    ------
    ValueError
        If a column is missing or not clear, a cell is empty, or an id is not among ``ids``.

    Examples
    --------
    >>> votes = pd.DataFrame({"gene": ["a", "a", "b"], "term": ["T1", "T2", "T1"], "vote": [1, 0, 1]})
    >>> reading = read_pairs(votes, "gene", ["a", "b", "c"], tag="term", value="vote", absent="unknown")
    >>> reading.labels.state.tolist()
    [[1, -1], [1, 0], [0, 0]]
    """
    pairs = use_text_names(pairs)
    value = _find_value_column(pairs, on, tag, value)
    tag = _find_tag_column(pairs, on, tag, value)
    known = read_ids(ids)
    _require_filled(pairs, (on, tag))
    rows, notes = find_rows(pairs, on, known, drop_others)
    pairs, rows = pairs[rows >= 0], rows[rows >= 0]
    if pairs.empty:
        raise ValueError("no pair is about one of the items: are the ids of the pairs the ids of the items?")
    texts, values = _read_names(pairs[tag], names), _read_values(pairs, value, meanings)
    empty_rows: list[int] = []
    if options is not None:
        texts, values, empty_rows = _read_notation(texts, values, rows, tag, options)
    is_tag = np.array([text is not None for text in texts], dtype=bool)
    codes, found = pd.factorize(texts[is_tag], sort=True)
    tags, names_of_tags = np.asarray(codes, dtype=np.intp), tuple(map(str, found))
    rows, values = rows[is_tag], values[is_tag]
    shape = (len(known), len(names_of_tags))
    if shape[0] * shape[1] > MAX_CELLS:
        raise ValueError(f"{count(shape[0])} items x {count(shape[1])} labels are more than {MAX_CELLS:.0e} cells.")
    yes, no, open_ = (_mark(shape, rows, tags, each) for each in (values == 1, values == 0, np.isnan(values)))
    both = yes & no
    marked = (
        np.zeros(len(known), dtype=bool) if annotated is None else _read_annotated(annotated, on, known, drop_others)
    )
    marked[empty_rows] = True
    labels = _make_labels(yes & ~both, no & ~both, open_ | both, marked, names_of_tags, absent, empty)
    notes += _describe(labels, tag, len(pairs), int(both.sum()), empty)
    return LabelReading(labels, notes)


def _make_labels(
    yes: Mask, no: Mask, open_: Mask, marked: Mask, names: tuple[str, ...], absent: Absent, empty: Empty | None
) -> PartialLabels:
    """Return the labels of the pairs, with the meaning of the tags that they do not list."""
    if absent not in ("irrelevant", "unknown"):
        raise ValueError(f"absent must be 'irrelevant' or 'unknown', not {absent!r}.")
    is_positive = absent == "unknown"
    # A rejected tag shows that this tag was examined, and not that all tags of the item were.
    annotated = marked | yes.any(axis=1) | (empty == "none") | (not is_positive and (no | open_).any(axis=1))
    state = yes.astype(np.int8) - no.astype(np.int8)
    if not is_positive:
        state[annotated[:, None] & ~yes & ~open_] = -1
    labels = PartialLabels(state, names, annotated, positives=is_positive)
    labels.require_observed()
    return labels


def _mark(shape: tuple[int, int], rows: Ints, tags: Ints, which: Mask) -> Mask:
    """Return a table in which the entries of some pairs are marked."""
    table = np.zeros(shape, dtype=bool)
    table[rows[which], tags[which]] = True
    return table


def _find_tag_column(pairs: pd.DataFrame, on: str, tag: str | None, value: str | None) -> str:
    """Return the column of tags: the one that was named, or the only one that is left."""
    for name in filter(None, (on, tag, value)):
        if name not in pairs.columns:
            raise ValueError(describe_missing(name, pairs.columns))
    others = [column for column in pairs.columns if column not in (on, value)]
    if tag is None and len(others) != 1:
        raise ValueError(
            f"a table of (id, tag) pairs has two columns, but next to {on!r} this one has {quoted(others) or 'none'}: "
            f"name the column of tags with {option('tag', max(others, key=_is_choice, default=None))}."
        )
    return tag or str(others[0])


def _is_choice(name: str) -> bool:
    return re.search("tag|label|class|categor|term|topic|genre", name, re.I) is not None


def _find_value_column(pairs: pd.DataFrame, on: str, tag: str | None, value: str | None) -> str | None:
    """Return the column of values that was named. Raise where another one holds 0 and 1."""
    if value is not None or tag is None:
        return None if value == NO_VALUE and value not in pairs else value
    both = [name for name in pairs if name not in (on, tag) and {*read_as_text(pairs[name])} - {None} == {"0", "1"}]
    if both:
        raise AmbiguousReading(
            f"The pairs have the column {both[0]!r}, which holds 0 and 1.",
            ("0 means that the item does not have the tag", option("value", both[0])),
            ("each pair is a tag of its item", option("value", NO_VALUE)),
        )
    return None


def _require_filled(pairs: pd.DataFrame, columns: Sequence[str]) -> None:
    for column in columns:
        if pairs[column].isna().any():
            row = int(pairs[column].isna().to_numpy().argmax())
            raise ValueError(f"column {column!r} is empty in row {row} of the pairs: remove the row or fill the cell.")


def read_ids(ids: Sequence[Hashable] | pd.Series[Any] | pd.Index[Any]) -> pd.Index[Any]:
    """Return the ids of the items as they are written."""
    known = pd.Index(read_as_text(pd.Series(ids)))
    if not known.is_unique:
        twice = quoted(pd.unique(known[known.duplicated()]))
        raise ValueError(f"ids must be distinct as written, but {twice} appears more than once in the table.")
    return known


def find_rows(
    table: pd.DataFrame, on: str, known: pd.Index[Any], drop_others: bool, noun: str = "pairs"
) -> tuple[Ints, tuple[str, ...]]:
    """Return the item of each row, -1 for ids that no item has, and a sentence about these."""
    named = read_as_text(table[on])
    rows = np.asarray(known.get_indexer(pd.Index(named)), dtype=np.intp)
    others = sorted(set(named[rows < 0]))
    if not others:
        return rows, ()
    found = f"{count(int((rows < 0).sum()))} of {count(len(rows))} {noun} name ids that are not in the table"
    if drop_others:
        return rows, (f"{found}: left out.",)
    raise ValueError(
        f"{found}: {quoted(others)}. The ids of the table are written {quoted(known[:3])}; where leading zeros were "
        f"lost, read both as text; to leave these {noun} out, state {option('other_ids', 'drop')}."
    )


def _read_names(column: pd.Series[Any], names: pd.DataFrame | None) -> Any:
    """Return the tag of each pair, by name if there is a table of names."""
    texts = np.array([text.strip() for text in read_as_text(column)], dtype=object)
    return texts if names is None else _name_tags(texts, str(column.name), use_text_names(names))


def _read_notation(texts: Any, values: Any, rows: Ints, tag: str, options: TagOptions) -> tuple[Any, Any, list[int]]:
    """Return the name of the tag of each pair (None for a word that is none), its value, and items without tags."""
    lists = pd.Series(texts).groupby(rows).agg(list)
    notation = recognise_tags(lists.rename(tag), replace(options, value=None))
    read = {text: notation.read_parts([text]) for text in set(texts)}
    without = [int(row) for text, row in zip(texts, rows, strict=True) if read[text] == []]
    found = [next(iter(read[text] or ()), None) for text in texts]
    names = np.array([None if each is None else each.name for each in found], dtype=object)
    signs = [np.nan if each is None or each.relevant is None else float(each.relevant) for each in found]
    return names, np.where(np.array(signs) == 0, 1 - values, values + 0 * np.array(signs)), without


def _name_tags(texts: Any, tag: str, names: pd.DataFrame) -> Any:
    """Return the names of tags in place of their ids."""
    key = next((name for name in (tag, "id", f"{tag}_id") if name in names.columns), None)
    others = [name for name in names.columns if name != key]
    title = others[0] if len(others) == 1 else next((name for name in _NAMES if name in others), None)
    if key is None or title is None:
        raise ValueError(
            f"a table of the names of tags has a column {tag!r} or 'id' and a column 'name', but this one has "
            f"{quoted(names.columns)}: rename its columns, or keep two of them."
        )
    ids, titles = read_as_text(names[key]), read_as_text(names[title])
    by_id = {id: title.strip() for id, title in zip(ids, titles, strict=True) if id is not None and title is not None}
    if len(by_id) < sum(id is not None for id in ids):
        raise ValueError(f"the table of names has an id in {key!r} twice, or without a name: correct it.")
    if len(set(by_id.values())) < len(by_id):
        raise ValueError(f"two tags have the same name in {title!r}: give each tag a name of its own.")
    if lacking := sorted({text for text in texts if text not in by_id}):
        raise ValueError(
            f"the table of names has no name for {plural(len(lacking), 'tag')} of the pairs: {quoted(lacking)}."
        )
    return np.array([by_id[text] for text in texts], dtype=object)


def _read_values(pairs: pd.DataFrame, value: str | None, meanings: Mapping[str, float] | None) -> Any:
    """Return 1, 0 or NaN for each pair. Without a column of values, each pair states that the item has the tag."""
    if value is None:
        return np.ones(len(pairs))
    if meanings is not None:
        return read_label_words(pairs, [value], meanings)[value].to_numpy(dtype=float)
    check_label_values(pairs, [value])
    return PartialLabels.from_table(pairs[[value]]).values()[:, 0]


def _read_annotated(table: pd.DataFrame, on: str, known: pd.Index[Any], drop_others: bool) -> Mask:
    """Return which items are named by a table of ids."""
    table = use_text_names(table)
    key = on if on in table.columns else str(table.columns[0])
    if table.shape[1] > 1 and key != on:
        raise ValueError(f"a table of annotated items has one column of ids, or a column {on!r}: name it so.")
    _require_filled(table, (key,))
    rows, _ = find_rows(table, key, known, drop_others, "annotated items")
    marked = np.zeros(len(known), dtype=bool)
    marked[rows[rows >= 0]] = True
    return marked


def _describe(labels: PartialLabels, tag: str, n_pairs: int, n_both: int, empty: Empty | None) -> tuple[str, ...]:
    """Return sentences on the pairs, and on the items without a tag."""
    rejected = int((labels.state < 0).sum()) if labels.positive_only else 0
    of_these = f", {plural(rejected, 'entry', 'entries')} known as irrelevant" if rejected else ""
    notes = [f"{plural(len(labels.names), 'label')} in {tag!r} ({plural(n_pairs, 'pair')}{of_these})."]
    if n_both:
        notes.append(f"{plural(n_both, 'entry', 'entries')} with both values in the pairs: taken as unknown.")
    without = int((~labels.relevant.any(axis=1)).sum())
    if without:
        bare = int((labels.annotated & ~labels.relevant.any(axis=1)).sum())
        taken = "annotated, without tags" if bare == without else "unlabelled"
        if 0 < bare < without:
            taken = f"{count(bare)} of them annotated, without tags, and {count(without - bare)} unlabelled"
        notes.append(f"{plural(without, 'item')} without a tag in the long table: taken as {taken}.")
    return tuple(notes)
