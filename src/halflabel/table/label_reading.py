"""The labels of a table as they were read."""

from __future__ import annotations

from dataclasses import dataclass

from halflabel._arrays import Floats
from halflabel._wording import Notes
from halflabel.labels import PartialLabels
from halflabel.table.nothing import Form
from halflabel.table.tag_notations import TagNotation


@dataclass(frozen=True, eq=False)
class LabelReading:
    """Labels as read, and notes for the user about the reading.

    Parameters
    ----------
    labels : PartialLabels
        One row per row of the table.
    notes : tuple of str
        Sentences, such as the number of empty cells and their meaning.
    notation : TagNotation or None
        How a tags column is written.
    nothing : tuple of Form
        The forms of nothing, each with its meaning.
    suggested : ndarray of shape (n_items, n_labels), or None
        The scores of tags that a model suggests.
    """

    labels: PartialLabels
    notes: Notes = ()
    notation: TagNotation | None = None
    nothing: tuple[Form, ...] = ()
    suggested: Floats | None = None
