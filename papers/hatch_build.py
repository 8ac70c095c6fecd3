"""Add the published pages and records of the papers and of the board, which are part of the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Of each paper, what the command shows (--published) and builds the page from (--from-records).
FILES = ("index.html", "records.jsonl.gz")

ROOT = Path(__file__).parent

#: The folder of the pages: in a checkout, and in a source archive.
PAGES = (ROOT.parent / "docs" / "reproduction", ROOT / "pages")

#: The folder of the records of the board, in the same two places.
RECORDS = (ROOT.parent / "docs" / "benchmark" / "records", ROOT / "records")


def list_records(target: str) -> dict[str, str]:
    """Return each file of the board with its place in a wheel or a source archive."""
    folder = next(each for each in RECORDS if each.is_dir())
    place = "halflabel_papers/benchmark/records" if target == "wheel" else "records"
    return {str(file): f"{place}/{file.name}" for file in sorted(folder.glob("*.jsonl.gz"))}


def list_pages(target: str) -> dict[str, str]:
    """Return each file of the pages with its place in a wheel or a source archive."""
    folder = next(each for each in PAGES if each.is_dir())
    keys = sorted(path.stem for path in (ROOT / "src" / "halflabel_papers" / "specs").glob("*.toml"))
    place = "halflabel_papers/pages" if target == "wheel" else "pages"
    return {str(folder / key / file): f"{place}/{key}/{file}" for key in keys for file in FILES}


class PublishedPages(BuildHookInterface):
    """Add the pages to a build; an editable installation reads them in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files to a wheel or a source archive."""
        if version != "editable":
            build_data["force_include"].update({**list_pages(self.target_name), **list_records(self.target_name)})
