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
    asked = ("--labels", "rock", "--by", "decade", "-o", tmp_path / "shares.csv")
    printed = run("prevalence", tmp_path / "songs.csv", *asked).output
    shares = pd.read_csv(tmp_path / "shares.csv")
    assert shares["group"].tolist() == [1980, 1990]
    first = shares.iloc[0]
    assert all(f"{100 * first[name]:.1f}" in printed for name in ("share", "low", "high"))
    picture = tmp_path / "shares.svg"
    run("prevalence", tmp_path / "songs.csv", "--labels", "rock", "-o", picture)
    assert picture.read_text().count("<use") > 0
    assert "share of the items" in picture.read_text()


def test_votes_count_with_known_entries_only(tmp_path, rng):
    x = rng.normal(size=90)
    songs = pd.DataFrame({"song": range(90), "tempo": x})
    songs.to_csv(tmp_path / "songs.csv", index=False)
    votes = [(i, who, int((x[i] > 0) ^ (rng.random() < 0.2))) for i in range(90) for who in ("ann", "ben", "cy")]
    pd.DataFrame(votes, columns=["song", "source", "value"]).assign(label="rock").to_csv(
        tmp_path / "v.csv", index=False
    )
    asked = ("--id", "song", "--set", f"sources={tmp_path / 'v.csv'}")
    assert "The error rates of sources are not known" in run("prevalence", tmp_path / "songs.csv", *asked).output
    songs["rock"] = np.where(rng.random(90) < 0.4, x > 0, np.nan)
    songs.to_csv(tmp_path / "songs.csv", index=False)
    printed = run("prevalence", tmp_path / "songs.csv", *asked, "--labels", "rock").output
    assert "rock" in printed
    assert "nan" not in printed


def test_the_warnings_of_the_completion_are_printed(tmp_path):
    """A share of items that were chosen is not that of all items: a person reads it with the warning."""
    songs = pd.DataFrame({"tempo": [61.5, 64.0, 124.5, 131.0, 90.0, 70.0], "rock": [0, 0, 1, 1, 1, None]})
    songs.to_csv(tmp_path / "songs.csv", index=False)
    printed = run("prevalence", tmp_path / "songs.csv", "--labels", "rock").output
    assert "Warning: Very few labelled items." in printed
