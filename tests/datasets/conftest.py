import os
from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path):
    """Write a text (or bytes) to a file of the given name and return its path."""

    def _write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return _write


@pytest.fixture(scope="session")
def data_folder():
    default = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("HALFLABEL_DATA", default))
    if not folder.is_dir():
        pytest.skip("the public benchmark sets are not here (set HALFLABEL_DATA to their folder)")
    return folder
