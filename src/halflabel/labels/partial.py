"""Labels of items, some of them unknown: the one module that defines the meaning of "unknown".

A label table of the user holds 1 (relevant), 0 (irrelevant) or nothing (unknown).
:class:`PartialLabels` holds +1, -1 and 0 in one byte each, so that the mask is
``state != 0`` and arithmetic on labels is right by construction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, DTypeLike, NDArray

from halflabel._arrays import Floats, Ints, Mask
from halflabel._wording import count, plural
from halflabel.labels.names import Absent
from halflabel.labels.tables import check_size, describe_impossible, is_missing, read_float_table, read_tags

#: The kinds of labels that users may give.
LabelsLike: TypeAlias = "ArrayLike | pd.DataFrame | pd.Series[Any] | PartialLabels"


@dataclass(frozen=True, eq=False, repr=False)
class PartialLabels:
    """Labels of items, some of them unknown.

    Build one by a ``from_*`` method. Each is for one convention of the data and does
    not guess another one.

    Parameters
    ----------
    state : ndarray of int8, shape (n_items, n_labels)
        +1 relevant, -1 irrelevant, 0 unknown.
    names : tuple of str, length n_labels
        One name per label.
    annotated : ndarray of bool, shape (n_items,)
        Items that an annotator has labelled, even where no entry was observed.
    positives : bool or ndarray of bool, shape (n_labels,)
        Labels whose absent entries may be missing positives. Their entries are
        irrelevant only if a person has rejected them. A bool holds for all labels.
        If only some labels are positive-only, they are about all items: ``annotated``
        is about the other labels.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1, 0], [None, 1], [None, None]])
    >>> int(labels.observed.sum()), labels.unlabelled.tolist()
    (3, [False, False, True])
    >>> labels.values(irrelevant=-1.0, unknown=0.0)
    array([[ 1., -1.],
           [ 0.,  1.],
           [ 0.,  0.]])
    """

    state: NDArray[np.int8]
    names: tuple[str, ...]
    annotated: Mask
    positives: Mask | bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "positives", np.broadcast_to(np.asarray(self.positives, bool), len(self.names)))
        # One layout in memory, because sums over it are rounded in its order.
        object.__setattr__(self, "state", np.ascontiguousarray(self.state))
        self.state.flags.writeable = False
        self.annotated.flags.writeable = False

    # -- input -------------------------------------------------------------------

    @classmethod
    def from_table(cls, Y: LabelsLike) -> PartialLabels:
        """Read a table of 1 (relevant), 0 (irrelevant) and missing (unknown).

        Parameters
        ----------
        Y : array-like, DataFrame or Series of shape (n_items, n_labels) or (n_items,)
            Booleans count as 0/1. ``NaN``, ``None`` and ``pandas.NA`` are unknown.

        Raises
        ------
        TypeError
            For masked arrays and sparse matrices, whose meaning is ambiguous.
        ValueError
            For any other value, and if nothing is observed.
        """
        if isinstance(Y, PartialLabels):
            return Y
        if len(shape := getattr(Y, "shape", ())) == 2:
            check_size(*shape)  # before the copy as floats, which needs eight bytes per cell
        values, names = read_float_table(Y)
        known = ~np.isnan(values)
        wrong = known & (values != 0) & (values != 1)
        if wrong.any():
            raise ValueError(describe_impossible(values, wrong, names))
        state = np.where(known, np.where(values == 1, 1, -1), 0).astype(np.int8)
        return cls._validate(state, names, (state != 0).any(axis=1))

    @classmethod
    def from_tags(
        cls,
        tags: Iterable[Iterable[str] | None],
        *,
        absent: Absent,
        names: Sequence[str] | None = None,
    ) -> PartialLabels:
        """Read one list of tags per item.

        Parameters
        ----------
        tags : iterable of (iterable of str, None or NaN)
            A missing list, and a list of missing values only, is an unlabelled item. An empty list is an annotated item
            without tags. A missing value among tags is left out.
        absent : {"irrelevant", "unknown"}
            The meaning of a tag that is not in an item's list. The argument has no default,
            because most tag lists are positive-only and a wrong guess makes the result useless.
        names : sequence of str, optional
            The vocabulary and its order. The default is the tags that occur, sorted.
        """
        if absent not in ("irrelevant", "unknown"):
            raise ValueError(f"absent must be 'irrelevant' or 'unknown', not {absent!r}.")
        lists = [None if is_missing(row) else read_tags(row, i) for i, row in enumerate(tags)]
        vocabulary = list(names) if names is not None else sorted({tag for row in lists if row for tag in row})
        column = {tag: j for j, tag in enumerate(vocabulary)}
        check_size(len(lists), len(vocabulary))
        annotated = np.array([row is not None for row in lists], dtype=bool)
        state = np.zeros((len(lists), len(vocabulary)), dtype=np.int8)
        if absent == "irrelevant":
            state[annotated] = -1
        for i, row in enumerate(lists):
            for tag in row or ():
                if tag not in column:
                    raise ValueError(
                        f"item {i} has the tag {tag!r}, which is not among the {len(vocabulary)} names given."
                    )
                state[i, column[tag]] = 1
        return cls._validate(state, tuple(vocabulary), annotated, positives=absent == "unknown")

    @classmethod
    def from_pairs(
        cls, items: Sequence[Hashable], labels: Sequence[str], *, index: Sequence[Hashable], absent: Absent
    ) -> PartialLabels:
        """Read a long table of (item, label) pairs for the items of ``index``.

        An item of ``index`` without any pair is unlabelled. ``absent`` is as in :meth:`from_tags`.
        """
        if len(items) != len(labels):
            raise ValueError(
                f"from_pairs needs one label per item, but got {len(items)} items and {len(labels)} labels."
            )
        tags: dict[Hashable, list[str] | None] = dict.fromkeys(index)
        for item, label in zip(items, labels, strict=True):
            if item not in tags:
                raise ValueError(f"the pair ({item!r}, {label!r}) names an item that is not in the table.")
            tags[item] = [*(tags[item] or ()), label]
        return cls.from_tags([tags[item] for item in index], absent=absent)

    @classmethod
    def from_positives(cls, Y: ArrayLike | pd.DataFrame, rejected: ArrayLike | None = None) -> PartialLabels:
        """Read 1 = has it, 0 = not assigned (unknown, in an annotated item), NaN row = unlabelled.

        Parameters
        ----------
        Y : array-like or DataFrame of shape (n_items, n_labels)
        rejected : array-like of bool, shape (n_items, n_labels), optional
            Entries that are known to be irrelevant, because a person has rejected them. They do not make an item
            annotated. :class:`halflabel.AutoLabeler` and :class:`halflabel.LowRankVVMR` learn from them as from
            labels that were not assigned in an annotated item, and never fill them in.

        Raises
        ------
        ValueError
            If an entry is both assigned and rejected.
        """
        table = cls.from_table(Y)
        state = np.maximum(table.state, 0)
        if rejected is not None:
            mask = np.broadcast_to(np.asarray(rejected, dtype=bool), state.shape)
            if (mask & (state > 0)).any():
                row, column = np.argwhere(mask & (state > 0))[0]
                raise ValueError(f"label {table.names[column]!r} of row {row} is both assigned and rejected.")
            state = np.where(mask, -1, state).astype(np.int8)
        return cls._validate(state, table.names, table.annotated.copy(), positives=True)

    @classmethod
    def from_minus_one(cls, Y: ArrayLike | pd.DataFrame) -> PartialLabels:
        """Read 1 = relevant, 0 = irrelevant, -1 = unknown (scikit-learn's convention)."""
        values, names = read_float_table(Y)
        frame = pd.DataFrame(np.where(values == -1, np.nan, values), columns=list(names))
        return cls.from_table(frame)

    @classmethod
    def unknown(cls, n_items: int, names: Sequence[str]) -> PartialLabels:
        """Return labels without any known entry, for a table whose entries come from elsewhere, such as votes."""
        return cls(np.zeros((n_items, len(names)), np.int8), tuple(names), np.zeros(n_items, dtype=bool))

    @classmethod
    def from_observed(cls, Y: ArrayLike | pd.DataFrame, mask: ArrayLike) -> PartialLabels:
        """Read a complete 0/1 table and a mask of the same shape, True where it is observed."""
        values, names = read_float_table(Y)
        observed = np.asarray(mask, dtype=bool)
        if observed.ndim == 1:
            observed = observed[:, None]
        if observed.shape != values.shape:
            raise ValueError(f"the mask has shape {observed.shape}, but the labels have shape {values.shape}.")
        return cls.from_table(pd.DataFrame(np.where(observed, values, np.nan), columns=list(names)))

    @classmethod
    def _validate(
        cls, state: NDArray[np.int8], names: tuple[str, ...], annotated: Mask, positives: bool = False
    ) -> PartialLabels:
        duplicates = sorted(name for name, n in Counter(names).items() if n > 1)
        if duplicates:
            raise ValueError(f"label names must be distinct; {', '.join(map(repr, duplicates))} occurs more than once.")
        labels = cls(state, names, annotated, positives)
        labels.require_observed()
        return labels

    # -- read by methods ---------------------------------------------------------

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return 1, 0 and NaN, as :meth:`from_table` reads them."""
        return self.values().astype(dtype or np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """(n_items, n_labels)."""
        return self.state.shape[0], self.state.shape[1]

    @property
    def ndim(self) -> int:
        """2: one row per item, one column per label."""
        return 2

    @property
    def positive_only(self) -> bool:
        """Whether absent entries of every label may be missing positives."""
        return bool(len(self.names)) and bool(np.all(self.positives))

    @property
    def has_positive_only(self) -> bool:
        """Whether absent entries of any label may be missing positives."""
        return bool(np.any(self.positives))

    @property
    def is_mixed(self) -> bool:
        """Whether some labels are positive-only, and others are not."""
        return self.has_positive_only and not self.positive_only

    @property
    def observed(self) -> Mask:
        """Mask of the entries that are known."""
        return np.not_equal(self.state, 0)

    @property
    def relevant(self) -> Mask:
        """Mask of the entries that are known and relevant."""
        return self.state > 0

    @property
    def unlabelled(self) -> Mask:
        """Items with no observed entry."""
        return np.logical_not(self.observed.any(axis=1))

    @property
    def learnable(self) -> Mask:
        """Labels that were observed with both values."""
        return np.asarray((self.state > 0).any(axis=0) & (self.state < 0).any(axis=0))

    @property
    def rates(self) -> Floats:
        """Share of relevant entries among the observed entries of each label, NaN for a label without any."""
        seen = self.observed.sum(axis=0)
        rates = np.full(len(seen), np.nan)
        return np.asarray(np.divide(self.relevant.sum(axis=0), seen, out=rates, where=seen > 0))

    def values(self, *, irrelevant: float = 0.0, unknown: float = np.nan) -> Floats:
        """Return the labels in the coding that a method needs (relevant is always 1)."""
        coding = np.array([irrelevant, unknown, 1.0])
        return np.asarray(coding[self.state + 1])

    def hide(self, mask: Mask) -> PartialLabels:
        """Return a copy with the entries of ``mask`` unknown.

        An item is no longer annotated if it has no observed entry left, or if its whole row is hidden. Otherwise an
        item that was annotated with no tag at all would still show that it has none.
        """
        state = np.where(mask, 0, self.state).astype(np.int8)
        emptied = self.observed.any(axis=1) & ~(state != 0).any(axis=1)
        whole = np.broadcast_to(mask, self.shape).all(axis=1)
        return replace(self, state=state, annotated=self.annotated & ~(emptied | whole))

    def require_observed(self) -> None:
        """Raise if no entry is observed at all, because a method then has nothing to learn from."""
        if not self.state.any():
            raise ValueError(
                f"no label of any of the {self.shape[0]} items is observed: fill in at least a few entries "
                "(1 = has it, 0 = does not have it, empty = unknown)."
            )

    def to_frame(self, index: pd.Index[Any] | None = None) -> pd.DataFrame:
        """Return the labels as a DataFrame of nullable integers, unknown entries missing."""
        return pd.DataFrame(self.values(), index=index, columns=list(self.names)).astype("Int8")

    def __repr__(self) -> str:
        shape = f"{plural(len(self), 'item')}, {plural(len(self.names), 'label')}"
        counts = (int(np.count_nonzero(self.state == value)) for value in (1, -1, 0))
        entries = (f"{count(n)} {word}" for n, word in zip(counts, ("relevant", "irrelevant", "unknown"), strict=True))
        return f"{shape}: {', '.join(entries)} entries."

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> PartialLabels:
        """Select items and keep the labels."""
        rows = rows[0] if isinstance(rows, tuple) else rows  # scikit-learn indexes as labels[rows, ...]
        rows = [rows] if isinstance(rows, int | np.integer) else rows
        return replace(self, state=self.state[rows], annotated=self.annotated[rows])

    def select(self, labels: Sequence[int] | Ints) -> PartialLabels:
        """Select labels by position and keep the items."""
        names = tuple(np.array(self.names, dtype=object)[labels])
        positives = np.asarray(self.positives)[labels]
        selected = replace(self, state=np.take(self.state, labels, axis=1), names=names, positives=positives)
        # Positive-only labels of a mixed table are about all items.
        all_items = self.is_mixed and selected.positive_only
        return replace(selected, annotated=np.ones(len(self), dtype=bool)) if all_items else selected
