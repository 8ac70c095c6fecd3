"""Pages of a real run, committed with the project."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]

#: In an installed package, and in a checkout.
_FOLDERS = (_PACKAGE / "reproduction" / "papers" / "pages", _PACKAGE.parents[1] / "docs" / "reproduction")


def published_page(key: str) -> Path:
    """Return the HTML page of a paper that comes with the library.

    Raises
    ------
    FileNotFoundError
        If there is none.
    """
    pages = [folder / key / "index.html" for folder in _FOLDERS]
    for page in pages:
        if page.is_file():
            return page
    raise FileNotFoundError(f"no page of {key!r} comes with halflabel: run `halflabel reproduce {key}`.")
