"""The parts that a review and a finish share: table, fits, and the questions that each open page holds."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Ints
from halflabel._ledger import Ledger
from halflabel._wording import clipped
from halflabel.completion.answers import Answers
from halflabel.review_page.answers import find_states
from halflabel.review_page.config import Config
from halflabel.review_page.explaining import Explained
from halflabel.review_page.fits import Fit
from halflabel.review_page.intake import Outcome
from halflabel.review_page.queues import Question, Screen
from halflabel.review_page.worker import Job, Worker

#: Number of items of a page of the list.
PAGE = 50


@dataclass(frozen=True)
class Asked:
    """A request for questions."""

    exclude: Ints  #: The entries that are not asked, as flat numbers.
    kind: str  #: A queue.
    view: str  #: "item" or "wall".
    n: int  #: Maximum number of screens.
    label: int | None = None  #: The only label that is asked about.
    by: str = ""  #: The reviewer. Empty if there is only one.
    page: str = ""  #: A name that the page has chosen. Empty if it holds no questions.
    held: Sequence[int] = ()  #: The entries that the page still holds.


class Session(ABC):
    """The state of a page. One thread calls its methods, and fits arrive through :meth:`receive`.

    ``table`` is a digest of the table: requests about another one are rejected.
    """

    #: Whether :meth:`choose` only reads answers and fits, so that another thread may call it.
    chooses_aside = True

    def __init__(self, config: Config, table: str) -> None:
        self.config, self.opened, self.labels, self.table = config, config.opened, config.opened.labels, table
        self.journal: Ledger
        #: Called with a kind and a content whenever the page should learn something.
        self.announce: Callable[[str, Any], None] = lambda kind, content: None
        self.worker: Worker | None = None
        self.failure = ""
        self.written: list[str] = []
        self.explained: Explained | None = None
        self._held: dict[str, set[int]] = {}
        self._choosing = threading.Lock()

    # -- the process that fits -------------------------------------------------------------

    def start(self) -> None:
        """Begin the first fit in a process of its own."""
        self.worker = Worker(self.opened, self.config.settings, self.receive)
        self.begin()

    def ask_fit(self, answers: Answers, effort: str, *, is_update: bool = False) -> None:
        """Make a fit with some answers: a new fit, or an update of the last one."""
        if self.worker is not None:
            self.failure = ""
            self.worker.ask(Job("fit", {"answers": answers, "effort": effort, "is_update": is_update}))

    def receive(self, kind: str, content: Any) -> None:
        """Take a message of the worker. Any thread may call it."""
        if kind == "fit":
            self.take_fit(content)
        elif kind == "explained":
            self.explained = content
        elif kind == "failed":
            self.failure = content
        elif kind == "written":
            self.written = content
        self.announce(kind, content)

    @property
    def is_writing(self) -> bool:
        """Whether outputs were asked for that are not written yet."""
        return self.worker is not None and self.worker.is_writing

    def finish_writing(self) -> None:
        """Wait until all outputs that were asked for are written."""
        if self.worker is not None:
            self.worker.finish_writing()

    @abstractmethod
    def begin(self) -> None:
        """Ask for the first fit."""

    @abstractmethod
    def take_fit(self, fit: Fit | None) -> None:
        """Take a fit that has arrived, or None where nothing can be learned. Any thread may call it."""

    @abstractmethod
    def refit_if_due(self) -> bool:
        """Return whether a fit begins at this moment. It is called a few times in a second."""

    @abstractmethod
    def write_outputs(self) -> None:
        """Write the table with all answers, and its other files."""

    def close(self) -> None:
        """End the process that fits, and close the journal."""
        if self.worker is not None:
            self.worker.close()
        self.journal.close()

    # -- questions and answers -------------------------------------------------------------

    def choose(self, asked: Asked) -> list[Screen]:
        """Return screens whose entries no other open page holds."""
        with self._choosing:
            others = [held for page, held in list(self._held.items()) if page != asked.page]
            exclude = np.array(sorted(set(asked.exclude.tolist()).union(*others)), dtype=np.intp)
            screens = self.choose_screens(replace(asked, exclude=exclude))
            if asked.page:
                self._held[asked.page] = {*asked.held, *(self.number(each) for screen in screens for each in screen)}
        return screens

    def leave(self, page: str) -> None:
        """Note that a page is closed, and holds nothing any more."""
        self._held.pop(page, None)

    def release(self, answered: Iterable[int]) -> None:
        """Take answered entries from all pages."""
        for page, held in list(self._held.items()):
            self._held[page] = held.difference(answered)

    def number(self, question: Question) -> int:
        """Return the flat number of the entry of a question."""
        return question.row * self.labels.shape[1] + question.column

    @abstractmethod
    def choose_screens(self, asked: Asked) -> list[Screen]:
        """Return screens without the excluded entries."""

    @abstractmethod
    def answer(self, sent: Sequence[Any], by: str = "") -> list[Outcome]:
        """Write the valid answers to the journal. Return the outcome of each answer once they are on the disk."""

    @abstractmethod
    def undo(self, key: str, by: str = "") -> list[dict[str, Any]]:
        """Take the last answer or screen back. Return its entries, none if there is no answer."""

    def explain(self, item: str, label: str) -> dict[str, Any] | None:
        """Return why an answered entry has its probability, or None until the process that fits has made it."""
        raise ValueError("a finish explains no value, because its questions come without a hint.")

    # -- content of the page ---------------------------------------------------------------

    @abstractmethod
    def look(self) -> tuple[NDArray[np.int8], NDArray[np.int8], Fit | None]:
        """Return given values, answers, and the fit whose values a person may see now."""

    def describe(self, by: str = "") -> dict[str, Any]:
        """Return names and settings: the first thing that the page asks for."""
        return {
            "title": self.config.title,
            "by": by or self.config.by,
            "items": self.labels.shape[0],
            "labels": list(self.labels.names),
            "has_walls": False,
            **self.describe_progress(by),
        }

    def describe_progress(self, by: str = "") -> dict[str, Any]:
        """Return the state that changes with answers and fits."""
        at = time.monotonic()  # before the state is read: responses can arrive in another order
        facts = {name: getattr(self, name) for name in ("table", "failure", "written")}
        return {"at": at, **facts, **self.describe_state(by)}

    @abstractmethod
    def describe_state(self, by: str) -> dict[str, Any]:
        """Return the number of answers, whether one can be undone, and the facts of the task."""

    def describe_panel(self) -> dict[str, Any]:
        """Return the facts that need all entries: none, unless the task has some."""
        return {}

    def describe_item(self, row: int) -> dict[str, Any]:
        """Return an item with the state of each of its entries, and the probabilities that may be seen."""
        given, current, fit = self.look()
        states = find_states(given[row], current[row], None if fit is None else fit.state[row]).tolist()
        p = None if fit is None else [None if np.isnan(p) else round(float(p), 3) for p in fit.shown_p[row]]
        return {**self.config.views.describe(row), "states": states, "p": p}

    @cached_property
    def texts(self) -> list[str]:
        """The id and all texts of each item, in lower case."""
        frame = self.config.views.frame.drop(columns=list(self.labels.names), errors="ignore").astype(object)
        cells = frame.where(frame.map(lambda cell: isinstance(cell, str)), "").to_numpy()
        items = zip(self.opened.index, cells, strict=True)
        return ["\n".join(map(str, (item, *row))).casefold() for item, row in items]

    def list_items(self, column: int, text: str, states: Ints, start: int) -> dict[str, Any]:
        """Return a page of the items with some words, whose entry of one label has one of some states."""
        given, current, fit = self.look()
        of_label = find_states(given[:, column], current[:, column], None if fit is None else fit.state[:, column])
        words = text.casefold().split()
        found = np.array([all(word in each for word in words) for each in self.texts], dtype=bool)
        rows = np.flatnonzero(found & np.isin(of_label, states) if len(states) else found)
        if len(states) and fit is not None:
            rows = rows[np.argsort(-np.nan_to_num(fit.shown_p[rows, column]), kind="stable")]
        shown = rows[start : start + PAGE].tolist()
        listed = [{"row": i, "item": clipped(self.opened.index[i], 80), "state": int(of_label[i])} for i in shown]
        return {"total": len(rows), "rows": listed}
