"""A small table, and the command run on it."""

from __future__ import annotations

import pandas as pd
import pytest
from click.testing import CliRunner
from tests.conftest import half_labelled

from halflabel.cli import main


def run(*arguments):
    """Run a command as a user does."""
    return CliRunner().invoke(main, [str(a) for a in arguments], catch_exceptions=False)


@pytest.fixture
def songs(tmp_path, rng):
    X, Y, _ = half_labelled(rng)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(5)]).assign(song=[f"s{i}" for i in range(60)])
    frame[["tag_a", "tag_b", "tag_c"]] = Y
    path = tmp_path / "songs.csv"
    frame.to_csv(path, index=False)
    return path


def outputs(path):
    """Return the names of the files in the folder of an input, without the input."""
    return sorted(p.name for p in path.parent.iterdir() if p != path)
