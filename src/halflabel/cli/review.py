"""The command that opens a review in the browser: review."""

from __future__ import annotations

import getpass
import os
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halflabel._wording import plural
from halflabel.cli import work
from halflabel.cli.console import print_note, print_result, show_progress
from halflabel.cli.options import ItemsFile, add_items_options, effort_option
from halflabel.cli.output_paths import PATH, check_outputs, name_output, name_plain_table, require_one
from halflabel.cli.outputs import Outputs, write_review
from halflabel.cli.print_reading import open_and_print, print_new_notes
from halflabel.cli.termination import Terminated

if TYPE_CHECKING:
    from halflabel.labels.names import Effort
    from halflabel.review_page.review import Review
    from halflabel.review_page.server import Server
    from halflabel.table import OpenTable
    from halflabel.table.sources import Source


@click.command(name="review")
@add_items_options()
@click.option("-o", "--output", type=PATH, help="Write a table of the entries to check, the most useful ones first, "
              "in place of the page; `halflabel complete --answers` reads it.")  # fmt: skip
@click.option("--by", help="Your name in the journal; by default that of your account. Several names, with commas: "
              "each one gets an address, and a tenth of the answers is asked twice.")  # fmt: skip
@click.option("--journal", type=PATH, help="Journal of answers; by default ITEMS.review.jsonl.")
@click.option("--media", type=PATH, help="Folder that images and sounds must lie under, by "
              "default that of ITEMS.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page; by default a free one.")
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
@effort_option
def review_command(
    items: ItemsFile,
    output: Path | None,
    by: str | None,
    journal: Path | None,
    port: int,
    browser: bool,
    **asked: Any,
) -> None:
    """Answer questions in the browser, with fits in the background.

    The page asks about one label of one item: J yes, F no, K not sure. Stop at any time; the same command goes on where
    you stopped. 'Write' on the page makes ITEMS.completed.*, ITEMS.review.csv and ITEMS.report.html. ITEMS itself is
    never written. An answer is acknowledged only when it is on the disk. Each printed address works once; after that,
    the command prints another one.

    \b
    Examples:
      halflabel review songs.csv --id song --labels rock,sad,live
      halflabel review images.csv --id file --labels 'tag_*' --set show=file
      halflabel review posts.csv --id post --text body --tags tags --absent unknown
      halflabel review songs.csv --id song --labels rock,sad,live -o check.csv
    """  # noqa: D301
    from halflabel.review_page.browser import opened_in_browser
    from halflabel.review_page.review import Review

    source = items.read()
    if output is not None:
        media = asked.pop("media")
        if of_page := [flag for flag, value in (("--by", by), ("--journal", journal), ("--media", media)) if value]:
            raise click.UsageError(f"{of_page[0]} has no effect with --output, which opens no page.")
        _write_entries(items, source, Outputs.plan((*items.inputs, *source.paths), {"review": output}), **asked)
        return
    first = require_one(items.paths, source)
    path = journal or name_output(first, "review.jsonl")
    targets = _name_targets(items.paths, first, source)
    check_outputs((*items.inputs, *source.paths), path, *targets)
    opened = work.leave_unlearned_targets(open_and_print(items, source))
    work.check_observed_rate(opened.labels, asked["observed_rate"])
    config = _make_config(opened, _read_names(by), targets, **asked)
    session = Review(config, path)
    server = _make_server(session, port)
    try:
        _print_start(session)
        session.start()
        with opened_in_browser(server, path.parent) if browser else nullcontext():
            server.run(lambda: print_result(*(_word_address(*each) for each in server.addresses.items())))
    except Terminated:
        raise
    except KeyboardInterrupt:
        finish_writing(session)  # the usual end
    finally:
        if session.is_writing:
            print_note("The files that were asked for last are not written: ask again (W) after the next start.")
        session.close()
        print_result(f"{plural(len(session.book), 'answer')} in {path}. The same command goes on where you stopped.")


def _make_server(session: Review, port: int) -> Server:
    """Return the server of a session, which ends if the port cannot be used."""
    from halflabel.review_page.server import Server

    try:
        return Server(session, port, print_next_address)
    except OSError:
        session.close()
        raise


def finish_writing(session: Review) -> None:
    """Write the files that were asked for before the end, unless it is asked for once more."""
    if not session.is_writing:
        return
    print_result("Writing the files that you asked for. Ctrl-C leaves them out.")
    with suppress(KeyboardInterrupt):
        session.finish_writing()
        print_result(session.failure or f"Written: {', '.join(session.written)}")


def _print_start(session: Review) -> None:
    """Print the notes about the table and the journal."""
    opened, path = session.opened, session.journal.path
    print_note(*session.notes)
    if opened.roles.id is None:
        print_note(
            "No id column is named: answers are matched by row number. Name one with --id for a table that changes."
        )
    print_result(f"Journal: {path}, {plural(len(session.book), 'answer')} so far.")


def _write_entries(
    items: ItemsFile,
    source: Source,
    outputs: Outputs,
    observed_rate: float | None,
    effort: Effort,
) -> None:
    """Fit, and write the entries to check as a table."""
    opened = open_and_print(items, source)
    with show_progress():
        filled = work.complete(opened, observed_rate=observed_rate, effort=effort)
        entries = filled.review(show=work.choose_shown(opened))
    outputs.write(review=lambda path: write_review(filled, entries, path))
    print_new_notes(filled.opened.notes, opened)
    print_result(work.describe_review(filled), f"{plural(len(entries), 'value')} listed.")
    outputs.print_paths()


def _name_targets(given: Sequence[Path], first: Path, source: Any) -> tuple[Path, Path, Path]:
    """Return the paths of the completed table, the answers and the report."""
    answers, report = (name_output(first, ending) for ending in ("review.csv", "report.html"))
    return name_plain_table(given, source, "completed"), answers, report


def _make_config(
    opened: OpenTable,
    by: Sequence[str],
    targets: tuple[Path, Path, Path],
    *,
    observed_rate: float | None,
    effort: Effort,
    media: Path | None,
) -> Any:
    """Return the configuration of the review from the options."""
    from halflabel.review_page.config import Config
    from halflabel.review_page.items import ItemViews
    from halflabel.review_page.outputs import Targets

    title = Path(opened.source.raw.source).name if opened.source is not None else ""
    return Config(
        opened,
        ItemViews(opened, media_root=media),
        title=title,
        by=by[0],
        reviewers=tuple(by) if len(by) > 1 else (),
        settings={"observed_rate": observed_rate, "random_state": 0},
        effort=effort,
        targets=Targets(*targets, of_report={"title": title}),
    )


def _word_address(reviewer: str, address: str) -> str:
    return f"{reviewer}: open {address}" if reviewer else f"Open {address}"


def print_next_address(address: str, reviewer: str) -> None:
    """Print the address that follows a used address. The page goes on if the terminal is closed."""
    of = f" of {reviewer}" if reviewer else ""
    with suppress(OSError, SystemExit):
        print_result(f"The page{of} is open. Each address works once; for another browser, open {address}")


def _read_names(by: str | None) -> list[str]:
    """Return the reviewers, by default the user."""
    names = [name.strip() for name in (by or "").split(",") if name.strip()] or [name_user()]
    if len(set(names)) < len(names):
        raise click.UsageError(f"--by names a reviewer twice: {by!r}.")
    return names


def name_user() -> str:
    """Return the name of the account."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no account, as in some containers
        return os.environ.get("USER", "reviewer")
