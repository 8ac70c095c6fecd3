"""Convert user input to a feature matrix, partial labels, and notes about both."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from halflabel._arguments import accept_keys
from halflabel._arrays import Floats, Index, Ints, Matrix
from halflabel._wording import Notes, count, name_lines, option, plural, quoted
from halflabel.files.delimited import read_words
from halflabel.files.raw_table import RawTable
from halflabel.labels import PartialLabels
from halflabel.labels.groups import find_copies, number_groups
from halflabel.labels.label_rules import LabelRules
from halflabel.labels.positive_only import trust_positives
from halflabel.table.annotation_columns import (
    ask_who_was_annotated,
    describe_made,
    explain_made,
    find_made,
    hide_others,
    read_state,
)
from halflabel.table.columns import OF_FILE, Description, Keys
from halflabel.table.described import Described, find_description, is_path, name_second
from halflabel.table.exclusions import Cause
from halflabel.table.features import FeatureEncoder
from halflabel.table.further import join_further
from halflabel.table.label_reading import LabelReading
from halflabel.table.labelling import check_effects, check_labels_once, find_labels
from halflabel.table.native import as_pandas
from halflabel.table.nothing import count_unlisted
from halflabel.table.odd_rows import leave_out_rows
from halflabel.table.opened import OpenTable
from halflabel.table.patterns import select
from halflabel.table.question import Question
from halflabel.table.reading import count_labels
from halflabel.table.role_notes import describe_surprises
from halflabel.table.roles import Roles, choose_roles
from halflabel.table.source_files import read_file
from halflabel.table.sources import Source, assign_columns, source_of
from halflabel.table.votes import add_voted_labels, open_votes

if TYPE_CHECKING:
    from halflabel.labels.partial import LabelsLike
    from halflabel.table.accepted import PathLike
    from halflabel.table.opened import ItemsLike

#: Maximum number of questions that are answered one after another, and of labels in a clause about a way.
MAX_QUESTIONS, MAX_COUNTS = 5, 4

#: Words that are read as missing values in a text file, and may mean "no tag" in a column of tags.
WORDS = ("None", "N/A")


@accept_keys(Description)
def open_table(
    items: ItemsLike, Y: LabelsLike | None = None, *, table: PathLike | None = None, **keys: Unpack[Keys]
) -> OpenTable:
    """Give every column its role, read the labels and encode the features.

    Parameters
    ----------
    items : DataFrame of any library, list of dict, path, Source, Records, array, sparse matrix or OpenTable
        One row per item. An open table is returned as it is.
    Y : array-like, DataFrame or PartialLabels, optional
        The labels, where they are not in the table. All keys about label columns hold for them, too.
    table : path, optional
        A table file with the description, written by :meth:`OpenTable.save` or ``halflabel describe --save``. By
        default ``songs.table.toml`` next to the path ``songs.csv``, if there is one. Keys override it.
    **keys
        {keys}

    Returns
    -------
    OpenTable
        :func:`halflabel.complete` and :func:`halflabel.evaluate` take it as their items.

    Raises
    ------
    TypeError
        For a key that does not exist; the nearest one is named.
    ValueError
        If rows do not match, a feature is lacking, or a column does not fit its role or the table file.

    Examples
    --------
    >>> songs = pd.DataFrame({"song": ["a", "b", "c"], "tempo": [90.5, 120.0, 121.0], "rock": [1, 0, None]})
    >>> opened = open_table(songs, id="song", labels=["rock"])
    >>> opened.X.shape, opened.labels.names, opened.index.tolist()
    ((3, 1), ('rock',), ['a', 'b', 'c'])
    """
    stated = Description(**keys).stated
    if isinstance(items, OpenTable):
        _require_nothing_more(Y, stated)
        return items
    described = find_description(items if Y is None else None, stated, table)
    return open_described(read_described(items, described, labels_apart=Y is not None), described, Y)


def read_described(items: Any, described: Described, *, labels_apart: bool = False) -> Source:
    """Read items as their description states it."""
    if not is_path(items):
        return source_of(items, labels_apart=labels_apart)
    with described.name_file(only_for=OF_FILE):
        return read_file(items, described.columns, **described.columns.of_file)


def open_described(source: Source, described: Described, Y: Any = None) -> OpenTable:
    """Give every column of a source the role that its description states.

    A question is answered where no two of its ways give different labels: the table is read so, and a note states it.
    An error has the notes about the reading of the file, which may be its cause.
    """
    Y = as_pandas(Y)
    check_labels_once(Y, described.columns)
    on_rows: Notes = ()
    if Y is None:
        source, on_rows = leave_out_rows(source, described.columns, _find_first_line(source))
    source = replace(source, take=None)  # no function that another process could not get
    try:
        return _answer(source, described, Y, on_rows)
    except ValueError as error:
        for note in source.raw.notes:
            error.add_note(note)
        raise


def _answer(source: Source, described: Described, Y: Any, notes: Notes, depth: int = 0) -> OpenTable:
    try:
        return _open(source, described, Y, notes)
    except Question as question:
        if depth == MAX_QUESTIONS:
            raise
        way = question.decide(lambda way: _preview(source, described.take(way), Y))
        note = f"{question.found} Read so that {way.text} ({way.statement})."
        return _answer(source, described.take(way), Y, (*notes, note), depth + 1)


def _preview(source: Source, described: Described, Y: Any) -> tuple[Any, str]:
    """Return the labels of a description in a form that compares, and a clause about them."""
    labels = _read(source, described, Y)[-1].labels
    counts = ", ".join(f"{name} {number}" for name, number in count_labels(labels)[:MAX_COUNTS])
    more = ", ..." if len(labels.names) > MAX_COUNTS else ""
    gives = f"{plural(len(labels.names), 'label')}: {counts}{more}"
    return (labels.names, labels.state.tobytes(), labels.annotated.tobytes()), gives


def _read(
    source: Source, described: Described, Y: Any
) -> tuple[Source, Description, RawTable, pd.DataFrame, Roles, Index, LabelReading]:
    """Return the items with their further tables, the roles of their columns, and their labels."""
    stated = described.columns
    state = read_state(source.raw.frame, stated.annotated)
    if state is not None:
        unused: dict[str, Any] = {"annotated": None, "ignore": (*stated.ignore, state[0])}
        stated = replace(stated, **unused, empty=stated.empty or (stated.absent and "none"))  # tags, pairs and ticks
    elif stated.annotated is not None:
        raise ValueError(
            f"{option('annotated')} is a column of the items, or COLUMN=VALUE, not {stated.annotated!r:.80}."
        )
    joined, votes = join_further(source, stated), stated.sources
    further = any(each is not None for each in (stated.labels_file, votes))
    keys = [key for key in described.stated if key != "skip_rows" or stated.skip_rows != "none"]  # none is about rows
    check_effects(keys, source, Y, joined[1], joined=further)
    with name_second(votes):
        source, columns = add_voted_labels(*joined, labels_apart=Y is not None)
    with name_lines(_find_first_line(source)), described.name_file():
        raw, assigned = assign_columns(source, columns)
        frame, apart = restore_words(raw.frame, source, columns.tags), Y is not None or columns.pairs is not None
        roles = choose_roles(frame, replace(assigned, labels=()) if apart else assigned, raw.label_names)
        index = frame.index if roles.id is None else pd.Index(frame[roles.id])
        reading = find_labels(source, frame, Y, columns, roles, index)
        if state is not None:
            reading = replace(reading, labels=hide_others(reading.labels, state[1]))
        elif columns.empty is None and source.labels is None and columns.pairs is None:
            ask_who_was_annotated(frame, roles, reading.labels)
        return source, columns, raw, frame, roles, index, reading


def _open(source: Source, described: Described, Y: Any, on_rows: Notes) -> OpenTable:
    source, columns, raw, frame, roles, index, reading = _read(source, described, Y)
    labels = reading.labels
    with name_lines(_find_first_line(source)), described.name_file():
        encoder, X, groups, on_groups = _encode(raw, frame, roles, labels, columns)
        single = slice(None) if groups is None else np.unique(groups, return_index=True)[1]  # that are independent
        made = find_made(frame.iloc[single], roles, labels[single])
        if made and columns.features is None:
            roles = roles.leave_out(explain_made(made))
            encoder, X, groups, on_groups = _encode(raw, frame, roles, labels, columns)
        prior, on_prior = _read_prior(columns, reading, roles, frame)
        with name_second(described.columns.sources):
            votes, on_votes = open_votes(columns, labels, index, roles.id)
        labels, on_positives = _trust_positives(labels, columns, has_votes=votes is not None)
        if on_positives and (state := read_state(source.raw.frame, described.columns.annotated)) is not None:
            labels = hide_others(labels, state[1])
        rules = LabelRules.read(columns.rules, labels.names)
    on_labels = describe_made(made, is_stated=columns.features is not None)
    on_roles = describe_surprises(frame, roles, index, columns.missing)
    of_source = (*described.notes, *on_rows, *raw.notes, *reading.notes)
    return OpenTable(
        X=X,
        labels=labels,
        index=index,
        frame=None if Y is not None else frame if source.original is None else source.original,
        roles=roles,
        encoder=encoder,
        notes=(*of_source, *on_roles, *encoder.notes, *on_groups, *on_prior, *on_labels, *on_votes, *on_positives),
        notation=reading.notation,
        groups=groups,
        prior=prior,
        votes=votes,
        source=source,
        description=described.columns,
        nothing=(*reading.nothing, *count_unlisted(reading.labels, columns)),
        rules=rules,
    )


def _encode(
    raw: RawTable, frame: pd.DataFrame, roles: Roles, labels: PartialLabels, columns: Description
) -> tuple[FeatureEncoder, Matrix, Ints | None, Notes]:
    """Return how the columns become features, the features, and the groups with a sentence about them."""
    if raw.matrix is None and not roles.features and (texts := roles.find_ignored(Cause.SENTENCES)):
        longest = max(texts, key=lambda name: frame[name].str.len().median())
        raise Question("The only possible feature is a text.", (f"{longest!r} is the text", {"text": longest}))
    encoder = FeatureEncoder.learn(frame, roles, raw.matrix, raw.matrix_names, columns.missing, labels)
    X = encoder.transform(frame, raw.matrix)
    return encoder, X, *_read_groups(frame, roles, X, labels)


def _trust_positives(
    labels: PartialLabels, columns: Description, *, has_votes: bool
) -> tuple[PartialLabels, list[str]]:
    """Return the labels where some are positive-only, and a sentence for each of them."""
    names = select(columns.positive_only, labels.names)
    if not columns.positive_only:
        return labels, []
    if not names or has_votes:
        found = f"no label of the table has this name: {quoted(labels.names)}" if not names else "labels have votes"
        raise ValueError(f"{option('positive_only', columns.positive_only)}: {found}. Name labels that were assigned.")
    return trust_positives(labels, names), [f"Positive-only: {quoted(names)}. Other items may have it, too."]


def restore_words(frame: pd.DataFrame, source: Source, tags: str | None) -> pd.DataFrame:
    """Return the table, where cells of tags are as they are written: "3,5" can be two tags, None no tag."""
    form = source.raw.form
    if form is None or form.cells is None or tags not in form.cells.column_names or len(source.paths) != 1:
        return frame
    written = form.cells.column(tags).to_pylist()
    if pd.api.types.is_numeric_dtype(frame[tags].dtype):
        frame = frame.assign(**{str(tags): pd.Series(written, frame.index, object)})
    if not frame[tags].isna().any() or not form.missing:
        return frame
    words = read_words(source.paths[0], form, form.cells.column_names, str(tags))
    words = words if source.kept is None else [words[row] for row in source.kept]
    cells = [word if cell is None and word in WORDS else cell for cell, word in zip(written, words, strict=True)]
    return frame.assign(**{str(tags): pd.Series(cells, frame.index, object)})


def _find_first_line(source: Source) -> int | None:
    """Return the line of the first row of a text file, or None if rows are not lines, and for other files."""
    return None if source.raw.form is None else source.raw.form.first


def _require_nothing_more(Y: Any, stated: Collection[str]) -> None:
    """Raise if an open table comes together with labels or keys: it has its own."""
    if Y is not None or stated:
        given = ", ".join([*(["Y"] if Y is not None else []), *map(option, stated)])
        raise ValueError(f"the table is open already, so that {given} has no effect: give it to open_table.")


def _read_prior(
    columns: Description, reading: LabelReading, roles: Roles, frame: pd.DataFrame
) -> tuple[Floats | None, Notes]:
    """Return the prior in the order of items and labels, and sentences about it."""
    given = [name for name in ("prior", "prior_field") if getattr(columns, name) is not None]
    given += ["scores"] if reading.suggested is not None else []
    if len(given) > 1:
        raise ValueError(f"two priors were given: {option(given[0])}, and {option(given[1])}: use one.")
    if reading.suggested is not None:
        number = int((~np.isnan(reading.suggested)).sum())
        return reading.suggested, (f"{plural(number, 'tag')} with a score: not given, but the prior of these entries.",)
    if columns.prior_field is not None:
        from halflabel.table.prior import read_scores

        return read_scores(columns.prior_field, reading.labels.names, frame)
    if columns.prior is None:
        return None, ()
    from halflabel.table.prior import read_prior

    return read_prior(as_pandas(columns.prior), reading.labels.names, frame, roles.id)


def _read_groups(frame: pd.DataFrame, roles: Roles, X: Matrix, labels: PartialLabels) -> tuple[Ints | None, Notes]:
    """Return the number of each row's group, and a sentence about the groups. Without a column, copies are groups."""
    if roles.group is None:
        copies = find_copies(X, labels.state)
        number = 0 if copies is None else len(copies) - len(np.unique(copies))
        note = (
            f"{plural(number, 'row is a copy', 'rows are copies')} of another row, with the same labels and equal or "
            "nearly equal features: copies are kept together in all checks. Leave them out if they are not items."
        )
        return copies, (note,) if number else ()
    column = frame[roles.group]
    groups = number_groups(column, len(column))
    size = np.bincount(groups)
    if size.max() == 1:
        return groups, (f"Every value of the group column {column.name!r} is different: it keeps no rows together.",)
    alone = int(column.isna().sum())
    without = f"; {plural(alone, 'row')} without a value: each is a group of its own" if alone else ""
    counts = f"{plural(len(column), 'row')} in {plural(len(size), 'group')} by {column.name!r}"
    return groups, (f"{counts}, at most {count(size.max())} in one{without}.",)
