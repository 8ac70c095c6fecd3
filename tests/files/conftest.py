import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def write(tmp_path):
    """Write a text (or bytes) to a file of the given name and return its path."""

    def _write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return _write


@pytest.fixture
def tables():
    """Four songs: what was given, what was filled in, and probabilities of everything."""
    index = pd.Index(["aria", "ballad", "café", "drone"], name="song")
    items = pd.DataFrame(
        {"text": ["Loud & fast", "slow; quiet", "live <take>", "nothing"], "bpm": [180, 60, None, 100]}, index=index
    ).astype({"bpm": "Int64"})
    items["filepath"] = ["/a/1.jpg", "/a/2.jpg", "/a/3.jpg", "/a/4.jpg"]
    given = pd.DataFrame(
        {"rock": [1, 0, None, None], "sad": [0, None, None, None], "live show": [None, None, 1, None]},
        index=index,
        dtype=float,
    )
    filled = given.copy()
    filled.loc["ballad", "sad"] = filled.loc["café", "rock"] = 1
    filled.loc["café", "sad"] = filled.loc["aria", "live show"] = 0
    p = pd.DataFrame(np.linspace(0.05, 0.95, 12).reshape(4, 3), index=index, columns=given.columns)
    return {"items": items, "labels": filled, "probabilities": p, "given": given, "model": "m 1"}


@pytest.fixture(scope="session")
def data_folder():
    default = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("HALFLABEL_DATA", default))
    if not folder.is_dir():
        pytest.skip("the public benchmark sets are not here (set HALFLABEL_DATA to their folder)")
    return folder
