"""The command prevalence: a line per label and group, and the same numbers in a file."""

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run

pytestmark = pytest.mark.usefixtures("one_member")


def test_shares_are_printed_and_written(tmp_path, rng):
    x = rng.normal(size=(90, 2))
    rock = np.where(rng.random(90) < 0.5, (x[:, 0] + rng.normal(size=90) > 0) * 1.0, np.nan)
    songs = pd.DataFrame({"tempo": x[:, 0], "noise": x[:, 1], "decade": np.arange(90) % 2 * 10 + 1980, "rock": rock})
    songs.to_csv(tmp_path / "songs.csv", index=False)
    asked = ("--labels", "rock", "--by", "decade", "--versus", 1990, "-o", tmp_path / "shares.csv", "--effort", "fast")
    printed = run("prevalence", tmp_path / "songs.csv", *asked).output
    shares = pd.read_csv(tmp_path / "shares.csv")
    assert shares["group"].tolist() == [1980, 1990]
    first = shares.iloc[0]
    assert all(f"{100 * first[name]:.1f}" in printed for name in ("share", "low", "high", "difference"))
    assert "minus 1990, %" in printed
