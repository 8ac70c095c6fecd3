"""A review from a notebook or a script: the page is served by a thread, and a notebook shows the link to it."""

from __future__ import annotations

import html
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import pandas as pd

from halflabel._arguments import accept_keys
from halflabel._wording import plural
from halflabel.completion.filling import choose_rule
from halflabel.completion.preconditions import check_observed_rate
from halflabel.labels.names import Effort, RuleName
from halflabel.labels.rules import Rule
from halflabel.review_page.answers import AnswerBook
from halflabel.review_page.config import Config
from halflabel.review_page.items import ItemViews
from halflabel.review_page.outputs import Targets, list_answers
from halflabel.review_page.review import Review
from halflabel.review_page.server import Server
from halflabel.table import Description, OpenTable, open_table
from halflabel.table.columns import Keys
from halflabel.table.unlearned import leave_unlearned

if TYPE_CHECKING:
    from halflabel.table.opened import ItemsLike

#: Seconds that the end of the server may take.
PATIENCE = 10


class RunningReview:
    """A review that runs in a thread until :meth:`stop`. :func:`review` makes it."""

    def __init__(self, session: Review) -> None:
        self._session = session
        self._server = Server(session)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """The address of the page, with a token that permits answers. It works once. Then it is a new address."""
        return self._server.address

    @property
    def answers(self) -> pd.DataFrame:
        """The answers that are on the disk, as :func:`halflabel.complete` reads them (``answers=``)."""
        opened = self._session.opened
        book = AnswerBook(list(opened.index), opened.labels.names)
        for record in self._session.book.records:
            book.apply(record)
        return list_answers(book, opened.index)

    def stop(self) -> None:
        """End the server and the fits, and close the journal. A second call does no harm."""
        self._server.stop()
        self._thread.join(PATIENCE)
        self._session.close()

    def _repr_html_(self) -> str:
        title = html.escape(self._session.config.title or "the table")
        number = plural(len(self.answers), "answer")
        link = html.escape(self.address)
        return f'<a href="{link}" target="_blank" rel="noopener">Open the review of {title}</a>, {number} so far'


@accept_keys(Description)
def review(
    items: ItemsLike,
    journal: str | os.PathLike[str] | None = None,
    *,
    by: str = "",
    effort: Effort = "default",
    rule: RuleName | str | Rule | None = None,
    observed_rate: float | None = None,
    random_state: int = 0,
    **keys: Unpack[Keys],
) -> RunningReview:
    """Ask about uncertain labels in the browser, with fits in the background.

    Parameters
    ----------
    items : DataFrame, path or OpenTable
        As in :func:`halflabel.complete`.
    journal : path, optional
        The file of the answers; by default ``songs.review.jsonl`` next to ``songs.csv``. It shares its name with the
        outputs: ``songs.review.jsonl`` belongs to ``songs.completed.csv``, ``songs.review.csv``, ``songs.report.html``
        and ``songs.certificate.json``.
    by : str, optional
        The reviewer.
    effort, rule, observed_rate, random_state : optional
        As in :func:`halflabel.complete`.
    **keys
        The keys of :func:`halflabel.open_table`, such as ``id="song", labels=["rock", "sad"]``.

    Returns
    -------
    RunningReview
        A notebook shows it as a link; ``answers`` are the answers so far, and ``stop()`` ends it.

    Raises
    ------
    ValueError
        If the items are not a file and ``journal`` is not given, or the journal is open in another review.

    Notes
    -----
    The page is a link and is not embedded: a frame would need a server that other pages may embed, and a cookie that
    browsers send from other sites. Each link lets one browser in. Show the review again for another browser. On a
    remote machine, use a tunnel to the port of the address.
    """
    opened = leave_unlearned(open_table(items, **keys))
    check_observed_rate(opened.labels, observed_rate)
    choose_rule(rule)
    path = _name_journal(opened) if journal is None else Path(journal)
    stem = path.name.removesuffix(".jsonl").removesuffix(".review")
    table, answers, report, certificate = (
        path.with_name(f"{stem}.{name}") for name in ("completed.csv", "review.csv", "report.html", "certificate.json")
    )
    config = Config(
        opened,
        ItemViews(opened),
        title=stem,
        by=by,
        settings={"rule": rule, "observed_rate": observed_rate, "random_state": random_state},
        effort=effort,
        targets=Targets(table, answers, report, certificate, of_report={"title": stem}),
    )
    session = Review(config, path)
    try:
        running = RunningReview(session)
        session.start()
    except BaseException:
        session.close()
        raise
    return running


def _name_journal(opened: OpenTable) -> Path:
    """Return the journal next to the file of the items."""
    paths = () if opened.source is None else opened.source.paths
    if len(paths) != 1:
        raise ValueError("the items are not one file, which the journal could be next to: name it with journal=.")
    return paths[0].with_name(f"{paths[0].name.removesuffix('.gz').rsplit('.', 1)[0]}.review.jsonl")
