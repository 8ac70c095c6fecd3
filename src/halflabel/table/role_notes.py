"""Notes about columns whose role may surprise: features that look like labels, and columns that one cell excludes."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from halflabel._arrays import Index
from halflabel._wording import Notes, listed, option, plural
from halflabel.table.cells import looks_like_label, use_text_names
from halflabel.table.exclusions import Cause
from halflabel.table.odd_values import describe_odd_values
from halflabel.table.roles import Roles


def describe_surprises(frame: pd.DataFrame, roles: Roles, index: Index, missing: Sequence[str] = ()) -> Notes:
    """Return sentences about roles that the user probably does not expect.

    Parameters
    ----------
    frame : DataFrame
    roles : Roles
    index : Index
        The ids of the items.
    missing : sequence of str, optional
        Values that mean a missing value.

    Examples
    --------
    >>> frame = pd.DataFrame({"rock": [1, 0, None], "sad": [None, 1, 0]})
    >>> for note in describe_surprises(frame, Roles(labels=("rock",), numeric=("sad",)), frame.index):
    ...     print(note)
    1 more column looks like a label, but is used as a feature: “sad”. Change this with labels= or ignore=.
    """
    likely = [name for name in roles.numeric if looks_like_label(frame[name])] if roles.labels else []
    notes = []
    if likely:
        which = plural(len(likely), "more column looks like a label", "more columns look like labels")
        use = "is used as a feature" if len(likely) == 1 else "are used as features"
        notes.append(
            f"{which}, but {use}: {listed(likely)}. Change this with {option('labels')} or {option('ignore')}."
        )
    unused = (*roles.find_ignored(Cause.STRAYS), *(() if roles.text else roles.find_ignored(Cause.SENTENCES)))
    reasons = dict(roles.ignored)
    notes += [f"Column {name!r} is not used: {reasons[name]}." for name in unused]
    if not index.is_unique:
        notes.append(
            f"{plural(int(index.duplicated(keep=False).sum()), 'row')} share their id with another row: name a column "
            f"of distinct ids ({option('id')}), or lists of items will be ambiguous."
        )
    return (*notes, *describe_odd_values(use_text_names(frame), roles, missing))
