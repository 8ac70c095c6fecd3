"""Answers of a person to a review table: they replace given entries before the fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Ints, Mask
from halflabel._wording import plural, quoted
from halflabel.labels import PartialLabels
from halflabel.labels.answers import Answer, read_answer
from halflabel.labels.reasons import is_calibrating
from halflabel.table import OpenTable
from halflabel.table.cells import describe_missing, read_as_text, show_cell
from halflabel.table.described import name_second
from halflabel.table.source_files import read_source
from halflabel.table.tag_notations import TagNotation

#: Columns of a review table that describe the entry. Every other column shows the item.
_OWN = (
    "item",
    "label",
    "given",
    "suggested",
    "probability",
    "reason",
    "answer",
    "by",
    "at",
    "why",
    "seconds",
    "comment",
)

#: Columns of a review table that hold the reason of a question: of a review in the browser, and of Completion.review.
_WHY = ("why", "reason")


@dataclass(frozen=True, eq=False)
class Answers:
    """Entries that a person has answered."""

    #: Where the entries are.
    rows: Ints
    columns: Ints
    relevant: Mask  #: Whether each entry is relevant.
    #: Whether the question was asked without regard to the value of the entry; by default each one was.
    independent: Mask | None = None

    def __len__(self) -> int:
        return len(self.rows)


def find_answers(review: Any, opened: OpenTable) -> Answers | None:
    """Return the answers of a review table: a DataFrame, a path, or answers that were read before."""
    if review is None or isinstance(review, Answers):
        return review
    if isinstance(review, Mapping):
        raise ValueError("answers are a table with the columns item, label and answer (1, 0 or empty), not a dict.")
    frame = read_source(review).raw.frame
    with name_second(review):
        return read_answers(frame, opened)


def use_answers(opened: OpenTable, answers: Answers | None) -> OpenTable:
    """Return the table with the answers, and a note about them."""
    if answers is None:
        return opened
    answered = apply_answers(opened, answers)
    note = f"{plural(len(answers), 'answer')} of the review table used."
    return replace(answered, notes=(*answered.notes, note))


def select_calibrating(answers: Answers | None, given: PartialLabels) -> Mask | None:
    """Return the entries that probabilities are calibrated on, or None for all observed entries.

    An entry that was unknown, and was asked about because of a value (of another reviewer, of a group of items), does
    not calibrate. An entry that was given calibrates with the answer in place of its value: it is observed whatever the
    question was. Without the doubtful given entries, mainly entries that agree with the model would remain. ``given``
    has the labels of the table without the answers.
    """
    if answers is None or answers.independent is None or given.positive_only:
        return None
    mask = np.ones(given.shape, dtype=bool)
    mask[answers.rows, answers.columns] = answers.independent
    mask |= given.observed
    calibrating = given.observed.any() or answers.independent.any()
    return mask if calibrating and not mask.all() else None


def read_answers(review: pd.DataFrame, opened: OpenTable) -> Answers:
    """Read the columns item, label and answer of a review table, and the reasons of the questions if it has them.

    Rows without an answer, and with the answer "?" (not sure), have no effect. A reason is in a column "why" or
    "reason"; :class:`~halflabel.labels.reasons.Reason` states which of them depend on the value.

    Parameters
    ----------
    review : DataFrame
        From :meth:`halflabel.Completion.review`, with 1 or 0 (also yes, no or ?) in the column "answer".
    opened : OpenTable
        The table that the answers are about.

    Raises
    ------
    ValueError
        For an item or label that the table or the last fit does not have, an id of several items, an answer of another
        kind, and two different answers about one entry.
    """
    names = [str(name) for name in review.columns]
    for name in ("item", "label", "answer"):
        if name not in names:
            raise ValueError(f"a review table has the columns item, label and answer: {describe_missing(name, names)}")
    read = [read_answer(cell) for cell in review["answer"]]
    if None in read:
        row = read.index(None)
        raise ValueError(
            f"the answer about item {show_cell(review['item'], row)} and label {show_cell(review['label'], row)} is "
            f"{show_cell(review['answer'], row)}: write 1 or yes, 0 or no, ? (not sure), or leave the cell empty."
        )
    answered = np.array([answer in (Answer.YES, Answer.NO) for answer in read], dtype=bool)
    rows = _find(review["item"][answered], pd.Series(opened.index), "item ids")
    opened.check_rows(review[answered], rows, "the review table", skip=_OWN)
    _check_learned(review["label"][answered], opened)
    columns = _find(review["label"][answered], pd.Series(opened.labels.names, dtype=object), "labels")
    relevant = np.array([answer is Answer.YES for answer in read], dtype=bool)[answered]
    answers = Answers(rows, columns, relevant, _read_reasons(review, answered))
    _check_agreement(answers, opened)
    return answers


def apply_answers(opened: OpenTable, answers: Answers) -> OpenTable:
    """Return the table with the answers as its given entries.

    In positive-only labels an answer "no" is an observed irrelevant entry, which removes a label that was assigned. It
    does not make the item annotated: the person has not examined its other labels.
    """
    labels = opened.labels
    state, annotated = labels.state.copy(), labels.annotated.copy()
    state[answers.rows, answers.columns] = np.where(answers.relevant, 1, -1)
    if not labels.positive_only:
        annotated |= (state != 0).any(axis=1)
    asked = (state != 0) & ~opened.brought
    frame = _remove_tags(opened, answers)
    return replace(opened, labels=replace(labels, state=state, annotated=annotated), asked=asked, frame=frame)


def _read_reasons(review: pd.DataFrame, answered: Mask) -> Mask | None:
    """Return which questions do not depend on the value of the entry, or None without a column of reasons."""
    names = [str(name) for name in review.columns]
    place = next((names.index(name) for name in _WHY if name in names), None)
    if place is None:
        return None
    return np.array([is_calibrating(text) for text in review.iloc[:, place][answered]], dtype=bool)


def _check_learned(cells: pd.Series[Any], opened: OpenTable) -> None:
    """Raise for a label that a completion has left out, because at most one value of it was given."""
    left_out = set(opened.written_labels.names) - set(opened.labels.names)
    if wrong := sorted(left_out.intersection(read_as_text(cells))):
        raise ValueError(
            f"label {wrong[0]!r} is not in the last fit, because at most one value of it was given: give all answers "
            "to complete(..., answers=answers), a new fit."
        )


def _find(cells: pd.Series[Any], values: pd.Series[Any], noun: str) -> Ints:
    """Return the position of each cell among the values, both compared as they are written."""
    known, wanted = pd.Index(read_as_text(values)), read_as_text(cells.reset_index(drop=True))
    unknown = sorted({str(text) for text in wanted} - set(known))
    if unknown:
        raise ValueError(
            f"the review table has {noun} that are not in the table: {quoted(unknown)}. Use the table that the review "
            "table was made from, with the same options."
        )
    repeated = set(known[known.duplicated()]) & set(wanted)
    if repeated:
        raise ValueError(f"answers need distinct {noun}, but {quoted(sorted(repeated))} appears more than once.")
    place = {text: i for i, text in enumerate(known)}
    return np.array([place[text] for text in wanted], dtype=np.intp)


def _check_agreement(answers: Answers, opened: OpenTable) -> None:
    entries = pd.DataFrame({"row": answers.rows, "column": answers.columns, "relevant": answers.relevant})
    both = entries.drop_duplicates()
    twice = both.duplicated(["row", "column"])
    if twice.any():
        row, column = (int(both.loc[twice, name].iloc[0]) for name in ("row", "column"))
        raise ValueError(
            f"the review table answers yes and no about item {show_cell(pd.Series(opened.index), row)} and label "
            f"{opened.labels.names[column]!r}: keep one of the rows."
        )


def _remove_tags(opened: OpenTable, answers: Answers) -> pd.DataFrame | None:
    """Return the table without the tags that were answered with no. Label columns are written later."""
    tags, frame = opened.roles.tags, opened.frame
    if tags is None or frame is None:
        return frame
    notation = opened.notation or TagNotation()
    place = [str(name) for name in frame.columns].index(tags)
    cells = frame.iloc[:, place].astype(object).to_numpy(copy=True)
    for row in np.unique(answers.rows[~answers.relevant]):
        no = {opened.labels.names[j] for j in answers.columns[(answers.rows == row) & ~answers.relevant]}
        listed = notation.read(cells[row])
        if listed and no & set(listed):
            cells[row] = notation.edit(cells[row], dropped=no)
    changed = frame.copy()
    changed.isetitem(place, pd.Series(cells, index=frame.index, dtype=object).array)
    return changed
