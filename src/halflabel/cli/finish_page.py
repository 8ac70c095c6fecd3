"""The page of `halflabel finish`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halflabel.cli import work
from halflabel.cli.console import print_note, print_result
from halflabel.cli.outputs import Outputs
from halflabel.cli.review import name_user, print_next_address
from halflabel.cli.termination import Terminated

if TYPE_CHECKING:
    from halflabel.completion import Completion
    from halflabel.table import OpenTable


def serve_finish(
    opened: OpenTable, journal: Path, outputs: Outputs, stated: Completion | None, *, browser: bool,
    seed: int | None, **limits: Any,
) -> None:  # fmt: skip
    """Serve the page until the process is asked to end. ``stated`` values are finished without a fit."""
    from halflabel.review_page.browser import opened_in_browser
    from halflabel.review_page.config import Config
    from halflabel.review_page.finishing import open_finish
    from halflabel.review_page.items import ItemViews
    from halflabel.review_page.server import Server

    opened = work.leave_unlearned_targets(opened) if stated is None else stated.opened
    title = "" if opened.source is None else Path(opened.source.raw.source).name
    settings = {"random_state": seed or 0}
    config = Config(opened, ItemViews(opened), title=title, by=name_user(), settings=settings)
    targets = outputs.paths["table"], outputs.paths["certificate"], outputs.paths["page"]
    session = open_finish(config, journal, targets, seed=seed, **limits)
    try:
        server = Server(session, announce_address=print_next_address)
        print_note(*session.state.journal.notes)
        print_result(f"Journal: {journal}.")
        if stated is None:
            session.start()
        else:
            session.take_values(stated.state, stated.evidence.probabilities)
        with opened_in_browser(server, journal.parent) if browser else nullcontext():
            server.run(lambda: print_result(f"Open {server.address}"))
    except Terminated:
        raise
    except KeyboardInterrupt:
        pass  # the usual end
    finally:
        session.close()
        print_result(f"{session.sentence} The same command goes on where you stopped.")
