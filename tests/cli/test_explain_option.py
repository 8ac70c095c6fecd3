"""--explain prints parts that add up to the probability, of fitted and of new items."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest
from scipy.special import expit, logit
from tests.cli.conftest import run

pytestmark = pytest.mark.usefixtures("one_member")


def read_parts(text):
    """Return the numbers of the parts, and their sum as printed."""
    lines = text[text.index("parts of its log odds") :].splitlines()[1:]
    found = [re.match(r"\s*([+\N{MINUS SIGN}]\d+\.\d\d)\s+(\S.*)$", line) for line in lines]
    numbers = [float(match[1].replace("\N{MINUS SIGN}", "-")) for match in found if match]
    names = [match[2].strip() for match in found if match]
    end = names.index("sum")
    return numbers[:end], numbers[end]


def test_the_terminal_shows_why(songs, tmp_path):
    table = pd.read_csv(songs)
    gap = table["song"][table["tag_a"].isna()].iloc[0]
    model, p = tmp_path / "m.halflabel", tmp_path / "p.csv"
    made = ["--id", "song", "--labels", "tag_*", "--effort", "fast", "--model", model, "--probabilities", p]
    result = run("complete", songs, *made, "--explain", gap, "tag_a")
    assert result.exit_code == 0, result.output
    parts, total = read_parts(result.stdout)
    probability = pd.read_csv(p, index_col=0).loc[gap, "tag_a"]
    assert sum(parts) == pytest.approx(total, abs=0.04)
    assert expit(total) == pytest.approx(probability, abs=0.005)
    new = tmp_path / "new.csv"
    table.drop(columns=["tag_a", "tag_b", "tag_c"]).head(3).to_csv(new, index=False)
    result = run("predict", model, new, "--probabilities", p, "--explain", "s1", "tag_b")
    assert result.exit_code == 0, result.output
    _, total = read_parts(result.stdout)
    assert total == pytest.approx(logit(pd.read_csv(p, index_col=0).loc["s1", "tag_b"]), abs=0.006)


def test_json_has_the_parts(songs):
    result = run(
        "complete", songs, "--id", "song", "--labels", "tag_*", "--effort", "fast", "--json", "--explain", "s3", "tag_a"
    )
    (why,) = json.loads(result.stdout)["explained"]
    assert (why["item"], why["label"]) == ("s3", "tag_a")
    assert sum(part["log_odds"] for part in why["contributions"]) == pytest.approx(logit(why["probability"]), abs=1e-9)


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (("s99", "tag_a"), "no item with the id 's99'; an id of this table is 's0'"),
        (("s1", "tag_x"), "there is no label 'tag_x'"),
    ],
)
def test_an_entry_that_does_not_exist_is_named_before_the_fit(songs, monkeypatch, entry, sentence):
    monkeypatch.setattr("halflabel.completion.complete", lambda *a, **k: pytest.fail("a fit"))
    result = run("complete", songs, "--id", "song", "--labels", "tag_*", "--explain", *entry)
    assert result.exit_code != 0
    assert sentence in " ".join(result.output.split())
