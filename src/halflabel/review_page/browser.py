"""Opening the page in the user's browser, so that no other account of the machine sees the address.

Every account sees the arguments of the browser's process. The browser is therefore given a file that only its owner can
read, and that leads to the address.
"""

from __future__ import annotations

import html
import os
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from halflabel.review_page.server import Server

#: The file that the browser is given.
PAGE = """<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer>
<meta http-equiv=refresh content="0;url={address}">
<title>halflabel review</title><p><a href="{address}">Open the review</a></p>
"""


@contextmanager
def opened_in_browser(server: Server, folder: Path) -> Iterator[None]:
    """Open the page of a server in a browser, by a file that is there until the browser has used it.

    The file is written to ``folder``: not all browsers can read the folder of temporary files.
    """
    made: list[Path] = []

    def remove() -> None:
        for path in made:
            path.unlink(missing_ok=True)

    try:
        address = server.guard.make_address(remove)
        made.append(write_private(PAGE.format(address=html.escape(address)), folder))
        # A browser in the terminal returns when it ends: the server does not wait for it.
        threading.Thread(target=webbrowser.open, args=(made[0].resolve().as_uri(),), daemon=True).start()
        yield
    finally:
        remove()


def write_private(text: str, folder: Path) -> Path:
    """Write a page that only its owner can read, among the temporary files if the folder does not allow it."""
    try:
        return _write(text, folder)
    except OSError:
        return _write(text, None)


def _write(text: str, folder: Path | None) -> Path:
    file, name = tempfile.mkstemp(prefix="halflabel-review-", suffix=".html", dir=folder)
    with os.fdopen(file, "w", encoding="utf-8") as page:
        is_private = os.fstat(file).st_mode & 0o077 == 0
        if is_private or folder is None:  # on Windows, only one account reads them
            page.write(text)
            return Path(name)
    os.unlink(name)
    raise PermissionError(f"{name} could be read by others.")
