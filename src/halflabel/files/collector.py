"""Gather items and cells while a file is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Index, Ints
from halflabel._wording import clipped, option, plural
from halflabel.files.field_values import frame_of
from halflabel.files.raw_table import AbsentNotStated, ReadError
from halflabel.files.records import SOURCES, Records, cell_table
from halflabel.labels import Absent

#: Maximum number of items, and of cells, of one reading.
MAX_ITEMS, MAX_ENTRIES = 20_000_000, 50_000_000

#: Maximum number of labels, and of fields of all items together: a table has a column for each.
MAX_LABELS, MAX_FIELDS = 100_000, 20_000


#: One annotation of one item: the labels, the person, and the time.
Annotation = tuple[frozenset[str], str | None, str | None]


@dataclass
class Collector:
    """Items and cells in the order in which a file gives them."""

    path: Path  #: The file, for errors.
    #: The meaning of a label that a list does not hold.
    absent: Absent | None = None
    notes: list[str] = field(default_factory=list)  #: Sentences for the user about the reading.
    _uses_lists: bool = False
    _items: dict[Any, int] = field(default_factory=dict)
    _fields: list[Mapping[str, Any]] = field(default_factory=list)
    _labels: dict[str, int] = field(default_factory=dict)
    _declared: tuple[str, ...] = ()
    _listed: set[str] = field(default_factory=set)
    _cells: list[tuple[Any, ...]] = field(default_factory=list)
    _annotations: dict[int, list[Annotation]] = field(default_factory=dict)

    def item(self, key: Any, fields: Mapping[str, Any], *, new: bool = False, place: str = "") -> int:
        """Return the position of an item, which is added if it is new. With ``new``, a known item is an error."""
        position = self._items.get(key)
        if position is None:
            if len(self._items) >= MAX_ITEMS:
                raise ReadError.at(self.path, f"there are more than {MAX_ITEMS:,} items, the limit: split the file.")
            position = self._items[key] = len(self._items)
            self._fields.append(fields)
        elif new:
            raise ReadError.at(self.path, f"{place}the id {clipped(key)!r} appears twice; ids must be distinct.")
        return position

    def add(
        self,
        item: int,
        label: str,
        value: float | None,
        source: str = "given",
        probability: float | None = None,
        by: str | None = None,
        at: str | None = None,
    ) -> None:
        """Add one cell."""
        if len(self._cells) >= MAX_ENTRIES:
            raise ReadError.at(self.path, f"there are more than {MAX_ENTRIES:,} entries, the limit: split the file.")
        position = self._labels.setdefault(label, len(self._labels))
        if position >= MAX_LABELS:
            reason = f"there are more than {MAX_LABELS:,} labels, the limit: leave out the labels of few items."
            raise ReadError.at(self.path, reason)
        self._cells.append((item, position, value, SOURCES.index(source), probability, by, at))

    def add_list(
        self, item: int, labels: Iterable[str], source: str = "given", by: str | None = None, at: str | None = None
    ) -> None:
        """Add the list of the labels that an annotated item has."""
        self.require_absent()
        names = frozenset(labels)
        for name in sorted(names):
            self.add(item, name, 1.0, source, None, by, at)
        self.may_list(names)
        self.annotate(item, names, by, at)

    def may_list(self, names: Iterable[str]) -> None:
        """Note that lists may hold these labels, so that they are absent from a list that does not."""
        self._listed.update(names)

    def annotate(
        self, item: int, labels: frozenset[str] = frozenset(), by: str | None = None, at: str | None = None
    ) -> None:
        """Note that a person annotated an item, and which labels of lists were found."""
        self._annotations.setdefault(item, []).append((labels, by, at))

    def declare(self, names: Iterable[str]) -> None:
        """Add the labels that a file names, in their order, even if no entry has them."""
        self._declared = tuple(dict.fromkeys(names))
        for name in self._declared:
            self._labels.setdefault(name, len(self._labels))
        self.may_list(self._declared)

    def require_absent(self) -> None:
        """Raise if the file lists labels and the caller did not state the meaning of an absent one."""
        self._uses_lists = True
        if self.absent is None:
            raise AbsentNotStated(
                f"{self.path} lists the labels that an item has; state the meaning of a label that is not listed: "
                f"{option('absent', 'irrelevant')} if every label was checked for every item, "
                f"{option('absent', 'unknown')} if a label may be missing from a list."
            )

    def records(self, format: str, *, numbered: bool = False) -> Records:
        """Return the items and cells as records.

        Parameters
        ----------
        format : str
            The name of the format.
        numbered : bool, default=False
            Whether the file has no ids, so that the items are numbered from 1.
        """
        items = self._items_table(numbered)
        self._check(items)
        self._add_what_others_listed()
        names, order = self._ordered_labels()
        columns = list(zip(*self._cells, strict=True)) or [()] * 7
        cells = cell_table(columns[0], order[np.asarray(columns[1], dtype=np.intp)], *columns[2:])
        answered = {cell[0] for cell in self._cells if cell[3] != SOURCES.index("model")}
        records = Records(
            items=items,
            cells=cells,
            names=names,
            annotated=np.isin(np.arange(len(items)), [*self._annotations, *answered]),
            closed=np.array([self.absent == "irrelevant" and name in self._listed for name in names], dtype=np.bool_),
            positive_only=self.absent == "unknown",
            format=format,
            notes=tuple(self.notes),
        )
        if not records.n_disagreements:
            return records
        number = plural(records.n_disagreements, "entry", "entries")
        note = f"{number} with different answers of different people: taken as unknown."
        return replace(records, notes=(*self.notes, note))

    def _check(self, items: pd.DataFrame) -> None:
        if not len(items):
            raise ReadError.at(self.path, "there are not items in it.")
        if self.absent is not None and not self._uses_lists:
            raise ValueError(
                f"{option('absent')} is about lists of labels, but {self.path} states a value for each entry: "
                "leave it out."
            )

    def _items_table(self, numbered: bool) -> pd.DataFrame:
        n_fields = len({name for fields in self._fields for name in fields})
        if n_fields > MAX_FIELDS:
            reason = f"its items have {n_fields:,} fields, above the limit of {MAX_FIELDS:,}: state numbers as a list."
            raise ReadError.at(self.path, reason)
        n_items = len(self._items)
        index: Index = pd.RangeIndex(1, n_items + 1)
        return frame_of(self._fields, index if numbered else pd.Index(list(self._items), dtype=object, name="id"))

    def _ordered_labels(self) -> tuple[tuple[str, ...], Ints]:
        """Return (labels, new position of each): declared labels, then other ones in order, or sorted if from lists."""
        declared = set(self._declared)
        others = [name for name in self._labels if name not in declared]
        names = [*self._declared, *(sorted(others) if self._uses_lists else others)]
        position = {name: number for number, name in enumerate(names)}
        return tuple(names), np.array([position[name] for name in self._labels], dtype=np.intp)

    def _add_what_others_listed(self) -> None:
        """Where several people listed the labels of an item, add an answer for each label that only others listed."""
        if self.absent != "irrelevant":
            return
        for item, found in self._annotations.items():
            union = frozenset[str]().union(*(labels for labels, _, _ in found))
            for labels, by, at in found if len(found) > 1 else ():
                for name in sorted(union - labels):
                    self.add(item, name, 0.0, "given", None, by, at)
