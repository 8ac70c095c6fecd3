"""update(): answers are learned on the structures of the last fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from halflabel._arrays import Mask
from halflabel._wording import plural
from halflabel.completion.answers import apply_answers, find_answers, select_calibrating
from halflabel.completion.evidence import Evidence
from halflabel.corrections.correction import Given
from halflabel.table import OpenTable

#: The end of the note about entries that were learned after the last fit.
NOTE = "learned after the last fit, which decided about everything else."


def learn_answers(evidence: Evidence, answers: Any) -> Evidence:
    """Return the evidence with the answers of a review table, in addition to earlier answers."""
    found = find_answers(answers, evidence.opened)
    if found is None or not len(found):
        return evidence
    opened, calibrating = apply_answers(evidence.opened, found), select_calibrating(found, evidence.labels)
    return learn_entries(evidence, opened, calibrating)


def learn_entries(evidence: Evidence, opened: OpenTable, calibrating: Mask | None) -> Evidence:
    """Return the evidence with all entries of a table that has the items and labels of the fit.

    ``calibrating`` are the entries on which probabilities may be checked, from
    :func:`halflabel.completion.answers.select_calibrating`.
    """
    allowed = evidence.fit.calibrate_on
    both = calibrating if allowed is None else allowed if calibrating is None else allowed & calibrating
    first = evidence.fit.first or evidence.fit
    number = int((opened.labels.state != first.known.state).sum())
    notes = [note for note in opened.notes if not note.endswith(NOTE)]
    opened = replace(opened, notes=(*notes, f"{plural(number, 'entry', 'entries')} {NOTE}"))
    fit = evidence.fit.update(Given(opened, both))
    return replace(evidence, opened=opened, fit=fit, delivered=None)
