"""The pages of the documentation follow from the records next to them, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from halflabel_papers.archive import NAME
from halflabel_papers.page.build import write_outputs

FOLDER = Path(__file__).parents[2] / "docs" / "reproduction"
ARCHIVES = sorted(FOLDER.glob(f"*/{NAME}"))


@pytest.mark.slow
@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.parent.name)
def test_a_published_page_is_built_again_from_its_records(archive, tmp_path):
    write_outputs(archive.read_bytes(), tmp_path)
    built = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    published = {path.relative_to(archive.parent): path.read_bytes() for path in archive.parent.rglob("*.*")}
    assert {path for path in published if built.get(path) != published[path]} == set()
    assert set(built) == set(published)
